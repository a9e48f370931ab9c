//! Chrome trace JSON, for `chrome://tracing`, Perfetto and speedscope.
//!
//! | timeline | event |
//! |---|---|
//! | file | process (`M` process_name), its axis, facts and alignment in `otherData` |
//! | track | thread (`M` thread_name, thread_sort_index), attributes in its arguments |
//! | span that nests, step | `X`; with an open end `B` without `E` |
//! | span that may overlap, mark | `b` and `e`, asynchronous |
//! | all of these in a file without a clock | `i` with the length in its own unit: nobody can add it up as time |
//! | instant | `i`; marks and messages for the process, discontinuities for all |
//! | frame | `X` on a thread *frames*, or `i` if nobody has measured it; which frame of the trace it is, if it is one |
//! | what another file places | `placed`: `exact` or `interpolated` for frames, `extrapolated` for all beyond what both files have |
//! | flow | `s`, `t`, `f` bound to the enclosing slice (a slice without length where there is none) |
//! | counter | `C` |
//! | GPU time | `i` on a thread *GPU times*; measured spans have `measured_ns` |
//!
//! Written while it is made: memory is one buffer.

mod writer;

use std::io::Write;

use super::events::List;
use super::export::{ExportError, Exported, Lengths, Rows, row_name};
use super::span_notes::SpanNotes;
use super::{
    FlowKind, FlowPoint, Instant, InstantKind, RecordOffset, Span, SpanFlags, SpanIndex, Tick, Timing, Track, TrackId,
    TrackKind,
};
use trace_base::listing::json_text::{push_members, push_number, push_string};
use writer::Writer;

/// Threads past the tracks: frames, by the track that they belong to, and GPU times.
const FRAMES_TID: u64 = 1_000_000;
const TIMES_TID: u64 = 3_000_000;
/// From the threads of one row of frames to those of the next.
const ROW_TIDS: u64 = 10_000_000;

/// Writes `timelines` as one Chrome trace: a JSON object with `traceEvents`.
pub fn write_chrome(timelines: &mut [Exported<'_>], out: &mut dyn Write) -> Result<(), ExportError> {
    let mut writer = Writer { out, buffer: Vec::new(), is_first: true, arguments: Vec::new() };
    writer.buffer.extend_from_slice(b"{\"traceEvents\":[");
    for (index, exported) in timelines.iter_mut().enumerate() {
        Process { pid: index as u64 + 1, exported, notes: SpanNotes::default() }.write(&mut writer)?;
    }
    writer.buffer.extend_from_slice(b"\n],\"displayTimeUnit\":\"ns\",\"otherData\":{");
    for (index, exported) in timelines.iter().enumerate() {
        writer.other_data(index, exported);
    }
    writer.buffer.extend_from_slice(b"}}\n");
    writer.flush()
}

struct Process<'p, 'e> {
    pid: u64,
    exported: &'p mut Exported<'e>,
    notes: SpanNotes,
}

impl Process<'_, '_> {
    fn write(mut self, writer: &mut Writer<'_>) -> Result<(), ExportError> {
        let timeline = self.exported.timeline;
        self.notes = SpanNotes::of(timeline);
        let shown = self.exported.shown.tracks(timeline);
        self.name_process(writer)?;
        for (id, track) in timeline.tracks() {
            if track.kind != TrackKind::Group && !track.is_empty() && shown.contains(&id) {
                self.name_thread(writer, id, track)?;
                self.track(writer, id, track)?;
            }
        }
        self.frames(writer)?;
        for (index, point) in timeline.flows.iter().enumerate() {
            if self.shows(List::Flows, index) {
                self.flow(writer, &point)?;
            }
        }
        self.stamps(writer)
    }

    fn shows(&self, list: List, index: usize) -> bool {
        self.exported.shown.has(list, index)
    }

    fn nanos(&self, at: Tick) -> i64 {
        self.exported.placement.nanos(at)
    }

    fn name_process(&self, writer: &mut Writer<'_>) -> Result<(), ExportError> {
        writer.begin('M', self.pid, 0, b"process_name")?;
        writer.text(",\"args\":{\"name\":");
        let (title, unit) = (&self.exported.timeline.title, self.exported.placement.unit());
        push_string(&mut writer.buffer, format!("{title} ({unit})").as_bytes());
        writer.text("}}");
        Ok(())
    }

    fn name_thread(&self, writer: &mut Writer<'_>, id: TrackId, track: &Track) -> Result<(), ExportError> {
        let timeline = self.exported.timeline;
        let own = timeline.text(track.name);
        let name = match track.parent.and_then(|parent| timeline.track(parent)) {
            Some(parent) => format!("{} / {own}", timeline.text(parent.name)),
            None => own.into_owned(),
        };
        let facts: Vec<(&[u8], &[u8])> = track
            .attributes
            .iter()
            .map(|(name, value)| (timeline.strings.bytes(*name), timeline.strings.bytes(*value)))
            .collect();
        self.thread(writer, tid(id), &name, u64::from(id.0) + 1, &facts)
    }

    fn thread(
        &self,
        writer: &mut Writer<'_>,
        tid: u64,
        name: &str,
        rank: u64,
        facts: &[(&[u8], &[u8])],
    ) -> Result<(), ExportError> {
        writer.begin('M', self.pid, tid, b"thread_name")?;
        writer.text(",\"args\":{\"name\":");
        push_string(&mut writer.buffer, name.as_bytes());
        for (name, value) in facts {
            writer.buffer.push(b',');
            push_string(&mut writer.buffer, name);
            writer.buffer.push(b':');
            push_string(&mut writer.buffer, value);
        }
        writer.text("}}");
        writer.begin('M', self.pid, tid, b"thread_sort_index")?;
        writer.text(&format!(",\"args\":{{\"sort_index\":{rank}}}}}"));
        Ok(())
    }

    fn track(&mut self, writer: &mut Writer<'_>, id: TrackId, track: &Track) -> Result<(), ExportError> {
        let mut appended = track.appended_by_span();
        let mut records = Vec::new();
        for (index, span) in track.without_begin.iter().enumerate() {
            if self.shows(List::Unbegun(id), index) {
                self.span(writer, id, None, span, &[])?;
            }
        }
        for (index, span) in track.spans.iter().enumerate() {
            if !self.shows(List::Spans(id), index) {
                continue;
            }
            let index = SpanIndex(index as u32);
            records.clear();
            records.extend(appended.of(index));
            if matches!(track.kind, TrackKind::Ranges | TrackKind::Marks) {
                self.range(writer, id, track, index, span, &records)?;
            } else {
                self.span(writer, id, Some(index), span, &records)?;
            }
        }
        for (index, instant) in track.instants.iter().enumerate() {
            if self.shows(List::Instants(id), index) {
                self.instant(writer, id, instant)?;
            }
        }
        for (at, name, record) in track.steps.iter() {
            if !self.shows(List::Steps(id), at.0 as usize) {
                continue;
            }
            let next = Tick(at.0 + 1);
            let length = match self.has_lengths() {
                true => {
                    self.slice(writer, tid(id), name, self.nanos(at), self.nanos(next))?;
                    None
                }
                false => {
                    self.place_in_order(writer, tid(id), name, at)?;
                    Some(1)
                }
            };
            writer.text(",\"args\":{");
            let before = self.length(writer, length) + self.note_extrapolated(writer, (at, next), length.is_some());
            self.members(writer, record, &[], before)?;
        }
        for (index, sample) in track.samples.iter().enumerate() {
            if self.shows(List::Samples(id), index) {
                self.sample(writer, id, track, sample.at, sample.value)?;
            }
        }
        Ok(())
    }

    /// Begins an `X` event over `begin..end`; its arguments come next.
    fn slice(
        &self,
        writer: &mut Writer<'_>,
        tid: u64,
        name: super::StringId,
        begin: i64,
        end: i64,
    ) -> Result<(), ExportError> {
        writer.begin('X', self.pid, tid, self.exported.timeline.strings.bytes(name))?;
        writer.micros(",\"ts\":", begin);
        writer.micros(",\"dur\":", end - begin);
        Ok(())
    }

    /// Whether the file's own ticks are time.
    fn has_lengths(&self) -> bool {
        self.exported.placement.lengths() == Lengths::Measured
    }

    /// Begins an `i` event for something that has its place in an order alone; its arguments come next.
    fn place_in_order(
        &self,
        writer: &mut Writer<'_>,
        tid: u64,
        name: super::StringId,
        at: Tick,
    ) -> Result<(), ExportError> {
        writer.begin('i', self.pid, tid, self.exported.timeline.strings.bytes(name))?;
        writer.micros(",\"s\":\"t\",\"ts\":", self.nanos(at));
        Ok(())
    }

    /// Adds how many ticks long something is, as the first argument; gives the number of arguments.
    fn length(&self, writer: &mut Writer<'_>, ticks: Option<u64>) -> usize {
        let Some(ticks) = ticks else { return 0 };
        writer.text(&format!("\"length ({})\":{ticks}", self.exported.placement.tick()));
        1
    }

    fn span(
        &mut self,
        writer: &mut Writer<'_>,
        id: TrackId,
        index: Option<SpanIndex>,
        span: &Span,
        appended: &[RecordOffset],
    ) -> Result<(), ExportError> {
        let (begin, end) = (self.nanos(span.begin()), self.nanos(span.end()));
        let name = self.exported.timeline.strings.bytes(span.name());
        if !self.has_lengths() {
            self.place_in_order(writer, tid(id), span.name(), span.begin())?;
        } else if span.timing() == Timing::OpenEnd {
            writer.begin('B', self.pid, tid(id), name)?;
            writer.micros(",\"ts\":", begin);
        } else {
            self.slice(writer, tid(id), span.name(), begin, end)?;
        }
        writer.category(category(name, span.flags()));
        self.span_arguments(writer, id, index, span, appended)
    }

    fn span_arguments(
        &mut self,
        writer: &mut Writer<'_>,
        id: TrackId,
        index: Option<SpanIndex>,
        span: &Span,
        appended: &[RecordOffset],
    ) -> Result<(), ExportError> {
        let note = self.notes.note(self.exported.placement, (id, index), span);
        writer.text(",\"args\":{");
        let mut before = self.length(writer, note.length_ticks);
        before += self.note_extrapolated(writer, (span.begin(), span.end()), before > 0);
        if note.has_open_start {
            writer.text(if before > 0 { ",\"open\":\"start\"" } else { "\"open\":\"start\"" });
            before += 1;
        }
        if let Some(nanos) = note.measured_nanos {
            writer.text(if before > 0 { ",\"measured_ns\":" } else { "\"measured_ns\":" });
            push_number(&mut writer.buffer, nanos);
            before += 1;
        }
        self.members(writer, span.record(), appended, before)
    }

    /// Ends an event at `at` with its arguments.
    fn arguments(&mut self, writer: &mut Writer<'_>, at: Tick, record: RecordOffset) -> Result<(), ExportError> {
        writer.text(",\"args\":{");
        let before = self.note_extrapolated(writer, (at, at), false);
        self.members(writer, record, &[], before)
    }

    /// Says of what lies beyond the frames of both files that its place is extrapolated; gives the number of arguments.
    fn note_extrapolated(&self, writer: &mut Writer<'_>, (begin, end): (Tick, Tick), is_later: bool) -> usize {
        if !self.exported.placement.is_extrapolated(begin, end) {
            return 0;
        }
        writer.text(if is_later { ",\"placed\":\"extrapolated\"" } else { "\"placed\":\"extrapolated\"" });
        1
    }

    fn members(
        &mut self,
        writer: &mut Writer<'_>,
        record: RecordOffset,
        appended: &[RecordOffset],
        before: usize,
    ) -> Result<(), ExportError> {
        let mut all = std::mem::take(&mut writer.arguments);
        self.exported.arguments.arguments(record, &mut all)?;
        if !appended.is_empty() {
            let mut more = Vec::new();
            for record in appended {
                self.exported.arguments.arguments(*record, &mut more)?;
                all.append(&mut more);
            }
        }
        push_members(&mut writer.buffer, &all, before);
        writer.text("}}");
        writer.arguments = all;
        Ok(())
    }

    fn range(
        &mut self,
        writer: &mut Writer<'_>,
        id: TrackId,
        track: &Track,
        index: SpanIndex,
        span: &Span,
        appended: &[RecordOffset],
    ) -> Result<(), ExportError> {
        let strings = &self.exported.timeline.strings;
        let (name, kind) = (strings.bytes(span.name()), strings.bytes(track.name));
        let key = format!(",\"id\":\"{}:{}:{}\"", self.pid, id.0, index.0);
        if !self.has_lengths() {
            self.place_in_order(writer, tid(id), span.name(), span.begin())?;
            writer.category(kind);
            return self.span_arguments(writer, id, Some(index), span, appended);
        }
        if track.kind == TrackKind::Marks {
            writer.begin('i', self.pid, tid(id), name)?;
            writer.micros(",\"s\":\"p\",\"ts\":", self.nanos(span.begin()));
            writer.text("}");
        }
        writer.begin('b', self.pid, tid(id), name)?;
        writer.category(kind);
        writer.text(&key);
        writer.micros(",\"ts\":", self.nanos(span.begin()));
        self.span_arguments(writer, id, Some(index), span, appended)?;
        if span.timing() != Timing::OpenEnd {
            writer.begin('e', self.pid, tid(id), name)?;
            writer.category(kind);
            writer.text(&key);
            writer.micros(",\"ts\":", self.nanos(span.end()));
            writer.text("}");
        }
        Ok(())
    }

    fn instant(&mut self, writer: &mut Writer<'_>, id: TrackId, instant: &Instant) -> Result<(), ExportError> {
        let name = self.exported.timeline.strings.bytes(instant.name());
        writer.begin('i', self.pid, tid(id), name)?;
        writer.category(category(name, SpanFlags::default()));
        let scope = match instant.kind() {
            InstantKind::Discontinuity => "g",
            InstantKind::Message | InstantKind::Marker | InstantKind::Size => "p",
            InstantKind::Event | InstantKind::Label | InstantKind::Internal => "t",
        };
        writer.text(&format!(",\"s\":\"{scope}\""));
        writer.micros(",\"ts\":", self.nanos(instant.at()));
        self.arguments(writer, instant.at(), instant.record())
    }

    fn sample(
        &self,
        writer: &mut Writer<'_>,
        id: TrackId,
        track: &Track,
        at: Tick,
        value: f64,
    ) -> Result<(), ExportError> {
        let TrackKind::Counter { unit } = track.kind else { return Ok(()) };
        writer.begin('C', self.pid, tid(id), self.exported.timeline.strings.bytes(track.name))?;
        writer.micros(",\"ts\":", self.nanos(at));
        writer.text(&format!(",\"args\":{{\"{unit}\":{value}}}}}"));
        Ok(())
    }

    fn frames(&mut self, writer: &mut Writer<'_>) -> Result<(), ExportError> {
        let timeline = self.exported.timeline;
        let (mut rows, mut named) = (Rows::default(), std::collections::BTreeSet::new());
        for (_, frame) in timeline.frames.iter().enumerate().filter(|(index, _)| self.shows(List::Frames, *index)) {
            let owner = frame.track.map_or(0, |track| u64::from(track.0) + 1);
            let row = rows.take(owner, frame.begin, frame.end);
            let tid = FRAMES_TID + owner + row as u64 * ROW_TIDS;
            if named.insert(tid) {
                let owner = frame.track.and_then(|track| timeline.track(track));
                let mut name =
                    owner.map_or("frames".into(), |track| format!("frames of {}", timeline.text(track.name)));
                if row > 0 {
                    name += &format!(", {}", row_name(row));
                }
                self.thread(writer, tid, &name, 0, &[])?;
            }
            let placement = self.exported.placement;
            let (begin, end) = (self.nanos(frame.begin), self.nanos(frame.end));
            let (name, has_length) =
                (format!("frame {}", frame.number), placement.has_frame_length(frame.begin, frame.end));
            writer.begin(if has_length { 'X' } else { 'i' }, self.pid, tid, name.as_bytes())?;
            writer.micros(",\"ts\":", begin);
            match has_length {
                true => writer.micros(",\"dur\":", end - begin),
                false => writer.text(",\"s\":\"t\""),
            }
            writer.text(",\"args\":{");
            writer.text(&format!("\"number\":{}", frame.number));
            if placement.lengths() != Lengths::Measured {
                writer.text(&format!(
                    ",\"length ({})\":{}",
                    placement.tick(),
                    frame.end.0.saturating_sub(frame.begin.0)
                ));
            }
            if let Some(certainty) = placement.certainty(frame.begin, frame.end) {
                writer.text(&format!(",\"placed\":\"{}\"", certainty.name()));
            }
            if let Some(other) = placement.other_frame(frame.begin, frame.end) {
                writer.text(&format!(",\"frame of the trace\":{other}"));
            }
            if let Some(name) = frame.ended_by {
                writer.text(",\"ended_by\":");
                push_string(&mut writer.buffer, timeline.strings.bytes(name));
            }
            if let Some(drawable) = frame.drawable {
                writer.text(&format!(",\"drawable\":\"{drawable:#x}\""));
            }
            writer.text("}}");
        }
        Ok(())
    }

    fn flow(&mut self, writer: &mut Writer<'_>, point: &FlowPoint) -> Result<(), ExportError> {
        let at = self.nanos(point.at);
        if point.depth == 0 {
            self.slice(writer, tid(point.track), point.name, at, at)?;
            self.arguments(writer, point.at, point.record)?;
        }
        let phase = match point.kind {
            FlowKind::Branch => 's',
            FlowKind::Extend => 't',
            FlowKind::Terminate => 'f',
        };
        let parent = (point.kind == FlowKind::Branch && point.parent != 0).then_some(('t', point.parent));
        for (phase, flow) in parent.into_iter().chain([(phase, point.flow)]) {
            writer.begin(phase, self.pid, tid(point.track), self.exported.timeline.strings.bytes(point.name))?;
            writer.text(&format!(",\"cat\":\"flow\",\"bp\":\"e\",\"id\":\"{}:{flow}\"", self.pid));
            writer.micros(",\"ts\":", at);
            writer.text("}");
        }
        Ok(())
    }

    fn stamps(&mut self, writer: &mut Writer<'_>) -> Result<(), ExportError> {
        let timeline = self.exported.timeline;
        let stamps = timeline.stamps.iter().enumerate().filter(|(index, _)| self.shows(List::Stamps, *index));
        for (count, (_, stamp)) in stamps.enumerate() {
            if count == 0 {
                self.thread(writer, TIMES_TID, "GPU times", TIMES_TID, &[])?;
            }
            writer.begin('i', self.pid, TIMES_TID, b"GPU time")?;
            writer.micros(",\"s\":\"t\",\"ts\":", self.nanos(stamp.at));
            writer.text(&format!(",\"args\":{{\"ns\":{}}}}}", stamp.nanos));
        }
        Ok(())
    }
}

fn tid(track: TrackId) -> u64 {
    u64::from(track.0) + 1
}

/// The part of a name before `#`, which is the type in wtf names; `system` for the system's own work.
fn category(name: &[u8], flags: SpanFlags) -> &[u8] {
    if flags.has(SpanFlags::SYSTEM) {
        return b"system";
    }
    let end = name.iter().position(|byte| *byte == b'#').unwrap_or(0);
    name.get(..end).filter(|part| !part.is_empty()).unwrap_or(b"app")
}
