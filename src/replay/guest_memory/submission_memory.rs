//! The memory of one submission: from an allocation's bytes to places in the file.

use std::ops::Range;

use super::address_space::{AddressSpace, Source};
use super::allocations::Allocations;
use super::error::MemoryError;
use crate::command::Allocation;
use crate::error::Internal;
use crate::format::aerogpu::{BlobId, BlobKind, MEMORY_RANGE_BYTES, MemoryRange, RECORD_HEADER_BYTES, Submission};
use crate::limits::MAX_MEMORY_STRETCHES;
use crate::replay::blob_store::BlobStore;
use crate::replay::error::Problem;

/// A stretch of memory and where its bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryPiece {
    /// From the trace, by absolute file offset.
    File(Range<u64>),
    /// From a command of the same submission that has written back.
    WrittenBack {
        /// The command's number.
        by: u32,
        /// The first byte of all that it has written back, in the order in which it has.
        start_bytes: u64,
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

    /// The number of the command that has written it back, if one has.
    pub(in crate::replay) fn written_back_by(&self) -> Option<u32> {
        match self {
            Self::File(_) => None,
            Self::WrittenBack { by, .. } => Some(*by),
        }
    }
}

/// The memory of one submission.
#[derive(Debug, Default)]
pub(in crate::replay) struct SubmissionMemory {
    /// Absolute file offset of the submission's record, at which blob ids mean what they mean.
    record: u64,
    /// Absolute file offset of its first memory range.
    ranges_start: u64,
    /// Its allocation table, 0 for none.
    table: BlobId,
    ranges: Vec<MemoryRange>,
    /// Made when a command first names memory.
    allocations: Option<Allocations>,
    /// Made when bytes are first needed.
    space: Option<AddressSpace>,
    /// What commands have written back.
    written: Vec<WrittenBack>,
    /// How many stretches commands have read and written back so far.
    stretches: u64,
}

/// A stretch of addresses that a command has written back to.
#[derive(Clone, Copy, Debug)]
struct WrittenBack {
    /// The command's number.
    by: u32,
    /// The first address.
    address: u64,
    /// How many bytes the command had written back before.
    start_bytes: u64,
}

impl SubmissionMemory {
    /// The memory of a submission whose record stands at the absolute file offset `record`. Nothing is read.
    pub(in crate::replay) fn of(submission: &Submission, record: u64) -> Self {
        Self {
            record,
            ranges_start: record + RECORD_HEADER_BYTES + submission.header_size(),
            table: submission.alloc_table_blob_id,
            ranges: submission.memory_ranges.clone(),
            ..Self::default()
        }
    }

    /// Reads the allocation table. Nothing of a submission runs whose table is wrong.
    pub(in crate::replay) fn check(&mut self, blobs: &mut BlobStore) -> Result<(), Problem> {
        match self.table {
            BlobId(0) => Ok(()),
            _ => self.allocations(blobs).map(|_| ()),
        }
    }

    fn allocations(&mut self, blobs: &mut BlobStore) -> Result<&Allocations, Problem> {
        if self.allocations.is_none() {
            self.allocations = Some(match self.table {
                BlobId(0) => Allocations::of_ranges(&self.ranges),
                id => Allocations::of_table(id, self.record, blobs)?,
            });
        }
        Ok(self.allocations.as_ref().ok_or(Internal::new("allocations just made are missing"))?)
    }

    /// The addresses of `count` bytes of an allocation from `start` on.
    fn addresses(
        &mut self,
        allocation: u32,
        start: u64,
        count: u64,
        blobs: &mut BlobStore,
    ) -> Result<(Allocation, Range<u64>), Problem> {
        let found = self.allocations(blobs)?.find(allocation)?;
        let size = found.size_bytes;
        let is_inside = start.checked_add(count).is_some_and(|end| end <= size);
        let from = found.gpa.checked_add(start).filter(|_| is_inside);
        let range = from.and_then(|from| Some(from..from.checked_add(count)?));
        Ok((found, range.ok_or(MemoryError::Past { allocation, start, count, size })?))
    }

    /// Refuses a resource of `count` bytes whose memory is not all in the allocation.
    pub(in crate::replay) fn check_backing(
        &mut self,
        allocation: u32,
        start: u64,
        count: u64,
        blobs: &mut BlobStore,
    ) -> Result<(), Problem> {
        self.addresses(allocation, start, count, blobs).map(|_| ())
    }

    /// Notes that the command `by` has written back these ranges of an allocation, each a start and a size, or refuses them
    /// all.
    pub(in crate::replay) fn write_back(
        &mut self,
        allocation: u32,
        ranges: &[[u64; 2]],
        by: u32,
        blobs: &mut BlobStore,
    ) -> Result<(), Problem> {
        let mut written = Vec::with_capacity(ranges.len());
        for [start, count] in ranges {
            let (found, addresses) = self.addresses(allocation, *start, *count, blobs)?;
            if found.is_read_only {
                return Err(MemoryError::ReadOnly { allocation }.into());
            }
            count_stretch(&mut self.stretches)?;
            written.push(addresses);
        }
        let mut start_bytes = 0;
        for addresses in written {
            let addresses_size = addresses.end - addresses.start;
            let number = self.written.len() as u32;
            self.written.push(WrittenBack { by, address: addresses.start, start_bytes });
            self.space().write(addresses, Source::WrittenBack(number));
            start_bytes += addresses_size;
        }
        Ok(())
    }

    /// Where `count` bytes of an allocation from `start` on come from, in order.
    pub(in crate::replay) fn pieces(
        &mut self,
        allocation: u32,
        start: u64,
        count: u64,
        blobs: &mut BlobStore,
    ) -> Result<Vec<MemoryPiece>, Problem> {
        let (found, addresses) = self.addresses(allocation, start, count, blobs)?;
        let missing = |at: u64| MemoryError::NoSnapshot { allocation, at: at - found.gpa };
        self.space();
        let space = self.space.as_ref().ok_or(Internal::new("addresses just laid out are missing"))?;
        let (mut pieces, mut reached) = (Vec::new(), addresses.start);
        for (stretch, source) in space.stretches(addresses.clone()) {
            if stretch.start > reached {
                return Err(missing(reached).into());
            }
            count_stretch(&mut self.stretches)?;
            reached = stretch.end;
            let piece = match source {
                Source::Range(number) => {
                    MemoryPiece::File(snapshot(&self.ranges, self.record, self.ranges_start, number, stretch, blobs)?)
                }
                Source::WrittenBack(number) => {
                    let lost = Internal::at("data written back to memory is unknown", self.record);
                    let WrittenBack { by, address, start_bytes, .. } =
                        *self.written.get(number as usize).ok_or(lost)?;
                    let start_bytes = start_bytes.saturating_add(stretch.start.saturating_sub(address));
                    MemoryPiece::WrittenBack { by, start_bytes, size_bytes: stretch.end - stretch.start }
                }
            };
            append(&mut pieces, piece);
        }
        match reached < addresses.end {
            true => Err(missing(reached).into()),
            false => Ok(pieces),
        }
    }

    /// What lies at which address. Where ranges overlap, the last counts.
    fn space(&mut self) -> &mut AddressSpace {
        let ranges = &self.ranges;
        self.space.get_or_insert_with(|| {
            let mut space = AddressSpace::default();
            for (number, range) in (0..).zip(ranges) {
                // One that wraps ends with the address space.
                space.write(range.gpa..range.gpa.saturating_add(range.size_bytes), Source::Range(number));
            }
            space
        })
    }
}

/// Absolute file offsets of the bytes at the addresses `stretch`, all of which lie in the range with this number.
fn snapshot(
    ranges: &[MemoryRange],
    record: u64,
    ranges_start: u64,
    number: u32,
    stretch: Range<u64>,
    blobs: &mut BlobStore,
) -> Result<Range<u64>, Problem> {
    let range = ranges.get(number as usize);
    let range = range.ok_or(Internal::at("a memory range lies at an address and is not in the record", record))?;
    let blob = blobs.resolve(range.blob_id, BlobKind::AerogpuAllocMemory, record)?;
    let [start, end] = [stretch.start, stretch.end].map(|address| address - range.gpa);
    let found = blob.size_bytes();
    if end > found {
        let (blob, size, needed) = (range.blob_id, range.size_bytes, start.max(found));
        let offset = ranges_start + u64::from(number) * MEMORY_RANGE_BYTES;
        return Err(MemoryError::BlobShorter { blob, found, size, needed, offset }.into());
    }
    Ok(blob.bytes.start + start..blob.bytes.start + end)
}

/// Adds a piece to those before it, as one with the last where it goes on.
fn append(pieces: &mut Vec<MemoryPiece>, piece: MemoryPiece) {
    match (pieces.last_mut(), &piece) {
        (Some(MemoryPiece::File(last)), MemoryPiece::File(next)) if last.end == next.start => last.end = next.end,
        (
            Some(MemoryPiece::WrittenBack { by, start_bytes, size_bytes }),
            MemoryPiece::WrittenBack { by: next, start_bytes: goes_on_at, size_bytes: more },
        ) if by == next && start_bytes.saturating_add(*size_bytes) == *goes_on_at => {
            *size_bytes = size_bytes.saturating_add(*more);
        }
        _ => pieces.push(piece),
    }
}

/// A command reads or writes back one more stretch.
fn count_stretch(stretches: &mut u64) -> Result<(), Problem> {
    *stretches = stretches.saturating_add(1);
    let (what, found) = ("the number of guest memory ranges that a submission uses", *stretches);
    match found > MAX_MEMORY_STRETCHES {
        true => Err(Problem::OverLimit { what, found, limit: MAX_MEMORY_STRETCHES }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests;
