//! What kind of trouble an error is: one idea for every layer.
//!
//! ```
//! use trace_base::bytes::Cursor;
//! use trace_base::error::{Classified, ErrorKind};
//!
//! let error = Cursor::new(&[7, 0], 0x40).u32_le().unwrap_err();
//! assert_eq!((error.kind(), error.offset()), (ErrorKind::CutShort, Some(0x40)));
//! ```
//!
//! Each layer has an error type of its own, which says in one sentence what is wrong, what was expected, what was found
//! and where. Whoever handles an error it did not make asks only these two things of it: its [`ErrorKind`], from which
//! a command line makes the exit code, and the place in the file. [`Classified`] is those two questions.
//!
//! # The grammar of a message
//!
//! ```text
//! [whose: ]what is wrong[: expected …, found …][, at 0x58b]
//! ```
//!
//! * *Whose* is the command with its place in the trace, the field or the file: `DRAW at 0x58b (frame 0, packet 9)`.
//! * *Expected* and *found* are the values, with their units. Where the sentence says them in other words ("reads 96
//!   bytes of buffer 3, which has 72"), it is not said twice.
//! * An absolute file offset stands last, in hex; where the message begins with a place it is not repeated.
//! * One line. Only a compiler's excerpt of a text follows on lines of its own.

use std::fmt;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// What kind of trouble an error is.
///
/// A command line maps each to an exit code; as JSON it is its name in kebab case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum ErrorKind {
    /// What was asked for makes no sense, or does not exist.
    Usage,
    /// The operating system refused a read.
    ReadFailed,
    /// The bytes are not what their format says, or of a version of it that this build does not know.
    Malformed,
    /// The bytes end too early, as the files of killed programs do; what stands before the end may be sound.
    CutShort,
    /// The content is, or may be, sound, but beyond this build.
    Unsupported,
    /// The content is legal, and over a limit of this build or of the device.
    OverLimit,
    /// The commands make no sense, or cannot be carried out.
    ReplayFailed,
    /// There is no adapter to draw on.
    NoAdapter,
    /// It took longer than it may.
    Timeout,
    /// A golden is missing, or nothing that can be compared with.
    GoldenUnusable,
    /// The picture, or the trace, is another one.
    Different,
    /// The picture is another one each time.
    NonDeterministic,
    /// The operating system refused a write.
    WriteFailed,
    /// Somebody stopped it.
    Interrupted,
    /// An invariant of this program is broken: a mistake of ours, whatever the file.
    Internal,
}

/// How much something that is said matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// It cannot be used.
    Error,
    /// It is not as it should be, and is used all the same.
    Warning,
    /// It is sound, and worth knowing.
    Information,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 15] = [
        Self::Usage,
        Self::ReadFailed,
        Self::Malformed,
        Self::CutShort,
        Self::Unsupported,
        Self::OverLimit,
        Self::ReplayFailed,
        Self::NoAdapter,
        Self::Timeout,
        Self::GoldenUnusable,
        Self::Different,
        Self::NonDeterministic,
        Self::WriteFailed,
        Self::Interrupted,
        Self::Internal,
    ];
}

/// An error of which the kind and the place are known: every error type of these crates.
pub trait Classified: std::error::Error {
    /// What kind of trouble it is.
    fn kind(&self) -> ErrorKind;

    /// Absolute offset in bytes of what is wrong in the file; `None` where it is not a place in a trace that is at fault.
    fn offset(&self) -> Option<u64>;
}

/// An error of the operating system that nobody has explained. Whoever reads a file says what could not be read, so it is one of
/// writing.
impl Classified for std::io::Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::WriteFailed
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// A line of JSON that can't be made.
#[cfg(feature = "rows")]
impl Classified for serde_json::Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Internal
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// An invariant of this program is broken: a mistake of ours, whatever the file. Better no picture than a wrong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Internal {
    /// What should never be, as half a sentence.
    pub what: &'static str,
    /// Absolute offset in bytes of the command that was being carried out, if it is known.
    pub at: Option<u64>,
}

impl Internal {
    /// A broken invariant that has no place in the file.
    pub const fn new(what: &'static str) -> Self {
        Self { what, at: None }
    }

    /// A broken invariant, found at the absolute file offset `at`.
    pub const fn at(what: &'static str, at: u64) -> Self {
        Self { what, at: Some(at) }
    }
}

impl fmt::Display for Internal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this is a bug: please report it with this line: {}", self.what)?;
        self.at.map_or(Ok(()), |at| write!(f, ", at {at:#x}"))
    }
}

impl std::error::Error for Internal {}

impl Classified for Internal {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Internal
    }

    fn offset(&self) -> Option<u64> {
        self.at
    }
}
