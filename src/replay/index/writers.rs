//! Which command last wrote which bytes of a buffer.

use std::collections::BTreeMap;
use std::ops::Range;

/// Stretches of a buffer, each with the number of the upload that wrote it. They do not overlap.
#[derive(Clone, Debug, Default)]
pub(in crate::replay) struct Writers {
    /// Start → end and writer.
    stretches: BTreeMap<u32, (u32, u32)>,
}

impl Writers {
    /// Notes that `writer` wrote `range`.
    pub(crate) fn write(&mut self, range: Range<u32>, writer: u32) {
        // Targets are written again and again as a whole.
        if let Some((end, former)) = self.stretches.get_mut(&range.start)
            && *end == range.end
        {
            *former = writer;
            return;
        }
        if !range.is_empty() {
            self.take(range.clone(), |_| ());
            self.stretches.insert(range.start, (range.end, writer));
        }
    }

    /// Forgets the writers of `range`, giving each of their stretches to `each`.
    pub(crate) fn take(&mut self, range: Range<u32>, mut each: impl FnMut(u32)) {
        if range.is_empty() {
            return;
        }
        self.cut_at(range.start);
        self.cut_at(range.end);
        while let Some((&start, &(_, writer))) = self.stretches.range(range.clone()).next() {
            self.stretches.remove(&start);
            each(writer);
        }
    }

    /// The stretches: start, end, writer.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.stretches.iter().map(|(start, (end, writer))| (*start, *end, *writer))
    }

    /// The stretches that have anything of `range`, as far as they lie in it: start, end, writer.
    pub(crate) fn stretches_in(&self, range: Range<u32>) -> impl Iterator<Item = (u32, u32, u32)> {
        let first = self.stretches.range(..=range.start).next_back().map_or(range.start, |(start, _)| *start);
        // The map refuses a range that ends before it starts.
        self.stretches.range(first..range.end.max(first)).filter_map(move |(start, (end, writer))| {
            let (start, end) = ((*start).max(range.start), (*end).min(range.end));
            (start < end).then_some((start, end, *writer))
        })
    }

    fn cut_at(&mut self, at: u32) {
        if let Some((_, stretch)) = self.stretches.range_mut(..at).next_back() {
            let (end, writer) = *stretch;
            if end > at {
                stretch.0 = at;
                self.stretches.insert(at, (end, writer));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_knows_its_last_writer() {
        let mut writers = Writers::default();
        let mut plain = [None; 64];
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % below) as u32
        };
        for writer in 0..2000 {
            let (a, b) = (random(65), random(65));
            let range = a.min(b)..a.max(b);
            if random(4) == 0 {
                writers.take(range.clone(), |_| ());
                plain[range.start as usize..range.end as usize].fill(None);
            } else {
                writers.write(range.clone(), writer);
                plain[range.start as usize..range.end as usize].fill(Some(writer));
            }
            let mut found = [None; 64];
            for (start, end, writer) in writers.stretches() {
                found[start as usize..end as usize].fill(Some(writer));
            }
            assert_eq!(found, plain);
            let mut found = [None; 64];
            for (start, end, writer) in writers.stretches_in(range.clone()) {
                found[start as usize..end as usize].fill(Some(writer));
            }
            let part = range.start as usize..range.end as usize;
            assert_eq!(found[part.clone()], plain[part.clone()]);
            let outside = found.iter().enumerate().filter(|(at, _)| !part.contains(at));
            assert!(outside.map(|(_, writer)| writer).all(Option::is_none));
        }
    }
}
