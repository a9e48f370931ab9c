//! Control flow: a row of instructions → nested blocks.

use naga::{BinaryOperator, Block, Statement};

use super::arithmetic::operands;
use super::builder::ValueHandle;
use super::error::TranslateError;
use super::operand::Numbers;
use super::stage::Stage;
use super::switch::{OpenChain, OpenSwitch};
use crate::{Comparison, Control, Instruction, Lanes, Opcode, Operand, OperandValue, Test};
use trace_base::error::Internal;

/// A block of the program that is open.
pub(super) enum Flow {
    /// What happens when a condition holds.
    If(ValueHandle),
    /// What happens when it does not, with what happens when it does.
    Else(ValueHandle, Block),
    Loop,
    Switch(OpenSwitch),
    Chain(OpenChain),
}

impl Flow {
    /// Whether a break within goes no further than to its end.
    pub(super) const fn is_left_by_break(&self) -> bool {
        matches!(self, Self::Loop | Self::Switch(_) | Self::Chain(_))
    }
}

impl Stage<'_> {
    /// Translates an instruction of control flow; `false` if it is none.
    pub(super) fn flow_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        let not_open = Internal::new("the end of a block that did not begin");
        match instruction.opcode {
            Opcode::If | Opcode::IfC => {
                let condition = self.condition(instruction, all)?;
                self.flow.push(Flow::If(condition));
                self.build.open();
            }
            Opcode::Else => {
                let Some(Flow::If(condition)) = self.flow.pop() else { return Err(not_open.into()) };
                let (accept, _) = self.build.close();
                self.flow.push(Flow::Else(condition, accept));
                self.build.open();
            }
            Opcode::EndIf => {
                let (block, _) = self.build.close();
                let (condition, accept, reject) = match self.flow.pop() {
                    Some(Flow::If(condition)) => (condition, block, Block::new()),
                    Some(Flow::Else(condition, accept)) => (condition, accept, block),
                    _ => return Err(not_open.into()),
                };
                self.build.push(Statement::If { condition, accept, reject });
            }
            Opcode::Loop => {
                self.flow.push(Flow::Loop);
                self.build.open();
            }
            Opcode::EndLoop => {
                let (body, _) = self.build.close();
                let Some(Flow::Loop) = self.flow.pop() else { return Err(not_open.into()) };
                self.build.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
                self.go_on_returning();
            }
            Opcode::Break => self.build.push(Statement::Break),
            Opcode::Continue => self.next_turn()?,
            Opcode::BreakC => {
                let condition = self.condition(instruction, all)?;
                self.when(condition, Statement::Break);
            }
            Opcode::ContinueC => {
                let condition = self.condition(instruction, all)?;
                self.build.open();
                self.next_turn()?;
                self.build.close_if(condition);
            }
            Opcode::Ret => self.return_from()?,
            Opcode::RetC => {
                let condition = self.condition(instruction, all)?;
                self.build.open();
                self.return_from()?;
                self.build.close_if(condition);
            }
            Opcode::Call => {
                let [label] = operands(all)?;
                self.call(label, None)?;
            }
            Opcode::CallC => {
                let [_, label] = operands(all)?;
                let condition = self.condition(instruction, all)?;
                self.call(label, Some(condition))?;
            }
            Opcode::Discard => {
                let condition = self.condition(instruction, all)?;
                self.when(condition, Statement::Kill);
            }
            Opcode::Clip => {
                let [value] = operands(all)?;
                let value = self.read(value, Numbers::Float)?;
                let zero = self.build.float4(0.0);
                let below = self.build.binary(BinaryOperator::Less, value, zero);
                let any = naga::Expression::Relational { fun: naga::RelationalFunction::Any, argument: below };
                let any = self.build.value(any);
                self.when(any, Statement::Kill);
            }
            Opcode::Switch => {
                let [selector] = operands(all)?;
                let selector = self.read_one(selector, Numbers::Uint)?;
                self.open_switch(instruction, selector)?;
            }
            Opcode::Case | Opcode::Default => self.next_case(case_value(instruction, all))?,
            Opcode::EndSwitch => self.close_switch()?,
            Opcode::Nop | Opcode::DebugBreak => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Jumps when a condition holds.
    fn when(&mut self, condition: ValueHandle, jump: Statement) {
        let mut accept = Block::new();
        accept.push(jump, naga::Span::UNDEFINED);
        self.build.push(Statement::If { condition, accept, reject: Block::new() });
    }

    /// The truth value that an instruction's operands say.
    fn condition(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<ValueHandle, TranslateError> {
        match instruction.control {
            Control::Comparison(comparison) => {
                let [a, b] = operands(all)?;
                self.compared(comparison, a, b)
            }
            control => {
                let [value, ..] = operands::<1>(all)?;
                let word = self.read_one(value, Numbers::Uint)?;
                let zero = self.build.uint(0);
                let op = match control {
                    Control::Test(Test::Zero) => BinaryOperator::Equal,
                    _ => BinaryOperator::NotEqual,
                };
                Ok(self.build.binary(op, word, zero))
            }
        }
    }

    /// How the first lanes of two operands compare.
    pub(super) fn compared(
        &mut self,
        comparison: Comparison,
        a: &Operand,
        b: &Operand,
    ) -> Result<ValueHandle, TranslateError> {
        let (op, numbers) = comparison_of(comparison);
        let (a, b) = (self.read_one(a, numbers)?, self.read_one(b, numbers)?);
        Ok(match numbers {
            Numbers::Float => self.compare_floats(op, a, b),
            _ => self.build.binary(op, a, b),
        })
    }

    /// No block may be open at the end.
    pub(super) fn end_of_flow(&self) -> Result<(), Internal> {
        self.flow.is_empty().then_some(()).ok_or(Internal::new("a program ends in the middle of a block"))
    }
}

pub(super) const fn comparison_of(comparison: Comparison) -> (BinaryOperator, Numbers) {
    match comparison {
        Comparison::Greater => (BinaryOperator::Greater, Numbers::Float),
        Comparison::Equal => (BinaryOperator::Equal, Numbers::Float),
        Comparison::GreaterEqual => (BinaryOperator::GreaterEqual, Numbers::Float),
        Comparison::Less => (BinaryOperator::Less, Numbers::Float),
        Comparison::NotEqual => (BinaryOperator::NotEqual, Numbers::Float),
        Comparison::LessEqual => (BinaryOperator::LessEqual, Numbers::Float),
        Comparison::IntGreater => (BinaryOperator::Greater, Numbers::Sint),
        Comparison::IntEqual => (BinaryOperator::Equal, Numbers::Sint),
        Comparison::IntGreaterEqual => (BinaryOperator::GreaterEqual, Numbers::Sint),
        Comparison::IntLess => (BinaryOperator::Less, Numbers::Sint),
        Comparison::IntNotEqual => (BinaryOperator::NotEqual, Numbers::Sint),
        Comparison::IntLessEqual => (BinaryOperator::LessEqual, Numbers::Sint),
    }
}

/// The value of a case: `Some(None)` is the default.
pub(super) fn case_value(instruction: &Instruction, all: &[Operand]) -> Option<Option<u32>> {
    match (instruction.opcode, all) {
        (Opcode::Default, _) => Some(None),
        (Opcode::Case, [value]) => immediate(value).map(Some),
        _ => None,
    }
}

/// The first lane of an immediate value.
fn immediate(operand: &Operand) -> Option<u32> {
    match (&operand.value, operand.lanes) {
        (OperandValue::Immediate32([first, ..]), Lanes::One | Lanes::Swizzle(_) | Lanes::Select(_) | Lanes::None) => {
            Some(*first)
        }
        _ => None,
    }
}
