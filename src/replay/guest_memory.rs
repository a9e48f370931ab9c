//! Guest memory, as one submission sees it.
//!
//! A command names memory by allocation. The submission's allocation table says at which address that lies, or, where there
//! is no table, its list of memory ranges. The ranges say which bytes the recorder found there before the submission ran;
//! commands of the submission that write back have written over them. Nothing of it outlives the submission: the next one
//! brings what its host has left.
//!
//! Memory is places in the file. Of what a submission names only the table is read, however large the snapshots.

use std::ops::Range;

use thiserror::Error;

use super::blob_store::BlobStore;
use super::error::Problem;
use crate::abi::{self, Diagnostic, Severity};
use crate::bytes::limits::MAX_ALLOCATION_TABLE_BYTES;
use crate::command::Allocation;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{BlobId, BlobKind, MemoryRange, Submission};

/// Memory that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MemoryError {
    /// A table that breaks its format.
    #[error("the submission's allocation table cannot be read: {0}")]
    Table(Diagnostic),
    /// An allocation that the submission does not name.
    #[error("allocation {allocation} is not in the submission's {place}: expected it there")]
    Unknown {
        /// The allocation.
        allocation: u32,
        /// Where it was looked for.
        place: &'static str,
    },
    /// More than the allocation has.
    #[error(
        "allocation {allocation} has {size} bytes: expected byte {start} and the {count} from there on to lie within"
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
    #[error("the trace has no snapshot of byte {at} of allocation {allocation}: expected a memory range with it")]
    NoSnapshot {
        /// The allocation.
        allocation: u32,
        /// The first byte that is missing, counted from the allocation's start.
        at: u64,
    },
    /// Memory that may not be written.
    #[error("writes back to allocation {allocation}, which is READONLY: expected one that can be written")]
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
            // The command has the place.
            _ => None,
        }
    }
}

/// A stretch of memory and where its bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryPiece {
    /// From the trace, by absolute file offset.
    File(Range<u64>),
    /// From a command of the same submission that has written back.
    WrittenBack {
        /// The command's number.
        by: u32,
        /// How many bytes.
        size_bytes: u64,
    },
}

impl MemoryPiece {
    /// How many bytes it has.
    pub fn size_bytes(&self) -> u64 {
        match self {
            Self::File(range) => range.end - range.start,
            Self::WrittenBack { size_bytes, .. } => *size_bytes,
        }
    }
}

/// The memory of one submission.
#[derive(Debug, Default)]
pub(super) struct SubmissionMemory {
    /// Absolute file offset of the submission's record, at which blob ids mean what they mean.
    record: u64,
    table: Table,
    ranges: Vec<MemoryRange>,
    /// Writes of the submission's own commands, in the order in which they came.
    overlay: Vec<(Range<u64>, u32)>,
}

#[derive(Debug, Default)]
enum Table {
    /// The submission has none.
    #[default]
    None,
    /// It was not read.
    Unread(BlobId),
    Read(Vec<Allocation>),
}

impl SubmissionMemory {
    /// The memory of a submission whose record stands at the absolute file offset `record`. Nothing is read.
    pub(super) fn of(submission: &Submission, record: u64) -> Self {
        let table = match submission.alloc_table_blob_id {
            BlobId(0) => Table::None,
            id => Table::Unread(id),
        };
        Self { record, table, ranges: submission.memory_ranges.clone(), overlay: Vec::new() }
    }

    /// Reads the allocation table. Nothing of a submission runs whose table is wrong.
    pub(super) fn check(&mut self, blobs: &mut BlobStore) -> Result<(), Problem> {
        self.allocations(blobs).map(|_| ())
    }

    fn allocations(&mut self, blobs: &mut BlobStore) -> Result<Option<&[Allocation]>, Problem> {
        if let Table::Unread(id) = self.table {
            let blob = blobs.resolve(id, BlobKind::AerogpuAllocTable, self.record)?;
            let (found, limit) = (blob.size_bytes(), MAX_ALLOCATION_TABLE_BYTES);
            if found > limit {
                return Err(Problem::OverLimit { what: "an allocation table's length", found, limit });
            }
            let bytes = blobs.read(&blob)?;
            self.table = Table::Read(abi::allocations(&bytes, blob.bytes.start).map_err(MemoryError::Table)?);
        }
        Ok(match &self.table {
            Table::Read(allocations) => Some(allocations),
            Table::None | Table::Unread(_) => None,
        })
    }

    /// An allocation that commands name.
    fn allocation(&mut self, allocation: u32, blobs: &mut BlobStore) -> Result<Allocation, Problem> {
        let (found, place) = match self.allocations(blobs)? {
            Some(table) => (table.iter().find(|entry| entry.id == allocation).copied(), "allocation table"),
            None => {
                let range = self.ranges.iter().rev().find(|range| range.alloc_id == allocation);
                let as_allocation = |range: &MemoryRange| {
                    let MemoryRange { flags, gpa, size_bytes, .. } = *range;
                    Allocation { id: allocation, is_read_only: flags & 1 != 0, gpa, size_bytes }
                };
                (range.map(as_allocation), "memory ranges")
            }
        };
        Ok(found.ok_or(MemoryError::Unknown { allocation, place })?)
    }

    /// The addresses of `count` bytes of an allocation from `start` on.
    fn addresses(
        &mut self,
        allocation: u32,
        start: u64,
        count: u64,
        blobs: &mut BlobStore,
    ) -> Result<(Allocation, Range<u64>), Problem> {
        let found = self.allocation(allocation, blobs)?;
        let size = found.size_bytes;
        let is_inside = start.checked_add(count).is_some_and(|end| end <= size);
        let from = found.gpa.checked_add(start).filter(|_| is_inside);
        let range = from.and_then(|from| Some(from..from.checked_add(count)?));
        Ok((found, range.ok_or(MemoryError::Past { allocation, start, count, size })?))
    }

    /// Refuses a resource of `count` bytes whose memory is not all in the allocation.
    pub(super) fn check_backing(
        &mut self,
        allocation: u32,
        start: u64,
        count: u64,
        blobs: &mut BlobStore,
    ) -> Result<(), Problem> {
        self.addresses(allocation, start, count, blobs).map(|_| ())
    }

    /// A command has written back `count` bytes of an allocation from `start` on.
    pub(super) fn write_back(
        &mut self,
        allocation: u32,
        start: u64,
        count: u64,
        by: u32,
        blobs: &mut BlobStore,
    ) -> Result<(), Problem> {
        let (found, addresses) = self.addresses(allocation, start, count, blobs)?;
        if found.is_read_only {
            return Err(MemoryError::ReadOnly { allocation }.into());
        }
        self.overlay.push((addresses, by));
        Ok(())
    }

    /// Where `count` bytes of an allocation from `start` on come from, in order.
    pub(super) fn pieces(
        &mut self,
        allocation: u32,
        start: u64,
        count: u64,
        blobs: &mut BlobStore,
    ) -> Result<Vec<MemoryPiece>, Problem> {
        let (found, addresses) = self.addresses(allocation, start, count, blobs)?;
        // Of what lies over each other the last counts: first what was written back, then the ranges.
        let mut missing = vec![addresses.clone()];
        let mut pieces: Vec<(u64, MemoryPiece)> = Vec::new();
        for (written, by) in self.overlay.iter().rev() {
            take(&mut missing, written, |part| {
                let size_bytes = part.end - part.start;
                pieces.push((part.start, MemoryPiece::WrittenBack { by: *by, size_bytes }));
            });
        }
        for range in self.ranges.iter().rev() {
            if missing.is_empty() {
                break;
            }
            // One that wraps ends with the address space.
            let end = range.gpa.saturating_add(range.size_bytes);
            if !missing.iter().any(|part| part.start < end && range.gpa < part.end) {
                continue;
            }
            let blob = blobs.resolve(range.blob_id, BlobKind::AerogpuAllocMemory, self.record)?;
            let file = blob.bytes.start;
            // A blob that is too short ends its range.
            let end = end.min(range.gpa.saturating_add(blob.size_bytes()));
            take(&mut missing, &(range.gpa..end), |part| {
                let from = file + (part.start - range.gpa);
                pieces.push((part.start, MemoryPiece::File(from..from + (part.end - part.start))));
            });
        }
        if let Some(first) = missing.iter().map(|part| part.start).min() {
            return Err(MemoryError::NoSnapshot { allocation, at: first - found.gpa }.into());
        }
        pieces.sort_unstable_by_key(|(at, _)| *at);
        Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
    }
}

/// Takes what lies in `range` out of `wanted`, giving each stretch of it to `each`.
fn take(wanted: &mut Vec<Range<u64>>, range: &Range<u64>, mut each: impl FnMut(Range<u64>)) {
    if range.is_empty() {
        return;
    }
    let mut left = Vec::with_capacity(wanted.len() + 1);
    for want in wanted.drain(..) {
        let (start, end) = (want.start.max(range.start), want.end.min(range.end));
        if start >= end {
            left.push(want);
            continue;
        }
        each(start..end);
        left.extend([want.start..start, end..want.end].into_iter().filter(|part| !part.is_empty()));
    }
    *wanted = left;
}
