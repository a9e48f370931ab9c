//! Where two traces begin to be drawn from something else, found without drawing.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::json;

use super::alignment::equal_pairs;
use super::events::arguments::packet_arguments;
use crate::command::{Location, Place, Point};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{
    CommandNumber, CommandReader, DrawParts, FIELDS_PART, InputHash, InputHasher, InputStep, PAYLOAD_PART, ReplayError,
    TraceIndex,
};

/// Differing commands that are looked at, and kept.
const LOOKED_AT: usize = 64;
const KEPT: usize = 8;

/// Bytes of a value that stands in a line; longer ones are in the lines of their commands.
const SHORT_BYTES: usize = 60;

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
    /// Its arguments by name, with their values in words.
    pub arguments: Vec<(String, String)>,
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
    /// The first commands that differ, in the order of both sides. Empty where only the command that shows the picture is
    /// another one.
    pub commands: Vec<CommandDifference>,
    /// Whether there are more of them.
    pub has_more_commands: bool,
}

/// A command that one frame depends on and the other does not, or that says something else there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandDifference {
    /// The command on each side that has one.
    pub sides: [Option<SideCommand>; 2],
    /// What of it differs, in words; empty where one side alone has it.
    pub parts: Vec<&'static str>,
}

impl Serialize for SideCommand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { name, at, draw, .. } = self;
        let command = json!({
            "name": name, "arguments": self.arguments_in_words(), "offset": at.offset, "frame": at.frame,
            "packet": at.packet, "draw": draw,
        });
        command.serialize(serializer)
    }
}

/// `differs_in`, and the command on side `a` and on side `b`.
impl Serialize for CommandDifference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { sides: [a, b], parts } = self;
        json!({ "differs_in": parts, "a": a, "b": b }).serialize(serializer)
    }
}

impl InputDifference {
    /// The number of the first draw whose inputs differ, if a draw's do.
    pub fn draw(&self) -> Option<u32> {
        match self.place.point {
            Point::Draw(draw) => Some(draw),
            Point::Start | Point::End | Point::Packet(_) => None,
        }
    }
}

impl SideCommand {
    /// The arguments in words: `state=D3DRS_ALPHABLENDENABLE value=FALSE`.
    pub fn arguments_in_words(&self) -> String {
        self.arguments.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }
}

impl CommandDifference {
    /// Differences in words: arguments with both values, such as `width 63 -> 40`, and else the parts.
    pub fn in_words(&self) -> String {
        let [Some(a), Some(b)] = &self.sides else { return self.parts.join(", ") };
        let pairs = a.arguments.iter().zip(&b.arguments).filter(|(a, b)| a.0 == b.0 && a.1 != b.1);
        let mut words: Vec<String> = pairs
            .map(|((name, a), (_, b))| match a.len().max(b.len()) <= SHORT_BYTES {
                true => format!("{name} {a} -> {b}"),
                false => name.clone(),
            })
            .collect();
        // Arguments are read from the fields or, where all of those are equal, from the payload.
        let told = if words.is_empty() {
            None
        } else if self.parts.contains(&FIELDS_PART) {
            Some(FIELDS_PART)
        } else {
            Some(PAYLOAD_PART)
        };
        words.extend(self.parts.iter().filter(|part| Some(**part) != told).map(|part| (*part).to_owned()));
        words.join(", ")
    }
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
        let mut reader = CommandReader::new(self.trace.clone());
        let name = reader.read(at)?.value.name();
        let arguments = packet_arguments(&reader.read_packet(at)?).into_iter();
        let arguments = arguments.map(|argument| (argument.name.to_owned(), argument.value.to_string())).collect();
        let is_it = |number: &CommandNumber| *number == step.command;
        let draw = self.index.draws_of(frame).position(|number| is_it(&number)).map(|draw| draw as u32);
        Ok(SideCommand { name, arguments, at, draw })
    }

    fn commands(&self, frame: FrameIndex, steps: &[InputStep]) -> Result<Vec<SideCommand>, ReplayError> {
        steps.iter().take(LOOKED_AT).map(|step| self.command(frame, step)).collect()
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
    let hashes = |steps: &[InputStep]| steps.iter().map(|step| Some(step.hash())).collect::<Vec<_>>();
    let equal = equal_pairs(&hashes(&of_a), &hashes(&of_b));
    let mut commands = Vec::new();
    let (mut at_a, mut at_b) = (0, 0);
    for (next_a, next_b) in equal.into_iter().chain([(of_a.len(), of_b.len())]) {
        let between = [of_a.get(at_a..next_a).unwrap_or_default(), of_b.get(at_b..next_b).unwrap_or_default()];
        commands.extend(differences([a, b], [frame, other], between)?);
        if commands.len() > KEPT {
            break;
        }
        (at_a, at_b) = (next_a + 1, next_b + 1);
    }
    let has_more_commands = commands.len() > KEPT;
    commands.truncate(KEPT);
    let (draws_a, draws_b) = (a.draw_hashes(frame)?, b.draw_hashes(other)?);
    let same = draws_a.iter().zip(&draws_b).take_while(|(a, b)| a == b).count();
    let differs = same < draws_a.len().max(draws_b.len());
    let place = if differs { Place::at_draw(frame, same as u32) } else { Place::end_of(frame) };
    Ok(InputDifference { place, beside: other, commands, has_more_commands })
}

/// Commands that differ, between two that are equal. Those of one name that stand in the same order belong together.
fn differences(
    [a, b]: [&InputSide; 2],
    [frame, other]: [FrameIndex; 2],
    [steps_a, steps_b]: [&[InputStep]; 2],
) -> Result<Vec<CommandDifference>, ReplayError> {
    let (of_a, of_b) = (a.commands(frame, steps_a)?, b.commands(other, steps_b)?);
    let names = |commands: &[SideCommand]| commands.iter().map(|command| Some(command.name)).collect::<Vec<_>>();
    let together = equal_pairs(&names(&of_a), &names(&of_b));
    let alone = |sides| CommandDifference { sides, parts: Vec::new() };
    let (mut left_a, mut left_b) = ((0..).zip(of_a).peekable(), (0..).zip(of_b).peekable());
    let mut found = Vec::new();
    for (next_a, next_b) in together.into_iter().chain([(usize::MAX, usize::MAX)]) {
        while let Some((_, command)) = left_a.next_if(|(at, _)| *at < next_a) {
            found.push(alone([Some(command), None]));
        }
        while let Some((_, command)) = left_b.next_if(|(at, _)| *at < next_b) {
            found.push(alone([None, Some(command)]));
        }
        if let (Some((_, in_a)), Some((_, in_b))) = (left_a.next(), left_b.next())
            && let (Some(step_a), Some(step_b)) = (steps_a.get(next_a), steps_b.get(next_b))
        {
            let differ = step_a.parts.iter().zip(&step_b.parts).filter(|(a, b)| a != b);
            let parts = differ.map(|(part, _)| part.name).collect();
            found.push(CommandDifference { sides: [Some(in_a), Some(in_b)], parts });
        }
    }
    Ok(found)
}
