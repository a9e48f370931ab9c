//! The shaders in Direct3D bytecode that are bound at a place, as text.

use super::{Analysis, AnalysisError, DrawShaders};
use crate::command::{FileBytes, Location, Place, ShaderStage};
use crate::replay::CommandNumber;
use crate::shader::d3d::{decode, disassemble, is_bytecode, purpose};

/// The shaders bound at a place.
#[derive(Clone, Debug, PartialEq)]
pub enum BoundShaders {
    /// Texts, by a pipeline of Appendix A.
    Texts(Box<DrawShaders>),
    /// Bytecode, by submissions: stage by stage, as far as anything is bound there.
    Bytecode(Vec<BoundBytecode>),
}

/// A shader of submissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundBytecode {
    /// The stage it is bound to.
    pub stage: ShaderStage,
    /// The guest's name for it.
    pub handle: u32,
    /// Where the command stands that made it; nothing where the handle means none.
    pub created_at: Option<Location>,
    /// Absolute file offset of its code.
    pub code_offset: u64,
    /// How long that is.
    pub size_bytes: u64,
    /// Its purpose, if it can be read: an application's, or a fixed function.
    pub purpose: Option<String>,
    /// What it does, or why that cannot be told.
    pub assembly: Result<String, String>,
    /// The assembly that stands in for it, if any does.
    pub replacement: Option<String>,
}

impl BoundBytecode {
    /// Its bytecode in the file.
    pub fn code(&self) -> FileBytes {
        FileBytes { offset: self.code_offset, size_bytes: self.size_bytes }
    }
}

impl Analysis {
    /// The shaders in force at `place`; behind submissions those of one context: of that of the last command, if none is
    /// named.
    pub fn bound_shaders(&self, place: Place, context: Option<u32>) -> Result<BoundShaders, AnalysisError> {
        if self.is_submitted(place)? {
            self.bound_bytecode(place, context).map(BoundShaders::Bytecode)
        } else {
            self.shaders(place).map(|shaders| BoundShaders::Texts(Box::new(shaders)))
        }
    }

    fn bound_bytecode(&self, place: Place, context: Option<u32>) -> Result<Vec<BoundBytecode>, AnalysisError> {
        let found = self.context_at(self.resolve_any(place)?, context)?;
        let context = found.context()?;
        let mut bound = Vec::new();
        for stage in ShaderStage::ALL {
            let kept = context.shader(stage);
            if kept.handle == 0 {
                continue;
            }
            let slots = kept.object.as_ref().and_then(|shader| shader.program.as_ref().ok());
            let purpose = slots.map(|slots| purpose(&slots.decoded));
            let (code_offset, size_bytes, assembly) = match &kept.object {
                Some(shader) => {
                    let assembly = shader.program.as_ref().map(|slots| disassemble(&slots.decoded));
                    let assembly = assembly.map_err(ToString::to_string);
                    (shader.code.offset, shader.code.size_bytes, assembly)
                }
                None => (0, 0, Err("the handle is not a shader".to_owned())),
            };
            let created_at = kept.made_by().map(|number| self.location(CommandNumber(number)));
            let handle = kept.handle;
            let replacement = self.options.replacements.get(&code_offset).map(|with| assembly_of(with));
            bound.push(BoundBytecode {
                stage,
                handle,
                created_at,
                code_offset,
                size_bytes,
                purpose,
                assembly,
                replacement,
            });
        }
        Ok(bound)
    }
}

/// What stands in for a shader as text. It was looked at before it was taken.
fn assembly_of(with: &[u8]) -> String {
    match decode(with, 0) {
        Ok(program) if is_bytecode(with) => disassemble(&program),
        _ => String::from_utf8_lossy(with).into_owned(),
    }
}
