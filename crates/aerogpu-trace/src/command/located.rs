//! Where in the file something stands, carried with it all the way to a GPU error.

use std::fmt;
use std::num::NonZeroU64;

#[cfg(feature = "reader")]
use serde::ser::SerializeStruct;
#[cfg(feature = "reader")]
use serde::{Serialize, Serializer};

use crate::container::FrameIndex;

/// Where a command stands in the file, or another record among the commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "reader", derive(Serialize))]
pub struct Location {
    /// Absolute file offset of its first byte.
    pub offset: u64,
    /// The frame it belongs to.
    pub frame: FrameIndex,
    /// Its number among the frame's commands, counted from 0; of another record, that of the next command.
    pub packet: u32,
    /// The submission that carries it out, if its stream is one.
    #[cfg_attr(feature = "reader", serde(flatten, skip_serializing_if = "Option::is_none"))]
    pub submission: Option<SubmissionPlace>,
}

/// Which submission of a frame carries something out, and for whom.
///
/// One word, which every command of a stream carries along.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SubmissionPlace(NonZeroU64);

impl SubmissionPlace {
    /// Submission `number` of its frame, counted from 0, of the context `context`.
    pub const fn new(number: u32, context: u32) -> Self {
        // The upper half is not 0, and with the last of all numbers as large as it can be.
        let word = (number as u64).saturating_add(1).saturating_mul(1 << 32) | context as u64;
        Self(NonZeroU64::MIN.saturating_add(word - 1))
    }

    /// Its number in the frame, counted from 0.
    pub const fn number(self) -> u32 {
        ((self.0.get() >> 32) - 1) as u32
    }

    /// The context whose state it changes.
    pub const fn context(self) -> u32 {
        self.0.get() as u32
    }
}

impl fmt::Debug for SubmissionPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubmissionPlace").field("number", &self.number()).field("context", &self.context()).finish()
    }
}

#[cfg(feature = "reader")]
impl Serialize for SubmissionPlace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("SubmissionPlace", 2)?;
        object.serialize_field("submission", &self.number())?;
        object.serialize_field("context", &self.context())?;
        object.end()
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, frame, packet, submission } = self;
        write!(f, "at {offset:#x} (frame {frame}, ")?;
        if let Some(submission) = submission {
            write!(f, "submission {}, context {}, ", submission.number(), submission.context())?;
        }
        write!(f, "packet {packet})")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submission_s_place_is_one_word() {
        for (number, context) in [(0, 0), (0, u32::MAX), (7, 3), (u32::MAX - 1, 1)] {
            let place = SubmissionPlace::new(number, context);
            assert_eq!((place.number(), place.context()), (number, context));
        }
        let at = Location { offset: 16, frame: FrameIndex(2), packet: 5, submission: Some(SubmissionPlace::new(1, 4)) };
        assert_eq!(at.to_string(), "at 0x10 (frame 2, submission 1, context 4, packet 5)");
        assert_eq!(size_of::<Location>(), 24);
    }
}
