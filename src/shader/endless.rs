//! Finds loops that nothing ends.
//!
//! Such a loop has no `break` of its own, and nothing in it returns or discards. Branches whose condition is a constant
//! count only as far as they can be taken, so `while (true)` is what it looks like. Whether a condition that is no
//! constant ever comes true is not asked: every loop found is endless, but not every endless loop is found.

use std::collections::{BTreeSet, HashSet};

use naga::{Block, Expression, Function, Handle, Literal, Module, Statement};

use super::error::{ShaderError, ShaderText};
use super::glsl::EndlessLoop;
use super::stage::StageModule;
use super::wgsl::parse_wgsl;
use crate::command::ShaderStage;
use naga_gate::guarded;

/// The endless loops of a WGSL text, where its entry point for the stage can get to them.
pub(super) fn endless_wgsl_loops(text: ShaderText<'_>, stage: ShaderStage) -> Result<Vec<EndlessLoop>, ShaderError> {
    let module = parse_wgsl(text, stage)?;
    let broke = |broken| ShaderError::broke(stage, broken, text.offset);
    guarded(|| search(&module)).map_err(broke)
}

fn search(stage: &StageModule) -> Vec<EndlessLoop> {
    let StageModule { module, entry_point, text_offset, .. } = stage;
    let mut discarding = HashSet::new();
    // naga keeps callees before their callers.
    for (handle, function) in module.functions.iter() {
        if (Body { module, function, discarding: &discarding }).is_left(&function.body, Exits::Discard) {
            discarding.insert(handle);
        }
    }
    let mut found = Vec::new();
    let mut reached = BTreeSet::new();
    let entries = module.entry_points.iter().filter(|entry| entry.name == *entry_point);
    let mut waiting: Vec<&Function> = entries.map(|entry| &entry.function).collect();
    while let Some(function) = waiting.pop() {
        let name = function.name.as_ref().unwrap_or(entry_point);
        let mut note = |place: Place| match place {
            Place::Endless(start) => {
                found.push(EndlessLoop { function: name.clone(), offset: text_offset + start as u64 });
            }
            Place::Call(callee) if reached.insert(callee) => waiting.extend(module.functions.try_get(callee).ok()),
            Place::Call(_) => {}
        };
        Body { module, function, discarding: &discarding }.walk(&function.body, &mut note);
    }
    found.sort_unstable_by_key(|endless| endless.offset);
    found
}

/// What is met on a walk through a function.
enum Place {
    /// A loop that nothing ends, by its offset in the text.
    Endless(usize),
    Call(Handle<Function>),
}

/// What counts as a way out of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Exits {
    Discard,
    /// Or a return.
    Function,
    /// Or a `break` that is the block's own.
    Loop,
}

struct Body<'m> {
    module: &'m Module,
    function: &'m Function,
    /// Functions that may discard.
    discarding: &'m HashSet<Handle<Function>>,
}

impl<'m> Body<'m> {
    fn walk(&self, block: &Block, note: &mut impl FnMut(Place)) {
        for (statement, span) in block.span_iter() {
            match statement {
                Statement::Call { function, .. } => note(Place::Call(*function)),
                Statement::Loop { body, continuing, break_if } => {
                    let asks = break_if.is_some_and(|condition| self.constant(condition) != Some(false));
                    let leaves = |block| self.is_left(block, Exits::Loop);
                    if !asks && !leaves(body) && !leaves(continuing) {
                        note(Place::Endless(span.to_range().map_or(0, |range| range.start)));
                    }
                }
                _ => {}
            }
            self.parts(statement).into_iter().for_each(|part| self.walk(part, note));
        }
    }

    /// Whether something in `block` leaves it in one of these ways.
    fn is_left(&self, block: &Block, exits: Exits) -> bool {
        block.iter().any(|statement| {
            let exits = match statement {
                Statement::Kill => return true,
                Statement::Return { .. } => return exits >= Exits::Function,
                Statement::Break => return exits == Exits::Loop,
                Statement::Call { function, .. } => return self.discarding.contains(function),
                // A `break` in there is theirs.
                Statement::Loop { .. } | Statement::Switch { .. } if exits == Exits::Loop => Exits::Function,
                _ => exits,
            };
            self.parts(statement).into_iter().any(|part| self.is_left(part, exits))
        })
    }

    /// The blocks of a statement that can be got to.
    fn parts<'s>(&self, statement: &'s Statement) -> Vec<&'s Block> {
        match statement {
            Statement::Block(block) => vec![block],
            Statement::If { condition, accept, reject } => match self.constant(*condition) {
                Some(true) => vec![accept],
                Some(false) => vec![reject],
                None => vec![accept, reject],
            },
            Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
            Statement::Loop { body, continuing, .. } => vec![body, continuing],
            _ => Vec::new(),
        }
    }

    /// A condition's value, if it is a constant.
    fn constant(&self, condition: Handle<Expression>) -> Option<bool> {
        let mut expression = self.function.expressions.try_get(condition).ok()?;
        if let Expression::Constant(constant) = expression {
            let init = self.module.constants.try_get(*constant).ok()?.init;
            expression = self.module.global_expressions.try_get(init).ok()?;
        }
        match expression {
            Expression::Literal(Literal::Bool(value)) => Some(*value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::translate::GLSL;
    use super::*;

    fn of_wgsl(body: &str) -> Vec<(String, u64)> {
        let text = format!(
            "const FOREVER = true; var<private> n: i32;
            fn kill() {{ if n > 3 {{ discard; }} }} fn unused() {{ loop {{}} }} fn spin() {{ loop {{ n++; }} }}
            @fragment fn main() {{ {body} }}"
        );
        let source = ShaderText { bytes: text.as_bytes(), offset: 0x1000 };
        let found = endless_wgsl_loops(source, ShaderStage::Fragment).unwrap();
        let start = 0x1000 + text.rfind(body).unwrap() as u64;
        found.into_iter().map(|endless| (endless.function, endless.offset.saturating_sub(start))).collect()
    }

    #[test]
    fn loops_of_wgsl_without_a_way_out_are_found() {
        for (body, at) in [
            ("loop {}", 0),
            ("n = 1; while true { n++; }", 7),
            ("while FOREVER { n++; }", 0),
            ("for (var i = 0; ; i++) { n = i; }", 0),
            ("loop { if false { break; } n++; }", 0),
            ("loop { switch n { case 1: { break; } default: {} } }", 0),
            ("loop { loop { if n > 3 { break; } n++; } }", 0),
            ("loop { n++; continuing { break if false; } }", 0),
            ("if n > 3 { loop { n++; } }", 11),
        ] {
            assert_eq!(of_wgsl(body), [("main".to_owned(), at)], "{body}");
        }
        assert_eq!(of_wgsl("spin();"), [("spin".to_owned(), 0)]);
        assert_eq!(of_wgsl("loop { loop { n++; } }").len(), 2);
    }

    #[test]
    fn loops_of_wgsl_with_a_way_out_are_not() {
        for body in [
            "loop { break; }",
            "while n < 9 { n++; }",
            "for (var i = 0; i < 9; i++) {}",
            "loop { if n > 3 { return; } n++; }",
            "loop { if n > 3 { discard; } n++; }",
            "loop { kill(); n++; }",
            "loop { switch n { case 1: { return; } default: {} } n++; }",
            "loop { loop { if n > 3 { return; } n++; } }",
            "loop { n++; continuing { break if n > 3; } }",
            "loop { if true { break; } }",
            "if false { loop {} }",
            "n = 1;",
        ] {
            assert_eq!(of_wgsl(body), [], "{body}");
        }
    }

    fn of_glsl(body: &str) -> usize {
        let text = format!(
            "#version 300 es\nprecision mediump float; const bool FOREVER = true; int n; in float from_no_vertex;
            void kill() {{ if (n > 3) discard; }} void unused() {{ for (;;) {{}} }}
            void spin() {{ do n++; while (true); }} void main() {{ n = int(from_no_vertex); {body} }}"
        );
        let source = ShaderText { bytes: text.as_bytes(), offset: 0x1000 };
        let found = (GLSL.endless_loops)(source, ShaderStage::Fragment).unwrap();
        for EndlessLoop { function, offset } in &found {
            assert_eq!(*offset, 0x1000 + text.find(&format!("{function}()")).unwrap() as u64);
        }
        found.len()
    }

    #[test]
    fn loops_of_glsl_without_a_way_out_are_found() {
        for body in [
            "for (;;) {}",
            "while (true) n++;",
            "while (FOREVER) { n++; }",
            "do { if (n > 3) continue; } while (1 < 2);",
            "for (;;) { if (false) break; n++; }",
            "for (;;) { switch (n) { case 1: break; default: n++; } }",
            "for (;;) { for (;;) { if (n > 3) break; n++; } }",
            "if (n > 3) { for (;;) n++; }",
            "spin();",
        ] {
            assert_eq!(of_glsl(body), 1, "{body}");
        }
    }

    #[test]
    fn loops_of_glsl_with_a_way_out_are_not() {
        for body in [
            "for (;;) break;",
            "while (n < 9) n++;",
            "while (false) n++;",
            "do n++; while (false);",
            "while (bool more = n < 3) n++;",
            "for (;;) { if (n > 3) return; n++; }",
            "for (;;) { if (n > 3) discard; n++; }",
            "for (;;) { kill(); n++; }",
            "for (;;) { switch (n) { case 1: return; default: n++; } }",
            "for (;;) { if (n > 3) { n++; } else if (true) { break; } }",
            "if (false) for (;;) {}",
            "n++;",
        ] {
            assert_eq!(of_glsl(body), 0, "{body}");
        }
    }
}
