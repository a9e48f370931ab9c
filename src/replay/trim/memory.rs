//! The memory that some commands of a submission need.

use std::collections::BTreeSet;
use std::ops::Range;

use super::error::TrimError;
use crate::abi::a3a0::{AllocTable, TableWriter};
use crate::error::Internal;
use crate::format::aerogpu::MemoryRange;

/// What is kept of a submission's allocation table and memory ranges.
#[derive(Debug)]
pub(super) struct NeededMemory {
    /// The table with the allocations that are needed; nothing if there was none, or none is needed.
    pub table: Option<Vec<u8>>,
    /// The ranges of them, as they stand in the old trace.
    pub ranges: Vec<MemoryRange>,
}

/// The allocation table whose blob is `bytes`, at `offset` of the old trace.
pub(super) fn read_table(bytes: &[u8], offset: u64) -> Result<AllocTable<'_>, Internal> {
    // The index has carried out commands of the submission.
    AllocTable::parse(bytes, offset)
        .map_err(|_| Internal::at("an allocation table of the index cannot be read", offset))
}

impl NeededMemory {
    /// With the allocations of a table: what lies at their addresses is theirs, whatever a range says.
    pub(super) fn by_table(
        table: &AllocTable<'_>,
        ranges: &[MemoryRange],
        allocations: &BTreeSet<u32>,
    ) -> Result<Self, TrimError> {
        let mut needed = TableWriter::with_header(&table.header);
        let mut addresses = Vec::new();
        for (_, entry, tail) in table.entries().filter(|(_, entry, _)| allocations.contains(&entry.alloc_id)) {
            needed.entry(&entry, tail)?;
            addresses.push(entry.gpa..entry.gpa.saturating_add(entry.size_bytes));
        }
        let ranges = ranges.iter().filter(|range| touches(range, &addresses)).copied().collect();
        Ok(Self { table: Some(needed.finish(&[])?), ranges })
    }

    /// Without a table the last range of an allocation says where it lies.
    pub(super) fn by_ranges(ranges: &[MemoryRange], allocations: &BTreeSet<u32>) -> Self {
        let is_named = |range: &&MemoryRange| allocations.contains(&range.alloc_id);
        let addresses: Vec<_> = ranges.iter().filter(is_named).map(addresses_of).collect();
        let is_needed = |range: &&MemoryRange| is_named(range) || touches(range, &addresses);
        Self { table: None, ranges: ranges.iter().filter(is_needed).copied().collect() }
    }
}

fn addresses_of(range: &MemoryRange) -> Range<u64> {
    range.gpa..range.gpa.saturating_add(range.size_bytes)
}

fn touches(range: &MemoryRange, addresses: &[Range<u64>]) -> bool {
    let found = addresses_of(range);
    addresses.iter().any(|wanted| wanted.start < found.end && found.start < wanted.end)
}
