//! Fields that Direct3D 10 and 11 alone set.

use aerogpu_replay::abi::a3a0::state::{SetBlendState, SetRasterizerState};

use super::{CONSTANTS, DEPTH, OTHER_CONSTANTS, SIZE, TARGET, TOO_NEAR, VERTICES, Variation};
use crate::support::streams::{
    APPENDED, Element, FLOAT4, PIXEL, Stream, StreamOfTests, TRIANGLE_LIST, VERTEX, VERTEX_BYTES, unblended,
};

/// Handles of shaders and of the layout.
const QUAD: u32 = 12;
const CONSTANT: u32 = 13;
const LAYOUT: u32 = 14;
const BY_INSTANCE: u32 = 15;
const COLOR: u32 = 16;

const ELEMENTS: [Element; 2] =
    [Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)];

pub(super) fn shaders(stream: &mut Stream) {
    let [position, Element(name, format, slot, offset, _)] = ELEMENTS;
    stream.shader(QUAD, VERTEX, "quad.vs").shader(CONSTANT, PIXEL, "constant.ps").shader(COLOR, PIXEL, "color.ps");
    stream.layout(BY_INSTANCE, &[position, Element(name, format, slot, offset, 1)]).layout(LAYOUT, &ELEMENTS);
}

/// All that variations set, as it is else.
pub(super) fn begin(stream: &mut Stream) {
    stream.shaders(QUAD, CONSTANT).use_layout(LAYOUT).topology(TRIANGLE_LIST).constants(CONSTANTS, 0, 0);
    stream.put(unblended()).rasterizer(0, 0).depth_test(Some(1));
    stream.vertex_buffer(0, VERTICES, VERTEX_BYTES, 0);
    stream.viewport([0.0, 0.0, SIZE.width_px as f32, SIZE.height_px as f32]);
}

fn rasterizer(stream: &mut Stream, cull: u32, front_ccw: u32, [depth_bias, flags]: [u32; 2]) {
    let depth_bias = depth_bias as i32;
    stream.put(SetRasterizerState { fill: 0, cull, front_ccw, scissor_enable: 0, depth_bias, flags });
}

fn nothing(_: &mut Stream) {}

pub(super) const VARIATIONS: [Variation; 7] = [
    Variation::new(
        &["VertexInput.step"],
        |stream| {
            stream.shaders(QUAD, COLOR);
        },
        |stream, value| {
            stream.use_layout([LAYOUT, BY_INSTANCE][value]);
        },
    ),
    Variation::new(&["SlotBindings.constants", "BufferRange.buffer"], nothing, |stream, value| {
        stream.constants([CONSTANTS, OTHER_CONSTANTS][value], 0, 0);
    }),
    Variation::new(&["BufferRange.start_bytes"], nothing, |stream, value| {
        stream.constants(CONSTANTS, [0, 256][value], 0);
    }),
    Variation::new(&["BufferRange.size_bytes"], nothing, |stream, value| {
        stream.constants(CONSTANTS, 0, [256, 4][value]);
    }),
    Variation::new(&["FixedState.sample_mask"], nothing, |stream, value| {
        stream.put(SetBlendState { sample_mask: Some([u32::MAX, 0][value]), ..unblended() });
    }),
    // Triangles that are seen from behind are not drawn.
    Variation::new(&["Raster.front"], nothing, |stream, value| rasterizer(stream, 2, value as u32, [0; 2])),
    Variation::new(
        &["Raster.depth_range"],
        |stream| {
            // The upper half is cut off, or as near as it can be.
            stream.depth_test(None).targets(&[TARGET], DEPTH);
            stream.vertex_buffer(0, TOO_NEAR, VERTEX_BYTES, 0);
        },
        |stream, value| rasterizer(stream, 0, 0, [0, value as u32]),
    ),
];
