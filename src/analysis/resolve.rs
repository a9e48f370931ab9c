//! Where in the trace a question is asked.

use super::{Analysis, AnalysisError};
use crate::command::{Location, Place, Point};
use crate::error::ErrorKind;
use crate::format::aerogpu::FrameIndex;
use crate::replay::{CommandNumber, Resolved, Unresolved};

impl Analysis {
    /// Finds a place behind a command of no submission, or behind none, for what is bound by such commands alone.
    pub fn resolve(&self, place: Place) -> Result<Resolved, AnalysisError> {
        let resolved = self.resolve_any(place)?;
        match resolved.end.checked_sub(1).map(CommandNumber) {
            Some(last) if self.index.submission_of(last).is_some() => {
                Err(AnalysisError::OfSubmission { frame: place.frame, at: self.location(last) })
            }
            _ => Ok(resolved),
        }
    }

    /// Finds a place among the commands. What was before a damaged frame is still known at its start.
    pub fn resolve_any(&self, place: Place) -> Result<Resolved, AnalysisError> {
        let frame = place.frame;
        let frame_count = self.trace.frames().len();
        if frame.as_usize() >= frame_count {
            return Err(AnalysisError::NoSuchFrame { frame, frame_count });
        }
        self.index.resolve(place).or_else(|unresolved| match unresolved {
            Unresolved::NotIndexed => self.resolve_unknown(place),
            Unresolved::NoSuchDraw { draw, draw_count } => Err(AnalysisError::NoSuchDraw { draw, frame, draw_count }),
            Unresolved::NoSuchPacket { packet, packet_count } => {
                Err(AnalysisError::NoSuchPacket { packet, frame, packet_count })
            }
        })
    }

    /// The index ends before the frame; what was before the damage is still known.
    fn resolve_unknown(&self, place: Place) -> Result<Resolved, AnalysisError> {
        let frame = place.frame;
        let stop = self.index.stop();
        let stopped_at = stop.map_or(FrameIndex(self.index.frame_count() as u32), |stop| stop.frame);
        if frame == stopped_at && place.point == Point::Start {
            return Ok(Resolved { end: self.index.command_count(), draw: None });
        }
        let message = stop.map_or("the index ends before it".to_owned(), |stop| stop.message.clone());
        let kind = stop.map_or(ErrorKind::ReplayFailed, |stop| stop.kind);
        Err(AnalysisError::Damaged { frame, stopped_at, message, offset: stop.and_then(|stop| stop.offset), kind })
    }

    /// Where a command stands.
    pub fn location(&self, number: CommandNumber) -> Location {
        self.index.location(number).unwrap_or_default()
    }
}
