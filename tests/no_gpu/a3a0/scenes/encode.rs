//! Scenes as traces.

use super::scene::{Bank, Bound, Command, Memory, Scene, Stage, Submission};
use aerogpu_replay::abi::a3a0::bindings::*;
use aerogpu_replay::abi::a3a0::resources::*;
use aerogpu_replay::abi::a3a0::shaders::*;
use aerogpu_replay::abi::a3a0::sharing::*;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::*;
use aerogpu_replay::abi::a3a0::{
    ABI_VERSION, BoolForm, Bools, BoundHandle, BufferBinding, Bytes, Element, Elements, Packet, StreamWriter,
    TableEntry, TableWriter, Text, UnorderedAccessBinding, VertexBufferBinding,
};
use aerogpu_replay::format::aerogpu::{CapturedMemory, NewSubmission, TraceWriter};

const META: &str = r#"{"emulator_version":"fixture","command_abi_version":65540}"#;
const PRESENT: u32 = 1;

/// The trace of a scene.
pub fn encode(scene: &Scene) -> Vec<u8> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, META).unwrap();
    let (mut signal_fence, mut number) = (0, 0);
    for frame in &scene.frames {
        writer.begin_frame().unwrap();
        for (index, submission) in frame.submissions.iter().enumerate() {
            signal_fence += 1;
            let submit_flags = if index + 1 == frame.submissions.len() { PRESENT } else { 0 };
            let cmd_stream = stream(submission, &mut number);
            let table = table(&submission.memory);
            let bytes: Vec<Vec<u8>> = submission.memory.iter().map(bytes_of).collect();
            let of_memory = |(memory, bytes): (&Memory, _)| CapturedMemory {
                alloc_id: memory.allocation,
                flags: 0,
                gpa: memory.gpa,
                bytes,
            };
            let memory: Vec<CapturedMemory<'_>> =
                submission.memory.iter().zip(bytes.iter().map(Vec::as_slice)).map(of_memory).collect();
            let new = NewSubmission {
                submit_flags,
                context_id: submission.context,
                signal_fence,
                cmd_stream: &cmd_stream,
                alloc_table: table.as_deref(),
                memory: &memory,
                ..Default::default()
            };
            writer.submit(&new).unwrap();
        }
        writer.present().unwrap();
    }
    writer.finish().unwrap()
}

fn bytes_of(memory: &Memory) -> Vec<u8> {
    (0..memory.size).map(|at| memory.contents.wrapping_add((at / 7) as u8)).collect()
}

fn table(memory: &[Memory]) -> Option<Vec<u8>> {
    if memory.is_empty() {
        return None;
    }
    let mut table = TableWriter::new(ABI_VERSION);
    for Memory { allocation, gpa, size, .. } in memory {
        let entry =
            TableEntry { alloc_id: *allocation, flags: 0, gpa: *gpa, size_bytes: u64::from(*size), reserved: 0 };
        table.entry(&entry, &[]).unwrap();
    }
    Some(table.finish(&[]).unwrap())
}

fn stream(submission: &Submission, number: &mut u32) -> Vec<u8> {
    let mut stream = Stream(StreamWriter::new(ABI_VERSION));
    for command in &submission.commands {
        stream.command(command, *number);
        *number += 1;
    }
    stream.0.finish()
}

struct Stream(StreamWriter);

fn stage_number(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => 0,
        Stage::Pixel => 1,
        Stage::Compute => 2,
    }
}

fn list<T: Element>(values: impl Iterator<Item = T>) -> Vec<u8> {
    Elements::to_bytes(&values.collect::<Vec<T>>())
}

fn ranges(slots: &[Bound]) -> Vec<u8> {
    list(slots.iter().map(|bound| BufferBinding {
        buffer: bound.buffer,
        offset_bytes: bound.offset,
        size_bytes: bound.size,
        reserved: 0,
    }))
}

impl Stream {
    fn put<'a>(&mut self, packet: impl Into<Packet<'a>>) {
        self.0.packet(&packet.into()).unwrap();
    }

    /// Bytes that no other command has.
    fn command(&mut self, command: &Command, number: u32) {
        match command {
            Command::Nop => self.put(Nop {}),
            Command::Flush => self.put(Flush { reserved0: 0, reserved1: 0 }),
            Command::Marker => self.put(DebugMarker { text: Text(b"here\0\0\0\0") }),
            Command::Clear { flags } => self.put(Clear {
                flags: *flags,
                r: (number % 7) as f32 / 8.0,
                g: (number % 5) as f32 / 8.0,
                b: 0.5,
                a: 1.0,
                depth: 1.0,
                stencil: number % 256,
            }),
            Command::Draw { vertices, instances, first, first_instance } => self.put(Draw {
                vertex_count: *vertices,
                instance_count: *instances,
                first_vertex: *first,
                first_instance: *first_instance,
            }),
            Command::DrawIndexed { indices, instances, first, base_vertex } => self.put(DrawIndexed {
                index_count: *indices,
                instance_count: *instances,
                first_index: *first,
                base_vertex: *base_vertex,
                first_instance: 0,
            }),
            Command::Dispatch { groups: [x, y, z] } => self.put(Dispatch { x: *x, y: *y, z: *z, stage_ex: 0 }),
            Command::Present { scanout } if number.is_multiple_of(2) => {
                self.put(Present { scanout_id: *scanout, flags: 0 })
            }
            Command::Present { scanout } => {
                self.put(PresentEx { scanout_id: *scanout, flags: 0, d3d9_present_flags: 0, reserved: 0 });
            }
            Command::Export { resource, token } => {
                self.put(ExportSharedSurface { resource: *resource, reserved: 0, share_token: *token });
            }
            Command::Import { handle, token } => {
                self.put(ImportSharedSurface { out_resource: *handle, reserved: 0, share_token: *token });
            }
            Command::Release { token } => self.put(ReleaseSharedSurface { share_token: *token, reserved: 0 }),
            _ if self.resource(command, number) => {}
            _ if self.shader(command, number) => {}
            _ => self.state(command, number),
        }
    }

    fn resource(&mut self, command: &Command, number: u32) -> bool {
        match command {
            Command::CreateBuffer { handle, size, backing } => self.put(CreateBuffer {
                handle: *handle,
                usage: 0x87,
                size_bytes: u64::from(*size),
                backing_alloc_id: backing.map_or(0, |backing| backing.allocation),
                backing_offset: backing.map_or(0, |backing| backing.offset),
                reserved: 0,
            }),
            Command::CreateTexture { handle, desc, backing } => self.put(CreateTexture2d {
                handle: *handle,
                usage: 0x38,
                format: desc.format,
                width: desc.width,
                height: desc.height,
                mip_levels: desc.mips,
                array_layers: desc.layers,
                row_pitch: desc.row_pitch,
                backing_alloc_id: backing.map_or(0, |backing| backing.allocation),
                backing_offset: backing.map_or(0, |backing| backing.offset),
                reserved: 0,
            }),
            Command::Destroy { handle } => self.put(DestroyResource { handle: *handle, reserved: 0 }),
            Command::Dirty { handle, offset, size } => self.put(ResourceDirtyRange {
                handle: *handle,
                reserved: 0,
                offset: u64::from(*offset),
                size_bytes: u64::from(*size),
            }),
            Command::Upload { handle, offset, size } => {
                let data: Vec<u8> = (0..*size).map(|at| (at + number * 13) as u8).collect();
                self.put(UploadResource {
                    handle: *handle,
                    reserved: 0,
                    offset: u64::from(*offset),
                    size_bytes: u64::from(*size),
                    data: Bytes::new(&data),
                });
            }
            Command::CopyBuffer { dst, dst_offset, src, src_offset, size, writes_back } => self.put(CopyBuffer {
                dst: *dst,
                src: *src,
                dst_offset: u64::from(*dst_offset),
                src_offset: u64::from(*src_offset),
                size_bytes: u64::from(*size),
                flags: u32::from(*writes_back),
                reserved: 0,
            }),
            Command::CopyTexture { dst, src, width, height, writes_back } => self.put(CopyTexture2d {
                dst: dst.texture,
                src: src.texture,
                dst_mip: dst.mip,
                dst_layer: dst.layer,
                src_mip: src.mip,
                src_layer: src.layer,
                dst_x: dst.x,
                dst_y: dst.y,
                src_x: src.x,
                src_y: src.y,
                width: *width,
                height: *height,
                flags: u32::from(*writes_back),
                reserved: 0,
            }),
            Command::CreateView { view, texture, format, base_mip, mips, base_layer, layers } => {
                self.put(CreateTextureView {
                    view: *view,
                    texture: *texture,
                    format: *format,
                    base_mip: *base_mip,
                    mip_count: *mips,
                    base_layer: *base_layer,
                    layer_count: *layers,
                    reserved: 0,
                });
            }
            Command::DestroyView { view } => self.put(DestroyTextureView { view: *view, reserved: 0 }),
            _ => return false,
        }
        true
    }

    fn shader(&mut self, command: &Command, number: u32) -> bool {
        match command {
            Command::CreateShader { handle, kind } => {
                let code = kind.code();
                self.put(CreateShaderDxbc {
                    handle: *handle,
                    stage: stage_number(kind.stage()),
                    size_bytes: code.len() as u32,
                    stage_ex: 0,
                    code: Bytes::new(&code),
                });
            }
            Command::DestroyShader { handle } => self.put(DestroyShader { handle: *handle, reserved: 0 }),
            Command::BindShaders { vs, ps, cs } => {
                self.put(BindShaders { vs: *vs, ps: *ps, cs: *cs, reserved: 0, appended: None });
            }
            Command::Constants { bank, stage, first, count } => self.constants(*bank, *stage, *first, *count, number),
            Command::CreateLayout { handle, kind } => {
                let blob = kind.blob();
                self.put(CreateInputLayout {
                    handle: *handle,
                    blob_size: blob.len() as u32,
                    reserved: 0,
                    blob: Bytes::new(&blob),
                });
            }
            Command::DestroyLayout { handle } => self.put(DestroyInputLayout { handle: *handle, reserved: 0 }),
            Command::SetLayout { handle } => self.put(SetInputLayout { handle: *handle, reserved: 0 }),
            _ => return false,
        }
        true
    }

    fn constants(&mut self, bank: Bank, stage: Stage, start_register: u32, count: u32, number: u32) {
        let stage = stage_number(stage);
        match bank {
            Bank::Float => {
                let bytes = list((0..count).map(|at| [number as f32, at as f32, 0.5, 1.0]));
                let values = Elements::new(&bytes).unwrap();
                self.put(SetShaderConstantsF { stage, start_register, vec4_count: count, stage_ex: 0, values });
            }
            Bank::Int => {
                let bytes = list((0..count).map(|at| [number as i32, at as i32, 1, 0]));
                let values = Elements::new(&bytes).unwrap();
                self.put(SetShaderConstantsI { stage, start_register, vec4_count: count, stage_ex: 0, values });
            }
            Bank::Bool => {
                let bytes: Vec<u8> = (0..count).flat_map(|at| ((number + at) % 2).to_le_bytes()).collect();
                let values = Bools::new(BoolForm::Scalar, &bytes).unwrap();
                self.put(SetShaderConstantsB { stage, start_register, bool_count: count, stage_ex: 0, values });
            }
        }
    }

    fn state(&mut self, command: &Command, number: u32) {
        match command {
            Command::Blend { write_mask } => self.put(SetBlendState {
                enable: number % 2,
                src: 1,
                dst: number % 6,
                op: 0,
                write_mask: *write_mask,
                pad: [0; 3],
                src_alpha: None,
                dst_alpha: None,
                op_alpha: None,
                constant_r: None,
                constant_g: None,
                constant_b: None,
                constant_a: None,
                sample_mask: None,
            }),
            Command::DepthStencil { test, write, func } => self.put(SetDepthStencilState {
                depth_enable: u32::from(*test),
                depth_write: u32::from(*write),
                depth_func: *func,
                stencil_enable: number % 2,
                stencil_read_mask: 0xff,
                stencil_write_mask: 0xff,
                pad: [0; 2],
            }),
            Command::Rasterizer { scissor } => self.put(SetRasterizerState {
                fill: 0,
                cull: number % 3,
                front_ccw: 0,
                scissor_enable: u32::from(*scissor),
                depth_bias: 0,
                flags: 0,
            }),
            Command::Targets { colors, depth } => {
                let mut color = [0; 8];
                color[..colors.len()].copy_from_slice(colors);
                self.put(SetRenderTargets { color_count: colors.len() as u32, depth_stencil: *depth, color });
            }
            Command::Viewport { width } => self.put(SetViewport {
                x: 0.0,
                y: 0.0,
                width: *width as f32,
                height: 8.0,
                min_depth: 0.0,
                max_depth: 1.0,
            }),
            Command::Scissor { width } => self.put(SetScissor { x: 0, y: 0, width: *width, height: 4 }),
            Command::Topology { topology } => {
                self.put(SetPrimitiveTopology { topology: *topology, reserved: 0 });
            }
            Command::RenderState { state, value } => self.put(SetRenderState { state: *state, value: *value }),
            Command::SamplerState { stage, slot, state, value } => {
                self.put(SetSamplerState { stage: stage_number(*stage), slot: *slot, state: *state, value: *value })
            }
            _ => self.binding(command),
        }
    }

    fn binding(&mut self, command: &Command) {
        match command {
            Command::VertexBuffers { first, slots } => {
                let bytes = list(slots.iter().map(|bound| VertexBufferBinding {
                    buffer: bound.buffer,
                    stride_bytes: bound.size,
                    offset_bytes: bound.offset,
                    reserved: 0,
                }));
                let values = Elements::new(&bytes).unwrap();
                self.put(SetVertexBuffers { start_slot: *first, buffer_count: slots.len() as u32, values });
            }
            Command::IndexBuffer { buffer, is_wide, offset } => {
                self.put(SetIndexBuffer { buffer: *buffer, format: u32::from(*is_wide), offset: *offset, reserved: 0 })
            }
            Command::Texture { stage, slot, texture } => {
                self.put(SetTexture { stage: stage_number(*stage), slot: *slot, texture: *texture, stage_ex: 0 })
            }
            Command::CreateSampler { handle } => {
                self.put(CreateSampler { handle: *handle, filter: 1, address_u: 0, address_v: 1, address_w: 2 });
            }
            Command::DestroySampler { handle } => self.put(DestroySampler { handle: *handle, reserved: 0 }),
            Command::Samplers { stage, first, handles } => {
                let bytes = list(handles.iter().map(|handle| BoundHandle { handle: *handle }));
                self.put(SetSamplers {
                    stage: stage_number(*stage),
                    start_slot: *first,
                    sampler_count: handles.len() as u32,
                    stage_ex: 0,
                    values: Elements::new(&bytes).unwrap(),
                });
            }
            Command::ConstantBuffers { stage, first, slots } => {
                let bytes = ranges(slots);
                self.put(SetConstantBuffers {
                    stage: stage_number(*stage),
                    start_slot: *first,
                    buffer_count: slots.len() as u32,
                    stage_ex: 0,
                    values: Elements::new(&bytes).unwrap(),
                });
            }
            Command::ResourceBuffers { stage, first, slots } => {
                let bytes = ranges(slots);
                self.put(SetShaderResourceBuffers {
                    stage: stage_number(*stage),
                    start_slot: *first,
                    buffer_count: slots.len() as u32,
                    stage_ex: 0,
                    values: Elements::new(&bytes).unwrap(),
                });
            }
            Command::Uavs { stage, first, slots } => {
                let bytes = list(slots.iter().map(|bound| UnorderedAccessBinding {
                    buffer: bound.buffer,
                    offset_bytes: bound.offset,
                    size_bytes: bound.size,
                    initial_count: u32::MAX,
                }));
                self.put(SetUnorderedAccessBuffers {
                    stage: stage_number(*stage),
                    start_slot: *first,
                    uav_count: slots.len() as u32,
                    stage_ex: 0,
                    values: Elements::new(&bytes).unwrap(),
                });
            }
            _ => panic!("{command:?} is no packet of this family"),
        }
    }
}
