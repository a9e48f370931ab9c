//! What instructions read and write.

use naga::{BinaryOperator, MathFunction, ScalarKind};

use super::super::builder::ValueHandle;
use super::super::error::TranslateError;
use super::LegacyStage;
use crate::{Index, Instruction, Lane, Lanes, Mask, Modifier, Operand, OperandValue, Register, RegisterKind};
use trace_base::error::Internal;

impl LegacyStage<'_> {
    /// Four floats of a source.
    pub(super) fn read(&mut self, operand: &Operand) -> Result<ValueHandle, TranslateError> {
        let words = self.words(operand)?;
        let value = match operand.kind() {
            Some(RegisterKind::ConstantInteger | RegisterKind::LoopCounter | RegisterKind::Address) => {
                let number = self.stage.build.bits(words, ScalarKind::Sint);
                self.stage.build.convert(number, ScalarKind::Float)
            }
            _ => self.stage.build.bits(words, ScalarKind::Float),
        };
        self.modified(value, operand.modifier)
    }

    /// The first lane of a source.
    pub(super) fn read_one(&mut self, operand: &Operand) -> Result<ValueHandle, TranslateError> {
        let all = self.read(operand)?;
        Ok(self.stage.build.part(all, 0))
    }

    /// Four words of a source, before its modifier.
    pub(super) fn words(&mut self, operand: &Operand) -> Result<ValueHandle, TranslateError> {
        let OperandValue::Register(register) = &operand.value else {
            return Err(Internal::new("an operand of SM1 to SM3 is not a register").into());
        };
        let all = match register.kind {
            RegisterKind::Constant | RegisterKind::ConstantInteger => self.constant(register)?,
            _ => {
                let place = self.place(register)?;
                self.stage.build.load(place)
            }
        };
        let build = &mut self.stage.build;
        Ok(match operand.lanes {
            Lanes::Swizzle(swizzle) => build.swizzle(all, swizzle.lanes()),
            Lanes::Select(lane) => build.swizzle(all, [lane; 4]),
            Lanes::One => build.swizzle(all, [Lane::X; 4]),
            Lanes::Mask(_) | Lanes::None => all,
        })
    }

    /// The variable of a register.
    pub(super) fn place(&mut self, register: &Register) -> Result<ValueHandle, TranslateError> {
        let index = register.last_index().unwrap_or_default();
        if index.relative.is_none() {
            return Ok(self.stage.register(register.kind, index.base));
        }
        let number = self.number(index)?;
        self.stage.indexed_register(register.kind, number)
    }

    /// The number that an index is, as a word that wraps below 0.
    pub(super) fn number(&mut self, index: Index) -> Result<ValueHandle, TranslateError> {
        let base = self.stage.build.uint(index.base);
        let Some(relative) = index.relative else { return Ok(base) };
        let lost = Internal::new("an index adds a register that the program does not have");
        let added = *self.stage.program.relative(relative).ok_or(lost)?;
        let added = self.words(&added)?;
        let added = self.stage.build.part(added, 0);
        Ok(self.stage.build.binary(BinaryOperator::Add, base, added))
    }

    fn modified(&mut self, value: ValueHandle, modifier: Modifier) -> Result<ValueHandle, TranslateError> {
        use Modifier as M;
        let (one, half, two) = (1.0, 0.5, 2.0);
        let value = match modifier {
            M::None | M::Negate => value,
            M::Absolute | M::NegateAbsolute => self.stage.build.math(MathFunction::Abs, value),
            M::Bias | M::NegateBias => self.with(BinaryOperator::Subtract, value, half),
            M::Sign | M::NegateSign => {
                let moved = self.with(BinaryOperator::Subtract, value, half);
                self.with(BinaryOperator::Multiply, moved, two)
            }
            M::Double | M::NegateDouble => self.with(BinaryOperator::Multiply, value, two),
            M::Complement => {
                let one = self.stage.build.float4(one);
                self.stage.build.binary(BinaryOperator::Subtract, one, value)
            }
            M::DivideByZ => self.divided(value, Lane::Z),
            M::DivideByW => self.divided(value, Lane::W),
            M::Not => return Err(Internal::new("a number has a boolean modifier").into()),
        };
        Ok(match modifier {
            M::Negate | M::NegateAbsolute | M::NegateBias | M::NegateSign | M::NegateDouble => {
                self.stage.build.unary(naga::UnaryOperator::Negate, value)
            }
            _ => value,
        })
    }

    /// Each lane with the same number.
    fn with(&mut self, op: BinaryOperator, value: ValueHandle, number: f32) -> ValueHandle {
        let number = self.stage.build.float4(number);
        self.stage.build.binary(op, value, number)
    }

    /// All lanes divided by one of them.
    pub(super) fn divided(&mut self, value: ValueHandle, by: Lane) -> ValueHandle {
        let by = self.stage.build.swizzle(value, [by; 4]);
        self.stage.build.binary(BinaryOperator::Divide, value, by)
    }

    /// Writes what an instruction computed to its first operand.
    pub(super) fn write_result(&mut self, instruction: &Instruction, value: ValueHandle) -> Result<(), TranslateError> {
        let program = self.stage.program;
        let missing = Internal::new("an instruction has no result");
        let to = program.operands(instruction).first().ok_or(missing)?;
        let shift = instruction.modifiers.shift;
        let value = match shift {
            0 => value,
            shift => self.with(BinaryOperator::Multiply, value, f32::from(shift).exp2()),
        };
        let value = if instruction.modifiers.saturate { self.stage.saturated(value) } else { value };
        let words = match to.kind() {
            Some(RegisterKind::Address) => self.address(instruction, value),
            _ => self.stage.build.bits(value, ScalarKind::Uint),
        };
        self.write_words(to, words, program.predicate(instruction))
    }

    /// Writes words to the lanes of a register, where a predicate holds.
    pub(super) fn write_words(
        &mut self,
        to: &Operand,
        words: ValueHandle,
        predicate: Option<&Operand>,
    ) -> Result<(), TranslateError> {
        let OperandValue::Register(register) = &to.value else {
            return Err(Internal::new("a result has no register").into());
        };
        let place = self.place(register)?;
        let words = match predicate {
            None => words,
            Some(predicate) => {
                let holds = self.truths(predicate)?;
                let held = self.stage.build.load(place);
                self.stage.build.select(holds, words, held)
            }
        };
        let mask = super::super::stage::Stage::mask(to);
        let build = &mut self.stage.build;
        if mask == Mask::ALL {
            build.store(place, words);
            return Ok(());
        }
        for lane in mask.lanes() {
            let (from, into) = (build.part(words, lane as u32), build.part(place, lane as u32));
            build.store(into, from);
        }
        Ok(())
    }

    /// Four truth values of `p0`, turned round where its modifier says so.
    fn truths(&mut self, predicate: &Operand) -> Result<ValueHandle, TranslateError> {
        let words = self.words(predicate)?;
        let zeros = self.stage.build.uint4(0);
        let op = if predicate.modifier == Modifier::Not { BinaryOperator::Equal } else { BinaryOperator::NotEqual };
        Ok(self.stage.build.binary(op, words, zeros))
    }

    /// One truth value: of `b#`, or the first lane of `p0`.
    pub(super) fn truth(&mut self, operand: &Operand) -> Result<ValueHandle, TranslateError> {
        if operand.kind() != Some(RegisterKind::ConstantBoolean) {
            let all = self.truths(operand)?;
            return Ok(self.stage.build.part(all, 0));
        }
        let (_, number) = self.named(operand)?;
        let word = self.flag(number);
        let zero = self.stage.build.uint(0);
        let op = if operand.modifier == Modifier::Not { BinaryOperator::Equal } else { BinaryOperator::NotEqual };
        Ok(self.stage.build.binary(op, word, zero))
    }
}
