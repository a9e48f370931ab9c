//! Events in file order → a [`Timeline`].

use std::collections::BTreeSet;

use super::health::count_oddities;
use super::{
    Appended, Axis, FlowPoint, Frame, Instant, InstantKind, Measurement, Oddity, RecordOffset, Sample, Span, SpanFlags,
    SpanIndex, Stamp, StringId, Strings, Tick, Timeline, Timing, Track, TrackId, TrackKind,
};

/// A span was closed on a track where none is open. The caller counts it or calls [`Builder::span_without_begin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unmatched;

/// Builds a [`Timeline`] from events in file order.
///
/// Each track has its own stack: [`Builder::open`] pushes, [`Builder::close`] pops, and what is still open in
/// [`Builder::finish`] becomes a span with an open end. A span's row is made when it opens, so the rows of a track lie by
/// begin with parents before children, and closing one costs no search. Ids of tracks that this builder did not make
/// are ignored: they can only come from a bug, and a bug must not end a tool that shows damaged files.
#[derive(Debug)]
pub struct Builder {
    timeline: Timeline,
    open: Vec<Vec<SpanIndex>>,
    /// Open spans outside the stacks.
    beside: BTreeSet<(TrackId, SpanIndex)>,
}

impl Builder {
    /// An empty timeline on `axis`.
    pub fn new(title: impl Into<String>, axis: Axis) -> Self {
        let timeline = Timeline::empty(title.into(), axis);
        Self { timeline, open: Vec::new(), beside: BTreeSet::new() }
    }

    /// The id of a string.
    pub fn intern(&mut self, string: &[u8]) -> StringId {
        self.timeline.strings.intern(string)
    }

    /// The strings interned so far.
    pub fn strings(&self) -> &Strings {
        &self.timeline.strings
    }

    /// Notes a fact about the file.
    pub fn metadata(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.timeline.metadata.push((name.into(), value.into()));
    }

    /// Makes a track. Tracks are shown in the order in which they are made.
    pub fn track(&mut self, name: StringId, kind: TrackKind, parent: Option<TrackId>) -> TrackId {
        let id = TrackId(self.timeline.tracks.len() as u32);
        self.timeline.tracks.push(Track::new(name, kind, parent));
        self.open.push(Vec::new());
        id
    }

    /// Adds a fact to a track.
    pub fn attribute(&mut self, track: TrackId, name: StringId, value: StringId) {
        if let Some(track) = self.timeline.tracks.get_mut(track.index()) {
            track.attributes.push((name, value));
        }
    }

    /// Number of spans open on `track`.
    pub fn depth(&self, track: TrackId) -> u32 {
        self.open.get(track.index()).map_or(0, |stack| stack.len() as u32)
    }

    /// The innermost open span of `track`.
    pub fn innermost(&self, track: TrackId) -> Option<SpanIndex> {
        self.open.get(track.index())?.last().copied()
    }

    /// Opens a span inside the spans open on `track`.
    pub fn open(&mut self, track: TrackId, at: Tick, name: StringId, record: RecordOffset, flags: SpanFlags) {
        let (Some(row), Some(stack)) = (self.timeline.tracks.get_mut(track.index()), self.open.get_mut(track.index()))
        else {
            return;
        };
        let index = SpanIndex(row.spans.len() as u32);
        row.spans.push(Span::new(at, at, name, stack.len() as u32, record, flags));
        stack.push(index);
    }

    /// Closes the innermost open span of `track` at `at` (the tick after its last).
    pub fn close(&mut self, track: TrackId, at: Tick) -> Result<SpanIndex, Unmatched> {
        let index = self.open.get_mut(track.index()).and_then(Vec::pop).ok_or(Unmatched)?;
        self.end_span(track, index, at, Timing::Closed);
        Ok(index)
    }

    /// Adds a span whose both ends are known, at `depth`. The rows of a track must be made by begin.
    pub fn span(&mut self, track: TrackId, span: Span) -> SpanIndex {
        let Some(row) = self.timeline.tracks.get_mut(track.index()) else {
            return SpanIndex(u32::MAX);
        };
        row.spans.push(span);
        SpanIndex(row.spans.len() as u32 - 1)
    }

    /// Opens a span that doesn't nest with the others of its track; [`Builder::end_span`] closes it.
    pub fn open_beside(
        &mut self,
        track: TrackId,
        at: Tick,
        name: StringId,
        record: RecordOffset,
        flags: SpanFlags,
    ) -> SpanIndex {
        let span = self.span(track, Span::new(at, at, name, 0, record, flags));
        self.beside.insert((track, span));
        span
    }

    /// Sets the end of a span made by [`Builder::open_beside`] or [`Builder::span`].
    pub fn end_span(&mut self, track: TrackId, span: SpanIndex, at: Tick, timing: Timing) {
        self.beside.remove(&(track, span));
        let row = self.timeline.tracks.get_mut(track.index());
        if let Some(span) = row.and_then(|row| row.spans.get_mut(span.0 as usize)) {
            *span = span.ending(at, timing);
        }
    }

    /// Adds a span that was left at `at` but never entered; the recording of its track starts at `from`.
    pub fn span_without_begin(&mut self, track: TrackId, from: Tick, at: Tick, name: StringId, record: RecordOffset) {
        if let Some(row) = self.timeline.tracks.get_mut(track.index()) {
            let span = Span::new(from, at, name, 0, record, SpanFlags::default());
            row.without_begin.push(span.ending(at, Timing::OpenStart));
        }
    }

    /// Adds arguments to the innermost open span; `false` if none is open.
    pub fn append(&mut self, track: TrackId, record: RecordOffset) -> bool {
        let (Some(span), Some(row)) = (self.innermost(track), self.timeline.tracks.get_mut(track.index())) else {
            return false;
        };
        row.appended.push(Appended { span, record });
        true
    }

    /// Adds an instant inside the spans open on `track`.
    pub fn instant(&mut self, track: TrackId, at: Tick, name: StringId, record: RecordOffset, kind: InstantKind) {
        let depth = self.depth(track);
        if let Some(row) = self.timeline.tracks.get_mut(track.index()) {
            row.instants.push(Instant::new(at, name, depth, record, kind));
        }
    }

    /// Sets a counter. A value equal to the one before takes no space: a sample holds until the next one.
    pub fn sample(&mut self, track: TrackId, at: Tick, value: f64) {
        if let Some(row) = self.timeline.tracks.get_mut(track.index())
            && row.samples.last().is_none_or(|last| last.value != value)
        {
            row.samples.push(Sample { at, value });
        }
    }

    /// Adds the event of the next tick to a [`TrackKind::Steps`] track.
    pub fn step(&mut self, track: TrackId, name: StringId, record: RecordOffset) {
        if let Some(row) = self.timeline.tracks.get_mut(track.index()) {
            row.steps.push(name, record);
        }
    }

    /// Adds a frame; frames come by end.
    pub fn frame(&mut self, frame: Frame) {
        self.timeline.frames.push(frame);
    }

    /// Adds a point of a flow.
    pub fn flow(&mut self, point: FlowPoint) {
        self.timeline.flows.push(point);
    }

    /// Notes the real time of a tick.
    pub fn stamp(&mut self, at: Tick, nanos: u64) {
        self.timeline.stamps.push(Stamp { at, nanos });
    }

    /// Notes a real time measured for a span.
    pub fn measurement(&mut self, measurement: Measurement) {
        self.timeline.measurements.push(measurement);
    }

    /// Notes that what is called `name` is a single thing of a kind.
    pub fn kind(&mut self, name: StringId, kind: StringId) {
        self.timeline.kinds.insert(name, kind);
    }

    /// Notes something odd that is no event.
    pub fn oddity(&mut self, oddity: Oddity, track: TrackId, at: Tick, record: RecordOffset) {
        self.oddities(oddity, track, (1, at, record));
    }

    /// The same of several: how many, and where the first is.
    pub fn oddities(&mut self, oddity: Oddity, track: TrackId, (count, at, record): (u64, Tick, RecordOffset)) {
        count_oddities(&mut self.timeline.oddities, (oddity, Some(track)), (count, (at, record)));
    }

    /// Ends the timeline at `end` (the tick after the last event): spans still open get an open end there.
    pub fn finish(mut self, end: Tick) -> Timeline {
        self.timeline.end = end;
        let (open, beside) = (std::mem::take(&mut self.open), std::mem::take(&mut self.beside));
        for (track, span) in beside {
            self.end_span(track, span, end, Timing::OpenEnd);
        }
        for (index, stack) in open.into_iter().enumerate() {
            for span in stack {
                self.end_span(TrackId(index as u32), span, end, Timing::OpenEnd);
            }
        }
        self.timeline.tracks.iter_mut().for_each(Track::shrink);
        self.timeline.frames.shrink();
        self.timeline.flows.shrink();
        self.timeline.stamps.sort_by_key(|stamp| stamp.at);
        self.timeline
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AxisUnit;

    #[test]
    fn spans_nest_and_what_stays_open_says_so() {
        let mut builder = Builder::new("t", Axis::without_clock(AxisUnit::Calls));
        let names = [b"a", b"b", b"c"].map(|name| builder.intern(name));
        let track = builder.track(StringId::EMPTY, TrackKind::Stack, None);
        let flags = SpanFlags::default();
        builder.open(track, Tick(1), names[0], RecordOffset(10), flags);
        builder.open(track, Tick(2), names[1], RecordOffset(20), flags);
        assert!(builder.append(track, RecordOffset(25)));
        assert_eq!(builder.close(track, Tick(3)), Ok(SpanIndex(1)));
        builder.instant(track, Tick(4), names[2], RecordOffset(30), InstantKind::Event);
        let other = builder.track(StringId::EMPTY, TrackKind::Stack, None);
        assert_eq!(builder.close(other, Tick(5)), Err(Unmatched));
        let timeline = builder.finish(Tick(9));
        let row = timeline.track(track).unwrap();
        let facts: Vec<_> = row.spans.iter().map(|s| (s.begin().0, s.end().0, s.depth(), s.timing())).collect();
        assert_eq!(facts, [(1, 9, 0, Timing::OpenEnd), (2, 3, 1, Timing::Closed)]);
        assert_eq!((row.instants[0].depth(), row.appended[0].span), (1, SpanIndex(1)));
        assert_eq!(timeline.event_count(), 3);
    }

    #[test]
    fn a_million_open_scopes_are_only_rows() {
        let mut builder = Builder::new("t", Axis::without_clock(AxisUnit::Microseconds));
        let track = builder.track(StringId::EMPTY, TrackKind::Stack, None);
        for at in 0..1_000_000 {
            builder.open(track, Tick(at), StringId::EMPTY, RecordOffset(at), SpanFlags::default());
        }
        let timeline = builder.finish(Tick(1_000_000));
        assert_eq!(timeline.tracks[0].spans.last().unwrap().depth(), 999_999);
    }
}
