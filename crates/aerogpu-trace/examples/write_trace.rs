//! Writes a trace of one frame: a red triangle on blue.
//!
//! ```sh
//! cargo run -p aerogpu-trace --example write_trace -- triangle.aerogputrace
//! ```

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use aerogpu_trace::abi::reference::Packet;
use aerogpu_trace::container::{BlobKind, TraceWriter};

const META: &str = r#"{"emulator_version": "example 1.0", "command_abi_version": 1}"#;
const VERTEX: &str = "
@vertex fn main(@location(0) position: vec2<f32>) -> @builtin(position) vec4<f32> {
  return vec4<f32>(position, 0.0, 1.0);
}";
const FRAGMENT: &str = "
@fragment fn main() -> @location(0) vec4<f32> {
  return vec4<f32>(1.0, 0.0, 0.0, 1.0);
}";
/// Corners, x right and y up.
const POSITIONS: [[f32; 2]; 3] = [[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]];

/// Writes the trace to `path`.
pub fn write_trace(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut trace = TraceWriter::new(BufWriter::new(File::create(path)?), 1, META)?;
    trace.begin_frame()?;
    // What packets refer to by id comes before them.
    let vertex = trace.blob(BlobKind::ShaderWgsl, VERTEX.as_bytes())?;
    let fragment = trace.blob(BlobKind::ShaderWgsl, FRAGMENT.as_bytes())?;
    let positions: Vec<u8> = POSITIONS.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    let size_bytes = positions.len() as u32;
    let vertices = trace.blob(BlobKind::BufferData, &positions)?;
    let shader = |shader_id, stage, wgsl_blob_id| Packet::CreateShader {
        shader_id,
        stage,
        glsl_blob_id: 0,
        wgsl_blob_id,
        dxbc_blob_id: 0,
    };
    let packets = [
        shader(1, 0, vertex.0),
        shader(2, 1, fragment.0),
        Packet::CreatePipeline { pipeline_id: 1, vs_shader_id: 1, fs_shader_id: 2 },
        Packet::CreateBuffer { buffer_id: 1, size_bytes, usage: 0 },
        Packet::UploadBuffer { buffer_id: 1, offset_bytes: 0, data_len_bytes: size_bytes, blob_id: vertices.0 },
        Packet::SetPipeline { pipeline_id: 1 },
        Packet::SetVertexBuffer { buffer_id: 1, stride_bytes: 8, position_offset_bytes: 0, color_offset_bytes: 0 },
        Packet::SetViewport { width_px: 64, height_px: 64 },
        Packet::Clear { r: 0.0, g: 0.0, b: 1.0, a: 1.0 },
        Packet::Draw { vertex_count: 3, first_vertex: 0 },
        Packet::Present {},
    ];
    let mut bytes = Vec::new();
    packets.iter().for_each(|packet| packet.write(&mut bytes));
    trace.packet(&bytes)?;
    trace.present()?;
    trace.finish()?.into_inner()?.sync_all()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("expected the name of the trace to write")?;
    write_trace(Path::new(&path))
}
