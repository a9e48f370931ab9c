//! From a frame's bytes to its rows.

use super::{EventError, EventKind, EventNote, EventRow, FrameEvents};
use crate::abi::Abi;
use crate::abi::reference::{Packet, Packets, decode_packets, lower};
use crate::analysis::{Analysis, AnalysisError};
use crate::bytes::{Diagnostics, Finding};
use crate::command::Location;
use crate::error::Classified;
use crate::format::aerogpu::{FrameIndex, RECORD_HEADER_BYTES, Record, RecordBody, Trace};
use crate::replay::{ReplayError, unusual_color};

impl Analysis {
    /// The records and packets of `frame`. Damage is part of the answer.
    pub fn events(&self, frame: FrameIndex) -> Result<FrameEvents, AnalysisError> {
        let mut events = FrameEvents::read(&self.trace, frame)?;
        // What the index has found wrong with a command is more than its bytes can tell.
        if let Some(stop) = self.index.stop().filter(|stop| stop.frame == frame && events.error.is_none()) {
            let row = stop.offset.and_then(|offset| events.row_at(offset));
            let (offset, message, kind) = (stop.offset, stop.message.clone(), stop.kind);
            events.error = Some(EventError { row, offset, message, kind });
        }
        Ok(events)
    }
}

impl FrameEvents {
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
                error: None,
            },
            packet: 0,
            odd: Diagnostics::new(),
        };
        let mut reader = trace.records(span.bytes.clone());
        let mut odd_records = Diagnostics::new();
        loop {
            match reader.next_record(&mut odd_records) {
                Ok(Some(record)) => {
                    if !reading.record(&record) {
                        break;
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    reading.fail(error.into());
                    break;
                }
            }
        }
        reading.odd.append(odd_records);
        Ok(reading.finish())
    }
}

struct Reading {
    events: FrameEvents,
    packet: u32,
    odd: Diagnostics,
}

impl Reading {
    /// Takes in a record; `false` if nothing after it can be trusted.
    fn record(&mut self, record: &Record<'_>) -> bool {
        let kind = match &record.body {
            RecordBody::BeginFrame { .. } => EventKind::BeginFrame,
            RecordBody::Present { .. } => EventKind::Present,
            RecordBody::Blob(_) => EventKind::Blob,
            RecordBody::Submission(_) => EventKind::Submission,
            RecordBody::Packet(payload) => {
                let found = Abi::detect(payload);
                if found == Abi::Reference {
                    return self.packets(decode_packets(payload, record.offset + RECORD_HEADER_BYTES));
                }
                self.row(record.offset, record.end, EventKind::ForeignPacket);
                self.fail(ReplayError::UnsupportedAbi { found, at: self.place(record.offset) });
                return true;
            }
        };
        self.row(record.offset, record.end, kind);
        if kind == EventKind::Submission {
            self.fail(ReplayError::UnsupportedSubmission { at: self.place(record.offset) });
        }
        true
    }

    fn packets(&mut self, mut packets: Packets<'_>) -> bool {
        while let Some(decoded) = packets.next() {
            let lowered = decoded.and_then(|(offset, packet)| {
                self.packet(offset, packets.offset(), &packet);
                lower(packet, offset)
            });
            if let Err(source) = lowered {
                let at = self.place(source.at());
                self.fail(ReplayError::Abi { source, at });
                return false;
            }
        }
        true
    }

    fn packet(&mut self, offset: u64, end: u64, packet: &Packet) {
        if let Packet::Draw { .. } = packet {
            self.events.draws.push(self.events.rows.len() as u32);
        }
        if let Packet::Clear { r, g, b, a } = *packet
            && let Some(odd) = unusual_color([r, g, b, a])
        {
            self.odd.note(offset, odd);
        }
        self.row(offset, end, EventKind::Packet(packet.opcode()));
        self.packet += 1;
    }

    fn row(&mut self, offset: u64, end: u64, kind: EventKind) {
        self.events.rows.push(EventRow { offset, size_bytes: end - offset, packet: self.packet, kind });
    }

    fn place(&self, offset: u64) -> Location {
        Location { offset, frame: self.events.frame, packet: self.packet }
    }

    /// Only the first thing wrong is told.
    fn fail(&mut self, error: ReplayError) {
        if self.events.error.is_none() {
            let row = self.events.rows.len().checked_sub(1).map(|last| last as u32);
            let (offset, message, kind) = (error.offset(), error.to_string(), error.kind());
            self.events.error = Some(EventError { row, offset, message, kind });
        }
    }

    fn finish(self) -> FrameEvents {
        let Self { mut events, odd, .. } = self;
        events.notes_dropped = odd.dropped();
        let last = events.rows.len().saturating_sub(1) as u32;
        let note = |Finding { offset, what, kind }: &Finding| EventNote {
            row: events.row_at(*offset).unwrap_or(last),
            offset: *offset,
            kind: *kind,
            what: what.to_string(),
        };
        let mut notes: Vec<EventNote> = odd.findings().iter().map(note).collect();
        notes.sort_by_key(|note| (note.row, note.offset));
        events.notes = notes;
        events
    }
}
