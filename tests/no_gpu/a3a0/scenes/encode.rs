//! Scenes as traces.

use super::scene::{Backing, Bank, Bound, Command, Corner, Memory, Scene, Stage, Submission};
use crate::support::streams::{Stream, StreamOfTests, Texels};
use aerogpu_replay::abi::a3a0::bindings::*;
use aerogpu_replay::abi::a3a0::resources::*;
use aerogpu_replay::abi::a3a0::shaders::*;
use aerogpu_replay::abi::a3a0::sharing::*;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::*;
use aerogpu_replay::abi::a3a0::{
    ABI_VERSION, BoolForm, Bools, BoundHandle, BufferBinding, TableEntry, TableWriter, Text, UnorderedAccessBinding,
    VertexBufferBinding,
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
    let mut stream = Stream::new();
    for command in &submission.commands {
        put(&mut stream, command, *number);
        *number += 1;
    }
    stream.finish()
}

fn number_of(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => 0,
        Stage::Pixel => 1,
        Stage::Compute => 2,
    }
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

/// Puts a command into the stream; what it uploads no other command does.
fn put(stream: &mut Stream, command: &Command, number: u32) {
    match *command {
        Command::Nop => stream.put(Nop {}),
        Command::Flush => stream.put(Flush { reserved0: 0, reserved1: 0 }),
        Command::Marker => stream.put(DebugMarker { text: Text(b"here\0\0\0\0") }),
        Command::Clear { flags } => stream.put(Clear {
            flags,
            r: (number % 7) as f32 / 8.0,
            g: (number % 5) as f32 / 8.0,
            b: 0.5,
            a: 1.0,
            depth: 1.0,
            stencil: number % 256,
        }),
        Command::Draw { vertices, instances, first, first_instance } => {
            stream.put(Draw { vertex_count: vertices, instance_count: instances, first_vertex: first, first_instance })
        }
        Command::DrawIndexed { indices, instances, first, base_vertex } => stream.put(DrawIndexed {
            index_count: indices,
            instance_count: instances,
            first_index: first,
            base_vertex,
            first_instance: 0,
        }),
        Command::Dispatch { groups: [x, y, z] } => stream.put(Dispatch { x, y, z, stage_ex: 0 }),
        Command::Present { scanout } if number.is_multiple_of(2) => {
            stream.put(Present { scanout_id: scanout, flags: 0 })
        }
        Command::Present { scanout } => {
            stream.put(PresentEx { scanout_id: scanout, flags: 0, d3d9_present_flags: 0, reserved: 0 })
        }
        Command::Export { resource, token } => {
            stream.put(ExportSharedSurface { resource, reserved: 0, share_token: token })
        }
        Command::Import { handle, token } => {
            stream.put(ImportSharedSurface { out_resource: handle, reserved: 0, share_token: token })
        }
        Command::Release { token } => stream.put(ReleaseSharedSurface { share_token: token, reserved: 0 }),
        _ => put_resource(stream, command, number),
    };
}

fn put_resource<'s>(stream: &'s mut Stream, command: &Command, number: u32) -> &'s mut Stream {
    let behind = |backing: Option<Backing>| backing.map_or((0, 0), |backing| (backing.allocation, backing.offset));
    match *command {
        Command::CreateBuffer { handle, size, backing } => {
            let (backing_alloc_id, backing_offset) = behind(backing);
            let size_bytes = u64::from(size);
            stream.put(CreateBuffer { handle, usage: 0x87, size_bytes, backing_alloc_id, backing_offset, reserved: 0 })
        }
        Command::CreateTexture { handle, desc, backing } => {
            let (backing_alloc_id, backing_offset) = behind(backing);
            stream.put(CreateTexture2d {
                handle,
                usage: 0x38,
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
        Command::Destroy { handle } => stream.put(DestroyResource { handle, reserved: 0 }),
        Command::Dirty { handle, offset, size } => {
            let (offset, size_bytes) = (u64::from(offset), u64::from(size));
            stream.put(ResourceDirtyRange { handle, reserved: 0, offset, size_bytes })
        }
        Command::Upload { handle, offset, size } => {
            let data: Vec<u8> = (0..size).map(|at| (at + number * 13) as u8).collect();
            stream.upload(handle, u64::from(offset), &data)
        }
        Command::CopyBuffer { dst, dst_offset, src, src_offset, size, writes_back } => stream.put(CopyBuffer {
            dst,
            src,
            dst_offset: u64::from(dst_offset),
            src_offset: u64::from(src_offset),
            size_bytes: u64::from(size),
            flags: u32::from(writes_back),
            reserved: 0,
        }),
        Command::CopyTexture { dst, src, width, height, writes_back } => {
            stream.copy_texels_back(texels(dst), texels(src), [width, height], writes_back)
        }
        Command::CreateView { view, texture, format, base_mip, mips, base_layer, layers } => {
            stream.view(view, texture, format, [base_mip, mips], [base_layer, layers])
        }
        Command::DestroyView { view } => stream.put(DestroyTextureView { view, reserved: 0 }),
        _ => put_shader(stream, command, number),
    }
}

fn put_shader<'s>(stream: &'s mut Stream, command: &Command, number: u32) -> &'s mut Stream {
    match *command {
        Command::CreateShader { handle, kind } => stream.container(handle, number_of(kind.stage()), &kind.code()),
        Command::DestroyShader { handle } => stream.put(DestroyShader { handle, reserved: 0 }),
        Command::BindShaders { vs, ps, cs } => stream.put(BindShaders { vs, ps, cs, reserved: 0, appended: None }),
        Command::Constants { bank, stage, first, count } => {
            put_constants(stream, bank, (number_of(stage), first, count), number)
        }
        Command::CreateLayout { handle, kind } => stream.layout_of(handle, &kind.blob()),
        Command::DestroyLayout { handle } => stream.put(DestroyInputLayout { handle, reserved: 0 }),
        Command::SetLayout { handle } => stream.use_layout(handle),
        _ => put_state(stream, command, number),
    }
}

fn put_constants(
    stream: &mut Stream,
    bank: Bank,
    (stage, start_register, count): (u32, u32, u32),
    number: u32,
) -> &mut Stream {
    match bank {
        Bank::Float => {
            let registers: Vec<_> = (0..count).map(|at| [number as f32, at as f32, 0.5, 1.0]).collect();
            stream.registers(stage, start_register, &registers)
        }
        Bank::Int => {
            let registers: Vec<_> = (0..count).map(|at| [number as i32, at as i32, 1, 0]).collect();
            stream.put_list(&registers, |values| {
                SetShaderConstantsI { stage, start_register, vec4_count: count, stage_ex: 0, values }.into()
            })
        }
        Bank::Bool => {
            let bytes: Vec<u8> = (0..count).flat_map(|at| ((number + at) % 2).to_le_bytes()).collect();
            let values = Bools::new(BoolForm::Scalar, &bytes).unwrap();
            stream.put(SetShaderConstantsB { stage, start_register, bool_count: count, stage_ex: 0, values })
        }
    }
}

fn put_state<'s>(stream: &'s mut Stream, command: &Command, number: u32) -> &'s mut Stream {
    match *command {
        // As the first driver wrote it, without what was appended.
        Command::Blend { write_mask } => stream.put(SetBlendState {
            enable: number % 2,
            src: 1,
            dst: number % 6,
            op: 0,
            write_mask,
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
        Command::DepthStencil { test, write, func } => stream.put(SetDepthStencilState {
            depth_enable: u32::from(test),
            depth_write: u32::from(write),
            depth_func: func,
            stencil_enable: number % 2,
            stencil_read_mask: 0xff,
            stencil_write_mask: 0xff,
            pad: [0; 2],
        }),
        Command::Rasterizer { scissor } => {
            let (cull, scissor_enable) = (number % 3, u32::from(scissor));
            stream.put(SetRasterizerState { fill: 0, cull, front_ccw: 0, scissor_enable, depth_bias: 0, flags: 0 })
        }
        Command::Targets { ref colors, depth } => stream.targets(colors, depth),
        Command::Viewport { width } => stream.viewport([0.0, 0.0, width as f32, 8.0]),
        Command::Scissor { width } => stream.scissor([0, 0, width, 4]),
        Command::Topology { topology } => stream.topology(topology),
        Command::RenderState { state, value } => stream.put(SetRenderState { state, value }),
        Command::SamplerState { stage, slot, state, value } => {
            stream.put(SetSamplerState { stage: number_of(stage), slot, state, value })
        }
        _ => put_binding(stream, command),
    }
}

fn put_binding<'s>(stream: &'s mut Stream, command: &Command) -> &'s mut Stream {
    let stage_ex = 0;
    match *command {
        Command::VertexBuffers { first: start_slot, ref slots } => {
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
        Command::IndexBuffer { buffer, is_wide, offset } => {
            stream.put(SetIndexBuffer { buffer, format: u32::from(is_wide), offset, reserved: 0 })
        }
        Command::Texture { stage, slot, texture } => stream.read_in(number_of(stage), slot, texture),
        Command::CreateSampler { handle } => {
            stream.put(CreateSampler { handle, filter: 1, address_u: 0, address_v: 1, address_w: 2 })
        }
        Command::DestroySampler { handle } => stream.put(DestroySampler { handle, reserved: 0 }),
        Command::Samplers { stage, first: start_slot, ref handles } => {
            let (stage, sampler_count) = (number_of(stage), handles.len() as u32);
            let handles: Vec<_> = handles.iter().map(|handle| BoundHandle { handle: *handle }).collect();
            stream
                .put_list(&handles, |values| SetSamplers { stage, start_slot, sampler_count, stage_ex, values }.into())
        }
        Command::ConstantBuffers { stage, first: start_slot, ref slots } => {
            let (stage, buffer_count) = (number_of(stage), slots.len() as u32);
            stream.put_list(&ranges(slots), |values| {
                SetConstantBuffers { stage, start_slot, buffer_count, stage_ex, values }.into()
            })
        }
        Command::ResourceBuffers { stage, first: start_slot, ref slots } => {
            let (stage, buffer_count) = (number_of(stage), slots.len() as u32);
            stream.put_list(&ranges(slots), |values| {
                SetShaderResourceBuffers { stage, start_slot, buffer_count, stage_ex, values }.into()
            })
        }
        Command::Uavs { stage, first: start_slot, ref slots } => {
            let (stage, uav_count) = (number_of(stage), slots.len() as u32);
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
        _ => panic!("{command:?} is no packet of this family"),
    }
}
