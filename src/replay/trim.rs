//! Writes traces that hold some frames of another trace, and what those depend on.
//!
//! The frames asked for keep their Packet records as they are. The earlier commands that they depend on come first in
//! the frame that follows them, in their order, a record each. Blobs are written before the packet that means them,
//! and again where an id has meant something else in between, so every packet sees the bytes that it saw.
//!
//! Pictures of whole frames are kept. What a frame draws before a CLEAR of its own is overwritten, and what lay under
//! it is not kept, so a picture from before that CLEAR may differ.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::command_reader::CommandReader;
use super::error::ReplayError;
use super::index::{CommandNumber, ResolvedCommand, TraceIndex};
use super::target_size::largest_viewport;
use crate::abi::reference::Packet;
use crate::abi::{self, AbiError};
use crate::bytes::{Diagnostics, ReadError};
use crate::command::{Command, CreateShader, Payload, ShaderCode, Upload};
use crate::error::{Classified, ErrorKind, Internal};
use crate::format::aerogpu::{
    BlobDefinition, BlobId, FormatError, FrameIndex, RECORD_HEADER_BYTES, RecordBody, Trace, TraceWriter, WriteError,
};
use crate::pixels::Size;

/// A trace that cannot be trimmed.
#[derive(Debug, Error)]
pub enum TrimError {
    /// The index does not reach the frame.
    #[error("frame {frame} cannot be kept: {reason}")]
    NotIndexed {
        /// The frame.
        frame: FrameIndex,
        /// What is wrong before or in it.
        reason: String,
        /// What kind of trouble that is.
        kind: ErrorKind,
        /// Absolute file offset of it, if it has a place.
        offset: Option<u64>,
    },
    /// The trace cannot be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The trace cannot be read.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A blob cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A packet cannot be decoded.
    #[error(transparent)]
    Abi(#[from] AbiError),
    /// The new trace cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<Internal> for TrimError {
    fn from(error: Internal) -> Self {
        Self::Replay(error.into())
    }
}

impl Classified for TrimError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotIndexed { kind, .. } => *kind,
            Self::Replay(error) => error.kind(),
            Self::Format(error) => error.kind(),
            Self::Read(error) => error.kind(),
            Self::Abi(error) => error.kind(),
            Self::Write(error) => error.kind(),
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::NotIndexed { offset, .. } => *offset,
            Self::Replay(error) => error.offset(),
            Self::Format(error) => error.offset(),
            Self::Read(error) => error.offset(),
            Self::Abi(error) => error.offset(),
            Self::Write(error) => error.offset(),
        }
    }
}

/// Writes a version 1 trace of `frames`, which are ascending, to `sink`.
pub fn write_trimmed<W: Write>(
    trace: &Arc<Trace>,
    index: &TraceIndex,
    frames: &[FrameIndex],
    sink: W,
) -> Result<W, TrimError> {
    if let Some(number) = index.first_submission() {
        let at = index.require_location(number)?;
        let command = CommandReader::new(trace.clone()).read(at)?.value.name();
        return Err(ReplayError::NotDrawn { command, at }.into());
    }
    let mut kept = BTreeSet::new();
    let mut own = Vec::new();
    for frame in frames {
        let end = index.commands_of(*frame).ok_or_else(|| not_indexed(index, *frame))?.end;
        let slice = index.slice(*frame, end, None)?.ok_or_else(|| not_indexed(index, *frame))?;
        kept.extend(slice.earlier);
        own.push(slice.own);
    }
    let meta = trimmed_meta(trace, frames).to_string();
    let writer = TraceWriter::new(sink, trace.header().command_abi_version, &meta)?;
    let mut trim = Trim { trace, index, writer, written: HashMap::new(), reader: CommandReader::new(trace.clone()) };
    let lost_size = lost_target_size(trace, index, &kept, &own);
    let mut next = 0;
    for (place, (frame, own)) in frames.iter().zip(&own).enumerate() {
        trim.writer.begin_frame()?;
        if let Some(size) = lost_size.filter(|_| place == 0) {
            trim.keep_target_size(size)?;
        }
        for number in kept.range(CommandNumber(next)..CommandNumber(own.start)) {
            trim.write_command(*number)?;
        }
        trim.write_frame(*frame)?;
        trim.writer.present()?;
        next = own.end;
    }
    Ok(trim.writer.finish()?)
}

fn not_indexed(index: &TraceIndex, frame: FrameIndex) -> TrimError {
    let (reason, kind, offset) = match index.stop() {
        Some(stop) => (stop.message.clone(), stop.kind, stop.offset),
        None => ("the trace has fewer frames".to_owned(), ErrorKind::ReplayFailed, None),
    };
    TrimError::NotIndexed { frame, reason, kind, offset }
}

/// The size of the trace's target, if it is told by a SET_VIEWPORT that is not kept.
fn lost_target_size(
    trace: &Trace,
    index: &TraceIndex,
    kept: &BTreeSet<CommandNumber>,
    own: &[Range<u32>],
) -> Option<Size> {
    let own = own.iter().cloned().flatten().map(CommandNumber);
    let mut numbers: Vec<CommandNumber> = kept.iter().copied().chain(own).collect();
    numbers.sort_unstable();
    let mut largest: Option<Size> = None;
    for number in numbers {
        if let Some(&ResolvedCommand::SetViewport { width_px, height_px }) = index.command(number) {
            let size = Size { width_px, height_px };
            if size.pixels() > largest.map_or(0, Size::pixels) {
                largest = Some(size);
            }
        }
    }
    largest_viewport(trace).filter(|size| Some(*size) != largest)
}

/// The meta JSON of the source, with a note of which of its frames these are.
fn trimmed_meta(trace: &Trace, frames: &[FrameIndex]) -> Value {
    let source = trace.meta().json.as_ref().and_then(Value::as_object);
    let mut meta = source.cloned().unwrap_or_default();
    meta.entry("emulator_version").or_insert_with(|| json!("unknown"));
    meta.insert("command_abi_version".to_owned(), json!(trace.header().command_abi_version));
    let mut note = Map::new();
    note.insert("frames".to_owned(), json!(describe_frames(frames)));
    note.insert("frame_count".to_owned(), json!(trace.frames().len()));
    if let Some(earlier) = meta.remove("trimmed_from") {
        note.insert("trimmed_from".to_owned(), earlier);
    }
    meta.insert("trimmed_from".to_owned(), Value::Object(note));
    Value::Object(meta)
}

/// "3,7-9" of ascending frames.
pub fn describe_frames(frames: &[FrameIndex]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for frame in frames {
        match runs.last_mut().filter(|(_, last)| last + 1 == frame.0) {
            Some((_, last)) => *last = frame.0,
            None => runs.push((frame.0, frame.0)),
        }
    }
    let run = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    runs.into_iter().map(run).collect::<Vec<_>>().join(",")
}

/// A trace being trimmed.
struct Trim<'a, W: Write> {
    trace: &'a Arc<Trace>,
    index: &'a TraceIndex,
    writer: TraceWriter<W>,
    reader: CommandReader,
    /// What each blob id means in the new trace so far: file offset of the record in the old one.
    written: HashMap<BlobId, u64>,
}

impl<W: Write> Trim<'_, W> {
    /// Names the target's size, and takes it back as a viewport.
    fn keep_target_size(&mut self, Size { width_px, height_px }: Size) -> Result<(), TrimError> {
        let mut payload = Vec::new();
        Packet::SetViewport { width_px, height_px }.write(&mut payload);
        Packet::SetViewport { width_px: 0, height_px: 0 }.write(&mut payload);
        Ok(self.writer.packet(&payload)?)
    }

    fn write_command(&mut self, number: CommandNumber) -> Result<(), TrimError> {
        let at = self.index.require_location(number)?;
        let packet = self.reader.read_packet(at)?;
        let (command, payload) = (packet.command()?, packet.bytes.to_vec());
        self.write_blobs_of(&command, at.offset)?;
        Ok(self.writer.packet(&payload)?)
    }

    /// Writes a frame's Packet records as they are.
    fn write_frame(&mut self, frame: FrameIndex) -> Result<(), TrimError> {
        let span = self.trace.frame(frame).ok_or(Internal::new("a frame of the index is not in the trace"))?;
        let mut reader = self.trace.records(span.bytes.clone());
        let mut unnoted = Diagnostics::new();
        while let Some(record) = reader.next_record(&mut unnoted)? {
            let RecordBody::Packet(payload) = record.body else { continue };
            for packet in abi::list_packets(payload, record.offset + RECORD_HEADER_BYTES) {
                let packet = packet?;
                self.write_blobs_of(&packet.command()?, packet.offset)?;
            }
            self.writer.packet(payload)?;
        }
        Ok(())
    }

    /// Writes the blobs that a command at `offset` of the old trace means, unless their ids mean them already.
    fn write_blobs_of(&mut self, command: &Command, offset: u64) -> Result<(), TrimError> {
        match *command {
            Command::Upload(Upload { payload: Payload::Blob(id), .. }) => self.write_blob(id, offset),
            Command::CreateShader(CreateShader { code: ShaderCode::Texts(blobs), .. }) => {
                blobs.by_kind().try_for_each(|(_, id)| self.write_blob(id, offset))
            }
            _ => Ok(()),
        }
    }

    fn write_blob(&mut self, id: BlobId, offset: u64) -> Result<(), TrimError> {
        let blob = self.index.catalog().resolve(id, offset);
        let blob: &BlobDefinition =
            blob.ok_or(Internal::at("a packet's blob is not among those of the index", offset))?;
        if self.written.insert(id, blob.record_offset) != Some(blob.record_offset) {
            let bytes = self.trace.read(blob.bytes.clone())?;
            self.writer.blob_with_id(id, blob.kind, &bytes)?;
        }
        Ok(())
    }
}
