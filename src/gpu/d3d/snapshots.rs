//! What resources were last written with from outside: a recorder takes the guest's memory anew for each submission, and
//! mostly nothing in it has changed.

use std::ops::Range;

use crate::bytes::ReadError;
use crate::replay::{BlobStore, MemoryPiece, Piece};

/// Stretches that are remembered of one resource.
const MOST_SNAPSHOTS: usize = 16;
/// Bytes that are compared at once.
const COMPARED_BYTES: u64 = 64 << 10;

/// The stretches of a resource that hold what was written to them from the file, since nothing else has written there.
#[derive(Debug, Default)]
pub(super) struct Snapshots(Vec<Snapshot>);

#[derive(Debug)]
struct Snapshot {
    bytes: Range<u64>,
    /// Where in the file they are from, in order.
    file: Vec<Range<u64>>,
}

impl Snapshots {
    /// Anything may have been written anywhere.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    /// Whether these pieces of memory are what was written to the stretch last, by their place in the file.
    pub(super) fn have(&self, bytes: &Range<u64>, pieces: &[MemoryPiece]) -> bool {
        // silent: what was written back is no snapshot
        let Some(file) = in_file(pieces) else { return false };
        self.of(bytes).is_some_and(|known| known.file.iter().eq(file))
    }

    /// Whether these bytes are what was written to the stretch last.
    pub(super) fn equal(&self, bytes: &Range<u64>, new: &[u8], blobs: &BlobStore) -> Result<bool, ReadError> {
        // silent: nothing is known of the stretch
        let Some(known) = self.of(bytes) else { return Ok(false) };
        let (mut left, mut held) = (new, Vec::new());
        for file in &known.file {
            for start in file.clone().step_by(COMPARED_BYTES as usize) {
                let end = file.end.min(start + COMPARED_BYTES);
                blobs.read_pieces(&[Piece::File(start..end)], &mut held)?;
                match left.split_at_checked(held.len()) {
                    Some((same, rest)) if same == held => left = rest,
                    _ => return Ok(false),
                }
            }
        }
        Ok(left.is_empty())
    }

    /// These pieces of memory are written to a stretch.
    pub(super) fn note(&mut self, bytes: Range<u64>, pieces: &[MemoryPiece]) {
        self.0.retain(|known| known.bytes.end <= bytes.start || bytes.end <= known.bytes.start);
        // silent: what was written back is no snapshot
        let Some(file) = in_file(pieces) else { return };
        if self.0.len() >= MOST_SNAPSHOTS {
            self.0.remove(0);
        }
        self.0.push(Snapshot { bytes, file: file.cloned().collect() });
    }

    fn of(&self, bytes: &Range<u64>) -> Option<&Snapshot> {
        self.0.iter().find(|known| known.bytes == *bytes)
    }
}

/// Where in the file pieces of memory are; nothing if some were written back.
fn in_file(pieces: &[MemoryPiece]) -> Option<impl Iterator<Item = &Range<u64>>> {
    fn range(piece: &MemoryPiece) -> Option<&Range<u64>> {
        match piece {
            MemoryPiece::File(range) => Some(range),
            MemoryPiece::WrittenBack { .. } => None,
        }
    }
    pieces.iter().all(|piece| range(piece).is_some()).then(|| pieces.iter().filter_map(range))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(range: Range<u64>) -> [MemoryPiece; 1] {
        [MemoryPiece::File(range)]
    }

    #[test]
    fn a_stretch_is_known_until_it_is_written() {
        let mut known = Snapshots::default();
        known.note(0..16, &file(100..116));
        known.note(16..32, &file(200..216));
        assert!(known.have(&(0..16), &file(100..116)));
        assert!(!known.have(&(0..16), &file(101..117)), "other bytes");
        assert!(!known.have(&(0..8), &file(100..108)), "another stretch");
        known.note(8..20, &file(300..312));
        assert!(!known.have(&(0..16), &file(100..116)) && !known.have(&(16..32), &file(200..216)));
        assert!(known.have(&(8..20), &file(300..312)));
        let written_back = [MemoryPiece::WrittenBack { by: 1, start_bytes: 0, size_bytes: 12 }];
        known.note(8..20, &written_back);
        assert!(!known.have(&(8..20), &written_back), "it depends on when it was read");
        known.note(0..4, &file(0..4));
        known.forget();
        assert!(!known.have(&(0..4), &file(0..4)));
    }

    #[test]
    fn only_so_many_stretches_are_known() {
        let mut known = Snapshots::default();
        for start in 0..=MOST_SNAPSHOTS as u64 {
            known.note(start..start + 1, &file(start..start + 1));
        }
        assert!(!known.have(&(0..1), &file(0..1)) && known.have(&(1..2), &file(1..2)));
    }
}
