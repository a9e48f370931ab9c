//! The events of a zone whose times go back, waiting to be put in order.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::timeline::StringId;

use super::plan::{Action, Key};

/// Entries after which memory that is no longer needed is given back.
const SHRINK_EVERY: usize = 1 << 20;

/// One waiting event in 16 bytes: the record's offset shares its eight bytes with the action.
#[derive(Clone, Copy, Debug)]
struct Entry {
    packed: u64,
    time_micros: u32,
    name: StringId,
}

const _: () = assert!(size_of::<Entry>() == 16);
const OFFSET_BITS: u32 = 56;

/// One event, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub time_micros: u32,
    pub action: Action,
    pub name: StringId,
    pub record: u64,
    pub key: Key,
}

/// The waiting events of one zone. Keys are rare and kept aside.
#[derive(Debug, Default)]
pub(super) struct LateEvents {
    entries: Vec<Entry>,
    keys: HashMap<u64, Key>,
}

impl LateEvents {
    pub fn push(&mut self, step: Step) {
        if step.action.has_key() {
            self.keys.insert(step.record, step.key);
        }
        let packed = step.record & ((1 << OFFSET_BITS) - 1) | u64::from(step.action as u8) << OFFSET_BITS;
        self.entries.push(Entry { packed, time_micros: step.time_micros, name: step.name });
    }

    /// Gives the events by time and arrival, and their memory back on the way.
    pub fn drain_in_order(mut self, mut each: impl FnMut(Step)) {
        let offset = |entry: &Entry| entry.packed & ((1 << OFFSET_BITS) - 1);
        self.entries.sort_unstable_by_key(|entry| Reverse((entry.time_micros, offset(entry))));
        while let Some(entry) = self.entries.pop() {
            let record = offset(&entry);
            let action = Action::of_code((entry.packed >> OFFSET_BITS) as u8);
            let key =
                if action.has_key() { self.keys.get(&record).copied().unwrap_or_default() } else { Key::default() };
            each(Step { time_micros: entry.time_micros, action, name: entry.name, record, key });
            if self.entries.len().is_multiple_of(SHRINK_EVERY) {
                self.entries.shrink_to_fit();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_stay_in_order_of_arrival() {
        let mut late = LateEvents::default();
        let step = |time_micros, record, action| Step {
            time_micros,
            action,
            name: StringId::EMPTY,
            record,
            key: if action == Action::RangeEnd { Key { id: record, parent: 0 } } else { Key::default() },
        };
        let steps = [
            step(5, 10, Action::Leave),
            step(3, 20, Action::RangeEnd),
            step(5, 30, Action::Enter),
            step(3, 40, Action::Mark),
        ];
        steps.iter().for_each(|&step| late.push(step));
        let mut found = Vec::new();
        late.drain_in_order(|step| found.push(step));
        assert_eq!(found, [steps[1], steps[3], steps[0], steps[2]]);
    }
}
