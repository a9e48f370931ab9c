//! The shaders of draws of submissions.

use super::TraceIndex;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::command::{Command, CreateShader, FileBytes, ShaderCode, ShaderId, ShaderStage};
use crate::replay::{CommandReader, ReplayError};

/// A shader in bytecode that a draw is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnWith {
    /// The stage it is bound to.
    pub stage: ShaderStage,
    /// The guest's name for it.
    pub shader: ShaderId,
    /// Its code.
    pub code: FileBytes,
}

impl TraceIndex {
    /// The shaders in bytecode that a draw of a submission is made with, by stage; nothing of another draw.
    pub fn shaders_of_draw(
        &self,
        draw: CommandNumber,
        reader: &mut CommandReader,
    ) -> Result<Vec<DrawnWith>, ReplayError> {
        let mut found = Vec::new();
        if let ResolvedCommand::Submitted { node, .. } = self.require_step(draw)? {
            for number in self.graph.nodes().references(node)? {
                let at = self.require_location(CommandNumber(number))?;
                let command = reader.read(at)?.value;
                if let Command::CreateShader(CreateShader { id, stage, code: ShaderCode::Bytecode(code) }) = command {
                    found.push(DrawnWith { stage, shader: id, code });
                }
            }
        }
        Ok(found)
    }
}
