//! What can be wrong with a container. Every variant names what was expected, what was found, and where.

#[cfg(feature = "reader")]
use std::path::PathBuf;

use thiserror::Error;

use trace_base::bytes::OutOfBytes;
#[cfg(feature = "reader")]
use trace_base::bytes::{OpenError, ReadError};
use trace_base::error::{Classified, ErrorKind};
use trace_base::text::counted;

/// A container that cannot be read on from this point.
#[derive(Debug, Error)]
pub enum FormatError {
    #[cfg(feature = "reader")]
    /// The operating system does not open the file, or it is compressed and cannot be decoded.
    #[error("cannot open {}: {error}", path.display())]
    CannotOpen {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: OpenError,
    },
    #[cfg(feature = "reader")]
    /// The operating system failed a read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is shorter than header and footer together.
    #[error(
        "file too short for a trace: expected at least 64 bytes (header and footer), found {found}, at {offset:#x}"
    )]
    FileTooShort {
        /// File length in bytes.
        found: u64,
        /// Where the file ends.
        offset: u64,
    },
    /// A structure does not start with its magic.
    #[error("not {what}: expected the magic \"{expected}\", found \"{}\", at {offset:#x}", found.escape_ascii())]
    BadMagic {
        /// What it should have been, with its article.
        what: &'static str,
        /// The magic in text.
        expected: &'static str,
        /// The eight bytes found.
        found: [u8; 8],
        /// Absolute file offset of the magic.
        offset: u64,
    },
    /// A container version this build does not read.
    #[error("container version {found} is not supported: this build reads versions 1 and 2, at {offset:#x}")]
    UnsupportedContainerVersion {
        /// The version in the file.
        found: u32,
        /// Absolute file offset of the version.
        offset: u64,
    },
    /// Header and footer disagree.
    #[error("footer says container version {footer}, header says {header}, at {offset:#x}")]
    VersionMismatch {
        /// The footer's version.
        footer: u32,
        /// The header's version.
        header: u32,
        /// Absolute file offset of the footer's version.
        offset: u64,
    },
    /// A TOC version this build does not read.
    #[error("TOC version {found} is not supported: expected 1, at {offset:#x}")]
    UnsupportedTocVersion {
        /// The version in the file.
        found: u32,
        /// Absolute file offset of the version.
        offset: u64,
    },
    /// A size field that has one legal value holds another.
    #[error("{field} is {found}: expected {expected}, at {offset:#x}")]
    BadSize {
        /// The field's name in the specification.
        field: &'static str,
        /// The value in the file.
        found: u64,
        /// The legal value.
        expected: u64,
        /// Absolute file offset of the field.
        offset: u64,
    },
    /// A region reaches outside the region that must contain it.
    #[error("{what} spans {start:#x}..{end:#x}: expected it inside {low:#x}..{high:#x}, at {offset:#x}")]
    OutOfBounds {
        /// What reaches outside.
        what: &'static str,
        /// First byte of the region.
        start: u64,
        /// First byte after it; saturates at 2^64-1.
        end: u64,
        /// First byte allowed.
        low: u64,
        /// First byte after what is allowed.
        high: u64,
        /// Absolute file offset of the field that says so.
        offset: u64,
    },
    /// Two TOC entries cover the same bytes, or are out of order.
    #[error(
        "frame {frame} starts at {start:#x}: expected it at or after {previous_end:#x}, where the previous \
            frame ends, at {offset:#x}"
    )]
    FramesOverlap {
        /// Position of the later entry in the TOC.
        frame: u64,
        /// Its start.
        start: u64,
        /// End of the entry before it.
        previous_end: u64,
        /// Absolute file offset of the later entry.
        offset: u64,
    },
    /// A record type the container version does not define.
    #[error("unknown record type {found:#04x} in a version {version} container: expected {expected}, at {offset:#x}")]
    UnknownRecordType {
        /// The type byte.
        found: u8,
        /// The container's version.
        version: u32,
        /// The types that exist there.
        expected: &'static str,
        /// Absolute file offset of the record.
        offset: u64,
    },
    /// A blob kind that is not defined.
    #[error("unknown blob kind {found:#x}: expected 0x1 to 0x5 or 0x100 to 0x102, at {offset:#x}")]
    UnknownBlobKind {
        /// The kind in the file.
        found: u32,
        /// Absolute file offset of the kind.
        offset: u64,
    },
    /// A record's payload is too short for the structure it must hold.
    #[error(
        "{what} record has a payload of {found_bytes}: expected {expected}, at {offset:#x}",
        found_bytes = counted(.found, "byte")
    )]
    BadPayloadLength {
        /// The record type's name.
        what: &'static str,
        /// The payload's length.
        found: u64,
        /// What the type calls for, in words.
        expected: &'static str,
        /// Absolute file offset of the record.
        offset: u64,
    },
    /// A record ends in the middle of a field.
    #[error("{what} record is cut short: {source}")]
    CutShort {
        /// The record type's name.
        what: &'static str,
        /// Which read failed, and where.
        r#source: OutOfBytes,
    },
    /// A command record that belongs to no frame of the TOC.
    #[error("{what} record lies outside every frame of the TOC: expected it inside a frame, at {offset:#x}")]
    OutsideFrames {
        /// The record type's name.
        what: &'static str,
        /// Absolute file offset of the record.
        offset: u64,
    },
    /// Something is within the format but over one of our caps.
    #[error("{what} is {found}: this build's limit is {limit}, at {offset:#x}")]
    OverLimit {
        /// What is too large.
        what: &'static str,
        /// How large it is.
        found: u64,
        /// The cap, from [`crate::limits`].
        limit: u64,
        /// Absolute file offset of the field that says so.
        offset: u64,
    },
}

impl Classified for FormatError {
    fn kind(&self) -> ErrorKind {
        match self {
            #[cfg(feature = "reader")]
            Self::CannotOpen { error, .. } => error.kind(),
            #[cfg(feature = "reader")]
            Self::Read(error) => error.kind(),
            Self::OverLimit { .. } => ErrorKind::OverLimit,
            error if error.is_truncation() => ErrorKind::CutShort,
            _ => ErrorKind::Malformed,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            #[cfg(feature = "reader")]
            Self::CannotOpen { error, .. } => error.offset(),
            #[cfg(feature = "reader")]
            Self::Read(error) => error.offset(),
            Self::CutShort { source, .. } => source.offset(),
            Self::FileTooShort { offset, .. }
            | Self::BadMagic { offset, .. }
            | Self::UnsupportedContainerVersion { offset, .. }
            | Self::VersionMismatch { offset, .. }
            | Self::UnsupportedTocVersion { offset, .. }
            | Self::BadSize { offset, .. }
            | Self::OutOfBounds { offset, .. }
            | Self::FramesOverlap { offset, .. }
            | Self::UnknownRecordType { offset, .. }
            | Self::UnknownBlobKind { offset, .. }
            | Self::BadPayloadLength { offset, .. }
            | Self::OutsideFrames { offset, .. }
            | Self::OverLimit { offset, .. } => Some(*offset),
        }
    }
}

impl FormatError {
    /// Whether the file looks cut: it starts like a trace and does not end like one. What came before the cut can then
    /// be found by its records.
    pub fn is_truncation(&self) -> bool {
        match self {
            Self::BadMagic { what, .. } => *what == "a trace footer",
            Self::FileTooShort { found, .. } => *found > super::HEADER_BYTES,
            _ => false,
        }
    }

    /// Whether TOC or footer are at fault, so that a scan of the records may still find frames.
    pub fn is_damaged_end(&self) -> bool {
        match self {
            Self::VersionMismatch { .. } | Self::UnsupportedTocVersion { .. } | Self::FramesOverlap { .. } => true,
            Self::BadMagic { what, .. } => *what != "an AeroGPU trace",
            Self::BadSize { field, .. } => *field != "header_size",
            Self::OutOfBounds { what, .. } => *what != "meta JSON" && *what != "record",
            _ => self.is_truncation(),
        }
    }
}
