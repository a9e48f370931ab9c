//! A frame's records and packets, grouped by the draw that they lead to.
//!
//! ```text
//!  frame ─┬─ draw 0 ─┬─ BeginFrame
//!         │          ├─ CREATE_BUFFER
//!         │          └─ DRAW          a group ends with its draw
//!         ├─ draw 1 ─── DRAW
//!         └─ end ────── PRESENT       what follows the last draw
//! ```
//!
//! Rows are a few numbers each, so that a frame of hundreds of thousands of packets is held and scrolled easily;
//! arguments are decoded when somebody asks. A frame that is damaged has its rows up to the damage.

pub(super) mod arguments;
mod find;
mod markers;
mod read;
mod resource_names;
mod row_id;

pub use arguments::{EventArgument, Meaning};
pub use find::Direction;
pub use markers::FrameMarkers;
pub use resource_names::ResourceNames;
pub use row_id::RowId;

use std::ops::Range;

use serde::{Serialize, Serializer};

use crate::abi::PacketKind;
use crate::bytes::FindingKind;
use crate::command::SubmissionPlace;
use crate::error::ErrorKind;
use crate::format::aerogpu::FrameIndex;

/// The records and packets of a frame, in the order in which they run.
#[derive(Clone, Debug)]
pub struct FrameEvents {
    /// The frame.
    pub frame: FrameIndex,
    /// Its bytes in the file.
    pub bytes: Range<u64>,
    /// Records and packets. A Packet record is not among them, the packets in it are.
    pub rows: Vec<EventRow>,
    /// The rows of the draws.
    pub draws: Vec<u32>,
    /// What is odd, by row.
    pub notes: Vec<EventNote>,
    /// How many more notes there were than are kept.
    pub notes_dropped: u64,
    /// The groups that its markers make.
    pub markers: FrameMarkers,
    /// What is wrong with the frame, first of all.
    pub error: Option<EventError>,
    /// What else is wrong, behind it.
    pub further_errors: Vec<EventError>,
}

/// One record or packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EventRow {
    /// Absolute file offset of its first byte.
    pub offset: u64,
    /// Its length, of records with their header.
    pub size_bytes: u64,
    /// How many packets of the frame come before it: a packet's number.
    pub packet: u32,
    /// The submission that carries it out, if one does.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub submission: Option<SubmissionPlace>,
    /// What it is.
    pub kind: EventKind,
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A packet.
    Packet(PacketKind),
    /// A BeginFrame record.
    BeginFrame,
    /// A Present record.
    Present,
    /// A Blob record.
    Blob,
    /// An AerogpuSubmission record.
    Submission,
    /// A Packet record of an ABI that is not read.
    ForeignPacket,
}

/// Something odd about a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventNote {
    /// The row.
    pub row: u32,
    /// Absolute file offset of the bytes in question.
    pub offset: u64,
    /// Whether it is as the format says.
    #[serde(serialize_with = "finding_kind")]
    pub kind: FindingKind,
    /// What was expected and what was found.
    pub message: String,
}

/// What is wrong with a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventError {
    /// The row that is at fault, or the last one before the damage; `None` if there is none.
    pub row: Option<u32>,
    /// Absolute file offset of what is wrong.
    pub offset: Option<u64>,
    /// One sentence.
    pub message: String,
    /// The kind of trouble.
    #[serde(skip)]
    pub kind: ErrorKind,
}

/// The rows that lead to a draw, or those after the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventGroup {
    /// The draw's number in the frame; `None`: what follows the last draw.
    pub draw: Option<u32>,
    /// The rows; the last of them is the draw.
    pub rows: Range<u32>,
}

impl EventKind {
    /// The name in the specification: of opcodes `DRAW`, of records `BeginFrame`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Packet(kind) => kind.name(),
            Self::BeginFrame => "BeginFrame",
            Self::Present => "Present",
            Self::Blob => "Blob",
            Self::Submission => "AerogpuSubmission",
            Self::ForeignPacket => "Packet",
        }
    }

    /// Whether it is a packet.
    pub fn is_packet(self) -> bool {
        matches!(self, Self::Packet(_))
    }
}

impl Serialize for EventKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

fn finding_kind<S: Serializer>(kind: &FindingKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match kind {
        FindingKind::Oddity => "warning",
        FindingKind::Remark => "note",
    })
}

impl FrameEvents {
    /// How many packets the frame has, as far as it is readable.
    pub fn packet_count(&self) -> u32 {
        self.rows.last().map_or(0, |last| last.packet + u32::from(last.kind.is_packet()))
    }

    /// The groups, one per draw, and one for what follows the last.
    pub fn groups(&self) -> impl Iterator<Item = EventGroup> + '_ {
        let count = self.draws.len() + usize::from(self.draws.last().map_or(0, |last| last + 1) < self.row_count());
        (0..count).filter_map(|group| self.group(group))
    }

    /// A group by its number: that of the draw, or the one after the last draw's.
    pub fn group(&self, group: usize) -> Option<EventGroup> {
        let start = match group.checked_sub(1) {
            None => 0,
            Some(before) => self.draws.get(before)? + 1,
        };
        let (draw, end) = match self.draws.get(group) {
            Some(row) => (Some(group as u32), row + 1),
            None => (None, self.row_count()),
        };
        Some(EventGroup { draw, rows: start..end })
    }

    /// The draw that a row is or leads to; `None`: it follows the last draw.
    pub fn draw_of(&self, row: u32) -> Option<u32> {
        let draw = self.draws.partition_point(|draw_row| *draw_row < row);
        (draw < self.draws.len()).then_some(draw as u32)
    }

    /// Everything that is wrong with the frame.
    pub fn errors(&self) -> impl Iterator<Item = &EventError> {
        self.error.iter().chain(&self.further_errors)
    }

    /// The notes about a row.
    pub fn notes_of(&self, row: u32) -> &[EventNote] {
        let start = self.notes.partition_point(|note| note.row < row);
        let end = self.notes.partition_point(|note| note.row <= row);
        self.notes.get(start..end).unwrap_or_default()
    }

    fn row_count(&self) -> u32 {
        self.rows.len() as u32
    }
}
