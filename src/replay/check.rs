//! Carries out a whole trace without a GPU, to find what is wrong with it.

use std::sync::Arc;

use super::command_stream::{CommandStream, Flow};
use super::error::ReplayError;
use super::executor::Executor;
use crate::abi::{self, AbiError, ListedPacket};
use crate::bytes::{Diagnostics, ReadError};
use crate::command::{Command, Located};
use crate::format::aerogpu::{FormatError, FrameSource, RecordBody, Trace, scan_frames};

/// How closely to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckDepth {
    /// Structure, and every reference of every command.
    References,
    /// Shader texts and draw bounds too, and every byte of every blob is read.
    Everything,
}

/// Bytes of a blob that are read at once.
const CHUNK_BYTES: u64 = 256 << 10;

/// Carries out every command of a trace up to the first that is wrong; `each` sees those that are not.
pub fn check_trace(
    trace: &Arc<Trace>,
    depth: CheckDepth,
    diagnostics: &mut Diagnostics,
    each: impl FnMut(&Located<Command>),
) -> Result<(), ReplayError> {
    let mut executor = Executor::new(trace.clone());
    let checked = check_commands(trace, depth, &mut executor, each);
    diagnostics.append(executor.diagnostics().take());
    checked?;
    if depth == CheckDepth::Everything {
        read_blobs(trace, &executor.into_catalog()).map_err(FormatError::from)?;
    }
    Ok(())
}

fn check_commands(
    trace: &Arc<Trace>,
    depth: CheckDepth,
    executor: &mut Executor,
    mut each: impl FnMut(&Located<Command>),
) -> Result<(), ReplayError> {
    let mut stream = CommandStream::new(trace.clone());
    for frame in trace.frame_indices() {
        stream.read_frame(frame, executor, |command, executor| {
            if depth == CheckDepth::Everything || !command.value.is_draw() || command.at.submission.is_some() {
                executor.apply(command)?;
            }
            each(command);
            Ok::<Flow, ReplayError>(Flow::Continue)
        })?;
    }
    stream.read_rest(executor)
}

fn read_blobs(trace: &Trace, catalog: &crate::format::aerogpu::BlobCatalog) -> Result<(), ReadError> {
    for (_, blob) in catalog.definitions() {
        let mut at = blob.bytes.start;
        while at < blob.bytes.end {
            let next = (at + CHUNK_BYTES).min(blob.bytes.end);
            trace.read(at..next)?;
            at = next;
        }
    }
    Ok(())
}

/// Notes where the TOC and the records disagree about the frames.
pub fn compare_toc_with_stream(trace: &Trace, diagnostics: &mut Diagnostics) {
    let FrameSource::Toc { toc, footer } = trace.frame_source() else { return };
    let mut reader = trace.records(trace.stream());
    let (scanned, _) = scan_frames(&mut reader, &mut Diagnostics::new());
    if scanned.len() != toc.entries.len() {
        let (listed, found) = (toc.entries.len(), scanned.len());
        diagnostics.note(footer.toc_offset, format!("the TOC lists {listed} frames, the records hold {found}"));
        return;
    }
    for ((index, entry), found) in toc.entries.iter().enumerate().zip(&scanned) {
        let listed = entry.start_offset..entry.end_offset;
        // Blobs around a frame may be counted in by the recorder.
        let holds = listed.start <= found.bytes.start && found.bytes.end <= listed.end;
        if !holds {
            let (start, end) = (listed.start, listed.end);
            let what = format!(
                "TOC entry {index} says {start:#x} to {end:#x}, the frame's records lie at {:#x} to {:#x}",
                found.bytes.start, found.bytes.end
            );
            diagnostics.note(found.bytes.start, what);
        }
        let listed = (entry.present_offset != 0).then_some(entry.present_offset);
        if listed != found.present_offset {
            let show = |at: Option<u64>| at.map_or("none".to_owned(), |at| format!("{at:#x}"));
            let (listed, present) = (show(listed), show(found.present_offset));
            let what = format!("TOC entry {index} says Present record {listed}, the records say {present}");
            diagnostics.note(found.bytes.start, what);
        }
    }
}

/// Notes frames whose PRESENT packet and Present record disagree.
pub fn compare_presents(trace: &Trace, diagnostics: &mut Diagnostics) -> Result<(), FormatError> {
    for (index, span) in trace.frames().iter().enumerate() {
        let mut reader = trace.records(span.bytes.clone());
        let (mut packets, mut records, mut has_streams) = (0, 0, false);
        while let Some(record) = reader.next_record(&mut Diagnostics::new())? {
            match record.body {
                // A frame of submissions may show several pictures, or none.
                RecordBody::Submission(_) => has_streams = true,
                RecordBody::Packet(payload) if abi::runs_as_submission(payload) => has_streams = true,
                RecordBody::Packet(payload) => {
                    let is_present = |packet: &Result<ListedPacket<'_>, AbiError>| {
                        matches!(packet.as_ref().map(ListedPacket::command), Ok(Ok(Command::Present(_))))
                    };
                    packets += abi::list_packets(payload, record.offset).filter(is_present).count();
                }
                RecordBody::Present { .. } => records += 1,
                _ => {}
            }
        }
        if !has_streams && packets != records {
            let what = format!("frame {index} has {packets} PRESENT packets and {records} Present records");
            diagnostics.note(span.bytes.start, what);
        }
    }
    Ok(())
}
