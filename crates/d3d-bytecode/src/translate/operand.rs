//! Operands: what an instruction reads, as floats or as integers, and where its result goes.

use naga::{BinaryOperator, ScalarKind, UnaryOperator};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::stage::Stage;
use crate::{
    Dialect, Index, Lane, Lanes, Mask, Modifier, Operand, OperandValue, Register, RegisterKind, Stage as ShaderStage,
};
use trace_base::error::Internal;

/// What kind of numbers an instruction reads, on which modifiers depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    Float,
    Sint,
    Uint,
}

impl Numbers {
    fn kind(self) -> ScalarKind {
        match self {
            Self::Float => ScalarKind::Float,
            Self::Sint => ScalarKind::Sint,
            Self::Uint => ScalarKind::Uint,
        }
    }
}

impl Stage<'_> {
    /// Four lanes of an operand as numbers of a kind.
    pub(super) fn read(&mut self, operand: &Operand, numbers: Numbers) -> Result<ValueHandle, TranslateError> {
        let words = self.read_modified_words(operand, numbers)?;
        Ok(match numbers {
            Numbers::Uint => words,
            _ => self.build.bits(words, numbers.kind()),
        })
    }

    /// The words of the same.
    pub(super) fn read_modified_words(
        &mut self,
        operand: &Operand,
        numbers: Numbers,
    ) -> Result<ValueHandle, TranslateError> {
        let words = self.read_words(operand)?;
        self.modified(words, operand.modifier, numbers)
    }

    /// The first lane of an operand.
    pub(super) fn read_one(&mut self, operand: &Operand, numbers: Numbers) -> Result<ValueHandle, TranslateError> {
        let all = self.read(operand, numbers)?;
        Ok(self.build.part(all, 0))
    }

    /// What a modifier makes of words.
    fn modified(
        &mut self,
        words: ValueHandle,
        modifier: Modifier,
        numbers: Numbers,
    ) -> Result<ValueHandle, TranslateError> {
        const SIGN: u32 = 1 << 31;
        Ok(match (modifier, numbers) {
            (Modifier::None, _) => words,
            (Modifier::Negate, Numbers::Float) => {
                let sign = self.build.uint4(SIGN);
                self.build.binary(BinaryOperator::ExclusiveOr, words, sign)
            }
            (Modifier::Absolute, Numbers::Float) => {
                let others = self.build.uint4(!SIGN);
                self.build.binary(BinaryOperator::And, words, others)
            }
            (Modifier::NegateAbsolute, Numbers::Float) => {
                let sign = self.build.uint4(SIGN);
                self.build.binary(BinaryOperator::InclusiveOr, words, sign)
            }
            (Modifier::Negate, _) => {
                let signed = self.build.bits(words, ScalarKind::Sint);
                let negated = self.build.unary(UnaryOperator::Negate, signed);
                self.build.bits(negated, ScalarKind::Uint)
            }
            (Modifier::Absolute, _) => {
                let signed = self.build.bits(words, ScalarKind::Sint);
                let absolute = self.build.math(naga::MathFunction::Abs, signed);
                self.build.bits(absolute, ScalarKind::Uint)
            }
            (other, _) => return Err(self.unsupported(format!("the modifier {} of an operand", modifier_name(other)))),
        })
    }

    /// Four lanes of an operand as they lie.
    pub(super) fn read_words(&mut self, operand: &Operand) -> Result<ValueHandle, TranslateError> {
        match &operand.value {
            OperandValue::Immediate32(words) => {
                let [first, ..] = *words;
                let words = if operand.lanes == Lanes::One { [first; 4] } else { *words };
                Ok(self.words_of(words))
            }
            OperandValue::Immediate64(_) => Err(self.unsupported("an immediate value of 64 bits")),
            OperandValue::Register(register) => {
                let all = self.register_words(register)?;
                Ok(match operand.lanes {
                    Lanes::Swizzle(swizzle) => self.build.swizzle(all, swizzle.lanes()),
                    Lanes::Select(lane) => self.build.swizzle(all, [lane; 4]),
                    Lanes::One => self.build.swizzle(all, [Lane::X; 4]),
                    Lanes::Mask(_) | Lanes::None => all,
                })
            }
        }
    }

    /// Four words that are known.
    pub(super) fn words_of(&mut self, words: [u32; 4]) -> ValueHandle {
        let [first, ..] = words;
        if words.iter().all(|word| *word == first) {
            return self.build.uint4(first);
        }
        let lanes = words.map(|word| self.build.uint(word)).to_vec();
        self.build.compose(self.types.uint4, lanes)
    }

    /// The four words of a register.
    fn register_words(&mut self, register: &Register) -> Result<ValueHandle, TranslateError> {
        let kind = register.kind;
        match kind {
            RegisterKind::ConstantBuffer => self.constant_words(register),
            RegisterKind::ImmediateConstantBuffer => {
                let index = register.last_index().unwrap_or_default();
                let (table, count) = self.immediate_constants()?;
                self.table_words(table, count, index)
            }
            _ => {
                let place = self.place(register)?;
                Ok(self.build.load(place))
            }
        }
    }

    /// The variable that a register lives in.
    pub(super) fn place(&mut self, register: &Register) -> Result<ValueHandle, TranslateError> {
        let lost = Internal::new("a register has no number");
        match register.kind {
            RegisterKind::IndexableTemp => {
                let array = register.first_index().ok_or(lost)?.base;
                let element = register.last_index().ok_or(lost)?;
                let (variable, count) = self.indexable(array)?;
                let index = self.index(element)?;
                let last = self.build.uint(count.saturating_sub(1));
                let index = self.build.math2(naga::MathFunction::Min, index, last);
                Ok(self.build.element(variable, index))
            }
            kind => {
                self.expect_register(kind)?;
                let index = register.last_index().unwrap_or_default();
                if index.relative.is_none() {
                    return Ok(self.register(kind, index.base));
                }
                let number = self.index(index)?;
                self.indexed_register(kind, number)
            }
        }
    }

    /// Refuses a register that nothing is put into, or taken from, in this stage of SM4 or SM5.
    fn expect_register(&self, kind: RegisterKind) -> Result<(), TranslateError> {
        use RegisterKind as K;
        let version = self.program.version();
        let is_known = match kind {
            K::Temp => true,
            _ if version.is_d3d9() => true,
            K::Input | K::Output => version.stage != ShaderStage::Compute,
            K::OutputDepth | K::OutputDepthGreaterEqual | K::OutputDepthLessEqual => {
                version.stage == ShaderStage::Pixel
            }
            K::OutputCoverageMask | K::Coverage => version.stage == ShaderStage::Pixel,
            K::ThreadId | K::ThreadGroupId | K::ThreadIdInGroup | K::ThreadIdInGroupFlattened => {
                version.stage == ShaderStage::Compute
            }
            _ => false,
        };
        if is_known { Ok(()) } else { Err(self.unsupported(format!("the register {}", kind.name()))) }
    }

    /// The number that an index is.
    pub(super) fn index(&mut self, index: Index) -> Result<ValueHandle, TranslateError> {
        let base = self.build.uint(index.base);
        let Some(relative) = index.relative else { return Ok(base) };
        let lost = Internal::new("an index adds a register that the program does not have");
        let operand = *self.program.relative(relative).ok_or(lost)?;
        let added = self.read_one(&operand, Numbers::Uint)?;
        Ok(self.build.binary(BinaryOperator::Add, base, added))
    }

    /// A register of a constant buffer; zeros past its end.
    fn constant_words(&mut self, register: &Register) -> Result<ValueHandle, TranslateError> {
        let lost = Internal::new("a constant buffer has no slot");
        let slot = register.first_index().ok_or(lost)?;
        if slot.relative.is_some() {
            return Err(self.unsupported("a constant buffer with a computed slot"));
        }
        let (buffer, count) = self.constant_buffer(slot.base)?;
        self.table_words(buffer, count, register.last_index().unwrap_or_default())
    }

    /// One of `count` registers of a table; zeros past its end.
    pub(super) fn table_words(
        &mut self,
        table: ValueHandle,
        count: u32,
        index: Index,
    ) -> Result<ValueHandle, TranslateError> {
        if index.relative.is_none() {
            if index.base >= count {
                return Ok(self.build.uint4(0));
            }
            let place = self.build.part(table, index.base);
            return Ok(self.build.load(place));
        }
        let index = self.index(index)?;
        let last = self.build.uint(count - 1);
        let inside = self.build.binary(BinaryOperator::LessEqual, index, last);
        let held = self.build.math2(naga::MathFunction::Min, index, last);
        let place = self.build.element(table, held);
        let found = self.build.load(place);
        let (inside, zeros) = (self.build.splat(inside), self.build.uint4(0));
        Ok(self.build.select(inside, found, zeros))
    }

    /// The lanes that an operand's result goes to.
    pub(super) fn mask(operand: &Operand) -> Mask {
        match operand.lanes {
            Lanes::Mask(mask) => mask,
            Lanes::One => Mask::from_bits(1),
            Lanes::None => Mask::NONE,
            Lanes::Swizzle(_) | Lanes::Select(_) => Mask::ALL,
        }
    }

    /// Writes four floats to an operand, within 0 to 1 if `saturate` says so.
    pub(super) fn write_float(
        &mut self,
        to: &Operand,
        value: ValueHandle,
        saturate: bool,
    ) -> Result<(), TranslateError> {
        let value = if saturate { self.saturated(value) } else { value };
        let words = self.build.bits(value, ScalarKind::Uint);
        self.write_words(to, words)
    }

    /// Within 0 to 1; 0 for what is no number.
    pub(super) fn saturated(&mut self, value: ValueHandle) -> ValueHandle {
        let (zero, one) = (self.build.float4(0.0), self.build.float4(1.0));
        let is_above = self.build.binary(BinaryOperator::Greater, value, zero);
        let value = self.build.select(is_above, value, zero);
        let is_below = self.build.binary(BinaryOperator::Less, value, one);
        self.build.select(is_below, value, one)
    }

    /// Writes four integers to an operand.
    pub(super) fn write_sint(&mut self, to: &Operand, value: ValueHandle) -> Result<(), TranslateError> {
        let words = self.build.bits(value, ScalarKind::Uint);
        self.write_words(to, words)
    }

    /// Writes all ones where `value` is true, zeros elsewhere.
    pub(super) fn write_bools(&mut self, to: &Operand, value: ValueHandle) -> Result<(), TranslateError> {
        let (yes, no) = (self.build.uint4(u32::MAX), self.build.uint4(0));
        let words = self.build.select(value, yes, no);
        self.write_words(to, words)
    }

    /// Writes four words to an operand.
    pub(super) fn write_words(&mut self, to: &Operand, words: ValueHandle) -> Result<(), TranslateError> {
        let OperandValue::Register(register) = &to.value else {
            return Err(Internal::new("a result is written to an immediate value").into());
        };
        if register.kind == RegisterKind::Null {
            return Ok(());
        }
        let place = self.place(register)?;
        let mask = Self::mask(to);
        if mask == Mask::ALL {
            self.build.store(place, words);
            return Ok(());
        }
        for lane in mask.lanes() {
            let (from, into) = (self.build.part(words, lane as u32), self.build.part(place, lane as u32));
            self.build.store(into, from);
        }
        Ok(())
    }

    /// Whether the program is in the emulator's encoding.
    pub(super) fn is_of_emulator(&self) -> bool {
        self.program.dialect() == Dialect::Emulator
    }
}

/// What Direct3D's assembly calls a modifier.
const fn modifier_name(modifier: Modifier) -> &'static str {
    match modifier {
        Modifier::None => "",
        Modifier::Negate => "-",
        Modifier::Absolute => "_abs",
        Modifier::NegateAbsolute => "-_abs",
        Modifier::Bias => "_bias",
        Modifier::NegateBias => "-_bias",
        Modifier::Sign => "_bx2",
        Modifier::NegateSign => "-_bx2",
        Modifier::Complement => "1-",
        Modifier::Double => "_x2",
        Modifier::NegateDouble => "-_x2",
        Modifier::DivideByZ => "_dz",
        Modifier::DivideByW => "_dw",
        Modifier::Not => "!",
    }
}
