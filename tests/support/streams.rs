//! Submissions of the Direct3D 10/11 world under construction, for traces whose pictures are computed.

pub use aerogpu_replay::conformance::stream::{
    APPENDED, COMPUTE, Element, FLOAT4, PIXEL, R8G8B8A8, Stream, TRIANGLE_LIST, Texels, VERTEX, VERTEX_BYTES, WHOLE,
    cell, floats, layout_of, rectangle, unblended, whole_texture,
};

use aerogpu_replay::abi::a3a0::shaders::CreateShaderDxbc;
use aerogpu_replay::abi::a3a0::work::{DebugMarker, Flush, Nop};
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Bytes, Text};
use aerogpu_replay::conformance::stream;
use aerogpu_replay::format::aerogpu::{BlobKind, Submission, TraceWriter};

use super::root;

/// Methods of submissions that tests alone use.
pub trait StreamOfTests {
    fn finish(self) -> Vec<u8>;
    fn shader(&mut self, handle: u32, stage: u32, name: &str) -> &mut Self;
    fn bytecode(&mut self, handle: u32, stage: u32, file: &str) -> &mut Self;
    fn tokens(&mut self, handle: u32, stage: u32, tokens: &[u32]) -> &mut Self;
    fn declaration_9(&mut self, handle: u32) -> &mut Self;
}

impl StreamOfTests for Stream {
    fn finish(self) -> Vec<u8> {
        self.into_bytes().unwrap()
    }

    /// A shader of Direct3D 10 or 11 of `fixtures/d3d/made`.
    fn shader(&mut self, handle: u32, stage: u32, name: &str) -> &mut Self {
        self.bytecode(handle, stage, &format!("{name}.dxbc"))
    }

    /// A file of `fixtures/d3d/made`.
    fn bytecode(&mut self, handle: u32, stage: u32, file: &str) -> &mut Self {
        let code = std::fs::read(root().join("fixtures/d3d/made").join(file)).unwrap();
        let size_bytes = code.len() as u32;
        self.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(&code) })
    }

    /// A shader of Direct3D 9, from its tokens.
    fn tokens(&mut self, handle: u32, stage: u32, tokens: &[u32]) -> &mut Self {
        let code: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
        let size_bytes = code.len() as u32;
        self.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(&code) })
    }

    /// [`DECLARATION_9`].
    fn declaration_9(&mut self, handle: u32) -> &mut Self {
        self.layout_of(handle, &DECLARATION_9)
    }
}

/// The file of a trace whose frames have one submission each.
pub fn recording<'a>(frames: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    stream::recording(frames).unwrap()
}

/// The file of a trace of frames that consist of submissions, each with its context.
pub fn recording_of_contexts<'a>(frames: impl IntoIterator<Item = Vec<(u32, &'a [u8])>>) -> Vec<u8> {
    stream::recording_of_contexts(frames).unwrap()
}

/// A trace of two frames, of which the second submits the first one's stream twice, with one of its own between.
pub fn stream_that_runs_three_times() -> Vec<u8> {
    let stream = |marker: &[u8]| {
        let mut stream = Stream::new();
        stream
            .put(DebugMarker { text: Text(marker) })
            .put(Nop {})
            .put(Nop {})
            .put(Flush { reserved0: 0, reserved1: 0 });
        stream.into_bytes().unwrap()
    };
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
    let submit = |writer: &mut TraceWriter<Vec<u8>>, cmd_stream_blob_id| {
        writer.submission(&Submission { record_version: 1, cmd_stream_blob_id, ..Default::default() }).unwrap();
    };
    writer.begin_frame().unwrap();
    let first = writer.blob(BlobKind::AerogpuCmdStream, &stream(b"first\0\0\0")).unwrap();
    submit(&mut writer, first);
    writer.present().unwrap();
    writer.begin_frame().unwrap();
    submit(&mut writer, first);
    let second = writer.blob(BlobKind::AerogpuCmdStream, &stream(b"second\0\0")).unwrap();
    submit(&mut writer, second);
    submit(&mut writer, first);
    writer.present().unwrap();
    writer.finish().unwrap()
}

/// `vs_2_0`: `mov oPos, v0`, `mov oT0, v1`: positions that are shifted already.
pub const VERTEX_SHADER_9: [u32; 8] =
    [0xfffe_0200, 0x0200_0001, 0xc00f_0000, 0x90e4_0000, 0x0200_0001, 0xe00f_0000, 0x90e4_0001, 0xffff];

/// `ps_2_0`: `dcl t0.xy`, `dcl_2d s0`, `texld r0, t0, s0`, `mul r0, r0, c0`, `mov oC0, r0`.
pub const PIXEL_SHADER_9: [u32; 19] = [
    0xffff_0200,
    0x0200_001f,
    0x8000_0000,
    0xb003_0000,
    0x0200_001f,
    0x9000_0000,
    0xa00f_0800,
    0x0300_0042,
    0x800f_0000,
    0xb0e4_0000,
    0xa0e4_0800,
    0x0300_0005,
    0x800f_0000,
    0x80e4_0000,
    0xa0e4_0000,
    0x0200_0001,
    0x800f_0800,
    0x80e4_0000,
    0xffff,
];

/// A declaration of Direct3D 9: four floats of position, two of texture coordinates.
pub const DECLARATION_9: [u8; 24] = [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 16, 0, 1, 0, 5, 0, 0xff, 0, 0, 0, 17, 0, 0, 0];
