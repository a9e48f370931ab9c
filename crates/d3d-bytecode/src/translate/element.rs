//! Elements of typed buffers: words of a storage buffer ↔ four lanes. WebGPU has no typed buffers.

use naga::{BinaryOperator, MathFunction, ScalarKind, StorageFormat};

use super::builder::ValueHandle;
use super::error::TranslateError;
use super::memory::{Memory, WordPlace};
use super::stage::Stage;
use crate::{RegisterKind, ReturnType};

/// What the bits of a channel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Channel {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Float,
}

/// How an element lies in memory: the first bit and the number of bits of each channel, red first.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementForm {
    channel: Channel,
    channels: &'static [(u32, u32)],
    bytes: u32,
    /// Whether missing channels are whole numbers.
    is_integer: bool,
}

impl ElementForm {
    /// Whether several elements share a word, which is then changed in one step.
    pub(super) fn shares_words(self) -> bool {
        self.bytes < 4
    }
}

/// What channels are, where in the element each lies, and the element's bytes.
type Form = (Channel, &'static [(u32, u32)], u32);

const fn form(format: StorageFormat) -> Option<Form> {
    use Channel::{Float, Sint, Snorm, Uint, Unorm};
    use StorageFormat as F;
    const R8: &[(u32, u32)] = &[(0, 8)];
    const RG8: &[(u32, u32)] = &[(0, 8), (8, 8)];
    const RGBA8: &[(u32, u32)] = &[(0, 8), (8, 8), (16, 8), (24, 8)];
    const R16: &[(u32, u32)] = &[(0, 16)];
    const RG16: &[(u32, u32)] = &[(0, 16), (16, 16)];
    const RGBA16: &[(u32, u32)] = &[(0, 16), (16, 16), (32, 16), (48, 16)];
    const R32: &[(u32, u32)] = &[(0, 32)];
    const RG32: &[(u32, u32)] = &[(0, 32), (32, 32)];
    const RGBA32: &[(u32, u32)] = &[(0, 32), (32, 32), (64, 32), (96, 32)];
    const RGB10A2: &[(u32, u32)] = &[(0, 10), (10, 10), (20, 10), (30, 2)];
    Some(match format {
        F::R8Unorm => (Unorm, R8, 1),
        F::R8Snorm => (Snorm, R8, 1),
        F::R8Uint => (Uint, R8, 1),
        F::R8Sint => (Sint, R8, 1),
        F::Rg8Unorm => (Unorm, RG8, 2),
        F::Rg8Snorm => (Snorm, RG8, 2),
        F::Rg8Uint => (Uint, RG8, 2),
        F::Rg8Sint => (Sint, RG8, 2),
        F::Rgba8Unorm => (Unorm, RGBA8, 4),
        F::Rgba8Snorm => (Snorm, RGBA8, 4),
        F::Rgba8Uint => (Uint, RGBA8, 4),
        F::Rgba8Sint => (Sint, RGBA8, 4),
        F::Bgra8Unorm => (Unorm, &[(16, 8), (8, 8), (0, 8), (24, 8)], 4),
        F::R16Unorm => (Unorm, R16, 2),
        F::R16Snorm => (Snorm, R16, 2),
        F::R16Uint => (Uint, R16, 2),
        F::R16Sint => (Sint, R16, 2),
        F::R16Float => (Float, R16, 2),
        F::Rg16Unorm => (Unorm, RG16, 4),
        F::Rg16Snorm => (Snorm, RG16, 4),
        F::Rg16Uint => (Uint, RG16, 4),
        F::Rg16Sint => (Sint, RG16, 4),
        F::Rg16Float => (Float, RG16, 4),
        F::Rgba16Unorm => (Unorm, RGBA16, 8),
        F::Rgba16Snorm => (Snorm, RGBA16, 8),
        F::Rgba16Uint => (Uint, RGBA16, 8),
        F::Rgba16Sint => (Sint, RGBA16, 8),
        F::Rgba16Float => (Float, RGBA16, 8),
        F::R32Uint => (Uint, R32, 4),
        F::R32Sint => (Sint, R32, 4),
        F::R32Float => (Float, R32, 4),
        F::Rg32Uint => (Uint, RG32, 8),
        F::Rg32Sint => (Sint, RG32, 8),
        F::Rg32Float => (Float, RG32, 8),
        F::Rgba32Uint => (Uint, RGBA32, 16),
        F::Rgba32Sint => (Sint, RGBA32, 16),
        F::Rgba32Float => (Float, RGBA32, 16),
        F::Rgb10a2Uint => (Uint, RGB10A2, 4),
        F::Rgb10a2Unorm => (Unorm, RGB10A2, 4),
        F::Rg11b10Ufloat => (Float, &[(0, 11), (11, 11), (22, 10)], 4),
        F::R64Uint => return None,
    })
}

impl Stage<'_> {
    /// How the elements of a typed buffer lie in memory.
    pub(super) fn element_form(
        &self,
        format: StorageFormat,
        read_as: ReturnType,
    ) -> Result<ElementForm, TranslateError> {
        let found = form(format).ok_or_else(|| self.unsupported("a typed buffer of 64-bit numbers"))?;
        let (channel, channels, bytes) = found;
        let is_integer = matches!(read_as, ReturnType::Uint | ReturnType::Sint);
        if is_integer != matches!(channel, Channel::Uint | Channel::Sint) {
            return Err(
                self.unsupported(format!("a typed buffer that is read as {} but not stored as such", read_as.name()))
            );
        }
        Ok(ElementForm { channel, channels, bytes, is_integer })
    }

    /// The memory of a typed buffer, `t#` or `u#`, of which elements are counted.
    pub(super) fn typed_memory(&mut self, key: (RegisterKind, u32), form: ElementForm) -> Memory {
        let changes_shared = key.0 == RegisterKind::Uav && form.shares_words();
        let mut memory = self.buffer_memory(key, changes_shared || self.uses.atomic.contains(&key));
        let bytes = self.build.uint(form.bytes);
        memory.count = self.build.binary(BinaryOperator::Divide, memory.size_bytes, bytes);
        memory
    }

    /// The first word of an element, and the bit at which it begins there.
    pub(super) fn element_place(
        &mut self,
        memory: &Memory,
        form: ElementForm,
        index: ValueHandle,
    ) -> (WordPlace, ValueHandle) {
        let exists = self.build.binary(BinaryOperator::Less, index, memory.count);
        let bytes = self.build.uint(form.bytes);
        let byte = self.build.binary(BinaryOperator::Multiply, index, bytes);
        let (three, eight) = (self.build.uint(3), self.build.uint(8));
        let in_word = self.build.binary(BinaryOperator::And, byte, three);
        let bit = self.build.binary(BinaryOperator::Multiply, in_word, eight);
        (self.word_at_byte(byte).when(exists), bit)
    }

    /// The four lanes of an element, as words.
    pub(super) fn element_words(&mut self, memory: &Memory, form: ElementForm, index: ValueHandle) -> ValueHandle {
        let (place, bit) = self.element_place(memory, form, index);
        let last = if form.is_integer { 1 } else { 1.0_f32.to_bits() };
        let mut lanes = [0, 0, 0, last].map(|word| self.build.uint(word));
        for (lane, (first, width)) in lanes.iter_mut().zip(form.channels) {
            let word = self.load_word(memory, &place, first / 32);
            let shift = self.build.uint(first % 32);
            let shift = self.build.binary(BinaryOperator::Add, bit, shift);
            let raw = self.build.binary(BinaryOperator::ShiftRight, word, shift);
            let mask = self.build.uint(mask_of(*width));
            let raw = self.build.binary(BinaryOperator::And, raw, mask);
            *lane = self.decoded(form.channel, *width, raw);
        }
        let words = self.build.compose(self.types.uint4, lanes.to_vec());
        // What lies outside has no alpha either.
        let exists = self.build.binary(BinaryOperator::Less, index, memory.count);
        self.words_inside(exists, words)
    }

    /// The word that a channel's bits mean.
    fn decoded(&mut self, channel: Channel, width: u32, raw: ValueHandle) -> ValueHandle {
        match channel {
            Channel::Uint => raw,
            Channel::Sint => {
                let signed = self.sign_extended(width, raw);
                self.build.bits(signed, ScalarKind::Uint)
            }
            Channel::Float if width == 32 => raw,
            Channel::Float => {
                // Small floats are halves without a sign and without the last bits.
                let missing = self.build.uint(if width == 16 { 0 } else { 15 - width });
                let half = self.build.binary(BinaryOperator::ShiftLeft, raw, missing);
                let pair = self.build.math(MathFunction::Unpack2x16float, half);
                let float = self.build.part(pair, 0);
                self.build.bits(float, ScalarKind::Uint)
            }
            Channel::Unorm => {
                let float = self.build.convert(raw, ScalarKind::Float);
                let most = self.build.float(mask_of(width) as f32);
                let float = self.build.binary(BinaryOperator::Divide, float, most);
                self.build.bits(float, ScalarKind::Uint)
            }
            Channel::Snorm => {
                let signed = self.sign_extended(width, raw);
                let float = self.build.convert(signed, ScalarKind::Float);
                let (most, least) = (self.build.float(mask_of(width - 1) as f32), self.build.float(-1.0));
                let float = self.build.binary(BinaryOperator::Divide, float, most);
                let float = self.build.math2(MathFunction::Max, float, least);
                self.build.bits(float, ScalarKind::Uint)
            }
        }
    }

    fn sign_extended(&mut self, width: u32, raw: ValueHandle) -> ValueHandle {
        let above = self.build.uint(32 - width);
        let raised = self.build.binary(BinaryOperator::ShiftLeft, raw, above);
        let raised = self.build.bits(raised, ScalarKind::Sint);
        self.build.binary(BinaryOperator::ShiftRight, raised, above)
    }

    /// Stores four lanes as an element.
    pub(super) fn store_element_words(
        &mut self,
        memory: &Memory,
        form: ElementForm,
        index: ValueHandle,
        words: ValueHandle,
    ) {
        let (place, bit) = self.element_place(memory, form, index);
        let zero = self.build.uint(0);
        let mut stored = vec![zero; form.bytes.div_ceil(4) as usize];
        for (lane, (first, width)) in (0..).zip(form.channels) {
            let word = self.build.part(words, lane);
            let raw = self.encoded(form.channel, *width, word);
            let shift = self.build.uint(first % 32);
            let raw = self.build.binary(BinaryOperator::ShiftLeft, raw, shift);
            if let Some(into) = stored.get_mut((first / 32) as usize) {
                *into = self.build.binary(BinaryOperator::InclusiveOr, *into, raw);
            }
        }
        if !form.shares_words() {
            for (further, word) in (0..).zip(stored) {
                self.store_word(memory, &place, further, word);
            }
            return;
        }
        let mask = self.build.uint(mask_of(form.bytes * 8));
        let mask = self.build.binary(BinaryOperator::ShiftLeft, mask, bit);
        let others = self.build.unary(naga::UnaryOperator::BitwiseNot, mask);
        for word in stored {
            let word = self.build.binary(BinaryOperator::ShiftLeft, word, bit);
            let (pointer, inside) = self.word_pointer(memory, &place, 0);
            self.build.open();
            self.atomic(pointer, naga::AtomicFunction::And, others);
            self.atomic(pointer, naga::AtomicFunction::InclusiveOr, word);
            self.build.close_if(inside);
        }
    }

    /// A channel's bits for a word.
    fn encoded(&mut self, channel: Channel, width: u32, word: ValueHandle) -> ValueHandle {
        if width == 32 {
            return word;
        }
        let (mask, mask_words) = (mask_of(width), self.build.uint(mask_of(width)));
        match channel {
            Channel::Uint => self.build.math2(MathFunction::Min, word, mask_words),
            Channel::Sint => {
                let most = (mask >> 1) as i32;
                let (most, least) = (self.build.int(most), self.build.int(-most - 1));
                let value = self.build.bits(word, ScalarKind::Sint);
                let value = self.build.math2(MathFunction::Min, value, most);
                let value = self.build.math2(MathFunction::Max, value, least);
                let value = self.build.bits(value, ScalarKind::Uint);
                self.build.binary(BinaryOperator::And, value, mask_words)
            }
            Channel::Unorm | Channel::Snorm => {
                let least = if channel == Channel::Unorm { 0.0 } else { -1.0 };
                let most = if channel == Channel::Unorm { mask as f32 } else { (mask >> 1) as f32 };
                let value = self.clamped_number(word, least);
                let (most, half) = (self.build.float(most), self.build.float(0.5));
                let value = self.build.binary(BinaryOperator::Multiply, value, most);
                let value = self.build.binary(BinaryOperator::Add, value, half);
                let value = self.build.math(MathFunction::Floor, value);
                let value = self.build.convert(value, ScalarKind::Sint);
                let value = self.build.bits(value, ScalarKind::Uint);
                self.build.binary(BinaryOperator::And, value, mask_words)
            }
            Channel::Float => {
                let value = self.build.bits(word, ScalarKind::Float);
                let zero = self.build.float(0.0);
                let has_sign = width == 16;
                let value = if has_sign { value } else { self.build.math2(MathFunction::Max, value, zero) };
                let pair = self.build.compose(self.types.float2, vec![value, zero]);
                let half = self.build.math(MathFunction::Pack2x16float, pair);
                let missing = self.build.uint(if has_sign { 0 } else { 15 - width });
                self.build.binary(BinaryOperator::ShiftRight, half, missing)
            }
        }
    }

    /// A float within `least` and 1; 0 for what is no number.
    fn clamped_number(&mut self, word: ValueHandle, least: f32) -> ValueHandle {
        let value = self.build.bits(word, ScalarKind::Float);
        let (zero, least, most) = (self.build.float(0.0), self.build.float(least), self.build.float(1.0));
        let is_number = self.build.binary(BinaryOperator::Equal, value, value);
        let value = self.build.select(is_number, value, zero);
        let value = self.build.math2(MathFunction::Max, value, least);
        self.build.math2(MathFunction::Min, value, most)
    }
}

/// So many ones.
const fn mask_of(width: u32) -> u32 {
    if width >= 32 { u32::MAX } else { (1 << width) - 1 }
}
