//! What can be wrong with a shader's text.

use thiserror::Error;

use super::front_end_error::{FrontEndError, IssueRange};
use crate::command::ShaderStage;
use crate::error::{Classified, ErrorKind};
use naga_gate::Broken;

/// Where a shader's text lies, for messages.
#[derive(Clone, Copy, Debug)]
pub struct ShaderText<'a> {
    /// The blob's bytes.
    pub bytes: &'a [u8],
    /// Absolute file offset of the first of them.
    pub offset: u64,
}

/// A shader, or a pair of them, that cannot be used.
#[derive(Clone, Debug, Error)]
pub enum ShaderError {
    /// The blob is not text.
    #[error("{stage} shader is not UTF-8: expected WGSL text, found an invalid byte, at {offset:#x}")]
    NotUtf8 {
        /// The stage it is meant for.
        stage: ShaderStage,
        /// Absolute file offset of the first byte that is no UTF-8.
        offset: u64,
    },
    /// The text does not compile; naga's own excerpt of it follows the sentence.
    #[error(
        "{stage} shader does not compile as WGSL: {message} (line {}, column {}), at {offset:#x}\n{excerpt}",
        range.line + 1,
        range.from + 1
    )]
    DoesNotCompile {
        /// The stage it is meant for.
        stage: ShaderStage,
        /// The compiler's message.
        message: String,
        /// Where in the text.
        range: IssueRange,
        /// Absolute file offset of the place.
        offset: u64,
        /// The lines concerned, with markers.
        excerpt: String,
    },
    /// The text has no function for the stage.
    #[error("{stage} shader has no @{stage} entry point: found {found}, at {offset:#x}")]
    NoEntryPoint {
        /// The stage wanted.
        stage: ShaderStage,
        /// The entry points there are, in words.
        found: String,
        /// Absolute file offset of the text.
        offset: u64,
    },
    /// The text is larger, or more deeply nested, than we compile.
    #[error("{stage} shader's {what} is {found}: this build's limit is {limit}, at {offset:#x}")]
    OverLimit {
        /// The stage it is meant for.
        stage: ShaderStage,
        /// What is too large.
        what: &'static str,
        /// How large it is.
        found: u64,
        /// The cap, from [`crate::limits`].
        limit: u64,
        /// Absolute file offset of the place.
        offset: u64,
    },
    /// The compiler broke on the text. That is a bug to report, not the user's.
    #[error(
        "the shader compiler crashed on the {stage} shader ({message}); please report it with the shader's \
            text, at {offset:#x}"
    )]
    CompilerBroke {
        /// The stage being compiled.
        stage: ShaderStage,
        /// What it said.
        message: String,
        /// Absolute file offset of the text.
        offset: u64,
    },
    /// The compiler could not be started.
    #[error("the {stage} shader cannot be compiled: {broken}, at {offset:#x}")]
    NoMemory {
        /// The stage to be compiled.
        stage: ShaderStage,
        /// The resource that is missing.
        broken: Broken,
        /// Absolute file offset of the text.
        offset: u64,
    },
    /// The fragment shader reads what the vertex shader does not write.
    #[error("the fragment shader reads {wanted}, but the vertex shader writes {found}, at {offset:#x}")]
    StagesDisagree {
        /// The fragment shader's input.
        wanted: String,
        /// What stands there in the vertex shader.
        found: String,
        /// Absolute file offset of the fragment shader's text.
        offset: u64,
    },
    /// The vertex shader reads an attribute that the command ABI does not have.
    #[error(
        "the vertex shader reads {found}: the command ABI has position (2 x f32) at location 0 and colour (4 x f32) at \
         location 1, at {offset:#x}"
    )]
    UnknownAttribute {
        /// The input in words.
        found: String,
        /// Absolute file offset of the vertex shader's text.
        offset: u64,
    },
    /// A pair that the front end of its language refuses.
    #[error("{title}: {error}")]
    FrontEnd {
        /// The language.
        title: &'static str,
        /// What is wrong.
        error: FrontEndError,
    },
    /// A resource for which there is no fallback value to bind.
    #[error(
        "the {stage} shader uses {found}: this build binds zeros for uniform buffers, storage buffers that are only \
         read, samplers and sampled textures, at {offset:#x}"
    )]
    UnsupportedBinding {
        /// The stage that uses it.
        stage: ShaderStage,
        /// The resource in words.
        found: String,
        /// Absolute file offset of the text.
        offset: u64,
    },
}

impl ShaderError {
    /// The error of a compiler that did not come to an end with a text at `offset`.
    pub(super) fn broke(stage: ShaderStage, broken: Broken, offset: u64) -> Self {
        match broken {
            Broken::Panic(message) => Self::CompilerBroke { stage, message, offset },
            broken @ Broken::NoThread { .. } => Self::NoMemory { stage, broken, offset },
        }
    }
}

impl Classified for ShaderError {
    /// A shader that is [`ErrorKind::Unsupported`] may well be sound.
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownAttribute { .. } | Self::UnsupportedBinding { .. } => ErrorKind::Unsupported,
            Self::OverLimit { .. } => ErrorKind::OverLimit,
            Self::FrontEnd { error, .. } => error.kind(),
            _ => ErrorKind::ReplayFailed,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::NotUtf8 { offset, .. }
            | Self::DoesNotCompile { offset, .. }
            | Self::NoEntryPoint { offset, .. }
            | Self::OverLimit { offset, .. }
            | Self::CompilerBroke { offset, .. }
            | Self::NoMemory { offset, .. }
            | Self::StagesDisagree { offset, .. }
            | Self::UnknownAttribute { offset, .. }
            | Self::UnsupportedBinding { offset, .. } => Some(*offset),
            Self::FrontEnd { error, .. } => error.offset(),
        }
    }
}
