//! What is wrong with memory ranges, whether or not anything needs their bytes.

use foldhash::HashSet;

use crate::bytes::Diagnostics;
use crate::format::aerogpu::{BlobCatalog, BlobKind, MEMORY_RANGE_BYTES, MemoryRange, RECORD_HEADER_BYTES, Submission};
use crate::text::counted;

/// Notes what is wrong with each range of a submission whose record stands at the absolute file offset `record`. It ends no
/// submission; a command that needs bytes of such a range does.
pub(in crate::replay) fn check_ranges(
    submission: &Submission,
    record: u64,
    catalog: &BlobCatalog,
    diagnostics: &mut Diagnostics,
) {
    let start = record + RECORD_HEADER_BYTES + submission.header_size();
    let mut ids = HashSet::default();
    for (offset, range) in (start..).step_by(MEMORY_RANGE_BYTES as usize).zip(&submission.memory_ranges) {
        let MemoryRange { alloc_id, gpa, size_bytes, blob_id, .. } = *range;
        if alloc_id == 0 || size_bytes == 0 {
            diagnostics.note(
                offset,
                format!(
                    "a memory range has alloc_id {alloc_id} and {size}: expected both to be other than 0",
                    size = counted(size_bytes, "byte")
                ),
            );
        }
        if gpa.checked_add(size_bytes).is_none() {
            diagnostics.note(
                offset,
                format!(
                    "a memory range of {size} at address {gpa:#x} does not end below 2^64",
                    size = counted(size_bytes, "byte")
                ),
            );
        }
        if alloc_id != 0 && !ids.insert(alloc_id) {
            diagnostics.note(offset, format!("a second memory range for allocation {alloc_id}: expected only one"));
        }
        match catalog.resolve(blob_id, record) {
            None => {
                diagnostics.note(offset, format!("a memory range names blob {blob_id}: expected a blob of the trace"));
            }
            Some(blob) if blob.kind != BlobKind::AerogpuAllocMemory => {
                let (found, expected) = (blob.kind, BlobKind::AerogpuAllocMemory);
                diagnostics.note(
                    offset,
                    format!("a memory range names blob {blob_id}, which holds {found}: expected {expected}"),
                );
            }
            Some(blob) if blob.size_bytes() != size_bytes => {
                let found = blob.size_bytes();
                diagnostics.note(
                    offset,
                    format!(
                        "blob {blob_id} has {found_bytes}: expected {size_bytes}, as its memory range says",
                        found_bytes = counted(found, "byte")
                    ),
                );
            }
            Some(_) => {}
        }
    }
}
