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
//! | stream that runs again | a span inside the submission's, named by the file offset of the stream: the packets' own bytes have been shown |
//! | marker of a submission's stream | a span of the track *markers of context N*, from its bytes to those of the last packet in its group, of the stream's first run |
//! | each frame | samples of the counters: draws, bytes uploaded; with A3A0 streams presents and bytes copied between buffers too |

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::HashMap;
use thiserror::Error;

use super::marker_tracks::MarkerTracks;
use super::{
    Argument, ArgumentError, ArgumentSource, Axis, AxisUnit, Builder, Frame, MOST_UPLOADS, MappedFile, RecordOffset,
    Span, SpanFlags, StringId, Tick, Timeline, TrackId, TrackKind, UploadedBytes, Value,
};
use crate::abi::{AbiError, ListedPacket, SubmissionError, Submitted, SubmittedCommands, packet_at};
use crate::bytes::{Diagnostics, ReadError};
use crate::command::{Command, CopyBuffer, Payload, Upload};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{BlobId, FormatError, Record, RecordBody, Trace};
use crate::limits::MAX_PACKET_BYTES;

/// A trace as a timeline.
#[derive(Debug)]
pub struct AerogpuTimeline {
    /// Frames, packets, blobs.
    pub timeline: Timeline,
    /// The error that ended the reading of records early; the timeline holds everything before it.
    pub error: Option<FormatError>,
    /// What is wrong with a submission, or with one of its packets, first of all: what follows was read all the same.
    pub damage: Option<SubmittedDamage>,
}

/// What is wrong with what a record carries out.
#[derive(Debug, Error)]
pub enum SubmittedDamage {
    /// A submission has no stream.
    #[error(transparent)]
    Submission(#[from] SubmissionError),
    /// A packet, or what follows it in its stream or record.
    #[error(transparent)]
    Packet(#[from] AbiError),
}

impl Classified for SubmittedDamage {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Submission(error) => error.kind(),
            Self::Packet(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Submission(error) => error.offset(),
            Self::Packet(error) => error.offset(),
        }
    }
}

/// Reads all records of a trace into a timeline. What is damaged in single records goes to `diagnostics`.
pub fn map_aerogpu(trace: &Trace, title: &str, diagnostics: &mut Diagnostics) -> AerogpuTimeline {
    let mut mapper = Mapper::new(title);
    let mut frames = trace.frames().iter().enumerate().peekable();
    let mut commands = SubmittedCommands::new(trace);
    let mut records = trace.records(trace.stream());
    let mut error = None;
    loop {
        match records.next_record(diagnostics) {
            Ok(Some(record)) => {
                while let Some((index, span)) = frames.next_if(|(_, span)| span.bytes.end <= record.offset) {
                    mapper.end_frame(index, span.bytes.clone());
                }
                mapper.record(&record, &mut commands, diagnostics);
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
    let damage = mapper.damage;
    AerogpuTimeline { timeline: mapper.builder.finish(Tick(trace.stream().end)), error, damage }
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

    fn uploads(&self) -> Vec<Vec<UploadedBytes>> {
        uploads_of_frames(self.trace)
    }

    /// Those of a trace are told where it is opened.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    fn damage(&self) -> Option<&dyn Classified> {
        self.mapped.error.as_ref().map(|error| error as &dyn Classified)
    }

    fn damage_within(&self) -> Option<&dyn Classified> {
        self.mapped.damage.as_ref().map(|error| error as &dyn Classified)
    }
}

/// The bytes that are uploaded in each frame. What is damaged is left out; of a trace with more than a million uploads
/// nothing is told.
pub fn uploads_of_frames(trace: &Trace) -> Vec<Vec<UploadedBytes>> {
    let mut uploads = vec![Vec::new(); trace.frames().len()];
    let mut commands = SubmittedCommands::new(trace);
    let mut reader =
        UploadReader { trace, blobs: HashMap::default(), streams: HashMap::default(), hashed: HashMap::default() };
    let mut records = trace.records(trace.stream());
    let (mut ignored, mut count) = (Diagnostics::new(), 0);
    while let Ok(Some(record)) = records.next_record(&mut ignored) {
        if let RecordBody::Blob(blob) = &record.body {
            reader.blobs.insert(blob.id, blob.bytes.clone());
        }
        let frame = trace.frames().partition_point(|span| span.bytes.end <= record.offset);
        let Some(of_frame) = uploads.get_mut(frame) else { break };
        let Ok(Some(submitted)) = commands.of(&record) else { continue };
        let of_record = reader.read(&submitted, &commands);
        count += of_record.len();
        if count > MOST_UPLOADS {
            return Vec::new();
        }
        of_frame.extend_from_slice(&of_record);
    }
    uploads
}

/// Hashes what is uploaded, each stretch of the file once, however often it is.
struct UploadReader<'t> {
    trace: &'t Trace,
    blobs: HashMap<BlobId, Range<u64>>,
    /// By the file offset of their first byte: what streams upload.
    streams: HashMap<u64, Rc<[UploadedBytes]>>,
    hashed: HashMap<(u64, u64), UploadedBytes>,
}

impl UploadReader<'_> {
    fn read(&mut self, submitted: &Submitted<'_>, commands: &SubmittedCommands<'_>) -> Rc<[UploadedBytes]> {
        // A packet that is a record of its own names blobs, which may be others each time.
        let is_stream = submitted.context.is_some();
        let known = self.streams.get(&submitted.place.start).filter(|_| is_stream);
        if let Some(known) = known {
            return known.clone();
        }
        let Ok(bytes) = commands.read(submitted) else { return Rc::default() };
        let commands = submitted.packets(&bytes).filter_map(|packet| packet.and_then(|packet| packet.command()).ok());
        let uploads: Vec<UploadedBytes> = commands.filter_map(|command| self.upload(&command)).collect();
        let uploads: Rc<[UploadedBytes]> = uploads.into();
        if is_stream {
            self.streams.insert(submitted.place.start, uploads.clone());
        }
        uploads
    }

    fn upload(&mut self, command: &Command) -> Option<UploadedBytes> {
        let Command::Upload(Upload { payload, .. }) = command else { return None };
        let place = match payload {
            Payload::Blob(id) => self.blobs.get(id)?.clone(),
            Payload::Inline(bytes) => bytes.range(),
        };
        let size_bytes = place.end.checked_sub(place.start).filter(|size| *size <= MAX_PACKET_BYTES)?;
        let key = (place.start, size_bytes);
        if let Some(known) = self.hashed.get(&key) {
            return Some(*known);
        }
        let hashed = UploadedBytes::of(&self.trace.read(place).ok()?);
        self.hashed.insert(key, hashed);
        Some(hashed)
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
    damage: Option<SubmittedDamage>,
    markers: MarkerTracks,
}

/// Counters of A3A0 streams, and what they have counted of the frame so far.
struct StreamCounters {
    presents: TrackId,
    copies: TrackId,
    present_count: u64,
    copied_bytes: u64,
    /// What one run of each stream that was met does, by the file offset of its first byte.
    known: HashMap<u64, Figures>,
    /// Where the packets that are on the track end.
    shown_to: u64,
}

/// What packets do when they run once.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    draws: u64,
    presents: u64,
    uploaded_bytes: u64,
    copied_bytes: u64,
}

impl Figures {
    fn add(&mut self, command: &Command) {
        match command {
            Command::Draw(_) | Command::DrawIndexed(_) => self.draws += 1,
            Command::Present(_) => self.presents += 1,
            Command::Upload(Upload { size_bytes, .. }) => {
                self.uploaded_bytes = self.uploaded_bytes.saturating_add(*size_bytes);
            }
            Command::CopyBuffer(CopyBuffer { size_bytes, .. }) => {
                self.copied_bytes = self.copied_bytes.saturating_add(*size_bytes);
            }
            _ => {}
        }
    }
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
        Self {
            builder,
            packets,
            blobs,
            draws,
            uploads,
            present,
            draw_count: 0,
            uploaded_bytes: 0,
            of_streams,
            damage: None,
            markers: MarkerTracks::default(),
        }
    }

    fn record(&mut self, record: &Record<'_>, commands: &mut SubmittedCommands<'_>, diagnostics: &mut Diagnostics) {
        let mut runs_again = None;
        match commands.of(record) {
            Ok(Some(submitted)) => runs_again = self.submitted(&submitted, commands, diagnostics),
            Ok(None) => {}
            Err(error) => self.broken(error.into(), diagnostics),
        }
        match &record.body {
            RecordBody::BeginFrame { .. } | RecordBody::Present { .. } | RecordBody::Packet(_) => {}
            RecordBody::Blob(blob) => {
                let (name, kind) = (format!("{} {}", blob.kind, blob.id), blob.kind.to_string());
                self.add(self.blobs, record.offset, record.end, &name, RecordOffset::NONE);
                let [name, kind] = [name, kind].map(|text| self.builder.intern(text.as_bytes()));
                self.builder.kind(name, kind);
            }
            RecordBody::Submission(_) => {
                self.add(self.packets, record.offset, record.end, record.body.name(), RecordOffset::NONE);
                if let Some(stream) = runs_again {
                    self.add_run(record.offset..record.end, stream);
                }
            }
        }
    }

    /// Shows inside a submission that it runs a stream which is on the track already.
    fn add_run(&mut self, submission: Range<u64>, stream: u64) {
        let name = self.builder.intern(format!("runs the stream at {stream:#x} again").as_bytes());
        let (begin, end) = (Tick(submission.start), Tick(submission.end));
        let span = Span::new(begin, end, name, 1, RecordOffset::NONE, SpanFlags::default());
        self.builder.span(self.packets, span);
    }

    /// Packets run: those of a stream are shown and read where it is met first, and counted each time. Gives the file offset
    /// of a stream that has run before.
    fn submitted(
        &mut self,
        submitted: &Submitted<'_>,
        commands: &SubmittedCommands<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<u64> {
        let place = &submitted.place;
        if submitted.context.is_none() {
            let figures = self.read(submitted, commands, true, diagnostics);
            self.count(figures);
            return None;
        }
        let mut counters = self.of_streams.take().unwrap_or_else(|| self.stream_counters());
        let known = counters.known.get(&place.start).copied();
        let figures = match known {
            Some(figures) => figures,
            None => {
                // The spans of a track come by begin.
                let is_shown = place.start >= counters.shown_to;
                counters.shown_to = counters.shown_to.max(place.end);
                let figures = self.read(submitted, commands, is_shown, diagnostics);
                counters.known.insert(place.start, figures);
                figures
            }
        };
        counters.present_count += figures.presents;
        counters.copied_bytes = counters.copied_bytes.saturating_add(figures.copied_bytes);
        self.of_streams = Some(counters);
        self.count(figures);
        known.map(|_| place.start)
    }

    fn count(&mut self, figures: Figures) {
        self.draw_count += figures.draws;
        self.uploaded_bytes = self.uploaded_bytes.saturating_add(figures.uploaded_bytes);
    }

    /// Shows the packets, if they are to be shown, and adds up what they do.
    fn read(
        &mut self,
        submitted: &Submitted<'_>,
        commands: &SubmittedCommands<'_>,
        is_shown: bool,
        diagnostics: &mut Diagnostics,
    ) -> Figures {
        let mut figures = Figures::default();
        let bytes = match commands.read(submitted) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.broken(error.into(), diagnostics);
                return figures;
            }
        };
        for packet in submitted.packets(&bytes) {
            let command = packet.and_then(|packet| {
                if is_shown {
                    self.show(&packet, submitted.context);
                }
                packet.command()
            });
            match command {
                Ok(command) => figures.add(&command),
                Err(error) => self.broken(error.into(), diagnostics),
            }
        }
        figures
    }

    /// The first thing wrong is what the timeline is told to have; the others are noted.
    fn broken(&mut self, error: SubmittedDamage, diagnostics: &mut Diagnostics) {
        if self.damage.is_none() {
            self.damage = Some(error);
        } else {
            diagnostics.note(error.offset().unwrap_or_default(), error.to_string());
        }
    }

    fn show(&mut self, packet: &ListedPacket<'_>, context: Option<u32>) {
        self.add(self.packets, packet.offset, packet.end(), packet.kind.name(), RecordOffset(packet.offset));
        if let Some(context) = context {
            self.markers.packet(context, packet);
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

    fn end_frame(&mut self, index: usize, bytes: Range<u64>) {
        self.markers.end_frame(&mut self.builder);
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

/// Bytes in which the fields of any packet end.
const LONGEST_FIELDS_BYTES: u64 = 64;

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
        let end = self.trace.stream().end.min(offset.saturating_add(LONGEST_FIELDS_BYTES));
        let bytes = self.trace.read(offset..end.max(offset))?;
        let fields = packet_at(&bytes, offset).map_or_else(Vec::new, |packet| packet.fields());
        Ok(fields.into_iter().map(|(name, value)| (name, value.into())).collect())
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
