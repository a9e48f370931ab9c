//! Scenes of submissions: commands as plain data, in submissions, in frames.

mod encode;
mod placed;

use std::fmt;
use std::sync::Arc;

use aerogpu_trace::abi::a3a0::state::SetBlendState;

pub use encode::encode;
pub use placed::Placed;

pub type Handle = u32;

pub const B8G8R8A8: u32 = 1;
pub const R8G8B8A8: u32 = 3;
pub const R8G8B8X8: u32 = 4;
pub const B5G6R5: u32 = 5;
pub const D24S8: u32 = 32;
pub const D32F: u32 = 33;
pub const BC1: u32 = 64;

pub const COLOR: u32 = 1;
pub const DEPTH: u32 = 2;
pub const STENCIL: u32 = 4;

/// In the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    Vertex,
    Pixel,
    Compute,
}

pub use Stage::{Compute, Pixel, Vertex};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bank {
    Float,
    Int,
    Bool,
}

/// Bytes, which are told by their number.
#[derive(Clone, PartialEq, Eq)]
pub struct Bytes(pub Arc<[u8]>);

impl fmt::Debug for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} bytes", self.0.len())
    }
}

/// A place in guest memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backing {
    pub allocation: u32,
    pub offset: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureDesc {
    pub format: u32,
    pub width: u32,
    pub height: u32,
    pub mips: u32,
    pub layers: u32,
    pub row_pitch: u32,
    pub usage: u32,
}

/// One side of a copy of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corner {
    pub texture: Handle,
    pub mip: u32,
    pub layer: u32,
    pub x: u32,
    pub y: u32,
}

/// A slot's buffer with offset and size; for vertices with offset and stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    pub buffer: Handle,
    pub offset: u32,
    pub size: u32,
}

/// Constants are the bits of registers, of a bool the first.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Nop,
    Flush,
    Marker,
    CreateBuffer { handle: Handle, size: u32, backing: Option<Backing> },
    CreateTexture { handle: Handle, desc: TextureDesc, backing: Option<Backing> },
    Destroy { handle: Handle },
    Dirty { handle: Handle, offset: u32, size: u32 },
    Upload { handle: Handle, offset: u32, bytes: Bytes },
    CopyBuffer { dst: Handle, dst_offset: u32, src: Handle, src_offset: u32, size: u32, writes_back: bool },
    CopyTexture { dst: Corner, src: Corner, width: u32, height: u32, writes_back: bool },
    CreateView { view: Handle, texture: Handle, format: u32, base_mip: u32, mips: u32, base_layer: u32, layers: u32 },
    DestroyView { view: Handle },
    CreateShader { handle: Handle, stage: Stage, name: String, code: Bytes },
    DestroyShader { handle: Handle },
    BindShaders { vs: Handle, ps: Handle, cs: Handle },
    Constants { bank: Bank, stage: Stage, first: u32, registers: Vec<[u32; 4]> },
    CreateLayout { handle: Handle, name: String, blob: Bytes },
    DestroyLayout { handle: Handle },
    SetLayout { handle: Handle },
    Blend(SetBlendState),
    DepthStencil { test: bool, write: bool, func: u32, stencil: bool },
    Rasterizer { cull: u32, scissor: bool },
    Targets { colors: Vec<Handle>, depth: Handle },
    Viewport([i32; 4]),
    Scissor([i32; 4]),
    VertexBuffers { first: u32, slots: Vec<Bound> },
    IndexBuffer { buffer: Handle, is_wide: bool, offset: u32 },
    Topology { topology: u32 },
    Texture { stage: Stage, slot: u32, texture: Handle },
    SamplerState { stage: Stage, slot: u32, state: u32, value: u32 },
    RenderState { state: u32, value: u32 },
    CreateSampler { handle: Handle, filter: u32, address: [u32; 3] },
    DestroySampler { handle: Handle },
    Samplers { stage: Stage, first: u32, handles: Vec<Handle> },
    ConstantBuffers { stage: Stage, first: u32, slots: Vec<Bound> },
    ResourceBuffers { stage: Stage, first: u32, slots: Vec<Bound> },
    Uavs { stage: Stage, first: u32, slots: Vec<Bound> },
    Clear { flags: u32, color: [f32; 4], depth: f32, stencil: u32 },
    Draw { vertices: u32, instances: u32, first: u32, first_instance: u32 },
    DrawIndexed { indices: u32, instances: u32, first: u32, base_vertex: i32 },
    Dispatch { groups: [u32; 3] },
    Present { scanout: u32, is_ex: bool },
    Export { resource: Handle, token: u64 },
    Import { handle: Handle, token: u64 },
    Release { token: u64 },
}

/// Guest memory as a submission finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    pub allocation: u32,
    pub gpa: u64,
    pub bytes: Bytes,
}

#[derive(Clone, Debug, Default)]
pub struct Submission {
    pub context: u32,
    pub commands: Vec<Command>,
    pub memory: Vec<Memory>,
}

#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub submissions: Vec<Submission>,
}

#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub frames: Vec<Frame>,
}

/// A command with its place.
#[derive(Clone, Copy, Debug)]
pub struct Numbered<'a> {
    /// Over all frames.
    pub number: u32,
    /// Of its submission, over all frames.
    pub submission: usize,
    pub within: &'a Submission,
    pub command: &'a Command,
}

impl Scene {
    /// One submission to context 0 for each frame.
    pub fn of(frames: &[&[Command]]) -> Self {
        let frame = |commands: &&[Command]| Frame { submissions: vec![Submission::of(0, commands)] };
        Self { frames: frames.iter().map(frame).collect() }
    }

    /// All commands with their numbers.
    pub fn numbered(&self) -> Vec<Numbered<'_>> {
        let submissions = self.frames.iter().flat_map(|frame| &frame.submissions).enumerate();
        let commands = submissions
            .flat_map(|(submission, within)| within.commands.iter().map(move |command| (submission, within, command)));
        (0..)
            .zip(commands)
            .map(|(number, (submission, within, command))| Numbered { number, submission, within, command })
            .collect()
    }

    /// The numbers of each frame's own commands.
    pub fn own(&self) -> Vec<std::ops::Range<u32>> {
        let mut end = 0;
        let mut own = Vec::new();
        for frame in &self.frames {
            let count = frame.submissions.iter().map(|submission| submission.commands.len() as u32).sum::<u32>();
            own.push(end..end + count);
            end += count;
        }
        own
    }
}

impl Submission {
    pub fn of(context: u32, commands: &[Command]) -> Self {
        Self { context, commands: commands.to_vec(), memory: Vec::new() }
    }

    pub fn with_memory(mut self, memory: &[Memory]) -> Self {
        self.memory.extend_from_slice(memory);
        self
    }
}
