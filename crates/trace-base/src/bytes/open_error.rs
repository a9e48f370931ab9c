//! Why a file cannot be opened.

use std::io;

use thiserror::Error;

use super::{DecodeError, ReadError};
use crate::error::{Classified, ErrorKind};

/// A file that cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Refused by the operating system, or no regular file.
    #[error("{0}")]
    System(io::Error),
    /// Compressed, and it cannot be decoded.
    #[error("{0}")]
    Decode(DecodeError),
}

impl Classified for OpenError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::System(_) => ErrorKind::ReadFailed,
            Self::Decode(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::System(_) => None,
            Self::Decode(error) => error.offset(),
        }
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<DecodeError> for OpenError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<ReadError> for OpenError {
    fn from(error: ReadError) -> Self {
        Self::System(error.source)
    }
}
