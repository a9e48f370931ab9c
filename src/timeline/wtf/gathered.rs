//! The events of a zone, waiting to be put in order of time.
//!
//! Most of them are in order already: what goes back in time is a few events that tell of something earlier. So those
//! that go forward are kept as they come, the others are sorted, and both are merged.

use crate::timeline::StringId;

use super::plan::{Action, Key};

/// Entries of a block. Blocks are given back one after another while the events are taken.
const BLOCK_ENTRIES: usize = 1 << 16;

/// One waiting event in 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The action in the upper eight bits; below, the record's offset, or for an event that is matched by something,
    /// its position among [`Gathered::matched`].
    packed: u64,
    time_micros: u32,
    name: StringId,
}

const _: () = assert!(size_of::<Entry>() == 16);
const PLACE_BITS: u32 = 56;

impl Entry {
    fn action(self) -> Action {
        Action::of_code((self.packed >> PLACE_BITS) as u8)
    }

    fn place(self) -> u64 {
        self.packed & ((1 << PLACE_BITS) - 1)
    }
}

/// One event, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub time_micros: u32,
    pub action: Action,
    pub name: StringId,
    pub record: u64,
    pub key: Key,
}

/// The waiting events of one zone.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// In order of time as of arrival, in blocks.
    forward: Vec<Vec<Entry>>,
    forward_micros: u32,
    /// Earlier than an event before them.
    backward: Vec<Entry>,
    /// Offset and key of the events that are matched by something.
    matched: Vec<(u64, Key)>,
}

impl Gathered {
    #[inline]
    pub fn push(&mut self, step: Step) {
        let mut place = step.record;
        if step.action.has_key() {
            place = self.matched.len() as u64;
            self.matched.push((step.record, step.key));
        }
        let packed = place & ((1 << PLACE_BITS) - 1) | u64::from(step.action as u8) << PLACE_BITS;
        let entry = Entry { packed, time_micros: step.time_micros, name: step.name };
        if step.time_micros < self.forward_micros {
            self.backward.push(entry);
            return;
        }
        self.forward_micros = step.time_micros;
        match self.forward.last_mut().filter(|block| block.len() < BLOCK_ENTRIES) {
            Some(block) => block.push(entry),
            None => self.forward.push(vec![entry]),
        }
    }

    /// Gives the events by time and arrival, and their memory back on the way.
    pub fn drain_in_order(self, mut each: impl FnMut(Step)) {
        let Self { forward, mut backward, matched, .. } = self;
        let unpack = |entry: Entry| {
            let action = entry.action();
            let (record, key) = if action.has_key() {
                matched.get(entry.place() as usize).copied().unwrap_or_default()
            } else {
                (entry.place(), Key::default())
            };
            Step { time_micros: entry.time_micros, action, name: entry.name, record, key }
        };
        let order = |entry: Entry| (entry.time_micros, unpack(entry).record);
        // Last first, so that what was given can be dropped from the end.
        backward.sort_unstable_by(|a, b| {
            b.time_micros.cmp(&a.time_micros).then_with(|| unpack(*b).record.cmp(&unpack(*a).record))
        });
        for entry in forward.into_iter().flatten() {
            while let Some(earlier) = backward.pop_if(|earlier| order(*earlier) < order(entry)) {
                each(unpack(earlier));
                if backward.len().is_multiple_of(BLOCK_ENTRIES) {
                    backward.shrink_to_fit();
                }
            }
            each(unpack(entry));
        }
        backward.into_iter().rev().for_each(|entry| each(unpack(entry)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_stay_in_order_of_arrival() {
        let mut gathered = Gathered::default();
        let step = |time_micros, record, action| Step {
            time_micros,
            action,
            name: StringId::EMPTY,
            record,
            key: if action == Action::RangeEnd { Key { id: record as u32, parent: 0 } } else { Key::default() },
        };
        let steps = [
            step(5, 10, Action::Leave),
            step(3, 20, Action::RangeEnd),
            step(5, 30, Action::Enter),
            step(3, 40, Action::Mark),
        ];
        steps.iter().for_each(|&step| gathered.push(step));
        let mut found = Vec::new();
        gathered.drain_in_order(|step| found.push(step));
        assert_eq!(found, [steps[1], steps[3], steps[0], steps[2]]);
    }
}
