//! Frames of the recorded program.

use std::collections::BTreeMap;

use super::{RecordOffset, StringId, Tick, TrackId};

/// One frame of the recorded program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// First tick.
    pub begin: Tick,
    /// Tick after the last one.
    pub end: Tick,
    /// The number that the program gave it, or its index where the format records none (at most 2^32 − 1).
    pub number: u64,
    /// What ended it, e.g. `glXSwapBuffers`; `None` if the trace ended first.
    pub ended_by: Option<StringId>,
    /// The drawable that was shown, where the format records one.
    pub drawable: Option<u64>,
    /// The track whose frame it is, where the format says so (wtf-trace: a zone).
    pub track: Option<TrackId>,
    /// The record that ended it.
    pub record: RecordOffset,
}

/// What many frames share: kept once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SharedFields {
    ended_by: Option<StringId>,
    drawable: Option<u64>,
    track: Option<TrackId>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    begin: Tick,
    end: Tick,
    record: RecordOffset,
    number: u32,
    shared: u32,
}

const _: () = assert!(size_of::<Row>() == 32);

/// Frames by end, 32 bytes each: some programs have a frame for every two calls.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    rows: Vec<Row>,
    shared: Vec<SharedFields>,
    known: BTreeMap<SharedFields, u32>,
}

impl Frames {
    /// Adds a frame.
    pub fn push(&mut self, frame: Frame) {
        let shared = SharedFields { ended_by: frame.ended_by, drawable: frame.drawable, track: frame.track };
        let next = self.shared.len() as u32;
        let index = *self.known.entry(shared).or_insert(next);
        if index == next {
            self.shared.push(shared);
        }
        let number = u32::try_from(frame.number).unwrap_or(u32::MAX);
        self.rows.push(Row { begin: frame.begin, end: frame.end, record: frame.record, number, shared: index });
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The frame at `index`.
    pub fn get(&self, index: usize) -> Option<Frame> {
        self.rows.get(index).map(|row| self.frame(row))
    }

    /// The last frame.
    pub fn last(&self) -> Option<Frame> {
        self.rows.last().map(|row| self.frame(row))
    }

    /// All frames by end.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Frame> + ExactSizeIterator + '_ {
        self.rows.iter().map(|row| self.frame(row))
    }

    fn frame(&self, row: &Row) -> Frame {
        let none = SharedFields { ended_by: None, drawable: None, track: None };
        let SharedFields { ended_by, drawable, track } = self.shared.get(row.shared as usize).copied().unwrap_or(none);
        let (begin, end, record, number) = (row.begin, row.end, row.record, row.number.into());
        Frame { begin, end, number, ended_by, drawable, track, record }
    }

    pub(super) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>() + self.shared.capacity() * size_of::<SharedFields>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_as_they_went_in() {
        let frame = |number: u64, drawable| Frame {
            begin: Tick(number * 2),
            end: Tick(number * 2 + 2),
            number,
            ended_by: Some(StringId::EMPTY),
            drawable,
            track: Some(TrackId(3)),
            record: RecordOffset(number),
        };
        let all = [frame(0, None), frame(1, Some(0)), frame(2, None), frame(3, Some(u64::MAX))];
        let mut frames = Frames::default();
        all.iter().for_each(|frame| frames.push(*frame));
        assert!(frames.iter().eq(all));
        assert_eq!((frames.shared.len(), frames.last(), frames.get(4)), (3, Some(all[3]), None));
    }
}
