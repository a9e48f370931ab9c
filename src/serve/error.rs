//! Why a request has no result.

use std::io;

use thiserror::Error;

use crate::format::aerogpu::FormatError;
use crate::gpu::GpuError;
use crate::inquiry::InquiryError;
use crate::pixels::PictureFileError;
use crate::player::PlayerError;
use crate::timeline::FilterError;

/// A request without a result.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The parameters are not those of the method.
    #[error("parameters of {method}: {reason}")]
    Params {
        /// The method.
        method: String,
        /// What is wrong, in words.
        reason: String,
    },
    /// No such method.
    #[error("there is no method {0:?}")]
    NoSuchMethod(String),
    /// A handle that `open` did not give, or that was closed.
    #[error("trace {0} is not open")]
    NotOpen(u32),
    /// As many traces are open as may be.
    #[error("{0} traces are open: this build's limit; close one")]
    TooManyTraces(usize),
    /// The request was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// Its name.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is no trace that can be opened.
    #[error("{path}: {source}")]
    Trace {
        /// Its name.
        path: String,
        /// What is wrong with it.
        source: FormatError,
    },
    /// A picture could not be written.
    #[error("{path}: {source}")]
    Picture {
        /// The file's name.
        path: String,
        /// What went wrong.
        source: PictureFileError,
    },
    /// An answer that would be too large for a message.
    #[error("{what} is {found} bytes: this build's limit for a message is {limit}; {instead}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        found: u64,
        /// The cap.
        limit: u64,
        /// What to do instead.
        instead: &'static str,
    },
    /// A filter that cannot be used.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A frame that has no picture.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// A question without an answer.
    #[error(transparent)]
    Inquiry(#[from] InquiryError),
    /// No device.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl ServeError {
    /// The code of the JSON-RPC error.
    pub fn code(&self) -> i64 {
        match self {
            Self::NoSuchMethod(_) => -32601,
            Self::Params { .. } | Self::Filter(_) => -32602,
            Self::Cancelled => -32800,
            _ => -32000,
        }
    }

    /// Absolute file offset of what is wrong with the trace, if it has a place.
    pub fn offset(&self) -> Option<u64> {
        match self {
            Self::Trace { source, .. } => source.offset(),
            Self::Player(PlayerError::Replay(error)) => error.offset(),
            Self::Player(PlayerError::Gpu(GpuError::Refused { at, .. } | GpuError::ViewportTooLarge { at, .. })) => {
                Some(at.offset)
            }
            Self::Inquiry(error) => error.offset(),
            _ => None,
        }
    }

    /// Whether the device is of no more use: it is gone, or does not answer.
    pub fn loses_device(&self) -> bool {
        let error = match self {
            Self::Player(PlayerError::Gpu(error)) | Self::Inquiry(InquiryError::Gpu(error)) | Self::Gpu(error) => error,
            _ => return false,
        };
        matches!(error, GpuError::DeviceLost(_) | GpuError::Timeout(_))
    }
}
