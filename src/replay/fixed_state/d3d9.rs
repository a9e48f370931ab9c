//! What Direct3D 9's render states come to.

use super::blend::BlendEquations;
use super::legacy::{Fog, FogCurve, FogNumbers, LegacyRules, PointNumbers, PointRules, Shading};
use super::resolved::{
    ClipRange, DepthBias, DepthTest, DynamicState, FixedState, FloatBits, Raster, StencilFace, StencilOp, StencilTest,
    Winding,
};
use super::state_values::RenderStates;
use crate::command::{BlendEquation, BlendFactor, BlendOp, Comparison, CullMode, FillMode};
use crate::command::{LARGEST_POINT_PX, render_state_number as number};

impl FixedState {
    /// What Direct3D 9's render states come to.
    ///
    /// * Factors of source and destination colour, the saturating one and those of a second colour are drawn; the
    ///   emulator's executor drops them. `BOTHSRCALPHA` and `BOTHINVSRCALPHA` set both factors.
    /// * Alpha is blended like the colours unless 206 says otherwise.
    /// * Targets 0 to 3 have a mask each; those behind, which Direct3D 9 does not have, are written whole.
    /// * The mask of samples (162) has no effect where there is one sample, and the protocol has no textures of more.
    /// * Depth by w (`USEW`) is tested by z, as where the device has no such buffer.
    /// * Front is clockwise, for the stencil of two sides too. 18, by which the executor turns it, is no state of
    ///   Direct3D 9.
    /// * Depth is always cut off at 0 and 1. 136 only says whether there is something to cut off, and the guest's driver
    ///   sends it as 0.
    /// * The masks and the reference of stencil, and the reference of alpha, are the low 8 bits.
    /// * Fill mode, bias of depth, fog, alpha test and points count; the executor passes over most of them.
    /// * Points are as large as their vertex shader says, or as 154 says, within 155 and 166. A 0 in these three, which the
    ///   driver sends at its start, is their default: a point of no size draws nothing. They are not scaled (157 to 160):
    ///   that is of vertices without shaders.
    /// * Clip planes (152) cut nothing off: no packet says where they lie, and until it is told Direct3D has them at
    ///   (0, 0, 0, 0), in front of which is everything.
    pub fn of_d3d9(states: &RenderStates) -> (Self, DynamicState) {
        let fixed = Self {
            blend: states.is_on(number::ALPHABLENDENABLE).then(|| blend(states)),
            color_write_masks: color_write_masks(states),
            sample_mask: u32::MAX,
            depth: states.is_on(number::ZENABLE).then(|| DepthTest {
                comparison: comparison(states.get(number::ZFUNC)),
                writes: states.is_on(number::ZWRITEENABLE),
            }),
            stencil: states.is_on(number::STENCILENABLE).then(|| stencil(states)),
            raster: raster(states),
            legacy: legacy_rules(states),
        };
        (fixed, dynamic(states, &fixed))
    }
}

impl RenderStates {
    /// Whether a state has a say in what draws do with their targets, and in whether their scissor counts.
    pub const fn is_of_targets(state: u32) -> bool {
        matches!(
            state,
            number::ZENABLE
                | number::ZWRITEENABLE
                | number::ZFUNC
                | number::STENCILENABLE
                | number::MULTISAMPLEMASK
                | number::COLORWRITEENABLE
                | number::COLORWRITEENABLE1
                | number::COLORWRITEENABLE2
                | number::COLORWRITEENABLE3
                | number::SCISSORTESTENABLE
        )
    }

    fn is_on(&self, state: u32) -> bool {
        self.get(state) != 0
    }

    fn float(&self, state: u32) -> FloatBits {
        FloatBits::from_bits(self.get(state))
    }

    /// The lowest 8 bits.
    fn byte(&self, state: u32) -> u8 {
        self.get(state) as u8
    }
}

/// Red, green, blue and alpha of Direct3D 9's colours.
pub(super) const fn rgba(argb: u32) -> [u8; 4] {
    let [blue, green, red, alpha] = argb.to_le_bytes();
    [red, green, blue, alpha]
}

fn blend(states: &RenderStates) -> BlendEquations {
    let color = [number::SRCBLEND, number::DESTBLEND, number::BLENDOP];
    let alpha = [number::SRCBLENDALPHA, number::DESTBLENDALPHA, number::BLENDOPALPHA];
    let is_separate = states.is_on(number::SEPARATEALPHABLENDENABLE);
    let equation = |numbers: [u32; 3]| blend_equation(numbers.map(|number| states.get(number)));
    BlendEquations::new(equation(color), equation(if is_separate { alpha } else { color }))
}

fn blend_equation([src, dst, op]: [u32; 3]) -> BlendEquation {
    let op = match op {
        2 => BlendOp::Subtract,
        3 => BlendOp::RevSubtract,
        4 => BlendOp::Min,
        5 => BlendOp::Max,
        _ => BlendOp::Add,
    };
    let (src, dst) = match src {
        12 => (BlendFactor::SrcAlpha, BlendFactor::InvSrcAlpha),
        13 => (BlendFactor::InvSrcAlpha, BlendFactor::SrcAlpha),
        src => (blend_factor(src), blend_factor(dst)),
    };
    BlendEquation { src, dst, op }
}

// What a state comes to is always one of its enumeration, so the last arm of each of these is one value.

fn blend_factor(value: u32) -> BlendFactor {
    match value {
        2 => BlendFactor::One,
        3 => BlendFactor::SrcColor,
        4 => BlendFactor::InvSrcColor,
        5 => BlendFactor::SrcAlpha,
        6 => BlendFactor::InvSrcAlpha,
        7 => BlendFactor::DestAlpha,
        8 => BlendFactor::InvDestAlpha,
        9 => BlendFactor::DestColor,
        10 => BlendFactor::InvDestColor,
        11 => BlendFactor::SrcAlphaSat,
        14 => BlendFactor::Constant,
        15 => BlendFactor::InvConstant,
        16 => BlendFactor::Src1Color,
        17 => BlendFactor::InvSrc1Color,
        _ => BlendFactor::Zero,
    }
}

fn comparison(value: u32) -> Comparison {
    match value {
        1 => Comparison::Never,
        2 => Comparison::Less,
        3 => Comparison::Equal,
        4 => Comparison::LessEqual,
        5 => Comparison::Greater,
        6 => Comparison::NotEqual,
        7 => Comparison::GreaterEqual,
        _ => Comparison::Always,
    }
}

fn stencil_op(value: u32) -> StencilOp {
    match value {
        2 => StencilOp::Zero,
        3 => StencilOp::Replace,
        4 => StencilOp::IncrSat,
        5 => StencilOp::DecrSat,
        6 => StencilOp::Invert,
        7 => StencilOp::Incr,
        8 => StencilOp::Decr,
        _ => StencilOp::Keep,
    }
}

fn fog_curve(value: u32) -> FogCurve {
    match value {
        1 => FogCurve::Exp,
        2 => FogCurve::Exp2,
        3 => FogCurve::Linear,
        _ => FogCurve::None,
    }
}

fn color_write_masks(states: &RenderStates) -> [u8; 8] {
    let [first, second, third, fourth] =
        [number::COLORWRITEENABLE, number::COLORWRITEENABLE1, number::COLORWRITEENABLE2, number::COLORWRITEENABLE3]
            .map(|mask| states.byte(mask));
    [first, second, third, fourth, 0xf, 0xf, 0xf, 0xf]
}

fn stencil(states: &RenderStates) -> StencilTest {
    let face = |[fail, depth_fail, pass, func]: [u32; 4]| StencilFace {
        fail: stencil_op(states.get(fail)),
        depth_fail: stencil_op(states.get(depth_fail)),
        pass: stencil_op(states.get(pass)),
        comparison: comparison(states.get(func)),
    };
    let front = [number::STENCILFAIL, number::STENCILZFAIL, number::STENCILPASS, number::STENCILFUNC];
    let back = [number::CCW_STENCILFAIL, number::CCW_STENCILZFAIL, number::CCW_STENCILPASS, number::CCW_STENCILFUNC];
    StencilTest {
        front: face(front),
        back: face(if states.is_on(number::TWOSIDEDSTENCILMODE) { back } else { front }),
        read_mask: states.byte(number::STENCILMASK),
        write_mask: states.byte(number::STENCILWRITEMASK),
    }
}

fn raster(states: &RenderStates) -> Raster {
    let bias = states.float(number::DEPTHBIAS);
    Raster {
        fill: match states.get(number::FILLMODE) {
            1 => FillMode::Point,
            2 => FillMode::Wireframe,
            _ => FillMode::Solid,
        },
        cull: match states.get(number::CULLMODE) {
            1 => CullMode::None,
            2 => CullMode::Front,
            _ => CullMode::Back,
        },
        front: Winding::Clockwise,
        is_scissor_enabled: states.is_on(number::SCISSORTESTENABLE),
        depth_range: ClipRange::Clip,
        depth_bias: if bias.get() == 0.0 { DepthBias::Steps(0) } else { DepthBias::OfRange(bias) },
        slope_depth_bias: states.float(number::SLOPESCALEDEPTHBIAS),
    }
}

fn legacy_rules(states: &RenderStates) -> LegacyRules {
    let alpha_test = states.is_on(number::ALPHATESTENABLE).then(|| comparison(states.get(number::ALPHAFUNC)));
    LegacyRules {
        alpha_test: alpha_test.filter(|comparison| *comparison != Comparison::Always),
        fog: states.is_on(number::FOGENABLE).then(|| Fog {
            table: fog_curve(states.get(number::FOGTABLEMODE)),
            vertex: fog_curve(states.get(number::FOGVERTEXMODE)),
            is_by_range: states.is_on(number::RANGEFOGENABLE),
        }),
        writes_srgb: states.is_on(number::SRGBWRITEENABLE),
        // No device has ever shaded otherwise by `PHONG`.
        shading: if states.get(number::SHADEMODE) == 1 { Shading::Flat } else { Shading::Gouraud },
        points: PointRules {
            are_sprites: states.is_on(number::POINTSPRITEENABLE),
            are_sized: point_numbers(states).held_size_px() != 1.0,
        },
    }
}

fn dynamic(states: &RenderStates, fixed: &FixedState) -> DynamicState {
    let [fog_red, fog_green, fog_blue, _] = rgba(states.get(number::FOGCOLOR));
    let constant = rgba(states.get(number::BLENDFACTOR));
    DynamicState {
        blend_constant: constant.map(|channel| FloatBits::new(f32::from(channel) / 255.0)),
        stencil_reference: fixed.stencil.map_or(0, |_| states.byte(number::STENCILREF)),
        alpha_reference: fixed.legacy.alpha_test.map_or(0, |_| states.byte(number::ALPHAREF)),
        fog: fixed.legacy.fog.map_or_else(FogNumbers::default, |_| FogNumbers {
            color: [fog_red, fog_green, fog_blue],
            start: states.float(number::FOGSTART),
            end: states.float(number::FOGEND),
            density: states.float(number::FOGDENSITY),
        }),
        points: point_numbers(states),
    }
}

fn point_numbers(states: &RenderStates) -> PointNumbers {
    let size = |state: u32, default: f32| {
        let sent = states.float(state);
        if sent.get() == 0.0 { FloatBits::new(default) } else { sent }
    };
    PointNumbers {
        size_px: size(number::POINTSIZE, 1.0),
        smallest_px: size(number::POINTSIZE_MIN, 1.0),
        largest_px: size(number::POINTSIZE_MAX, LARGEST_POINT_PX),
    }
}
