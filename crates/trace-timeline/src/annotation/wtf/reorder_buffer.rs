//! The events of a zone, waiting to be put in order of time.
//!
//! Most of them are in order already: what goes back in time is a few events that tell of something earlier, or the
//! start of another run that rises (two recordings in one file). So those that go forward are kept as they come, the
//! others are put in order by a sort that keeps the order of equals and merges what rises, and both are merged.

use std::cmp::Reverse;

use crate::StringId;

use super::plan::{Action, Key};

/// Entries of a block. Blocks are given back one after another while the events are taken.
const BLOCK_ENTRIES: usize = 1 << 16;
/// Runs of fewer entries are not worth a merge.
const SHORT_RUN: usize = 32;

/// One waiting event in 16 bytes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The action in the upper eight bits, the record's offset below.
    packed: u64,
    time_micros: u32,
    name: StringId,
}

const _: () = assert!(size_of::<Entry>() == 16 && size_of::<KeyedEntry>() == 24);
const RECORD_BITS: u32 = 56;

/// One waiting event that is matched by something.
#[derive(Clone, Copy, Debug)]
struct KeyedEntry {
    entry: Entry,
    key: Key,
}

/// One event, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ZoneEvent {
    pub time_micros: u32,
    pub action: Action,
    pub name: StringId,
    pub record: u64,
    pub key: Key,
}

trait Waiting: Copy {
    /// Where it belongs: records stand in the file in the order of their arrival.
    fn place(&self) -> (u32, u64);

    fn event(&self) -> ZoneEvent;
}

impl Waiting for Entry {
    fn place(&self) -> (u32, u64) {
        (self.time_micros, self.packed & ((1 << RECORD_BITS) - 1))
    }

    fn event(&self) -> ZoneEvent {
        let (time_micros, record) = self.place();
        let action = Action::of_code((self.packed >> RECORD_BITS) as u8);
        ZoneEvent { time_micros, action, name: self.name, record, key: Key::default() }
    }
}

impl Waiting for KeyedEntry {
    fn place(&self) -> (u32, u64) {
        self.entry.place()
    }

    fn event(&self) -> ZoneEvent {
        ZoneEvent { key: self.key, ..self.entry.event() }
    }
}

/// The waiting events of one zone. Keys would make all of them larger.
#[derive(Debug, Default)]
pub(super) struct ReorderBuffer {
    plain: Queue<Entry>,
    keyed: Queue<KeyedEntry>,
}

impl ReorderBuffer {
    #[inline]
    pub(crate) fn push(&mut self, event: ZoneEvent) {
        let packed = event.record & ((1 << RECORD_BITS) - 1) | u64::from(event.action as u8) << RECORD_BITS;
        let entry = Entry { packed, time_micros: event.time_micros, name: event.name };
        if event.action.has_key() {
            self.keyed.push(KeyedEntry { entry, key: event.key });
        } else {
            self.plain.push(entry);
        }
    }

    /// Gives the events by time and arrival, and their memory back on the way.
    pub(crate) fn drain_in_order(self, mut each: impl FnMut(ZoneEvent)) {
        let (mut plain, mut keyed) = (self.plain.in_order(), self.keyed.in_order());
        let mut next_keyed = keyed.next();
        let mut next_plain = plain.next();
        loop {
            match (&next_plain, &next_keyed) {
                (Some(entry), Some(other)) if other.place() < entry.place() => {
                    each(other.event());
                    next_keyed = keyed.next();
                }
                (Some(entry), _) => {
                    each(entry.event());
                    next_plain = plain.next();
                }
                (None, Some(other)) => {
                    each(other.event());
                    next_keyed = keyed.next();
                }
                (None, None) => return,
            }
        }
    }
}

/// Waiting events of one kind.
#[derive(Debug)]
struct Queue<T> {
    /// In order of time as of arrival, in blocks.
    forward: Vec<Vec<T>>,
    forward_micros: u32,
    /// Earlier than an event before them.
    backward: Vec<T>,
    /// How often the times of `backward` fall.
    falls: usize,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { forward: Vec::new(), forward_micros: 0, backward: Vec::new(), falls: 0 }
    }
}

impl<T: Waiting> Queue<T> {
    #[inline]
    fn push(&mut self, entry: T) {
        let (time_micros, _) = entry.place();
        if time_micros < self.forward_micros {
            self.falls += usize::from(self.backward.last().is_some_and(|last| time_micros < last.place().0));
            self.backward.push(entry);
            return;
        }
        self.forward_micros = time_micros;
        match self.forward.last_mut().filter(|block| block.len() < BLOCK_ENTRIES) {
            Some(block) => block.push(entry),
            None => self.forward.push(vec![entry]),
        }
    }

    fn in_order(self) -> impl Iterator<Item = T> {
        let Self { forward, mut backward, falls, .. } = self;
        // Last first, so that what was given can be dropped from the end. Runs that rise become runs that fall, which
        // a stable sort by falling time merges as they are; where there are no runs to speak of, it would be slower.
        if falls < backward.len() / SHORT_RUN {
            backward.reverse();
            backward.sort_by_key(|entry| Reverse(entry.place().0));
        } else {
            backward.sort_unstable_by_key(|entry| Reverse(entry.place()));
        }
        let mut forward = forward.into_iter().flatten().peekable();
        std::iter::from_fn(move || {
            let is_earlier = |earlier: &mut T| forward.peek().is_none_or(|next| earlier.place() < next.place());
            let Some(earlier) = backward.pop_if(is_earlier) else { return forward.next() };
            if backward.len().is_multiple_of(BLOCK_ENTRIES) {
                backward.shrink_to_fit();
            }
            Some(earlier)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_stay_in_order_of_arrival() {
        let mut buffer = ReorderBuffer::default();
        let event = |time_micros, record, action| ZoneEvent {
            time_micros,
            action,
            name: StringId::EMPTY,
            record,
            key: if action == Action::RangeEnd { Key { id: record as u32, parent: 0 } } else { Key::default() },
        };
        let events = [
            event(5, 10, Action::Leave),
            event(3, 20, Action::RangeEnd),
            event(5, 30, Action::Enter),
            event(3, 40, Action::Mark),
        ];
        events.iter().for_each(|&event| buffer.push(event));
        let mut found = Vec::new();
        buffer.drain_in_order(|event| found.push(event));
        assert_eq!(found, [events[1], events[3], events[0], events[2]]);
    }

    #[test]
    fn any_order_of_arrival_becomes_the_order_of_time() {
        let mut buffer = ReorderBuffer::default();
        let mut chance = 1u64;
        let mut events: Vec<ZoneEvent> = (0..200_000u64)
            .map(|record| {
                chance = chance.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let time_micros = (chance >> 52) as u32 + (record % 50_000 / 100) as u32;
                let action = if chance >> 40 & 1 == 0 { Action::Enter } else { Action::FlowExtend };
                let key = if action.has_key() { Key { id: record as u32, parent: 7 } } else { Key::default() };
                ZoneEvent { time_micros, action, name: StringId::EMPTY, record, key }
            })
            .collect();
        events.iter().for_each(|&event| buffer.push(event));
        let mut found = Vec::new();
        buffer.drain_in_order(|event| found.push(event));
        events.sort_by_key(|event| event.time_micros);
        assert!(found == events);
    }
}
