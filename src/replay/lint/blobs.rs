//! Blobs: which are named by nothing, and which are there more than once.

use std::collections::{BTreeMap, HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::{Lint, LintFinding, LintRule};
use crate::bytes::{Diagnostics, ReadError};
use crate::format::aerogpu::{BlobDefinition, BlobId, RecordBody, Trace};
use crate::replay::index::TraceIndex;

/// Bytes of a blob that are hashed at once.
const CHUNK_BYTES: u64 = 256 << 10;
/// Bytes of the smallest blob whose repetition is told: smaller ones cost less than a recorder would pay to compare them.
const SMALLEST_REPEATED_BYTES: u64 = 256;

impl Lint {
    /// Blobs that nothing names, that are there twice, or in an odd place.
    pub(super) fn blobs(&mut self, trace: &Trace, index: &TraceIndex) -> Result<(), ReadError> {
        let catalog = index.catalog();
        let mut used = HashSet::new();
        self.references.extend(named_by_submissions(trace));
        for (id, offset) in std::mem::take(&mut self.references) {
            if let Some(blob) = catalog.resolve(id, offset) {
                used.insert(blob.record_offset);
                if blob.record_offset > offset {
                    let at = blob.record_offset;
                    self.note(offset, LintRule::LateBlob, format!("blob {id} is defined only later, at {at:#x}"));
                }
            }
        }
        let definitions = catalog.definitions();
        let mut first_of_id: HashMap<BlobId, u64> = HashMap::new();
        let mut by_size: BTreeMap<(u64, u32), Vec<(BlobId, &BlobDefinition)>> = BTreeMap::new();
        for (id, blob) in definitions {
            let offset = blob.record_offset;
            if !used.contains(&offset) {
                self.note(offset, LintRule::UnusedBlob, format!("no packet refers to blob {id} ({})", blob.kind));
            }
            let first = *first_of_id.entry(id).or_insert(offset);
            if first != offset {
                self.note(offset, LintRule::RedefinedBlob, format!("blob {id} is already defined at {first:#x}"));
            }
            by_size.entry((blob.size_bytes(), blob.kind.number())).or_default().push((id, blob));
        }
        let large = by_size.range((SMALLEST_REPEATED_BYTES, 0)..).map(|(_, same)| same);
        for same in large.filter(|same| same.len() > 1) {
            let mut seen: HashMap<[u8; 32], (BlobId, u64)> = HashMap::new();
            for &(id, blob) in same {
                let offset = blob.record_offset;
                let (first_id, first) = *seen.entry(digest(trace, blob.bytes.clone())?).or_insert((id, offset));
                if first != offset {
                    let what = format!("blob {id} has the bytes of blob {first_id} at {first:#x}");
                    let of_group = format!("a blob has the bytes of blob {first_id} at {first:#x}");
                    self.add(LintFinding::new(offset, LintRule::RepeatedBlob, what).in_group(of_group));
                }
            }
        }
        Ok(())
    }
}

/// The blobs that submissions name, with the offsets of their records. Damage ends the list; it is told where it is met.
fn named_by_submissions(trace: &Trace) -> Vec<(BlobId, u64)> {
    let mut named = Vec::new();
    let mut reader = trace.records(trace.stream());
    while let Ok(Some(record)) = reader.next_record(&mut Diagnostics::new()) {
        // silent: the other records name no blobs
        let RecordBody::Submission(submission) = &record.body else { continue };
        let of_ranges = submission.memory_ranges.iter().map(|range| range.blob_id);
        let ids = [submission.cmd_stream_blob_id, submission.alloc_table_blob_id].into_iter().chain(of_ranges);
        named.extend(ids.map(|id| (id, record.offset)));
    }
    named
}

fn digest(trace: &Trace, bytes: std::ops::Range<u64>) -> Result<[u8; 32], ReadError> {
    let mut hasher = Sha256::new();
    let mut at = bytes.start;
    while at < bytes.end {
        let next = (at + CHUNK_BYTES).min(bytes.end);
        hasher.update(trace.read(at..next)?);
        at = next;
    }
    Ok(hasher.finalize().into())
}
