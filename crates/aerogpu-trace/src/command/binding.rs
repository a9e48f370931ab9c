//! Commands that bind resources to slots, and the states that Direct3D 9 numbers.

use std::fmt;

use trace_base::direct3d::{AddressMode, Filter};

use super::bytes_in_file::FileList;
use super::format::IndexFormat;
use super::id::{ResourceId, SamplerId};
use super::shader::ShaderStage;

/// A vertex buffer in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexBufferSlot {
    /// The buffer, if the slot holds one.
    pub buffer: Option<ResourceId>,
    /// Distance from one vertex to the next.
    pub stride_bytes: u32,
    /// Where the first vertex starts.
    pub offset_bytes: u32,
}

/// Binds vertex buffers to slots in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetVertexBuffers {
    /// The first slot.
    pub first_slot: u32,
    /// What each slot holds from here on.
    pub slots: FileList<VertexBufferSlot>,
}

/// Binds the index buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetIndexBuffer {
    /// The buffer, if there is one.
    pub buffer: Option<ResourceId>,
    /// The size of an index.
    pub format: IndexFormat,
    /// Where the first index lies.
    pub offset_bytes: u32,
}

/// What vertices form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are Direct3D's")]
pub enum Topology {
    PointList,
    LineList,
    LineStrip,
    TriangleList,
    TriangleStrip,
    TriangleFan,
    LineListAdjacency,
    LineStripAdjacency,
    TriangleListAdjacency,
    TriangleStripAdjacency,
    /// Patches of so many control points, 1 to 32.
    PatchList(u8),
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PointList => "POINTLIST",
            Self::LineList => "LINELIST",
            Self::LineStrip => "LINESTRIP",
            Self::TriangleList => "TRIANGLELIST",
            Self::TriangleStrip => "TRIANGLESTRIP",
            Self::TriangleFan => "TRIANGLEFAN",
            Self::LineListAdjacency => "LINELIST_ADJ",
            Self::LineStripAdjacency => "LINESTRIP_ADJ",
            Self::TriangleListAdjacency => "TRIANGLELIST_ADJ",
            Self::TriangleStripAdjacency => "TRIANGLESTRIP_ADJ",
            Self::PatchList(points) => return write!(f, "PATCHLIST of {points}"),
        })
    }
}

/// Binds a texture, or a buffer that shaders read, to a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetTexture {
    /// The stage.
    pub stage: ShaderStage,
    /// The slot.
    pub slot: u32,
    /// What it holds from here on.
    pub texture: Option<ResourceId>,
}

/// Makes a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateSampler {
    /// Its name from here on.
    pub id: SamplerId,
    /// Its filter, for magnification, minification and mips alike.
    pub filter: Filter,
    /// What it reads outside of a texture, by axis.
    pub address: [AddressMode; 3],
}

/// A sampler in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerSlot(pub Option<SamplerId>);

/// Binds samplers to slots in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetSamplers {
    /// The stage.
    pub stage: ShaderStage,
    /// The first slot.
    pub first_slot: u32,
    /// What each slot holds from here on.
    pub slots: FileList<SamplerSlot>,
}

/// A part of a buffer in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSlot {
    /// The buffer, if the slot holds one.
    pub buffer: Option<ResourceId>,
    /// Where the part starts.
    pub offset_bytes: u32,
    /// Its length; 0 is up to the buffer's end.
    pub size_bytes: u32,
    /// What the buffer's counter is set to, of buffers that shaders write; all bits set leave it.
    pub initial_count: u32,
}

impl BufferSlot {
    /// What a buffer's counter is set to where it is bound so; nothing if that leaves it.
    pub fn counter(&self, usage: BufferUse) -> Option<u32> {
        const LEAVES_IT: u32 = u32::MAX;
        Some(self.initial_count).filter(|count| usage == BufferUse::UnorderedAccess && *count != LEAVES_IT)
    }
}

/// What shaders do with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BufferUse {
    /// They read it as constants.
    Constants,
    /// They read it at any place.
    Resource,
    /// They read and write it.
    UnorderedAccess,
}

/// Binds buffers to slots in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetBuffers {
    /// The stage.
    pub stage: ShaderStage,
    /// What its shader does with them.
    pub usage: BufferUse,
    /// The first slot.
    pub first_slot: u32,
    /// What each slot holds from here on.
    pub slots: FileList<BufferSlot>,
}

/// Sets one of Direct3D 9's sampler states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetSamplerState {
    /// The stage.
    pub stage: ShaderStage,
    /// The sampler's slot.
    pub slot: u32,
    /// The state's number in Direct3D 9.
    pub state: u32,
    /// Its value.
    pub value: u32,
}

/// Sets one of Direct3D 9's render states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetRenderState {
    /// The state's number in Direct3D 9.
    pub state: u32,
    /// Its value.
    pub value: u32,
}
