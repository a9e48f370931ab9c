//! Where two traces begin to be drawn from something else, found without drawing.

use std::sync::Arc;

use crate::command::{Location, Place};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{
    CommandNumber, CommandReader, DrawParts, InputHash, InputHasher, InputStep, ReplayError, TraceIndex,
};

/// A trace whose frames are compared with another's.
pub struct InputSide {
    trace: Arc<Trace>,
    index: Arc<TraceIndex>,
    hasher: InputHasher,
}

/// A command of one of two traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideCommand {
    /// Its name in the specification.
    pub name: &'static str,
    /// Its place.
    pub at: Location,
    /// Its number among the frame's draws, if it is one of the frame's.
    pub draw: Option<u32>,
}

/// The first frame that two traces draw from something else, and what that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputDifference {
    /// The frame's first draw that is drawn from something else; the frame's end, if no draw is.
    pub place: Place,
    /// The frame of the other trace that it is compared with.
    pub beside: FrameIndex,
    /// The first command that differs, on either side; none where a side has no more commands.
    pub commands: [Option<SideCommand>; 2],
    /// What of it differs, in words; empty where one side has no command, or which of equal commands shows the picture.
    pub parts: Vec<&'static str>,
}

impl InputSide {
    /// The trace with its index.
    pub fn new(trace: Arc<Trace>, index: Arc<TraceIndex>) -> Self {
        Self { hasher: InputHasher::new(trace.clone(), index.clone()), trace, index }
    }

    /// How many frames are in the index.
    pub(super) fn frame_count(&self) -> u32 {
        self.index.frame_count() as u32
    }

    /// What a frame is drawn from, hashed.
    pub(super) fn frame_hash(&mut self, frame: FrameIndex) -> Result<Option<InputHash>, ReplayError> {
        self.hasher.frame(frame)
    }

    /// The parts of what each draw of a frame is drawn from.
    pub(super) fn draw_parts(&mut self, frame: FrameIndex) -> Result<Vec<DrawParts>, ReplayError> {
        self.hasher.draw_parts(frame)
    }

    fn draw_hashes(&mut self, frame: FrameIndex) -> Result<Vec<Option<[u8; 32]>>, ReplayError> {
        Ok(self.hasher.draw_hashes(frame)?.into_iter().map(|hash| hash.map(|hash| hash.0)).collect())
    }

    fn command(&self, frame: FrameIndex, step: &InputStep) -> Result<SideCommand, ReplayError> {
        let at = self.index.require_location(step.command)?;
        let name = CommandReader::new(self.trace.clone()).read(at)?.value.name();
        let is_it = |number: &CommandNumber| *number == step.command;
        let draw = self.index.draws_of(frame).position(|number| is_it(&number)).map(|draw| draw as u32);
        Ok(SideCommand { name, at, draw })
    }
}

/// Compares frame after frame of `frames`, which both sides have in their indices.
pub fn first_input_difference(
    [a, b]: [&mut InputSide; 2],
    frames: impl IntoIterator<Item = FrameIndex>,
) -> Result<Option<InputDifference>, ReplayError> {
    for frame in frames {
        if a.hasher.frame(frame)? != b.hasher.frame(frame)? {
            return difference_of([a, b], [frame, frame]).map(Some);
        }
    }
    Ok(None)
}

/// How a frame of one side differs from a frame of the other.
pub(super) fn difference_of(
    [a, b]: [&mut InputSide; 2],
    [frame, other]: [FrameIndex; 2],
) -> Result<InputDifference, ReplayError> {
    let (of_a, of_b) = (a.hasher.steps(frame)?, b.hasher.steps(other)?);
    let equal = of_a.iter().zip(&of_b).take_while(|(a, b)| a.parts == b.parts).count();
    let steps = [of_a.get(equal), of_b.get(equal)];
    let mut parts = Vec::new();
    if let [Some(a), Some(b)] = steps {
        let differ = a.parts.iter().zip(&b.parts).filter(|(a, b)| a != b).map(|(part, _)| part.name);
        parts.extend(differ);
    }
    let (draws_a, draws_b) = (a.draw_hashes(frame)?, b.draw_hashes(other)?);
    let same = draws_a.iter().zip(&draws_b).take_while(|(a, b)| a == b).count();
    let differs = same < draws_a.len().max(draws_b.len());
    let place = if differs { Place::at_draw(frame, same as u32) } else { Place::end_of(frame) };
    let [step_a, step_b] = steps;
    let commands = [
        step_a.map(|step| a.command(frame, step)).transpose()?,
        step_b.map(|step| b.command(other, step)).transpose()?,
    ];
    Ok(InputDifference { place, beside: other, commands, parts })
}
