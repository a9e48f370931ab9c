//! Which number stands for which type of register, how many there are, and what they are for.

use super::super::operand::{Lanes, RegisterKind, Swizzle};
use super::super::version::{Stage, Version};
use super::opcodes::Takes;
use super::token::ParameterToken;

/// What programs of a version have at each number of a register type.
pub(super) type RegisterTypes = [Option<RegisterType>; 20];

/// A type of registers.
#[derive(Clone, Copy)]
pub(super) struct RegisterType {
    kind: RegisterKind,
    numbers: Numbers,
    /// What instructions take them for, a bit for each of [`Takes`].
    takes: u16,
    /// Whether `a0` or `aL` may be added to their numbers.
    pub(crate) may_be_indexed: bool,
}

/// What a register's number says.
#[derive(Clone, Copy)]
enum Numbers {
    /// Which one it is, below a limit. More than any model allows, where the emulator's driver uses more than its model.
    Below(u32),
    /// Nothing: there is one.
    One,
    /// Its kind: there is one of each.
    Kinds(&'static [RegisterKind]),
    /// Which one it is in another bank of constants, for software vertex processing.
    Bank(u32),
}

/// The register that a token names.
#[derive(Clone, Copy)]
pub(super) struct NamedRegister {
    pub(crate) kind: RegisterKind,
    /// Its number; `None` where there is one of the kind.
    pub(crate) number: Option<u32>,
    pub(crate) of: &'static RegisterType,
}

/// Why a token names no register.
pub(super) enum NoRegister {
    /// The model has no such type.
    UnknownType,
    /// There are fewer of them.
    OutOfRange { kind: RegisterKind, found: u32, limit: u32 },
}

/// How many float constants there are.
const FLOAT_CONSTANTS: u32 = 256;

/// The register that a token names.
#[inline(always)]
pub(super) fn named_register(
    token: ParameterToken,
    types: &'static RegisterTypes,
) -> Result<NamedRegister, NoRegister> {
    let Some(Some(of)) = types.get(token.register_type() as usize) else { return Err(NoRegister::UnknownType) };
    let (kind, found) = (of.kind, token.register_number());
    match of.numbers {
        Numbers::Below(limit) if found < limit => Ok(NamedRegister { kind, number: Some(found), of }),
        Numbers::Below(limit) => Err(NoRegister::OutOfRange { kind, found, limit }),
        Numbers::One => Ok(NamedRegister { kind, number: None, of }),
        Numbers::Kinds(kinds) => {
            let kind = kinds.get(found as usize).copied().ok_or(NoRegister::UnknownType)?;
            Ok(NamedRegister { kind, number: None, of })
        }
        Numbers::Bank(first) => Err(NoRegister::OutOfRange { kind, found: first + found, limit: FLOAT_CONSTANTS }),
    }
}

impl NamedRegister {
    /// Whether an instruction may take it for this.
    #[inline]
    pub(crate) fn is_taken_for(&self, takes: Takes) -> bool {
        self.of.takes & bit(takes) != 0
    }

    /// Which lanes of it are read. Some have none or one, whatever the token has in the swizzle's place.
    #[inline]
    pub(crate) fn source_lanes(&self, swizzle: Swizzle) -> Lanes {
        match self.kind {
            RegisterKind::Label => Lanes::None,
            RegisterKind::ConstantBoolean | RegisterKind::LoopCounter => Lanes::One,
            _ => Lanes::Swizzle(swizzle),
        }
    }
}

/// The types of registers of a version.
pub(super) fn register_types(version: Version) -> &'static RegisterTypes {
    static VERTEX_1: RegisterTypes = types(Stage::Vertex, 1);
    static VERTEX_2: RegisterTypes = types(Stage::Vertex, 2);
    static VERTEX_3: RegisterTypes = types(Stage::Vertex, 3);
    static PIXEL_1: RegisterTypes = types(Stage::Pixel, 1);
    static PIXEL_2: RegisterTypes = types(Stage::Pixel, 2);
    static PIXEL_3: RegisterTypes = types(Stage::Pixel, 3);
    match (version.stage, version.major) {
        (Stage::Vertex, 1) => &VERTEX_1,
        (Stage::Vertex, 2) => &VERTEX_2,
        (Stage::Vertex, _) => &VERTEX_3,
        (_, 1) => &PIXEL_1,
        (_, 2) => &PIXEL_2,
        _ => &PIXEL_3,
    }
}

/// The bits of a token that name a register, if a version has it.
pub(in super::super) fn register_bits(kind: RegisterKind, number: u32, version: Version) -> Option<u32> {
    let of_type = |of: &RegisterType| match of.numbers {
        Numbers::Below(limit) if of.kind == kind => (number < limit).then_some(number),
        Numbers::One if of.kind == kind => Some(0),
        Numbers::Kinds(kinds) => kinds.iter().zip(0..).find(|(known, _)| **known == kind).map(|(_, place)| place),
        _ => None,
    };
    let types = register_types(version).iter().zip(0_u32..);
    let (number, register_type) = types.flat_map(|(of, bits)| Some((of_type(of.as_ref()?)?, bits))).next()?;
    Some((register_type & 7) << 28 | register_type >> 3 << 11 | number)
}

#[rustfmt::skip]
const fn types(stage: Stage, major: u8) -> RegisterTypes {
    const fn of(number: u8, stage: Stage, major: u8) -> Option<RegisterType> {
        register_type(number, stage, major)
    }
    [
        of(0, stage, major), of(1, stage, major), of(2, stage, major), of(3, stage, major), of(4, stage, major),
        of(5, stage, major), of(6, stage, major), of(7, stage, major), of(8, stage, major), of(9, stage, major),
        of(10, stage, major), of(11, stage, major), of(12, stage, major), of(13, stage, major), of(14, stage, major),
        of(15, stage, major), of(16, stage, major), of(17, stage, major), of(18, stage, major), of(19, stage, major),
    ]
}

const fn register_type(number: u8, stage: Stage, major: u8) -> Option<RegisterType> {
    use Numbers::{Bank, Below, Kinds, One};
    use RegisterKind as Kind;
    use Stage::{Pixel, Vertex};
    const READ: &[Takes] = &[Takes::Value];
    const WRITTEN: &[Takes] = &[Takes::Result];
    const OF_VERTEX: &[RegisterKind] = &[Kind::OutputPosition, Kind::OutputFog, Kind::OutputPointSize];
    const OF_PIXEL: &[RegisterKind] = &[Kind::PixelPosition, Kind::PixelFace];
    let (kind, numbers, takes) = match (number, stage, major) {
        (0, _, _) => (Kind::Temp, Below(32), [Takes::Result, Takes::Value].as_slice()),
        (1, _, _) => (Kind::Input, Below(16), READ),
        (2, _, _) => (Kind::Constant, Below(FLOAT_CONSTANTS), READ),
        (3, Vertex, _) => (Kind::Address, Below(1), WRITTEN),
        (3, Pixel, ..3) => (Kind::TextureCoordinate, Below(8), [Takes::Result, Takes::Value].as_slice()),
        (4, Vertex, ..3) => (Kind::OutputPosition, Kinds(OF_VERTEX), WRITTEN),
        (5, Vertex, ..3) => (Kind::OutputDiffuse, Below(2), WRITTEN),
        (6, Vertex, ..3) => (Kind::OutputTextureCoordinate, Below(8), WRITTEN),
        (6, Vertex, _) => (Kind::Output, Below(12), WRITTEN),
        (7, _, 2..) => (Kind::ConstantInteger, Below(16), [Takes::Counts].as_slice()),
        (8, Pixel, 2..) => (Kind::OutputColor, Below(4), WRITTEN),
        (9, Pixel, 2..) => (Kind::OutputDepth, One, WRITTEN),
        (10, _, 2..) => (Kind::Sampler, Below(16), [Takes::Sampler].as_slice()),
        (11, _, 2..) => (Kind::Constant, Bank(2048), READ),
        (12, _, 2..) => (Kind::Constant, Bank(4096), READ),
        (13, _, 2..) => (Kind::Constant, Bank(6144), READ),
        (14, _, 2..) => (Kind::ConstantBoolean, Below(16), [Takes::Truth].as_slice()),
        (15, _, 2..) => (Kind::LoopCounter, One, [Takes::Counter].as_slice()),
        (17, Pixel, 3..) => (Kind::PixelPosition, Kinds(OF_PIXEL), READ),
        (18, _, 2..) => (Kind::Label, Below(2048), [Takes::Label].as_slice()),
        (19, _, 2..) => (Kind::Predicate, Below(1), [Takes::Truth, Takes::Predicate, Takes::Comparison].as_slice()),
        _ => return None,
    };
    let may_be_indexed = matches!(
        (kind, stage, major),
        (Kind::Constant, Vertex, _) | (Kind::Constant, Pixel, 3..) | (Kind::Input, _, 3..) | (Kind::Output, _, _)
    );
    Some(RegisterType { kind, numbers, takes: bits(takes), may_be_indexed })
}

#[inline]
const fn bit(takes: Takes) -> u16 {
    1 << takes as u8
}

const fn bits(takes: &[Takes]) -> u16 {
    match takes {
        [] => 0,
        [first, rest @ ..] => bit(*first) | bits(rest),
    }
}
