//! What each draw of a frame is drawn from, in the parts that people tell apart: to say which of them is another one in a
//! later recording, or in a later version of the program.
//!
//! | part | of Appendix A | of submissions |
//! |---|---|---|
//! | the vertex shader | its texts | bytecode of every stage before pixels |
//! | the fragment shader | its texts | bytecode of the pixel stage |
//! | the data that it reads | its vertices | what buffers and textures hold that it reads or tests, and from what they were drawn |
//! | its state | layout, viewport, which vertices | everything else that is set for it |

use sha2::{Digest, Sha256};

use super::canvas::DrawInputs;
use super::submitted::SaidInput;
use super::submitted_draws::Brought;
use super::{InputHasher, InputPart};
use crate::abi::PacketInput;
use crate::command::{Command, ShaderStage};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::command_reader::CommandReader;
use crate::replay::d3d::AccessKind;
use crate::replay::error::ReplayError;
use crate::replay::index::{CommandNumber, Dependencies};

/// What a draw is drawn from, part by part: see [`DRAW_PARTS`].
pub type DrawParts = [InputPart; DRAW_PARTS.len()];

/// The parts of a draw's inputs, in words.
pub const DRAW_PARTS: [&str; 4] =
    ["the vertex shader", "the fragment shader", "the data it reads (vertices, constants, textures)", "its state"];

/// More of a frame's draws are of no submission than its slice has.
pub(super) const NOT_IN_SLICE: Internal = Internal::new("a frame has more draws than are in its slice");

impl InputHasher {
    /// The parts of each of a frame's own draws, in their order.
    pub fn draw_parts(&mut self, frame: FrameIndex) -> Result<Vec<DrawParts>, ReplayError> {
        let index = self.index.clone();
        let mut reader = CommandReader::new(self.trace.clone());
        let mut reference_draws = None;
        let mut parts = Vec::new();
        for draw in index.draws_of(frame) {
            if index.submission_of(draw).is_some() {
                parts.push(self.submitted_draw_parts(draw, &mut reader)?);
                continue;
            }
            let draws = match &mut reference_draws {
                Some(draws) => draws,
                none => none.insert(self.canvas_draws(frame)?.into_iter()),
            };
            let (_, inputs) = draws.next().ok_or(NOT_IN_SLICE)?;
            parts.push(inputs.draw_parts());
        }
        Ok(parts)
    }

    fn submitted_draw_parts(
        &mut self,
        draw: CommandNumber,
        reader: &mut CommandReader,
    ) -> Result<DrawParts, ReplayError> {
        let index = self.index.clone();
        let Dependencies { references, render_states, accesses } = index.dependencies_of(draw)?;
        let [mut vertex, mut fragment, mut reads, mut state] = DRAW_PARTS.map(|_| Sha256::new());
        let said = self.said(draw, reader)?;
        state.update(said.opcode.to_le_bytes());
        for input in &said.inputs {
            if let SaidInput::Plain(PacketInput::Number(number)) = input {
                state.update(number.to_le_bytes());
            }
        }
        // A draw refers to the command that binds its shaders, and that one to those that make them.
        let mut referred: Vec<u32> = references.into_iter().rev().collect();
        while let Some(number) = referred.pop() {
            let at = index.require_location(CommandNumber(number))?;
            let into = match reader.read(at)?.value {
                Command::CreateShader(shader) if shader.stage == ShaderStage::Fragment => &mut fragment,
                Command::CreateShader(_) => &mut vertex,
                Command::BindShaders(_) => {
                    let Dependencies { references, .. } = index.dependencies_of(CommandNumber(number))?;
                    referred.extend(references.into_iter().rev());
                    continue;
                }
                _ => &mut state,
            };
            into.update(self.digest_brought(Brought::Meaning(number), reader)?);
        }
        if let Some((context, count)) = render_states {
            state.update(self.digest_brought(Brought::RenderStates(context, count), reader)?);
        }
        for access in &accesses {
            state.update((access.kind as u64).to_le_bytes());
            if let Some(made_by) = access.object.creation().filter(|made_by| *made_by != draw.0) {
                state.update(self.digest_brought(Brought::Meaning(made_by), reader)?);
            }
            if matches!(access.kind, AccessKind::Read | AccessKind::Test) {
                let held = Brought::held(&index, access.object, access.parts(), draw.0)?;
                reads.update(self.digest_brought(held, reader)?);
            }
        }
        Ok(in_words([vertex, fragment, reads, state].map(|hasher| hasher.finalize().into())))
    }
}

impl DrawInputs {
    fn draw_parts(&self) -> DrawParts {
        let text = |stage: usize| self.texts.get(stage).map_or([0; 32], |texts| Sha256::digest(texts).into());
        let fields: Vec<u8> = self.fields.iter().flat_map(|field| field.to_le_bytes()).collect();
        in_words([text(0), text(1), self.data, Sha256::digest(fields).into()])
    }
}

fn in_words([vertex, fragment, reads, state]: [[u8; 32]; DRAW_PARTS.len()]) -> DrawParts {
    let part = |name, digest| InputPart { name, digest };
    let [of_vertex, of_fragment, of_reads, of_state] = DRAW_PARTS;
    [part(of_vertex, vertex), part(of_fragment, fragment), part(of_reads, reads), part(of_state, state)]
}
