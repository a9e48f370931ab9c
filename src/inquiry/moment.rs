//! A point of the trace to ask about.

use std::fmt;

use serde::Serialize;

use super::{Inquiry, InquiryError};
use crate::command::Location;
use crate::error::ErrorKind;
use crate::format::aerogpu::FrameIndex;
#[cfg(feature = "gpu")]
use crate::player::Until;
use crate::replay::{CommandNumber, Step};

/// A point of the trace to ask about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// The frame.
    pub frame: FrameIndex,
    /// Where in it.
    pub point: Point,
}

/// A point of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Point {
    /// Before its first packet.
    Start,
    /// At this draw, counted from 0: what it draws with.
    Draw(u32),
    /// After this packet, counted from 0.
    Packet(u32),
    /// After its last packet.
    End,
}

#[cfg(feature = "gpu")]
impl From<Until> for Point {
    fn from(until: Until) -> Self {
        match until {
            Until::AfterDraw(draw) => Self::Draw(draw),
            Until::AfterPacket(packet) => Self::Packet(packet),
            Until::EndOfFrame => Self::End,
        }
    }
}

/// A moment, found in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// How many commands of the trace come before the moment.
    pub end: u32,
    /// The draw at it, if it is at one.
    pub draw: Option<CommandNumber>,
}

impl Moment {
    /// The end of a frame.
    pub fn end_of(frame: FrameIndex) -> Self {
        Self { frame, point: Point::End }
    }

    /// At a draw of a frame.
    pub fn at_draw(frame: FrameIndex, draw: u32) -> Self {
        Self { frame, point: Point::Draw(draw) }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.point {
            Point::Start => write!(f, "before frame {}", self.frame),
            Point::Draw(draw) => write!(f, "frame {}, draw {draw}", self.frame),
            Point::Packet(packet) => write!(f, "frame {}, after packet {packet}", self.frame),
            Point::End => write!(f, "end of frame {}", self.frame),
        }
    }
}

impl Inquiry {
    /// Finds a moment.
    pub fn resolve(&self, moment: Moment) -> Result<Resolved, InquiryError> {
        let Moment { frame, point } = moment;
        let frame_count = self.trace.frames().len();
        if frame.as_usize() >= frame_count {
            return Err(InquiryError::NoSuchFrame { frame, frame_count });
        }
        let Some(own) = self.index.commands_of(frame) else { return self.resolve_unknown(moment) };
        Ok(match point {
            Point::Start => Resolved { end: own.start, draw: None },
            Point::End => Resolved { end: own.end, draw: None },
            Point::Draw(draw) => {
                let Some(number) = self.index.draws_of(frame).nth(draw as usize) else {
                    return Err(InquiryError::NoSuchDraw { draw, frame, draw_count: self.draw_count(frame) });
                };
                Resolved { end: number.0 + 1, draw: Some(number) }
            }
            Point::Packet(packet) => {
                let packet_count = own.end - own.start;
                if packet >= packet_count {
                    return Err(InquiryError::NoSuchPacket { packet, frame, packet_count });
                }
                let number = CommandNumber(own.start + packet);
                let is_draw = matches!(self.index.step(number), Some(Step::Draw { .. }));
                Resolved { end: number.0 + 1, draw: is_draw.then_some(number) }
            }
        })
    }

    /// The index ends before the frame; what was before the damage is still known.
    fn resolve_unknown(&self, moment: Moment) -> Result<Resolved, InquiryError> {
        let frame = moment.frame;
        let stop = self.index.stop();
        let stopped_at = stop.map_or(FrameIndex(self.index.frame_count() as u32), |stop| stop.frame);
        if frame == stopped_at && moment.point == Point::Start {
            return Ok(Resolved { end: self.index.command_count(), draw: None });
        }
        let message = stop.map_or("the index ends before it".to_owned(), |stop| stop.message.clone());
        let kind = stop.map_or(ErrorKind::ReplayFailed, |stop| stop.kind);
        Err(InquiryError::Damaged { frame, stopped_at, message, offset: stop.and_then(|stop| stop.offset), kind })
    }

    /// Where a command stands.
    pub fn location(&self, number: CommandNumber) -> Location {
        self.index.location(number).unwrap_or_default()
    }
}
