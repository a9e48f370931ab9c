//! Sets of commands by number, as bits in pages: a slice of a few commands touches a few pages, whatever the trace's size.

use std::ops::Range;

use crate::error::Internal;

/// Words of a page.
const WORDS: usize = 32;
/// Commands of a page.
const PAGE: u32 = WORDS as u32 * u64::BITS;

/// What of a command is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Needed {
    /// What it makes or sets.
    Meaning,
    /// What it does by itself, for which it reads.
    Work,
    /// What it writes.
    Writes,
}

/// Which commands are needed.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pages: Vec<Option<Box<[Word; WORDS]>>>,
    /// How many pages the walk has before it, with the one that it is in.
    ahead: usize,
    /// How many words of that one it has behind it.
    words_behind: usize,
}

/// Of 64 commands, a bit each.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    needed: u64,
    /// Those that were not taken yet.
    left: u64,
    work: u64,
    writes: u64,
}

impl Word {
    fn what(&self, bit: u64) -> Needed {
        match (self.writes & bit != 0, self.work & bit != 0) {
            (true, _) => Needed::Writes,
            (false, true) => Needed::Work,
            (false, false) => Needed::Meaning,
        }
    }
}

impl Marks {
    /// Needs a command, for this at least.
    #[inline]
    pub(super) fn need(&mut self, number: u32, what: Needed) -> Result<(), Internal> {
        self.need_bits(number, 1 << (number % u64::BITS), what)
    }

    /// Needs all of these commands.
    pub(super) fn need_all(&mut self, numbers: Range<u32>, what: Needed) -> Result<(), Internal> {
        let mut at = numbers.start;
        while at < numbers.end {
            let end = numbers.end.min(at - at % u64::BITS + u64::BITS);
            self.need_bits(at, (u64::MAX >> (u64::BITS - (end - at))) << (at % u64::BITS), what)?;
            at = end;
        }
        Ok(())
    }

    /// Needs those commands that `bits` says of the 64 among which `number` is.
    #[inline]
    fn need_bits(&mut self, number: u32, bits: u64, what: Needed) -> Result<(), Internal> {
        let at = (number / PAGE) as usize;
        if at >= self.pages.len() {
            self.pages.resize_with(at + 1, || None);
        }
        let lost = Internal::new("a page of a slice is lost");
        let page = self.pages.get_mut(at).ok_or(lost)?.get_or_insert_default();
        let word = page.get_mut((number % PAGE / u64::BITS) as usize).ok_or(lost)?;
        let taken = word.needed & !word.left & bits;
        let known = match what {
            Needed::Meaning => taken,
            Needed::Work => word.work,
            Needed::Writes => word.writes,
        };
        if taken & !known != 0 {
            return Err(Internal::new("a command is needed for more than was recorded"));
        }
        word.left |= bits & !word.needed;
        word.needed |= bits;
        if what >= Needed::Work {
            word.work |= bits;
        }
        if what == Needed::Writes {
            word.writes |= bits;
        }
        Ok(())
    }

    /// Whether a command is needed for anything.
    #[inline]
    pub(super) fn has(&self, number: u32) -> bool {
        let page = self.pages.get((number / PAGE) as usize).and_then(Option::as_ref);
        let word = page.and_then(|page| page.get((number % PAGE / u64::BITS) as usize));
        word.is_some_and(|word| word.needed & (1 << (number % u64::BITS)) != 0)
    }

    /// Begins with the last command.
    pub(super) fn rewind(&mut self) {
        (self.ahead, self.words_behind) = (self.pages.len(), 0);
    }

    /// Takes the last command that was not taken, of those up to the one taken before, and says what of it is needed.
    #[inline]
    pub(super) fn take_last(&mut self) -> Option<(u32, Needed)> {
        while let Some(page) = self.ahead.checked_sub(1) {
            let words =
                self.pages.get_mut(page).into_iter().flatten().flat_map(|words| words.iter_mut().enumerate().rev());
            for (at, word) in words.skip(self.words_behind) {
                if let Some(highest) = word.left.checked_ilog2() {
                    let bit = 1 << highest;
                    word.left &= !bit;
                    return Some((page as u32 * PAGE + at as u32 * u64::BITS + highest, word.what(bit)));
                }
                self.words_behind += 1;
            }
            (self.ahead, self.words_behind) = (page, 0);
        }
        None
    }

    /// All commands that are needed, ascending.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u32> {
        let words = (0..).step_by(PAGE as usize).zip(&self.pages).flat_map(|(first, page)| {
            let words = page.iter().flat_map(|words| words.iter());
            (first..).step_by(u64::BITS as usize).zip(words)
        });
        words.flat_map(|(first, word)| {
            let mut left = word.needed;
            std::iter::from_fn(move || {
                let lowest = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (lowest < u64::BITS).then_some(first + lowest)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn each_command_is_taken_once_from_the_last_to_the_first() {
        let mut seed = 3u64;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % u64::from(below)) as u32
        };
        for most in [100, 5000, 1_000_000] {
            let own = most..most + random(200);
            let mut marks = Marks::default();
            marks.need_all(own.clone(), Needed::Work).unwrap();
            let mut left: BTreeMap<u32, Needed> = own.map(|number| (number, Needed::Work)).collect();
            let mut all = left.clone();
            marks.rewind();
            while let Some(taken) = marks.take_last() {
                assert_eq!(left.pop_last(), Some(taken));
                // Anything before it may come to be needed, for one thing or for more.
                for _ in 0..random(3) * u32::from(all.len() < 1000) {
                    let number = taken.0.saturating_sub(1 + random(most / 50));
                    let what = [Needed::Meaning, Needed::Work, Needed::Writes][random(3) as usize];
                    if number < taken.0 {
                        marks.need(number, what).unwrap();
                        let known = all.entry(number).or_insert(what);
                        *known = what.max(*known);
                        left.insert(number, *known);
                    }
                }
            }
            assert!(left.is_empty() && marks.numbers().eq(all.keys().copied()));
            assert!((0..most + 200).step_by(7).all(|number| marks.has(number) == all.contains_key(&number)));
            let new: Vec<u32> = (0..most).rev().filter(|number| !all.contains_key(number)).step_by(11).collect();
            new.iter().try_for_each(|number| marks.need(*number, Needed::Meaning)).unwrap();
            marks.rewind();
            assert!(new.iter().all(|number| marks.take_last() == Some((*number, Needed::Meaning))));
            assert_eq!(marks.take_last(), None);
        }
        let mut marks = Marks::default();
        marks.need(7, Needed::Work).unwrap();
        marks.rewind();
        assert_eq!(marks.take_last(), Some((7, Needed::Work)));
        assert!(marks.need(7, Needed::Work).is_ok() && marks.need(7, Needed::Writes).is_err());
    }
}
