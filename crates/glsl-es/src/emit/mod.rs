//! Typed tree to WGSL text.
//!
//! GLSL expressions have side effects, WGSL's hardly any. So writing an expression gives its value, and *before* that
//! puts into the current block whatever must have happened by then. Values have no effects: if something to the right has
//! some, what stands to its left is first kept in a `let`.
//!
//! Expressions and statements are a tree ([`code`]), of which text is made when all is decided.
//!
//! Names can't clash: what the text declares is written `name_v12`, with a letter for what it is and its number among
//! those; what is made here never ends in `_`, such a letter and digits.

mod assign;
mod builtin;
mod call;
mod code;
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

use code::{Block, Known, Statement, Value};

use super::error::{Note, Problem, Result};
use super::link::Plan;
use super::typed::{Expr, Program, VariableId, VariableKind};
use crate::limits::{MAX_WGSL_BRACE_DEPTH, MAX_WGSL_TEXT_BYTES};

/// Writes the module of one stage.
pub(crate) fn emit(program: &Program, plan: &Plan, notes: &mut Vec<Note>) -> Result<String> {
    let mut writer = Writer {
        program,
        plan,
        block: Block::new(),
        braces: 1,
        written_bytes: 0,
        temporaries: 0,
        structs: Vec::new(),
        struct_ids: HashSet::new(),
        runtime: BTreeMap::new(),
        resources: BTreeMap::new(),
        loaders: HashMap::new(),
        hoisted: HashSet::new(),
        pointers: HashSet::new(),
        notes: Vec::new(),
        position: 0,
        missing: None,
    };
    let module = writer.module()?;
    if let Some(position) = writer.missing {
        return Err(Problem::internal(position, "a written value should have been rejected"));
    }
    notes.append(&mut writer.notes);
    Ok(module)
}

/// How deep an expression may nest before it is kept in a `let`: naga stops at 200 levels in all.
const MAX_TEXT_DEPTH: u16 = 16;
/// How long its text may get, about.
const MAX_TEXT_BYTES: usize = 4096;

struct Writer<'p> {
    program: &'p Program,
    plan: &'p Plan,
    /// Statements of the block being written.
    block: Block,
    /// Braces around it.
    braces: usize,
    /// Bytes of all statements, about.
    written_bytes: usize,
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
    /// Parameters that are pointers.
    pointers: HashSet<VariableId>,
    notes: Vec<Note>,
    /// Where in the text we are, for limits.
    position: u32,
    /// Where a value was first missing that is written.
    missing: Option<u32>,
}

impl Writer<'_> {
    /// Adds a statement to the current block.
    fn push(&mut self, statement: Statement) {
        self.written_bytes = self.written_bytes.saturating_add(statement.size_bytes());
        if statement.is_missing_a_value() {
            self.missing.get_or_insert(self.position);
        }
        self.block.push(statement);
    }

    /// Declares a variable.
    fn declare_var(&mut self, name: &str, ty: String, value: Option<Value>) {
        self.push(Statement::Var { name: name.to_owned(), ty: Some(ty), value });
    }

    /// What `work` writes, which stands beside the current block.
    fn aside<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, Block)> {
        let outer = std::mem::take(&mut self.block);
        let done = work(self);
        let block = std::mem::replace(&mut self.block, outer);
        Ok((done?, block))
    }

    /// What `work` writes, which stands in a block of its own within the current one.
    fn inside<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, Block)> {
        self.braces += 1;
        if self.braces > MAX_WGSL_BRACE_DEPTH {
            let cap = MAX_WGSL_BRACE_DEPTH as u64;
            return Err(Problem::limit(self.position, "nested blocks of the translation", cap));
        }
        if self.written_bytes > MAX_WGSL_TEXT_BYTES {
            return Err(Problem::limit(self.position, "bytes of the translation", MAX_WGSL_TEXT_BYTES as u64));
        }
        let done = self.aside(work);
        self.braces -= 1;
        done
    }

    /// A new name.
    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    /// Keeps a value in a `let`, unless it can't change anyway.
    fn keep(&mut self, value: Value) -> Value {
        if value.is_kept() { value } else { self.bind(&value) }
    }

    /// Keeps a value in a `let`.
    fn bind(&mut self, value: &Value) -> Value {
        let name = self.temporary();
        self.push(Statement::Let(name.clone(), value.clone()));
        value.named(name)
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
        self.push(Statement::Var { name: name.clone(), ty: None, value: Some(value.clone()) });
        Value::fixed(name)
    }

    /// Keeps an expression that nests too deep.
    fn flatten(&mut self, value: Value) -> Value {
        if value.depth() < MAX_TEXT_DEPTH && value.size_bytes() < MAX_TEXT_BYTES { value } else { self.bind(&value) }
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

    /// A variable's name.
    fn name(&self, id: VariableId) -> String {
        self.program.variable(id).map_or(String::new(), |variable| mangle(Entity::Variable, &variable.name, id.0))
    }

    /// A variable in memory.
    fn variable(&self, id: VariableId) -> Value {
        let name = Value::read(self.name(id));
        if self.pointers.contains(&id) { name.prefixed("*") } else { name }
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
