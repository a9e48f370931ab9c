//! Typed tree to WGSL text.
//!
//! GLSL expressions have side effects, WGSL's hardly any. So writing an expression gives its text, and *before* that
//! puts into the current block whatever must have happened by then. Texts are values without effects: if something to
//! the right has effects, what stands to its left is first kept in a `let`.
//!
//! Names can't clash: what the text declares is written `name_v12`, with a letter for what it is and its number among
//! those; what is made here never ends in `_`, such a letter and digits.

mod assign;
mod builtin;
mod call;
mod construct;
mod entry;
mod expr;
mod literal;
mod operator;
mod place;
mod runtime;
mod stmt;
mod switch;
mod texture;
mod types;
mod uniform;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use super::error::{Note, Problem, Result};
use super::link::Plan;
use super::typed::{Expr, Program, VariableId, VariableKind};
use crate::bytes::limits::{MAX_WGSL_BRACE_DEPTH, MAX_WGSL_TEXT_BYTES};

/// Writes the module of one stage.
pub(crate) fn emit(program: &Program, plan: &Plan, notes: &mut Vec<Note>) -> Result<String> {
    let mut writer = Writer {
        program,
        plan,
        out: String::new(),
        indent: 1,
        temporaries: 0,
        structs: Vec::new(),
        struct_ids: HashSet::new(),
        runtime: BTreeMap::new(),
        resources: BTreeMap::new(),
        loaders: HashMap::new(),
        hoisted: HashSet::new(),
        renamed: HashMap::new(),
        notes: Vec::new(),
        position: 0,
    };
    let module = writer.module()?;
    notes.append(&mut writer.notes);
    Ok(module)
}

/// How deep a text may nest before it is kept in a `let`: naga stops at 200 levels in all.
const MAX_TEXT_DEPTH: u16 = 16;

/// A WGSL expression without effects.
#[derive(Clone, Debug)]
struct Value {
    code: String,
    /// Levels of parentheses in it.
    depth: u16,
    /// Whether it stays what it is whatever happens: a literal or a `let`.
    fixed: bool,
    /// What naga knows of it when it reads the text.
    known: Known,
}

/// What naga knows of a value when it reads the text. What it knows it computes with, and refuses the module where that
/// overflows or divides by zero, which GLSL leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing: it comes from memory, a call or a texture.
    AtRunTime,
    /// The value.
    Constant,
    /// The value, and that no component of it is zero.
    NonZero,
}

impl Value {
    fn fixed(code: impl Into<String>) -> Self {
        Self { code: code.into(), depth: 0, fixed: true, known: Known::AtRunTime }
    }

    fn read(code: impl Into<String>) -> Self {
        Self { code: code.into(), depth: 0, fixed: false, known: Known::AtRunTime }
    }

    /// What a call gives, whose arguments nest as deep.
    fn called(code: String, depth: u16) -> Self {
        Self { code, depth, fixed: false, known: Known::AtRunTime }
    }

    fn constant(code: impl Into<String>, known: Known) -> Self {
        Self { code: code.into(), depth: 0, fixed: true, known }
    }

    fn is_constant(&self) -> bool {
        self.known != Known::AtRunTime
    }

    /// A text around others.
    fn around(code: String, parts: &[&Value]) -> Self {
        Self {
            code,
            depth: parts.iter().map(|part| part.depth).max().unwrap_or(0) + 1,
            fixed: parts.iter().all(|part| part.fixed),
            known: match parts.iter().all(|part| part.is_constant()) && !parts.is_empty() {
                true => Known::Constant,
                false => Known::AtRunTime,
            },
        }
    }
}

struct Writer<'p> {
    program: &'p Program,
    plan: &'p Plan,
    /// Statements of the function being written.
    out: String,
    indent: usize,
    temporaries: u32,
    /// Struct declarations, in order.
    structs: Vec<String>,
    struct_ids: HashSet<u32>,
    /// Functions of ours that the module needs, by name.
    runtime: BTreeMap<String, String>,
    /// Declarations of bindings, by binding number.
    resources: BTreeMap<u32, String>,
    /// Functions that read a type out of a uniform block.
    loaders: HashMap<(String, String, bool), String>,
    /// Variables of `switch` bodies, declared before the switch.
    hoisted: HashSet<VariableId>,
    /// Variables that go by another text than their name: `(*p)`.
    renamed: HashMap<VariableId, String>,
    notes: Vec<Note>,
    /// Where in the text we are, for limits.
    position: u32,
}

impl Writer<'_> {
    /// Writes one line into the current block.
    fn line(&mut self, text: &str) {
        for _ in 0..self.indent.min(16) {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Writes `text {` and goes in.
    fn open(&mut self, text: &str) -> Result<()> {
        self.line(&format!("{text} {{"));
        self.indent += 1;
        if self.indent > MAX_WGSL_BRACE_DEPTH {
            let cap = MAX_WGSL_BRACE_DEPTH as u64;
            return Err(Problem::limit(self.position, "nested blocks of the translation", cap));
        }
        if self.out.len() > MAX_WGSL_TEXT_BYTES {
            return Err(Problem::limit(self.position, "bytes of the translation", MAX_WGSL_TEXT_BYTES as u64));
        }
        Ok(())
    }

    /// Goes out and writes `}`.
    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    /// A new name.
    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    /// Keeps a value in a `let`, unless it can't change anyway.
    fn keep(&mut self, value: Value) -> Value {
        if value.fixed && value.depth == 0 {
            return value;
        }
        let name = self.temporary();
        self.line(&format!("let {name} = {};", value.code));
        Value { known: value.known, ..Value::fixed(name) }
    }

    /// The same value, of which naga knows nothing: the one shield against its evaluator of constants.
    fn opaque(&mut self, value: Value) -> Value {
        if value.is_constant() { self.keep_in_memory(&value) } else { value }
    }

    /// Operands of what naga would compute, if it knows them all, with one made opaque.
    fn unevaluated(&mut self, mut operands: Vec<Value>) -> Vec<Value> {
        if operands.iter().all(Value::is_constant)
            && let Some(first) = operands.first_mut()
        {
            *first = self.keep_in_memory(first);
        }
        operands
    }

    /// Keeps a value in a `var`: for what WGSL indexes only in memory.
    fn keep_in_memory(&mut self, value: &Value) -> Value {
        let name = self.temporary();
        self.line(&format!("var {name} = {};", value.code));
        Value::fixed(name)
    }

    /// Keeps a text that nests too deep.
    fn flatten(&mut self, value: Value) -> Value {
        if value.depth < MAX_TEXT_DEPTH && value.code.len() < 4096 {
            return value;
        }
        self.keep(Value { fixed: false, ..value })
    }

    /// Writes operands from left to right, so that each has its value before later ones have their effects.
    fn operands(&mut self, operands: &[&Expr]) -> Result<Vec<Value>> {
        let mut values = Vec::with_capacity(operands.len());
        for (at, operand) in operands.iter().enumerate() {
            let value = self.value(operand)?;
            let changes = operands.iter().skip(at + 1).any(|later| later.effects);
            values.push(if changes { self.keep(value) } else { value });
        }
        Ok(values)
    }

    /// The text that stands for a variable in memory.
    fn name(&self, id: VariableId) -> String {
        if let Some(name) = self.renamed.get(&id) {
            return name.clone();
        }
        match self.program.variable(id) {
            Some(variable) => mangle(Entity::Variable, &variable.name, id.0),
            None => String::new(),
        }
    }

    fn kind(&self, id: VariableId) -> VariableKind {
        self.program.variable(id).map_or(VariableKind::Local, |variable| variable.kind)
    }
}

/// What a name of the text stands for. Each kind has numbers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entity {
    Variable,
    Function,
    Struct,
    /// A block or sampler, numbered by its binding.
    Binding,
}

/// A name that no keyword, built-in function or other name can be.
fn mangle(entity: Entity, name: &str, number: usize) -> String {
    let letter = match entity {
        Entity::Variable => 'v',
        Entity::Function => 'f',
        Entity::Struct => 's',
        Entity::Binding => 'b',
    };
    let mut mangled = String::with_capacity(name.len() + 8);
    if name.starts_with('_') || name.is_empty() {
        mangled.push('u');
    }
    mangled.push_str(name);
    let _ = write!(mangled, "_{letter}{number}");
    mangled
}

/// Parts of a list, with commas.
fn join(values: &[Value]) -> String {
    let mut text = String::new();
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(&value.code);
    }
    text
}
