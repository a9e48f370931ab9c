//! The uploads to one buffer object, and what it held at any time.
//!
//! A snapshot of the writers is kept after a quarter as many uploads as it has stretches, but at least sixteen. So all
//! snapshots together are no larger than four times the uploads, and any moment is a snapshot and a few uploads away.

use std::ops::Range;

use super::writers::Writers;
use crate::error::Internal;

/// Fewest uploads between two snapshots.
const SHORTEST_WAIT: usize = 16;

/// What happened to one buffer object.
#[derive(Debug, Default)]
pub(super) struct BufferHistory {
    uploads: Vec<Upload>,
    snapshots: Vec<Snapshot>,
    /// The writers after the last upload, while the index is being made.
    current: Option<Box<Writers>>,
}

/// One upload that wrote something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Upload {
    /// Number of the command.
    pub number: u32,
    pub start: u32,
    pub end: u32,
}

#[derive(Debug)]
struct Snapshot {
    /// How many uploads it comes after.
    after: usize,
    /// Start, end, writer.
    stretches: Box<[(u32, u32, u32)]>,
}

impl BufferHistory {
    /// Takes in the next upload.
    pub(crate) fn upload(&mut self, number: u32, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        let current = self.current.get_or_insert_default();
        current.write(range.clone(), number);
        self.uploads.push(Upload { number, start: range.start, end: range.end });
        let after = self.snapshots.last().map_or(0, |last| last.after);
        if self.uploads.len() - after >= SHORTEST_WAIT.max(current.len() / 4) {
            let stretches = current.stretches().collect();
            self.snapshots.push(Snapshot { after: self.uploads.len(), stretches });
        }
    }

    /// No upload follows.
    pub(crate) fn finish(&mut self) {
        self.current = None;
        self.uploads.shrink_to_fit();
        self.snapshots.shrink_to_fit();
    }

    /// How many uploads come before the command with this number, and the number of the last of them.
    pub(crate) fn uploads_before(&self, number: u32) -> (usize, Option<u32>) {
        let count = self.uploads.partition_point(|upload| upload.number < number);
        let last = count.checked_sub(1).and_then(|last| self.uploads.get(last));
        (count, last.map(|upload| upload.number))
    }

    /// Who wrote which bytes, just before the command with this number.
    pub(crate) fn writers_before(&self, number: u32) -> Result<Writers, Internal> {
        let count = self.uploads.partition_point(|upload| upload.number < number);
        let snapshot = self.snapshots.partition_point(|snapshot| snapshot.after <= count).checked_sub(1);
        let snapshot = snapshot.and_then(|index| self.snapshots.get(index));
        let mut writers = snapshot.map(|snapshot| Writers::from_stretches(&snapshot.stretches)).unwrap_or_default();
        let after = snapshot.map_or(0, |snapshot| snapshot.after);
        let later = self.uploads.get(after..count);
        for upload in later.ok_or(Internal::new("a snapshot of a buffer's writers is of later uploads"))? {
            writers.write(upload.start..upload.end, upload.number);
        }
        Ok(writers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_moment_can_be_asked_for_and_snapshots_stay_small() {
        let mut history = BufferHistory::default();
        let mut plain = Writers::default();
        let mut moments = Vec::new();
        for number in 0..3000u32 {
            moments.push(plain.stretches().collect::<Vec<_>>());
            let start = number * 37 % 500;
            history.upload(number, start..start + 1 + number % 3);
            plain.write(start..start + 1 + number % 3, number);
        }
        history.finish();
        for (number, moment) in moments.iter().enumerate() {
            assert_eq!(history.writers_before(number as u32).unwrap().stretches().collect::<Vec<_>>(), *moment);
        }
        let kept: usize = history.snapshots.iter().map(|snapshot| snapshot.stretches.len()).sum();
        assert!(kept <= 4 * history.uploads.len(), "{kept}");
    }
}
