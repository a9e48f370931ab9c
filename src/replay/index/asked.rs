//! What a walk backwards has asked of one object, so that nothing is asked twice.

use std::ops::Range;

use super::intervals::Intervals;
use super::part_history::{PartHistory, Written};
use crate::error::Internal;

/// Writes that are passed one by one, whatever is known.
const SHORT_WAY: usize = 16;

/// The parts of an object whose last writers are known where the walk is.
pub(super) struct Asked<'a> {
    history: &'a PartHistory,
    /// How many writes come before where the walk is.
    count: usize,
    parts: Intervals,
    /// How many stretches of one writer were found.
    stretches: usize,
}

impl<'a> Asked<'a> {
    /// Nothing, before the command with this number.
    pub(super) fn before(history: &'a PartHistory, number: u32) -> Self {
        Self { history, count: history.writes_before(number), parts: Intervals::default(), stretches: 0 }
    }

    /// Adds to `found` who wrote which of `parts` last, before the command with the number `before`, as far as it was not
    /// found for a later one. No later one may be asked for any more.
    pub(super) fn ask(&mut self, parts: Range<u32>, before: u32, found: &mut Vec<Written>) -> Result<(), Internal> {
        self.go_back(before)?;
        let parts = u64::from(parts.start)..u64::from(parts.end);
        if self.parts.interval_at(parts.start).is_some_and(|known| parts.end <= known.end) {
            return Ok(());
        }
        for missing in self.parts.missing(parts.clone()) {
            let missing = missing.start as u32..missing.end as u32;
            self.history.writers_after(self.count, missing, |written| {
                self.stretches += 1;
                found.push(written);
            })?;
        }
        self.parts.insert(parts);
        Ok(())
    }

    /// Nothing is known of these parts.
    pub(super) fn forget(&mut self, parts: Range<u32>) {
        self.parts.remove(u64::from(parts.start)..u64::from(parts.end));
    }

    /// Goes back to before the command with this number: others wrote last what was written since.
    fn go_back(&mut self, number: u32) -> Result<(), Internal> {
        let writes = self.history.writes();
        if writes.get(self.count).is_some_and(|next| next.by.number() < number) {
            return Err(Internal::new("a backward walk has turned forward"));
        }
        let since = writes.iter().take(self.count).rev().take_while(|write| write.by.number() >= number);
        let longest = SHORT_WAY + self.stretches;
        for (at, write) in since.enumerate() {
            if at == longest {
                // To find the writers of all again takes less.
                *self = Self::before(self.history, number);
                return Ok(());
            }
            self.forget(write.parts());
            self.count -= 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::part_history::WriteNumber;
    use super::*;

    #[test]
    fn each_last_writer_is_found_once_however_far_the_steps_back() {
        let mut seed = 11u64;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % u64::from(below)) as u32
        };
        let (mut history, mut plain, mut moments) = (PartHistory::default(), [None; 100], Vec::new());
        for number in 0..6000 {
            moments.push(plain);
            let start = random(100);
            let end = (start + random(8)).min(100);
            history.write(WriteNumber::whole(number), start..end);
            plain[start as usize..end as usize].fill(Some(number));
        }
        let (mut repeated, mut asked_in_all) = (0, 0);
        for longest_step in [3, 40, 1500] {
            let (mut asked, mut found) = (Asked::before(&history, 5999), Vec::new());
            let mut known: BTreeSet<(u32, u32)> = BTreeSet::new();
            let mut expected = BTreeSet::new();
            let mut number = 5999;
            while let Some(before) = u32::checked_sub(number, random(longest_step)) {
                number = before;
                let (a, b) = (random(101), random(101));
                asked.ask(a.min(b)..a.max(b), number, &mut found).unwrap();
                for Written { parts, by } in found.drain(..) {
                    repeated += parts.filter(|part| !known.insert((*part, by.number()))).count();
                }
                for part in a.min(b)..a.max(b) {
                    asked_in_all += 1;
                    expected.extend(moments[number as usize][part as usize].map(|writer| (part, writer)));
                }
            }
            assert_eq!(known, expected, "in steps below {longest_step}");
        }
        // Only what was forgotten on a long way is found again.
        assert!(repeated * 10 < asked_in_all, "{repeated} of {asked_in_all}");
        assert!(Asked::before(&history, 5).ask(0..1, 9, &mut Vec::new()).is_err(), "it goes forwards");
    }
}
