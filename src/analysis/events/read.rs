//! From a frame's bytes to its rows.

use foldhash::HashSet;

use super::{EventError, EventKind, EventNote, EventRow, FrameEvents, FrameMarkers};
use crate::abi::{AbiError, ListedPacket, Submitted, SubmittedCommands};
use crate::analysis::{Analysis, AnalysisError};
use crate::bytes::{Diagnostics, Finding, FindingKind};
use crate::command::{Command, Location, MarkerGroups, SubmissionPlace};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{FormatError, FrameIndex, Record, RecordBody, Trace};
use crate::limits::{MAX_FINDINGS, MAX_RELISTED_STREAM_BYTES};
use crate::replay::{ReplayError, unusual_color};

/// Errors behind the first that are kept.
const FURTHER_ERRORS: usize = 100;

impl Analysis {
    /// The records and packets of `frame`. Damage is part of the answer.
    pub fn events(&self, frame: FrameIndex) -> Result<FrameEvents, AnalysisError> {
        let mut events = FrameEvents::read(&self.trace, frame)?;
        // What the index has found wrong with a command is more than its bytes can tell.
        let told = self.index.stop().filter(|stop| stop.frame == frame && events.error.is_none());
        if let Some(stop) = told {
            let row = stop.offset.and_then(|offset| events.row_about(offset));
            let (offset, message, kind) = (stop.offset, stop.message.clone(), stop.kind);
            events.error = Some(EventError { row, offset, message, kind });
        }
        let (faults, _) = self.index.faults();
        for fault in faults.iter().filter(|fault| fault.at.frame == frame) {
            let row = events.row_of(fault.at);
            let (offset, message, kind) = (fault.offset, fault.message.clone(), fault.kind);
            events.add_error(EventError { row, offset, message, kind });
        }
        Ok(events)
    }
}

impl FrameEvents {
    /// Takes in another error, unless it is known.
    fn add_error(&mut self, error: EventError) {
        if self.error.iter().chain(&self.further_errors).any(|known| known.message == error.message) {
            return;
        }
        if self.error.is_none() {
            self.error = Some(error);
        } else if self.further_errors.len() < FURTHER_ERRORS {
            self.further_errors.push(error);
        }
    }

    /// Reads the records and packets of `frame`, by their bytes alone.
    pub fn read(trace: &Trace, frame: FrameIndex) -> Result<Self, AnalysisError> {
        let Some(span) = trace.frame(frame) else {
            return Err(AnalysisError::NoSuchFrame { frame, frame_count: trace.frames().len() });
        };
        let mut reading = Reading {
            events: Self {
                frame,
                bytes: span.bytes.clone(),
                rows: Vec::new(),
                draws: Vec::new(),
                notes: Vec::new(),
                notes_dropped: 0,
                markers: FrameMarkers::default(),
                error: None,
                further_errors: Vec::new(),
            },
            packet: 0,
            submissions: 0,
            listed: HashSet::default(),
            relisted_bytes: 0,
            groups: MarkerGroups::default(),
        };
        let mut commands = SubmittedCommands::from(trace, span.bytes.start);
        let mut reader = trace.records(span.bytes.clone());
        let mut odd_records = Diagnostics::new();
        loop {
            match reader.next_record(&mut odd_records) {
                Ok(Some(record)) => {
                    reading.take_notes(&mut odd_records);
                    if !reading.record(&record, &mut commands) {
                        break;
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    reading.fail(error.offset(), error.to_string(), error.kind());
                    break;
                }
            }
        }
        reading.take_notes(&mut odd_records);
        Ok(reading.finish())
    }
}

struct Reading {
    events: FrameEvents,
    packet: u32,
    submissions: u32,
    /// The streams that are listed, by the file offset of their first byte, and bytes of those that are listed again.
    listed: HashSet<u64>,
    relisted_bytes: u64,
    groups: MarkerGroups,
}

impl Reading {
    /// Takes in a record; `false` if nothing after it can be trusted.
    fn record(&mut self, record: &Record<'_>, commands: &mut SubmittedCommands<'_>) -> bool {
        let kind = match &record.body {
            RecordBody::BeginFrame { .. } => Some(EventKind::BeginFrame),
            RecordBody::Present { .. } => Some(EventKind::Present),
            RecordBody::Blob(_) => Some(EventKind::Blob),
            RecordBody::Submission(_) => Some(EventKind::Submission),
            RecordBody::Packet(_) => None,
        };
        if let Some(kind) = kind {
            self.row(record.offset..record.end, kind, None);
        }
        match commands.of(record) {
            Ok(Some(submitted)) => {
                let submission = submitted.context.map(|context| self.next_submission(context));
                match commands.read(&submitted) {
                    Ok(bytes) => return self.submitted(record, &submitted, &bytes, submission),
                    Err(error) => self.fail(error.offset(), error.to_string(), error.kind()),
                }
            }
            Ok(None) => {}
            Err(error) => {
                if let RecordBody::Submission(submission) = &record.body {
                    self.next_submission(submission.context_id);
                }
                self.fail(error.offset(), error.to_string(), error.kind());
            }
        }
        true
    }

    /// A submission has its number in the frame also if it has no stream.
    fn next_submission(&mut self, context: u32) -> SubmissionPlace {
        let number = self.submissions;
        self.submissions += 1;
        SubmissionPlace::new(number, context)
    }

    fn submitted(
        &mut self,
        record: &Record<'_>,
        submitted: &Submitted<'_>,
        bytes: &[u8],
        submission: Option<SubmissionPlace>,
    ) -> bool {
        if submitted.context.is_some() && !self.listed.insert(submitted.place.start) {
            self.relisted_bytes += bytes.len() as u64;
            let (found, limit) = (self.relisted_bytes, MAX_RELISTED_STREAM_BYTES);
            if found > limit {
                let what = "the length of the command streams that run again in one frame";
                let error = FormatError::OverLimit { what, found, limit, offset: record.offset };
                self.fail(error.offset(), error.to_string(), error.kind());
                return false;
            }
        }
        let context = submission.map(SubmissionPlace::context);
        self.events.markers.begin(self.events.row_count(), context.and_then(|context| self.groups.innermost(context)));
        for packet in submitted.packets(bytes) {
            let command = packet.and_then(|packet| {
                self.row(packet.offset..packet.end(), EventKind::Packet(packet.kind), submission);
                Ok((packet, packet.command()?))
            });
            match command {
                Ok((packet, command)) => self.command(&packet, command),
                Err(source) => {
                    let is_retired = matches!(source, AbiError::Retired { .. });
                    if is_retired {
                        self.row(record.offset..record.end, EventKind::ForeignPacket, None);
                    }
                    let at =
                        Location { offset: source.at(), frame: self.events.frame, packet: self.packet, submission };
                    let error = ReplayError::Abi { source, at };
                    self.fail(error.offset(), error.to_string(), error.kind());
                }
            }
            // Whatever carries out packets counts one that it cannot decode, too.
            self.packet += 1;
        }
        if let Some(context) = context {
            self.groups.pass(context, self.events.rows.len() as u64);
        }
        true
    }

    /// What a packet means, which is in the last row.
    fn command(&mut self, packet: &ListedPacket<'_>, command: Command) {
        let row = self.events.rows.len().saturating_sub(1) as u32;
        match command {
            Command::Draw(_) | Command::DrawIndexed(_) => self.events.draws.push(row),
            Command::Clear(clear) => {
                if let Some(odd) = unusual_color(clear.rgba) {
                    self.note(row, Finding { offset: packet.offset, what: odd.into(), kind: FindingKind::Oddity });
                }
            }
            Command::Marker(_) => self.marker(row, &packet.marker().unwrap_or_default()),
            Command::Unknown { opcode } => {
                let what = format!("unknown opcode {opcode:#x}: the packet is ignored");
                self.note(row, Finding { offset: packet.offset, what: what.into(), kind: FindingKind::Remark });
            }
            _ => {}
        }
    }

    fn row(&mut self, bytes: std::ops::Range<u64>, kind: EventKind, submission: Option<SubmissionPlace>) {
        let (offset, size_bytes) = (bytes.start, bytes.end - bytes.start);
        self.events.rows.push(EventRow { offset, size_bytes, packet: self.packet, submission, kind });
    }

    fn fail(&mut self, offset: Option<u64>, message: String, kind: ErrorKind) {
        let row = self.events.rows.len().checked_sub(1).map(|last| last as u32);
        self.events.add_error(EventError { row, offset, message, kind });
    }

    /// A marker, which is the last row.
    fn marker(&mut self, row: u32, text: &str) {
        let mut last_rows = self.events.rows.iter().rev().map(|row| row.submission);
        let Some(Some(submission)) = last_rows.next() else { return };
        let context = submission.context();
        if last_rows.next() == Some(Some(submission)) {
            self.groups.pass(context, u64::from(row));
        }
        let own = self.groups.mark(context, text, u64::from(row)..u64::from(row) + 1);
        self.events.markers.begin(row, own);
        self.events.markers.begin(row + 1, self.groups.innermost(context));
    }

    /// Takes over what was noted about a record, whose first row is the next one.
    fn take_notes(&mut self, noted: &mut Diagnostics) {
        let row = self.events.rows.len() as u32;
        for finding in noted.take().findings() {
            self.note(row, finding.clone());
        }
    }

    fn note(&mut self, row: u32, Finding { offset, what, kind }: Finding) {
        if self.events.notes.len() < MAX_FINDINGS {
            self.events.notes.push(EventNote { row, offset, kind, message: what.into_owned() });
        } else {
            self.events.notes_dropped += 1;
        }
    }

    fn finish(self) -> FrameEvents {
        let Self { mut events, groups, .. } = self;
        events.markers.groups = groups.finish();
        // A record may have no rows, and may be the last.
        let last = events.row_count().saturating_sub(1);
        events.notes.iter_mut().for_each(|note| note.row = note.row.min(last));
        events.notes.sort_by_key(|note| (note.row, note.offset));
        events
    }
}
