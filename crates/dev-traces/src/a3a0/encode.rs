//! Scenes as traces.

use super::{Backing, Bank, Bound, Command, Corner, Memory, Scene};
use crate::streams::{Stream, StreamOfTests, Texels};
use aerogpu_trace::abi::a3a0::bindings::*;
use aerogpu_trace::abi::a3a0::resources::*;
use aerogpu_trace::abi::a3a0::shaders::*;
use aerogpu_trace::abi::a3a0::sharing::*;
use aerogpu_trace::abi::a3a0::state::*;
use aerogpu_trace::abi::a3a0::work::*;
use aerogpu_trace::abi::a3a0::{
    ABI_VERSION, BoolForm, Bools, BoundHandle, BufferBinding, TableEntry, TableWriter, Text, UnorderedAccessBinding,
    VertexBufferBinding,
};
use aerogpu_trace::container::{CapturedMemory, NewSubmission, TraceWriter};

/// The trace of a scene.
pub fn encode(scene: &Scene) -> Vec<u8> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
    for frame in &scene.frames {
        writer.begin_frame().unwrap();
        for (number, submission) in (1..).zip(&frame.submissions) {
            let mut stream = Stream::new();
            for command in &submission.commands {
                command.put(&mut stream);
            }
            let captured = submission.memory.iter().map(|memory| CapturedMemory {
                alloc_id: memory.allocation,
                flags: 0,
                gpa: memory.gpa,
                bytes: &memory.bytes.0,
            });
            writer
                .submit(&NewSubmission {
                    submit_flags: u32::from(number == frame.submissions.len()),
                    context_id: submission.context,
                    cmd_stream: &stream.finish(),
                    alloc_table: table(&submission.memory).as_deref(),
                    memory: &captured.collect::<Vec<_>>(),
                    ..Default::default()
                })
                .unwrap();
        }
        writer.present().unwrap();
    }
    writer.finish().unwrap()
}

fn table(memory: &[Memory]) -> Option<Vec<u8>> {
    if memory.is_empty() {
        return None;
    }
    let mut table = TableWriter::new(ABI_VERSION);
    for Memory { allocation, gpa, bytes } in memory {
        let size_bytes = bytes.0.len() as u64;
        let entry = TableEntry { alloc_id: *allocation, flags: 0, gpa: *gpa, size_bytes, reserved: 0 };
        table.entry(&entry, &[]).unwrap();
    }
    Some(table.finish(&[]).unwrap())
}

fn ranges(slots: &[Bound]) -> Vec<BufferBinding> {
    let range = |&Bound { buffer, offset, size }: &Bound| BufferBinding {
        buffer,
        offset_bytes: offset,
        size_bytes: size,
        reserved: 0,
    };
    slots.iter().map(range).collect()
}

fn texels(corner: Corner) -> Texels {
    let Corner { texture, mip, layer, x, y } = corner;
    Texels { texture, mip, layer, at: [x, y] }
}

fn behind(backing: Option<Backing>) -> (u32, u32) {
    backing.map_or((0, 0), |backing| (backing.allocation, backing.offset))
}

impl Command {
    /// Writes it behind the others.
    fn put<'s>(&self, stream: &'s mut Stream) -> &'s mut Stream {
        match *self {
            Self::Nop => stream.put(Nop {}),
            Self::Flush => stream.put(Flush { reserved0: 0, reserved1: 0 }),
            Self::Marker => stream.put(DebugMarker { text: Text(b"here\0\0\0\0") }),
            Self::Clear { flags, color: [r, g, b, a], depth, stencil } => {
                stream.put(Clear { flags, r, g, b, a, depth, stencil })
            }
            Self::Draw { vertices, instances, first, first_instance } => stream.put(Draw {
                vertex_count: vertices,
                instance_count: instances,
                first_vertex: first,
                first_instance,
            }),
            Self::DrawIndexed { indices, instances, first, base_vertex } => stream.put(DrawIndexed {
                index_count: indices,
                instance_count: instances,
                first_index: first,
                base_vertex,
                first_instance: 0,
            }),
            Self::Dispatch { groups: [x, y, z] } => stream.put(Dispatch { x, y, z, stage_ex: 0 }),
            Self::Present { scanout, is_ex: false } => stream.put(Present { scanout_id: scanout, flags: 0 }),
            Self::Present { scanout, is_ex: true } => {
                stream.put(PresentEx { scanout_id: scanout, flags: 0, d3d9_present_flags: 0, reserved: 0 })
            }
            Self::Export { resource, token } => {
                stream.put(ExportSharedSurface { resource, reserved: 0, share_token: token })
            }
            Self::Import { handle, token } => {
                stream.put(ImportSharedSurface { out_resource: handle, reserved: 0, share_token: token })
            }
            Self::Release { token } => stream.put(ReleaseSharedSurface { share_token: token, reserved: 0 }),
            _ => self.put_resource(stream),
        }
    }

    fn put_resource<'s>(&self, stream: &'s mut Stream) -> &'s mut Stream {
        match *self {
            Self::CreateBuffer { handle, size, backing } => {
                let ((backing_alloc_id, backing_offset), size_bytes) = (behind(backing), u64::from(size));
                stream.put(CreateBuffer {
                    handle,
                    usage: 0x87,
                    size_bytes,
                    backing_alloc_id,
                    backing_offset,
                    reserved: 0,
                })
            }
            Self::CreateTexture { handle, desc, backing } => {
                let (backing_alloc_id, backing_offset) = behind(backing);
                stream.put(CreateTexture2d {
                    handle,
                    usage: desc.usage,
                    format: desc.format,
                    width: desc.width,
                    height: desc.height,
                    mip_levels: desc.mips,
                    array_layers: desc.layers,
                    row_pitch: desc.row_pitch,
                    backing_alloc_id,
                    backing_offset,
                    reserved: 0,
                })
            }
            Self::Destroy { handle } => stream.put(DestroyResource { handle, reserved: 0 }),
            Self::Dirty { handle, offset, size } => {
                let (offset, size_bytes) = (u64::from(offset), u64::from(size));
                stream.put(ResourceDirtyRange { handle, reserved: 0, offset, size_bytes })
            }
            Self::Upload { handle, offset, ref bytes } => stream.upload(handle, u64::from(offset), &bytes.0),
            Self::CopyBuffer { dst, dst_offset, src, src_offset, size, writes_back } => stream.put(CopyBuffer {
                dst,
                src,
                dst_offset: u64::from(dst_offset),
                src_offset: u64::from(src_offset),
                size_bytes: u64::from(size),
                flags: u32::from(writes_back),
                reserved: 0,
            }),
            Self::CopyTexture { dst, src, width, height, writes_back } => {
                stream.copy_texels_back(texels(dst), texels(src), [width, height], writes_back)
            }
            Self::CreateView { view, texture, format, base_mip, mips, base_layer, layers } => {
                stream.view(view, texture, format, [base_mip, mips], [base_layer, layers])
            }
            Self::DestroyView { view } => stream.put(DestroyTextureView { view, reserved: 0 }),
            Self::CreateShader { handle, stage, ref code, .. } => stream.container(handle, stage as u32, &code.0),
            Self::DestroyShader { handle } => stream.put(DestroyShader { handle, reserved: 0 }),
            Self::CreateLayout { handle, ref blob, .. } => stream.layout_of(handle, &blob.0),
            Self::DestroyLayout { handle } => stream.put(DestroyInputLayout { handle, reserved: 0 }),
            Self::CreateSampler { handle, filter, address: [address_u, address_v, address_w] } => {
                stream.put(CreateSampler { handle, filter, address_u, address_v, address_w })
            }
            Self::DestroySampler { handle } => stream.put(DestroySampler { handle, reserved: 0 }),
            _ => self.put_state(stream),
        }
    }

    fn put_state<'s>(&self, stream: &'s mut Stream) -> &'s mut Stream {
        match *self {
            Self::BindShaders { vs, ps, cs } => stream.put(BindShaders { vs, ps, cs, reserved: 0, appended: None }),
            Self::SetLayout { handle } => stream.use_layout(handle),
            Self::Constants { bank, stage, first: start_register, ref registers } => {
                let (stage, count, stage_ex) = (stage as u32, registers.len() as u32, 0);
                match bank {
                    Bank::Float => {
                        let registers: Vec<_> = registers.iter().map(|register| register.map(f32::from_bits)).collect();
                        stream.registers(stage, start_register, &registers)
                    }
                    Bank::Int => {
                        let registers: Vec<_> =
                            registers.iter().map(|register| register.map(u32::cast_signed)).collect();
                        stream.put_list(&registers, |values| {
                            SetShaderConstantsI { stage, start_register, vec4_count: count, stage_ex, values }.into()
                        })
                    }
                    Bank::Bool => {
                        let bytes: Vec<u8> = registers.iter().flat_map(|[value, ..]| value.to_le_bytes()).collect();
                        let values = Bools::new(BoolForm::Scalar, &bytes).unwrap();
                        stream.put(SetShaderConstantsB { stage, start_register, bool_count: count, stage_ex, values })
                    }
                }
            }
            Self::Blend(blend) => stream.put(blend),
            Self::DepthStencil { test, write, func, stencil } => stream.put(SetDepthStencilState {
                depth_enable: u32::from(test),
                depth_write: u32::from(write),
                depth_func: func,
                stencil_enable: u32::from(stencil),
                stencil_read_mask: 0xff,
                stencil_write_mask: 0xff,
                pad: [0; 2],
            }),
            Self::Rasterizer { cull, scissor } => {
                let scissor_enable = u32::from(scissor);
                stream.put(SetRasterizerState { fill: 0, cull, front_ccw: 0, scissor_enable, depth_bias: 0, flags: 0 })
            }
            Self::Targets { ref colors, depth } => stream.targets(colors, depth),
            Self::Viewport(place) => stream.viewport(place.map(|side| side as f32)),
            Self::Scissor(place) => stream.scissor(place),
            Self::Topology { topology } => stream.topology(topology),
            Self::RenderState { state, value } => stream.put(SetRenderState { state, value }),
            Self::SamplerState { stage, slot, state, value } => {
                stream.put(SetSamplerState { stage: stage as u32, slot, state, value })
            }
            Self::IndexBuffer { buffer, is_wide, offset } => {
                stream.put(SetIndexBuffer { buffer, format: u32::from(is_wide), offset, reserved: 0 })
            }
            Self::Texture { stage, slot, texture } => stream.read_in(stage as u32, slot, texture),
            _ => self.put_slots(stream),
        }
    }

    fn put_slots<'s>(&self, stream: &'s mut Stream) -> &'s mut Stream {
        let stage_ex = 0;
        match *self {
            Self::VertexBuffers { first: start_slot, ref slots } => {
                let slot = |&Bound { buffer, offset, size }: &Bound| VertexBufferBinding {
                    buffer,
                    stride_bytes: size,
                    offset_bytes: offset,
                    reserved: 0,
                };
                let slots: Vec<_> = slots.iter().map(slot).collect();
                let buffer_count = slots.len() as u32;
                stream.put_list(&slots, |values| SetVertexBuffers { start_slot, buffer_count, values }.into())
            }
            Self::Samplers { stage, first: start_slot, ref handles } => {
                let (stage, sampler_count) = (stage as u32, handles.len() as u32);
                let handles: Vec<_> = handles.iter().map(|handle| BoundHandle { handle: *handle }).collect();
                stream.put_list(&handles, |values| {
                    SetSamplers { stage, start_slot, sampler_count, stage_ex, values }.into()
                })
            }
            Self::ConstantBuffers { stage, first: start_slot, ref slots } => {
                let (stage, buffer_count) = (stage as u32, slots.len() as u32);
                stream.put_list(&ranges(slots), |values| {
                    SetConstantBuffers { stage, start_slot, buffer_count, stage_ex, values }.into()
                })
            }
            Self::ResourceBuffers { stage, first: start_slot, ref slots } => {
                let (stage, buffer_count) = (stage as u32, slots.len() as u32);
                stream.put_list(&ranges(slots), |values| {
                    SetShaderResourceBuffers { stage, start_slot, buffer_count, stage_ex, values }.into()
                })
            }
            Self::Uavs { stage, first: start_slot, ref slots } => {
                let (stage, uav_count) = (stage as u32, slots.len() as u32);
                let slot = |&Bound { buffer, offset, size }: &Bound| UnorderedAccessBinding {
                    buffer,
                    offset_bytes: offset,
                    size_bytes: size,
                    initial_count: u32::MAX,
                };
                let slots: Vec<_> = slots.iter().map(slot).collect();
                stream.put_list(&slots, |values| {
                    SetUnorderedAccessBuffers { stage, start_slot, uav_count, stage_ex, values }.into()
                })
            }
            _ => panic!("{self:?} is no packet of this family"),
        }
    }
}
