//! Why a request has no result.

use std::path::PathBuf;

use thiserror::Error;

use crate::error::{Classified, ErrorKind};
use crate::questions::{Question, Refusal};
use crate::session::{Answered, Named, SessionError};
use crate::worker::WorkerError;

/// A request without a result.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The session has none.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The process that draws is no more.
    #[error("{} of {}: {error}", Named(question), path.display())]
    Worker {
        /// The trace.
        path: PathBuf,
        /// What it was asked.
        question: Box<Question>,
        /// What became of it.
        error: WorkerError,
    },
}

impl ServeError {
    /// The request was cancelled.
    pub(super) const CANCELLED: Self = Self::Session(SessionError::Cancelled);
}

impl From<Refusal> for ServeError {
    fn from(refusal: Refusal) -> Self {
        SessionError::Refused(refusal).into()
    }
}

impl Answered for ServeError {
    fn code(&self) -> i64 {
        match self {
            Self::Session(error) => error.code(),
            Self::Worker { .. } => -32000,
        }
    }
}

impl Classified for ServeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Session(error) => error.kind(),
            Self::Worker { error, .. } => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Session(error) => error.offset(),
            Self::Worker { .. } => None,
        }
    }
}
