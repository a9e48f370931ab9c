//! What lies on tracks: spans, instants, steps and samples.

use super::{COUNTER, Event, INSTANT, LANE_TRACKS, MAX_LANES, SLICE_BEGIN, Sequence, field, note_length};
use crate::events::List;
use crate::export::{ExportError, Lengths};
use crate::{RecordOffset, Span, SpanIndex, Tick, Timing, Track, TrackId, TrackKind};

impl Sequence<'_, '_> {
    pub(super) fn track(&mut self, id: TrackId, track: &Track) -> Result<(), ExportError> {
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
    pub(super) fn has_lengths(&self) -> bool {
        self.exported.placement.lengths() == Lengths::Measured
    }

    /// How long something is in ticks that are no time: with the unit.
    pub(super) fn length(&self, (begin, end): (Tick, Tick)) -> Option<(&'static str, u64)> {
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
        let note = self.notes.note(self.exported.placement, (id, index), span);
        let (at, name, record) = (span.begin(), Some(span.name()), span.record());
        let length = note.length_ticks.map(|ticks| (self.exported.placement.tick(), ticks));
        let kind = if self.has_lengths() { SLICE_BEGIN } else { INSTANT };
        let until = span.end();
        self.event(Event { kind, track: uuid, at, until, name, record, appended }, |event| {
            note_length(event, length);
            if let Some(nanos) = note.measured_nanos {
                event.message(field::EVENT_ANNOTATIONS, |note| {
                    note.string(field::NOTE_NAME, b"measured_ns");
                    note.uint(field::NOTE_UINT, nanos);
                });
            }
            if note.has_open_start {
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
}
