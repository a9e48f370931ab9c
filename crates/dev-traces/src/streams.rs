//! Submissions of the Direct3D 10/11 world under construction, for traces whose pictures are computed.

pub use aerogpu_trace::abi::a3a0::calls::{
    APPENDED, COMPUTE, Element, FLOAT4, PIXEL, R8G8B8A8, Stream, TRIANGLE_LIST, Texels, VERTEX, VERTEX_BYTES, WHOLE,
    cell, floats, layout_of, rectangle, unblended, whole_texture,
};

use aerogpu_trace::abi::a3a0::resources::DestroyResource;
use aerogpu_trace::abi::a3a0::work::{DebugMarker, Flush, Nop};
use aerogpu_trace::abi::a3a0::{ABI_VERSION, Text, calls};
use aerogpu_trace::container::{BlobKind, Submission, TraceWriter};

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
        self.container(handle, stage, &made_code(file))
    }

    /// A shader of Direct3D 9, from its tokens.
    fn tokens(&mut self, handle: u32, stage: u32, tokens: &[u32]) -> &mut Self {
        self.container(handle, stage, &bytes_of(tokens))
    }

    /// [`DECLARATION_9`].
    fn declaration_9(&mut self, handle: u32) -> &mut Self {
        self.layout_of(handle, &DECLARATION_9)
    }
}

/// A file of `fixtures/d3d/made`.
pub fn made_code(file: &str) -> Vec<u8> {
    std::fs::read(root().join("fixtures/d3d/made").join(file)).unwrap()
}

/// The code of a shader of Direct3D 9 of these tokens.
pub fn bytes_of(tokens: &[u32]) -> Vec<u8> {
    tokens.iter().flat_map(|token| token.to_le_bytes()).collect()
}

/// The file of a trace whose frames have one submission each.
pub fn recording<'a>(frames: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    calls::recording(frames).unwrap()
}

/// The file of a trace of frames that consist of submissions, each with its context.
pub fn recording_of_contexts<'a>(frames: impl IntoIterator<Item = Vec<(u32, &'a [u8])>>) -> Vec<u8> {
    calls::recording_of_contexts(frames).unwrap()
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

/// A trace of three frames. The first makes textures 5 and 6 and copies from one to the other, the second destroys texture 6,
/// and the third submits the first one's stream with the copy again.
pub fn second_run_at_fault() -> Vec<u8> {
    let (mut objects, mut copies, mut destroys) = (Stream::new(), Stream::new(), Stream::new());
    objects.texture(5, R8G8B8A8, [8, 8], [1, 1]).texture(6, R8G8B8A8, [8, 8], [1, 1]);
    copies.targets(&[5], 0).present().copy_texels(first_texel(5), first_texel(6), [8, 8]);
    destroys.put(DestroyResource { handle: 6, reserved: 0 }).present();
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
    let blob_of = |writer: &mut TraceWriter<Vec<u8>>, stream: Stream| {
        writer.blob(BlobKind::AerogpuCmdStream, &stream.finish()).unwrap()
    };
    let submit = |writer: &mut TraceWriter<Vec<u8>>, cmd_stream_blob_id| {
        writer.submission(&Submission { record_version: 1, cmd_stream_blob_id, ..Default::default() }).unwrap();
    };
    writer.begin_frame().unwrap();
    let [objects, copies] = [objects, copies].map(|stream| blob_of(&mut writer, stream));
    submit(&mut writer, objects);
    submit(&mut writer, copies);
    writer.present().unwrap();
    writer.begin_frame().unwrap();
    let destroys = blob_of(&mut writer, destroys);
    submit(&mut writer, destroys);
    writer.present().unwrap();
    writer.begin_frame().unwrap();
    submit(&mut writer, copies);
    writer.present().unwrap();
    writer.finish().unwrap()
}

/// The left upper texel of a texture's first mip and layer.
pub fn first_texel(texture: u32) -> Texels {
    Texels { texture, mip: 0, layer: 0, at: [0, 0] }
}

/// A marker, padded to whole dwords.
pub fn marker<'s>(stream: &'s mut Stream, text: &[u8]) -> &'s mut Stream {
    let mut text = text.to_vec();
    text.resize(text.len().next_multiple_of(4), 0);
    stream.put(DebugMarker { text: Text(&text) })
}

/// Objects that a context needs to draw: shaders 3 and 4, texture 1, and a layout and vertices of its own.
fn bind_all(stream: &mut Stream, context: u32) {
    let layout = [Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)];
    let bytes = rectangle([0.0, 0.0, 16.0, 16.0], 0.5, [[1.0; 4]; 4]);
    stream.layout(10 + context, &layout).vertices(20 + context, &bytes).topology(TRIANGLE_LIST).shaders(3, 4);
    stream.targets(&[1], 0).viewport([0.0, 0.0, 16.0, 16.0]);
}

/// Two frames of two contexts, whose draws stand in these groups of markers:
///
/// ```text
/// frame 0, draw 0   context 1   shadow pass / cascade 0
///          draw 1   context 2   overlay
///          draw 2   context 1   shadow pass / cascade 0      goes on behind the other context
///          draw 3   context 1   shadow pass / casters
///          draw 4   context 1                                behind a } too many
///          draw 5   context 1   bad \u{fffd}\u{fffd}           no UTF-8
/// frame 1, draw 0   context 2                                what frame 0 left open has ended
///          draw 1   context 1   { open                       never closed
/// ```
///
/// Texture 1 is called "shadow map" in frame 0, and "colour" from frame 1 on; texture 6 is called "scratch", destroyed and
/// made again.
pub fn stream_of_markers() -> Vec<u8> {
    let mut streams = Vec::new();
    let mut first = Stream::new();
    first.shader(3, VERTEX, "quad.vs").shader(4, PIXEL, "color.ps").texture(1, R8G8B8A8, [16, 16], [1, 1]);
    first.texture(6, R8G8B8A8, [4, 4], [1, 1]);
    bind_all(&mut first, 1);
    marker(&mut first, b"name 1 shadow map");
    marker(&mut first, b"name 6 scratch");
    marker(&mut first, b"{ shadow pass");
    marker(&mut first, b"{ cascade 0").draw(0, 6);
    streams.push((0, 1, first));
    let mut second = Stream::new();
    bind_all(&mut second, 2);
    marker(&mut second, b"overlay").draw(0, 6);
    streams.push((0, 2, second));
    let mut third = Stream::new();
    third.draw(0, 6);
    marker(&mut third, b"}");
    marker(&mut third, b"casters").draw(0, 6);
    marker(&mut third, b"}");
    marker(&mut third, b"}").draw(0, 6);
    marker(&mut third, b"bad \xff\xfe").draw(0, 6).present();
    streams.push((0, 1, third));
    let mut fourth = Stream::new();
    fourth.draw(0, 6);
    marker(&mut fourth, b"name 1 colour");
    fourth.put(DestroyResource { handle: 6, reserved: 0 }).texture(6, R8G8B8A8, [4, 4], [1, 1]);
    streams.push((1, 2, fourth));
    let mut fifth = Stream::new();
    marker(&mut fifth, b"{ { open").draw(0, 6).present();
    streams.push((1, 1, fifth));
    let streams: Vec<_> =
        streams.into_iter().map(|(frame, context, stream)| (frame, context, stream.into_bytes().unwrap())).collect();
    let of_frame = |wanted: u32| -> Vec<(u32, &[u8])> {
        let own = streams.iter().filter(|(frame, ..)| *frame == wanted);
        own.map(|(_, context, bytes)| (*context, bytes.as_slice())).collect()
    };
    recording_of_contexts([of_frame(0), of_frame(1)])
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
