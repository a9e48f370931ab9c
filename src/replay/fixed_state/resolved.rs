//! What both worlds' settings come to.

use trace_base::named;

use super::blend::BlendEquations;
use super::legacy::{FogNumbers, LegacyRules, PointNumbers};
use crate::command::{Comparison, CullMode, FillMode, MOST_COLOR_TARGETS};

/// A float that is compared by its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatBits(u32);

impl FloatBits {
    /// 0.0.
    pub const ZERO: Self = Self(0);

    /// A float.
    pub const fn new(value: f32) -> Self {
        Self(value.to_bits())
    }

    /// The float whose bits these are.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The float.
    pub const fn get(self) -> f32 {
        f32::from_bits(self.0)
    }
}

/// The test of depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthTest {
    /// When it passes: new depth against the target's.
    pub comparison: Comparison,
    /// Whether what passes is written.
    pub writes: bool,
}

/// What is added to depth, beside the slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthBias {
    /// In units of the target's smallest step, as Direct3D 10 and 11 count. Nothing is added if it is 0.
    Steps(i32),
    /// A part of the whole range of depth, as Direct3D 9 counts.
    OfRange(FloatBits),
}

named! {
    /// What a test of stencil does to the value.
    StencilOp {
        Keep = "KEEP",
        Zero = "ZERO",
        Replace = "REPLACE",
        IncrSat = "INCR_SAT",
        DecrSat = "DECR_SAT",
        Invert = "INVERT",
        Incr = "INCR",
        Decr = "DECR",
    }
}

/// The test of stencil for one side of triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StencilFace {
    /// What is done when the test fails.
    pub fail: StencilOp,
    /// What is done when it passes, and the test of depth fails.
    pub depth_fail: StencilOp,
    /// What is done when both pass.
    pub pass: StencilOp,
    /// When it passes: the reference against the target's value.
    pub comparison: Comparison,
}

/// The test of stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StencilTest {
    /// For triangles that are seen from their front, lines and points.
    pub front: StencilFace,
    /// For triangles that are seen from their back.
    pub back: StencilFace,
    /// Which bits are compared.
    pub read_mask: u8,
    /// Which bits are written.
    pub write_mask: u8,
}

named! {
    /// Which way a triangle's corners go on the screen.
    Winding {
        Clockwise = "CLOCKWISE",
        CounterClockwise = "COUNTER_CLOCKWISE",
    }
}

named! {
    /// What becomes of depth outside of 0 to 1.
    ClipRange {
        /// It is cut off.
        Clip = "CLIP",
        /// It is clamped.
        Clamp = "CLAMP",
    }
}

/// Which triangles are drawn, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Raster {
    /// What is drawn of them.
    pub fill: FillMode,
    /// Which are not drawn.
    pub cull: CullMode,
    /// Which are seen from their front.
    pub front: Winding,
    /// Whether the scissor counts.
    pub is_scissor_enabled: bool,
    /// What becomes of depth outside of 0 to 1.
    pub depth_range: ClipRange,
    /// What is added to depth.
    pub depth_bias: DepthBias,
    /// What the steepest slope of depth is multiplied with to be added as well.
    pub slope_depth_bias: FloatBits,
}

/// What of a draw's settings stands in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FixedState {
    /// How colours are blended, if they are.
    pub blend: Option<BlendEquations>,
    /// Which channels of each colour target are written: bit 0 red to bit 3 alpha.
    pub color_write_masks: [u8; MOST_COLOR_TARGETS],
    /// Which samples are written.
    pub sample_mask: u32,
    /// The test of depth; without one depth is not written either.
    pub depth: Option<DepthTest>,
    /// The test of stencil; without one stencil is not written either.
    pub stencil: Option<StencilTest>,
    /// Which triangles are drawn, and how.
    pub raster: Raster,
    /// What Direct3D 9 does besides.
    pub legacy: LegacyRules,
}

/// What of a draw's settings changes without another pipeline: numbers alone, so that a fade of fog or of a blend
/// constant makes no pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DynamicState {
    /// Red, green, blue and alpha of the blend factor that is constant.
    pub blend_constant: [FloatBits; 4],
    /// What the target's stencil is compared with; 0 without a test.
    pub stencil_reference: u8,
    /// What alpha is compared with, of 255; 0 without a test.
    pub alpha_reference: u8,
    /// The numbers of fog.
    pub fog: FogNumbers,
    /// The numbers of points.
    pub points: PointNumbers,
}

/// What a draw does with a part of the target of depth and stencil.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TargetAccess {
    /// Whether what the part held has an influence on the draw.
    pub reads: bool,
    /// Whether the draw may write to it.
    pub writes: bool,
}

impl FixedState {
    /// This state with every triangle drawn, whichever side it shows.
    #[must_use]
    pub const fn without_culling(mut self) -> Self {
        self.raster.cull = CullMode::None;
        self
    }

    /// This state without what is of triangles alone: lines or points instead of them, and what is added to their depth.
    #[must_use]
    pub const fn without_polygon_rules(mut self) -> Self {
        self.raster.fill = FillMode::Solid;
        self.raster.depth_bias = DepthBias::Steps(0);
        self.raster.slope_depth_bias = FloatBits::ZERO;
        self
    }

    /// Which channels of a colour target are written; none of a target that cannot be.
    pub fn color_write_mask(&self, target: u32) -> u8 {
        self.color_write_masks.get(target as usize).copied().unwrap_or(0)
    }

    /// What a draw does with depth, if there is a target of it.
    pub fn depth_access(&self) -> TargetAccess {
        let reads = self.depth.is_some_and(|test| test.comparison != Comparison::Always);
        TargetAccess { reads, writes: self.depth.is_some_and(|test| test.writes) }
    }

    /// What a draw does with stencil, if there is a target of it. A test counts as both, whatever its masks and
    /// operations are.
    pub const fn stencil_access(&self) -> TargetAccess {
        TargetAccess { reads: self.stencil.is_some(), writes: self.stencil.is_some() }
    }

    /// Whether the scissor counts.
    pub const fn is_scissor_enabled(&self) -> bool {
        self.raster.is_scissor_enabled
    }
}
