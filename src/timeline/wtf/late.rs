//! The events of a zone whose times go back, waiting to be put in order.

use crate::timeline::StringId;

use super::plan::{Action, Key};

/// Entries after which memory that is no longer needed is given back.
const SHRINK_EVERY: usize = 1 << 20;

/// One waiting event in 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The action in the upper eight bits; below, the record's offset, or for an event that is matched by something,
    /// its position among [`LateEvents::matched`].
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
pub(super) struct LateEvents {
    entries: Vec<Entry>,
    /// Offset and key of the events that are matched by something.
    matched: Vec<(u64, Key)>,
}

impl LateEvents {
    pub fn push(&mut self, step: Step) {
        let mut place = step.record;
        if step.action.has_key() {
            place = self.matched.len() as u64;
            self.matched.push((step.record, step.key));
        }
        let packed = place & ((1 << PLACE_BITS) - 1) | u64::from(step.action as u8) << PLACE_BITS;
        self.entries.push(Entry { packed, time_micros: step.time_micros, name: step.name });
    }

    /// Gives the events by time and arrival, and their memory back on the way.
    pub fn drain_in_order(self, mut each: impl FnMut(Step)) {
        let Self { mut entries, matched } = self;
        let unpack = |entry: Entry| {
            let action = entry.action();
            if action.has_key() {
                matched.get(entry.place() as usize).copied().unwrap_or_default()
            } else {
                (entry.place(), Key::default())
            }
        };
        // Last first, so that what was given can be dropped from the end.
        entries
            .sort_unstable_by(|a, b| b.time_micros.cmp(&a.time_micros).then_with(|| unpack(*b).0.cmp(&unpack(*a).0)));
        while let Some(entry) = entries.pop() {
            let (record, key) = unpack(entry);
            each(Step { time_micros: entry.time_micros, action: entry.action(), name: entry.name, record, key });
            if entries.len().is_multiple_of(SHRINK_EVERY) {
                entries.shrink_to_fit();
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
            key: if action == Action::RangeEnd { Key { id: record as u32, parent: 0 } } else { Key::default() },
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
