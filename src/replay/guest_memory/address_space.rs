//! What lies at which address.

use std::collections::BTreeMap;
use std::ops::Range;

/// Where the bytes of a stretch of addresses come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A memory range of the submission, by its number in the record.
    Range(u32),
    /// What a command has written back, by its number among all that was.
    WrittenBack(u32),
}

/// The stretches of addresses that something lies at, by their start. They do not overlap: what came later has cut what was
/// there, so that a question costs as much as its answer, however many ranges lie over each other.
#[derive(Debug, Default)]
pub(super) struct AddressSpace {
    /// Start → end, source.
    stretches: BTreeMap<u64, (u64, Source)>,
}

impl AddressSpace {
    /// From here on `source` lies at the addresses `range`.
    pub(super) fn write(&mut self, range: Range<u64>, source: Source) {
        if range.is_empty() {
            return;
        }
        self.cut_at(range.start);
        self.cut_at(range.end);
        while let Some((&start, _)) = self.stretches.range(range.clone()).next() {
            self.stretches.remove(&start);
        }
        self.stretches.insert(range.start, (range.end, source));
    }

    /// What lies at the addresses `range`, in order. Addresses that nothing lies at are left out.
    pub(super) fn stretches(&self, range: Range<u64>) -> impl Iterator<Item = (Range<u64>, Source)> {
        let first = self.stretches.range(..=range.start).next_back().map_or(range.start, |(start, _)| *start);
        let from_first = self.stretches.range(first..range.end.max(first));
        from_first
            .map(move |(start, (end, source))| ((*start).max(range.start)..(*end).min(range.end), *source))
            .filter(|(stretch, _)| !stretch.is_empty())
    }

    /// Splits the stretch that covers `at`, so that one ends and one starts there.
    fn cut_at(&mut self, at: u64) {
        if let Some((_, stretch)) = self.stretches.range_mut(..at).next_back() {
            let (end, source) = *stretch;
            if end > at {
                stretch.0 = at;
                self.stretches.insert(at, (end, source));
            }
        }
    }
}
