//! Short ways to write commands.

use super::scene::*;
use super::shaders::{LayoutKind, ShaderKind};

pub fn plain(format: u32, side: u32) -> TextureDesc {
    TextureDesc { format, width: side, height: side, mips: 1, layers: 1, row_pitch: 0 }
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
    Command::Upload { handle, offset, size }
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
    Command::CreateShader { handle, kind }
}

pub fn layout(handle: Handle, kind: LayoutKind) -> Command {
    Command::CreateLayout { handle, kind }
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
    Command::Clear { flags }
}

pub fn draw(vertices: u32) -> Command {
    Command::Draw { vertices, instances: 1, first: 0, first_instance: 0 }
}

pub fn present() -> Command {
    Command::Present { scanout: 0 }
}

pub fn bind_texture(slot: u32, texture: Handle) -> Command {
    Command::Texture { stage: Pixel, slot, texture }
}

pub fn render_state(state: u32, value: u32) -> Command {
    Command::RenderState { state, value }
}

pub fn floats(stage: Stage, first: u32, count: u32) -> Command {
    Command::Constants { bank: Bank::Float, stage, first, count }
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
