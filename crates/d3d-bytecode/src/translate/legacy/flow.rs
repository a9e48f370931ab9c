//! Control flow. Functions are put in where they are called.
//!
//! One that returns from within a block is put into a loop of one turn, which the return leaves; behind each loop of its own
//! that a return leaves it goes on to the end.

use naga::{BinaryOperator, Block, MathFunction, ScalarKind, Statement};

use super::super::arithmetic::operands;
use super::super::builder::ValueHandle;
use super::super::error::TranslateError;
use super::LegacyStage;
use super::arithmetic::operator_of;
use crate::legacy::{MOST_CALLS, MOST_TURNS};
use crate::{Control, Instruction, Lane, Mask, Opcode, Operand, RegisterKind};
use trace_base::error::Internal;

/// A block of the program that is open.
pub(super) enum OpenBlock {
    /// What happens when a condition holds.
    If(ValueHandle),
    /// What happens when it does not, with what happens when it does.
    Else(ValueHandle, Block),
    Rep,
    /// `aL` before it, and what is added to it behind each turn.
    Loop {
        counter_before: ValueHandle,
        step: ValueHandle,
    },
}

/// A function that is being put in.
pub(super) struct Call {
    /// How many blocks were open when it was called.
    pub depth: usize,
    /// A variable, if it returns from within a block: whether it has from within a loop.
    returned: Option<ValueHandle>,
}

impl LegacyStage<'_> {
    /// Translates an instruction of control flow; `false` if it is none.
    pub(super) fn flow_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let program = self.stage.program;
        let all = program.operands(instruction);
        let not_open = Internal::new("the end of a block that did not begin");
        match instruction.opcode {
            Opcode::If | Opcode::IfC => {
                let condition = self.condition(instruction, all)?;
                self.open.push(OpenBlock::If(condition));
                self.stage.build.open();
            }
            Opcode::Else => {
                let Some(OpenBlock::If(condition)) = self.open.pop() else { return Err(not_open.into()) };
                let (accept, _) = self.stage.build.close();
                self.open.push(OpenBlock::Else(condition, accept));
                self.stage.build.open();
            }
            Opcode::EndIf => {
                let (block, _) = self.stage.build.close();
                let (condition, accept, reject) = match self.open.pop() {
                    Some(OpenBlock::If(condition)) => (condition, block, Block::new()),
                    Some(OpenBlock::Else(condition, accept)) => (condition, accept, block),
                    _ => return Err(not_open.into()),
                };
                self.stage.build.push(Statement::If { condition, accept, reject });
            }
            Opcode::Rep => {
                let [counts] = operands(all)?;
                let counts = self.words(counts)?;
                self.open.push(OpenBlock::Rep);
                self.begin_turns(counts);
            }
            Opcode::Loop => self.begin_loop(all)?,
            Opcode::EndRep | Opcode::EndLoop => self.end_turns()?,
            Opcode::Break => match program.predicate(instruction) {
                None => self.stage.build.push(Statement::Break),
                Some(predicate) => {
                    let condition = self.truth(predicate)?;
                    self.when(condition, Statement::Break);
                }
            },
            Opcode::BreakC | Opcode::BreakP => {
                let condition = self.condition(instruction, all)?;
                self.when(condition, Statement::Break);
            }
            Opcode::Call | Opcode::CallNz => self.call(instruction, all)?,
            Opcode::Ret if self.calls.is_empty() => self.leave()?,
            Opcode::Ret => self.return_from_block()?,
            Opcode::TexKill => self.kill(instruction, all)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn condition(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<ValueHandle, TranslateError> {
        match instruction.control {
            Control::Comparison(comparison) => {
                let [a, b] = operands(all)?;
                let (a, b) = (self.read_one(a)?, self.read_one(b)?);
                Ok(self.stage.compare_floats(operator_of(comparison), a, b))
            }
            _ => {
                let [value] = operands(all)?;
                self.truth(value)
            }
        }
    }

    /// Does one thing when a condition holds.
    pub(super) fn when(&mut self, condition: ValueHandle, statement: Statement) {
        self.stage.build.open();
        self.stage.build.push(statement);
        let (accept, _) = self.stage.build.close();
        self.stage.build.push(Statement::If { condition, accept, reject: Block::new() });
    }

    /// Begins a loop of as many turns as the first of some words says.
    fn begin_turns(&mut self, counts: ValueHandle) {
        let int = self.stage.types.int;
        let build = &mut self.stage.build;
        let count = build.part(counts, 0);
        let count = build.bits(count, ScalarKind::Sint);
        let most = build.int(MOST_TURNS);
        let count = build.math2(MathFunction::Min, count, most);
        let left = build.local("turns".to_owned(), int, None);
        build.store(left, count);
        build.open();
        let turns = build.load(left);
        let (zero, one) = (build.int(0), build.int(1));
        let is_over = build.binary(BinaryOperator::LessEqual, turns, zero);
        let fewer = build.binary(BinaryOperator::Subtract, turns, one);
        self.when(is_over, Statement::Break);
        self.stage.build.store(left, fewer);
    }

    fn begin_loop(&mut self, all: &[Operand]) -> Result<(), TranslateError> {
        let [_, counts] = operands(all)?;
        let counts = self.words(counts)?;
        let counter = self.single(RegisterKind::LoopCounter);
        let build = &mut self.stage.build;
        let counter_before = build.load(counter);
        let start = build.swizzle(counts, [Lane::Y; 4]);
        let step = build.swizzle(counts, [Lane::Z; 4]);
        build.store(counter, start);
        self.open.push(OpenBlock::Loop { counter_before, step });
        self.begin_turns(counts);
        Ok(())
    }

    fn end_turns(&mut self) -> Result<(), TranslateError> {
        let (body, _) = self.stage.build.close();
        let ended = self.open.pop();
        self.stage.build.open();
        if let Some(OpenBlock::Loop { step, .. }) = &ended {
            let counter = self.single(RegisterKind::LoopCounter);
            let build = &mut self.stage.build;
            let held = build.load(counter);
            let next = build.binary(BinaryOperator::Add, held, *step);
            build.store(counter, next);
        }
        let (continuing, _) = self.stage.build.close();
        self.stage.build.push(Statement::Loop { body, continuing, break_if: None });
        match ended {
            Some(OpenBlock::Rep) => {}
            Some(OpenBlock::Loop { counter_before, .. }) => {
                let counter = self.single(RegisterKind::LoopCounter);
                self.stage.build.store(counter, counter_before);
            }
            _ => return Err(Internal::new("the end of a loop that did not begin").into()),
        }
        if let Some(returned) = self.calls.last().and_then(|call| call.returned) {
            let returned = self.stage.build.load(returned);
            self.when(returned, Statement::Break);
        }
        Ok(())
    }

    /// Leaves the function that is being put in, from within a block.
    fn return_from_block(&mut self) -> Result<(), TranslateError> {
        let call = self.calls.last().ok_or(Internal::new("a return from a function that was not called"))?;
        let is_loop = |block: &OpenBlock| matches!(block, OpenBlock::Rep | OpenBlock::Loop { .. });
        let is_in_loop = self.open.iter().skip(call.depth).any(is_loop);
        let returned = call.returned.ok_or(Internal::new("a function returns from a block that has none"))?;
        if is_in_loop {
            let yes = self.stage.truth(true);
            self.stage.build.store(returned, yes);
        }
        self.stage.build.push(Statement::Break);
        Ok(())
    }

    /// Puts a function in.
    fn call(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [label, ..] = operands::<1>(all)?;
        let (_, number) = self.named(label)?;
        let unknown = self.stage.unsupported(format!("a call of l{number}, which the program does not define,"));
        let first = *self.labels.get(&number).ok_or(unknown)?;
        if self.calls.len() >= MOST_CALLS {
            return Err(self.stage.unsupported("a call within four others"));
        }
        let condition = match (instruction.opcode, all) {
            (Opcode::CallNz, [_, condition]) => Some(self.truth(condition)?),
            _ => None,
        };
        if condition.is_some() {
            self.stage.build.open();
        }
        let depth = self.open.len();
        match self.returns_from_block(first) {
            false => {
                self.calls.push(Call { depth, returned: None });
                self.function(first)?;
                self.calls.pop();
            }
            true => {
                let returned = self.stage.build.local("returned".to_owned(), self.stage.types.bool, None);
                let no = self.stage.truth(false);
                self.stage.build.store(returned, no);
                self.stage.build.open();
                self.calls.push(Call { depth, returned: Some(returned) });
                self.function(first)?;
                self.calls.pop();
                self.stage.build.push(Statement::Break);
                let (body, _) = self.stage.build.close();
                self.stage.build.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
            }
        }
        if let Some(condition) = condition {
            let (accept, _) = self.stage.build.close();
            self.stage.build.push(Statement::If { condition, accept, reject: Block::new() });
        }
        Ok(())
    }

    /// Whether the function that begins with an instruction returns from within a block.
    fn returns_from_block(&self, first: usize) -> bool {
        let body = self.stage.program.instructions().get(first..).unwrap_or_default();
        let mut depth = 0u32;
        for instruction in body.iter().take_while(|instruction| instruction.opcode != Opcode::Label) {
            match instruction.opcode {
                Opcode::If | Opcode::IfC | Opcode::Rep | Opcode::Loop => depth += 1,
                Opcode::EndIf | Opcode::EndRep | Opcode::EndLoop => depth = depth.saturating_sub(1),
                Opcode::Ret if depth > 0 => return true,
                _ => {}
            }
        }
        false
    }

    /// Draws nothing if a lane is below 0: any in SM2 and later, the first three in SM1.
    fn kill(&mut self, instruction: &Instruction, all: &[Operand]) -> Result<(), TranslateError> {
        let [tested] = operands(all)?;
        let mask = super::super::stage::Stage::mask(tested);
        let lanes = if self.stage.program.version().major < 2 { mask.bits() & 7 } else { mask.bits() };
        let value = self.read(tested)?;
        let zero = self.stage.build.float(0.0);
        let predicate = self.stage.program.predicate(instruction).map(|predicate| self.truth(predicate)).transpose()?;
        let mut any = None;
        for lane in Mask::from_bits(u32::from(lanes)).lanes() {
            let lane = self.stage.build.part(value, lane as u32);
            let is_below = self.stage.build.binary(BinaryOperator::Less, lane, zero);
            any = Some(match any {
                None => is_below,
                Some(any) => self.stage.build.binary(BinaryOperator::LogicalOr, any, is_below),
            });
        }
        // A mask without lanes tests none.
        if let Some(any) = any {
            let any = match predicate {
                None => any,
                Some(predicate) => self.stage.build.binary(BinaryOperator::LogicalAnd, any, predicate),
            };
            self.when(any, Statement::Kill);
        }
        Ok(())
    }
}
