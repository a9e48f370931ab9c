//! Fields that Direct3D 9 sets.

use aerogpu_replay::abi::a3a0::bindings::{SetIndexBuffer, SetRenderState, SetSamplerState};
use aerogpu_replay::abi::a3a0::work::DrawIndexed;

use super::{
    COLORS, DECODED, DEPTH, EVERYWHERE, FINE, IN_A_HALF, INDICES, LAYER, MIP, MIPS, OTHER_INDICES, OTHER_TARGET,
    OTHER_VERTICES, SIZE, SLOPES, TARGET, TARGET_DECODED, TARGET_LAYER, TARGET_MIP, VERTICES, Variation, WHITE,
};
use crate::support::streams::{
    PIXEL, PIXEL_SHADER_9, Stream, StreamOfTests, TRIANGLE_LIST, VERTEX, VERTEX_BYTES, VERTEX_SHADER_9,
};

/// Handles of shaders and of layouts.
const PLAIN: u32 = 2;
const TINTED: u32 = 3;
const MOVED: u32 = 4;
const TURNED: u32 = 5;
const UNTINTED: u32 = 6;
const COLORED: [u32; 2] = [7, 8];
const FLOATS: u32 = 9;
const PACKED: u32 = 10;

// Render states, by their numbers in Direct3D 9.
const Z_ENABLE: u32 = 7;
const FILL_MODE: u32 = 8;
const SHADE_MODE: u32 = 9;
const Z_WRITE: u32 = 14;
const ALPHA_TEST: u32 = 15;
const SRC_BLEND: u32 = 19;
const DEST_BLEND: u32 = 20;
const CULL_MODE: u32 = 22;
const Z_FUNC: u32 = 23;
const ALPHA_REF: u32 = 24;
const ALPHA_FUNC: u32 = 25;
const BLEND: u32 = 27;
const FOG: u32 = 28;
const FOG_COLOR: u32 = 34;
const FOG_TABLE: u32 = 35;
const FOG_START: u32 = 36;
const FOG_END: u32 = 37;
const FOG_DENSITY: u32 = 38;
const STENCIL: u32 = 52;
const STENCIL_FAIL: u32 = 53;
const STENCIL_Z_FAIL: u32 = 54;
const STENCIL_PASS: u32 = 55;
const STENCIL_FUNC: u32 = 56;
const STENCIL_REF: u32 = 57;
const STENCIL_MASK: u32 = 58;
const STENCIL_WRITE_MASK: u32 = 59;
const POINT_SIZE: u32 = 154;
const POINT_SIZE_MIN: u32 = 155;
const POINT_SPRITE: u32 = 156;
const POINT_SIZE_MAX: u32 = 166;
const WRITE_MASK: u32 = 168;
const BLEND_OP: u32 = 171;
const SCISSOR: u32 = 174;
const SLOPE_BIAS: u32 = 175;
const TWO_SIDED: u32 = 185;
const CCW_STENCIL_PASS: u32 = 188;
const BLEND_FACTOR: u32 = 193;
const SRGB_WRITE: u32 = 194;
const DEPTH_BIAS: u32 = 195;
const SEPARATE_ALPHA: u32 = 206;
const SRC_BLEND_ALPHA: u32 = 207;

/// The states that variations set, as they are else: all is drawn, by depth, and as it is.
const STATES: [(u32, u32); 44] = [
    (Z_ENABLE, 1),
    (FILL_MODE, 3),
    (SHADE_MODE, 2),
    (Z_WRITE, 1),
    (ALPHA_TEST, 0),
    (SRC_BLEND, 2),
    (DEST_BLEND, 1),
    (CULL_MODE, 1),
    (Z_FUNC, 4),
    (ALPHA_REF, 0),
    (ALPHA_FUNC, 8),
    (BLEND, 0),
    (FOG, 0),
    (FOG_COLOR, 0xff_8040),
    (FOG_TABLE, 3),
    (FOG_START, 0),
    (FOG_END, 1.0_f32.to_bits()),
    (FOG_DENSITY, 1.0_f32.to_bits()),
    (STENCIL, 0),
    (STENCIL_FAIL, 1),
    (STENCIL_Z_FAIL, 1),
    (STENCIL_PASS, 1),
    (STENCIL_FUNC, 8),
    (STENCIL_REF, 0),
    (STENCIL_MASK, 0xff),
    (STENCIL_WRITE_MASK, 0xff),
    (POINT_SIZE, 1.0_f32.to_bits()),
    (POINT_SIZE_MIN, 1.0_f32.to_bits()),
    (POINT_SPRITE, 0),
    (POINT_SIZE_MAX, 64.0_f32.to_bits()),
    (WRITE_MASK, 0xf),
    (BLEND_OP, 1),
    (SCISSOR, 0),
    (SLOPE_BIAS, 0),
    (TWO_SIDED, 0),
    (CCW_STENCIL_PASS, 1),
    (186, 1),
    (187, 1),
    (189, 8),
    (BLEND_FACTOR, u32::MAX),
    (SRGB_WRITE, 0),
    (DEPTH_BIAS, 0),
    (SEPARATE_ALPHA, 0),
    (SRC_BLEND_ALPHA, 2),
];

// Sampler states.
const ADDRESS_U: u32 = 1;
const BORDER_COLOR: u32 = 4;
const MAG_FILTER: u32 = 5;
const MIN_FILTER: u32 = 6;
const MIP_FILTER: u32 = 7;
const LOD_BIAS: u32 = 8;
const MAX_MIP: u32 = 9;
const SRGB_TEXTURE: u32 = 11;

const SAMPLER: [(u32, u32); 9] = [
    (ADDRESS_U, 1),
    (2, 1),
    (BORDER_COLOR, 0xff00_ff00),
    (MAG_FILTER, 1),
    (MIN_FILTER, 1),
    (MIP_FILTER, 0),
    (LOD_BIAS, 0),
    (MAX_MIP, 0),
    (SRGB_TEXTURE, 0),
];

fn state(stream: &mut Stream, state: u32, value: u32) {
    stream.put(SetRenderState { state, value });
}

fn states(stream: &mut Stream, states: &[(u32, u32)]) {
    states.iter().for_each(|(number, value)| state(stream, *number, *value));
}

fn sampler(stream: &mut Stream, state: u32, value: u32) {
    stream.put(SetSamplerState { stage: PIXEL, slot: 0, state, value });
}

const fn bits(value: f32) -> u32 {
    value.to_bits()
}

pub(super) fn shaders(stream: &mut Stream) {
    // `add oPos, v0, c0`, `mov oT0, v1`.
    let moved = [
        0xfffe_0200,
        0x0300_0002,
        0xc00f_0000,
        0x90e4_0000,
        0xa0e4_0000,
        0x0200_0001,
        0xe00f_0000,
        0x90e4_0001,
        0xffff,
    ];
    // `mov oPos, v0`, `mov oT0, v0`; the same with `mov oD0, v1`.
    let [mut turned, mut colored] = [VERTEX_SHADER_9; 2];
    turned[6] = 0x90e4_0000;
    colored[5] = 0xd00f_0000;
    // All but `mul r0, r0, c0`.
    let untinted = [&PIXEL_SHADER_9[..11], &PIXEL_SHADER_9[15..]].concat();
    // `dcl v0`, `mov oC0, v0`.
    let plain = [0xffff_0200, 0x0200_001f, 0x8000_0000, 0x900f_0000, 0x0200_0001, 0x800f_0800, 0x90e4_0000, 0xffff];
    stream.tokens(PLAIN, VERTEX, &VERTEX_SHADER_9).tokens(TINTED, PIXEL, &PIXEL_SHADER_9);
    stream.tokens(MOVED, VERTEX, &moved).tokens(TURNED, VERTEX, &turned).tokens(UNTINTED, PIXEL, &untinted);
    stream.tokens(COLORED[0], VERTEX, &colored).tokens(COLORED[1], PIXEL, &plain);
    stream.declaration_of_floats(FLOATS);
    // Texture coordinates of four bytes, of 255.
    let blob = [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 16, 0, 4, 0, 5, 0, 0xff, 0, 0, 0, 17, 0, 0, 0];
    stream.layout_of(PACKED, &blob);
}

/// All that variations set, as it is else.
pub(super) fn begin(stream: &mut Stream) {
    stream.shaders(PLAIN, TINTED).use_layout(FLOATS).topology(TRIANGLE_LIST);
    states(stream, &STATES);
    SAMPLER.iter().for_each(|(number, value)| sampler(stream, *number, *value));
    stream.registers(PIXEL, 0, &[[1.0, 0.75, 0.5, 1.0]]).registers(VERTEX, 0, &[[0.0; 4]]);
    stream.vertex_buffer(0, VERTICES, VERTEX_BYTES, 0).read(0, COLORS);
    stream.put(SetIndexBuffer { buffer: INDICES, format: 0, offset: 0, reserved: 0 });
    stream.viewport([0.0, 0.0, SIZE.width_px as f32, SIZE.height_px as f32]);
    stream.scissor([0, 0, SIZE.width_px as i32, SIZE.height_px as i32]);
}

/// Adds blue wherever depth is still what it was cleared to.
fn show_depth(stream: &mut Stream) {
    states(stream, &[(Z_WRITE, 0), (Z_FUNC, 2), (BLEND, 1), (DEST_BLEND, 2), (DEPTH_BIAS, bits(0.2))]);
    add_blue(stream);
}

/// Adds blue wherever stencil is 1.
fn show_stencil(stream: &mut Stream) {
    states(stream, &[(Z_ENABLE, 0), (STENCIL, 1), (STENCIL_FUNC, 3), (STENCIL_REF, 1), (BLEND, 1), (DEST_BLEND, 2)]);
    add_blue(stream);
}

fn add_blue(stream: &mut Stream) {
    stream.read(0, WHITE).registers(PIXEL, 0, &[[0.0, 0.0, 0.5, 0.0]]).draw(0, 2 * IN_A_HALF);
}

/// Adds what a texture shows.
fn add_texture(stream: &mut Stream, texture: u32) {
    states(stream, &[(Z_ENABLE, 0), (BLEND, 1), (DEST_BLEND, 2)]);
    stream.read(0, texture).registers(PIXEL, 0, &[[1.0; 4]]).vertex_buffer(0, EVERYWHERE, VERTEX_BYTES, 0).draw(0, 6);
}

fn by_indices(stream: &mut Stream, half: u32) {
    let (index_count, first_index) = (IN_A_HALF, half * IN_A_HALF);
    stream.put(DrawIndexed { index_count, instance_count: 1, first_index, base_vertex: 0, first_instance: 0 });
}

/// The corner in the middle of each half's lower side, alone.
fn as_points(stream: &mut Stream, half: u32) {
    stream.topology(1).draw(half * IN_A_HALF, IN_A_HALF).topology(TRIANGLE_LIST);
}

/// Vertices that lie in both halves, as far as they form anything in one.
fn within_half(stream: &mut Stream, half: u32) {
    let [width, height] = [SIZE.width_px as i32 / 2, SIZE.height_px as i32];
    state(stream, SCISSOR, 1);
    stream.scissor([half as i32 * width, 0, width, height]).draw(half * IN_A_HALF, IN_A_HALF);
}

fn nothing(_: &mut Stream) {}

macro_rules! of_state {
    ($field:literal, $state:expr, $values:expr) => {
        of_state!($field, $state, $values, [])
    };
    ($field:literal, $state:expr, $values:expr, $context:expr) => {
        Variation::new(
            &[$field],
            |stream| states(stream, &$context),
            |stream, value| state(stream, $state, $values[value]),
        )
    };
}

macro_rules! of_sampler {
    ($field:literal, $state:expr, $values:expr, $context:expr) => {
        Variation::new(&[$field], $context, |stream, value| sampler(stream, $state, $values[value]))
    };
}

const ADDS: [(u32, u32); 2] = [(BLEND, 1), (DEST_BLEND, 2)];
const REPLACES: [(u32, u32); 3] = [(STENCIL, 1), (STENCIL_PASS, 3), (STENCIL_REF, 1)];
const IN_FOG: [(u32, u32); 1] = [(FOG, 1)];

pub(super) const VARIATIONS: [Variation; 73] = [
    Variation::new(&["DrawState.vertex"], nothing, |stream, value| {
        stream.shaders([PLAIN, TURNED][value], TINTED);
    }),
    Variation::new(&["DrawState.pixel"], nothing, |stream, value| {
        stream.shaders(PLAIN, [TINTED, UNTINTED][value]);
    }),
    Variation::new(&["DrawTargets.colors", "TargetView.texture"], nothing, |stream, value| {
        stream.targets(&[[TARGET, OTHER_TARGET][value]], DEPTH);
    }),
    Variation::new(&["TargetView.layer"], nothing, |stream, value| {
        stream.targets(&[TARGET_LAYER[value]], DEPTH);
    })
    .shown_by(|stream| add_texture(stream, TARGET_LAYER[1])),
    Variation::new(&["TargetView.mip"], nothing, |stream, value| {
        stream.targets(&[TARGET_MIP[value]], 0);
    })
    .shown_by(|stream| add_texture(stream, TARGET_MIP[1])),
    Variation::new(&["TargetView.format"], nothing, |stream, value| {
        stream.targets(&[[TARGET, TARGET_DECODED][value]], DEPTH);
    }),
    Variation::new(
        &["DrawTargets.depth_stencil"],
        |stream| state(stream, Z_FUNC, 1),
        |stream, value| {
            stream.targets(&[TARGET], [DEPTH, 0][value]);
        },
    ),
    Variation::new(&["DrawState.viewport"], nothing, |stream, value| {
        stream.viewport([0.0, 0.0, SIZE.width_px as f32, [8.0, 4.0][value]]);
    }),
    Variation::new(
        &["DrawState.scissor"],
        |stream| state(stream, SCISSOR, 1),
        |stream, value| {
            stream.scissor([0, 0, SIZE.width_px as i32, [8, 4][value]]);
        },
    ),
    // Lines.
    Variation::new(&["DrawState.topology"], nothing, |stream, value| {
        stream.topology([TRIANGLE_LIST, 2][value]);
    }),
    Variation::new(&["DrawState.inputs", "VertexInput.buffer"], nothing, |stream, value| {
        stream.vertex_buffer(0, [VERTICES, OTHER_VERTICES][value], VERTEX_BYTES, 0);
    }),
    Variation::new(&["VertexInput.start_bytes"], nothing, |stream, value| {
        stream.vertex_buffer(0, VERTICES, VERTEX_BYTES, [0, 2 * IN_A_HALF * VERTEX_BYTES][value]);
    }),
    Variation::new(&["VertexInput.stride_bytes"], nothing, |stream, value| {
        stream.vertex_buffer(0, VERTICES, [VERTEX_BYTES, 2 * VERTEX_BYTES][value], 0);
    })
    .drawn_by(within_half),
    Variation::new(&["VertexInput.value"], nothing, |stream, value| {
        stream.use_layout([FLOATS, PACKED][value]);
    }),
    Variation::new(&["IndexSource.buffer"], nothing, |stream, value| {
        stream.put(SetIndexBuffer { buffer: [INDICES, OTHER_INDICES][value], format: 0, offset: 0, reserved: 0 });
    })
    .drawn_by(by_indices),
    Variation::new(&["IndexSource.offset_bytes"], nothing, |stream, value| {
        let offset = [0, 2 * 2 * IN_A_HALF][value];
        stream.put(SetIndexBuffer { buffer: INDICES, format: 0, offset, reserved: 0 });
    })
    .drawn_by(by_indices),
    Variation::new(&["IndexSource.format"], nothing, |stream, value| {
        stream.put(SetIndexBuffer { buffer: INDICES, format: value as u32, offset: 0, reserved: 0 });
    })
    .drawn_by(by_indices),
    // A strip's pipeline knows how large its indices are.
    Variation::new(&["IndexSource.format"], nothing, |stream, value| {
        stream.put(SetIndexBuffer { buffer: INDICES, format: value as u32, offset: 0, reserved: 0 });
    })
    .drawn_by(|stream, half| {
        stream.topology(5);
        by_indices(stream, half);
        stream.topology(TRIANGLE_LIST);
    }),
    of_state!("FixedState.blend", BLEND, [0, 1], [(DEST_BLEND, 2)]),
    of_state!("BlendEquations.color", SRC_BLEND, [2, 5], ADDS),
    of_state!("BlendEquations.alpha", SRC_BLEND_ALPHA, [2, 1], [(BLEND, 1), (DEST_BLEND, 2), (SEPARATE_ALPHA, 1)]),
    of_state!("BlendEquation.dst", DEST_BLEND, [1, 2], [(BLEND, 1)]),
    of_state!("BlendEquation.op", BLEND_OP, [1, 3], ADDS),
    of_state!("FixedState.color_write_masks", WRITE_MASK, [0xf, 0x3]),
    of_state!("FixedState.depth", Z_ENABLE, [1, 0], [(Z_FUNC, 1)]),
    of_state!("DepthTest.comparison", Z_FUNC, [4, 1]),
    of_state!("DepthTest.writes", Z_WRITE, [1, 0]).shown_by(show_depth),
    of_state!("FixedState.stencil", STENCIL, [0, 1], [(STENCIL_PASS, 3), (STENCIL_REF, 1)]).shown_by(show_stencil),
    of_state!("StencilFace.pass", STENCIL_PASS, [1, 3], REPLACES).shown_by(show_stencil),
    of_state!("StencilFace.fail", STENCIL_FAIL, [1, 3], [(STENCIL, 1), (STENCIL_REF, 1), (STENCIL_FUNC, 1)])
        .shown_by(show_stencil),
    of_state!("StencilFace.depth_fail", STENCIL_Z_FAIL, [1, 3], [(STENCIL, 1), (STENCIL_REF, 1), (Z_FUNC, 1)])
        .shown_by(show_stencil),
    of_state!("StencilFace.comparison", STENCIL_FUNC, [8, 1], [(STENCIL, 1)]),
    of_state!("StencilTest.read_mask", STENCIL_MASK, [0xff, 0xfe], [(STENCIL, 1), (STENCIL_FUNC, 3), (STENCIL_REF, 1)]),
    of_state!("StencilTest.write_mask", STENCIL_WRITE_MASK, [0xff, 0], REPLACES).shown_by(show_stencil),
    Variation::new(
        &["StencilTest.back"],
        |stream| {
            states(stream, &[(STENCIL, 1), (STENCIL_REF, 1), (TWO_SIDED, 1)]);
        },
        |stream, value| state(stream, CCW_STENCIL_PASS, [1, 3][value]),
    )
    .drawn_by(from_behind)
    .shown_by(show_stencil),
    of_state!("DynamicState.blend_constant", BLEND_FACTOR, [u32::MAX, 0x8040_20ff], [(BLEND, 1), (SRC_BLEND, 14)]),
    of_state!("DynamicState.stencil_reference", STENCIL_REF, [1, 2], [(STENCIL, 1), (STENCIL_PASS, 3)])
        .shown_by(show_stencil),
    of_state!("DynamicState.alpha_reference", ALPHA_REF, [0, 160], [(ALPHA_TEST, 1), (ALPHA_FUNC, 5)]),
    of_state!("LegacyRules.alpha_test", ALPHA_TEST, [0, 1], [(ALPHA_FUNC, 1)]),
    of_state!("LegacyRules.fog", FOG, [0, 1]),
    of_state!("Fog.table", FOG_TABLE, [3, 1], IN_FOG),
    of_state!("FogNumbers.color", FOG_COLOR, [0xff_8040, 0x00_40ff], IN_FOG),
    of_state!("FogNumbers.start", FOG_START, [0, bits(0.2)], IN_FOG),
    of_state!("FogNumbers.end", FOG_END, [bits(1.0), bits(0.5)], IN_FOG),
    of_state!("FogNumbers.density", FOG_DENSITY, [bits(1.0), bits(4.0)], [(FOG, 1), (FOG_TABLE, 1)]),
    of_state!("LegacyRules.writes_srgb", SRGB_WRITE, [0, 1]),
    Variation::new(
        &["LegacyRules.shading"],
        |stream| {
            stream.shaders(COLORED[0], COLORED[1]);
        },
        |stream, value| state(stream, SHADE_MODE, [2, 1][value]),
    ),
    of_state!("PointRules.are_sprites", POINT_SPRITE, [0, 1], [(POINT_SIZE, bits(4.0))]).drawn_by(as_points),
    of_state!("PointRules.are_sized", POINT_SIZE, [bits(1.0), bits(3.0)]).drawn_by(as_points),
    of_state!("PointNumbers.size_px", POINT_SIZE, [bits(3.0), bits(5.0)]).drawn_by(as_points),
    of_state!("PointNumbers.smallest_px", POINT_SIZE_MIN, [bits(1.0), bits(5.0)], [(POINT_SIZE, bits(3.0))])
        .drawn_by(as_points),
    of_state!("PointNumbers.largest_px", POINT_SIZE_MAX, [bits(64.0), bits(3.0)], [(POINT_SIZE, bits(6.0))])
        .drawn_by(as_points),
    of_state!("Raster.fill", FILL_MODE, [3, 2]).of_vulkan(),
    of_state!("Raster.cull", CULL_MODE, [1, 2]),
    of_state!("Raster.depth_bias", DEPTH_BIAS, [0, bits(0.5)]),
    Variation::new(
        &["Raster.slope_depth_bias"],
        |stream| {
            stream.vertex_buffer(0, SLOPES, VERTEX_BYTES, 0);
        },
        |stream, value| state(stream, SLOPE_BIAS, [0, bits(10.0)][value]),
    ),
    Variation::new(
        &["Raster.is_scissor_enabled"],
        |stream| {
            stream.scissor([0, 0, SIZE.width_px as i32, 3]);
        },
        |stream, value| state(stream, SCISSOR, value as u32),
    ),
    Variation::new(&["SlotBindings.resources", "TextureBinding.texture"], nothing, |stream, value| {
        stream.read(0, [COLORS, WHITE][value]);
    }),
    Variation::new(&["TextureBinding.format"], nothing, |stream, value| {
        stream.read(0, [COLORS, DECODED][value]);
    }),
    Variation::new(&["TextureBinding.mips"], nothing, |stream, value| {
        stream.read(0, MIP[value]);
    }),
    Variation::new(&["TextureBinding.layers"], nothing, |stream, value| {
        stream.read(0, LAYER[value]);
    }),
    Variation::new(&["StageBindings.samplers", "Sampler.address"], nothing, |stream, value| {
        sampler(stream, ADDRESS_U, [1, 3][value]);
    }),
    // Mirrored once, and with a border: shaders are translated by both.
    of_sampler!("Sampler.address", ADDRESS_U, [1, 5], nothing),
    of_sampler!("Sampler.address", ADDRESS_U, [1, 4], nothing),
    of_sampler!("Sampler.decodes_srgb", SRGB_TEXTURE, [0, 1], nothing),
    of_sampler!("Sampler.mip", MIP_FILTER, [0, 1], |stream| {
        stream.read(0, MIPS);
        sampler(stream, LOD_BIAS, bits(4.0));
    }),
    of_sampler!("Sampler.lod_bias", LOD_BIAS, [0, bits(4.0)], |stream| {
        stream.read(0, MIPS);
        sampler(stream, MIP_FILTER, 1);
    }),
    of_sampler!("Sampler.border_color", BORDER_COLOR, [0xff00_ff00, 0xffff_00ff], |stream| {
        sampler(stream, ADDRESS_U, 4);
    }),
    of_sampler!("Sampler.mag", MAG_FILTER, [1, 2], nothing),
    of_sampler!("Sampler.min", MIN_FILTER, [1, 2], |stream| {
        stream.read(0, FINE);
    }),
    of_sampler!("Sampler.largest_mip", MAX_MIP, [0, 1], |stream| {
        stream.read(0, MIPS);
    }),
    Variation::new(&["LegacyConstants.floats"], nothing, |stream, value| {
        stream.registers(PIXEL, 0, &[[[1.0; 4], [0.5; 4]][value]]);
    }),
    // Those of the vertex stage.
    Variation::new(
        &["LegacyConstants.floats"],
        |stream| {
            stream.shaders(MOVED, TINTED);
        },
        |stream, value| {
            stream.registers(VERTEX, 0, &[[0.0, [0.0, 0.5][value], 0.0, 0.0]]);
        },
    ),
];

/// Part of a half, whose corners go the other way round: the second triangle of a strip without area in its first.
fn from_behind(stream: &mut Stream, half: u32) {
    stream.topology(5).draw(half * IN_A_HALF + 2, 4).topology(TRIANGLE_LIST);
}
