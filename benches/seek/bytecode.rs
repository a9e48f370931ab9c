//! Shaders of Direct3D translated and compiled ahead of their draws, and one by one as the draws come.

use std::cell::Cell;
use std::sync::Arc;

use aerogpu_replay::abi::a3a0::bindings::{SetPrimitiveTopology, SetVertexBuffers};
use aerogpu_replay::abi::a3a0::resources::{CreateBuffer, CreateTexture2d};
use aerogpu_replay::abi::a3a0::shaders::{BindShaders, CreateInputLayout, CreateShaderDxbc, SetInputLayout};
use aerogpu_replay::abi::a3a0::state::SetRenderTargets;
use aerogpu_replay::abi::a3a0::work::{Draw, Present};
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Bytes, Elements, Packet, StreamWriter, VertexBufferBinding};
use aerogpu_replay::bytes::MemorySource;
use aerogpu_replay::format::aerogpu::{FrameIndex, NewSubmission, TraceWriter};
use aerogpu_replay::player::{PipelineMaker, Player};
use anyhow::{Result, ensure};

use crate::{Effort, SIZE, compare, device, open, time};

/// Instructions of each pixel shader, about as many as people write.
const INSTRUCTIONS: usize = 48;
const VERTEX: u32 = 0;
const PIXEL: u32 = 1;

/// `vs_2_0`: `mov oPos, v0`.
const VERTEX_SHADER: [u32; 5] = [0xfffe_0200, 0x0200_0001, 0xc00f_0000, 0x90e4_0000, 0xffff];
/// Four floats of position.
const DECLARATION: [u8; 16] = [0, 0, 0, 0, 3, 0, 0, 0, 0xff, 0, 0, 0, 17, 0, 0, 0];

/// `ps_2_0`: `def c0, …`, `mov r0, c0`, many times `mad r0, r0, c0, r0`, `mov oC0, r0`.
fn pixel_shader(number: u32) -> Vec<u32> {
    let color = [number as f32, 0.5, 0.25, 1.0].map(f32::to_bits);
    let head = [0xffff_0200, 0x0500_0051, 0xa00f_0000];
    let first = [0x0200_0001, 0x800f_0000, 0xa0e4_0000];
    let next = [0x0400_0004, 0x800f_0000, 0x80e4_0000, 0xa0e4_0000, 0x80e4_0000].repeat(INSTRUCTIONS);
    let last = [0x0200_0001, 0x800f_0800, 0x80e4_0000, 0xffff];
    [head.as_slice(), &color, &first, &next, &last].concat()
}

/// One frame that makes all shaders and then draws once with each.
fn trace(count: u32) -> Result<Vec<u8>> {
    let mut stream = StreamWriter::new(ABI_VERSION);
    let mut put = |packet: Packet<'_>| stream.packet(&packet);
    let mut shader = |handle: u32, stage: u32, tokens: &[u32]| {
        let code: Vec<u8> = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
        let size_bytes = code.len() as u32;
        put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(&code) }.into())
    };
    shader(1, VERTEX, &VERTEX_SHADER)?;
    (0..count).try_for_each(|number| shader(100 + number, PIXEL, &pixel_shader(number)))?;
    let (handle, blob_size) = (2, DECLARATION.len() as u32);
    put(CreateInputLayout { handle, blob_size, reserved: 0, blob: Bytes::new(&DECLARATION) }.into())?;
    put(SetInputLayout { handle, reserved: 0 }.into())?;
    let (usage, size_bytes) = (1, 48);
    let buffer = CreateBuffer { handle: 3, usage, size_bytes, backing_alloc_id: 0, backing_offset: 0, reserved: 0 };
    put(buffer.into())?;
    let bound =
        Elements::to_bytes(&[VertexBufferBinding { buffer: 3, stride_bytes: 16, offset_bytes: 0, reserved: 0 }]);
    let values = Elements::new(&bound).ok_or_else(|| anyhow::anyhow!("a binding is no whole element"))?;
    put(SetVertexBuffers { start_slot: 0, buffer_count: 1, values }.into())?;
    put(SetPrimitiveTopology { topology: 4, reserved: 0 }.into())?;
    let (format, width, height, mip_levels, array_layers) = (3, 64, 64, 1, 1);
    let (usage, row_pitch, backing_alloc_id, backing_offset) = (0x18, 0, 0, 0);
    put(Packet::from(CreateTexture2d {
        handle: 4,
        usage,
        format,
        width,
        height,
        mip_levels,
        array_layers,
        row_pitch,
        backing_alloc_id,
        backing_offset,
        reserved: 0,
    }))?;
    put(SetRenderTargets { color_count: 1, depth_stencil: 0, color: [4, 0, 0, 0, 0, 0, 0, 0] }.into())?;
    for number in 0..count {
        put(BindShaders { vs: 1, ps: 100 + number, cs: 0, reserved: 0, appended: None }.into())?;
        put(Draw { vertex_count: 3, instance_count: 1, first_vertex: 0, first_instance: 0 }.into())?;
    }
    put(Present { scanout_id: 0, flags: 0 }.into())?;
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}")?;
    writer.begin_frame()?;
    writer.submit(&NewSubmission { submit_flags: 1, cmd_stream: &stream.finish(), ..Default::default() })?;
    writer.present()?;
    Ok(writer.finish()?)
}

/// Less time than one by one, where there are two cores, although software Vulkan draws on both.
pub(crate) fn ahead(effort: Effort) -> Result<bool> {
    let count = effort.frames.min(1000);
    let trace = open(Arc::new(MemorySource::from(trace(count)?)))?;
    let gpu = device()?;
    let late = Cell::new(0);
    let draw_all = |maker: PipelineMaker| {
        let mut player = Player::new(trace.clone(), gpu.clone(), SIZE)?;
        player.set_pipeline_maker(maker);
        let taken = time(|| Ok(player.render(FrameIndex(0)).map(drop)?))?;
        late.set(player.renderer().late_pipelines());
        Ok(taken)
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("  {count} shaders, {cores} cores, {}", gpu.summary());
    let one_by_one = || {
        let taken = draw_all(PipelineMaker::Nobody)?;
        ensure!(late.get() == count, "{} of {count} pipelines were made by who draws", late.get());
        Ok(taken)
    };
    let within = compare(effort.rounds.div_ceil(3), ["one by one", "made ahead"], Some(0.8), one_by_one, || {
        draw_all(PipelineMaker::Threads)
    });
    println!("  {} of {count} pipelines came late", late.get());
    within
}
