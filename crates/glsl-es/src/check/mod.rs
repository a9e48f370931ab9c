//! Syntax tree to typed tree: names, types, overloads, constants. Everything GLSL forbids is refused here, so that
//! what writes WGSL later need not ask again.

mod call;
mod construct;
mod epilogue;
mod expr;
mod function;
mod global;
mod language_variables;
mod operator;
mod place;
mod scope;
mod stmt;
mod type_spec;

use std::collections::BTreeSet;

use super::error::{Fault, Note, Problem, Problems, Result};
use super::hints::{self, nearest};
use super::language::Language;
use super::lex::shorten;
use super::source::Stage;
use super::typed::{Expr, FunctionId, Program, VariableId, VariableKind};
use super::types::Type;
use super::{ast, builtins};
use scope::{Entity, Scopes};

pub(crate) use epilogue::is_naga_epilogue;

/// Checks a whole text. `line` tells the line of a position.
pub(crate) fn check(
    (language, stage): (Language, Stage),
    extensions: &BTreeSet<&'static str>,
    items: &[ast::Item<'_>],
    line: &dyn Fn(u32) -> u32,
) -> std::result::Result<Program, Vec<Problem>> {
    let program = Program {
        language,
        stage,
        variables: Vec::new(),
        globals: Vec::new(),
        functions: Vec::new(),
        reachable: Vec::new(),
        blocks: Vec::new(),
        structs: Vec::new(),
        member_precisions: Vec::new(),
        position_is_invariant: false,
        has_naga_epilogue: false,
        notes: Vec::new(),
    };
    let mut checker = Checker {
        program,
        scopes: Scopes::new(),
        extensions,
        has_odd_loops: false,
        problems: Problems::default(),
        line,
        row_major: false,
        packing: "shared",
        function: FunctionState::default(),
        block_names: BTreeSet::new(),
    };
    checker.declare_builtins();
    checker.scopes.enter();
    for item in items {
        checker.recovering(|checker| checker.item(item));
    }
    if !checker.problems.is_empty() {
        return Err(checker.problems.into_vec());
    }
    checker.finish().map_err(|problem| vec![*problem])
}

struct Checker<'l, 'a> {
    program: Program,
    scopes: Scopes<'a>,
    /// Extensions of GLSL ES 1.00 that are switched on.
    extensions: &'l BTreeSet<&'static str>,
    /// Whether a loop is written as GLSL ES 1.00 needn't take it.
    has_odd_loops: bool,
    /// What is wrong, as far as it was seen. What stands there is no program then.
    problems: Problems,
    line: &'l dyn Fn(u32) -> u32,
    /// Set by `layout(row_major) uniform;`.
    row_major: bool,
    /// Set by `layout(std140) uniform;`.
    packing: &'static str,
    function: FunctionState,
    block_names: BTreeSet<String>,
}

/// What is known of the function being checked.
struct FunctionState {
    returns: Type,
    effects: bool,
    calls: Vec<(FunctionId, u32)>,
    expressions: u64,
    loops: usize,
    switches: usize,
    /// Whether a `return` was seen, wherever it stands.
    has_return: bool,
    /// What it mentions; none outside functions, where a mention counts at once.
    uses: Option<BTreeSet<VariableId>>,
}

impl Default for FunctionState {
    fn default() -> Self {
        let returns = Type::Void;
        Self {
            returns,
            effects: false,
            calls: Vec::new(),
            expressions: 0,
            loops: 0,
            switches: 0,
            has_return: false,
            uses: None,
        }
    }
}

impl<'a> Checker<'_, 'a> {
    /// Notes what the language forbids, and what is clear all the same.
    fn odd(&mut self, position: u32, what: impl Into<String>) {
        self.program.notes.push(Note::oddity(position, what));
    }

    /// Checks a part, and goes on behind it where it is wrong.
    fn recovering(&mut self, part: impl FnOnce(&mut Self) -> Result<()>) {
        if self.problems.are_enough() {
            return;
        }
        let (scopes, loops, switches) = (self.scopes.depth(), self.function.loops, self.function.switches);
        if let Err(problem) = part(self) {
            self.problems.push(*problem);
            self.scopes.leave_to(scopes);
            (self.function.loops, self.function.switches) = (loops, switches);
        }
    }

    /// What follows from a name that was told to be wrong is not told.
    fn forget(&mut self, name: &'a str, position: u32) {
        if self.scopes.find_innermost(name).is_none() {
            self.scopes.declare(name, Entity::Unknown, position);
        }
    }

    /// Notes what GLSL ES 1.00 has in an extension only, which isn't switched on.
    fn expect_extension(&mut self, name: &str, extension: &'static str, position: u32) {
        if self.program.language == Language::Es100 && !self.extensions.contains(extension) {
            let what = format!("'{name}' is of an extension: expected '#extension {extension} : enable' before");
            self.odd(position, what);
        }
    }

    /// Notes what means in GLSL ES 1.00 what it means in later versions, which have it.
    fn later(&mut self, position: u32, what: &str) {
        if self.program.language == Language::Es100 {
            self.odd(position, format!("{what} is not in GLSL ES 1.00"));
        }
    }

    /// A name that nothing has, where `what` is expected. It is told once.
    fn undeclared(&mut self, what: &'static str, name: &'a str, position: u32) -> Box<Problem> {
        let problem = self.undeclared_name(what, name, position);
        self.scopes.declare_globally(name, Entity::Unknown, position);
        problem
    }

    fn undeclared_name(&self, what: &'static str, name: &str, position: u32) -> Box<Problem> {
        let fits = |entity: &Entity| match entity {
            Entity::Variable(_) => what == "variable",
            Entity::Struct(_) => what == "type" || what == "function",
            Entity::Functions(_) => what == "function",
            Entity::Unknown => false,
        };
        let declared = self.scopes.names().filter(|(_, entity)| fits(entity)).map(|(name, _)| name);
        let language: Vec<&str> = match what {
            "function" => builtins::names(self.program.language).collect(),
            "type" => Type::KEYWORDS.to_vec(),
            _ => Vec::new(),
        };
        if self.program.language == Language::Es100
            && let Some(instead) = hints::in_es100(what, name)
        {
            let what = format!("'{}'", shorten(name)).into();
            return Problem::fault(position, Fault::LaterVersion { what, instead: instead.into() });
        }
        let near = self.member_of_block(name).filter(|_| what == "variable");
        let near = near.or_else(|| nearest(name, declared.chain(language)));
        Problem::fault(position, Fault::Undeclared { what, name: shorten(name), near })
    }

    /// `b.a` for the member `a` of a block with the variable `b`.
    fn member_of_block(&self, name: &str) -> Option<String> {
        let instances = self.program.variables.iter().filter_map(|variable| match variable.kind {
            VariableKind::Instance(block) => Some((variable, self.program.blocks.get(block.0)?)),
            _ => None,
        });
        let mut having = instances.filter(|(_, block)| block.of.members.iter().any(|(member, _)| member == name));
        having.next().map(|(variable, _)| format!("{}.{}", shorten(&variable.name), shorten(name)))
    }

    /// The name of a block is for nothing else outside functions.
    fn note_block_names(&mut self) {
        let blocks = self.program.blocks.iter();
        let named: Vec<_> = blocks.map(|block| (block.name.clone(), block.position)).collect();
        for (name, position) in named {
            if let Some((_, other)) = self.scopes.find_innermost(&name) {
                let line = (self.line)(*other);
                let what = format!("block '{}': expected a name of its own, found one of line {line}", shorten(&name));
                self.odd(position, what);
            }
        }
    }

    /// Of several outputs each says where it goes (GLSL ES 3.00, 4.3.8.2).
    fn note_outputs(&mut self) {
        let outputs = self.program.variables.iter().filter_map(|variable| match variable.kind {
            VariableKind::Output(interface) if self.program.stage == Stage::Fragment && !is_builtin(&variable.name) => {
                Some((variable, interface))
            }
            _ => None,
        });
        let outputs: Vec<_> = outputs.collect();
        if outputs.len() < 2 {
            return;
        }
        let missing = outputs.iter().filter(|(_, interface)| interface.location.is_none());
        let missing: Vec<_> = missing.map(|(variable, _)| (variable.position, shorten(&variable.name))).collect();
        for (position, name) in missing {
            self.odd(position, format!("output '{name}' is one of several: expected 'layout(location = …)'"));
        }
    }

    fn finish(mut self) -> Result<Program> {
        self.note_outputs();
        self.note_block_names();
        let main =
            self.program.functions.iter().position(|function| {
                function.name == "main" && function.signature.is_empty() && function.body.is_some()
            });
        let Some(main) = main else {
            return Err(Problem::fault(0, Fault::MissingMain { stage: self.program.stage }));
        };
        function::reach(&mut self.program, FunctionId(main))?;
        function::note_unreached(&mut self.program);
        self.refuse_both_outputs()?;
        Ok(self.program)
    }

    /// GLSL ES 1.00 has one name for one output, and one for several. Functions that `main` does not reach count as well,
    /// though they draw nothing.
    fn refuse_both_outputs(&mut self) -> Result<()> {
        let Program { variables, functions, notes, .. } = &mut self.program;
        let id = |name: &str| variables.iter().position(|variable| variable.name == name).map(VariableId);
        let both = id("gl_FragColor").zip(id("gl_FragData"));
        let is_drawn = |id: VariableId| variables.get(id.0).is_some_and(|variable| variable.used);
        let is_named = |id: VariableId| is_drawn(id) || functions.iter().any(|function| function.uses.contains(&id));
        if both.is_none_or(|(color, data)| !(is_named(color) && is_named(data))) {
            return Ok(());
        }
        let what = "'gl_FragData' beside 'gl_FragColor'".into();
        let fault = Fault::Misplaced { what, place: "in one shader" };
        if both.is_some_and(|(color, data)| is_drawn(color) && is_drawn(data)) {
            return Err(Problem::fault(0, fault));
        }
        notes.push(Note::oddity(0, fault.to_string()));
        Ok(())
    }

    /// An error unless `found` is `expected`.
    fn require(&self, what: &'static str, expected: &Type, found: &Expr) -> Result<()> {
        if found.ty == *expected {
            return Ok(());
        }
        Err(type_error(found.position, what, expected.to_string(), &found.ty))
    }
}

fn is_builtin(name: &str) -> bool {
    name.starts_with("gl_")
}

fn type_error(
    position: u32,
    what: impl Into<std::borrow::Cow<'static, str>>,
    expected: String,
    found: &Type,
) -> Box<Problem> {
    let fault = Fault::Type { what: what.into(), expected: expected.into(), found: found.to_string() };
    Problem::fault(position, fault)
}
