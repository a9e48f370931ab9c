//! The bit fields of tokens.

use super::super::instruction::TokenOffset;
use super::super::operand::{Mask, Modifier, Swizzle};
use super::super::version::{Stage, Version};

/// The last token of a program.
pub(in super::super) const END: u32 = 0x0000_ffff;

/// The opcode of a comment.
pub(super) const COMMENT: u32 = 0xfffe;

/// A program's tokens, the version token first.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a>(&'a [[u8; 4]]);

impl<'a> Tokens<'a> {
    /// The whole dwords of some bytes.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.as_chunks().0)
    }

    /// The token at a position.
    #[inline]
    pub(crate) fn get(self, position: usize) -> Option<u32> {
        self.0.get(position).map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// How many there are.
    pub(crate) fn len(self) -> usize {
        self.0.len()
    }
}

/// Where a token lies in its program. Budgets keep programs below 4 GiB.
#[inline]
pub(super) fn token_offset(position: usize) -> TokenOffset {
    TokenOffset((position * 4) as u32)
}

/// The version that a program's first token names, if Direct3D 9 has it.
pub(super) fn version_of(token: u32) -> Option<Version> {
    let (major, minor) = ((token >> 8) as u8, token as u8);
    let stage = match token >> 16 {
        0xfffe => Stage::Vertex,
        0xffff => Stage::Pixel,
        _ => return None,
    };
    let is_known = matches!(
        (stage, major, minor),
        (Stage::Pixel, 1, 0..=4) | (Stage::Vertex, 1, 0..=1) | (_, 2, 0 | 1 | 0xff) | (_, 3, 0 | 0xff)
    );
    is_known.then_some(Version { stage, major, minor })
}

/// The first token of an instruction.
#[derive(Clone, Copy)]
pub(super) struct InstructionToken(pub(crate) u32);

impl InstructionToken {
    /// The opcode's number.
    #[inline]
    pub(crate) fn number(self) -> u32 {
        self.0 & 0xffff
    }

    /// The opcode's number, or all bits of what can't be an instruction.
    #[inline]
    pub(crate) fn opcode_bits(self) -> u32 {
        if self.is_instruction() { self.number() } else { self.0 }
    }

    /// Whether it can be an instruction: an operand has bit 31, or, in the emulator driver's shaders, reads like a `nop`
    /// with control bits, which that hasn't.
    #[inline]
    pub(crate) fn is_instruction(self) -> bool {
        self.0 & 1 << 31 == 0 && (self.number() != 0 || self.control() == 0)
    }

    /// What the opcode leaves open: a comparison, a kind of texture read.
    #[inline]
    pub(crate) fn control(self) -> u32 {
        self.0 >> 16 & 0xff
    }

    /// The length as it stands in the token; 0 in SM1.
    #[inline]
    pub(crate) fn length(self) -> usize {
        (self.0 >> 24 & 0xf) as usize
    }

    /// Whether a predicate follows the result.
    #[inline]
    pub(crate) fn is_predicated(self) -> bool {
        self.0 & 1 << 28 != 0
    }

    /// Whether it runs together with the instruction before it.
    #[inline]
    pub(crate) fn is_coissued(self) -> bool {
        self.0 & 1 << 30 != 0
    }

    /// How many dwords follow, if it is a comment.
    #[inline]
    pub(crate) fn comment_dwords(self) -> Option<usize> {
        (self.number() == COMMENT && self.is_instruction()).then_some((self.0 >> 16 & 0x7fff) as usize)
    }
}

/// A register with what belongs to it: a result, a source, a predicate or an index.
#[derive(Clone, Copy)]
pub(super) struct ParameterToken(pub(crate) u32);

impl ParameterToken {
    /// Whether bit 31 is set, as in everything but the emulator driver's shaders.
    #[inline]
    pub(crate) fn is_marked(self) -> bool {
        self.0 & 1 << 31 != 0
    }

    /// The register's number.
    #[inline]
    pub(crate) fn register_number(self) -> u32 {
        self.0 & 0x7ff
    }

    /// The number of the register's type.
    #[inline]
    pub(crate) fn register_type(self) -> u32 {
        self.0 >> 28 & 7 | self.0 >> 8 & 0x18
    }

    /// Whether a register is added to the number.
    #[inline]
    pub(crate) fn is_indexed(self) -> bool {
        self.0 & 1 << 13 != 0
    }

    /// The lanes that a result is written to.
    #[inline]
    pub(crate) fn mask(self) -> Mask {
        Mask::from_bits(self.0 >> 16)
    }

    /// Flags of a result: 1 `_sat`, 2 `_pp`, 4 `_centroid`.
    #[inline]
    pub(crate) fn result_flags(self) -> u32 {
        self.0 >> 20 & 0xf
    }

    /// The power of two that a result is multiplied by: four bits with a sign.
    #[inline]
    pub(crate) fn shift(self) -> i8 {
        let bits = (self.0 >> 24 & 0xf) as i8;
        if bits < 8 { bits } else { bits - 16 }
    }

    /// The lanes that a source is read from.
    #[inline]
    pub(crate) fn swizzle(self) -> Swizzle {
        Swizzle::from_bits(self.0 >> 16)
    }

    /// The number of a source's modifier.
    #[inline]
    pub(crate) fn modifier_number(self) -> u32 {
        self.0 >> 24 & 0xf
    }

    /// What is done to a source when it is read.
    #[inline]
    pub(crate) fn modifier(self) -> Option<Modifier> {
        MODIFIERS.get(self.modifier_number() as usize).copied()
    }
}

/// The number of a source's modifier.
pub(in super::super) fn modifier_number(modifier: Modifier) -> u32 {
    MODIFIERS.iter().zip(0..).find(|(known, _)| **known == modifier).map_or(0, |(_, number)| number)
}

/// Modifiers of sources by their numbers.
const MODIFIERS: [Modifier; 14] = [
    Modifier::None,
    Modifier::Negate,
    Modifier::Bias,
    Modifier::NegateBias,
    Modifier::Sign,
    Modifier::NegateSign,
    Modifier::Complement,
    Modifier::Double,
    Modifier::NegateDouble,
    Modifier::DivideByZ,
    Modifier::DivideByW,
    Modifier::Absolute,
    Modifier::NegateAbsolute,
    Modifier::Not,
];
