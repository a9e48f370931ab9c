//! What can be wrong with a case before anything is rendered, and with writing one.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::bytes::DecodeError;
use crate::error::{Classified, ErrorKind, Internal};
use crate::pixels::PictureFileError;
use crate::text::counted;

/// A suite, case or golden that cannot be used. Every message names its file.
#[derive(Debug, Error)]
pub enum GoldenError {
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        r#source: io::Error,
    },
    /// A compressed trace cannot be decoded.
    #[error("cannot read {}: {error}", path.display())]
    Compressed {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: DecodeError,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        r#source: PictureFileError,
    },
    /// A change of a case counts, and its files are not all in their places.
    #[error("{} is changed, but some files are not in place yet; the next `golden` command finishes this: \
        {source}", path.display())]
    Late {
        /// The case's folder.
        path: PathBuf,
        /// What went wrong.
        r#source: Box<GoldenError>,
    },
    /// A change of a case was interrupted, and somebody has changed the case since.
    #[error(
        "{} was changed after an approval of it was interrupted: `golden fsck --force` discards that \
            approval", path.display()
    )]
    ChangedMeanwhile {
        /// The file.
        path: PathBuf,
    },
    /// Another command has the suite's lock.
    #[error("{} is being changed by another `golden` command: try again when it has finished", path.display())]
    Locked {
        /// The folder that is locked.
        path: PathBuf,
    },
    /// The TOML is no TOML, or says something that a golden.toml cannot.
    #[error("{}: {message}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// Line, column and what is wrong, in one line.
        message: String,
    },
    /// A field holds what it cannot.
    #[error("{}: {field} is {found}: expected {expected}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The field, with its frame.
        field: String,
        /// What it holds.
        found: String,
        /// What it may hold.
        expected: &'static str,
    },
    /// A file of a case that is too long to be one.
    #[error(
        "{} has {found_bytes}: this build's limit is {limit}",
        path.display(),
        found_bytes = counted(.found, "byte")
    )]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// How long it may be.
        limit: u64,
    },
    /// An inputs.json that is none.
    #[error("{}: {message}: `golden approve` recreates it", path.display())]
    Inputs {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// The trace that a golden.toml names cannot be read.
    #[error("{}: cannot read its trace {}: {source}", path.display(), trace.display())]
    NoTrace {
        /// The golden.toml.
        path: PathBuf,
        /// The trace it names.
        trace: PathBuf,
        /// What the system said.
        r#source: io::Error,
    },
    /// The trace lies outside the folder that the suite may read from.
    #[error(
        "{}: the trace {} is outside {}: expected it inside, or --root with a folder that holds it",
        path.display(),
        trace.display(),
        root.display()
    )]
    OutsideRoot {
        /// The golden.toml.
        path: PathBuf,
        /// The trace it names.
        trace: PathBuf,
        /// The folder that it must lie in.
        root: PathBuf,
    },
    /// No golden.toml was found.
    #[error(
        "no golden.toml under {}: nothing to compare",
        paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    NoCases {
        /// Where it was looked for.
        paths: Vec<PathBuf>,
    },
    /// This program is at fault.
    #[error(transparent)]
    Internal(#[from] Internal),
}

impl Classified for GoldenError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NoCases { .. } | Self::Inputs { .. } => ErrorKind::GoldenUnusable,
            Self::Internal(_) => ErrorKind::Internal,
            Self::TooLong { .. } => ErrorKind::OverLimit,
            Self::Write { .. } | Self::Late { .. } => ErrorKind::WriteFailed,
            Self::NoTrace { .. } => ErrorKind::ReadFailed,
            Self::Compressed { error, .. } => error.kind(),
            Self::Locked { .. } | Self::ChangedMeanwhile { .. } => ErrorKind::Usage,
            // What a case says is what its author asks for.
            Self::Read { .. } | Self::Toml { .. } | Self::Field { .. } | Self::OutsideRoot { .. } => ErrorKind::Usage,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Internal(error) => error.at,
            Self::Compressed { error, .. } => error.offset(),
            _ => None,
        }
    }
}
