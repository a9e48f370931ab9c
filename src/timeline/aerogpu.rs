//! AeroGPU traces → a timeline, so that annotations have frames to lie beside.
//!
//! The axis counts bytes of the file: a trace has no clock, and the file's order is the order of execution.
//!
//! | in the trace | becomes |
//! |---|---|
//! | frame (BeginFrame … Present) | a frame |
//! | packet, submission | a span over its bytes; its fields are its arguments |
//! | blob | a span of the track *blobs* |
//! | each frame | samples of the counters: draws, bytes uploaded |

use std::sync::Arc;

use super::{
    Argument, ArgumentError, ArgumentSource, Axis, AxisUnit, Builder, Frame, RecordOffset, Span, SpanFlags, StringId,
    Subject, Tick, Timeline, TrackId, TrackKind, Value,
};
use crate::abi::Abi;
use crate::abi::reference::{FieldValue, Opcode, Packet, decode_packets};
use crate::bytes::{Diagnostics, ReadError};
use crate::format::aerogpu::{FormatError, RECORD_HEADER_BYTES, Record, RecordBody, Trace};

/// A trace as a timeline.
#[derive(Debug)]
pub struct AerogpuTimeline {
    /// Frames, packets, blobs.
    pub timeline: Timeline,
    /// The error that ended the reading of records early; the timeline holds everything before it.
    pub error: Option<FormatError>,
}

/// Reads all records of a trace into a timeline. What is damaged in single records goes to `diagnostics`.
pub fn map_aerogpu(trace: &Trace, title: &str, diagnostics: &mut Diagnostics) -> AerogpuTimeline {
    let mut mapper = Mapper::new(title);
    let mut frames = trace.frames().iter().enumerate().peekable();
    let mut records = trace.records(trace.stream());
    let mut error = None;
    loop {
        match records.next_record(diagnostics) {
            Ok(Some(record)) => {
                while let Some((index, span)) = frames.next_if(|(_, span)| span.bytes.end <= record.offset) {
                    mapper.end_frame(index, span.bytes.clone());
                }
                mapper.record(&record, diagnostics);
            }
            Ok(None) => break,
            Err(damage) => {
                error = Some(damage);
                break;
            }
        }
    }
    for (index, span) in frames {
        mapper.end_frame(index, span.bytes.clone());
    }
    let version = trace.header().container_version;
    mapper.builder.metadata("format", format!("AeroGPU container {version}"));
    AerogpuTimeline { timeline: mapper.builder.finish(Tick(trace.stream().end)), error }
}

struct Mapper {
    builder: Builder,
    packets: TrackId,
    blobs: TrackId,
    draws: TrackId,
    uploads: TrackId,
    present: StringId,
    draw_count: u64,
    uploaded_bytes: u64,
}

impl Mapper {
    fn new(title: &str) -> Self {
        let mut builder = Builder::new(title, Axis::without_clock(AxisUnit::Bytes));
        let mut track = |name: &str, kind| {
            let name = builder.intern(name.as_bytes());
            builder.track(name, kind, None)
        };
        let packets = track("packets", TrackKind::Stack);
        let blobs = track("blobs", TrackKind::Stack);
        let draws = track("draws per frame", TrackKind::Counter { unit: "draws" });
        let uploads = track("uploads per frame", TrackKind::Counter { unit: "bytes" });
        let present = builder.intern(b"Present");
        Self { builder, packets, blobs, draws, uploads, present, draw_count: 0, uploaded_bytes: 0 }
    }

    fn record(&mut self, record: &Record<'_>, diagnostics: &mut Diagnostics) {
        match &record.body {
            RecordBody::BeginFrame { .. } | RecordBody::Present { .. } => {}
            RecordBody::Packet(payload) => self.payload(payload, record, diagnostics),
            RecordBody::Blob(blob) => {
                let name = format!("{} {}", blob.kind, blob.id);
                self.add(self.blobs, record.offset, record.end, &name, RecordOffset::NONE);
            }
            RecordBody::Submission(_) => {
                self.add(self.packets, record.offset, record.end, record.body.name(), RecordOffset::NONE);
            }
        }
    }

    fn payload(&mut self, payload: &[u8], record: &Record<'_>, diagnostics: &mut Diagnostics) {
        let abi = Abi::detect(payload);
        if abi != Abi::Reference {
            self.add(self.packets, record.offset, record.end, abi.name(), RecordOffset::NONE);
            return;
        }
        let mut packets = decode_packets(payload, record.offset + RECORD_HEADER_BYTES);
        while let Some(decoded) = packets.next() {
            match decoded {
                Ok((offset, packet)) => self.packet(offset, packets.offset(), &packet),
                Err(error) => diagnostics.note(record.offset, error.to_string()),
            }
        }
    }

    fn packet(&mut self, offset: u64, end: u64, packet: &Packet) {
        self.add(self.packets, offset, end, packet.opcode().name(), RecordOffset(offset));
        match packet {
            Packet::Draw { .. } => self.draw_count += 1,
            Packet::UploadBuffer { data_len_bytes, .. } => self.uploaded_bytes += u64::from(*data_len_bytes),
            _ => {}
        }
    }

    fn add(&mut self, track: TrackId, begin: u64, end: u64, name: &str, record: RecordOffset) {
        let name = self.builder.intern(name.as_bytes());
        self.builder.span(track, Span::new(Tick(begin), Tick(end), name, 0, record, SpanFlags::default()));
    }

    fn end_frame(&mut self, index: usize, bytes: std::ops::Range<u64>) {
        let begin = Tick(bytes.start);
        self.builder.frame(Frame {
            begin,
            end: Tick(bytes.end),
            number: index as u64,
            // A frame without its Present record is one all the same: it has a picture.
            ended_by: Some(self.present),
            drawable: None,
            track: None,
            record: RecordOffset::NONE,
        });
        self.builder.sample(self.draws, begin, std::mem::take(&mut self.draw_count) as f64);
        self.builder.sample(self.uploads, begin, std::mem::take(&mut self.uploaded_bytes) as f64);
    }
}

/// Decodes the fields of packets by their offset.
pub struct AerogpuArguments<'t> {
    trace: &'t Trace,
}

impl<'t> AerogpuArguments<'t> {
    /// `trace` is the one that the timeline was made from.
    pub fn new(trace: &'t Trace) -> Self {
        Self { trace }
    }

    fn packet_at(&self, offset: u64) -> Result<Option<Packet>, ReadError> {
        let longest = Opcode::ALL.iter().map(|opcode| u64::from(opcode.total_dwords()) * 4).max().unwrap_or(8);
        let end = self.trace.stream().end.min(offset.saturating_add(longest));
        let bytes = self.trace.read(offset..end.max(offset))?;
        Ok(decode_packets(&bytes, offset).next().and_then(Result::ok).map(|(_, packet)| packet))
    }
}

impl ArgumentSource for AerogpuArguments<'_> {
    fn arguments(&mut self, record: RecordOffset, into: &mut Vec<Argument>) -> Result<(), ArgumentError> {
        into.clear();
        if record.is_none() {
            return Ok(());
        }
        for (name, value) in self.packet_at(record.0)?.into_iter().flat_map(|packet| packet.fields()) {
            into.push(Argument { name: Arc::from(name), value: field_value(value) });
        }
        Ok(())
    }
}

fn field_value(value: FieldValue) -> Value {
    match value {
        FieldValue::U32(number) => Value::UInt(number.into()),
        FieldValue::U64(number) => Value::UInt(number),
        FieldValue::F32(number) => Value::F32(number),
    }
}

/// A packet as filters see it: named like its opcode (`DRAW`), its arguments like the specification's fields.
#[derive(Clone, Copy, Debug)]
pub struct PacketSubject<'a>(pub &'a Packet);

impl Subject for PacketSubject<'_> {
    fn name(&self) -> &str {
        self.0.opcode().name()
    }

    fn any_argument(&self, name: &str, passes: &mut dyn FnMut(&Value) -> bool) -> bool {
        self.0.fields().into_iter().any(|(field, value)| field == name && passes(&field_value(value)))
    }
}
