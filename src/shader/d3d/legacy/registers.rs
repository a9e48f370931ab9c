//! Which number stands for which type of register, and how many there are.

use super::super::operand::RegisterKind;
use super::super::version::{Stage, Version};
use super::token::ParameterToken;

/// The register that a token names.
#[derive(Clone, Copy)]
pub(super) struct NamedRegister {
    pub(crate) kind: RegisterKind,
    /// Its number; `None` where there is one of the kind.
    pub(crate) number: Option<u32>,
    /// How many there are. More than any model allows, where the emulator's driver uses more than its model.
    pub(crate) limit: u32,
}

/// The register that a token names, if programs of the version have its type.
#[inline]
pub(super) fn named_register(token: ParameterToken, version: Version) -> Option<NamedRegister> {
    let (kind, limit) = kind_and_count(token.register_type(), token.register_number(), version)?;
    let number = match (token.register_type(), limit) {
        (11..=13, _) => Some((token.register_type() - 10) * 2048 + token.register_number()),
        (_, ONE) => None,
        _ => Some(token.register_number()),
    };
    Some(NamedRegister { kind, number, limit })
}

/// There is one, without a number.
const ONE: u32 = 0;

#[inline]
fn kind_and_count(number: u32, index: u32, version: Version) -> Option<(RegisterKind, u32)> {
    use RegisterKind as Kind;
    use Stage::{Pixel, Vertex};
    Some(match (number, version.stage, version.major) {
        (0, _, _) => (Kind::Temp, 32),
        (1, _, _) => (Kind::Input, 16),
        // Three more banks go on counting, for software vertex processing.
        (2, _, _) | (11..=13, _, 2..) => (Kind::Constant, 256),
        (3, Vertex, _) => (Kind::Address, 1),
        (3, Pixel, ..3) => (Kind::TextureCoordinate, 8),
        (4, Vertex, ..3) => match index {
            0 => (Kind::OutputPosition, ONE),
            1 => (Kind::OutputFog, ONE),
            2 => (Kind::OutputPointSize, ONE),
            _ => return None,
        },
        (5, Vertex, ..3) => (Kind::OutputDiffuse, 2),
        (6, Vertex, ..3) => (Kind::OutputTextureCoordinate, 8),
        (6, Vertex, _) => (Kind::Output, 12),
        (7, _, 2..) => (Kind::ConstantInteger, 16),
        (8, Pixel, 2..) => (Kind::OutputColor, 4),
        (9, Pixel, 2..) => (Kind::OutputDepth, ONE),
        (10, _, 2..) => (Kind::Sampler, 16),
        (14, _, 2..) => (Kind::ConstantBoolean, 16),
        (15, _, 2..) => (Kind::LoopCounter, ONE),
        (17, Pixel, 3..) => match index {
            0 => (Kind::PixelPosition, ONE),
            1 => (Kind::PixelFace, ONE),
            _ => return None,
        },
        (18, _, 2..) => (Kind::Label, 2048),
        (19, _, 2..) => (Kind::Predicate, 1),
        _ => return None,
    })
}
