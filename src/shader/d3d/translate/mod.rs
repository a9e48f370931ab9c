//! Programs of Direct3D → naga modules, directly.

mod interface;

pub use interface::{
    BoundBuffer, DrawOptions, ENTRY_POINT, InputFeed, LEGACY_BOOLEANS, LEGACY_CONSTANT_BYTES, LEGACY_FLOATS,
    LEGACY_INTEGERS, PIXEL_GROUP, Parameter, ParameterBlock, PixelCenters, SampledAs, StageBinding, StageBindingKind,
    TextureDimension, TranslatedDraw, TranslatedStage, VERTEX_GROUP,
};
