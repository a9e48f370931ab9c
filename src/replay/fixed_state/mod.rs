//! Both worlds' settings → one resolved state that can be compared: what stands in a pipeline beside its shaders.
//!
//! ```text
//!  SET_RENDER_STATE ──► RenderStates ──┐
//!                                      ├──► FixedState + DynamicState
//!  SET_BLEND_STATE, … ─────────────────┘
//!  SET_SAMPLER_STATE ─► SamplerStates ─┬──► Sampler
//!  CREATE_SAMPLER ─────────────────────┘
//! ```
//!
//! Pure data and functions: no objects, and nothing that is bound to a slot. What draws the same is the same value: a
//! test that is off has no comparison, blending by minimum no factors, fog that is off no colour.
//!
//! Where the emulator's executors differ from Direct3D, Direct3D is right; the rule's documentation names each place.

mod blend;
mod d3d11;
mod d3d9;
mod legacy;
mod resolved;
mod rows;
mod sampler;
mod state_values;

pub use blend::BlendEquations;
pub use d3d11::{DEFAULT_BLEND, DEFAULT_DEPTH_STENCIL, DEFAULT_RASTERIZER};
pub use legacy::{Fog, FogCurve, FogNumbers, LegacyRules, PointNumbers, PointRules, Shading};
pub use resolved::{
    ClipRange, DepthBias, DepthTest, DynamicState, FixedState, FloatBits, Raster, StencilFace, StencilOp, StencilTest,
    TargetAccess, Winding,
};
pub use sampler::Sampler;
pub use state_values::{RenderStates, SamplerStates, StateRemark};
