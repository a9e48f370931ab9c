//! Direct3D 9's sampler states: all that it defines.

use super::{NumberedState, StateMeaning, Treatment};

use StateMeaning::{Color, Flag, Float, Number, OneOf};

const ADDRESS: StateMeaning = OneOf(&[(1, "WRAP"), (2, "MIRROR"), (3, "CLAMP"), (4, "BORDER"), (5, "MIRRORONCE")]);
const FILTER: StateMeaning = OneOf(&[
    (0, "NONE"),
    (1, "POINT"),
    (2, "LINEAR"),
    (3, "ANISOTROPIC"),
    (6, "PYRAMIDALQUAD"),
    (7, "GAUSSIANQUAD"),
    (8, "CONVOLUTIONMONO"),
]);

/// The states' numbers.
#[allow(missing_docs, reason = "the names are Direct3D's")]
pub mod number {
    pub const ADDRESS_U: u32 = 1;
    pub const ADDRESS_V: u32 = 2;
    pub const ADDRESS_W: u32 = 3;
    pub const BORDER_COLOR: u32 = 4;
    pub const MAG_FILTER: u32 = 5;
    pub const MIN_FILTER: u32 = 6;
    pub const MIP_FILTER: u32 = 7;
    pub const MIP_LOD_BIAS: u32 = 8;
    pub const MAX_MIP_LEVEL: u32 = 9;
    pub const MAX_ANISOTROPY: u32 = 10;
    pub const SRGB_TEXTURE: u32 = 11;
    pub const ELEMENT_INDEX: u32 = 12;
    pub const DMAP_OFFSET: u32 = 13;
}

const LINEAR_FILTERS: Treatment =
    Treatment::Approximated(&[(6, "treated as LINEAR"), (7, "treated as LINEAR"), (8, "treated as LINEAR")]);
const NO_SUCH_TEXTURES: Treatment = Treatment::WithoutEffect("streams have no such textures");

const fn row(
    number: u32,
    name: &'static str,
    meaning: StateMeaning,
    default: u32,
    treatment: Treatment,
) -> NumberedState {
    NumberedState { number, name, meaning, default, treatment }
}

/// Every sampler state that Direct3D 9 defines, in the order of their numbers.
pub(super) static SAMPLER_STATES: [NumberedState; 13] = [
    row(number::ADDRESS_U, "D3DSAMP_ADDRESSU", ADDRESS, 1, Treatment::Honoured),
    row(number::ADDRESS_V, "D3DSAMP_ADDRESSV", ADDRESS, 1, Treatment::Honoured),
    row(number::ADDRESS_W, "D3DSAMP_ADDRESSW", ADDRESS, 1, Treatment::Honoured),
    row(number::BORDER_COLOR, "D3DSAMP_BORDERCOLOR", Color, 0, Treatment::Honoured),
    row(number::MAG_FILTER, "D3DSAMP_MAGFILTER", FILTER, 1, LINEAR_FILTERS),
    row(number::MIN_FILTER, "D3DSAMP_MINFILTER", FILTER, 1, LINEAR_FILTERS),
    row(number::MIP_FILTER, "D3DSAMP_MIPFILTER", FILTER, 0, LINEAR_FILTERS),
    row(number::MIP_LOD_BIAS, "D3DSAMP_MIPMAPLODBIAS", Float, 0, Treatment::Honoured),
    row(number::MAX_MIP_LEVEL, "D3DSAMP_MAXMIPLEVEL", Number, 0, Treatment::Honoured),
    row(number::MAX_ANISOTROPY, "D3DSAMP_MAXANISOTROPY", Number, 1, Treatment::Honoured),
    row(number::SRGB_TEXTURE, "D3DSAMP_SRGBTEXTURE", Flag, 0, Treatment::Honoured),
    row(number::ELEMENT_INDEX, "D3DSAMP_ELEMENTINDEX", Number, 0, NO_SUCH_TEXTURES),
    row(number::DMAP_OFFSET, "D3DSAMP_DMAPOFFSET", Number, 0, NO_SUCH_TEXTURES),
];
