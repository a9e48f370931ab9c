//! Reads single commands from wherever they lie.

use std::sync::Arc;

use super::error::ReplayError;
use crate::abi::{ListedPacket, PacketKind, list_packets, packet_at};
use crate::command::{Command, Located, Location};
use crate::error::Internal;
use crate::format::aerogpu::{FormatError, Trace};
use crate::limits::MAX_PACKET_BYTES;

/// Bytes read at once: commands that a frame depends on often lie together, and none is longer than 40 bytes.
const WINDOW_BYTES: u64 = 4 << 10;
const LONGEST_PACKET_BYTES: u64 = 40;

/// Reads commands by their place, best in ascending order.
pub struct CommandReader {
    trace: Arc<Trace>,
    window: Vec<u8>,
    window_start: u64,
}

impl CommandReader {
    /// A reader that has read nothing yet.
    pub fn new(trace: Arc<Trace>) -> Self {
        Self { trace, window: Vec::new(), window_start: 0 }
    }

    /// The command at `at`, where the index has seen one.
    pub fn read(&mut self, at: Location) -> Result<Located<Command>, ReplayError> {
        let value = self.read_packet(at)?.command().map_err(|source| ReplayError::Abi { source, at })?;
        Ok(Located { at, value })
    }

    /// The packet at `at`, where the index has seen one.
    pub fn read_packet(&mut self, at: Location) -> Result<ListedPacket<'_>, ReplayError> {
        if at.submission.is_some() {
            return self.read_submitted(at);
        }
        let bytes = self.bytes_at(at.offset)?;
        match list_packets(bytes, at.offset).next() {
            Some(packet) => packet.map_err(|source| ReplayError::Abi { source, at }),
            None => Err(Internal::at("no packet lies where the index has seen one", at.offset).into()),
        }
    }

    /// The packet of a stream at `at`.
    fn read_submitted(&mut self, at: Location) -> Result<ListedPacket<'_>, ReplayError> {
        let lost = Internal::at("no packet of a stream lies where the index has seen one", at.offset);
        let [_, _, _, _, a, b, c, d, ..] = *self.bytes_at(at.offset)? else { return Err(lost.into()) };
        let size_bytes = u64::from(u32::from_le_bytes([a, b, c, d])).min(MAX_PACKET_BYTES);
        let bytes = self.bytes_from(at.offset, size_bytes)?;
        Ok(packet_at(bytes, at.offset).ok_or(lost)?)
    }

    /// The packet at `offset`, of which it is known what it is and how long.
    pub fn read_known(
        &mut self,
        kind: PacketKind,
        offset: u64,
        size_bytes: u64,
    ) -> Result<ListedPacket<'_>, ReplayError> {
        let bytes = self.bytes_from(offset, size_bytes.min(MAX_PACKET_BYTES))?;
        let bytes = bytes.get(..size_bytes as usize).unwrap_or(bytes);
        Ok(ListedPacket { kind, offset, bytes })
    }

    /// The bytes from `offset` on: a whole packet and whatever follows.
    fn bytes_at(&mut self, offset: u64) -> Result<&[u8], ReplayError> {
        self.bytes_from(offset, LONGEST_PACKET_BYTES)
    }

    /// At least `wanted` bytes from `offset` on, unless the stream ends before.
    fn bytes_from(&mut self, offset: u64, wanted: u64) -> Result<&[u8], ReplayError> {
        let stream_end = self.trace.stream().end;
        let wanted_end = offset.saturating_add(wanted).min(stream_end);
        let window_end = self.window_start + self.window.len() as u64;
        if offset < self.window_start || wanted_end > window_end {
            let length = WINDOW_BYTES.max(wanted).min(stream_end.saturating_sub(offset));
            self.window = self.trace.read(offset..offset + length).map_err(FormatError::from)?;
            self.window_start = offset;
        }
        let bytes = self.window.get((offset - self.window_start) as usize..);
        Ok(bytes.ok_or(Internal::at("a command lies outside the bytes read for it", offset))?)
    }
}
