//! What a format says is wrong with a file of it, for those who know no format.

use std::fmt;

use thiserror::Error;

use trace_base::error::{Classified, ErrorKind};

/// The error of a format: its own words, kind and offset.
#[derive(Debug)]
pub struct FileError(Box<dyn Classified + Send + Sync>);

impl FileError {
    /// Takes the error of a format.
    pub fn new(error: impl Classified + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl Classified for FileError {
    fn kind(&self) -> ErrorKind {
        self.0.kind()
    }

    fn offset(&self) -> Option<u64> {
        self.0.offset()
    }
}

/// An annotation file that can't be read to its end.
#[derive(Debug, Error)]
pub enum AnnotationError {
    /// Its header can't be read, so nothing is known of it.
    #[error(transparent)]
    NoHeader(FileError),
    /// It ends early; what stands before that is known.
    #[error(transparent)]
    EndsEarly(FileError),
}

impl AnnotationError {
    /// An error of the header.
    pub fn no_header(error: impl Classified + Send + Sync + 'static) -> Self {
        Self::NoHeader(FileError::new(error))
    }

    /// An error behind the header.
    pub fn ends_early(error: impl Classified + Send + Sync + 'static) -> Self {
        Self::EndsEarly(FileError::new(error))
    }

    fn file_error(&self) -> &FileError {
        match self {
            Self::NoHeader(error) | Self::EndsEarly(error) => error,
        }
    }
}

impl Classified for AnnotationError {
    fn kind(&self) -> ErrorKind {
        self.file_error().kind()
    }

    fn offset(&self) -> Option<u64> {
        self.file_error().offset()
    }
}
