//! The identity of a row.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{EventRow, FrameEvents};
use crate::analysis::{Analysis, AnalysisError};
use crate::command::Location;
use crate::format::aerogpu::FrameIndex;
use crate::replay::CommandNumber;

/// The identity of a row among all events of a trace.
///
/// Rows are ordered as they run. A file offset is no identity: the packets of a stream stand inside a Blob record, which
/// may be submitted any number of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowId {
    /// The frame.
    pub frame: FrameIndex,
    /// The row's number in the frame, counted from 0.
    pub row: u32,
}

impl RowId {
    /// Place right before a frame's first row, so that a search from there begins with that row.
    pub fn last_before(frame: FrameIndex) -> Option<Self> {
        Some(Self { frame: FrameIndex(frame.0.checked_sub(1)?), row: u32::MAX })
    }
}

impl Analysis {
    /// The first row of the trace that is about the byte at a file offset: a packet rather than the Blob record around
    /// its stream, wherever that is submitted.
    pub fn row_about(&self, offset: u64) -> Result<Option<RowId>, AnalysisError> {
        // The packets of a stream follow each other, so that the command which holds a byte is the last to begin up to it.
        let commands = (0..self.index.command_count()).map(CommandNumber);
        let begun = commands.filter_map(|number| self.index.location(number)).filter(|at| at.offset <= offset);
        // Of several runs of a stream the first counts.
        let nearest = begun.max_by_key(|at| (at.offset, Reverse((at.frame, at.packet))));
        let own = nearest.map(|at| at.frame);
        let around = self.trace.frames().partition_point(|frame| frame.bytes.end <= offset);
        let around =
            self.trace.frames().get(around).map(|_| FrameIndex(around as u32)).filter(|frame| Some(*frame) != own);
        let mut found = None;
        for frame in own.into_iter().chain(around) {
            let events = FrameEvents::read(&self.trace, frame)?;
            let Some(row) = events.row_about(offset) else { continue };
            let is_packet = events.rows.get(row as usize).is_some_and(|row| row.kind.is_packet());
            if is_packet || found.is_none() {
                found = Some(events.id_of(row));
            }
            if is_packet {
                break;
            }
        }
        Ok(found)
    }
}

impl FrameEvents {
    /// The identity of one of the rows, by its number.
    pub fn id_of(&self, row: u32) -> RowId {
        RowId { frame: self.frame, row }
    }

    /// The row of a packet.
    pub fn row_of_packet(&self, packet: u32) -> Option<u32> {
        // Records have the number of the packet that follows them, so the packet is the last of its number.
        let after = self.rows.partition_point(|row| row.packet <= packet);
        let row = after.checked_sub(1)?;
        let found = self.rows.get(row)?;
        (found.packet == packet && found.kind.is_packet()).then_some(row as u32)
    }

    /// The row of a command or record of the frame, by where it stands.
    pub fn row_of(&self, at: Location) -> Option<u32> {
        let start = self.rows.partition_point(|row| row.packet < at.packet);
        let same_packet = self.rows.iter().enumerate().skip(start).take_while(|(_, row)| row.packet == at.packet);
        let found = same_packet.into_iter().find(|(_, row)| row.offset == at.offset).map(|(row, _)| row as u32);
        found.or_else(|| self.row_of_packet(at.packet))
    }

    /// The first row that is about the byte at `offset`: the packet that holds it rather than the Blob record around
    /// its stream.
    pub fn row_about(&self, offset: u64) -> Option<u32> {
        let holds = |row: &EventRow| (row.offset..row.offset + row.size_bytes).contains(&offset);
        let holding = self.rows.iter().enumerate().filter(|(_, row)| holds(row));
        holding.min_by_key(|(_, row)| row.size_bytes).map(|(row, _)| row as u32)
    }
}
