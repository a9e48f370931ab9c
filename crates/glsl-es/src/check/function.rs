//! Functions: prototypes, definitions, and who calls whom.

use std::collections::BTreeSet;

use super::super::ast::{Declaration, Prototype, Stmt as StmtAst, Storage};
use super::super::builtins::{self, Lookup};
use super::super::error::{Fault, Note, Problem, Result};
use super::super::language::Language;
use super::super::lex::shorten;
use super::super::typed::{Function, FunctionId, Program, VariableKind};
use super::super::types::Type;
use super::scope::Entity;
use super::{Checker, FunctionState};
use crate::limits::{MAX_GLSL_CALL_DEPTH, MAX_GLSL_INLINED_EXPRESSIONS};

impl<'a> Checker<'_, 'a> {
    pub(super) fn function(&mut self, prototype: &Prototype<'a>, body: Option<&[StmtAst<'a>]>) -> Result<()> {
        let id = match self.prototype(prototype, body.is_some()) {
            Ok(id) => id,
            Err(problem) => {
                // Its body can't be checked without its parameters.
                self.forget(prototype.name, prototype.position);
                return Err(problem);
            }
        };
        let Some(body) = body else { return Ok(()) };
        self.body(prototype, id, body)
    }

    /// Declares a function.
    fn prototype(&mut self, prototype: &Prototype<'a>, has_body: bool) -> Result<FunctionId> {
        let returns = self.closed_type(&prototype.returns, &[])?;
        if returns.has_sampler() {
            let expected = "a type of values".to_owned();
            return Err(super::type_error(prototype.returns.position, "the return type", expected, &returns));
        }
        if returns.has_array() {
            self.later(prototype.returns.position, "an array as a return type");
        }
        let mut signature = Vec::new();
        for parameter in &prototype.parameters {
            signature.push(self.parameter(parameter)?);
        }
        if prototype.name == "main" && (returns != Type::Void || !signature.is_empty()) {
            return Err(Problem::expected(prototype.position, "'void main()'", "another signature"));
        }
        let known = self.program.functions.len();
        let id = self.declare_function(prototype, returns, signature)?;
        if id.0 < known && !has_body {
            let what = format!("function '{}' is declared already: expected one prototype", shorten(prototype.name));
            self.odd(prototype.position, what);
        }
        Ok(id)
    }

    fn body(&mut self, prototype: &Prototype<'a>, id: FunctionId, body: &[StmtAst<'a>]) -> Result<()> {
        let Some(function) = self.program.functions.get(id.0) else { return Ok(()) };
        if function.body.is_some() {
            let fault = Fault::Redeclared { name: shorten(prototype.name), line: (self.line)(function.position) };
            return Err(Problem::fault(prototype.position, fault));
        }
        let (returns, signature) = (function.returns.clone(), function.signature.clone());
        self.function = FunctionState { returns, uses: Some(BTreeSet::new()), ..FunctionState::default() };
        self.scopes.enter();
        let mut parameters = Vec::new();
        for (declaration, (ty, kind)) in prototype.parameters.iter().zip(&signature) {
            let Some(declarator) = declaration.declarators.first() else { continue };
            if !declarator.name.is_empty() {
                self.ensure_new(declarator.name, declarator.position)?;
            }
            parameters.push(self.add_variable(declarator.name, ty.clone(), *kind, declarator.position));
        }
        let body = self.statements(body)?;
        self.scopes.leave();
        let state = std::mem::take(&mut self.function);
        if state.returns != Type::Void && !state.has_return {
            let what = format!("function '{}' has no 'return': expected one with a value", shorten(prototype.name));
            self.odd(prototype.position, what);
        }
        if let Some(function) = self.program.functions.get_mut(id.0) {
            function.parameters = parameters;
            function.body = Some(body);
            function.calls = state.calls;
            function.effects = state.effects;
            function.expressions = state.expressions;
            function.uses = state.uses.unwrap_or_default();
        }
        Ok(())
    }

    fn parameter(&mut self, declaration: &Declaration<'a>) -> Result<(Type, VariableKind)> {
        let array = declaration.declarators.first().map(|declarator| declarator.array.clone()).unwrap_or_default();
        let ty = self.closed_type(&declaration.ty, &array)?;
        let position = declaration.ty.position;
        let kind = match declaration.qualifiers.storage {
            Some(Storage::Out) => VariableKind::Out,
            Some(Storage::InOut) => VariableKind::InOut,
            Some(Storage::Uniform) => return Err(Problem::expected(position, "'in', 'out' or 'inout'", "'uniform'")),
            Some(Storage::Const) => VariableKind::In { is_const: true },
            Some(Storage::In) | None => VariableKind::In { is_const: declaration.qualifiers.constant },
        };
        if ty == Type::Void || (ty.has_sampler() && !matches!(kind, VariableKind::In { .. })) {
            return Err(super::type_error(position, "a parameter's type", "a type that can be passed".to_owned(), &ty));
        }
        Ok((ty, kind))
    }

    fn declare_function(
        &mut self,
        prototype: &Prototype<'a>,
        returns: Type,
        signature: Vec<(Type, VariableKind)>,
    ) -> Result<FunctionId> {
        let id = FunctionId(self.program.functions.len());
        let position = prototype.position;
        let name = prototype.name;
        if name.starts_with("gl_") {
            self.ensure_new(name, position)?;
        }
        let parameters: Vec<&Type> = signature.iter().map(|(ty, _)| ty).collect();
        let is_taken = match self.program.language {
            // Which may be given forms of one's own.
            Language::Es100 => matches!(builtins::find(Language::Es100, name, &parameters), Lookup::Found(_)),
            later => builtins::is_builtin_function(later, name),
        };
        if is_taken {
            let what = format!("declaring '{name}', as every name of a built-in function,").into();
            return Err(Problem::fault(position, Fault::Misplaced { what, place: "for a function" }));
        }
        let line = self.line;
        let functions = &self.program.functions;
        match self.scopes.find_innermost(name) {
            Some((Entity::Unknown, _)) => {}
            Some((Entity::Functions(overloads), _)) => {
                let same = |id: &&FunctionId| {
                    functions.get(id.0).is_some_and(|function| {
                        let types =
                            |list: &[(Type, VariableKind)]| list.iter().map(|(ty, _)| ty.clone()).collect::<Vec<_>>();
                        types(&function.signature) == types(&signature)
                    })
                };
                if let Some(id) = overloads.iter().find(same) {
                    let known = functions.get(id.0);
                    if known.is_some_and(|known| known.returns != returns || known.signature != signature) {
                        let at = known.map_or(0, |known| line(known.position));
                        let fault = Fault::Redeclared { name: shorten(name), line: at };
                        return Err(Problem::fault(position, fault));
                    }
                    return Ok(*id);
                }
                overloads.push(id);
            }
            Some((_, at)) => {
                let fault = Fault::Redeclared { name: shorten(name), line: line(*at) };
                return Err(Problem::fault(position, fault));
            }
            None => self.scopes.declare(name, Entity::Functions(vec![id]), position),
        }
        self.program.functions.push(Function {
            name: name.to_owned(),
            position,
            returns,
            signature,
            parameters: Vec::new(),
            body: None,
            calls: Vec::new(),
            effects: true,
            expressions: 0,
            uses: BTreeSet::new(),
        });
        Ok(id)
    }
}

/// Fills [`Program::reachable`] and says which variables are used; refuses recursion, bodies that are missing and trees of calls that are too deep or,
/// inlined, too large.
pub(crate) fn reach(program: &mut Program, main: FunctionId) -> Result<()> {
    let count = program.functions.len();
    let mut walk = Walk { program, state: vec![State::New; count], inlined: vec![0; count], order: Vec::new() };
    walk.visit(main, 0, 0)?;
    program.reachable = walk.order;
    let Program { functions, variables, reachable, .. } = program;
    for id in reachable.iter().filter_map(|id| functions.get(id.0)).flat_map(|function| &function.uses) {
        if let Some(variable) = variables.get_mut(id.0) {
            variable.used = true;
        }
    }
    Ok(())
}

/// Notes bodies that are missing and functions that call themselves, where `main` reaches neither.
pub(super) fn note_unreached(program: &mut Program) {
    let Program { functions, reachable, notes, .. } = program;
    let mut state = vec![State::New; functions.len()];
    for id in reachable.iter() {
        if let Some(state) = state.get_mut(id.0) {
            *state = State::Done;
        }
    }
    let mut open: Vec<(FunctionId, usize)> = Vec::new();
    for id in (0..functions.len()).map(FunctionId) {
        open.extend((state.get(id.0) == Some(&State::New)).then_some((id, 0)));
        while let Some((caller, next)) = open.last_mut() {
            let (caller, number) = (*caller, *next);
            *next += 1;
            let call = functions.get(caller.0).and_then(|function| function.calls.get(number));
            let Some((callee, at)) = call else {
                open.pop();
                if let Some(state) = state.get_mut(caller.0) {
                    *state = State::Done;
                }
                continue;
            };
            if let Some(state) = state.get_mut(caller.0) {
                *state = State::Open;
            }
            let Some(function) = functions.get(callee.0) else { continue };
            let name = || shorten(&function.name);
            match state.get(callee.0) {
                _ if function.body.is_none() => {
                    notes.push(Note::oddity(*at, Fault::NoBody { name: name() }.to_string()))
                }
                Some(State::Open) => notes.push(Note::oddity(*at, Fault::Recursion { name: name() }.to_string())),
                Some(State::New) => open.push((*callee, 0)),
                Some(State::Done) | None => {}
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}

struct Walk<'p> {
    program: &'p Program,
    state: Vec<State>,
    inlined: Vec<u64>,
    order: Vec<FunctionId>,
}

impl Walk<'_> {
    fn visit(&mut self, id: FunctionId, position: u32, depth: usize) -> Result<()> {
        let Some(function) = self.program.functions.get(id.0) else { return Ok(()) };
        match self.state.get(id.0) {
            Some(State::Done) | None => return Ok(()),
            Some(State::Open) => {
                return Err(Problem::fault(position, Fault::Recursion { name: shorten(&function.name) }));
            }
            Some(State::New) => {}
        }
        if function.body.is_none() {
            return Err(Problem::fault(position, Fault::NoBody { name: shorten(&function.name) }));
        }
        if depth > MAX_GLSL_CALL_DEPTH {
            return Err(Problem::limit(position, "calls nested in calls", MAX_GLSL_CALL_DEPTH as u64));
        }
        self.set(id, State::Open);
        let mut inlined = function.expressions;
        for (callee, at) in &function.calls {
            self.visit(*callee, *at, depth + 1)?;
            inlined = inlined.saturating_add(self.inlined.get(callee.0).copied().unwrap_or_default());
        }
        if inlined > MAX_GLSL_INLINED_EXPRESSIONS {
            let what = "expressions, with every call inlined,";
            return Err(Problem::limit(function.position, what, MAX_GLSL_INLINED_EXPRESSIONS));
        }
        if let Some(slot) = self.inlined.get_mut(id.0) {
            *slot = inlined;
        }
        self.set(id, State::Done);
        self.order.push(id);
        Ok(())
    }

    fn set(&mut self, id: FunctionId, state: State) {
        if let Some(slot) = self.state.get_mut(id.0) {
            *slot = state;
        }
    }
}
