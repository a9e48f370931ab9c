//! Short ways to write commands. What they upload and set is told by [`distinct`](super::distinct).

use super::shaders::{LayoutKind, ShaderKind};
use crate::support::a3a0::*;
use aerogpu_replay::abi::a3a0::state::SetBlendState;

pub fn plain(format: u32, side: u32) -> TextureDesc {
    TextureDesc { format, width: side, height: side, mips: 1, layers: 1, row_pitch: 0, usage: 0x38 }
}

pub fn texture(handle: Handle) -> Command {
    Command::CreateTexture { handle, desc: plain(R8G8B8A8, 8), backing: None }
}

pub fn texture_of(handle: Handle, mips: u32, layers: u32) -> Command {
    let desc = TextureDesc { mips, layers, ..plain(R8G8B8A8, 8) };
    Command::CreateTexture { handle, desc, backing: None }
}

pub fn depth_texture(handle: Handle, format: u32) -> Command {
    Command::CreateTexture { handle, desc: plain(format, 8), backing: None }
}

pub fn buffer(handle: Handle, size: u32) -> Command {
    Command::CreateBuffer { handle, size, backing: None }
}

pub fn upload(handle: Handle, offset: u32, size: u32) -> Command {
    Command::Upload { handle, offset, bytes: Bytes(vec![0; size as usize].into()) }
}

pub fn dirty(handle: Handle, offset: u32, size: u32) -> Command {
    Command::Dirty { handle, offset, size }
}

pub fn destroy(handle: Handle) -> Command {
    Command::Destroy { handle }
}

pub fn view(view: Handle, texture: Handle, mip: u32, layer: u32) -> Command {
    Command::CreateView { view, texture, format: R8G8B8A8, base_mip: mip, mips: 1, base_layer: layer, layers: 1 }
}

pub fn shader(handle: Handle, kind: ShaderKind) -> Command {
    Command::CreateShader { handle, stage: kind.stage(), name: format!("{kind:?}"), code: kind.code() }
}

pub fn layout(handle: Handle, kind: LayoutKind) -> Command {
    Command::CreateLayout { handle, name: format!("{kind:?}"), blob: kind.blob() }
}

pub fn set_layout(handle: Handle) -> Command {
    Command::SetLayout { handle }
}

pub fn bind(vs: Handle, ps: Handle) -> Command {
    Command::BindShaders { vs, ps, cs: 0 }
}

pub fn bind_compute(cs: Handle) -> Command {
    Command::BindShaders { vs: 0, ps: 0, cs }
}

pub fn vertices(first: u32, buffer: Handle, offset: u32, stride: u32) -> Command {
    Command::VertexBuffers { first, slots: vec![range(buffer, offset, stride)] }
}

pub fn range(buffer: Handle, offset: u32, size: u32) -> Bound {
    Bound { buffer, offset, size }
}

pub fn targets(colors: &[Handle]) -> Command {
    Command::Targets { colors: colors.to_vec(), depth: 0 }
}

pub fn targets_with_depth(colors: &[Handle], depth: Handle) -> Command {
    Command::Targets { colors: colors.to_vec(), depth }
}

pub fn clear(flags: u32) -> Command {
    Command::Clear { flags, color: [0.0, 0.0, 0.5, 1.0], depth: 1.0, stencil: 0 }
}

pub fn draw(vertices: u32) -> Command {
    Command::Draw { vertices, instances: 1, first: 0, first_instance: 0 }
}

pub fn present() -> Command {
    present_on(0)
}

pub fn present_on(scanout: u32) -> Command {
    Command::Present { scanout, is_ex: false }
}

pub fn bind_texture(slot: u32, texture: Handle) -> Command {
    Command::Texture { stage: Pixel, slot, texture }
}

pub fn render_state(state: u32, value: u32) -> Command {
    Command::RenderState { state, value }
}

pub fn floats(stage: Stage, first: u32, count: u32) -> Command {
    constants(Bank::Float, stage, first, count)
}

pub fn constants(bank: Bank, stage: Stage, first: u32, count: u32) -> Command {
    Command::Constants { bank, stage, first, registers: vec![[0; 4]; count as usize] }
}

pub fn sampler(handle: Handle) -> Command {
    Command::CreateSampler { handle, filter: 1, address: [0, 1, 2] }
}

pub fn viewport(width: i32) -> Command {
    Command::Viewport([0, 0, width, 8])
}

pub fn scissor(width: i32) -> Command {
    Command::Scissor([0, 0, width, 4])
}

pub fn rasterizer(scissor: bool) -> Command {
    Command::Rasterizer { cull: 0, scissor }
}

pub fn depth_test(test: bool, write: bool, func: u32) -> Command {
    Command::DepthStencil { test, write, func, stencil: false }
}

/// As the first driver wrote it, without what was appended.
pub fn blend(write_mask: u8) -> Command {
    Command::Blend(SetBlendState {
        enable: 0,
        src: 1,
        dst: 0,
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
    })
}

pub fn corner(texture: Handle, x: u32, y: u32) -> Corner {
    Corner { texture, mip: 0, layer: 0, x, y }
}

/// The whole of a texture of eight by eight.
pub fn copy_whole(dst: Handle, src: Handle) -> Command {
    Command::CopyTexture { dst: corner(dst, 0, 0), src: corner(src, 0, 0), width: 8, height: 8, writes_back: false }
}

pub fn copy_part(dst: Handle, src: Handle) -> Command {
    Command::CopyTexture { dst: corner(dst, 1, 1), src: corner(src, 0, 0), width: 2, height: 3, writes_back: false }
}

pub fn copy_bytes(dst: Handle, dst_offset: u32, src: Handle, src_offset: u32, size: u32) -> Command {
    Command::CopyBuffer { dst, dst_offset, src, src_offset, size, writes_back: false }
}

/// Bytes of guest memory: of one number the same.
pub fn contents(number: u8, size: u32) -> Bytes {
    Bytes((0..size).map(|at| number.wrapping_add((at / 7) as u8)).collect())
}
