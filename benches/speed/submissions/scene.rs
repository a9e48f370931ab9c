//! What is drawn, in memory: a trace of submissions is written from it, and the baseline draws it as it is.
//!
//! Per frame a CLEAR and 5,000 draws, each with another texture of 64 and another tint; another pixel shader of four every
//! 25 draws or with each, another vertex buffer of sixteen every 8. A draw has 3 to 12 vertices, in triangles of a few pixels, so that
//! what is measured is draws and not filling.

use aerogpu_replay::abi::a3a0::bindings::*;
use aerogpu_replay::abi::a3a0::resources::*;
use aerogpu_replay::abi::a3a0::shaders::*;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::{Clear, Draw as DrawPacket, Present};
use aerogpu_replay::abi::a3a0::{
    ABI_VERSION, BoundHandle, BufferBinding, Bytes, Element, Elements, Packet, StreamWriter, VertexBufferBinding,
};
use aerogpu_replay::format::aerogpu::{NewSubmission, TraceWriter};
use anyhow::{Context, Result};

use super::shaders;
use crate::scene::{Random, SIZE};

const TEXTURES: u32 = 64;
pub(super) const TEXTURE_SIDE_PX: u32 = 8;
const BUFFERS: u32 = 16;
const VERTICES: u32 = 256;
pub(super) const STRIDE_BYTES: u32 = 24;
const META: &str = r#"{"emulator_version":"bench"}"#;

const FIRST_TEXTURE: u32 = 100;
const FIRST_BUFFER: u32 = 200;
const CONSTANTS: u32 = 300;
const VERTEX_SHADER: u32 = 400;
const FIRST_PIXEL_SHADER: u32 = 401;
const LAYOUT: u32 = 500;
const SAMPLER: u32 = 600;
const PIXEL: u32 = 1;
const TRIANGLE_LIST: u32 = 4;

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
        let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META)?;
        for (number, draws) in self.frames.iter().enumerate() {
            let mut stream = Stream(StreamWriter::new(ABI_VERSION));
            if number == 0 {
                self.put_resources(&mut stream, tint)?;
            }
            stream.put(Clear { flags: 1, r: 0.0, g: 0.0, b: 0.0, a: 1.0, depth: 1.0, stencil: 0 })?;
            put_draws(&mut stream, draws, tint)?;
            stream.put(Present { scanout_id: 0, flags: 0 })?;
            writer.begin_frame()?;
            let cmd_stream = &stream.0.finish();
            writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() })?;
            writer.present()?;
        }
        Ok(writer.finish()?)
    }

    fn put_resources(&self, stream: &mut Stream, tint: Tint) -> Result<()> {
        for (handle, texels) in (FIRST_TEXTURE..).zip(&self.textures) {
            stream.texture(handle, [TEXTURE_SIDE_PX; 2])?;
            stream.upload(handle, texels)?;
        }
        for (handle, bytes) in (FIRST_BUFFER..).zip(&self.buffers) {
            stream.buffer(handle, bytes.len() as u64)?;
            stream.upload(handle, bytes)?;
        }
        let is_d3d9 = tint == Tint::Register;
        let vertex = if is_d3d9 { shaders::sm2_vertex() } else { shaders::sm4_vertex() };
        stream.shader(VERTEX_SHADER, 0, &vertex)?;
        for (handle, operation) in (FIRST_PIXEL_SHADER..).zip(&shaders::OPERATIONS) {
            let pixel = if is_d3d9 { shaders::sm2_pixel(operation) } else { shaders::sm4_pixel(operation) };
            stream.shader(handle, PIXEL, &pixel)?;
        }
        let layout = if is_d3d9 { shaders::DECLARATION.to_vec() } else { shaders::ilay() };
        let blob_size = layout.len() as u32;
        stream.put(CreateInputLayout { handle: LAYOUT, blob_size, reserved: 0, blob: Bytes::new(&layout) })?;
        stream.put(SetInputLayout { handle: LAYOUT, reserved: 0 })?;
        let (width, height) = (SIZE.width_px as f32, SIZE.height_px as f32);
        stream.put(SetViewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 })?;
        stream.put(SetPrimitiveTopology { topology: TRIANGLE_LIST, reserved: 0 })?;
        match tint {
            // Nothing is culled.
            Tint::Register => stream.put(SetRenderState { state: 22, value: 1 }),
            Tint::Upload => put_d3d11_state(stream),
        }
    }
}

fn put_d3d11_state(stream: &mut Stream) -> Result<()> {
    let (fill, cull, front_ccw, scissor_enable) = (0, 0, 0, 0);
    stream.put(SetRasterizerState { fill, cull, front_ccw, scissor_enable, depth_bias: 0, flags: 0 })?;
    // Point, and repeated.
    stream.put(CreateSampler { handle: SAMPLER, filter: 0, address_u: 1, address_v: 1, address_w: 1 })?;
    let samplers = Elements::to_bytes(&[BoundHandle { handle: SAMPLER }]);
    let values = elements(&samplers)?;
    stream.put(SetSamplers { stage: PIXEL, start_slot: 0, sampler_count: 1, stage_ex: 0, values })?;
    stream.buffer(CONSTANTS, 16)?;
    let bound = BufferBinding { buffer: CONSTANTS, offset_bytes: 0, size_bytes: 16, reserved: 0 };
    let bound = Elements::to_bytes(&[bound]);
    let values = elements(&bound)?;
    stream.put(SetConstantBuffers { stage: PIXEL, start_slot: 0, buffer_count: 1, stage_ex: 0, values })
}

fn put_draws(stream: &mut Stream, draws: &[Draw], tint: Tint) -> Result<()> {
    let (mut pipeline, mut buffer) = (None, None);
    for draw in draws {
        if pipeline.replace(draw.pipeline) != Some(draw.pipeline) {
            let ps = FIRST_PIXEL_SHADER + draw.pipeline;
            stream.put(BindShaders { vs: VERTEX_SHADER, ps, cs: 0, reserved: 0, appended: None })?;
        }
        if buffer.replace(draw.buffer) != Some(draw.buffer) {
            let buffer = FIRST_BUFFER + draw.buffer;
            let slot = VertexBufferBinding { buffer, stride_bytes: STRIDE_BYTES, offset_bytes: 0, reserved: 0 };
            let slots = Elements::to_bytes(&[slot]);
            stream.put(SetVertexBuffers { start_slot: 0, buffer_count: 1, values: elements(&slots)? })?;
        }
        stream.put(SetTexture { stage: PIXEL, slot: 0, texture: FIRST_TEXTURE + draw.texture, stage_ex: 0 })?;
        let values: Vec<u8> = draw.tint.into_iter().flat_map(f32::to_le_bytes).collect();
        match tint {
            Tint::Register => {
                let values = elements(&values)?;
                stream.put(SetShaderConstantsF {
                    stage: PIXEL,
                    start_register: 0,
                    vec4_count: 1,
                    stage_ex: 0,
                    values,
                })?;
            }
            Tint::Upload => stream.upload(CONSTANTS, &values)?,
        }
        let Draw { vertex_count, first_vertex, .. } = *draw;
        stream.put(DrawPacket { vertex_count, instance_count: 1, first_vertex, first_instance: 0 })?;
    }
    Ok(())
}

/// A list that stands in a packet.
pub(super) fn elements<T: Element>(bytes: &[u8]) -> Result<Elements<'_, T>> {
    Elements::new(bytes).context("a list ends in the middle of an element")
}

/// A stream that takes any packet.
pub(super) struct Stream(pub StreamWriter);

impl Stream {
    pub(super) fn put<'a>(&mut self, packet: impl Into<Packet<'a>>) -> Result<()> {
        Ok(self.0.packet(&packet.into())?)
    }

    pub(super) fn texture(&mut self, handle: u32, [width, height]: [u32; 2]) -> Result<()> {
        self.put(CreateTexture2d {
            handle,
            usage: 0x18,
            format: 1,
            width,
            height,
            mip_levels: 1,
            array_layers: 1,
            row_pitch: 0,
            backing_alloc_id: 0,
            backing_offset: 0,
            reserved: 0,
        })
    }

    pub(super) fn buffer(&mut self, handle: u32, size_bytes: u64) -> Result<()> {
        let (backing_alloc_id, backing_offset) = (0, 0);
        self.put(CreateBuffer { handle, usage: 5, size_bytes, backing_alloc_id, backing_offset, reserved: 0 })
    }

    pub(super) fn upload(&mut self, handle: u32, bytes: &[u8]) -> Result<()> {
        let size_bytes = bytes.len() as u64;
        self.put(UploadResource { handle, reserved: 0, offset: 0, size_bytes, data: Bytes::new(bytes) })
    }

    pub(super) fn shader(&mut self, handle: u32, stage: u32, code: &[u8]) -> Result<()> {
        let size_bytes = code.len() as u32;
        self.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(code) })
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
