//! Arithmetic of integers, and bits.

use naga::{BinaryOperator, MathFunction, ScalarKind, UnaryOperator};

use super::arithmetic::operands;
use super::builder::ValueHandle;
use super::error::TranslateError;
use super::operand::Numbers;
use super::stage::Stage;
use crate::{Instruction, Opcode};

impl Stage<'_> {
    /// Translates an instruction of integers or bits; `false` if it is none of these.
    pub(super) fn integer_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        if let Some((op, numbers)) = operator_of(instruction.opcode) {
            let [to, a, b] = operands(all)?;
            let (a, b) = (self.read(a, numbers)?, self.read(b, numbers)?);
            let value = self.build.binary(op, a, b);
            self.write_sint(to, value)?;
            return Ok(true);
        }
        if let Some((op, numbers)) = comparison_of(instruction.opcode) {
            let [to, a, b] = operands(all)?;
            let (a, b) = (self.read(a, numbers)?, self.read(b, numbers)?);
            let holds = self.build.binary(op, a, b);
            self.write_bools(to, holds)?;
            return Ok(true);
        }
        if let Some((fun, numbers)) = function_of(instruction.opcode) {
            let [to, a] = operands(all)?;
            let a = self.read(a, numbers)?;
            let value = self.build.math(fun, a);
            self.write_sint(to, value)?;
            return Ok(true);
        }
        match instruction.opcode {
            Opcode::IMin | Opcode::IMax | Opcode::UMin | Opcode::UMax => {
                let [to, a, b] = operands(all)?;
                let (fun, numbers) = match instruction.opcode {
                    Opcode::IMin => (MathFunction::Min, Numbers::Sint),
                    Opcode::IMax => (MathFunction::Max, Numbers::Sint),
                    Opcode::UMin => (MathFunction::Min, Numbers::Uint),
                    _ => (MathFunction::Max, Numbers::Uint),
                };
                let (a, b) = (self.read(a, numbers)?, self.read(b, numbers)?);
                let value = self.build.math2(fun, a, b);
                self.write_sint(to, value)?;
            }
            Opcode::INeg => {
                let [to, a] = operands(all)?;
                let a = self.read(a, Numbers::Sint)?;
                let value = self.build.unary(UnaryOperator::Negate, a);
                self.write_sint(to, value)?;
            }
            Opcode::Not => {
                let [to, a] = operands(all)?;
                let a = self.read(a, Numbers::Uint)?;
                let value = self.build.unary(UnaryOperator::BitwiseNot, a);
                self.write_words(to, value)?;
            }
            Opcode::IShl | Opcode::UShr | Opcode::IShr => {
                let [to, a, b] = operands(all)?;
                let numbers = if instruction.opcode == Opcode::IShr { Numbers::Sint } else { Numbers::Uint };
                let a = self.read(a, numbers)?;
                let by = self.shift_count(b)?;
                let is_left = instruction.opcode == Opcode::IShl;
                let op = if is_left { BinaryOperator::ShiftLeft } else { BinaryOperator::ShiftRight };
                let value = self.build.binary(op, a, by);
                self.write_sint(to, value)?;
            }
            Opcode::IMad | Opcode::UMad => self.multiply_add(instruction)?,
            Opcode::IMul | Opcode::UMul => {
                let [high, low, a, b] = operands(all)?;
                let is_signed = instruction.opcode == Opcode::IMul;
                let (a, b) = (self.read(a, Numbers::Sint)?, self.read(b, Numbers::Sint)?);
                let (a, b) = (self.build.bits(a, ScalarKind::Uint), self.build.bits(b, ScalarKind::Uint));
                let product = self.build.binary(BinaryOperator::Multiply, a, b);
                let upper = self.upper_half(a, b, is_signed);
                self.write_words(high, upper)?;
                self.write_words(low, product)?;
            }
            Opcode::UDiv => {
                let [quotient, remainder, a, b] = operands(all)?;
                let (a, b) = (self.read(a, Numbers::Uint)?, self.read(b, Numbers::Uint)?);
                let (q, r) = self.divided(a, b);
                self.write_words(quotient, q)?;
                self.write_words(remainder, r)?;
            }
            Opcode::IDiv => {
                let [quotient, remainder, a, b] = operands(all)?;
                let (a, b) = (self.read(a, Numbers::Sint)?, self.read(b, Numbers::Sint)?);
                let (q, r) = self.divided_signed(a, b);
                self.write_words(quotient, q)?;
                self.write_words(remainder, r)?;
            }
            Opcode::UAddC | Opcode::IAddC => {
                let [sum, carry, a, b] = operands(all)?;
                let (a, b) = (self.read(a, Numbers::Uint)?, self.read(b, Numbers::Uint)?);
                let value = self.build.binary(BinaryOperator::Add, a, b);
                let wraps = self.build.binary(BinaryOperator::Less, value, a);
                self.write_with_flag([sum, carry], value, wraps)?;
            }
            Opcode::USubB | Opcode::ISubC => {
                let [difference, borrow, a, b] = operands(all)?;
                let (a, b) = (self.read(a, Numbers::Uint)?, self.read(b, Numbers::Uint)?);
                let value = self.build.binary(BinaryOperator::Subtract, a, b);
                let wraps = self.build.binary(BinaryOperator::Less, a, b);
                self.write_with_flag([difference, borrow], value, wraps)?;
            }
            _ => return self.bit_field_instruction(instruction),
        }
        Ok(true)
    }

    /// Writes words, and 1 where a flag is set.
    fn write_with_flag(
        &mut self,
        [to, flag]: [&crate::Operand; 2],
        value: ValueHandle,
        is_set: ValueHandle,
    ) -> Result<(), TranslateError> {
        let (one, zero) = (self.build.uint4(1), self.build.uint4(0));
        let word = self.build.select(is_set, one, zero);
        self.write_words(to, value)?;
        self.write_words(flag, word)
    }

    fn multiply_add(&mut self, instruction: &Instruction) -> Result<(), TranslateError> {
        let all = self.program.operands(instruction);
        // The emulator's may have a place for the upper half first.
        let (to, [a, b, c]) = match all {
            [to, a, b, c] => (to, [a, b, c]),
            [_, to, a, b, c] => (to, [a, b, c]),
            _ => return Err(self.not_translated(instruction)),
        };
        let (a, b) = (self.read(a, Numbers::Sint)?, self.read(b, Numbers::Sint)?);
        let c = self.read(c, Numbers::Sint)?;
        let [a, b, c] = [a, b, c].map(|value| self.build.bits(value, ScalarKind::Uint));
        let product = self.build.binary(BinaryOperator::Multiply, a, b);
        let value = self.build.binary(BinaryOperator::Add, product, c);
        self.write_words(to, value)
    }

    /// By how much is shifted: five bits count.
    pub(super) fn shift_count(&mut self, operand: &crate::Operand) -> Result<ValueHandle, TranslateError> {
        use crate::{Lanes, OperandValue};
        if let OperandValue::Immediate32(words) = operand.value {
            let [first, ..] = words;
            let words = if operand.lanes == Lanes::One { [first; 4] } else { words };
            return Ok(self.words_of(words.map(|word| word & 31)));
        }
        let words = self.read(operand, Numbers::Uint)?;
        let five_bits = self.build.uint4(31);
        Ok(self.build.binary(BinaryOperator::And, words, five_bits))
    }

    /// The upper 32 bits of the product of words.
    fn upper_half(&mut self, a: ValueHandle, b: ValueHandle, is_signed: bool) -> ValueHandle {
        let (low_bits, sixteen) = (self.build.uint4(0xffff), self.build.uint4(16));
        let mut low = |value| self.build.binary(BinaryOperator::And, value, low_bits);
        let (a_low, b_low) = (low(a), low(b));
        let mut high = |value| self.build.binary(BinaryOperator::ShiftRight, value, sixteen);
        let (a_high, b_high) = (high(a), high(b));
        let mut times = |a, b| self.build.binary(BinaryOperator::Multiply, a, b);
        let (ll, lh, hl, hh) = (times(a_low, b_low), times(a_low, b_high), times(a_high, b_low), times(a_high, b_high));
        let carry = self.build.binary(BinaryOperator::ShiftRight, ll, sixteen);
        let lh_low = self.build.binary(BinaryOperator::And, lh, low_bits);
        let hl_low = self.build.binary(BinaryOperator::And, hl, low_bits);
        let middle = self.build.binary(BinaryOperator::Add, carry, lh_low);
        let middle = self.build.binary(BinaryOperator::Add, middle, hl_low);
        let middle = self.build.binary(BinaryOperator::ShiftRight, middle, sixteen);
        let lh_high = self.build.binary(BinaryOperator::ShiftRight, lh, sixteen);
        let hl_high = self.build.binary(BinaryOperator::ShiftRight, hl, sixteen);
        let upper = self.build.binary(BinaryOperator::Add, hh, lh_high);
        let upper = self.build.binary(BinaryOperator::Add, upper, hl_high);
        let upper = self.build.binary(BinaryOperator::Add, upper, middle);
        if !is_signed {
            return upper;
        }
        // A negative factor counts 2^32 less than its word.
        let zero = self.build.uint4(0);
        let upper = {
            let is_negative = self.is_negative(a);
            let less = self.build.select(is_negative, b, zero);
            self.build.binary(BinaryOperator::Subtract, upper, less)
        };
        let is_negative = self.is_negative(b);
        let less = self.build.select(is_negative, a, zero);
        self.build.binary(BinaryOperator::Subtract, upper, less)
    }

    fn is_negative(&mut self, words: ValueHandle) -> ValueHandle {
        let sign = self.build.uint4(1 << 31);
        self.build.binary(BinaryOperator::GreaterEqual, words, sign)
    }

    /// Quotient and remainder; all ones by 0.
    fn divided(&mut self, a: ValueHandle, b: ValueHandle) -> (ValueHandle, ValueHandle) {
        let (zero, one, ones) = (self.build.uint4(0), self.build.uint4(1), self.build.uint4(u32::MAX));
        let by_zero = self.build.binary(BinaryOperator::Equal, b, zero);
        let by = self.build.select(by_zero, one, b);
        let by = self.through_variable(by);
        let quotient = self.build.binary(BinaryOperator::Divide, a, by);
        let whole = self.build.binary(BinaryOperator::Multiply, quotient, by);
        let remainder = self.build.binary(BinaryOperator::Subtract, a, whole);
        (self.build.select(by_zero, ones, quotient), self.build.select(by_zero, ones, remainder))
    }

    /// The same of signed numbers, towards 0.
    fn divided_signed(&mut self, a: ValueHandle, b: ValueHandle) -> (ValueHandle, ValueHandle) {
        let absolute = |stage: &mut Self, value| {
            let absolute = stage.build.math(MathFunction::Abs, value);
            stage.build.bits(absolute, ScalarKind::Uint)
        };
        let (size, by) = (absolute(self, a), absolute(self, b));
        let (quotient, remainder) = self.divided(size, by);
        let (a, b) = (self.build.bits(a, ScalarKind::Uint), self.build.bits(b, ScalarKind::Uint));
        let signs = self.build.binary(BinaryOperator::ExclusiveOr, a, b);
        let zero = self.build.uint4(0);
        let by_zero = self.build.binary(BinaryOperator::Equal, b, zero);
        let negate = |stage: &mut Self, value, of| {
            let is_negative = stage.is_negative(of);
            let negated = stage.build.binary(BinaryOperator::Subtract, zero, value);
            let chosen = stage.build.select(is_negative, negated, value);
            stage.build.select(by_zero, value, chosen)
        };
        (negate(self, quotient, signs), negate(self, remainder, a))
    }

    /// The same value, of which a compiler of constants knows nothing.
    fn through_variable(&mut self, value: ValueHandle) -> ValueHandle {
        let variable = self.build.local("divisor".to_owned(), self.types.uint4, None);
        self.build.store(variable, value);
        self.build.load(variable)
    }

    fn bit_field_instruction(&mut self, instruction: &Instruction) -> Result<bool, TranslateError> {
        let all = self.program.operands(instruction);
        match instruction.opcode {
            Opcode::Ubfe | Opcode::Ibfe => {
                let [to, width, offset, from] = operands(all)?;
                let (width, offset) = (self.shift_count(width)?, self.shift_count(offset)?);
                let from = self.read(from, Numbers::Uint)?;
                let is_signed = instruction.opcode == Opcode::Ibfe;
                let value = self.field(width, offset, from, is_signed);
                self.write_words(to, value)?;
            }
            Opcode::Bfi => {
                let [to, width, offset, from, into] = operands(all)?;
                let (width, offset) = (self.shift_count(width)?, self.shift_count(offset)?);
                let (from, into) = (self.read(from, Numbers::Uint)?, self.read(into, Numbers::Uint)?);
                let one = self.build.uint4(1);
                let bits = self.build.binary(BinaryOperator::ShiftLeft, one, width);
                let bits = self.build.binary(BinaryOperator::Subtract, bits, one);
                let mask = self.build.binary(BinaryOperator::ShiftLeft, bits, offset);
                let moved = self.build.binary(BinaryOperator::ShiftLeft, from, offset);
                let new = self.build.binary(BinaryOperator::And, moved, mask);
                let others = self.build.unary(UnaryOperator::BitwiseNot, mask);
                let old = self.build.binary(BinaryOperator::And, into, others);
                let value = self.build.binary(BinaryOperator::InclusiveOr, new, old);
                self.write_words(to, value)?;
            }
            Opcode::FirstBitHi | Opcode::FirstBitShi => {
                let [to, from] = operands(all)?;
                let is_signed = instruction.opcode == Opcode::FirstBitShi;
                let numbers = if is_signed { Numbers::Sint } else { Numbers::Uint };
                let from = self.read(from, numbers)?;
                let found = self.build.math(MathFunction::FirstLeadingBit, from);
                let found = self.build.bits(found, ScalarKind::Uint);
                // Counted from the highest bit; all ones where there is none.
                let (none, last) = (self.build.uint4(u32::MAX), self.build.uint4(31));
                let is_none = self.build.binary(BinaryOperator::Equal, found, none);
                let counted = self.build.binary(BinaryOperator::Subtract, last, found);
                let value = self.build.select(is_none, none, counted);
                self.write_words(to, value)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A field of bits, moved down to the lowest.
    fn field(&mut self, width: ValueHandle, offset: ValueHandle, from: ValueHandle, is_signed: bool) -> ValueHandle {
        let (zero, all_bits) = (self.build.uint4(0), self.build.uint4(32));
        let end = self.build.binary(BinaryOperator::Add, width, offset);
        let reaches_over = self.build.binary(BinaryOperator::GreaterEqual, end, all_bits);
        let above = self.build.binary(BinaryOperator::Subtract, all_bits, end);
        let five_bits = self.build.uint4(31);
        let above = self.build.binary(BinaryOperator::And, above, five_bits);
        let above = self.build.select(reaches_over, zero, above);
        let moved = self.build.binary(BinaryOperator::ShiftLeft, from, above);
        let down = self.build.binary(BinaryOperator::Subtract, all_bits, width);
        let down = self.build.select(reaches_over, offset, down);
        let down = self.build.binary(BinaryOperator::And, down, five_bits);
        let moved = if is_signed { self.build.bits(moved, ScalarKind::Sint) } else { moved };
        let value = self.build.binary(BinaryOperator::ShiftRight, moved, down);
        let value = self.build.bits(value, ScalarKind::Uint);
        let is_empty = self.build.binary(BinaryOperator::Equal, width, zero);
        self.build.select(is_empty, zero, value)
    }
}

fn operator_of(opcode: Opcode) -> Option<(BinaryOperator, Numbers)> {
    Some(match opcode {
        // Words, which wrap.
        Opcode::IAdd => (BinaryOperator::Add, Numbers::Sint),
        Opcode::ISub => (BinaryOperator::Subtract, Numbers::Sint),
        Opcode::And => (BinaryOperator::And, Numbers::Uint),
        Opcode::Or => (BinaryOperator::InclusiveOr, Numbers::Uint),
        Opcode::Xor => (BinaryOperator::ExclusiveOr, Numbers::Uint),
        _ => return None,
    })
}

fn comparison_of(opcode: Opcode) -> Option<(BinaryOperator, Numbers)> {
    Some(match opcode {
        Opcode::IEq => (BinaryOperator::Equal, Numbers::Sint),
        Opcode::INe => (BinaryOperator::NotEqual, Numbers::Sint),
        Opcode::ILt => (BinaryOperator::Less, Numbers::Sint),
        Opcode::IGe => (BinaryOperator::GreaterEqual, Numbers::Sint),
        Opcode::ULt => (BinaryOperator::Less, Numbers::Uint),
        Opcode::UGe => (BinaryOperator::GreaterEqual, Numbers::Uint),
        _ => return None,
    })
}

fn function_of(opcode: Opcode) -> Option<(MathFunction, Numbers)> {
    Some(match opcode {
        Opcode::IAbs => (MathFunction::Abs, Numbers::Sint),
        Opcode::BfRev => (MathFunction::ReverseBits, Numbers::Uint),
        Opcode::CountBits => (MathFunction::CountOneBits, Numbers::Uint),
        Opcode::FirstBitLo => (MathFunction::FirstTrailingBit, Numbers::Uint),
        _ => return None,
    })
}
