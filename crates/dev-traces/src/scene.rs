//! A small language for writing traces: shaders, vertices, draws.

use aerogpu_trace::abi::reference::Packet;
use aerogpu_trace::container::{BlobKind, TraceWriter};

pub const META: &str = r#"{"emulator_version":"fixture generator","command_abi_version":1}"#;

/// Position and colour straight through.
pub const VERTEX_WGSL: &str = "\
struct Out {
  @builtin(position) position: vec4<f32>,
  @location(0) color: vec4<f32>,
}
@vertex fn vs_main(@location(0) position: vec2<f32>, @location(1) color: vec4<f32>) -> Out {
  return Out(vec4<f32>(position, 0.0, 1.0), color);
}
";

pub const FRAGMENT_WGSL: &str = "\
@fragment fn fs_main(@location(0) color: vec4<f32>) -> @location(0) vec4<f32> {
  return color;
}
";

pub const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
pub const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
pub const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
pub const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Positions of two triangles that cover the rectangle between two corners in NDC.
pub fn rectangle(left: f32, bottom: f32, right: f32, top: f32) -> [[f32; 2]; 6] {
    let corners = [[left, bottom], [right, bottom], [left, top], [right, top]];
    [0, 1, 2, 2, 1, 3].map(|corner: usize| corners[corner])
}

/// Vertices of 24 bytes: position, colour.
pub fn vertices(positions: &[[f32; 2]], color: [f32; 4]) -> Vec<u8> {
    let floats = positions.iter().flat_map(|position| position.iter().chain(&color));
    floats.flat_map(|float| float.to_le_bytes()).collect()
}

/// A trace being written.
pub struct Scene {
    writer: TraceWriter<Vec<u8>>,
}

impl Scene {
    pub fn new() -> Self {
        Self::with_meta(META)
    }

    pub fn with_meta(meta: &str) -> Self {
        Self { writer: TraceWriter::new(Vec::new(), 1, meta).unwrap() }
    }

    /// Begins the first frame and makes pipeline 1 of shaders 1 and 2, which pass position and colour through.
    pub fn with_pipeline() -> Self {
        let mut scene = Self::new();
        scene.begin();
        scene.shaders(1, 2, VERTEX_WGSL, FRAGMENT_WGSL).pipeline(1, 1, 2);
        scene.packet(Packet::SetPipeline { pipeline_id: 1 });
        scene
    }

    pub fn begin(&mut self) -> &mut Self {
        self.writer.begin_frame().unwrap();
        self
    }

    pub fn end(&mut self) -> &mut Self {
        self.packet(Packet::Present {});
        self.writer.present().unwrap();
        self
    }

    pub fn finish(self) -> Vec<u8> {
        self.writer.finish().unwrap()
    }

    pub fn end_and_finish(mut self) -> Vec<u8> {
        self.end();
        self.finish()
    }

    pub fn packet(&mut self, packet: Packet) -> &mut Self {
        self.packets(&[packet])
    }

    /// Several commands in one Packet record.
    pub fn packets(&mut self, packets: &[Packet]) -> &mut Self {
        let mut payload = Vec::new();
        packets.iter().for_each(|packet| packet.write(&mut payload));
        self.writer.packet(&payload).unwrap();
        self
    }

    /// A Packet record with these bytes, whatever they are.
    pub fn raw_packet(&mut self, payload: &[u8]) -> &mut Self {
        self.writer.packet(payload).unwrap();
        self
    }

    pub fn blob(&mut self, kind: BlobKind, bytes: &[u8]) -> u64 {
        self.writer.blob(kind, bytes).unwrap().0
    }

    pub fn shader(&mut self, shader_id: u32, stage: u32, wgsl: &str) -> &mut Self {
        let wgsl_blob_id = self.blob(BlobKind::ShaderWgsl, wgsl.as_bytes());
        self.packet(Packet::CreateShader { shader_id, stage, glsl_blob_id: 0, wgsl_blob_id, dxbc_blob_id: 0 })
    }

    pub fn glsl_shader(&mut self, shader_id: u32, stage: u32, glsl: &str) -> &mut Self {
        let glsl_blob_id = self.blob(BlobKind::ShaderGlslEs300, glsl.as_bytes());
        self.packet(Packet::CreateShader { shader_id, stage, glsl_blob_id, wgsl_blob_id: 0, dxbc_blob_id: 0 })
    }

    /// A shader with a text in either language.
    pub fn twin_shader(&mut self, shader_id: u32, stage: u32, wgsl: &str, glsl: &str) -> &mut Self {
        let wgsl_blob_id = self.blob(BlobKind::ShaderWgsl, wgsl.as_bytes());
        let glsl_blob_id = self.blob(BlobKind::ShaderGlslEs300, glsl.as_bytes());
        self.packet(Packet::CreateShader { shader_id, stage, glsl_blob_id, wgsl_blob_id, dxbc_blob_id: 0 })
    }

    pub fn shaders(&mut self, vertex_id: u32, fragment_id: u32, vertex: &str, fragment: &str) -> &mut Self {
        self.shader(vertex_id, 0, vertex).shader(fragment_id, 1, fragment)
    }

    pub fn pipeline(&mut self, pipeline_id: u32, vs_shader_id: u32, fs_shader_id: u32) -> &mut Self {
        self.packet(Packet::CreatePipeline { pipeline_id, vs_shader_id, fs_shader_id })
    }

    /// Makes a buffer that holds `bytes`.
    pub fn buffer(&mut self, buffer_id: u32, bytes: &[u8]) -> &mut Self {
        self.packet(Packet::CreateBuffer { buffer_id, size_bytes: bytes.len() as u32, usage: 0 });
        self.upload(buffer_id, 0, bytes)
    }

    pub fn upload(&mut self, buffer_id: u32, offset_bytes: u32, bytes: &[u8]) -> &mut Self {
        let blob_id = self.blob(BlobKind::BufferData, bytes);
        let data_len_bytes = bytes.len() as u32;
        self.packet(Packet::UploadBuffer { buffer_id, offset_bytes, data_len_bytes, blob_id })
    }

    /// Binds a buffer of 24-byte vertices.
    pub fn bind(&mut self, buffer_id: u32) -> &mut Self {
        self.bind_layout(buffer_id, 24, 0, 8)
    }

    pub fn bind_layout(&mut self, buffer_id: u32, stride_bytes: u32, position: u32, color: u32) -> &mut Self {
        let (position_offset_bytes, color_offset_bytes) = (position, color);
        self.packet(Packet::SetVertexBuffer { buffer_id, stride_bytes, position_offset_bytes, color_offset_bytes })
    }

    pub fn viewport(&mut self, width_px: u32, height_px: u32) -> &mut Self {
        self.packet(Packet::SetViewport { width_px, height_px })
    }

    pub fn clear(&mut self, [r, g, b, a]: [f32; 4]) -> &mut Self {
        self.packet(Packet::Clear { r, g, b, a })
    }

    pub fn draw(&mut self, first_vertex: u32, vertex_count: u32) -> &mut Self {
        self.packet(Packet::Draw { vertex_count, first_vertex })
    }
}
