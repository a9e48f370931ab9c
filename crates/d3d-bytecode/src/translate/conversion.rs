//! Conversions between kinds of numbers.

use naga::{BinaryOperator, MathFunction, ScalarKind};

use super::arithmetic::operands;
use super::builder::ValueHandle;
use super::error::TranslateError;
use super::operand::Numbers;
use super::stage::Stage;
use crate::{Instruction, Opcode};

/// 2^31 and 2^32.
const TWO_31: f32 = 2_147_483_648.0;
const TWO_32: f32 = 4_294_967_296.0;

impl Stage<'_> {
    /// Translates a conversion; `false` if it is none.
    pub(super) fn conversion(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        let numbers = match instruction.opcode {
            Opcode::FToI | Opcode::FToU | Opcode::F32ToF16 => Numbers::Float,
            Opcode::IToF => Numbers::Sint,
            Opcode::UToF | Opcode::F16ToF32 => Numbers::Uint,
            _ => return Ok(false),
        };
        let [to, from] = operands(all)?;
        let from = self.read(from, numbers)?;
        let value = match instruction.opcode {
            Opcode::FToI => self.sint_of(from),
            Opcode::FToU => self.uint_of(from),
            Opcode::F32ToF16 => self.half_of(from),
            Opcode::F16ToF32 => self.float_of_half(from),
            _ => self.build.convert(from, ScalarKind::Float),
        };
        match instruction.opcode {
            Opcode::IToF | Opcode::UToF | Opcode::F16ToF32 => {
                self.write_float(to, value, instruction.modifiers.saturate)?;
            }
            _ => self.write_words(to, value)?,
        }
        Ok(true)
    }

    /// Whole numbers towards 0, the nearest there is; 0 for what is no number. As words.
    pub(super) fn sint_of(&mut self, value: ValueHandle) -> ValueHandle {
        let converted = self.build.convert(value, ScalarKind::Sint);
        let words = self.build.bits(converted, ScalarKind::Uint);
        let (low, high) = (self.build.float4(-TWO_31), self.build.float4(TWO_31));
        let words = self.beyond((BinaryOperator::LessEqual, low), value, 1 << 31, words);
        let words = self.beyond((BinaryOperator::GreaterEqual, high), value, i32::MAX as u32, words);
        self.zero_for_nan(value, words)
    }

    /// The same without a sign.
    pub(super) fn uint_of(&mut self, value: ValueHandle) -> ValueHandle {
        let (zero, high) = (self.build.float4(0.0), self.build.float4(TWO_32));
        let words = self.build.convert(value, ScalarKind::Uint);
        let words = self.beyond((BinaryOperator::LessEqual, zero), value, 0, words);
        let words = self.beyond((BinaryOperator::GreaterEqual, high), value, u32::MAX, words);
        self.zero_for_nan(value, words)
    }

    fn zero_for_nan(&mut self, value: ValueHandle, words: ValueHandle) -> ValueHandle {
        let (is_nan, zeros) = (self.is_nan(value), self.build.uint4(0));
        self.build.select(is_nan, zeros, words)
    }

    /// `known` where a comparison of `value` holds, `words` elsewhere.
    fn beyond(
        &mut self,
        (op, limit): (BinaryOperator, ValueHandle),
        value: ValueHandle,
        known: u32,
        words: ValueHandle,
    ) -> ValueHandle {
        let holds = self.build.binary(op, value, limit);
        let known = self.build.uint4(known);
        self.build.select(holds, known, words)
    }

    fn half_of(&mut self, value: ValueHandle) -> ValueHandle {
        let zero = self.build.float(0.0);
        let lanes = (0..4).map(|lane| {
            let lane = self.build.part(value, lane);
            let pair = self.build.compose(self.types.float2, vec![lane, zero]);
            self.build.math(MathFunction::Pack2x16float, pair)
        });
        let lanes: Vec<ValueHandle> = lanes.collect();
        self.build.compose(self.types.uint4, lanes)
    }

    fn float_of_half(&mut self, words: ValueHandle) -> ValueHandle {
        let lanes = (0..4).map(|lane| {
            let lane = self.build.part(words, lane);
            let pair = self.build.math(MathFunction::Unpack2x16float, lane);
            self.build.part(pair, 0)
        });
        let lanes: Vec<ValueHandle> = lanes.collect();
        self.build.compose(self.types.float4, lanes)
    }
}
