//! Perfetto protobuf traces.
//!
//! | timeline | packet |
//! |---|---|
//! | file | `TrackDescriptor` with a process; its axis, facts and alignment as annotations of an instant at the start |
//! | track | `TrackDescriptor` below the process or its parent track; a counter's has its unit |
//! | span, step | `TYPE_SLICE_BEGIN` and `TYPE_SLICE_END` in the order of nesting; without the end that is open |
//! | the same in a file without a clock | `TYPE_INSTANT` with the length in its own unit: nobody can add it up as time |
//! | overlapping span | the same, on the first free one of as many child tracks as overlap |
//! | instant, mark | `TYPE_INSTANT` |
//! | frame | a slice of a track *frames*, or an instant if nobody has measured it; which frame of the trace it is |
//! | what another file places | `placed`, as in Chrome's JSON |
//! | flow | `flow_ids` and `terminating_flow_ids` of an instant at the point |
//! | counter | `TYPE_COUNTER` |
//!
//! Names are interned once per trace; each timeline is a packet sequence of its own. Memory is the table of names
//! already sent and one packet.

mod annotation;
mod field;

use std::collections::BTreeMap;
use std::io::Write;

use super::events::List;
use super::export::{Certainty, ExportError, Exported, Lengths, MAX_ROWS, Rows, row_name};
use super::protobuf::Message;
use super::{
    Argument, FlowKind, Frame, RecordOffset, Span, SpanIndex, StringId, Tick, Timing, Track, TrackId, TrackKind,
};
use annotation::annotate;

const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

const STATE_CLEARED: u64 = 1;
const NEEDS_STATE: u64 = 2;

const BUFFER_BYTES: usize = 64 << 10;

/// Writes `timelines` as one Perfetto trace.
pub fn write_perfetto(timelines: &mut [Exported<'_>], out: &mut dyn Write) -> Result<(), ExportError> {
    // The viewer has no times before 0, so everything moves together if an alignment puts something there.
    let earliest = timelines.iter().map(|exported| exported.placement.nanos(Tick(0))).min().unwrap_or(0);
    let shift = earliest.min(0).saturating_neg();
    for (index, exported) in timelines.iter_mut().enumerate() {
        let mut sequence = Sequence {
            id: index as u64 + 1,
            shift,
            exported,
            out: &mut *out,
            buffer: Message::default(),
            packet: Message::default(),
            known_names: Vec::new(),
            is_first: true,
            arguments: Vec::new(),
            measured: BTreeMap::new(),
        };
        sequence.write()?;
    }
    Ok(())
}

/// What a packet says at a time on a track.
#[derive(Clone, Copy)]
struct Event<'r> {
    kind: u64,
    track: u64,
    at: Tick,
    /// Where it ends: [`Event::at`] if it does at once.
    until: Tick,
    name: Option<StringId>,
    record: RecordOffset,
    appended: &'r [RecordOffset],
}

struct Sequence<'s, 'e> {
    id: u64,
    shift: i64,
    exported: &'s mut Exported<'e>,
    out: &'s mut dyn Write,
    buffer: Message,
    packet: Message,
    /// Whether the name with this index was sent.
    known_names: Vec<bool>,
    is_first: bool,
    arguments: Vec<Argument>,
    measured: BTreeMap<(TrackId, SpanIndex), u64>,
}

/// Track uuids: the sequence in the high 16 bits, then the process (0), tracks (1…), and tracks made for the viewer.
const LANE_TRACKS: u64 = 1 << 40;
const FRAME_TRACKS: u64 = 1 << 45;
const TIMES_TRACK: u64 = 1 << 46;

impl Sequence<'_, '_> {
    fn write(&mut self) -> Result<(), ExportError> {
        let timeline = self.exported.timeline;
        self.measured = timeline.measurements.iter().map(|m| ((m.track, m.span), m.nanos)).collect();
        self.describe_process()?;
        let shown = self.exported.shown.tracks(timeline);
        for (id, track) in timeline.tracks().filter(|(id, _)| shown.contains(id)) {
            let parent = track.parent.map_or(self.uuid(0), |parent| self.track_uuid(parent));
            let unit = if let TrackKind::Counter { unit } = track.kind { Some(unit) } else { None };
            self.describe_track(self.track_uuid(id), parent, timeline.strings.bytes(track.name), unit)?;
            self.track(id, track)?;
        }
        self.frames()?;
        self.flows()?;
        self.stamps()?;
        self.flush()
    }

    fn shows(&self, list: List, index: usize) -> bool {
        self.exported.shown.has(list, index)
    }

    fn uuid(&self, local: u64) -> u64 {
        self.id << 48 ^ local
    }

    fn track_uuid(&self, id: TrackId) -> u64 {
        self.uuid(u64::from(id.0) + 1)
    }

    fn flush(&mut self) -> Result<(), ExportError> {
        self.out.write_all(self.buffer.bytes())?;
        self.buffer.clear();
        Ok(())
    }

    /// Ends the packet under construction and adds it to the trace.
    fn send(&mut self) -> Result<(), ExportError> {
        self.packet.uint(field::PACKET_SEQUENCE, self.id);
        let flags = if self.is_first { STATE_CLEARED | NEEDS_STATE } else { NEEDS_STATE };
        self.packet.uint(field::PACKET_FLAGS, flags);
        self.is_first = false;
        self.buffer.slice(field::PACKET, self.packet.bytes());
        self.packet.clear();
        if self.buffer.bytes().len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    fn describe_process(&mut self) -> Result<(), ExportError> {
        let (id, uuid) = (self.id, self.uuid(0));
        let name = format!("{} ({})", self.exported.timeline.title, self.exported.placement.unit());
        self.packet.message(field::PACKET_DESCRIPTOR, |track| {
            track.uint(field::TRACK_UUID, uuid);
            track.message(field::TRACK_PROCESS, |process| {
                process.uint(field::PROCESS_PID, id);
                process.string(field::PROCESS_NAME, name.as_bytes());
            });
        });
        self.send()?;
        self.facts()
    }

    fn facts(&mut self) -> Result<(), ExportError> {
        let timeline = self.exported.timeline;
        let axis = ("axis".to_owned(), self.exported.placement.unit().to_owned());
        let origin = timeline.axis.origin_unix_ms.map(|ms| ("origin_unix_ms".to_owned(), ms.to_string()));
        let alignment = self.exported.placement.alignment();
        let alignment = alignment.map(|alignment| ("alignment".to_owned(), alignment.to_json_text()));
        let uuid = self.uuid(0);
        self.timestamp(Tick(0));
        self.packet.message(field::PACKET_EVENT, |event| {
            event.uint(field::EVENT_TYPE, INSTANT);
            event.uint(field::EVENT_TRACK, uuid);
            event.string(field::EVENT_NAME, b"about this file");
            for (name, value) in timeline.metadata.iter().chain([&axis]).chain(&origin).chain(&alignment) {
                event.message(field::EVENT_ANNOTATIONS, |note| {
                    note.string(field::NOTE_NAME, name.as_bytes());
                    note.string(field::NOTE_STRING, value.as_bytes());
                });
            }
        });
        self.send()
    }

    fn describe_track(
        &mut self,
        uuid: u64,
        parent: u64,
        name: &[u8],
        unit: Option<&'static str>,
    ) -> Result<(), ExportError> {
        self.packet.message(field::PACKET_DESCRIPTOR, |track| {
            track.uint(field::TRACK_UUID, uuid);
            track.uint(field::TRACK_PARENT, parent);
            track.string(field::TRACK_NAME, name);
            if let Some(unit) = unit {
                track.message(field::TRACK_COUNTER, |counter| {
                    counter.string(field::COUNTER_UNIT_NAME, unit.as_bytes());
                });
            }
        });
        self.send()
    }

    fn timestamp(&mut self, at: Tick) {
        let nanos = self.exported.placement.nanos(at).saturating_add(self.shift);
        self.packet.uint(field::PACKET_TIMESTAMP, nanos.max(0) as u64);
    }

    /// Adds the text of `name` to the packet unless it was sent before.
    fn intern(&mut self, name: StringId) {
        if self.known_names.len() <= name.index() {
            self.known_names.resize(name.index() + 1, false);
        }
        let Some(is_known) = self.known_names.get_mut(name.index()) else { return };
        if !std::mem::replace(is_known, true) {
            let text = self.exported.timeline.strings.bytes(name);
            self.packet.message(field::PACKET_INTERNED, |interned| {
                interned.message(field::INTERNED_EVENT_NAMES, |entry| {
                    entry.uint(1, name.index() as u64 + 1);
                    entry.string(2, text);
                });
            });
        }
    }

    fn event(&mut self, event: Event<'_>, more: impl FnOnce(&mut Message)) -> Result<(), ExportError> {
        let mut arguments = std::mem::take(&mut self.arguments);
        self.exported.arguments.arguments(event.record, &mut arguments)?;
        for record in event.appended {
            let mut appended = Vec::new();
            self.exported.arguments.arguments(*record, &mut appended)?;
            arguments.append(&mut appended);
        }
        self.timestamp(event.at);
        if let Some(name) = event.name {
            self.intern(name);
        }
        let is_told = matches!(event.kind, SLICE_BEGIN | INSTANT) && event.name.is_some();
        let is_extrapolated = is_told && self.exported.placement.is_extrapolated(event.at, event.until);
        self.packet.message(field::PACKET_EVENT, |packet| {
            packet.uint(field::EVENT_TYPE, event.kind);
            packet.uint(field::EVENT_TRACK, event.track);
            if is_extrapolated {
                note_placed(packet, Certainty::Extrapolated);
            }
            if let Some(name) = event.name {
                packet.uint(field::EVENT_NAME_IID, name.index() as u64 + 1);
            }
            for argument in &arguments {
                packet.message(field::EVENT_ANNOTATIONS, |note| {
                    note.string(field::NOTE_NAME, argument.name.as_bytes());
                    annotate(note, &argument.value);
                });
            }
            more(packet);
        });
        self.arguments = arguments;
        self.send()
    }

    fn end(&mut self, track: u64, at: Tick) -> Result<(), ExportError> {
        let (record, appended) = (RecordOffset::NONE, [].as_slice());
        self.event(Event { kind: SLICE_END, track, at, until: at, name: None, record, appended }, |_| {})
    }

    fn track(&mut self, id: TrackId, track: &Track) -> Result<(), ExportError> {
        let uuid = self.track_uuid(id);
        match track.kind {
            TrackKind::Ranges => self.overlapping(id, track)?,
            _ => self.nested(id, track)?,
        }
        for (index, instant) in track.instants.iter().enumerate() {
            if !self.shows(List::Instants(id), index) {
                continue;
            }
            let (at, name, record) = (instant.at(), Some(instant.name()), instant.record());
            self.event(Event { kind: INSTANT, track: uuid, at, until: at, name, record, appended: &[] }, |event| {
                event.string(field::EVENT_CATEGORY, instant.kind().name().as_bytes());
            })?;
        }
        for (at, name, record) in track.steps.iter() {
            if !self.shows(List::Steps(id), at.0 as usize) {
                continue;
            }
            let (next, kind) = (Tick(at.0 + 1), if self.has_lengths() { SLICE_BEGIN } else { INSTANT });
            let length = self.length((at, next));
            let event = Event { kind, track: uuid, at, until: next, name: Some(name), record, appended: &[] };
            self.event(event, |event| note_length(event, length))?;
            if self.has_lengths() {
                self.end(uuid, next)?;
            }
        }
        for (index, sample) in track.samples.iter().enumerate() {
            if !self.shows(List::Samples(id), index) {
                continue;
            }
            let (record, appended) = (RecordOffset::NONE, [].as_slice());
            let event =
                Event { kind: COUNTER, track: uuid, at: sample.at, until: sample.at, name: None, record, appended };
            self.event(event, |event| event.double(field::EVENT_DOUBLE_COUNTER, sample.value))?;
        }
        Ok(())
    }

    /// Writes spans that nest: each one's end comes before the next begin that lies outside of it.
    fn nested(&mut self, id: TrackId, track: &Track) -> Result<(), ExportError> {
        let uuid = self.track_uuid(id);
        if !self.has_lengths() {
            return self.in_order(id, track);
        }
        // Spans left but never entered enclose everything up to their end; the last to end is the outermost.
        let mut outer: Vec<Tick> = Vec::new();
        for (index, span) in track.without_begin.iter().enumerate().rev() {
            if self.shows(List::Unbegun(id), index) {
                self.begin(uuid, id, None, span, &[])?;
                outer.push(span.end());
            }
        }
        // The spans around the current place; without an end those that have none to write.
        let mut open: Vec<Option<Tick>> = Vec::new();
        let mut appended = track.appended_by_span();
        let mut records = Vec::new();
        for (index, span) in track.spans.iter().enumerate() {
            let is_shown = self.shows(List::Spans(id), index);
            let index = SpanIndex(index as u32);
            self.end_down_to(uuid, &mut open, span.depth() as usize)?;
            while let Some(end) = outer.pop_if(|end| open.is_empty() && *end <= span.begin()) {
                self.end(uuid, end)?;
            }
            open.push((is_shown && span.timing() != Timing::OpenEnd).then_some(span.end()));
            if is_shown {
                records.clear();
                records.extend(appended.of(index));
                self.begin(uuid, id, Some(index), span, &records)?;
            }
        }
        self.end_down_to(uuid, &mut open, 0)?;
        while let Some(end) = outer.pop() {
            self.end(uuid, end)?;
        }
        Ok(())
    }

    /// Writes spans that have their place in an order alone.
    fn in_order(&mut self, id: TrackId, track: &Track) -> Result<(), ExportError> {
        let uuid = self.track_uuid(id);
        for (index, span) in track.without_begin.iter().enumerate() {
            if self.shows(List::Unbegun(id), index) {
                self.begin(uuid, id, None, span, &[])?;
            }
        }
        let mut appended = track.appended_by_span();
        let mut records = Vec::new();
        for (index, span) in track.spans.iter().enumerate() {
            if self.shows(List::Spans(id), index) {
                let index = SpanIndex(index as u32);
                records.clear();
                records.extend(appended.of(index));
                self.begin(uuid, id, Some(index), span, &records)?;
            }
        }
        Ok(())
    }

    /// Whether the file's own ticks are time.
    fn has_lengths(&self) -> bool {
        self.exported.placement.lengths() == Lengths::Measured
    }

    /// How long something is in ticks that are no time: with the unit.
    fn length(&self, (begin, end): (Tick, Tick)) -> Option<(&'static str, u64)> {
        (!self.has_lengths()).then(|| (self.exported.placement.tick(), end.0.saturating_sub(begin.0)))
    }

    fn end_down_to(&mut self, uuid: u64, open: &mut Vec<Option<Tick>>, depth: usize) -> Result<(), ExportError> {
        for end in open.drain(depth.min(open.len())..).rev().flatten() {
            self.end(uuid, end)?;
        }
        Ok(())
    }

    fn begin(
        &mut self,
        uuid: u64,
        id: TrackId,
        index: Option<SpanIndex>,
        span: &Span,
        appended: &[RecordOffset],
    ) -> Result<(), ExportError> {
        let measured = index.and_then(|index| self.measured.get(&(id, index)).copied());
        let (at, name, record) = (span.begin(), Some(span.name()), span.record());
        let timing = span.timing();
        let length = self.length((span.begin(), span.end())).filter(|_| timing != Timing::OpenEnd);
        let kind = if self.has_lengths() { SLICE_BEGIN } else { INSTANT };
        let until = span.end();
        self.event(Event { kind, track: uuid, at, until, name, record, appended }, |event| {
            note_length(event, length);
            if let Some(nanos) = measured {
                event.message(field::EVENT_ANNOTATIONS, |note| {
                    note.string(field::NOTE_NAME, b"measured_ns");
                    note.uint(field::NOTE_UINT, nanos);
                });
            }
            if timing == Timing::OpenStart {
                event.message(field::EVENT_ANNOTATIONS, |note| {
                    note.string(field::NOTE_NAME, b"open");
                    note.string(field::NOTE_STRING, b"start");
                });
            }
        })
    }

    /// Writes spans that may overlap, each on the first child track that is free.
    fn overlapping(&mut self, id: TrackId, track: &Track) -> Result<(), ExportError> {
        if !self.has_lengths() {
            return self.in_order(id, track);
        }
        let mut lanes: Vec<Tick> = Vec::new();
        let mut appended = track.appended_by_span();
        let mut records = Vec::new();
        for (index, span) in track.spans.iter().enumerate() {
            if !self.shows(List::Spans(id), index) {
                continue;
            }
            let index = SpanIndex(index as u32);
            let free = lanes.iter().take(MAX_LANES).position(|until| *until <= span.begin());
            let lane = free.unwrap_or(lanes.len().min(MAX_LANES));
            let uuid = self.uuid(LANE_TRACKS + u64::from(id.0) * (MAX_LANES as u64 + 1) + lane as u64);
            if lane == lanes.len() {
                lanes.push(Tick(0));
                let name = format!("{} {}", self.exported.timeline.text(track.name), lane + 1);
                self.describe_track(uuid, self.track_uuid(id), name.as_bytes(), None)?;
            }
            let is_open = span.timing() == Timing::OpenEnd;
            if let Some(until) = lanes.get_mut(lane) {
                *until = if is_open { Tick(u64::MAX) } else { span.end().max(Tick(span.begin().0 + 1)) };
            }
            records.clear();
            records.extend(appended.of(index));
            self.begin(uuid, id, Some(index), span, &records)?;
            if !is_open {
                self.end(uuid, span.end())?;
            }
        }
        Ok(())
    }

    fn frames(&mut self) -> Result<(), ExportError> {
        let timeline = self.exported.timeline;
        let (mut rows, mut known) = (Rows::default(), std::collections::BTreeSet::new());
        for (index, frame) in timeline.frames.iter().enumerate() {
            if !self.shows(List::Frames, index) {
                continue;
            }
            let Frame { begin, end, number, ended_by, drawable, track, .. } = frame;
            let owner = track.map_or(0, |track| u64::from(track.0) + 1);
            let row = rows.take(owner, begin, end);
            let uuid = self.uuid(FRAME_TRACKS + owner * MAX_ROWS as u64 + row as u64);
            if known.insert(uuid) {
                let parent = track.map_or(self.uuid(0), |track| self.track_uuid(track));
                let name = match row {
                    0 => "frames".to_owned(),
                    row => format!("frames, {}", row_name(row)),
                };
                self.describe_track(uuid, parent, name.as_bytes(), None)?;
            }
            let (record, appended) = (RecordOffset::NONE, [].as_slice());
            let placement = self.exported.placement;
            let (has_length, length) = (placement.has_frame_length(begin, end), self.length((begin, end)));
            let kind = if has_length { SLICE_BEGIN } else { INSTANT };
            let event = Event { kind, track: uuid, at: begin, until: end, name: None, record, appended };
            self.event(event, |event| {
                event.string(field::EVENT_NAME, format!("frame {number}").as_bytes());
                note_length(event, length);
                if let Some(certainty) = placement.certainty(begin, end) {
                    note_placed(event, certainty);
                }
                if let Some(other) = placement.other_frame(begin, end) {
                    event.message(field::EVENT_ANNOTATIONS, |note| {
                        note.string(field::NOTE_NAME, b"frame of the trace");
                        note.uint(field::NOTE_UINT, other);
                    });
                }
                if let Some(name) = ended_by {
                    event.message(field::EVENT_ANNOTATIONS, |note| {
                        note.string(field::NOTE_NAME, b"ended_by");
                        note.string(field::NOTE_STRING, timeline.strings.bytes(name));
                    });
                }
                if let Some(drawable) = drawable {
                    event.message(field::EVENT_ANNOTATIONS, |note| {
                        note.string(field::NOTE_NAME, b"drawable");
                        note.uint(field::NOTE_POINTER, drawable);
                    });
                }
            })?;
            if has_length {
                self.end(uuid, end)?;
            }
        }
        Ok(())
    }

    fn flows(&mut self) -> Result<(), ExportError> {
        for (index, point) in self.exported.timeline.flows.iter().enumerate() {
            if !self.shows(List::Flows, index) {
                continue;
            }
            let track = self.track_uuid(point.track);
            let (at, name, record) = (point.at, Some(point.name), point.record);
            let event = Event { kind: INSTANT, track, at, until: at, name, record, appended: &[] };
            let (own, parent) = (self.uuid(point.flow), self.uuid(point.parent));
            let (kind, has_parent) = (point.kind, point.parent != 0);
            self.event(event, |event| {
                if kind == FlowKind::Terminate {
                    event.fixed64(field::EVENT_ENDING_FLOWS, own);
                } else {
                    event.fixed64(field::EVENT_FLOWS, own);
                }
                if kind == FlowKind::Branch && has_parent {
                    event.fixed64(field::EVENT_FLOWS, parent);
                }
            })?;
        }
        Ok(())
    }

    fn stamps(&mut self) -> Result<(), ExportError> {
        let uuid = self.uuid(TIMES_TRACK);
        let timeline = self.exported.timeline;
        let mut is_described = false;
        for (index, stamp) in timeline.stamps.iter().enumerate() {
            if !self.shows(List::Stamps, index) {
                continue;
            }
            if !std::mem::replace(&mut is_described, true) {
                self.describe_track(uuid, self.uuid(0), b"GPU times", None)?;
            }
            let (record, appended) = (RecordOffset::NONE, [].as_slice());
            let event =
                Event { kind: INSTANT, track: uuid, at: stamp.at, until: stamp.at, name: None, record, appended };
            self.event(event, |event| {
                event.string(field::EVENT_NAME, b"GPU time");
                event.message(field::EVENT_ANNOTATIONS, |note| {
                    note.string(field::NOTE_NAME, b"ns");
                    note.uint(field::NOTE_UINT, stamp.nanos);
                });
            })?;
        }
        Ok(())
    }
}

/// Says how certain it is where something lies.
fn note_placed(event: &mut Message, certainty: Certainty) {
    event.message(field::EVENT_ANNOTATIONS, |note| {
        note.string(field::NOTE_NAME, b"placed");
        note.string(field::NOTE_STRING, certainty.name().as_bytes());
    });
}

/// Says how long something is in ticks that are no time.
fn note_length(event: &mut Message, length: Option<(&'static str, u64)>) {
    if let Some((unit, length)) = length {
        event.message(field::EVENT_ANNOTATIONS, |note| {
            note.string(field::NOTE_NAME, format!("length ({unit})").as_bytes());
            note.uint(field::NOTE_UINT, length);
        });
    }
}

/// Child tracks for overlapping spans. More overlaps than a viewer can show share the last one.
const MAX_LANES: usize = 63;
