//! Sets of bytes as intervals.

use std::collections::BTreeMap;
use std::ops::Range;

/// A set of numbers, kept as intervals that neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intervals {
    /// Start → end.
    intervals: BTreeMap<u64, u64>,
}

impl Intervals {
    /// Puts `range` into the set.
    pub fn insert(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let (mut start, mut end) = (range.start, range.end);
        while let Some((&other_start, &other_end)) = self.intervals.range(..=end).next_back() {
            if other_end < start {
                break;
            }
            self.intervals.remove(&other_start);
            (start, end) = (start.min(other_start), end.max(other_end));
        }
        self.intervals.insert(start, end);
    }

    /// The intervals, ascending.
    pub fn intervals(&self) -> impl Iterator<Item = Range<u64>> {
        self.intervals.iter().map(|(start, end)| *start..*end)
    }

    /// Takes `range` out of the set.
    pub fn remove(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        while let Some((&start, &end)) = self.intervals.range(..range.end).next_back() {
            if end <= range.start {
                break;
            }
            self.intervals.remove(&start);
            if end > range.end {
                self.intervals.insert(range.end, end);
            }
            if start < range.start {
                self.intervals.insert(start, range.start);
            }
        }
    }

    /// The interval that holds `at`.
    pub fn interval_at(&self, at: u64) -> Option<Range<u64>> {
        let (start, end) = self.intervals.range(..=at).next_back()?;
        (*end > at).then_some(*start..*end)
    }

    /// What of `range` is not in the set, in order.
    pub fn missing(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let first = self.intervals.range(..=range.start).next_back().map_or(range.start, |(start, _)| *start);
        let known = self.intervals.range(first..range.end.max(first)).map(|(start, end)| *start..*end);
        let mut at = range.start;
        let gaps = known.chain(std::iter::once(range.end..range.end)).map(move |known| {
            let gap = at..known.start;
            at = at.max(known.end);
            gap
        });
        gaps.filter(|gap| !gap.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_agrees_with_plain_flags() {
        let mut set = Intervals::default();
        let mut plain = [false; 64];
        let mut seed = 3u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..3000 {
            let (a, b) = (random(65), random(65));
            let range = a.min(b)..a.max(b);
            let is_insert = random(2) == 0;
            plain[range.start as usize..range.end as usize].fill(is_insert);
            if is_insert {
                set.insert(range)
            } else {
                set.remove(range)
            }
            let (a, b) = (random(65), random(65));
            let asked = a.min(b)..a.max(b);
            let mut missing = [false; 64];
            for part in set.missing(asked.clone()) {
                assert!(!part.is_empty());
                missing[part.start as usize..part.end as usize].fill(true);
            }
            for (at, is_missing) in missing.into_iter().enumerate() {
                assert_eq!(is_missing, asked.contains(&(at as u64)) && !plain[at]);
            }
        }
    }
}
