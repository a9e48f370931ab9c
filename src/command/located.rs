//! Where in the file something stands, carried with it all the way to a GPU error.

use std::fmt;

use serde::Serialize;

use crate::format::aerogpu::FrameIndex;

/// Where a command stands in the file, or another record among the commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Location {
    /// Absolute file offset of its first byte.
    pub offset: u64,
    /// The frame it belongs to.
    pub frame: FrameIndex,
    /// Its number among the frame's commands, counted from 0; of another record, that of the next command.
    pub packet: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {:#x} (frame {}, packet {})", self.offset, self.frame, self.packet)
    }
}

/// A value and the place in the file it came from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located<T> {
    /// The place.
    pub at: Location,
    /// The value.
    pub value: T,
}
