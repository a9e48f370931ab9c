//! Commands about shaders: their code, their constants, the layout of their vertices.

use std::fmt;

#[cfg(feature = "reader")]
use serde::{Deserialize, Serialize};

use super::bytes_in_file::FileBytes;
use super::format::{VertexElement, VertexFormat};
use super::id::{LayoutId, PipelineId, ResourceId, ShaderId};
use crate::container::{BlobId, BlobKind};

/// A shader's place in the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "reader", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
pub enum ShaderStage {
    /// Runs once per vertex.
    Vertex,
    /// Runs once per covered pixel. Direct3D calls it the pixel stage.
    Fragment,
    /// Runs outside of draws.
    Compute,
    /// Runs once per primitive.
    Geometry,
    /// Runs once per control point of a patch, and once per patch.
    Hull,
    /// Runs once per vertex that tessellation makes.
    Domain,
}

impl ShaderStage {
    /// Every stage.
    pub const ALL: [Self; 6] = [Self::Vertex, Self::Fragment, Self::Compute, Self::Geometry, Self::Hull, Self::Domain];

    /// The name that Direct3D gives it.
    pub fn direct3d_name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Fragment => "pixel",
            Self::Compute => "compute",
            Self::Geometry => "geometry",
            Self::Hull => "hull",
            Self::Domain => "domain",
        }
    }

    /// The letters that Direct3D's shader models of this stage begin with.
    pub fn model_prefix(self) -> &'static str {
        match self {
            Self::Vertex => "vs",
            Self::Fragment => "ps",
            Self::Compute => "cs",
            Self::Geometry => "gs",
            Self::Hull => "hs",
            Self::Domain => "ds",
        }
    }
}

impl fmt::Display for ShaderStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fragment => "fragment",
            stage => stage.direct3d_name(),
        })
    }
}

/// The texts and bytecode that a shader comes in, each of which may be absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderBlobs {
    kinds: [BlobKind; 3],
    /// 0 where there is none.
    ids: [u64; 3],
}

impl ShaderBlobs {
    /// Up to three blobs, each with the kind that it must be of. Id 0 means that there is none.
    pub const fn new(blobs: [(BlobKind, BlobId); 3]) -> Self {
        let [(first, a), (second, b), (third, c)] = blobs;
        Self { kinds: [first, second, third], ids: [a.0, b.0, c.0] }
    }

    /// Those that there are, with the kind that each must be of.
    pub fn by_kind(self) -> impl Iterator<Item = (BlobKind, BlobId)> {
        self.kinds.into_iter().zip(self.ids).filter(|(_, id)| *id != 0).map(|(kind, id)| (kind, BlobId(id)))
    }
}

/// What a shader is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShaderCode {
    /// Texts in blobs of their own.
    Texts(ShaderBlobs),
    /// Direct3D bytecode that the command carries.
    Bytecode(FileBytes),
}

/// Makes a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateShader {
    /// Its name from here on.
    pub id: ShaderId,
    /// Its place in the pipeline.
    pub stage: ShaderStage,
    /// What it is made from.
    pub code: ShaderCode,
}

/// Joins two shaders as they are now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreatePipeline {
    /// Its name from here on.
    pub id: PipelineId,
    /// The vertex shader.
    pub vertex: ShaderId,
    /// The fragment shader.
    pub fragment: ShaderId,
}

/// Chooses the shaders of all stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindShaders {
    /// Handles by [`ShaderStage::ALL`], 0 for none.
    handles: [u32; 6],
}

impl BindShaders {
    /// Handles in the order of [`ShaderStage::ALL`], 0 for none.
    pub const fn new(handles: [u32; 6]) -> Self {
        Self { handles }
    }

    /// The shader of each stage, or none.
    pub fn all(self) -> impl Iterator<Item = (ShaderStage, Option<ShaderId>)> {
        ShaderStage::ALL.into_iter().zip(self.handles.map(ShaderId::bound))
    }
}

/// One of the banks of constants that Direct3D 9 gives to each stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantBank {
    /// Registers of four floats.
    Float,
    /// Registers of four integers.
    Int,
    /// Registers of one flag, each in 4 bytes.
    Bool,
    /// Registers of one flag, each in 16 bytes, any of which may be set.
    WideBool,
}

impl ConstantBank {
    /// Bytes that a register's value takes in the command.
    pub const fn register_bytes(self) -> u32 {
        match self {
            Self::Bool => 4,
            Self::Float | Self::Int | Self::WideBool => 16,
        }
    }
}

/// Sets registers in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetConstants {
    /// The stage.
    pub stage: ShaderStage,
    /// The bank.
    pub bank: ConstantBank,
    /// The first register.
    pub first_register: u32,
    /// How many.
    pub register_count: u32,
    /// Their values, one after another.
    pub values: FileBytes,
}

/// Makes a layout of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateLayout {
    /// Its name from here on.
    pub id: LayoutId,
    /// Its elements, in Direct3D 10's or Direct3D 9's form.
    pub declaration: FileBytes,
}

/// Where in one bound buffer a vertex finds its position and its colour: a layout of two elements, of which only the
/// places are not always the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexLayout {
    /// Distance from one vertex to the next; 0 makes every vertex the first.
    pub stride_bytes: u32,
    position_offset_bytes: u32,
    color_offset_bytes: u32,
}

impl VertexLayout {
    /// A position of two floats and a colour of four.
    pub const fn position_and_color(stride_bytes: u32, position_offset_bytes: u32, color_offset_bytes: u32) -> Self {
        Self { stride_bytes, position_offset_bytes, color_offset_bytes }
    }

    /// The position.
    #[inline]
    pub const fn position(&self) -> VertexElement {
        VertexElement { format: VertexFormat::Float32x2, offset_bytes: self.position_offset_bytes }
    }

    /// The colour.
    #[inline]
    pub const fn color(&self) -> VertexElement {
        VertexElement { format: VertexFormat::Float32x4, offset_bytes: self.color_offset_bytes }
    }
}

#[cfg(feature = "reader")]
impl Serialize for VertexLayout {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut object = serializer.serialize_struct("VertexLayout", 3)?;
        object.serialize_field("stride_bytes", &self.stride_bytes)?;
        object.serialize_field("position_offset_bytes", &self.position().offset_bytes)?;
        object.serialize_field("color_offset_bytes", &self.color().offset_bytes)?;
        object.end()
    }
}

/// Draws from here on read this buffer as it is now named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetVertexBuffer {
    /// The buffer.
    pub id: ResourceId,
    /// Where the attributes lie.
    pub layout: VertexLayout,
}
