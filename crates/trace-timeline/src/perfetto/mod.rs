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
mod frames;
mod tracks;

use std::io::Write;

use super::events::List;
use super::export::{Certainty, ExportError, Exported};
use super::protobuf::Message;
use super::span_notes::SpanNotes;
use super::{Argument, RecordOffset, StringId, Tick, TrackId, TrackKind};
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
            notes: SpanNotes::default(),
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
    notes: SpanNotes,
}

/// Track uuids: the sequence in the high 16 bits, then the process (0), tracks (1…), and tracks made for the viewer.
const LANE_TRACKS: u64 = 1 << 40;
const FRAME_TRACKS: u64 = 1 << 45;
const TIMES_TRACK: u64 = 1 << 46;

impl Sequence<'_, '_> {
    fn write(&mut self) -> Result<(), ExportError> {
        let timeline = self.exported.timeline;
        self.notes = SpanNotes::of(timeline);
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
