//! AeroGPU traces → a timeline, so that annotations have frames to lie beside.
//!
//! The axis counts bytes of the file: a trace has no clock, and the file's order is the order of execution.
//!
//! | in the trace | becomes |
//! |---|---|
//! | frame (BeginFrame … Present) | a frame |
//! | packet, submission | a span over its bytes; its fields are its arguments |
//! | blob | a span of the track *blobs* |
//! | packet of a submission's stream | a span over its bytes, which lie in a blob before the submission |
//! | each frame | samples of the counters: draws, bytes uploaded; with A3A0 streams presents and bytes copied between buffers too |

use std::sync::Arc;

use foldhash::HashMap;

use super::{
    Argument, ArgumentError, ArgumentSource, Axis, AxisUnit, Builder, Frame, MappedFile, RecordOffset, Span, SpanFlags,
    StringId, Tick, Timeline, TrackId, TrackKind, Value,
};
use crate::abi::Abi;
use crate::abi::a3a0::resources::ResourcePacket;
use crate::abi::a3a0::work::WorkPacket;
use crate::abi::a3a0::{ABI_VERSION, Body, Layout, ListedValue, RawPacket, Stream, SubmittedStream, SubmittedStreams};
use crate::abi::reference::{FieldValue, Opcode, Packet, decode_packets};
use crate::bytes::{Cursor, Diagnostics, ReadError};
use crate::error::Classified;
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
    let mut streams = SubmittedStreams::new(trace);
    let mut records = trace.records(trace.stream());
    let mut error = None;
    loop {
        match records.next_record(diagnostics) {
            Ok(Some(record)) => {
                while let Some((index, span)) = frames.next_if(|(_, span)| span.bytes.end <= record.offset) {
                    mapper.end_frame(index, span.bytes.clone());
                }
                mapper.record(&record, &mut streams, diagnostics);
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

/// A trace as one of the files that timelines come from.
pub struct MappedTrace<'t> {
    /// What [`map_aerogpu`] has made of it.
    pub mapped: AerogpuTimeline,
    /// The trace.
    pub trace: &'t Trace,
}

impl MappedFile for MappedTrace<'_> {
    fn timeline(&self) -> &Timeline {
        &self.mapped.timeline
    }

    fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.mapped.timeline
    }

    fn arguments(&self) -> Box<dyn ArgumentSource + '_> {
        Box::new(AerogpuArguments::new(self.trace))
    }

    /// Those of a trace are told where it is opened.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    fn damage(&self) -> Option<&dyn Classified> {
        self.mapped.error.as_ref().map(|error| error as &dyn Classified)
    }
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
    /// What only traces with A3A0 streams have.
    of_streams: Option<StreamCounters>,
}

/// Counters of A3A0 streams, and what they have counted of the frame so far.
struct StreamCounters {
    presents: TrackId,
    copies: TrackId,
    present_count: u64,
    copied_bytes: u64,
    /// What one run of each stream that was met does, by the file offset of its first byte.
    known: HashMap<u64, StreamFigures>,
    /// Where the packets that are on the track end.
    shown_to: u64,
}

/// What one run of a stream does.
#[derive(Clone, Copy, Debug, Default)]
struct StreamFigures {
    draws: u64,
    presents: u64,
    uploaded_bytes: u64,
    copied_bytes: u64,
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
        let of_streams = None;
        Self { builder, packets, blobs, draws, uploads, present, draw_count: 0, uploaded_bytes: 0, of_streams }
    }

    fn record(&mut self, record: &Record<'_>, streams: &mut SubmittedStreams<'_>, diagnostics: &mut Diagnostics) {
        match streams.of(record) {
            Ok(Some(stream)) => self.submitted(&stream, streams, diagnostics),
            Ok(None) => {}
            Err(error) => diagnostics.note(record.offset, error.to_string()),
        }
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
        match Abi::detect(payload) {
            // Its packets are there already.
            Abi::A3a0 => return,
            abi @ Abi::Agpc => {
                return self.add(self.packets, record.offset, record.end, abi.name(), RecordOffset::NONE);
            }
            Abi::Reference => {}
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

    /// A stream runs: it is shown and read where it is met first, and counted each time.
    fn submitted(
        &mut self,
        submitted: &SubmittedStream<'_>,
        streams: &SubmittedStreams<'_>,
        diagnostics: &mut Diagnostics,
    ) {
        let mut counters = self.of_streams.take().unwrap_or_else(|| self.stream_counters());
        let place = &submitted.place;
        let figures = match counters.known.get(&place.start) {
            Some(figures) => *figures,
            None => {
                // The spans of a track come by begin.
                let is_shown = place.start >= counters.shown_to;
                counters.shown_to = counters.shown_to.max(place.end);
                let figures = match streams.read(submitted) {
                    Ok(bytes) => self.stream(&bytes, place.start, is_shown, diagnostics),
                    Err(error) => {
                        diagnostics.note(place.start, error.to_string());
                        StreamFigures::default()
                    }
                };
                counters.known.insert(place.start, figures);
                figures
            }
        };
        self.draw_count += figures.draws;
        self.uploaded_bytes = self.uploaded_bytes.saturating_add(figures.uploaded_bytes);
        counters.present_count += figures.presents;
        counters.copied_bytes = counters.copied_bytes.saturating_add(figures.copied_bytes);
        self.of_streams = Some(counters);
    }

    fn stream(&mut self, bytes: &[u8], offset: u64, is_shown: bool, diagnostics: &mut Diagnostics) -> StreamFigures {
        let mut figures = StreamFigures::default();
        match Stream::parse(bytes, offset) {
            Ok(stream) => {
                for packet in stream.packets() {
                    match packet {
                        Ok(packet) => self.stream_packet(&packet, is_shown, &mut figures, diagnostics),
                        Err(error) => diagnostics.note(error.at(), error.to_string()),
                    }
                }
            }
            // The recorder writes an empty one for a descriptor that it cannot make sense of.
            Err(_) if bytes.is_empty() => {}
            Err(error) => diagnostics.note(error.at(), error.to_string()),
        }
        figures
    }

    fn stream_packet(
        &mut self,
        packet: &RawPacket<'_>,
        is_shown: bool,
        figures: &mut StreamFigures,
        diagnostics: &mut Diagnostics,
    ) {
        if is_shown {
            let (begin, end) = (packet.offset, packet.offset + u64::from(packet.size_bytes()));
            self.add(self.packets, begin, end, Layout::name_of(packet.opcode), RecordOffset(begin));
        }
        match packet.decode().map(|packet| packet.body) {
            Ok(Body::Work(WorkPacket::Draw(_) | WorkPacket::DrawIndexed(_))) => figures.draws += 1,
            Ok(Body::Work(WorkPacket::Present(_) | WorkPacket::PresentEx(_))) => figures.presents += 1,
            // Their bytes lie in the stream.
            Ok(Body::Resource(ResourcePacket::UploadResource(upload))) => figures.uploaded_bytes += upload.size_bytes,
            Ok(Body::Resource(ResourcePacket::CopyBuffer(copy))) => {
                figures.copied_bytes = figures.copied_bytes.saturating_add(copy.size_bytes);
            }
            Ok(_) => {}
            Err(error) => diagnostics.note(error.at(), error.to_string()),
        }
    }

    fn stream_counters(&mut self) -> StreamCounters {
        let mut track = |name: &str, unit| {
            let name = self.builder.intern(name.as_bytes());
            self.builder.track(name, TrackKind::Counter { unit }, None)
        };
        let (presents, copies) = (track("presents per frame", "presents"), track("buffer copies per frame", "bytes"));
        StreamCounters { presents, copies, present_count: 0, copied_bytes: 0, known: HashMap::default(), shown_to: 0 }
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
        if let Some(counters) = &mut self.of_streams {
            self.builder.sample(counters.presents, begin, std::mem::take(&mut counters.present_count) as f64);
            self.builder.sample(counters.copies, begin, std::mem::take(&mut counters.copied_bytes) as f64);
        }
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

    /// The fields of the packet at a file offset.
    fn fields_at(&self, offset: u64) -> Result<Vec<(&'static str, Value)>, ReadError> {
        let of_reference = Opcode::ALL.iter().map(|opcode| u64::from(opcode.total_dwords()) * 4).max().unwrap_or(8);
        let of_a3a0 = Layout::all().map(|layout| layout.known_bytes(u32::MAX)).max().map_or(8, u64::from);
        let end = self.trace.stream().end.min(offset.saturating_add(of_reference.max(of_a3a0)));
        let bytes = self.trace.read(offset..end.max(offset))?;
        if let Some(packet) = a3a0_packet(&bytes, offset) {
            let Some(layout) = Layout::of(packet.opcode) else { return Ok(Vec::new()) };
            // All stages of later versions are told by the current one; those of older ones that differ stay numbers.
            let fields = packet.list_fields(layout, ABI_VERSION as u16);
            return Ok(fields.into_iter().map(|(name, value)| (name, listed_value(value))).collect());
        }
        let packet = decode_packets(&bytes, offset).next().and_then(Result::ok).map(|(_, packet)| packet);
        let fields = packet.into_iter().flat_map(|packet| packet.fields());
        Ok(fields.map(|(name, value)| (name, field_value(value))).collect())
    }
}

impl ArgumentSource for AerogpuArguments<'_> {
    fn arguments(&mut self, record: RecordOffset, into: &mut Vec<Argument>) -> Result<(), ArgumentError> {
        into.clear();
        if record.is_none() {
            return Ok(());
        }
        let fields = self.fields_at(record.0)?.into_iter();
        into.extend(fields.map(|(name, value)| Argument { name: Arc::from(name), value }));
        Ok(())
    }
}

/// The first fields of an A3A0 packet, if that is what begins with these bytes. Which ABI it is tells the second dword:
/// A3A0 counts bytes there, at least 8 and a multiple of 4, and Appendix A dwords, none of whose counts is that.
fn a3a0_packet(bytes: &[u8], offset: u64) -> Option<RawPacket<'_>> {
    let mut cursor = Cursor::new(bytes, offset);
    let (opcode, size_bytes) = (cursor.u32_le().ok()?, cursor.u32_le().ok()?);
    let is_a3a0 = size_bytes >= Layout::HEADER_BYTES && size_bytes.is_multiple_of(4);
    is_a3a0.then_some(RawPacket { offset, opcode, bytes: bytes.get(..size_bytes as usize).unwrap_or(bytes) })
}

fn listed_value(value: ListedValue) -> Value {
    match value {
        ListedValue::Number(number) | ListedValue::Hex(number) => Value::UInt(number),
        ListedValue::Signed(number) => Value::Int(number.into()),
        ListedValue::Float(number) => Value::F32(number),
        value @ (ListedValue::Named(_) | ListedValue::Numbers(_)) => Value::Text(value.to_string()),
    }
}

fn field_value(value: FieldValue) -> Value {
    match value {
        FieldValue::U32(number) => Value::UInt(number.into()),
        FieldValue::U64(number) => Value::UInt(number),
        FieldValue::F32(number) => Value::F32(number),
    }
}
