//! The finished timeline.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::health::OddityCounts;
use super::{Axis, Flows, Frames, SpanIndex, Stamp, StringId, Strings, Tick, Track, TrackId};

/// A real time that the program measured for one span, e.g. by a GPU query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// The track of the span.
    pub track: TrackId,
    /// The span.
    pub span: SpanIndex,
    /// What was measured.
    pub nanos: u64,
}

/// Everything that one file says, on one axis. Made by a [`super::Builder`].
#[derive(Clone, Debug)]
pub struct Timeline {
    /// What the program or file calls itself, for the heading.
    pub title: String,
    /// The meaning of ticks.
    pub axis: Axis,
    /// Tick after the last event.
    pub end: Tick,
    /// Every name.
    pub strings: Strings,
    /// The rows, parents before their children.
    pub tracks: Vec<Track>,
    /// Frames by end.
    pub frames: Frames,
    /// Flow points by position in the file.
    pub flows: Flows,
    /// Real times known for ticks, by tick; empty where the axis is time itself.
    pub stamps: Vec<Stamp>,
    /// Real times known for spans.
    pub measurements: Vec<Measurement>,
    /// Facts about the file, as name and value, in the order of the file.
    pub metadata: Vec<(String, String)>,
    /// Names of single things (`BufferData 108`), and what these are (`BufferData`): figures are of those.
    pub kinds: BTreeMap<StringId, StringId>,
    /// What is odd and has no event of its own.
    pub(super) oddities: OddityCounts,
}

impl Timeline {
    /// Nothing yet, on `axis`.
    pub(super) fn empty(title: String, axis: Axis) -> Self {
        Self {
            title,
            axis,
            end: Tick(0),
            strings: Strings::default(),
            tracks: Vec::new(),
            frames: Frames::default(),
            flows: Flows::default(),
            stamps: Vec::new(),
            measurements: Vec::new(),
            metadata: Vec::new(),
            kinds: BTreeMap::new(),
            oddities: OddityCounts::new(),
        }
    }

    /// Takes everything out; an empty timeline of the same axis stays.
    pub fn take(&mut self) -> Self {
        let empty = Self::empty(self.title.clone(), self.axis);
        std::mem::replace(self, empty)
    }

    /// The track `id`.
    pub fn track(&self, id: TrackId) -> Option<&Track> {
        self.tracks.get(id.index())
    }

    /// Every track with its id.
    pub fn tracks(&self) -> impl Iterator<Item = (TrackId, &Track)> {
        self.tracks.iter().enumerate().map(|(index, track)| (TrackId(index as u32), track))
    }

    /// The text of an interned string.
    pub fn text(&self, id: StringId) -> Cow<'_, str> {
        self.strings.text(id)
    }

    /// The name under which figures count what is called `name`.
    pub fn kind_of(&self, name: StringId) -> StringId {
        self.kinds.get(&name).copied().unwrap_or(name)
    }

    /// Number of spans, instants, steps and samples.
    pub fn event_count(&self) -> usize {
        let count =
            |t: &Track| t.spans.len() + t.without_begin.len() + t.instants.len() + t.samples.len() + t.steps.count();
        self.tracks.iter().map(count).sum()
    }

    /// Memory held by events, in bytes (names and headings come on top).
    pub fn event_memory_bytes(&self) -> usize {
        self.tracks.iter().map(Track::memory_bytes).sum::<usize>()
            + self.frames.memory_bytes()
            + self.flows.memory_bytes()
    }
}
