//! Everything on a timeline in the order of its axis.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{FlowKind, InstantKind, RecordOffset, SpanIndex, StringId, Tick, Timeline, Timing, TrackId};

/// One thing on a timeline, whatever its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// First tick.
    pub begin: Tick,
    /// Tick after the last; equal to `begin` for what has no length.
    pub end: Tick,
    /// Its track; `None` for frames of the whole file and GPU times.
    pub track: Option<TrackId>,
    /// Its name; empty for frames and GPU times.
    pub name: StringId,
    /// Spans of its track around it.
    pub depth: u32,
    /// The record that its arguments come from.
    pub record: RecordOffset,
    /// What it is.
    pub kind: EventKind,
}

/// What an [`Event`] is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventKind {
    /// A frame, with its number.
    Frame(u64),
    /// A span; the index is missing for one that was never entered.
    Span(Option<SpanIndex>, Timing),
    /// An instant.
    Instant(InstantKind),
    /// A call of a file without a clock.
    Step,
    /// A counter's new value.
    Sample(f64),
    /// A point of a flow.
    Flow(FlowKind, u64),
    /// A GPU time in nanoseconds.
    Stamp(u64),
}

impl EventKind {
    /// Lower-case name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame(_) => "frame",
            Self::Span(..) => "span",
            Self::Instant(InstantKind::Event) => "instant",
            Self::Instant(InstantKind::Message) => "message",
            Self::Instant(InstantKind::Marker) => "marker",
            Self::Instant(InstantKind::Size) => "size",
            Self::Instant(InstantKind::Label) => "label",
            Self::Instant(InstantKind::Discontinuity) => "discontinuity",
            Self::Instant(InstantKind::Internal) => "internal",
            Self::Step => "call",
            Self::Sample(_) => "counter",
            Self::Flow(..) => "flow",
            Self::Stamp(_) => "gpu-time",
        }
    }
}

/// The lists that are merged. What begins at the same tick comes in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum List {
    Frames,
    Samples(TrackId),
    Unbegun(TrackId),
    Spans(TrackId),
    Instants(TrackId),
    Stamps,
    Flows,
    Steps(TrackId),
}

impl List {
    /// The track that it belongs to.
    pub(super) fn track(self) -> Option<TrackId> {
        match self {
            Self::Samples(id) | Self::Unbegun(id) | Self::Spans(id) | Self::Instants(id) | Self::Steps(id) => Some(id),
            Self::Frames | Self::Stamps | Self::Flows => None,
        }
    }
}

/// Iterator over the events of a timeline by begin.
#[derive(Debug)]
pub struct Events<'t> {
    timeline: &'t Timeline,
    /// Frames by begin (they are kept by end, and those of different zones overlap).
    frames: Vec<u32>,
    /// Points of flows by place (zones are read one after another).
    flows: Vec<u32>,
    next: BinaryHeap<Reverse<(Tick, List, usize)>>,
}

impl Timeline {
    /// All events by begin. Takes a few bytes per track, frame and point of a flow.
    pub fn events(&self) -> Events<'_> {
        let frames = in_order(self.frames.len(), |index| self.frames.get(index).map(|frame| frame.begin));
        let flows = in_order(self.flows.len(), |index| self.flows.get(index).map(|point| point.at));
        let mut events = Events { timeline: self, frames, flows, next: BinaryHeap::new() };
        let of_track =
            |(id, _)| [List::Samples(id), List::Unbegun(id), List::Spans(id), List::Instants(id), List::Steps(id)];
        let lists = [List::Frames, List::Stamps, List::Flows].into_iter();
        for list in lists.chain(self.tracks().flat_map(of_track)) {
            events.offer(list, 0);
        }
        events
    }
}

/// The indices of a list by where its entries lie.
fn in_order(count: usize, place: impl Fn(usize) -> Option<Tick>) -> Vec<u32> {
    let mut indices: Vec<u32> = (0..count as u32).collect();
    let place = |index: &u32| place(*index as usize);
    if !indices.is_sorted_by_key(place) {
        indices.sort_by_key(place);
    }
    indices
}

impl Events<'_> {
    /// The next event with the list that it comes from and its index there.
    pub(super) fn next_place(&mut self) -> Option<(List, usize, Event)> {
        let Reverse((_, list, index)) = self.next.pop()?;
        self.offer(list, index + 1);
        let own = match list {
            List::Frames => *self.frames.get(index)? as usize,
            List::Flows => *self.flows.get(index)? as usize,
            _ => index,
        };
        Some((list, own, self.get(list, index)?))
    }

    fn offer(&mut self, list: List, index: usize) {
        if let Some(event) = self.get(list, index) {
            self.next.push(Reverse((event.begin, list, index)));
        }
    }

    fn get(&self, list: List, index: usize) -> Option<Event> {
        let timeline = self.timeline;
        let none = Event {
            begin: Tick(0),
            end: Tick(0),
            track: None,
            name: StringId::EMPTY,
            depth: 0,
            record: RecordOffset::NONE,
            kind: EventKind::Step,
        };
        Some(match list {
            List::Frames => {
                let frame = timeline.frames.get(*self.frames.get(index)? as usize)?;
                let (begin, end, track, record) = (frame.begin, frame.end, frame.track, frame.record);
                Event { begin, end, track, record, kind: EventKind::Frame(frame.number), ..none }
            }
            List::Samples(id) => {
                let sample = timeline.track(id)?.samples.get(index)?;
                let name = timeline.track(id)?.name;
                let (at, kind) = (sample.at, EventKind::Sample(sample.value));
                Event { begin: at, end: at, track: Some(id), name, kind, ..none }
            }
            List::Unbegun(id) | List::Spans(id) => {
                let track = timeline.track(id)?;
                let is_unbegun = matches!(list, List::Unbegun(_));
                let span = if is_unbegun { track.without_begin.get(index)? } else { track.spans.get(index)? };
                let known = (!is_unbegun).then_some(SpanIndex(index as u32));
                Event {
                    begin: span.begin(),
                    end: span.end(),
                    track: Some(id),
                    name: span.name(),
                    depth: span.depth(),
                    record: span.record(),
                    kind: EventKind::Span(known, span.timing()),
                }
            }
            List::Instants(id) => {
                let instant = timeline.track(id)?.instants.get(index)?;
                let (at, kind) = (instant.at(), EventKind::Instant(instant.kind()));
                let (name, depth, record) = (instant.name(), instant.depth(), instant.record());
                Event { begin: at, end: at, track: Some(id), name, depth, record, kind }
            }
            List::Stamps => {
                let stamp = timeline.stamps.get(index)?;
                Event { begin: stamp.at, end: stamp.at, kind: EventKind::Stamp(stamp.nanos), ..none }
            }
            List::Flows => {
                let point = timeline.flows.get(*self.flows.get(index)? as usize)?;
                let (track, name, depth, record) = (Some(point.track), point.name, point.depth, point.record);
                let kind = EventKind::Flow(point.kind, point.flow);
                Event { begin: point.at, end: point.at, track, name, depth, record, kind }
            }
            List::Steps(id) => {
                let begin = Tick(index as u64);
                let (name, record) = timeline.track(id)?.steps.get(begin)?;
                let end = Tick(begin.0 + 1);
                Event { begin, end, track: Some(id), name, depth: 0, record, kind: EventKind::Step }
            }
        })
    }
}

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        self.next_place().map(|(_, _, event)| event)
    }
}
