//! Why memory cannot be had.

use thiserror::Error;

use crate::abi::{Diagnostic, Severity};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::BlobId;
use crate::text::counted;

/// Memory that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MemoryError {
    /// A table that breaks its format.
    #[error("the submission's allocation table cannot be read: {0}")]
    Table(Diagnostic),
    /// An allocation that the submission does not name.
    #[error("allocation {allocation} is missing from the submission's {place}")]
    Unknown {
        /// The allocation.
        allocation: u32,
        /// Where it was looked for.
        place: &'static str,
    },
    /// More than the allocation has.
    #[error(
        "allocation {allocation} has {size_bytes}: expected the {count_bytes} from byte {start} on to lie within it",
        size_bytes = counted(.size, "byte"),
        count_bytes = counted(.count, "byte")
    )]
    Past {
        /// The allocation.
        allocation: u32,
        /// The first byte.
        start: u64,
        /// How many.
        count: u64,
        /// How many there are.
        size: u64,
    },
    /// Memory that the recorder did not keep.
    #[error(
        "the trace has no snapshot of byte {at} of allocation {allocation}: expected a memory range that \
        contains it"
    )]
    NoSnapshot {
        /// The allocation.
        allocation: u32,
        /// The first byte that is missing, counted from the allocation's start.
        at: u64,
    },
    /// A memory range with fewer bytes than it says, where the missing ones are needed.
    #[error(
        "blob {blob} has {found} of the {size_bytes} of its memory range: expected byte {needed} as well, at \
         {offset:#x}",
        size_bytes = counted(.size, "byte")
    )]
    BlobShorter {
        /// The range's blob.
        blob: BlobId,
        /// Its length.
        found: u64,
        /// The range's.
        size: u64,
        /// The first byte that is missing, counted from the range's start.
        needed: u64,
        /// Absolute file offset of the range.
        offset: u64,
    },
    /// Memory that may not be written.
    #[error("writes back to allocation {allocation}, which is READONLY: expected a writable allocation")]
    ReadOnly {
        /// The allocation.
        allocation: u32,
    },
}

impl Classified for MemoryError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Table(Diagnostic { severity: Severity::Error, .. }) => ErrorKind::Malformed,
            _ => ErrorKind::ReplayFailed,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Table(diagnostic) => Some(diagnostic.offset),
            Self::BlobShorter { offset, .. } => Some(*offset),
            // The command has the place.
            _ => None,
        }
    }
}
