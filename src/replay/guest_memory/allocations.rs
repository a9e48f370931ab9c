//! Where a submission's allocations lie.

use super::error::MemoryError;
use crate::abi;
use crate::command::Allocation;
use crate::format::aerogpu::{BlobId, BlobKind, MemoryRange};
use crate::limits::MAX_ALLOCATION_TABLE_BYTES;
use crate::replay::blob_store::BlobStore;
use crate::replay::error::Problem;

/// The allocations that commands can name.
#[derive(Debug)]
pub(super) struct Allocations {
    /// Where they are listed.
    place: &'static str,
    /// Ascending by id.
    by_id: Vec<Allocation>,
}

impl Allocations {
    /// Those of a submission without a table. Of ranges with the same id the last counts.
    pub(super) fn of_ranges(ranges: &[MemoryRange]) -> Self {
        let allocation = |range: &MemoryRange| {
            let MemoryRange { alloc_id, flags, gpa, size_bytes, .. } = *range;
            Allocation { id: alloc_id, is_read_only: flags & 1 != 0, gpa, size_bytes }
        };
        let mut by_id: Vec<Allocation> = ranges.iter().rev().map(allocation).collect();
        by_id.sort_by_key(|allocation| allocation.id);
        by_id.dedup_by_key(|allocation| allocation.id);
        Self { place: "memory ranges", by_id }
    }

    /// Those of the allocation table that the submission at the absolute file offset `record` names.
    pub(super) fn of_table(id: BlobId, record: u64, blobs: &mut BlobStore) -> Result<Self, Problem> {
        let blob = blobs.resolve(id, BlobKind::AerogpuAllocTable, record)?;
        let (found, limit) = (blob.size_bytes(), MAX_ALLOCATION_TABLE_BYTES);
        if found > limit {
            return Err(Problem::OverLimit { what: "an allocation table's length", found, limit });
        }
        let bytes = blobs.read(&blob)?;
        let mut by_id = abi::allocations(&bytes, blob.bytes.start).map_err(MemoryError::Table)?;
        by_id.sort_unstable_by_key(|allocation| allocation.id);
        Ok(Self { place: "allocation table", by_id })
    }

    /// The allocation with this id.
    pub(super) fn find(&self, id: u32) -> Result<Allocation, MemoryError> {
        let from = self.by_id.partition_point(|allocation| allocation.id < id);
        match self.by_id.get(from) {
            Some(found) if found.id == id => Ok(*found),
            _ => Err(MemoryError::Unknown { allocation: id, place: self.place }),
        }
    }
}
