//! What is drawn, in memory: the trace is written from it, and the baseline program draws it as it is.
//!
//! The mix of a frame, per 5,000 draws: 4 pipelines, switched every 25 draws; 256 vertex buffers of 256 vertices
//! (position and colour, interleaved), of which every fourth draw binds another and every fourth the same at another
//! offset; every other draw changes only `first_vertex`. A draw has 3 to 12 vertices, in triangles of a few pixels, so
//! that what is measured is draws and not filling. Each frame starts with a CLEAR.

use std::io::Write;

use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::format::aerogpu::{BlobKind, TraceWriter};
use aerogpu_replay::pixels::Size;
use anyhow::Result;

use crate::baseline::{COLOR_OFFSET_BYTES, STRIDE_BYTES};

pub(crate) const SIZE: Size = Size { width_px: 256, height_px: 256 };

const PIPELINES: u32 = 4;
const BUFFERS: u32 = 256;
const VERTICES: u32 = 256;
const META: &str = r#"{"emulator_version":"bench","command_abi_version":1}"#;

/// What the fragment shaders return.
const COLORS: [&str; PIPELINES as usize] =
    ["color", "vec4f(color.bgr, 1.0)", "sqrt(color)", "mix(color, vec4f(0.1, 0.2, 0.3, 1.0), 0.25)"];

/// One draw and all the state it needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    pub pipeline: u32,
    pub buffer: u32,
    /// Where in the buffer vertex 0 starts.
    pub base_bytes: u32,
    pub first_vertex: u32,
    pub vertex_count: u32,
}

pub(crate) struct Frame {
    pub clear: [f32; 4],
    pub draws: Vec<Draw>,
}

/// Which state a recorder writes before a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recorder {
    /// What has changed since the draw before.
    Sparing,
    /// All of it.
    Lavish,
}

pub(crate) struct Scene {
    /// WGSL with one entry point for each stage.
    pub shaders: Vec<String>,
    pub buffers: Vec<Vec<u8>>,
    pub frames: Vec<Frame>,
}

impl Scene {
    pub(crate) fn new(frames: u32, draws: u32) -> Self {
        let mut random = Random::new(7);
        let buffers = (0..BUFFERS).map(|_| make_vertices(&mut random)).collect();
        let frames = (0..frames).map(|frame| make_frame(frame, draws, &mut random)).collect();
        Self { shaders: COLORS.map(make_shader).into(), buffers, frames }
    }

    /// Writes the scene as a trace: one command a Packet record, which is how the known recorder writes them. Frame 0
    /// also makes and fills everything.
    pub(crate) fn write_trace<W: Write>(&self, recorder: Recorder, sink: W) -> Result<W> {
        let mut trace = TraceWriter::new(sink, 1, META)?;
        for (number, frame) in self.frames.iter().enumerate() {
            trace.begin_frame()?;
            if number == 0 {
                self.write_resources(&mut trace)?;
            }
            write_frame(&mut trace, recorder, frame)?;
            trace.present()?;
        }
        Ok(trace.finish()?)
    }

    fn write_resources<W: Write>(&self, trace: &mut TraceWriter<W>) -> Result<()> {
        for (id, shader) in (0..).zip(&self.shaders) {
            write_pipeline(trace, id, shader)?;
        }
        for (id, bytes) in (0..).zip(&self.buffers) {
            write_buffer(trace, id, bytes)?;
        }
        Ok(())
    }
}

/// The pipeline `id`, of shaders `2 * id` and `2 * id + 1`.
pub(crate) fn write_pipeline<W: Write>(trace: &mut TraceWriter<W>, id: u32, shader: &str) -> Result<()> {
    let wgsl_blob_id = trace.blob(BlobKind::ShaderWgsl, shader.as_bytes())?.0;
    for stage in [0, 1] {
        let shader_id = 2 * id + stage;
        write_packet(trace, Packet::CreateShader { shader_id, stage, glsl_blob_id: 0, wgsl_blob_id, dxbc_blob_id: 0 })?;
    }
    write_packet(trace, Packet::CreatePipeline { pipeline_id: id, vs_shader_id: 2 * id, fs_shader_id: 2 * id + 1 })
}

/// The buffer `id`, holding `bytes`.
pub(crate) fn write_buffer<W: Write>(trace: &mut TraceWriter<W>, id: u32, bytes: &[u8]) -> Result<()> {
    let size_bytes = u32::try_from(bytes.len())?;
    let blob_id = trace.blob(BlobKind::BufferData, bytes)?.0;
    write_packet(trace, Packet::CreateBuffer { buffer_id: id, size_bytes, usage: 0 })?;
    write_packet(trace, Packet::UploadBuffer { buffer_id: id, offset_bytes: 0, data_len_bytes: size_bytes, blob_id })
}

pub(crate) fn write_packet<W: Write>(trace: &mut TraceWriter<W>, packet: Packet) -> Result<()> {
    let mut bytes = Vec::new();
    packet.write(&mut bytes);
    Ok(trace.packet(&bytes)?)
}

fn write_frame<W: Write>(trace: &mut TraceWriter<W>, recorder: Recorder, frame: &Frame) -> Result<()> {
    let [r, g, b, a] = frame.clear;
    write_packet(trace, Packet::SetViewport { width_px: SIZE.width_px, height_px: SIZE.height_px })?;
    write_packet(trace, Packet::Clear { r, g, b, a })?;
    let (mut pipeline, mut vertices) = (None, None);
    for draw in &frame.draws {
        let all = recorder == Recorder::Lavish;
        if pipeline.replace(draw.pipeline) != Some(draw.pipeline) || all {
            write_packet(trace, Packet::SetPipeline { pipeline_id: draw.pipeline })?;
        }
        if vertices.replace((draw.buffer, draw.base_bytes)) != Some((draw.buffer, draw.base_bytes)) || all {
            write_packet(trace, set_vertex_buffer(draw.buffer, draw.base_bytes))?;
        }
        write_packet(trace, Packet::Draw { vertex_count: draw.vertex_count, first_vertex: draw.first_vertex })?;
    }
    write_packet(trace, Packet::Present {})
}

pub(crate) fn set_vertex_buffer(buffer_id: u32, base_bytes: u32) -> Packet {
    Packet::SetVertexBuffer {
        buffer_id,
        stride_bytes: STRIDE_BYTES,
        position_offset_bytes: base_bytes,
        color_offset_bytes: base_bytes + COLOR_OFFSET_BYTES,
    }
}

pub(crate) fn make_shader(color: &str) -> String {
    format!(
        "struct Vertex {{ @builtin(position) position: vec4f, @location(0) color: vec4f }}
@vertex fn vs(@location(0) position: vec2f, @location(1) color: vec4f) -> Vertex {{
    return Vertex(vec4f(position, 0.0, 1.0), color);
}}
@fragment fn fs(@location(0) color: vec4f) -> @location(0) vec4f {{
    return {color};
}}
"
    )
}

fn make_frame(number: u32, draws: u32, random: &mut Random) -> Frame {
    let mut draw = Draw { pipeline: 0, buffer: 0, base_bytes: 0, first_vertex: 0, vertex_count: 3 };
    let draws = (0..draws).map(|index| {
        draw.pipeline = index / 25 % PIPELINES;
        match index % 4 {
            0 => draw.buffer = (draw.buffer + 1 + random.below(BUFFERS - 1)) % BUFFERS,
            2 => draw.base_bytes = (draw.base_bytes / STRIDE_BYTES + 1 + random.below(99)) % 100 * STRIDE_BYTES,
            _ => {}
        }
        draw.vertex_count = 3 * (1 + random.below(4));
        draw.first_vertex = 3 * random.below(48);
        draw
    });
    let draws = draws.collect();
    Frame { clear: [0.0, 0.0, (number % 2) as f32, 1.0], draws }
}

/// Small triangles, each anywhere.
fn make_vertices(random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut center = [0.0, 0.0];
    for vertex in 0..VERTICES {
        if vertex % 3 == 0 {
            center = [random.unit() * 2.0 - 1.0, random.unit() * 2.0 - 1.0];
        }
        let position = center.map(|at| at + (random.unit() - 0.5) * 0.04);
        let color = [random.unit(), random.unit(), random.unit(), 1.0];
        bytes.extend(position.into_iter().chain(color).flat_map(f32::to_le_bytes));
    }
    bytes
}

/// The same numbers on every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    pub(crate) fn unit(&mut self) -> f32 {
        self.below(1 << 16) as f32 / 65536.0
    }
}
