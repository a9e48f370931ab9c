//! What a frame *means*: one vocabulary for every command ABI, free of any wire encoding.
//!
//! ```
//! use aerogpu_replay::command::Location;
//! use aerogpu_replay::format::aerogpu::FrameIndex;
//!
//! let at = Location { offset: 0x583, frame: FrameIndex(0), packet: 10 };
//! assert_eq!(at.to_string(), "at 0x583 (frame 0, packet 10)");
//! ```

mod located;
mod place;

pub use located::{Located, Location};
pub use place::{Place, PlaceError, PlaceText, Point};

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::format::aerogpu::{BlobId, BlobKind};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $noun:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($noun, " {}"), self.0)
            }
        }
    )*};
}

ids! {
    /// The guest's name for a buffer. Buffers, shaders and pipelines are three namespaces.
    BufferId, "buffer";
    /// The guest's name for a shader.
    ShaderId, "shader";
    /// The guest's name for a pipeline.
    PipelineId, "pipeline";
}

/// A shader's place in the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShaderStage {
    /// Runs once per vertex.
    Vertex,
    /// Runs once per covered pixel.
    Fragment,
}

impl fmt::Display for ShaderStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vertex => "vertex",
            Self::Fragment => "fragment",
        })
    }
}

/// The texts and bytecode that a shader comes in, each of which may be absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShaderBlobs {
    /// GLSL ES 3.00 text.
    pub glsl: Option<BlobId>,
    /// WGSL text.
    pub wgsl: Option<BlobId>,
    /// DXBC bytecode, for reading only.
    pub dxbc: Option<BlobId>,
}

impl ShaderBlobs {
    /// Those that there are, with the kind that each must be of.
    pub fn by_kind(self) -> impl Iterator<Item = (BlobKind, BlobId)> {
        let Self { glsl, wgsl, dxbc } = self;
        let kinds = [BlobKind::ShaderGlslEs300, BlobKind::ShaderWgsl, BlobKind::ShaderDxbc];
        kinds.into_iter().zip([glsl, wgsl, dxbc]).filter_map(|(kind, blob)| Some((kind, blob?)))
    }
}

/// Where in the bound buffer a vertex finds its attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VertexLayout {
    /// Distance from one vertex to the next; 0 makes every vertex the first.
    pub stride_bytes: u32,
    /// Where the first vertex's position (2 × f32) starts.
    pub position_offset_bytes: u32,
    /// Where the first vertex's colour (4 × f32) starts.
    pub color_offset_bytes: u32,
}

/// One command of the guest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// Makes a buffer of zeros. A buffer that had the id before keeps existing only where it is bound.
    CreateBuffer {
        /// Its name from here on.
        id: BufferId,
        /// Its size.
        size_bytes: u32,
        /// Undefined bits, always 0 so far.
        usage: u32,
    },
    /// Copies a blob into a buffer, in order with the draws around it.
    UploadBuffer {
        /// The buffer written.
        id: BufferId,
        /// First byte written.
        offset_bytes: u32,
        /// Number of bytes written; the blob has the same length.
        size_bytes: u32,
        /// The bytes.
        blob: BlobId,
    },
    /// Makes a shader.
    CreateShader {
        /// Its name from here on.
        id: ShaderId,
        /// Its place in the pipeline.
        stage: ShaderStage,
        /// Its sources.
        blobs: ShaderBlobs,
    },
    /// Joins two shaders as they are now.
    CreatePipeline {
        /// Its name from here on.
        id: PipelineId,
        /// The vertex shader.
        vertex: ShaderId,
        /// The fragment shader.
        fragment: ShaderId,
    },
    /// Draws from here on use this pipeline as it is now.
    SetPipeline {
        /// The pipeline.
        id: PipelineId,
    },
    /// Draws from here on read this buffer as it is now named.
    SetVertexBuffer {
        /// The buffer.
        id: BufferId,
        /// Where the attributes lie.
        layout: VertexLayout,
    },
    /// Draws from here on go to this rectangle, anchored top-left; a width or height of 0 means the whole target.
    SetViewport {
        /// Width in pixels.
        width_px: u32,
        /// Height in pixels.
        height_px: u32,
    },
    /// Fills the whole target, whatever the viewport.
    Clear {
        /// Red, green, blue, alpha.
        rgba: [f32; 4],
    },
    /// Draws a triangle list.
    Draw {
        /// Number of vertices.
        vertex_count: u32,
        /// Index of the first.
        first_vertex: u32,
    },
    /// The target is shown.
    Present,
}

impl Command {
    /// The command's name in the container specification.
    pub fn name(&self) -> &'static str {
        match self {
            Self::CreateBuffer { .. } => "CREATE_BUFFER",
            Self::UploadBuffer { .. } => "UPLOAD_BUFFER",
            Self::CreateShader { .. } => "CREATE_SHADER",
            Self::CreatePipeline { .. } => "CREATE_PIPELINE",
            Self::SetPipeline { .. } => "SET_PIPELINE",
            Self::SetVertexBuffer { .. } => "SET_VERTEX_BUFFER",
            Self::SetViewport { .. } => "SET_VIEWPORT",
            Self::Clear { .. } => "CLEAR",
            Self::Draw { .. } => "DRAW",
            Self::Present => "PRESENT",
        }
    }
}
