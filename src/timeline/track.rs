//! Tracks: rows of a timeline.

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

/// One event a tick: event `k` fills `[first + k, first + k + 1)`. 12 bytes a step.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    names: Vec<StringId>,
    records: Vec<u64>,
}

impl Steps {
    /// Adds the event of the next tick.
    pub fn push(&mut self, name: StringId, record: RecordOffset) {
        self.names.push(name);
        self.records.push(record.0);
    }

    /// Number of steps.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Name and record of the step at tick `at`.
    pub fn get(&self, at: Tick) -> Option<(StringId, RecordOffset)> {
        let index = usize::try_from(at.0).ok()?;
        Some((*self.names.get(index)?, RecordOffset(*self.records.get(index)?)))
    }

    /// All steps in order: tick, name, record.
    pub fn iter(&self) -> impl Iterator<Item = (Tick, StringId, RecordOffset)> + '_ {
        let both = self.names.iter().zip(&self.records);
        both.enumerate().map(|(tick, (&name, &record))| (Tick(tick as u64), name, RecordOffset(record)))
    }

    pub(super) fn shrink(&mut self) {
        self.names.shrink_to_fit();
        self.records.shrink_to_fit();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.names.capacity() * size_of::<StringId>() + self.records.capacity() * size_of::<u64>()
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
