//! The commands of a trace in file order, scope by scope.
//!
//! ```text
//!  trace ─┬─ gap      blobs only
//!         ├─ frame 0  records: BeginFrame, blobs, packets or submissions with commands, Present
//!         ├─ gap
//!         ├─ frame 1
//!         ┆
//!         └─ the rest
//! ```
//!
//! Blobs of every scope are taken in by the [`Executor`]; commands go to a consumer, which says with each whether the
//! frame goes on. Nothing after the stream knows records or packets.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use foldhash::HashSet;

use super::d3d::Payloads;
use super::error::{Problem, ReplayError};
use super::executor::Executor;
use super::guest_memory::SubmissionMemory;
use crate::abi;
use crate::abi::{AbiError, CommandSink};
use crate::command::{Command, Located, Location, SubmissionPlace};
use crate::error::Internal;
use crate::format::aerogpu::{
    BlobKind, FormatError, FrameIndex, PacketRun, RECORD_HEADER_BYTES, RecordBody, RecordReader, Submission, Trace,
};
use crate::limits::{MAX_PACKET_BYTES, MAX_REPEATED_STREAM_BYTES};

/// Whether a walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on with the next command.
    Continue,
    /// Leave the rest of the frame.
    Stop,
}

/// Reads commands front to back.
pub struct CommandStream {
    trace: Arc<Trace>,
    reader: RecordReader,
    /// Absolute file offset up to which the trace was read.
    read_to: u64,
    repeats: Repeats,
}

/// The streams that submissions have run.
struct Repeats {
    /// By the absolute file offset of their first byte.
    run: HashSet<u64>,
    /// Bytes of them that may run again, and those that still may.
    limit_bytes: u64,
    budget_bytes: u64,
}

/// What a stretch of records belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// The space between frames, in which only blobs may lie.
    Gap,
    Frame(FrameIndex),
}

impl CommandStream {
    /// A stream that begins with the trace.
    pub fn new(trace: Arc<Trace>) -> Self {
        let stream = trace.stream();
        // Whoever keeps something of each command then keeps little more than of a trace that repeats nothing.
        let limit_bytes = (trace.size_bytes() / 4).min(MAX_REPEATED_STREAM_BYTES);
        let repeats = Repeats { run: HashSet::default(), limit_bytes, budget_bytes: limit_bytes };
        Self { read_to: stream.start, reader: trace.records(stream), repeats, trace }
    }

    /// A stream that begins behind `frame`, or with the trace if there is none.
    pub fn behind(trace: Arc<Trace>, frame: Option<FrameIndex>) -> Result<Self, Internal> {
        let mut stream = Self::new(trace);
        if let Some(frame) = frame {
            stream.read_to = stream.bytes_of(frame)?.end;
        }
        Ok(stream)
    }

    /// A stream that begins with `frame`. What lies before it, blobs too, is known otherwise.
    pub fn at(trace: Arc<Trace>, frame: FrameIndex) -> Result<Self, Internal> {
        let mut stream = Self::new(trace);
        stream.read_to = stream.bytes_of(frame)?.start;
        Ok(stream)
    }

    /// Reads up to the end of `frame`, which has to be the next one, and gives its commands to `each` in order.
    pub fn read_frame<E: From<ReplayError>>(
        &mut self,
        frame: FrameIndex,
        executor: &mut Executor,
        each: impl FnMut(&Located<Command>, &mut Executor) -> Result<Flow, E>,
    ) -> Result<(), E> {
        self.survey_frame(frame, executor, each, |damage, _| Err(damage.into()))
    }

    /// The same, for those who go on behind what is damaged, of which `damaged` is told in its place; what is damaged
    /// before the frame comes first. Behind a packet that is damaged come those after it, as far as they can be read, and
    /// then what follows its submission.
    pub fn survey_frame<E: From<ReplayError>>(
        &mut self,
        frame: FrameIndex,
        executor: &mut Executor,
        each: impl FnMut(&Located<Command>, &mut Executor) -> Result<Flow, E>,
        mut damaged: impl FnMut(ReplayError, &Executor) -> Result<Flow, E>,
    ) -> Result<(), E> {
        let bytes = self.bytes_of(frame).map_err(ReplayError::from)?;
        self.read_gap(bytes.start, executor, &mut damaged)?;
        let end = bytes.end;
        self.read_scope(Scope::Frame(frame), bytes, executor, each, damaged)?;
        self.read_to = end;
        Ok(())
    }

    /// Reads what comes after the last frame.
    pub fn read_rest(&mut self, executor: &mut Executor) -> Result<(), ReplayError> {
        self.read_gap(self.trace.stream().end, executor, &mut |error, _| Err(error))
    }

    /// Compiled once for each kind of error: there are no commands that could be held up.
    fn read_gap<E: From<ReplayError>>(
        &mut self,
        end: u64,
        executor: &mut Executor,
        damaged: &mut dyn FnMut(ReplayError, &Executor) -> Result<Flow, E>,
    ) -> Result<(), E> {
        self.read_scope(Scope::Gap, self.read_to..end, executor, |_, _| Ok(Flow::Continue), damaged)
    }

    fn bytes_of(&self, frame: FrameIndex) -> Result<Range<u64>, Internal> {
        let span = self.trace.frame(frame).ok_or(Internal::new("the trace does not have the requested frame"))?;
        Ok(span.bytes.clone())
    }

    fn read_scope<E: From<ReplayError>>(
        &mut self,
        scope: Scope,
        bytes: Range<u64>,
        executor: &mut Executor,
        each: impl FnMut(&Located<Command>, &mut Executor) -> Result<Flow, E>,
        damaged: impl FnMut(ReplayError, &Executor) -> Result<Flow, E>,
    ) -> Result<(), E> {
        self.reader.seek(bytes);
        let frame = match scope {
            Scope::Frame(frame) => frame,
            Scope::Gap => FrameIndex::default(),
        };
        let (frame_and_packets, submissions, submission) = (u64::from(frame.0), 0, None);
        let repeats = &mut self.repeats;
        let mut consumer = Consumer { frame_and_packets, submissions, submission, repeats, executor, each, damaged };
        decode_scope(&mut self.reader, scope, &mut consumer)
    }
}

const ONE_PACKET: u64 = 1 << 32;

/// Whoever is given the commands of a scope, and how many there were.
struct Consumer<'e, F, D> {
    /// The frame, and above it how many packets of it there were: one word, since a place that is written in halves and
    /// read whole holds up every draw.
    frame_and_packets: u64,
    submissions: u32,
    /// The submission whose commands come.
    submission: Option<SubmissionPlace>,
    repeats: &'e mut Repeats,
    executor: &'e mut Executor,
    each: F,
    damaged: D,
}

/// Decodes the records of `reader`'s range.
fn decode_scope<E, F, D>(reader: &mut RecordReader, scope: Scope, consumer: &mut Consumer<'_, F, D>) -> Result<(), E>
where
    E: From<ReplayError>,
    F: FnMut(&Located<Command>, &mut Executor) -> Result<Flow, E>,
    D: FnMut(ReplayError, &Executor) -> Result<Flow, E>,
{
    loop {
        if let Scope::Frame(_) = scope {
            let mut run = reader.packet_run().map_err(ReplayError::from)?;
            let flow = decode_run(&mut run, consumer);
            let reached = run.offset();
            reader.skip_to(reached);
            consumer.executor.blobs.pass(reached);
            if flow? == Flow::Stop {
                return Ok(());
            }
        }
        let record = match reader.next_record(&mut consumer.executor.diagnostics) {
            Ok(Some(record)) => record,
            // silent: the scope has ended
            Ok(None) => return Ok(()),
            // What follows cannot be found.
            Err(error) => return (consumer.damaged)(error.into(), consumer.executor).map(|_| ()),
        };
        consumer.executor.blobs.observe(&record);
        let flow = match (record.body, scope) {
            (RecordBody::BeginFrame { .. } | RecordBody::Present { .. } | RecordBody::Blob(_), _) => Flow::Continue,
            (body, Scope::Gap) => {
                let (what, offset) = (body.name(), record.offset);
                let error = FormatError::OutsideFrames { what, offset };
                (consumer.damaged)(error.into(), consumer.executor)?
            }
            (RecordBody::Packet(payload), Scope::Frame(_)) => decode_odd_packet(payload, record.offset, consumer)?,
            (RecordBody::Submission(submission), Scope::Frame(_)) => {
                decode_submission(&submission, record.offset, consumer)?
            }
        };
        if flow == Flow::Stop {
            return Ok(());
        }
    }
}

/// Decodes a Packet record that is in no run. Apart from the others, so that those are compiled into one tight loop.
#[cold]
#[inline(never)]
fn decode_odd_packet<E, F, D>(payload: &[u8], offset: u64, consumer: &mut Consumer<'_, F, D>) -> Result<Flow, E>
where
    E: From<ReplayError>,
    F: FnMut(&Located<Command>, &mut Executor) -> Result<Flow, E>,
    D: FnMut(ReplayError, &Executor) -> Result<Flow, E>,
{
    consumer.decode_payload(payload, offset)
}

/// Decodes Packet records that are in memory, which are nearly all of them.
#[inline(always)]
fn decode_run<E, F, D>(run: &mut PacketRun<'_>, consumer: &mut Consumer<'_, F, D>) -> Result<Flow, E>
where
    E: From<ReplayError>,
    F: FnMut(&Located<Command>, &mut Executor) -> Result<Flow, E>,
    D: FnMut(ReplayError, &Executor) -> Result<Flow, E>,
{
    for (offset, payload) in run {
        if consumer.decode_payload(payload, offset)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Continue)
}

/// The context of a stream that stands in a Packet record.
const PACKET_RECORD_CONTEXT: u32 = 0;

/// Decodes the stream of a submission, which may lie anywhere in the trace.
#[cold]
#[inline(never)]
fn decode_submission<E, F, D>(
    submission: &Submission,
    offset: u64,
    consumer: &mut Consumer<'_, F, D>,
) -> Result<Flow, E>
where
    E: From<ReplayError>,
    F: FnMut(&Located<Command>, &mut Executor) -> Result<Flow, E>,
    D: FnMut(ReplayError, &Executor) -> Result<Flow, E>,
{
    consumer.begin_submission(submission.context_id);
    let at = consumer.at(offset);
    match stream_of(submission, at, consumer.executor, consumer.repeats) {
        Ok((bytes, start)) => {
            let bytes = Arc::new(bytes);
            let mut memory = SubmissionMemory::of(submission, offset);
            let checked = memory.check(&mut consumer.executor.blobs);
            consumer.executor.begin_submission(offset, Payloads::of_stream(start, bytes.clone()), memory);
            if let Err(problem) = checked {
                let error = ReplayError::Command { command: "AerogpuSubmission", at, problem };
                if (consumer.damaged)(error, consumer.executor)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                // None of its packets runs. They have numbers all the same, like those behind a damaged one.
                consumer.executor.end_submission();
            }
            flow_of(abi::decode_stream(&bytes, start, consumer))
        }
        Err(error) => (consumer.damaged)(error, consumer.executor),
    }
}

impl<E, F, D> CommandSink for Consumer<'_, F, D>
where
    E: From<ReplayError>,
    F: FnMut(&Located<Command>, &mut Executor) -> Result<Flow, E>,
    D: FnMut(ReplayError, &Executor) -> Result<Flow, E>,
{
    type Break = Result<Flow, E>;

    #[inline(always)]
    fn command(&mut self, offset: u64, value: Command) -> ControlFlow<Result<Flow, E>> {
        let command = Located { at: self.at(offset), value };
        match (self.each)(&command, self.executor) {
            Ok(Flow::Continue) => {
                self.frame_and_packets = self.frame_and_packets.wrapping_add(ONE_PACKET);
                ControlFlow::Continue(())
            }
            stop => ControlFlow::Break(stop),
        }
    }

    fn damage(&mut self, offset: u64, source: AbiError) -> ControlFlow<Result<Flow, E>> {
        let at = self.at(offset);
        if at.submission.is_some() {
            self.executor.end_submission();
        }
        match (self.damaged)(ReplayError::Abi { source, at }, self.executor) {
            Ok(Flow::Continue) => {
                self.frame_and_packets = self.frame_and_packets.wrapping_add(ONE_PACKET);
                ControlFlow::Continue(())
            }
            stop => ControlFlow::Break(stop),
        }
    }
}

impl<F, D> Consumer<'_, F, D> {
    #[inline(always)]
    fn at(&self, offset: u64) -> Location {
        let (frame, packet) = (FrameIndex(self.frame_and_packets as u32), (self.frame_and_packets >> 32) as u32);
        Location { offset, frame, packet, submission: self.submission }
    }

    /// A stream that stands in a Packet record: it has no memory.
    #[cold]
    #[inline(never)]
    fn begin_packet_stream(&mut self, payload: &[u8], record: u64) {
        self.begin_submission(PACKET_RECORD_CONTEXT);
        let payloads = Payloads::of_stream(record + RECORD_HEADER_BYTES, Arc::new(payload.to_vec()));
        self.executor.begin_submission(record, payloads, SubmissionMemory::default());
    }

    fn begin_submission(&mut self, context: u32) {
        self.submission = Some(SubmissionPlace::new(self.submissions, context));
        self.submissions += 1;
    }
}

impl<E, F, D> Consumer<'_, F, D>
where
    E: From<ReplayError>,
    F: FnMut(&Located<Command>, &mut Executor) -> Result<Flow, E>,
    D: FnMut(ReplayError, &Executor) -> Result<Flow, E>,
{
    /// Decodes the payload of a Packet record at `offset`.
    #[inline(always)]
    fn decode_payload(&mut self, payload: &[u8], offset: u64) -> Result<Flow, E> {
        if abi::runs_as_submission(payload) {
            self.begin_packet_stream(payload, offset);
        } else {
            self.submission = None;
        }
        flow_of(abi::decode(payload, offset + RECORD_HEADER_BYTES, self))
    }
}

/// A submission's stream, with the absolute file offset of its first byte.
fn stream_of(
    submission: &Submission,
    at: Location,
    executor: &mut Executor,
    repeats: &mut Repeats,
) -> Result<(Vec<u8>, u64), ReplayError> {
    let id = submission.cmd_stream_blob_id;
    let blob = executor.blobs.resolve(id, BlobKind::AerogpuCmdStream, at.offset);
    let refused = |problem| ReplayError::Command { command: "AerogpuSubmission", at, problem };
    let blob = blob.map_err(refused)?;
    let (found, offset) = (blob.size_bytes(), blob.bytes.start);
    if found > MAX_PACKET_BYTES {
        let what = "a command stream's length";
        return Err(refused(Problem::OverLimit { what, found, limit: MAX_PACKET_BYTES }));
    }
    if !repeats.run.insert(offset) {
        let Some(left) = repeats.budget_bytes.checked_sub(found) else {
            let (what, limit) = ("the length of the command streams that run again", repeats.limit_bytes);
            let found = limit - repeats.budget_bytes + found;
            return Err(refused(Problem::OverLimit { what, found, limit }));
        };
        repeats.budget_bytes = left;
    }
    Ok((executor.blobs.read(&blob).map_err(FormatError::from)?, offset))
}

#[inline(always)]
fn flow_of<E>(flow: ControlFlow<Result<Flow, E>>) -> Result<Flow, E> {
    match flow {
        ControlFlow::Continue(()) => Ok(Flow::Continue),
        ControlFlow::Break(stop) => stop,
    }
}
