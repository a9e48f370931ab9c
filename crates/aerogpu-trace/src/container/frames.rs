//! Where a frame lies in the file.

use std::fmt;
use std::ops::Range;

#[cfg(feature = "reader")]
use serde::{Deserialize, Serialize};

/// Position of a frame in the trace, counted from 0 in file order.
///
/// People are told this number. The `frame_index` field of a TOC entry normally holds the same
/// value; where it does not, the position counts and the difference is a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "reader", derive(Serialize, Deserialize))]
pub struct FrameIndex(pub u32);

impl From<u32> for FrameIndex {
    fn from(frame: u32) -> Self {
        Self(frame)
    }
}

impl FrameIndex {
    /// The position as an index into a slice of frames.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for FrameIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The bytes of one frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameSpan {
    /// First byte of the first record up to the byte after the last.
    pub bytes: Range<u64>,
    /// Absolute file offset of the Present record, if the frame has one.
    pub present_offset: Option<u64>,
}
