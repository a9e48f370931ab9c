//! Walks one frame's records and says, command by command, what they mean.

use super::blob_store::BlobStore;
use super::error::ReplayError;
use crate::abi::Abi;
use crate::abi::reference;
use crate::bytes::Diagnostics;
use crate::command::{Command, Located, Location};
use crate::format::aerogpu::{FormatError, FrameIndex, PacketRun, RECORD_HEADER_BYTES, RecordBody, RecordReader};

/// Whether a walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on with the next command.
    Continue,
    /// Leave the rest of the frame.
    Stop,
}

/// Decodes the records of `reader`'s range as the frame `frame`; `None` is the space between frames, in which only
/// blobs may lie. Blobs are taken in by `blobs`, commands go to `each` in order.
pub fn decode_frame(
    reader: &mut RecordReader,
    frame: Option<FrameIndex>,
    blobs: &mut BlobStore,
    diagnostics: &mut Diagnostics,
    mut each: impl FnMut(Located<Command>, &mut BlobStore, &mut Diagnostics) -> Result<Flow, ReplayError>,
) -> Result<(), ReplayError> {
    let mut packet = 0;
    loop {
        if let Some(frame) = frame {
            let mut run = reader.packet_run()?;
            let flow = decode_run(&mut run, frame, &mut packet, |command| each(command, blobs, diagnostics));
            let reached = run.offset();
            reader.skip_to(reached);
            blobs.pass(reached);
            if flow? == Flow::Stop {
                return Ok(());
            }
        }
        let Some(record) = reader.next_record(diagnostics)? else { return Ok(()) };
        blobs.observe(&record);
        let offset = record.offset;
        let at = Location { offset, frame: frame.unwrap_or_default(), packet };
        match record.body {
            RecordBody::Packet(_) | RecordBody::Submission(_) if frame.is_none() => {
                return Err(FormatError::OutsideFrames { what: record.body.name(), offset }.into());
            }
            RecordBody::Packet(payload) => {
                let mut each = |command| each(command, blobs, diagnostics);
                if decode_odd_packet(payload, at, &mut packet, &mut each)? == Flow::Stop {
                    return Ok(());
                }
            }
            RecordBody::Submission(_) => return Err(ReplayError::UnsupportedSubmission { at }),
            RecordBody::BeginFrame { .. } | RecordBody::Present { .. } | RecordBody::Blob(_) => {}
        }
    }
}

/// Decodes a Packet record that is in no run. Apart from the others, so that those are compiled into one tight loop.
#[cold]
#[inline(never)]
fn decode_odd_packet(
    payload: &[u8],
    at: Location,
    packet: &mut u32,
    each: &mut dyn FnMut(Located<Command>) -> Result<Flow, ReplayError>,
) -> Result<Flow, ReplayError> {
    decode_payload(payload, at, packet, each)
}

/// Decodes Packet records that are in memory, which are nearly all of them.
#[inline]
fn decode_run(
    run: &mut PacketRun<'_>,
    frame: FrameIndex,
    packet: &mut u32,
    mut each: impl FnMut(Located<Command>) -> Result<Flow, ReplayError>,
) -> Result<Flow, ReplayError> {
    for (offset, payload) in run {
        let at = Location { offset, frame, packet: *packet };
        if decode_payload(payload, at, packet, &mut each)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
    }
    Ok(Flow::Continue)
}

#[inline]
fn decode_payload(
    payload: &[u8],
    at: Location,
    packet: &mut u32,
    mut each: impl FnMut(Located<Command>) -> Result<Flow, ReplayError>,
) -> Result<Flow, ReplayError> {
    let found = Abi::detect(payload);
    if found != Abi::Reference {
        return Err(ReplayError::UnsupportedAbi { found, at });
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
