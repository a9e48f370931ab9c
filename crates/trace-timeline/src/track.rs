//! Tracks: rows of a timeline.

use std::collections::BTreeMap;

use super::{Instant, RecordOffset, Sample, Span, SpanIndex, StringId, Tick};

/// A track of a [`super::Timeline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackId(pub u32);

impl TrackId {
    /// Position in [`super::Timeline::tracks`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a track holds, and so how it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    /// A heading for the tracks below it: a process, an OpenGL context.
    Group,
    /// Spans that nest: a thread or zone with its scopes, a debug-group stack.
    Stack,
    /// Spans that may overlap freely: time ranges, queries.
    Ranges,
    /// Spans that follow each other: marks that last until the next one.
    Marks,
    /// One event a tick, back to back: the calls of a file without a clock.
    Steps,
    /// Instants only.
    Instants,
    /// A number that changes; the unit is shown beside it.
    Counter {
        /// Plural of what is counted, e.g. `bytes`.
        unit: &'static str,
    },
}

/// Arguments that were added to a span after it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The span they belong to.
    pub span: SpanIndex,
    /// The record that holds them.
    pub record: RecordOffset,
}

/// One event per tick: event `k` fills `[k, k + 1)`. 8 bytes per step.
///
/// Offsets are kept as distances from the first of each block of steps; the few that don't fit 32 bits are kept aside.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    names: Vec<StringId>,
    bases: Vec<u64>,
    distances: Vec<u32>,
    far: BTreeMap<usize, u64>,
}

const BLOCK: usize = 1024;

impl Steps {
    /// Adds the event of the next tick.
    pub fn push(&mut self, name: StringId, record: RecordOffset) {
        let index = self.names.len();
        if index.is_multiple_of(BLOCK) {
            self.bases.push(record.0);
        }
        let base = self.bases.last().copied().unwrap_or(0);
        let distance = record.0.checked_sub(base).and_then(|distance| u32::try_from(distance).ok());
        if distance.is_none_or(|distance| distance == u32::MAX) {
            self.far.insert(index, record.0);
        }
        self.distances.push(distance.unwrap_or(u32::MAX));
        self.names.push(name);
    }

    /// Number of steps.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Name and record of the step at tick `at`.
    pub fn get(&self, at: Tick) -> Option<(StringId, RecordOffset)> {
        let index = usize::try_from(at.0).ok()?;
        let record = match *self.distances.get(index)? {
            u32::MAX => *self.far.get(&index)?,
            distance => self.bases.get(index / BLOCK)? + u64::from(distance),
        };
        Some((*self.names.get(index)?, RecordOffset(record)))
    }

    /// All steps in order: tick, name, record.
    pub fn iter(&self) -> impl Iterator<Item = (Tick, StringId, RecordOffset)> + '_ {
        (0..self.count() as u64).filter_map(|at| {
            let (name, record) = self.get(Tick(at))?;
            Some((Tick(at), name, record))
        })
    }

    pub(super) fn shrink(&mut self) {
        self.names.shrink_to_fit();
        self.distances.shrink_to_fit();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.names.capacity() * size_of::<StringId>()
            + self.distances.capacity() * size_of::<u32>()
            + self.bases.capacity() * size_of::<u64>()
    }
}

/// One row of a timeline. A track of any kind may hold instants beside what its kind says.
#[derive(Clone, Debug)]
pub struct Track {
    /// What it is called.
    pub name: StringId,
    /// What it holds.
    pub kind: TrackKind,
    /// The track it stands below.
    pub parent: Option<TrackId>,
    /// Further facts, as name and value (a zone's type and location, a context's handle).
    pub attributes: Vec<(StringId, StringId)>,
    /// Spans by begin; a parent stands before its children ([`TrackKind::Stack`]), so depths rise by one at most.
    pub spans: Vec<Span>,
    /// Spans left but never entered, by end: each encloses everything before its end, the ones before it included.
    pub without_begin: Vec<Span>,
    /// Instants by position.
    pub instants: Vec<Instant>,
    /// Samples by position.
    pub samples: Vec<Sample>,
    /// Steps by tick, from tick 0.
    pub steps: Steps,
    /// Arguments added to spans later, by record.
    pub appended: Vec<Appended>,
}

impl Track {
    pub(super) fn new(name: StringId, kind: TrackKind, parent: Option<TrackId>) -> Self {
        Self {
            name,
            kind,
            parent,
            attributes: Vec::new(),
            spans: Vec::new(),
            without_begin: Vec::new(),
            instants: Vec::new(),
            samples: Vec::new(),
            steps: Steps::default(),
            appended: Vec::new(),
        }
    }

    /// The span at `index`.
    pub fn span(&self, index: SpanIndex) -> Option<&Span> {
        self.spans.get(index.0 as usize)
    }

    /// Whether nothing lies on it.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
            && self.without_begin.is_empty()
            && self.instants.is_empty()
            && self.samples.is_empty()
            && self.steps.count() == 0
    }

    /// Appended arguments by span, for passing over the spans in order.
    pub fn appended_by_span(&self) -> AppendedBySpan {
        let mut sorted = self.appended.clone();
        sorted.sort_by_key(|appended| appended.span);
        AppendedBySpan { sorted, next: 0 }
    }

    pub(super) fn shrink(&mut self) {
        self.spans.shrink_to_fit();
        self.without_begin.shrink_to_fit();
        self.instants.shrink_to_fit();
        self.samples.shrink_to_fit();
        self.steps.shrink();
        self.appended.shrink_to_fit();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        (self.spans.capacity() + self.without_begin.capacity()) * size_of::<Span>()
            + self.instants.capacity() * size_of::<Instant>()
            + self.samples.capacity() * size_of::<Sample>()
            + self.appended.capacity() * size_of::<Appended>()
            + self.steps.memory_bytes()
    }
}

/// Appended arguments in the order of their spans, and of the file within one.
#[derive(Clone, Debug)]
pub struct AppendedBySpan {
    sorted: Vec<Appended>,
    next: usize,
}

impl AppendedBySpan {
    /// The records appended to `span`; asked for by rising span.
    pub fn of(&mut self, span: SpanIndex) -> impl Iterator<Item = RecordOffset> + '_ {
        let rest = self.sorted.get(self.next..).unwrap_or_default();
        let skip = rest.iter().take_while(|appended| appended.span < span).count();
        let rest = rest.get(skip..).unwrap_or_default();
        let count = rest.iter().take_while(|appended| appended.span == span).count();
        self.next += skip + count;
        rest.get(..count).unwrap_or_default().iter().map(|appended| appended.record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_keep_offsets_that_are_far_apart() {
        let offsets: Vec<u64> = (0..5000).map(|i| i * 7 + if i % 1000 == 999 { 1 << 40 } else { 0 }).collect();
        let mut steps = Steps::default();
        offsets.iter().for_each(|&offset| steps.push(StringId::EMPTY, RecordOffset(offset)));
        let back: Vec<u64> = steps.iter().map(|(_, _, record)| record.0).collect();
        assert_eq!(back, offsets);
        assert_eq!(steps.get(Tick(5000)), None);
    }
}
