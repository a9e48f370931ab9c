//! What is drawn, in memory: a trace of submissions is written from it, and the baseline draws it as it is.
//!
//! Per frame a CLEAR and 5,000 draws, each with another texture of 64 and another tint; another pixel shader of four every
//! 25 draws or with each, another vertex buffer of sixteen every 8. A draw has 3 to 12 vertices, in triangles of a few pixels, so that
//! what is measured is draws and not filling.

use aerogpu_replay::abi::a3a0::bindings::SetRenderState;
use aerogpu_replay::abi::a3a0::calls::{B8G8R8A8, PIXEL, Stream, TRIANGLE_LIST, VERTEX, floats, recording};
use anyhow::Result;

use super::shaders;
use crate::scene::{Random, SIZE};

const TEXTURES: u32 = 64;
pub(super) const TEXTURE_SIDE_PX: u32 = 8;
const BUFFERS: u32 = 16;
const VERTICES: u32 = 256;
pub(super) const STRIDE_BYTES: u32 = 24;

const FIRST_TEXTURE: u32 = 100;
const FIRST_BUFFER: u32 = 200;
const CONSTANTS: u32 = 300;
const VERTEX_SHADER: u32 = 400;
const FIRST_PIXEL_SHADER: u32 = 401;
const LAYOUT: u32 = 500;
const SAMPLER: u32 = 600;

/// One draw and all the state it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw {
    pub pipeline: u32,
    pub texture: u32,
    pub buffer: u32,
    pub tint: [f32; 4],
    pub first_vertex: u32,
    pub vertex_count: u32,
}

/// How a recorder tells the tint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tint {
    /// Direct3D 9: in a register of constants.
    Register,
    /// Direct3D 10 and 11: in a constant buffer that is written anew before each draw.
    Upload,
}

pub(super) struct Scene {
    /// Texels of B8G8R8A8, row by row.
    pub textures: Vec<Vec<u8>>,
    pub buffers: Vec<Vec<u8>>,
    pub frames: Vec<Vec<Draw>>,
}

impl Scene {
    /// So many draws in a row have the same shader.
    pub(super) fn new(frames: u32, draws: u32, in_a_row: u32) -> Self {
        let mut random = Random::new(11);
        let texels = TEXTURE_SIDE_PX * TEXTURE_SIDE_PX;
        let textures = (0..TEXTURES).map(|_| (0..texels * 4).map(|_| random.below(256) as u8).collect()).collect();
        let buffers = (0..BUFFERS).map(|_| make_vertices(&mut random)).collect();
        let frames =
            (0..frames).map(|_| (0..draws).map(|index| make_draw(index, in_a_row, &mut random)).collect()).collect();
        Self { textures, buffers, frames }
    }

    /// Writes the scene as a trace, a submission a frame. Frame 0 also makes everything.
    pub(super) fn write_trace(&self, tint: Tint) -> Result<Vec<u8>> {
        let stream = |(number, draws): (usize, &Vec<Draw>)| {
            let mut stream = Stream::new();
            if number == 0 {
                self.put_resources(&mut stream, tint);
            }
            stream.clear(1, [0.0, 0.0, 0.0, 1.0], 1.0);
            put_draws(&mut stream, draws, tint);
            stream.present();
            Ok(stream.into_bytes()?)
        };
        let streams = self.frames.iter().enumerate().map(stream).collect::<Result<Vec<_>>>()?;
        Ok(recording(streams.iter().map(Vec::as_slice))?)
    }

    fn put_resources(&self, stream: &mut Stream, tint: Tint) {
        for (handle, texels) in (FIRST_TEXTURE..).zip(&self.textures) {
            stream.texture(handle, B8G8R8A8, [TEXTURE_SIDE_PX; 2], [1, 1]).upload(handle, 0, texels);
        }
        for (handle, bytes) in (FIRST_BUFFER..).zip(&self.buffers) {
            stream.buffer(handle, bytes);
        }
        let is_d3d9 = tint == Tint::Register;
        stream.container(VERTEX_SHADER, VERTEX, &if is_d3d9 { shaders::sm2_vertex() } else { shaders::sm4_vertex() });
        for (handle, operation) in (FIRST_PIXEL_SHADER..).zip(&shaders::OPERATIONS) {
            let pixel = if is_d3d9 { shaders::sm2_pixel(operation) } else { shaders::sm4_pixel(operation) };
            stream.container(handle, PIXEL, &pixel);
        }
        let layout = if is_d3d9 { shaders::DECLARATION.to_vec() } else { shaders::ilay() };
        stream.layout_of(LAYOUT, &layout).use_layout(LAYOUT).topology(TRIANGLE_LIST);
        stream.viewport([0.0, 0.0, SIZE.width_px as f32, SIZE.height_px as f32]);
        match tint {
            // Nothing is culled.
            Tint::Register => stream.put(SetRenderState { state: 22, value: 1 }),
            // Texels are points, and repeated.
            Tint::Upload => stream
                .rasterizer(0, 0)
                .sampler(0, SAMPLER, 0, 1)
                .empty_buffer(CONSTANTS, 16)
                .constants(CONSTANTS, 0, 16),
        };
    }
}

fn put_draws(stream: &mut Stream, draws: &[Draw], tint: Tint) {
    let (mut pipeline, mut buffer) = (None, None);
    for draw in draws {
        if pipeline.replace(draw.pipeline) != Some(draw.pipeline) {
            stream.shaders(VERTEX_SHADER, FIRST_PIXEL_SHADER + draw.pipeline);
        }
        if buffer.replace(draw.buffer) != Some(draw.buffer) {
            stream.vertex_buffer(0, FIRST_BUFFER + draw.buffer, STRIDE_BYTES, 0);
        }
        stream.read(0, FIRST_TEXTURE + draw.texture);
        match tint {
            Tint::Register => stream.registers(PIXEL, 0, &[draw.tint]),
            Tint::Upload => stream.upload(CONSTANTS, 0, &floats(&draw.tint)),
        };
        stream.draw(draw.first_vertex, draw.vertex_count);
    }
}

fn make_draw(index: u32, in_a_row: u32, random: &mut Random) -> Draw {
    Draw {
        pipeline: index / in_a_row.max(1) % shaders::OPERATIONS.len() as u32,
        texture: random.below(TEXTURES),
        buffer: index / 8 % BUFFERS,
        tint: [random.unit(), random.unit(), random.unit(), 1.0],
        first_vertex: 3 * random.below(48),
        vertex_count: 3 * (1 + random.below(4)),
    }
}

/// Small triangles, each anywhere, with any part of a texture.
fn make_vertices(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut center = [0.0, 0.0];
    for vertex in 0..VERTICES {
        if vertex % 3 == 0 {
            center = [random.unit() * 2.0 - 1.0, random.unit() * 2.0 - 1.0];
        }
        let [x, y] = center.map(|at| at + (random.unit() - 0.5) * 0.04);
        let floats = [x, y, 0.0, 1.0, random.unit(), random.unit()];
        bytes.extend(floats.into_iter().flat_map(f32::to_le_bytes));
    }
    bytes
}
