//! Why a frame cannot be replayed.

use thiserror::Error;

use super::d3d::ContractError;
use super::guest_memory::MemoryError;
use super::texture_layout::TextureLayoutError;
use crate::abi::AbiError;
use crate::bytes::ReadError;
use crate::command::{Command, Located, Location, PipelineId, ResourceId, ShaderId, ShaderStage};
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::{BlobId, BlobKind, FormatError};
use crate::shader::ShaderError;
use crate::text::counted;

/// A frame that cannot be replayed beyond this point.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The container is damaged.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A packet is damaged.
    #[error("frame {}: {source}", at.frame)]
    Abi {
        /// What is wrong with it.
        r#source: AbiError,
        /// The packet's place.
        at: Location,
    },
    /// A command that cannot be carried out.
    #[error("{command} {at}: {problem}")]
    Command {
        /// The command's name in the specification.
        command: &'static str,
        /// Its place.
        at: Location,
        /// What is wrong.
        problem: Problem,
    },
    /// This program is at fault.
    #[error(transparent)]
    Internal(#[from] Internal),
}

/// What is wrong with a command.
#[derive(Debug, Error)]
pub enum Problem {
    /// An id that was never created.
    #[error("{0} does not exist: expected an earlier CREATE_BUFFER")]
    UnknownBuffer(ResourceId),
    /// An id that was never created.
    #[error("{0} does not exist: expected an earlier CREATE_SHADER")]
    UnknownShader(ShaderId),
    /// An id that was never created.
    #[error("{0} does not exist: expected an earlier CREATE_PIPELINE")]
    UnknownPipeline(PipelineId),
    /// A blob id that no record defines.
    #[error("blob {0} does not exist: expected a Blob record with that id in the trace")]
    MissingBlob(BlobId),
    /// A blob that holds something else.
    #[error("blob {blob} holds {found}: expected {expected}")]
    WrongBlobKind {
        /// The blob.
        blob: BlobId,
        /// Its kind.
        found: BlobKind,
        /// The kind called for.
        expected: BlobKind,
    },
    /// A blob whose length is not the one the command says.
    #[error("blob {blob} has {found_bytes}: expected {expected}", found_bytes = counted(.found, "byte"))]
    WrongBlobLength {
        /// The blob.
        blob: BlobId,
        /// Its length.
        found: u64,
        /// The length called for.
        expected: u64,
    },
    /// An upload that does not fit its buffer.
    #[error("writes bytes {start} to {end} of {buffer}, which has {size}")]
    WritesPastEnd {
        /// The buffer.
        buffer: ResourceId,
        /// First byte written.
        start: u64,
        /// Byte after the last.
        end: u64,
        /// The buffer's size.
        size: u32,
    },
    /// A draw that does not fit its buffer.
    #[error("reads {needed_bytes} of {buffer}, which has {size}", needed_bytes = counted(.needed, "byte"))]
    ReadsPastEnd {
        /// The buffer.
        buffer: ResourceId,
        /// Bytes needed, counted from the buffer's start.
        needed: u64,
        /// The buffer's size.
        size: u32,
    },
    /// A vertex shader where a fragment shader belongs, or the other way round.
    #[error("{shader} is a {found} shader: expected a {expected} shader")]
    WrongStage {
        /// The shader.
        shader: ShaderId,
        /// Its stage.
        found: ShaderStage,
        /// The stage called for.
        expected: ShaderStage,
    },
    /// A draw before any SET_PIPELINE.
    #[error("no pipeline is set: expected an earlier SET_PIPELINE")]
    NoPipeline,
    /// A draw before any SET_VERTEX_BUFFER, with a shader that reads attributes.
    #[error("the vertex shader reads attributes, but no vertex buffer is set: expected an earlier SET_VERTEX_BUFFER")]
    NoVertexBuffer,
    /// A range of vertices that 32 bits cannot count.
    #[error(
        "draws {vertices} from {first_vertex}: expected a sum below 2^32",
        vertices = counted(.vertex_count, "vertex")
    )]
    TooManyVertices {
        /// Number of vertices.
        vertex_count: u32,
        /// Index of the first.
        first_vertex: u32,
    },
    /// Two shaders without a language in common that this build compiles.
    #[error("{vertex} has {vertex_has}, {fragment} has {fragment_has}: expected {expected}")]
    NoUsableSource {
        /// The vertex shader.
        vertex: ShaderId,
        /// Its texts, in words.
        vertex_has: Box<str>,
        /// The fragment shader.
        fragment: ShaderId,
        /// Its texts, in words.
        fragment_has: Box<str>,
        /// The texts called for.
        expected: Box<str>,
    },
    /// A shader that does not compile or link.
    #[error(transparent)]
    Shader(#[from] ShaderError),
    /// The trace could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The trace is damaged where a blob was looked for.
    #[error("cannot look up blob {blob}: {source}")]
    BlobSearch {
        /// The blob.
        blob: BlobId,
        /// What is damaged.
        r#source: Box<FormatError>,
    },
    /// A rule of the contract between guest and host.
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// Guest memory that is not there.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A texture whose texels cannot be laid out.
    #[error(transparent)]
    TextureLayout(#[from] TextureLayoutError),
    /// This program is at fault.
    #[error(transparent)]
    Internal(#[from] Internal),
    /// Something is legal but over one of our caps.
    #[error("{what} is {found}: this build's limit is {limit}")]
    OverLimit {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        found: u64,
        /// The cap, from [`crate::limits`].
        limit: u64,
    },
}

impl Problem {
    /// The error of the command that has it.
    pub(super) fn of(self, command: &Located<Command>) -> ReplayError {
        ReplayError::Command { command: command.value.name(), at: command.at, problem: self }
    }
}

impl ReplayError {
    /// Whether the trace goes on behind it: behind the command, its submission, its record or its frame. Nothing does behind
    /// a file that cannot be read, or behind a mistake of this program.
    pub fn is_survivable(&self) -> bool {
        !matches!(self.kind(), ErrorKind::Internal | ErrorKind::ReadFailed)
    }

    /// The place of the command or packet that it is about, if it is about one.
    pub fn location(&self) -> Option<Location> {
        match self {
            Self::Abi { at, .. } | Self::Command { at, .. } => Some(*at),
            Self::Format(_) | Self::Internal(_) => None,
        }
    }

    /// Whether this program is at fault.
    pub fn is_internal(&self) -> bool {
        self.kind() == ErrorKind::Internal
    }
}

impl Classified for ReplayError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Format(error) => error.kind(),
            Self::Abi { source, .. } => source.kind(),
            Self::Command { problem, .. } => problem.kind(),
            Self::Internal(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Format(error) => error.offset(),
            Self::Abi { source, .. } => source.offset(),
            Self::Command { at, .. } => Some(at.offset),
            Self::Internal(error) => error.at,
        }
    }
}

impl Classified for Problem {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoUsableSource { .. } => ErrorKind::Unsupported,
            Self::Shader(error) => error.kind(),
            Self::Read(error) => error.kind(),
            Self::Contract(error) => error.kind(),
            Self::Memory(error) => error.kind(),
            Self::TextureLayout(error) => error.kind(),
            Self::BlobSearch { .. } => ErrorKind::Malformed,
            Self::OverLimit { .. } => ErrorKind::OverLimit,
            Self::Internal(_) => ErrorKind::Internal,
            _ => ErrorKind::ReplayFailed,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Shader(error) => error.offset(),
            Self::Read(error) => error.offset(),
            Self::Memory(error) => error.offset(),
            Self::BlobSearch { source, .. } => source.offset(),
            // The command has the place.
            _ => None,
        }
    }
}
