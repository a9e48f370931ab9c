//! One draw of a frame, counted from its start or from its end: `3`, `last`, `-2`.

use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

use super::args::CommonArgs;
use super::exit::Failure;
use super::frame_set::Position;
use super::index::make_index_up_to;
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::text::counted;

/// A draw as it was written; which one it is depends on how many the frame has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DrawNumber(Position);

/// A text that is no draw.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("\"{item}\" is not a draw: expected K, last or -K")]
pub(super) struct DrawNumberError {
    item: String,
}

impl Classified for DrawNumberError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl FromStr for DrawNumber {
    type Err = DrawNumberError;

    fn from_str(text: &str) -> Result<Self, DrawNumberError> {
        Position::parse(text).map(Self).ok_or_else(|| DrawNumberError { item: text.to_owned() })
    }
}

impl DrawNumber {
    /// The number meant. One that is counted from the start is not looked at: whoever goes there says that it is not there.
    pub(crate) fn in_frame(self, frame: FrameIndex, trace: &Arc<Trace>, common: &CommonArgs) -> Result<u32, Failure> {
        match self.0 {
            Position::FromStart(draw) => Ok(draw),
            Position::FromEnd(back) => {
                let index = make_index_up_to(trace, frame.as_usize() + 1, common);
                let draw_count = index.draws_of(frame).count() as u32;
                draw_count.checked_sub(back).ok_or_else(|| {
                    let text = format!(
                        "draw -{back} does not exist: frame {frame} has {draws}, counted from 0",
                        draws = counted(draw_count, "draw")
                    );
                    Failure::usage(text)
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_counted_from_either_end() {
        let parsed = |text: &str| text.parse::<DrawNumber>().map_err(|error| error.to_string());
        assert_eq!(parsed("3"), Ok(DrawNumber(Position::FromStart(3))));
        assert_eq!(parsed("last"), Ok(DrawNumber(Position::FromEnd(1))));
        assert_eq!(parsed("-2"), Ok(DrawNumber(Position::FromEnd(2))));
        for text in ["", "-", "-0", "+1", "1-2", "all", "4294967296"] {
            assert_eq!(parsed(text), Err(format!("\"{text}\" is not a draw: expected K, last or -K")));
        }
    }
}
