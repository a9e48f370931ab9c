//! Direct3D 9's sampler states: all that it defines, with their defaults, and what was set of one sampler's.

use super::numbered::{Meaning, NumberedState, StateTable, StateValues, Treatment};

use Meaning::{Color, Flag, Float, Number, OneOf};

/// Numbers below this one are kept.
const COUNT: usize = 14;

const ADDRESS: Meaning = OneOf(&[(1, "WRAP"), (2, "MIRROR"), (3, "CLAMP"), (4, "BORDER"), (5, "MIRRORONCE")]);
const FILTER: Meaning = OneOf(&[
    (0, "NONE"),
    (1, "POINT"),
    (2, "LINEAR"),
    (3, "ANISOTROPIC"),
    (6, "PYRAMIDALQUAD"),
    (7, "GAUSSIANQUAD"),
    (8, "CONVOLUTIONMONO"),
]);

pub(super) const ADDRESS_U: u32 = 1;
pub(super) const ADDRESS_V: u32 = 2;
pub(super) const ADDRESS_W: u32 = 3;
pub(super) const BORDER_COLOR: u32 = 4;
pub(super) const MAG_FILTER: u32 = 5;
pub(super) const MIN_FILTER: u32 = 6;
pub(super) const MIP_FILTER: u32 = 7;
pub(super) const MIP_LOD_BIAS: u32 = 8;
pub(super) const MAX_MIP_LEVEL: u32 = 9;
pub(super) const MAX_ANISOTROPY: u32 = 10;
pub(super) const SRGB_TEXTURE: u32 = 11;
const ELEMENT_INDEX: u32 = 12;
const DMAP_OFFSET: u32 = 13;

const LINEAR_FILTERS: Treatment =
    Treatment::Approximated(&[(6, "taken as LINEAR"), (7, "taken as LINEAR"), (8, "taken as LINEAR")]);
const NO_SUCH_TEXTURES: Treatment = Treatment::WithoutEffect("streams have no such textures");

const fn row(number: u32, name: &'static str, meaning: Meaning, default: u32, treatment: Treatment) -> NumberedState {
    NumberedState { number, name, meaning, default, treatment }
}

/// Every sampler state that Direct3D 9 defines, in the order of their numbers.
pub(super) static SAMPLER_STATES: [NumberedState; COUNT - 1] = [
    row(ADDRESS_U, "D3DSAMP_ADDRESSU", ADDRESS, 1, Treatment::Honoured),
    row(ADDRESS_V, "D3DSAMP_ADDRESSV", ADDRESS, 1, Treatment::Honoured),
    row(ADDRESS_W, "D3DSAMP_ADDRESSW", ADDRESS, 1, Treatment::Honoured),
    row(BORDER_COLOR, "D3DSAMP_BORDERCOLOR", Color, 0, Treatment::Honoured),
    row(MAG_FILTER, "D3DSAMP_MAGFILTER", FILTER, 1, LINEAR_FILTERS),
    row(MIN_FILTER, "D3DSAMP_MINFILTER", FILTER, 1, LINEAR_FILTERS),
    row(MIP_FILTER, "D3DSAMP_MIPFILTER", FILTER, 0, LINEAR_FILTERS),
    row(MIP_LOD_BIAS, "D3DSAMP_MIPMAPLODBIAS", Float, 0, Treatment::Honoured),
    row(MAX_MIP_LEVEL, "D3DSAMP_MAXMIPLEVEL", Number, 0, Treatment::Honoured),
    row(MAX_ANISOTROPY, "D3DSAMP_MAXANISOTROPY", Number, 1, Treatment::Honoured),
    row(SRGB_TEXTURE, "D3DSAMP_SRGBTEXTURE", Flag, 0, Treatment::Honoured),
    row(ELEMENT_INDEX, "D3DSAMP_ELEMENTINDEX", Number, 0, NO_SUCH_TEXTURES),
    row(DMAP_OFFSET, "D3DSAMP_DMAPOFFSET", Number, 0, NO_SUCH_TEXTURES),
];

/// Direct3D 9's sampler states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SamplerStateTable;

impl StateTable for SamplerStateTable {
    const STATES: &'static [NumberedState] = &SAMPLER_STATES;
    const NOUN: &'static str = "sampler state";
}

/// What SET_SAMPLER_STATE has set of one sampler, by the numbers of Direct3D 9.
pub type SamplerStates = StateValues<SamplerStateTable, COUNT>;
