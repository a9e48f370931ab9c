//! What a GPU holds of the objects of submissions, as numbers of writes: what a slice need not make again.
//!
//! What a part holds at any time is what the write before that time has left. So it is enough to know which write was the last
//! that was carried out there, and whether everything that it reads was as the trace has it: the part is at hand for any time
//! between that write and the next one of the trace, wherever the player has been since.

use std::ops::Range;

use foldhash::HashMap;

use super::TraceIndex;
use super::intervals::Intervals;
use super::part_history::{PartHistory, Written};
use super::writers::Writers;
use crate::error::Internal;
use crate::replay::d3d::ObjectKey;

/// Written by what the trace does not have: by a command that has read something else than in the trace.
const NOT_OF_TRACE: u32 = u32::MAX;

/// The objects that a GPU holds, with the last write of each of their parts.
#[derive(Clone, Debug, Default)]
pub struct AtHand {
    /// Parts without a writer are as the object was made.
    objects: HashMap<ObjectKey, Writers>,
}

impl AtHand {
    /// What a GPU holds of `objects` that has carried out every command before the one with the number `before`.
    pub fn after_all(
        index: &TraceIndex,
        objects: impl IntoIterator<Item = ObjectKey>,
        before: u32,
    ) -> Result<Self, Internal> {
        let held = |object: ObjectKey| {
            let mut writers = Writers::default();
            if let Some(history) = index.history(object)? {
                each_expected(history, 0..u32::MAX, before, |parts, number| writers.write(parts, number))?;
            }
            Ok((object, writers))
        };
        Ok(Self { objects: objects.into_iter().map(held).collect::<Result<_, Internal>>()? })
    }

    /// Whether an object is held, whatever is in it.
    pub fn has(&self, object: ObjectKey) -> bool {
        self.objects.contains_key(&object)
    }

    /// Nothing of an object is held any more.
    pub fn forget(&mut self, object: ObjectKey) {
        self.objects.remove(&object);
    }

    /// The objects held.
    pub fn objects(&self) -> impl Iterator<Item = ObjectKey> {
        self.objects.keys().copied()
    }

    /// An object is there, as it was made.
    pub(super) fn make(&mut self, object: ObjectKey) {
        self.objects.insert(object, Writers::default());
    }

    /// The command with this number has written parts, from what the trace has or from something else.
    pub(super) fn write(&mut self, object: ObjectKey, parts: Range<u32>, number: u32, is_of_trace: bool) {
        let number = if is_of_trace { number } else { NOT_OF_TRACE };
        self.objects.entry(object).or_default().write(parts, number);
    }

    /// Parts hold what the trace has before the command with the number `before`.
    pub(super) fn restore(
        &mut self,
        index: &TraceIndex,
        object: ObjectKey,
        parts: Range<u32>,
        before: u32,
    ) -> Result<(), Internal> {
        let writers = self.objects.entry(object).or_default();
        writers.take(parts.clone(), |_| ());
        match index.history(object)? {
            Some(history) => each_expected(history, parts, before, |parts, number| writers.write(parts, number)),
            None => Ok(()),
        }
    }

    /// Whether parts of an object hold what the trace has before the command with the number `before`.
    pub fn is_as_in_trace(
        &self,
        index: &TraceIndex,
        object: ObjectKey,
        parts: Range<u32>,
        before: u32,
    ) -> Result<bool, Internal> {
        let as_in_trace = self.as_in_trace(index, object, parts.clone(), before)?;
        Ok(as_in_trace.missing(u64::from(parts.start)..u64::from(parts.end)).next().is_none())
    }

    /// Those of `parts` that hold what the trace has before the command with the number `before`.
    pub(super) fn as_in_trace(
        &self,
        index: &TraceIndex,
        object: ObjectKey,
        parts: Range<u32>,
        before: u32,
    ) -> Result<Intervals, Internal> {
        let mut same = Intervals::default();
        // silent: the object is not held
        let Some(writers) = self.objects.get(&object) else { return Ok(same) };
        let mut written = Intervals::default();
        if let Some(history) = index.history(object)? {
            each_expected(history, parts.clone(), before, |parts, number| {
                written.insert(wide(&parts));
                let held = writers.stretches_in(parts).filter(|(.., writer)| *writer == number);
                held.for_each(|(start, end, _)| same.insert(wide(&(start..end))));
            })?;
        }
        // What nobody has written is as it was made.
        for unwritten in written.missing(wide(&parts)) {
            let unwritten = unwritten.start as u32..unwritten.end as u32;
            let mut held = Intervals::default();
            writers.stretches_in(unwritten.clone()).for_each(|(start, end, _)| held.insert(wide(&(start..end))));
            held.missing(wide(&unwritten)).for_each(|made| same.insert(made));
        }
        Ok(same)
    }

    /// Whether all of these parts hold what the trace has at some time, each at a time of its own.
    pub(super) fn is_of_trace(&self, object: ObjectKey, parts: Range<u32>) -> bool {
        let stretches = self.objects.get(&object).map(|writers| writers.stretches_in(parts));
        stretches.into_iter().flatten().all(|(.., writer)| writer != NOT_OF_TRACE)
    }

    /// The stretches of `parts` that hold what the command with this number has written.
    pub(super) fn written_by(&self, object: ObjectKey, parts: Range<u32>, number: u32) -> Vec<Range<u32>> {
        let stretches = self.objects.get(&object).map(|writers| writers.stretches_in(parts));
        let by = stretches.into_iter().flatten().filter(|(.., writer)| *writer == number);
        by.map(|(start, end, _)| start..end).collect()
    }
}

fn wide(parts: &Range<u32>) -> Range<u64> {
    u64::from(parts.start)..u64::from(parts.end)
}

fn each_expected(
    history: &PartHistory,
    parts: Range<u32>,
    before: u32,
    mut each: impl FnMut(Range<u32>, u32),
) -> Result<(), Internal> {
    let count = history.writes_before(before);
    history.writers_after(count, parts, |Written { parts, by }| each(parts, by.number()))
}
