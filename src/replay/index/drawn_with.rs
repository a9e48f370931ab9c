//! The shaders of draws of submissions.

use super::TraceIndex;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::command::{Command, CreateShader, FileBytes, ShaderCode, ShaderStage};
use crate::replay::{CommandReader, ReplayError};

impl TraceIndex {
    /// The bytecode of the shaders that a draw of a submission is made with, by stage; nothing of another draw.
    pub fn bytecode_of_draw(
        &self,
        draw: CommandNumber,
        reader: &mut CommandReader,
    ) -> Result<Vec<(ShaderStage, FileBytes)>, ReplayError> {
        let mut found = Vec::new();
        if let ResolvedCommand::Submitted { node, .. } = self.require_step(draw)? {
            for number in self.graph.nodes().references(node)? {
                let at = self.require_location(CommandNumber(number))?;
                let command = reader.read(at)?.value;
                if let Command::CreateShader(CreateShader { stage, code: ShaderCode::Bytecode(code), .. }) = command {
                    found.push((stage, code));
                }
            }
        }
        Ok(found)
    }
}
