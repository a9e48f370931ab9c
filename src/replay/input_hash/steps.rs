//! What the input hash of a frame covers, command by command: to find where two frames begin to differ.

use sha2::{Digest, Sha256};

use super::InputHasher;
use super::canvas::{DrawInputs, cleared};
use super::ordered::{Ordered, first_seen, is_submitted};
use super::submitted::SaidInput;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::command_reader::CommandReader;
use crate::replay::error::ReplayError;
use crate::replay::index::CommandNumber;

/// The part of a packet of a submission that its fields are.
pub const FIELDS_PART: &str = "its fields";
/// The part that stands behind the fields.
pub const PAYLOAD_PART: &str = "its payload";

/// A command that a frame is drawn from, and what it brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputStep {
    /// The command.
    pub command: CommandNumber,
    /// What it brings, always the same parts for commands of one ABI.
    pub parts: Vec<InputPart>,
}

/// A part of what a command brings to a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputPart {
    /// What it is, in words.
    pub name: &'static str,
    /// SHA-256 of it.
    pub digest: [u8; 32],
}

impl InputStep {
    /// SHA-256 of all that it brings.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        self.parts.iter().for_each(|part| hasher.update(part.digest));
        hasher.finalize().into()
    }
}

impl InputPart {
    pub(super) fn of(name: &'static str, bytes: &[u8]) -> Self {
        Self { name, digest: Sha256::digest(bytes).into() }
    }
}

impl DrawInputs {
    fn parts(&self) -> Vec<InputPart> {
        let [count, first, stride, position, color, width, height] = self.fields.map(u32::to_le_bytes);
        let mut parts = vec![
            InputPart::of("the range of vertices", &[count, first].concat()),
            InputPart::of("the layout of the vertices", &[stride, position, color].concat()),
            InputPart::of("the viewport", &[width, height].concat()),
            InputPart::of("the bytes of the vertices", &self.data),
        ];
        let names = ["the vertex shader", "the fragment shader"].into_iter();
        parts.extend(names.zip(&self.texts).map(|(name, texts)| InputPart::of(name, texts)));
        parts
    }
}

impl InputHasher {
    /// The commands that a frame, which has to be in the index, is drawn from, those of earlier frames first.
    pub fn steps(&mut self, frame: FrameIndex) -> Result<Vec<InputStep>, ReplayError> {
        let index = self.index.clone();
        let own = index.commands_of(frame).ok_or(Internal::new("a requested frame is not in the index"))?;
        let mut steps = Vec::new();
        if index.is_submitted(frame) {
            let inputs = index.inputs_of_frame(frame)?.ok_or(Internal::new("a frame of the index has no inputs"))?;
            steps = self.submitted_steps(&inputs)?;
        }
        if !index.is_submitted(frame) || index.numbers_in(own.clone(), |step| !is_submitted(step)).next().is_some() {
            let walk = self.walk_from_clear(frame)?;
            let clear = walk.clear.map(|(command, rgba)| InputStep {
                command,
                parts: vec![InputPart { name: "the colour", digest: cleared(rgba) }],
            });
            steps.extend(clear);
            let draws = walk.drawn.iter().map(|(command, draw)| InputStep { command: *command, parts: draw.parts() });
            steps.extend(draws);
        }
        Ok(steps)
    }

    fn submitted_steps(&mut self, inputs: &[CommandNumber]) -> Result<Vec<InputStep>, ReplayError> {
        let mut walk = Ordered::new(self.takes_back(inputs));
        let mut reader = CommandReader::new(self.trace.clone());
        let mut steps = Vec::new();
        for number in inputs {
            let at = self.index.require_location(*number)?;
            let place = at.submission.ok_or(Internal::at("a command of a submission has none", at.offset))?;
            let said = self.said(*number, &mut reader)?;
            walk.numbers.push(*number);
            let context = first_seen(&mut walk.contexts, place.context());
            let [mut fields, mut payloads] = [Sha256::new(), Sha256::new()];
            // In the order in which the packet has them, since objects count by their order.
            for input in &said.inputs {
                let hasher = if matches!(input, SaidInput::Payload { .. }) { &mut payloads } else { &mut fields };
                std::mem::swap(&mut walk.hasher, hasher);
                walk.input(input);
                std::mem::swap(&mut walk.hasher, hasher);
            }
            walk.hasher = Sha256::new();
            self.memory(&mut walk, *number)?;
            let digest = |name, hasher: Sha256| InputPart { name, digest: hasher.finalize().into() };
            let parts = vec![
                InputPart::of("its opcode", &said.opcode.to_le_bytes()),
                InputPart::of("its context", &context.to_le_bytes()),
                digest(FIELDS_PART, fields),
                digest(PAYLOAD_PART, payloads),
                digest("the guest memory it uses", std::mem::take(&mut walk.hasher)),
            ];
            steps.push(InputStep { command: *number, parts });
        }
        Ok(steps)
    }
}
