//! What the packets of Direct3D 10 and 11 come to.

use super::blend::BlendEquations;
use super::legacy::{FogNumbers, LegacyRules, PointNumbers};
use super::resolved::{ClipRange, DepthBias, DepthTest, DynamicState, FixedState, FloatBits, Raster, Winding};
use crate::command::{
    BlendEquation, BlendFactor, BlendOp, Comparison, CullMode, FillMode, MOST_COLOR_TARGETS, SetBlend, SetDepthStencil,
    SetRasterizer,
};

const REPLACE: BlendEquation = BlendEquation { src: BlendFactor::One, dst: BlendFactor::Zero, op: BlendOp::Add };

/// What holds before the first SET_BLEND_STATE.
pub const DEFAULT_BLEND: SetBlend = SetBlend {
    is_enabled: false,
    color: REPLACE,
    alpha: REPLACE,
    write_mask: 0xf,
    constant: [1.0; 4],
    sample_mask: u32::MAX,
};

/// What holds before the first SET_DEPTH_STENCIL_STATE.
pub const DEFAULT_DEPTH_STENCIL: SetDepthStencil = SetDepthStencil {
    tests_depth: true,
    writes_depth: true,
    depth_comparison: Comparison::Less,
    tests_stencil: false,
    stencil_read_mask: 0xff,
    stencil_write_mask: 0xff,
};

/// What holds before the first SET_RASTERIZER_STATE.
pub const DEFAULT_RASTERIZER: SetRasterizer = SetRasterizer {
    fill: FillMode::Solid,
    cull: CullMode::Back,
    front_is_counter_clockwise: false,
    is_scissor_enabled: false,
    depth_bias: 0,
    clamps_depth: false,
};

impl FixedState {
    /// What the three packets of Direct3D 10 and 11 come to.
    ///
    /// * One blending and one mask hold for all targets.
    /// * A test of stencil has neither comparison nor operations in the packet: all pass and nothing changes, as in the
    ///   emulator's executor. So there is none, whatever its masks.
    /// * The packet's wireframe is drawn as such; the executor fills.
    /// * The slope of depth is nowhere in the protocol.
    pub fn of_d3d11(
        blend: &SetBlend,
        depth_stencil: &SetDepthStencil,
        rasterizer: &SetRasterizer,
    ) -> (Self, DynamicState) {
        let depth = DepthTest { comparison: depth_stencil.depth_comparison, writes: depth_stencil.writes_depth };
        let fixed = Self {
            blend: blend.is_enabled.then(|| BlendEquations::new(blend.color, blend.alpha)),
            color_write_masks: [blend.write_mask & 0xf; MOST_COLOR_TARGETS],
            sample_mask: blend.sample_mask,
            depth: depth_stencil.tests_depth.then_some(depth),
            stencil: None,
            raster: raster(rasterizer),
            legacy: LegacyRules::NONE,
        };
        let dynamic = DynamicState {
            blend_constant: blend.constant.map(FloatBits::new),
            stencil_reference: 0,
            alpha_reference: 0,
            fog: FogNumbers::default(),
            points: PointNumbers::ONE_PIXEL,
        };
        (fixed, dynamic)
    }
}

const fn raster(set: &SetRasterizer) -> Raster {
    Raster {
        fill: set.fill,
        cull: set.cull,
        front: if set.front_is_counter_clockwise { Winding::CounterClockwise } else { Winding::Clockwise },
        is_scissor_enabled: set.is_scissor_enabled,
        depth_range: if set.clamps_depth { ClipRange::Clamp } else { ClipRange::Clip },
        depth_bias: DepthBias::Steps(set.depth_bias),
        slope_depth_bias: FloatBits::ZERO,
    }
}
