//! Why a program is not translated.

use thiserror::Error;

use crate::{Opcode, Version};
use trace_base::error::{Classified, ErrorKind, Internal};

/// A program that is not translated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TranslateError {
    /// An instruction that this build does not translate.
    #[error("{version} shader: {opcode} is not translated by this build, at {offset:#x}")]
    Instruction {
        /// The shader's model.
        version: Version,
        /// The instruction.
        opcode: Opcode,
        /// Absolute file offset of its first token.
        offset: u64,
    },
    /// Something else that this build does not translate.
    #[error("{version} shader: {what} is not translated by this build, at {offset:#x}")]
    Unsupported {
        /// The shader's model.
        version: Version,
        /// What it is.
        what: String,
        /// Absolute file offset of the instruction or declaration.
        offset: u64,
    },
    /// Our budget.
    #[error("{version} shader: it has more than {limit} instructions, this build's limit, at {offset:#x}")]
    OverLimit {
        /// The shader's model.
        version: Version,
        /// How many it may have, those of functions counted wherever they are called.
        limit: u64,
        /// Absolute file offset of the first beyond.
        offset: u64,
    },
    /// A limit that shaders of every front end have.
    #[error("{version} shader: {what} is {found}: this build's limit is {limit}, at {offset:#x}")]
    OverGate {
        /// The shader's model.
        version: Version,
        /// Name of the size that is over its limit.
        what: &'static str,
        /// Its value, or the first value over the limit.
        found: u64,
        /// The cap, from [`crate::limits`].
        limit: u64,
        /// Absolute file offset of the program, or of the instruction.
        offset: u64,
    },
    /// A program of another stage.
    #[error("{version} shader: expected a {expected} shader, at {offset:#x}")]
    Stage {
        /// The shader's model.
        version: Version,
        /// The stage that is wanted.
        expected: &'static str,
        /// Absolute file offset of the program.
        offset: u64,
    },
    /// This program is at fault.
    #[error(transparent)]
    Internal(#[from] Internal),
}

impl Classified for TranslateError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Instruction { .. } | Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::OverLimit { .. } | Self::OverGate { .. } => ErrorKind::OverLimit,
            Self::Stage { .. } => ErrorKind::ReplayFailed,
            Self::Internal(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Instruction { offset, .. }
            | Self::Unsupported { offset, .. }
            | Self::OverLimit { offset, .. }
            | Self::OverGate { offset, .. }
            | Self::Stage { offset, .. } => Some(*offset),
            Self::Internal(error) => error.offset(),
        }
    }
}
