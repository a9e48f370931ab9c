//! Why a request has no result.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::message::Answered;
use super::pictures::Named;
use crate::analysis::AnalysisError;
#[cfg(feature = "files")]
use crate::analysis::ShaderFolderError;
use crate::bytes::{OpenError, ReadError};
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::FormatError;
use crate::listing::FilterError;
use crate::questions::{DrawingError, Question, Refusal};
use crate::text::counted;
use crate::timeline::annotation::AnnotationError;

/// A request without a result.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The parameters are not those of the method.
    #[error("parameters of {method}: {reason}")]
    Params {
        /// The method.
        method: String,
        /// The fault in words.
        reason: String,
    },
    /// No such method.
    #[error("there is no method {0:?}")]
    NoSuchMethod(String),
    /// A handle that `open` did not give, or that was closed.
    #[error("trace {0} is not open")]
    NotOpen(u32),
    /// As many traces are open as may be.
    #[error("{traces} are open, this build's limit: close one", traces = counted(.0, "trace"))]
    TooManyTraces(usize),
    /// The request was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// Its name.
        path: String,
        /// The operating system's words.
        r#source: io::Error,
    },
    /// A trace's file cannot be opened.
    #[error("{path}: {error}")]
    Open {
        /// Its name.
        path: String,
        /// The reason.
        error: OpenError,
    },
    /// A file is to be written in the place of an open trace.
    #[error(
        "{} is the same file as {}, which is open: write to another file",
        output.display(),
        trace.display()
    )]
    IsOpenTrace {
        /// The file to write.
        output: PathBuf,
        /// The trace, by the name that it was opened by.
        trace: PathBuf,
    },
    /// The file is no trace that can be opened.
    #[error("{path}: {source}")]
    Trace {
        /// Its name.
        path: String,
        /// Its fault.
        r#source: FormatError,
    },
    /// A file cannot be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// Its name.
        path: String,
        /// The reason.
        error: ReadError,
    },
    /// The file is no recording of another program.
    #[error("{path}: expected {expected}, found a file that begins \"{found}\"")]
    NoAnnotations {
        /// Its name.
        path: String,
        /// The formats that are read.
        expected: String,
        /// Its first bytes.
        found: String,
    },
    /// The file is no recording that can be read.
    #[error("{path}: {error}")]
    Annotations {
        /// Its name.
        path: String,
        /// Its fault.
        error: Box<AnnotationError>,
    },
    /// An answer that would be too large for a message.
    #[error(
        "{what} is {found_bytes}: this build's limit for a message is {limit}; {instead}",
        found_bytes = counted(.found, "byte")
    )]
    TooLarge {
        /// The thing that is too large.
        what: &'static str,
        /// Its size in bytes.
        found: u64,
        /// The cap.
        limit: u64,
        /// Another way to ask.
        instead: &'static str,
    },
    /// Folders are read or written where there are none.
    #[error("{folder}: folders are neither read nor written here")]
    NoFolders {
        /// The folder's name.
        folder: String,
    },
    /// A folder's files don't stand in for the trace's shaders.
    #[cfg(feature = "files")]
    #[error(transparent)]
    Folder(#[from] ShaderFolderError),
    /// A filter that cannot be used.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A question without an answer.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// A question that is refused where pictures are drawn.
    #[error(transparent)]
    Drawing(Box<DrawingError>),
    /// A question that another process refuses, where pictures are drawn there.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// An answer to another question than was asked: a mistake of this program's.
    #[error("a question other than {} was answered: please report this", Named(.0))]
    OtherReply(Question),
    /// Another mistake of this program's.
    #[error(transparent)]
    Internal(#[from] Internal),
}

impl From<DrawingError> for SessionError {
    fn from(error: DrawingError) -> Self {
        Self::Drawing(Box::new(error))
    }
}

impl Answered for SessionError {
    fn code(&self) -> i64 {
        match self {
            Self::NoSuchMethod(_) => -32601,
            Self::Params { .. } | Self::Filter(_) => -32602,
            Self::Cancelled => -32800,
            _ => -32000,
        }
    }
}

impl Classified for SessionError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Params { .. }
            | Self::NoSuchMethod(_)
            | Self::NotOpen(_)
            | Self::IsOpenTrace { .. }
            | Self::NoFolders { .. } => ErrorKind::Usage,
            Self::Unreadable { error, .. } => error.kind(),
            Self::NoAnnotations { .. } => ErrorKind::ReadFailed,
            Self::Annotations { error, .. } => error.kind(),
            Self::TooManyTraces(_) | Self::TooLarge { .. } => ErrorKind::OverLimit,
            Self::Cancelled => ErrorKind::Interrupted,
            Self::File { .. } => ErrorKind::ReadFailed,
            Self::Open { error, .. } => error.kind(),
            Self::Trace { source, .. } => source.kind(),
            #[cfg(feature = "files")]
            Self::Folder(error) => error.kind(),
            Self::Filter(error) => error.kind(),
            Self::Analysis(error) => error.kind(),
            Self::Refused(refusal) => refusal.kind,
            Self::Drawing(error) => error.kind(),
            Self::OtherReply(_) | Self::Internal(_) => ErrorKind::Internal,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Open { error, .. } => error.offset(),
            Self::Trace { source, .. } => source.offset(),
            Self::Unreadable { error, .. } => error.offset(),
            Self::Annotations { error, .. } => error.offset(),
            Self::Drawing(error) => error.offset(),
            Self::Refused(refusal) => refusal.offset,
            Self::Analysis(error) => error.offset(),
            _ => None,
        }
    }
}
