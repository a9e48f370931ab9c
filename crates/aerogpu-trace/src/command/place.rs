//! A place in the trace: what one goes to, and asks about.
//!
//! This is the one type for it. A [`Location`](super::Location) is something else: where the bytes of a command or record stand in the
//! file, which nobody types.
//!
//! # The text form
//!
//! A place is written in one way, which no shell needs quotes for:
//!
//! ```text
//! place = frame [ "/" point ]              7              frame 7, carried out to its end
//! point = "start"                          7/start        before its first packet
//!       | "draw=" number                   7/draw=2       after its third draw
//!       | "packet=" number                 7/packet=12    after its thirteenth packet
//! ```
//!
//! Numbers are decimal and counted from 0; draws and packets count over the whole frame, whatever submissions it has.
//! A point is a segment of its own, `name=value`, so that streams with several submissions, contexts and presents in a
//! frame, and resources of which a part is asked for, add segments (`7/present=1`, `7/draw=2/target=40:1:0`) and change
//! none of those that there are. In sentences a place is told by [`Place::in_words`].

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "reader")]
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::container::FrameIndex;
use trace_base::error::{Classified, ErrorKind};

/// A place in the trace: a frame, carried out up to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "reader", derive(Serialize, Deserialize))]
pub struct Place {
    /// The frame.
    pub frame: FrameIndex,
    /// How far into it.
    pub point: Point,
}

/// How far into a frame a [`Place`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "reader", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum Point {
    /// Before its first packet: what the frame before has left.
    Start,
    /// After this draw, counted from 0. A question about the place is about what that draw draws with.
    Draw(u32),
    /// After this packet, counted from 0.
    Packet(u32),
    /// After its last packet.
    End,
}

impl Point {
    /// Before a packet, counted from 0.
    pub fn before_packet(packet: u32) -> Self {
        packet.checked_sub(1).map_or(Self::Start, Self::Packet)
    }

    /// After a draw; without one, at the end.
    pub fn after_draw(draw: Option<u32>) -> Self {
        draw.map_or(Self::End, Self::Draw)
    }
}

impl Place {
    /// Before the first packet of a frame.
    pub fn start_of(frame: FrameIndex) -> Self {
        Self { frame, point: Point::Start }
    }

    /// After the last packet of a frame.
    pub fn end_of(frame: FrameIndex) -> Self {
        Self { frame, point: Point::End }
    }

    /// After a draw of a frame, counted from 0.
    pub fn at_draw(frame: FrameIndex, draw: u32) -> Self {
        Self { frame, point: Point::Draw(draw) }
    }

    /// After a packet of a frame, counted from 0.
    pub fn after_packet(frame: FrameIndex, packet: u32) -> Self {
        Self { frame, point: Point::Packet(packet) }
    }

    /// The place as a sentence tells it: `frame 7, draw 2`.
    pub fn in_words(self) -> impl fmt::Display {
        let Self { frame, point } = self;
        fmt::from_fn(move |f| {
            write!(f, "frame {frame}")?;
            match point {
                Point::Start => f.write_str(" before its first packet"),
                Point::Draw(draw) => write!(f, ", draw {draw}"),
                Point::Packet(packet) => write!(f, ", packet {packet}"),
                Point::End => Ok(()),
            }
        })
    }
}

/// A frame, carried out to its end.
impl From<FrameIndex> for Place {
    fn from(frame: FrameIndex) -> Self {
        Self::end_of(frame)
    }
}

/// The end of the frame with this number.
impl From<u32> for Place {
    fn from(frame: u32) -> Self {
        Self::end_of(FrameIndex(frame))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.frame)?;
        match self.point {
            Point::Start => f.write_str("/start"),
            Point::Draw(draw) => write!(f, "/draw={draw}"),
            Point::Packet(packet) => write!(f, "/packet={packet}"),
            Point::End => Ok(()),
        }
    }
}

/// A place where JSON has it in its text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "reader", derive(Serialize, Deserialize), serde(into = "String", try_from = "String"))]
pub struct PlaceText(pub Place);

impl From<PlaceText> for String {
    fn from(PlaceText(place): PlaceText) -> Self {
        place.to_string()
    }
}

impl TryFrom<String> for PlaceText {
    type Error = PlaceError;

    fn try_from(text: String) -> Result<Self, PlaceError> {
        text.parse().map(Self)
    }
}

/// A text that is no place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlaceError {
    /// It does not begin with a frame.
    #[error(
        "\"{found}\" is not a place in the trace: expected a frame and, if needed, a point in it: 7, \
        7/start, 7/draw=2 or 7/packet=12"
    )]
    Frame {
        /// What stands where the frame should.
        found: String,
    },
    /// What follows the frame is no point of one.
    #[error("\"{found}\" is not a point in a frame: expected start, draw=NUMBER or packet=NUMBER")]
    Point {
        /// What follows the frame.
        found: String,
    },
    /// A draw or packet without its number.
    #[error("\"{found}\" is not a {what} number: expected 0 to {}", u32::MAX)]
    Number {
        /// What is numbered.
        what: &'static str,
        /// What stands where the number should.
        found: String,
    },
}

impl Classified for PlaceError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let (frame, point) = match text.split_once('/') {
            Some((frame, point)) => (frame, Some(point)),
            None => (text, None),
        };
        let frame = number(frame).ok_or_else(|| PlaceError::Frame { found: frame.to_owned() })?;
        Ok(Self { frame: FrameIndex(frame), point: point.map_or(Ok(Point::End), parse_point)? })
    }
}

fn parse_point(text: &str) -> Result<Point, PlaceError> {
    let numbered =
        |what, found: &str| number(found).ok_or_else(|| PlaceError::Number { what, found: found.to_owned() });
    match text.split_once('=') {
        None if text == "start" => Ok(Point::Start),
        Some(("draw", draw)) => Ok(Point::Draw(numbered("draw", draw)?)),
        Some(("packet", packet)) => Ok(Point::Packet(numbered("packet", packet)?)),
        _ => Err(PlaceError::Point { found: text.to_owned() }),
    }
}

/// A number as places are written with: digits alone.
fn number(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_read_as_it_was_written() {
        for frame in [0, 7, u32::MAX].map(FrameIndex) {
            let numbered = [0, 3, u32::MAX].into_iter().flat_map(|number| [Point::Draw(number), Point::Packet(number)]);
            let mut texts = std::collections::BTreeSet::new();
            for point in numbered.chain([Point::Start, Point::End]) {
                let place = Place { frame, point };
                assert_eq!(place.to_string().parse(), Ok(place));
                texts.insert(place.to_string());
            }
            assert_eq!(texts.len(), 8, "{texts:?}");
        }
        let texts = ["7", "7/start", "7/draw=2", "7/packet=12"];
        let frame = FrameIndex(7);
        let places =
            [Place::end_of(frame), Place::start_of(frame), Place::at_draw(frame, 2), Place::after_packet(frame, 12)];
        assert_eq!(places.map(|place| place.to_string()), texts);
        let words = ["frame 7", "frame 7 before its first packet", "frame 7, draw 2", "frame 7, packet 12"];
        assert_eq!(places.map(|place| place.in_words().to_string()), words);
    }

    #[test]
    fn what_is_no_place_is_refused_in_words() {
        let refusal = |text: &str| text.parse::<Place>().unwrap_err().to_string();
        let no_frame = |found: &str| {
            format!(
                "\"{found}\" is not a place in the trace: expected a frame and, if needed, a point in it: 7, \
                    7/start, 7/draw=2 or 7/packet=12"
            )
        };
        for (text, found) in [("", ""), ("x", "x"), ("-1", "-1"), ("+1", "+1"), (" 1", " 1"), ("/draw=1", "")] {
            assert_eq!(refusal(text), no_frame(found));
        }
        assert_eq!(refusal("4294967296/draw=1"), no_frame("4294967296"));
        for point in ["", "end", "Start", "draw", "draw:1", "drow=1", "start/", "start=1"] {
            let expected = format!(
                "\"{point}\" is not a point in a frame: expected start, draw=NUMBER or \
                packet=NUMBER"
            );
            assert_eq!(refusal(&format!("7/{point}")), expected);
        }
        let number = "expected 0 to 4294967295";
        assert_eq!(refusal("7/draw="), format!("\"\" is not a draw number: {number}"));
        assert_eq!(refusal("7/draw=1/packet=2"), format!("\"1/packet=2\" is not a draw number: {number}"));
        assert_eq!(refusal("7/packet=4294967296"), format!("\"4294967296\" is not a packet number: {number}"));
        assert_eq!(refusal("x").parse::<Place>().unwrap_err().kind(), ErrorKind::Usage);
    }
}
