//! Why a trace cannot be trimmed.

use thiserror::Error;

use crate::abi::AbiError;
use crate::abi::a3a0::EncodeError;
use crate::bytes::ReadError;
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::{FormatError, FrameIndex, WriteError};
use crate::replay::error::ReplayError;
use crate::replay::picture::NoPicture;

/// A trace that cannot be trimmed.
#[derive(Debug, Error)]
pub enum TrimError {
    /// The index does not reach the frame.
    #[error("frame {frame} cannot be kept: {reason}")]
    NotIndexed {
        /// The frame.
        frame: FrameIndex,
        /// What is wrong before or in it.
        reason: String,
        /// What kind of trouble that is.
        kind: ErrorKind,
        /// Absolute file offset of it, if it has a place.
        offset: Option<u64>,
    },
    /// No frame has the picture that is asked for.
    #[error(transparent)]
    NoPicture(#[from] NoPicture),
    /// The trace cannot be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The trace cannot be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A blob cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A packet cannot be decoded.
    #[error(transparent)]
    Abi(#[from] AbiError),
    /// A stream or a table cannot be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The new trace cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<Internal> for TrimError {
    fn from(error: Internal) -> Self {
        Self::Replay(error.into())
    }
}

impl Classified for TrimError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotIndexed { kind, .. } => *kind,
            Self::NoPicture(error) => error.kind(),
            Self::Replay(error) => error.kind(),
            Self::Format(error) => error.kind(),
            Self::Read(error) => error.kind(),
            Self::Abi(error) => error.kind(),
            Self::Encode(error) => error.kind(),
            Self::Write(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::NotIndexed { offset, .. } => *offset,
            Self::NoPicture(error) => error.offset(),
            Self::Replay(error) => error.offset(),
            Self::Format(error) => error.offset(),
            Self::Read(error) => error.offset(),
            Self::Abi(error) => error.offset(),
            Self::Encode(error) => error.offset(),
            Self::Write(error) => error.offset(),
        }
    }
}
