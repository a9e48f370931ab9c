//! What lies beside the tracks: frames, flows and GPU times.

use std::collections::BTreeSet;

use super::{Event, FRAME_TRACKS, INSTANT, SLICE_BEGIN, Sequence, TIMES_TRACK, field, note_length, note_placed};
use crate::events::List;
use crate::export::{ExportError, MAX_ROWS, Rows, row_name};
use crate::{FlowKind, Frame, RecordOffset};

impl Sequence<'_, '_> {
    pub(super) fn frames(&mut self) -> Result<(), ExportError> {
        let timeline = self.exported.timeline;
        let (mut rows, mut known) = (Rows::default(), BTreeSet::new());
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

    pub(super) fn flows(&mut self) -> Result<(), ExportError> {
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

    pub(super) fn stamps(&mut self) -> Result<(), ExportError> {
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
