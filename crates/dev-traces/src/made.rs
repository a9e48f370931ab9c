//! Traces made by the writer: each packet once, a scene, several contexts, a stream in a Packet record.

use aerogpu_trace::abi::a3a0::bindings::*;
use aerogpu_trace::abi::a3a0::resources::*;
use aerogpu_trace::abi::a3a0::shaders::*;
use aerogpu_trace::abi::a3a0::sharing::*;
use aerogpu_trace::abi::a3a0::state::*;
use aerogpu_trace::abi::a3a0::work::*;
use aerogpu_trace::abi::a3a0::{
    ABI_VERSION, Body, BoolForm, Bools, BoundHandle, BufferBinding, Bytes, Element, Elements, Packet, TableEntry,
    TableWriter, Text, UnorderedAccessBinding, VertexBufferBinding,
};
use aerogpu_trace::container::{CapturedMemory, NewSubmission, TraceWriter};

use crate::streams::first_texel;
pub use crate::streams::{Stream, StreamOfTests, floats};

/// A trace's name, and how it is made.
pub type Made = (&'static str, fn() -> Vec<u8>);

/// Every trace that is made here.
pub const ALL: [Made; 4] =
    [("every_packet", every_packet), ("scene", scene), ("contexts", contexts), ("packet_record", packet_record)];

const META: &str = r#"{"emulator_version":"fixture","command_abi_version":65540}"#;
const PRESENT: u32 = 1;

const BUFFER: u32 = 1 << 0;
const RENDER_TARGET: u32 = 1 << 4;
const B8G8R8A8: u32 = 1;
const TRIANGLE_LIST: u32 = 4;
const VERTEX: u32 = 0;
const PIXEL: u32 = 1;
const CLEAR_COLOR: u32 = 1;

/// `vs_2_0`: the position as it is.
pub const VERTEX_SHADER: [u32; 8] =
    [0xfffe_0200, 0x0200_001f, 0x8000_0000, 0x900f_0000, 0x0200_0001, 0xc00f_0000, 0x90e4_0000, 0x0000_ffff];
/// `ps_2_0`: the first constant.
pub const PIXEL_SHADER: [u32; 5] = [0xffff_0200, 0x0200_0001, 0x800f_0800, 0xa0e4_0000, 0x0000_ffff];
/// One element: three floats of position; then the one that ends them.
pub const DECLARATION: [u8; 16] = [0, 0, 0, 0, 2, 0, 0, 0, 0xff, 0, 0, 0, 17, 0, 0, 0];

pub fn le_bytes(dwords: &[u32]) -> Vec<u8> {
    dwords.iter().flat_map(|dword| dword.to_le_bytes()).collect()
}

pub fn elements<T: Element>(values: &[T]) -> (u32, Vec<u8>) {
    (values.len() as u32, Elements::to_bytes(values))
}

fn submitted(streams: &[&[Vec<u8>]]) -> Vec<u8> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    let mut signal_fence = 0;
    for frame in streams {
        writer.begin_frame().unwrap();
        for (index, cmd_stream) in frame.iter().enumerate() {
            signal_fence += 1;
            let submit_flags = if index + 1 == frame.len() { PRESENT } else { 0 };
            writer.submit(&NewSubmission { submit_flags, signal_fence, cmd_stream, ..Default::default() }).unwrap();
        }
        writer.present().unwrap();
    }
    writer.finish().unwrap()
}

/// Every opcode, in the order of their numbers, one of a later ABI, and one with a tail.
pub fn every_packet() -> Vec<u8> {
    let mut stream = Stream::new();
    stream.put(Nop {}).put(DebugMarker { text: Text(b"each packet once\0\0\0\0") });
    put_resources(&mut stream);
    put_shaders(&mut stream);
    put_state(&mut stream);
    put_bindings(&mut stream);
    put_work(&mut stream);
    let unknown = Body::Unknown { opcode: 0x333, bytes: &[1, 0, 0, 0, 2, 0, 0, 0] };
    stream.put(Packet::new(unknown));
    let mut with_tail = Packet::from(Flush { reserved0: 0, reserved1: 0 });
    with_tail.tail = &[1, 2, 3, 4];
    stream.put(with_tail);
    submitted(&[&[stream.finish()]])
}

fn put_resources(stream: &mut Stream) {
    stream
        .put(CreateBuffer {
            handle: 1,
            usage: 0xff,
            size_bytes: 64,
            backing_alloc_id: 0,
            backing_offset: 0,
            reserved: 0,
        })
        .put(texture(2, 8, 4))
        .put(DestroyResource { handle: 99, reserved: 0 })
        .put(ResourceDirtyRange { handle: 1, reserved: 0, offset: 4, size_bytes: 8 })
        .put(UploadResource { handle: 1, reserved: 0, offset: 16, size_bytes: 5, data: Bytes::new(b"bytes") })
        .put(CopyBuffer { dst: 3, src: 1, dst_offset: 4, src_offset: 8, size_bytes: 12, flags: 0, reserved: 0 })
        .put(CopyTexture2d {
            dst: 4,
            src: 2,
            dst_mip: 0,
            dst_layer: 1,
            src_mip: 2,
            src_layer: 3,
            dst_x: 4,
            dst_y: 5,
            src_x: 6,
            src_y: 7,
            width: 8,
            height: 9,
            flags: 1,
            reserved: 0,
        })
        .put(CreateTextureView {
            view: 5,
            texture: 2,
            format: 7,
            base_mip: 0,
            mip_count: 1,
            base_layer: 0,
            layer_count: 1,
            reserved: 0,
        })
        .put(DestroyTextureView { view: 5, reserved: 0 });
}

pub fn texture(handle: u32, width: u32, height: u32) -> CreateTexture2d {
    CreateTexture2d {
        handle,
        usage: RENDER_TARGET,
        format: B8G8R8A8,
        width,
        height,
        mip_levels: 1,
        array_layers: 1,
        row_pitch: 0,
        backing_alloc_id: 0,
        backing_offset: 0,
        reserved: 0,
    }
}

fn shader(handle: u32, stage: u32, code: &[u8]) -> CreateShaderDxbc<'_> {
    CreateShaderDxbc { handle, stage, size_bytes: code.len() as u32, stage_ex: 0, code: Bytes::new(code) }
}

fn put_shaders(stream: &mut Stream) {
    let (code, registers, integers) =
        (le_bytes(&VERTEX_SHADER), floats(&[0.5, -1.0, f32::INFINITY, 1e-3]), le_bytes(&[1, u32::MAX, 3, 4]));
    let bools = le_bytes(&[1, 0, 0, 0, 0, 0, 0, 0]);
    stream
        .put(shader(6, VERTEX, &code))
        .put(DestroyShader { handle: 6, reserved: 0 })
        .put(BindShaders { vs: 6, ps: 7, cs: 8, reserved: 0, appended: Some([9, 10, 11]) })
        .put(SetShaderConstantsF {
            stage: 2,
            start_register: 4,
            vec4_count: 1,
            stage_ex: 3,
            values: Elements::new(&registers).unwrap(),
        })
        .put(CreateInputLayout { handle: 12, blob_size: 16, reserved: 0, blob: Bytes::new(&DECLARATION) })
        .put(DestroyInputLayout { handle: 12, reserved: 0 })
        .put(SetInputLayout { handle: 12, reserved: 0 })
        .put(SetShaderConstantsI {
            stage: VERTEX,
            start_register: 0,
            vec4_count: 1,
            stage_ex: 0,
            values: Elements::new(&integers).unwrap(),
        })
        .put(SetShaderConstantsB {
            stage: PIXEL,
            start_register: 0,
            bool_count: 2,
            stage_ex: 0,
            values: Bools::new(BoolForm::Vec4, &bools).unwrap(),
        });
}

fn put_state(stream: &mut Stream) {
    stream
        .put(SetBlendState {
            enable: 1,
            src: 2,
            dst: 3,
            op: 0,
            write_mask: 0xf,
            pad: [0; 3],
            src_alpha: Some(1),
            dst_alpha: Some(0),
            op_alpha: Some(4),
            constant_r: Some(0.25),
            constant_g: Some(0.5),
            constant_b: Some(0.75),
            constant_a: Some(1.0),
            sample_mask: Some(u32::MAX),
        })
        .put(SetDepthStencilState {
            depth_enable: 1,
            depth_write: 1,
            depth_func: 3,
            stencil_enable: 0,
            stencil_read_mask: 0xff,
            stencil_write_mask: 0x0f,
            pad: [0; 2],
        })
        .put(SetRasterizerState { fill: 0, cull: 2, front_ccw: 0, scissor_enable: 1, depth_bias: -3, flags: 1 })
        .put(SetRenderTargets { color_count: 2, depth_stencil: 0, color: [2, 4, 0, 0, 0, 0, 0, 0] })
        .put(viewport(8.0, 4.0))
        .put(SetScissor { x: -1, y: 2, width: 3, height: 4 });
}

pub fn viewport(width: f32, height: f32) -> SetViewport {
    SetViewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 }
}

fn put_bindings(stream: &mut Stream) {
    let (buffer_count, vertex_buffers) =
        elements(&[VertexBufferBinding { buffer: 1, stride_bytes: 12, offset_bytes: 4, reserved: 0 }; 2]);
    let (sampler_count, samplers) = elements(&[BoundHandle { handle: 13 }, BoundHandle { handle: 0 }]);
    let (range_count, ranges) = elements(&[BufferBinding { buffer: 1, offset_bytes: 0, size_bytes: 64, reserved: 0 }]);
    let (uav_count, uavs) =
        elements(&[UnorderedAccessBinding { buffer: 1, offset_bytes: 0, size_bytes: 0, initial_count: u32::MAX }]);
    stream
        .put(SetVertexBuffers { start_slot: 0, buffer_count, values: Elements::new(&vertex_buffers).unwrap() })
        .put(SetIndexBuffer { buffer: 1, format: 1, offset: 8, reserved: 0 })
        .put(SetPrimitiveTopology { topology: TRIANGLE_LIST, reserved: 0 })
        .put(SetTexture { stage: PIXEL, slot: 127, texture: 2, stage_ex: 0 })
        .put(SetSamplerState { stage: PIXEL, slot: 15, state: 6, value: 2 })
        .put(SetRenderState { state: 7, value: 1 })
        .put(CreateSampler { handle: 13, filter: 1, address_u: 0, address_v: 1, address_w: 2 })
        .put(DestroySampler { handle: 13, reserved: 0 })
        .put(SetSamplers {
            stage: PIXEL,
            start_slot: 14,
            sampler_count,
            stage_ex: 0,
            values: Elements::new(&samplers).unwrap(),
        })
        .put(SetConstantBuffers {
            stage: 2,
            start_slot: 0,
            buffer_count: range_count,
            stage_ex: 2,
            values: Elements::new(&ranges).unwrap(),
        })
        .put(SetShaderResourceBuffers {
            stage: VERTEX,
            start_slot: 1,
            buffer_count: range_count,
            stage_ex: 0,
            values: Elements::new(&ranges).unwrap(),
        })
        .put(SetUnorderedAccessBuffers {
            stage: 2,
            start_slot: 7,
            uav_count,
            stage_ex: 5,
            values: Elements::new(&uavs).unwrap(),
        });
}

fn put_work(stream: &mut Stream) {
    stream
        .put(clear([0.0, 0.5, 1.0, 1.0]))
        .put(Draw { vertex_count: 3, instance_count: 1, first_vertex: 0, first_instance: 0 })
        .put(DrawIndexed { index_count: 6, instance_count: 2, first_index: 1, base_vertex: -2, first_instance: 3 })
        .put(Dispatch { x: 1, y: 2, z: 3, stage_ex: 0 })
        .put(Present { scanout_id: 0, flags: 1 })
        .put(PresentEx { scanout_id: 0, flags: 0, d3d9_present_flags: 0x10, reserved: 0 })
        .put(ExportSharedSurface { resource: 2, reserved: 0, share_token: 0x1234_5678_9abc_def0 })
        .put(ImportSharedSurface { out_resource: 14, reserved: 0, share_token: 0x1234_5678_9abc_def0 })
        .put(ReleaseSharedSurface { share_token: 0x1234_5678_9abc_def0, reserved: 0 })
        .put(Flush { reserved0: 0, reserved1: 0 });
}

pub fn clear([r, g, b, a]: [f32; 4]) -> Clear {
    Clear { flags: CLEAR_COLOR, r, g, b, a, depth: 1.0, stencil: 0 }
}

/// A triangle in the colour of a constant, in two frames.
pub fn scene() -> Vec<u8> {
    let (vertex, pixel) = (le_bytes(&VERTEX_SHADER), le_bytes(&PIXEL_SHADER));
    let vertices = floats(&[-1.0, -1.0, 0.5, 1.0, -1.0, 0.5, 0.0, 1.0, 0.5]);
    let (buffer_count, binding) =
        elements(&[VertexBufferBinding { buffer: 2, stride_bytes: 12, offset_bytes: 0, reserved: 0 }]);
    let mut made = Stream::new();
    made.put(texture(1, 64, 64))
        .put(CreateBuffer {
            handle: 2,
            usage: BUFFER,
            size_bytes: vertices.len() as u64,
            backing_alloc_id: 0,
            backing_offset: 0,
            reserved: 0,
        })
        .put(UploadResource {
            handle: 2,
            reserved: 0,
            offset: 0,
            size_bytes: vertices.len() as u64,
            data: Bytes::new(&vertices),
        })
        .put(shader(3, VERTEX, &vertex))
        .put(shader(4, PIXEL, &pixel))
        .put(CreateInputLayout { handle: 5, blob_size: 16, reserved: 0, blob: Bytes::new(&DECLARATION) })
        .put(SetInputLayout { handle: 5, reserved: 0 })
        .put(SetVertexBuffers { start_slot: 0, buffer_count, values: Elements::new(&binding).unwrap() })
        .put(SetPrimitiveTopology { topology: TRIANGLE_LIST, reserved: 0 })
        .put(SetRenderTargets { color_count: 1, depth_stencil: 0, color: [1, 0, 0, 0, 0, 0, 0, 0] })
        .put(viewport(64.0, 64.0))
        .put(BindShaders { vs: 3, ps: 4, cs: 0, reserved: 0, appended: None });
    submitted(&[&[made.finish(), drawn([1.0, 0.0, 0.0, 1.0])], &[drawn([0.0, 1.0, 0.0, 1.0])]])
}

/// A triangle of this colour, shown.
fn drawn(color: [f32; 4]) -> Vec<u8> {
    let color = floats(&color);
    let mut stream = Stream::new();
    stream
        .put(DebugMarker { text: Text(b"triangle") })
        .put(clear([0.0, 0.0, 0.0, 1.0]))
        .put(SetShaderConstantsF {
            stage: PIXEL,
            start_register: 0,
            vec4_count: 1,
            stage_ex: 0,
            values: Elements::new(&color).unwrap(),
        })
        .put(Draw { vertex_count: 3, instance_count: 1, first_vertex: 0, first_instance: 0 })
        .put(Present { scanout_id: 0, flags: 1 });
    stream.finish()
}

/// Two contexts that share a surface; one of them keeps a buffer in guest memory, which changes once in three frames.
pub fn contexts() -> Vec<u8> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    let mut table = TableWriter::new(ABI_VERSION);
    table.entry(&TableEntry { alloc_id: 7, flags: 0, gpa: 0x10_0000, size_bytes: 64, reserved: 0 }, &[]).unwrap();
    let table = table.finish(&[]).unwrap();
    let snapshots = [[0x11; 64], [0x11; 64], [0x22; 64]];
    for (frame, snapshot) in snapshots.iter().enumerate() {
        writer.begin_frame().unwrap();
        let memory = [CapturedMemory { alloc_id: 7, flags: 0, gpa: 0x10_0000, bytes: snapshot }];
        let first = NewSubmission {
            context_id: 1,
            signal_fence: 2 * frame as u64 + 1,
            cmd_stream: &of_first_context(frame),
            alloc_table: Some(&table),
            memory: &memory,
            ..Default::default()
        };
        writer.submit(&first).unwrap();
        let second = NewSubmission {
            submit_flags: PRESENT,
            context_id: 2,
            engine_id: 1,
            signal_fence: 2 * frame as u64 + 2,
            cmd_stream: &of_second_context(frame),
            ..Default::default()
        };
        writer.submit(&second).unwrap();
        writer.present().unwrap();
    }
    writer.finish().unwrap()
}

fn of_first_context(frame: usize) -> Vec<u8> {
    let mut stream = Stream::new();
    if frame == 0 {
        stream
            .put(CreateBuffer {
                handle: 1,
                usage: BUFFER,
                size_bytes: 64,
                backing_alloc_id: 7,
                backing_offset: 0,
                reserved: 0,
            })
            .put(texture(2, 16, 16))
            .put(ExportSharedSurface { resource: 2, reserved: 0, share_token: 0xfeed });
    } else {
        stream.put(ResourceDirtyRange { handle: 1, reserved: 0, offset: 0, size_bytes: 64 });
    }
    stream
        .put(SetRenderTargets { color_count: 1, depth_stencil: 0, color: [2, 0, 0, 0, 0, 0, 0, 0] })
        .put(clear([frame as f32, 0.0, 1.0, 1.0]))
        .put(Flush { reserved0: 0, reserved1: 0 });
    stream.finish()
}

fn of_second_context(frame: usize) -> Vec<u8> {
    let mut stream = Stream::new();
    if frame == 0 {
        stream.put(ImportSharedSurface { out_resource: 3, reserved: 0, share_token: 0xfeed });
        stream.put(texture(4, 16, 16));
    }
    stream
        .copy_texels(first_texel(4), first_texel(3), [16, 16])
        .put(SetRenderTargets { color_count: 1, depth_stencil: 0, color: [4, 0, 0, 0, 0, 0, 0, 0] })
        .put(PresentEx { scanout_id: 0, flags: 0, d3d9_present_flags: 0, reserved: 0 });
    stream.finish()
}

/// A stream in a Packet record of a version 1 container.
pub fn packet_record() -> Vec<u8> {
    let mut stream = Stream::new();
    stream.put(clear([1.0, 0.0, 0.0, 1.0])).put(Present { scanout_id: 0, flags: 0 });
    let mut writer = TraceWriter::new(Vec::new(), ABI_VERSION, META).unwrap();
    writer.begin_frame().unwrap();
    writer.packet(&stream.finish()).unwrap();
    writer.present().unwrap();
    writer.finish().unwrap()
}
