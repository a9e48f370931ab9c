//! Why a question about a picture has no answer.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::analysis::{AnalysisError, OverlayName};
use crate::bytes::OpenError;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::FormatError;
use crate::gpu::GpuError;
use crate::pixels::PictureFileError;
use crate::player::PlayerError;
use crate::replay::TrimError;
use crate::text::counted;

/// A question without an answer, where it was asked.
#[derive(Debug, Error)]
pub enum DrawingError {
    /// A question about a trace that was not prepared.
    #[error("the rendering process does not know trace {0}: this is a bug of aerogpu-replay, please report it")]
    NotPrepared(u32),
    /// The trace's file cannot be opened again.
    #[error("{}: {error}", path.display())]
    File {
        /// Its name.
        path: PathBuf,
        /// The reason.
        error: OpenError,
    },
    /// The trace's file is another one now.
    #[error("{}: the file has changed since it was opened: close the trace and open it again", .0.display())]
    Changed(PathBuf),
    /// The trace's file, although it is the same, cannot be opened again.
    #[error("{}: {error}", path.display())]
    Trace {
        /// Its name.
        path: PathBuf,
        /// Its fault.
        error: FormatError,
    },
    /// A picture is to be written to a file where there are none.
    #[error("{}: pictures are not written to files here: ask without a path", .0.display())]
    NoFiles(PathBuf),
    /// A picture cannot be written.
    #[error("{}: {error}", path.display())]
    Picture {
        /// The file's name.
        path: PathBuf,
        /// What went wrong.
        error: PictureFileError,
    },
    /// A picture that is too large for an answer.
    #[error(
        "the picture is {found_bytes}: this build's limit for a message is {limit}; ask for it with a path",
        found_bytes = counted(.found, "byte")
    )]
    TooLarge {
        /// Its size in bytes.
        found: u64,
        /// The cap.
        limit: u64,
    },
    /// The pictures of one message are too large together.
    #[error("the pictures of one message are more than {limit_bytes}, this build's limit: ask for fewer at a time",
        limit_bytes = counted(.limit, "byte")
    )]
    PicturesTooLarge {
        /// The cap.
        limit: u64,
    },
    /// A trimmed trace that is too large for an answer.
    #[error("the trace of these frames is more than {limit_bytes}, this build's limit for a message: ask for fewer frames",
        limit_bytes = counted(.limit, "byte")
    )]
    TraceTooLarge {
        /// The cap.
        limit: u64,
    },
    /// An overlay of a draw that is not named.
    #[error("{} needs a draw: expected draw, or a place such as 7/draw=2", .0.name())]
    NoDraw(OverlayName),
    /// Frames that cannot be kept.
    #[error(transparent)]
    Trim(#[from] TrimError),
    /// A frame that has no picture.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A question without an answer.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// No device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// The same, where the question came from.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct Refusal {
    /// One sentence.
    pub message: String,
    /// What kind of trouble it is.
    pub kind: ErrorKind,
    /// Absolute file offset of what is wrong with the trace, if it has a place.
    pub offset: Option<u64>,
}

impl Classified for DrawingError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotPrepared(_) => ErrorKind::Internal,
            Self::File { error, .. } => error.kind(),
            Self::Changed(_) => ErrorKind::ReadFailed,
            Self::Trace { error, .. } => error.kind(),
            Self::NoFiles(_) => ErrorKind::Usage,
            Self::Picture { .. } => ErrorKind::WriteFailed,
            Self::TooLarge { .. } | Self::PicturesTooLarge { .. } | Self::TraceTooLarge { .. } => ErrorKind::OverLimit,
            Self::NoDraw(_) => ErrorKind::Usage,
            Self::Trim(error) => error.kind(),
            Self::Player(error) => error.kind(),
            Self::Analysis(error) => error.kind(),
            Self::Gpu(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Trace { error, .. } => error.offset(),
            Self::Trim(error) => error.offset(),
            Self::Player(error) => error.offset(),
            Self::Analysis(error) => error.offset(),
            Self::Gpu(error) => error.offset(),
            Self::File { error, .. } => error.offset(),
            Self::NotPrepared(_)
            | Self::Changed(_)
            | Self::NoFiles(_)
            | Self::Picture { .. }
            | Self::NoDraw(_)
            | Self::TraceTooLarge { .. }
            | Self::PicturesTooLarge { .. }
            | Self::TooLarge { .. } => None,
        }
    }
}

impl Classified for Refusal {
    fn kind(&self) -> ErrorKind {
        self.kind
    }

    fn offset(&self) -> Option<u64> {
        self.offset
    }
}

impl From<&DrawingError> for Refusal {
    fn from(error: &DrawingError) -> Self {
        Self { message: error.to_string(), kind: error.kind(), offset: error.offset() }
    }
}

impl DrawingError {
    /// Whether the device is of no more use: it is gone, or does not answer.
    pub fn loses_device(&self) -> bool {
        let error = match self {
            Self::Player(PlayerError::Gpu(error)) | Self::Analysis(AnalysisError::Gpu(error)) | Self::Gpu(error) => {
                error
            }
            _ => return false,
        };
        matches!(error, GpuError::DeviceLost(_) | GpuError::Timeout { .. })
    }
}
