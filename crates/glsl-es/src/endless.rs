//! Finds loops that nothing ends, by the rules of `shader::endless`.

use std::collections::BTreeSet;

use super::error::{GlslError, GlslErrors};
use super::source::{GlslSource, Stage, Text};
use super::typed::{Expr, FunctionId, Loop, Stmt};
use super::value::Component;
use super::{analyse, nesting, preprocess, refused, text_of};

/// A loop that nothing ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndlessLoop {
    /// The function that it is in.
    pub function: String,
    /// Absolute file offset of the loop in WGSL, and of its function's name in GLSL.
    pub offset: u64,
}

/// The endless loops of one text.
pub fn endless_loops(source: GlslSource<'_>, stage: Stage) -> Result<Vec<EndlessLoop>, GlslError> {
    let text = text_of(source, stage).map_err(GlslErrors::into_first)?;
    nesting::with_stack(|most_levels| loops_of(&text, most_levels)).map_err(GlslErrors::into_first)
}

fn loops_of(text: &Text<'_>, most_levels: usize) -> Result<Vec<EndlessLoop>, GlslErrors> {
    let lexed = preprocess::lexed(text.spliced()).map_err(|problem| refused(vec![*problem], text))?;
    let program = analyse(text, &lexed, most_levels)?;
    let mut found = Vec::new();
    let mut discarding: BTreeSet<FunctionId> = BTreeSet::new();
    for id in &program.reachable {
        let Some(function) = program.functions.get(id.0) else { continue };
        let body = function.body.as_deref().unwrap_or_default();
        let calls_discard = function.calls.iter().any(|(callee, _)| discarding.contains(callee));
        if calls_discard || is_left(body, Exits::Discard) {
            discarding.insert(*id);
        }
        // Which of its loops such a call is in is not asked.
        if !calls_discard {
            let note = &mut || {
                found.push(EndlessLoop { function: function.name.clone(), offset: text.file_offset(function.position) })
            };
            body.iter().for_each(|statement| walk(statement, note));
        }
    }
    Ok(found)
}

/// What counts as a way out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Exits {
    Discard,
    /// Or a return.
    Function,
    /// Or a `break`.
    Loop,
}

fn walk(statement: &Stmt, note: &mut impl FnMut()) {
    if let Stmt::Loop(parts) = statement
        && is_endless(parts)
    {
        note();
    }
    parts(statement).into_iter().for_each(|part| walk(part, note));
}

fn is_endless(parts: &Loop) -> bool {
    let asks = parts.condition.as_ref().is_some_and(|condition| constant(condition) != Some(true));
    !asks && !is_left([&parts.body], Exits::Loop)
}

fn is_left<'s>(statements: impl IntoIterator<Item = &'s Stmt>, exits: Exits) -> bool {
    statements.into_iter().any(|statement| {
        let exits = match statement {
            Stmt::Discard => return true,
            Stmt::Return(_) => return exits >= Exits::Function,
            Stmt::Break => return exits == Exits::Loop,
            // A `break` in there is theirs.
            Stmt::Loop(_) | Stmt::Switch(..) if exits == Exits::Loop => Exits::Function,
            _ => exits,
        };
        is_left(parts(statement), exits)
    })
}

/// The statements in a statement that can be got to.
fn parts(statement: &Stmt) -> Vec<&Stmt> {
    match statement {
        Stmt::Block(statements) => statements.iter().collect(),
        Stmt::If(branches, last) => {
            let mut parts = Vec::new();
            for (condition, branch) in branches {
                match constant(condition) {
                    Some(false) => {}
                    Some(true) => return [parts, vec![branch]].concat(),
                    None => parts.push(branch),
                }
            }
            parts.extend(last.as_deref());
            parts
        }
        Stmt::Switch(_, cases) => cases.iter().flat_map(|case| &case.body).collect(),
        Stmt::Loop(parts) => parts.init.iter().chain([&parts.body]).collect(),
        _ => Vec::new(),
    }
}

/// A condition's value, if it is a constant.
fn constant(condition: &Expr) -> Option<bool> {
    match condition.value.as_deref() {
        Some([Component::Bool(value)]) => Some(*value),
        _ => None,
    }
}
