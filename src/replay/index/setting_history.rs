//! Which commands had set which render states, at any time.
//!
//! Draws depend on all that are in force. Kept with each draw that would be a hundred numbers, of which one or two differ
//! from those of the draw before; so each setting is kept once, and who had set what is kept after every so many of them.
//! Each knows whom it has replaced, so that whoever goes backwards from draw to draw is told of those alone.

use std::ops::Range;

use crate::error::Internal;

/// Render states have numbers below this.
const STATES: usize = 256;
/// Settings between two snapshots.
const INTERVAL: usize = 256;
/// Nobody has set it.
const NOBODY: u32 = u32::MAX;

/// What was set in one context.
#[derive(Debug, Default)]
pub(super) struct SettingHistory {
    settings: Vec<Set>,
    /// By state, who had set it after every [`INTERVAL`] settings.
    snapshots: Vec<Box<[u32]>>,
    /// By state, who has set it; empty until one is, and when no command follows.
    current: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Set {
    by: u32,
    /// Who had set the state before, or [`NOBODY`].
    replaced: u32,
    state: u8,
}

impl SettingHistory {
    /// The command `by`, the last of all, sets a state.
    #[inline]
    pub(super) fn set(&mut self, by: u32, state: u8) {
        if self.current.is_empty() {
            self.current = vec![NOBODY; STATES];
        }
        let replaced = put(&mut self.current, state, by);
        self.settings.push(Set { by, replaced, state });
        if self.settings.len().is_multiple_of(INTERVAL) {
            self.snapshots.push(self.current.as_slice().into());
        }
    }

    /// How many settings there are of commands before `number`.
    pub(super) fn settings_before(&self, number: u32) -> usize {
        self.settings.partition_point(|set| set.by < number)
    }

    /// The commands by which states are as they are after the first `count` settings.
    pub(super) fn setters_after(&self, count: usize) -> Result<impl Iterator<Item = u32>, Internal> {
        let snapshot = count / INTERVAL;
        let mut setters = match snapshot.checked_sub(1) {
            Some(at) => {
                let snapshot = self.snapshots.get(at);
                snapshot.ok_or(Internal::new("a snapshot of render states is missing"))?.to_vec()
            }
            None => vec![NOBODY; STATES],
        };
        let later = self.settings.get(snapshot * INTERVAL..count);
        for set in later.ok_or(Internal::new("more render states are requested than were set"))? {
            put(&mut setters, set.state, set.by);
        }
        Ok(setters.into_iter().filter(|setter| *setter != NOBODY))
    }

    /// The commands by which states are as they are after the settings before `range`, and are no longer after those of
    /// `range`.
    pub(super) fn setters_replaced_in(&self, range: Range<usize>) -> Result<impl Iterator<Item = u32>, Internal> {
        let settings = self.settings.get(range);
        let settings = settings.ok_or(Internal::new("more render states are requested than were set"))?;
        let first = settings.first().map_or(0, |first| first.by);
        // What one of them has replaced that another has set was not in force before.
        let replaced = settings.iter().map(|set| set.replaced);
        Ok(replaced.filter(move |replaced| *replaced != NOBODY && *replaced < first))
    }

    /// Forgets what commands from `number` on have set.
    pub(super) fn truncate(&mut self, number: u32) {
        self.settings.truncate(self.settings_before(number));
        self.snapshots.truncate(self.settings.len() / INTERVAL);
        self.current = self.snapshots.last().map_or_else(|| vec![NOBODY; STATES], |last| last.to_vec());
        for set in self.settings.iter().skip(self.snapshots.len() * INTERVAL) {
            put(&mut self.current, set.state, set.by);
        }
    }

    /// No command follows.
    pub(super) fn finish(&mut self) {
        self.current = Vec::new();
        self.settings.shrink_to_fit();
        self.snapshots.shrink_to_fit();
    }

    /// Bytes that it takes.
    pub(super) fn size_bytes(&self) -> u64 {
        let snapshots: usize = self.snapshots.iter().map(|snapshot| size_of_val(&**snapshot)).sum();
        (size_of_val(self.settings.as_slice()) + size_of_val(self.snapshots.as_slice()) + snapshots) as u64
    }
}

/// Says who had set the state before.
fn put(setters: &mut [u32], state: u8, by: u32) -> u32 {
    // There is a place for every state.
    setters.get_mut(usize::from(state)).map_or(NOBODY, |setter| std::mem::replace(setter, by))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_setters_agree_with_plain_states_at_any_time() {
        let (mut history, mut plain, mut moments) = (SettingHistory::default(), [NOBODY; STATES], Vec::new());
        let mut seed = 3u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % below) as u32
        };
        for number in 0..2000 {
            moments.push(plain);
            if random(4) > 0 {
                let state = random(256) as u8;
                history.set(number, state);
                plain[usize::from(state)] = number;
            }
        }
        for cut in [2000, 700, 100] {
            history.truncate(cut);
            for number in 0..cut {
                let found: Vec<u32> = history.setters_after(history.settings_before(number)).unwrap().collect();
                let expected: Vec<u32> =
                    moments[number as usize].into_iter().filter(|setter| *setter != NOBODY).collect();
                assert_eq!(found, expected, "{number} of {cut}");
            }
            // From any moment back to any before it.
            for _ in 0..500 {
                let (one, other) = (random(u64::from(cut)), random(u64::from(cut)));
                let [start, end] = [one.min(other), one.max(other)];
                let range = history.settings_before(start)..history.settings_before(end);
                let found: BTreeSet<u32> = history.setters_replaced_in(range).unwrap().collect();
                let [before, after] = [start, end].map(|number| BTreeSet::from(moments[number as usize]));
                let expected: BTreeSet<u32> = before.difference(&after).copied().filter(|set| *set != NOBODY).collect();
                assert_eq!(found, expected, "{start} to {end} of {cut}");
            }
            history.set(cut, 9);
            let all: Vec<u32> = history.setters_after(history.settings_before(u32::MAX)).unwrap().collect();
            assert!(all.contains(&cut), "what is set after a cut counts");
        }
    }
}
