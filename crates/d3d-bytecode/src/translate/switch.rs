//! `switch`.
//!
//! Where each case ends with a jump it is a switch of naga's. Where one falls through to the next, which naga's writers do
//! not all have, it is a chain of conditions in a loop of one turn:
//!
//! ```text
//!  switch r0          loop {
//!    case 1  A           if entered |= r0 == 1 { A }
//!    case 2  B break     if entered |= r0 == 2 { B break }
//!    default C           if entered |= r0 is none of them { C }
//!  endswitch             break }
//! ```
//!
//! A `continue` inside leaves that loop first, and goes on behind it.

use std::collections::BTreeSet;

use naga::{BinaryOperator, Block, Expression, Literal, Statement, SwitchCase, SwitchValue};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::flow::{Flow, case_value};
use super::stage::Stage;
use crate::{Instruction, Opcode, TokenOffset};
use trace_base::error::Internal;

/// A `switch` whose cases are not all there.
pub(super) struct OpenSwitch {
    selector: ValueHandle,
    cases: Vec<SwitchCase>,
    /// The values of the case that is open; `None` is the default. Before the first case there is none.
    values: Vec<Option<u32>>,
}

/// The same as a chain of conditions.
pub(super) struct OpenChain {
    selector: ValueHandle,
    /// A variable: whether a case before, or this one, was chosen.
    entered: ValueHandle,
    /// A variable: whether the loop around goes on with its next turn.
    continues: ValueHandle,
    /// The values of all cases.
    values: BTreeSet<u32>,
    /// When the case that is open is run; nothing before the first.
    condition: Option<ValueHandle>,
}

/// A `switch` that is looked over.
#[derive(Default)]
struct SeenSwitch {
    values: BTreeSet<Option<u32>>,
    /// Whether the case that is open has instructions.
    has_body: bool,
    /// Whether the last of them leaves it.
    is_left: bool,
}

impl Stage<'_> {
    /// Looks over all switches: no value may stand in one twice. Whether any case falls through to the next.
    pub(super) fn plan_switches(&mut self) -> Result<bool, TranslateError> {
        let program = self.program;
        let mut open: Vec<SeenSwitch> = Vec::new();
        // Of each block that is open, whether it is a switch.
        let mut blocks: Vec<bool> = Vec::new();
        let mut falls_through = false;
        for instruction in program.instructions() {
            self.offset = instruction.offset;
            let leaves = matches!(instruction.opcode, Opcode::Break | Opcode::Continue | Opcode::Ret);
            let is_direct = blocks.last() == Some(&true);
            match (instruction.opcode, open.last_mut()) {
                (Opcode::Case | Opcode::Default, Some(seen)) => {
                    let value = case_value(instruction, program.operands(instruction));
                    let value = value.ok_or_else(|| self.unsupported("a case whose value is computed"))?;
                    falls_through |= seen.has_body && !seen.is_left;
                    (seen.has_body, seen.is_left) = (false, false);
                    if !seen.values.insert(value) {
                        return Err(self.unsupported("a switch with two cases of the same value"));
                    }
                }
                (Opcode::EndSwitch, _) => {}
                (_, Some(seen)) if is_direct && !seen.values.is_empty() => {
                    (seen.has_body, seen.is_left) = (true, seen.is_left || leaves);
                }
                _ => {}
            }
            match instruction.opcode {
                Opcode::Switch => {
                    blocks.push(true);
                    open.push(SeenSwitch::default());
                }
                Opcode::If | Opcode::IfC | Opcode::Loop => blocks.push(false),
                Opcode::EndIf | Opcode::EndLoop => {
                    blocks.pop();
                }
                Opcode::EndSwitch => {
                    blocks.pop();
                    open.pop();
                }
                _ => {}
            }
        }
        self.offset = TokenOffset::default();
        Ok(falls_through)
    }

    pub(super) fn open_switch(
        &mut self,
        instruction: &Instruction,
        selector: ValueHandle,
    ) -> Result<(), TranslateError> {
        if !self.has_fall_through {
            self.flow.push(Flow::Switch(OpenSwitch { selector, cases: Vec::new(), values: Vec::new() }));
            self.build.open();
            return Ok(());
        }
        let values = self.values_of_switch(instruction.offset);
        let [entered, continues] =
            ["entered", "continues"].map(|name| self.build.local(name.to_owned(), self.types.bool, None));
        let no = self.truth(false);
        self.build.store(entered, no);
        self.build.store(continues, no);
        self.flow.push(Flow::Chain(OpenChain { selector, entered, continues, values, condition: None }));
        // The loop of one turn, and what stands before the first case, which nothing reaches.
        self.build.open();
        self.build.open();
        Ok(())
    }

    /// The values of all cases of the `switch` at this place.
    fn values_of_switch(&self, at: TokenOffset) -> BTreeSet<u32> {
        let program = self.program;
        let mut depth = 0;
        let mut values = BTreeSet::new();
        for instruction in program.instructions().iter().skip_while(|instruction| instruction.offset != at) {
            match instruction.opcode {
                Opcode::Switch => depth += 1,
                Opcode::EndSwitch => depth -= 1,
                Opcode::Case if depth == 1 => {
                    values.extend(case_value(instruction, program.operands(instruction)).flatten());
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        values
    }

    /// Ends the case that is open, and begins the next.
    pub(super) fn next_case(&mut self, value: Option<Option<u32>>) -> Result<(), TranslateError> {
        let value = value.ok_or(Internal::new("a case has no value"))?;
        match self.flow.last_mut() {
            Some(Flow::Switch(_)) => {
                self.end_case()?;
                if let Some(Flow::Switch(open)) = self.flow.last_mut() {
                    open.values.push(value);
                }
            }
            Some(Flow::Chain(_)) => {
                self.end_link()?;
                self.begin_link(value)?;
            }
            _ => return Err(Internal::new("a case outside a switch").into()),
        }
        self.build.open();
        Ok(())
    }

    pub(super) fn close_switch(&mut self) -> Result<(), TranslateError> {
        match self.flow.last_mut() {
            Some(Flow::Switch(_)) => {
                self.end_case()?;
                let Some(Flow::Switch(mut open)) = self.flow.pop() else {
                    return Err(Internal::new("a switch is already closed").into());
                };
                // Values without instructions behind them do what no case does.
                let has_default = open.cases.iter().any(|case| case.value == SwitchValue::Default);
                for value in open.values.drain(..).filter(|value| has_default && value.is_some()) {
                    open.cases.push(empty_case(value));
                }
                if !has_default {
                    open.cases.push(empty_case(None));
                }
                self.build.push(Statement::Switch { selector: open.selector, cases: open.cases });
                self.go_on_returning();
                Ok(())
            }
            Some(Flow::Chain(_)) => self.close_chain(),
            _ => Err(Internal::new("the end of a switch that did not begin").into()),
        }
    }

    /// Ends the case that is open, if it has instructions: all values before it share them.
    fn end_case(&mut self) -> Result<(), Internal> {
        let (body, _) = self.build.close();
        let Some(Flow::Switch(open)) = self.flow.last_mut() else {
            return Err(Internal::new("a case outside a switch"));
        };
        if body.is_empty() {
            return Ok(());
        }
        let mut values = std::mem::take(&mut open.values).into_iter();
        // Before the first case there is nothing that is reached.
        let Some(last) = values.next_back() else { return Ok(()) };
        for value in values {
            open.cases.push(SwitchCase { fall_through: true, ..empty_case(value) });
        }
        open.cases.push(SwitchCase { body, ..empty_case(last) });
        Ok(())
    }

    /// Ends the condition that is open, and what it guards.
    fn end_link(&mut self) -> Result<(), Internal> {
        let (accept, _) = self.build.close();
        let Some(Flow::Chain(open)) = self.flow.last_mut() else {
            return Err(Internal::new("a case outside a switch"));
        };
        if let Some(condition) = open.condition.take()
            && !accept.is_empty()
        {
            self.build.push(Statement::If { condition, accept, reject: Block::new() });
        }
        Ok(())
    }

    /// Says when the next case is run.
    fn begin_link(&mut self, value: Option<u32>) -> Result<(), Internal> {
        let Some(Flow::Chain(open)) = self.flow.last() else {
            return Err(Internal::new("a case outside a switch"));
        };
        let (selector, entered, values) = (open.selector, open.entered, open.values.clone());
        let is_chosen = match value {
            Some(value) => self.equals(selector, value),
            None => {
                let none = self.truth(false);
                let any = values.into_iter().fold(none, |any, value| {
                    let equals = self.equals(selector, value);
                    self.build.binary(BinaryOperator::LogicalOr, any, equals)
                });
                self.build.unary(naga::UnaryOperator::LogicalNot, any)
            }
        };
        let before = self.build.load(entered);
        let now = self.build.binary(BinaryOperator::LogicalOr, before, is_chosen);
        self.build.store(entered, now);
        if let Some(Flow::Chain(open)) = self.flow.last_mut() {
            open.condition = Some(now);
        }
        Ok(())
    }

    fn close_chain(&mut self) -> Result<(), TranslateError> {
        self.end_link()?;
        let Some(Flow::Chain(open)) = self.flow.pop() else {
            return Err(Internal::new("a switch is already closed").into());
        };
        self.build.push(Statement::Break);
        let (body, _) = self.build.close();
        self.build.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
        self.go_on_returning();
        if self.flow.iter().any(|block| matches!(block, Flow::Loop)) {
            let continues = self.build.load(open.continues);
            self.build.open();
            self.next_turn()?;
            self.build.close_if(continues);
        }
        Ok(())
    }

    /// Goes on with the next turn of the innermost loop of the program.
    pub(super) fn next_turn(&mut self) -> Result<(), TranslateError> {
        let around = self.flow.iter().rev().find_map(|block| match block {
            Flow::Loop => Some(None),
            Flow::Chain(open) => Some(Some(open.continues)),
            _ => None,
        });
        match around.ok_or(Internal::new("a loop iteration ends outside any loop"))? {
            None => self.build.push(Statement::Continue),
            Some(continues) => {
                let yes = self.truth(true);
                self.build.store(continues, yes);
                self.build.push(Statement::Break);
            }
        }
        Ok(())
    }

    fn equals(&mut self, selector: ValueHandle, value: u32) -> ValueHandle {
        let value = self.build.uint(value);
        self.build.binary(BinaryOperator::Equal, selector, value)
    }

    pub(super) fn truth(&mut self, value: bool) -> ValueHandle {
        self.build.value(Expression::Literal(Literal::Bool(value)))
    }
}

fn empty_case(value: Option<u32>) -> SwitchCase {
    let value = value.map_or(SwitchValue::Default, SwitchValue::U32);
    SwitchCase { value, body: Block::new(), fall_through: false }
}
