//! The commands of a trace in file order, scope by scope.
//!
//! ```text
//!  trace ─┬─ gap      blobs only
//!         ├─ frame 0  records: BeginFrame, blobs, packets with commands, Present
//!         ├─ gap
//!         ├─ frame 1
//!         ┆
//!         └─ the rest
//! ```
//!
//! Blobs of every scope are taken in by the [`Executor`]; commands go to a consumer, which says with each whether the
//! frame goes on. Nothing after the stream knows records or packets.

use std::ops::Range;
use std::sync::Arc;

use super::error::ReplayError;
use super::executor::Executor;
use crate::abi::Abi;
use crate::abi::reference;
use crate::command::{Command, Located, Location};
use crate::error::Internal;
use crate::format::aerogpu::{
    FormatError, FrameIndex, PacketRun, RECORD_HEADER_BYTES, RecordBody, RecordReader, Trace,
};

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
        Self { read_to: stream.start, reader: trace.records(stream), trace }
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
        each: impl FnMut(Located<Command>, &mut Executor) -> Result<Flow, E>,
    ) -> Result<(), E> {
        let bytes = self.bytes_of(frame).map_err(ReplayError::from)?;
        self.read_gap(bytes.start, executor)?;
        let end = bytes.end;
        self.read_scope(Scope::Frame(frame), bytes, executor, each)?;
        self.read_to = end;
        Ok(())
    }

    /// Reads what comes after the last frame.
    pub fn read_rest(&mut self, executor: &mut Executor) -> Result<(), ReplayError> {
        self.read_gap(self.trace.stream().end, executor)
    }

    fn read_gap(&mut self, end: u64, executor: &mut Executor) -> Result<(), ReplayError> {
        self.read_scope(Scope::Gap, self.read_to..end, executor, |_, _| Ok(Flow::Continue))
    }

    fn bytes_of(&self, frame: FrameIndex) -> Result<Range<u64>, Internal> {
        let span =
            self.trace.frame(frame).ok_or(Internal::new("a frame is to be read that the trace does not have"))?;
        Ok(span.bytes.clone())
    }

    fn read_scope<E: From<ReplayError>>(
        &mut self,
        scope: Scope,
        bytes: Range<u64>,
        executor: &mut Executor,
        each: impl FnMut(Located<Command>, &mut Executor) -> Result<Flow, E>,
    ) -> Result<(), E> {
        self.reader.seek(bytes);
        decode_scope(&mut self.reader, scope, executor, each)
    }
}

/// Decodes the records of `reader`'s range.
fn decode_scope<E: From<ReplayError>>(
    reader: &mut RecordReader,
    scope: Scope,
    executor: &mut Executor,
    mut each: impl FnMut(Located<Command>, &mut Executor) -> Result<Flow, E>,
) -> Result<(), E> {
    let mut packet = 0;
    loop {
        if let Scope::Frame(frame) = scope {
            let mut run = reader.packet_run().map_err(ReplayError::from)?;
            let flow = decode_run(&mut run, frame, &mut packet, |command| each(command, executor));
            let reached = run.offset();
            reader.skip_to(reached);
            executor.blobs.pass(reached);
            if flow? == Flow::Stop {
                return Ok(());
            }
        }
        let record = reader.next_record(&mut executor.diagnostics).map_err(ReplayError::from)?;
        let Some(record) = record else { return Ok(()) };
        executor.blobs.observe(&record);
        match (record.body, scope) {
            (RecordBody::BeginFrame { .. } | RecordBody::Present { .. } | RecordBody::Blob(_), _) => {}
            (body, Scope::Gap) => {
                let (what, offset) = (body.name(), record.offset);
                return Err(ReplayError::from(FormatError::OutsideFrames { what, offset }).into());
            }
            (RecordBody::Packet(payload), Scope::Frame(frame)) => {
                let at = Location { offset: record.offset, frame, packet };
                let mut each = |command| each(command, executor);
                if decode_odd_packet(payload, at, &mut packet, &mut each)? == Flow::Stop {
                    return Ok(());
                }
            }
            (RecordBody::Submission(_), Scope::Frame(frame)) => {
                let at = Location { offset: record.offset, frame, packet };
                return Err(ReplayError::UnsupportedSubmission { at }.into());
            }
        }
    }
}

/// Decodes a Packet record that is in no run. Apart from the others, so that those are compiled into one tight loop.
#[cold]
#[inline(never)]
fn decode_odd_packet<E: From<ReplayError>>(
    payload: &[u8],
    at: Location,
    packet: &mut u32,
    each: &mut dyn FnMut(Located<Command>) -> Result<Flow, E>,
) -> Result<Flow, E> {
    decode_payload(payload, at, packet, each)
}

/// Decodes Packet records that are in memory, which are nearly all of them.
#[inline]
fn decode_run<E: From<ReplayError>>(
    run: &mut PacketRun<'_>,
    frame: FrameIndex,
    packet: &mut u32,
    mut each: impl FnMut(Located<Command>) -> Result<Flow, E>,
) -> Result<Flow, E> {
    for (offset, payload) in run {
        let at = Location { offset, frame, packet: *packet };
        if decode_payload(payload, at, packet, &mut each)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Continue)
}

#[inline]
fn decode_payload<E: From<ReplayError>>(
    payload: &[u8],
    at: Location,
    packet: &mut u32,
    mut each: impl FnMut(Located<Command>) -> Result<Flow, E>,
) -> Result<Flow, E> {
    let found = Abi::detect(payload);
    if found != Abi::Reference {
        return Err(ReplayError::UnsupportedAbi { found, at }.into());
    }
    let mut packets = reference::decode_packets(payload, at.offset + RECORD_HEADER_BYTES);
    loop {
        let at = Location { offset: packets.offset(), packet: *packet, ..at };
        let Some(decoded) = packets.next() else { break };
        let lowered = decoded.and_then(|(offset, packet)| reference::lower(packet, offset));
        let value = lowered.map_err(|source| ReplayError::Abi { source, at })?;
        if each(Located { at, value })? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        *packet += 1;
    }
    Ok(Flow::Continue)
}
