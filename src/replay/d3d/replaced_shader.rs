//! A shader of a submission that another stands in for: edited assembly, or other bytecode.
//!
//! What a frame depends on is known from the trace, whatever its shaders are edited to. So one that stands in for another may
//! name what that names and nothing more: each of its slots has been bound, and what lies there is made for the frame.

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::shader::{Shader, ShaderInput, ShaderSlots};
use crate::error::{Classified, ErrorKind};
use crate::limits::MAX_BYTECODE_BYTES;
use crate::shader::d3d::{
    AssemblyError, BytecodeError, Program, SlotSet, Slots, Stage, TranslateError, Version, assemble, check_translation,
    decode, is_bytecode,
};
use crate::text::counted;

/// Why a shader does not stand in for another.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplacementError {
    /// It is neither bytecode nor a text.
    #[error("expected Direct3D bytecode, or assembly as UTF-8 text")]
    Neither,
    /// The text is no assembly.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The bytecode cannot be read. Offsets count from its beginning.
    #[error(transparent)]
    Bytecode(#[from] BytecodeError),
    /// It is read, and cannot be drawn with.
    #[error(transparent)]
    Translate(#[from] TranslateError),
    /// The trace's own shader is none.
    #[error("the shader that it replaces cannot be read: {why}")]
    Original {
        /// What is wrong with that.
        why: Box<str>,
    },
    /// It is of another stage, or of another Direct3D.
    #[error("expected a shader of {expected}'s stage and Direct3D, found {found}")]
    Model {
        /// The model of the trace's shader.
        expected: Version,
        /// Its own.
        found: Version,
    },
    /// It names more than the trace's shader.
    #[error(
        "it uses {what} {slot}, which the shader that it replaces does not: a frame's dependencies come from the trace"
    )]
    NamesMore {
        /// Slots of which kind.
        what: &'static str,
        /// The first such.
        slot: u32,
    },
    /// Our budget.
    #[error("it has {found_bytes}: this build's limit is {limit}", found_bytes = counted(.found, "byte"))]
    OverLimit {
        /// Its size.
        found: u64,
        /// The limit.
        limit: u64,
    },
}

impl Classified for ReplacementError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Neither | Self::Model { .. } => ErrorKind::Usage,
            Self::Assembly(error) => error.kind(),
            Self::Bytecode(error) => error.kind(),
            Self::Translate(error) => error.kind(),
            Self::Original { .. } => ErrorKind::ReplayFailed,
            Self::NamesMore { .. } => ErrorKind::Unsupported,
            Self::OverLimit { .. } => ErrorKind::OverLimit,
        }
    }

    /// None of its places is one in the trace.
    fn offset(&self) -> Option<u64> {
        None
    }
}

/// Says whether `with`, bytecode or assembly, can stand in for the bytecode `original`, which stands at an absolute file
/// offset.
pub fn check_replacement(original: &[u8], file_offset: u64, with: &[u8]) -> Result<(), ReplacementError> {
    let unreadable = |error: BytecodeError| ReplacementError::Original { why: error.to_string().into() };
    let original = ShaderSlots::of(decode(original, file_offset).map_err(unreadable)?, Default::default());
    let (_, program) = replacement(with)?;
    check_translation(&program)?;
    original.replaced(program, with).map(drop)
}

/// The bytecode that stands in for another, and its program.
fn replacement(with: &[u8]) -> Result<(Vec<u8>, Program), ReplacementError> {
    let found = with.len() as u64;
    if found > MAX_BYTECODE_BYTES {
        return Err(ReplacementError::OverLimit { found, limit: MAX_BYTECODE_BYTES });
    }
    if is_bytecode(with) {
        return Ok((with.to_vec(), decode(with, 0)?));
    }
    let text = str::from_utf8(with).map_err(|_| ReplacementError::Neither)?;
    Ok(assemble(text)?)
}

impl Shader {
    /// The same with another program.
    pub(super) fn replaced(self, with: &[u8]) -> Self {
        let program = match &self.program {
            Ok(slots) => replacement(with).and_then(|(bytes, program)| slots.replaced(program, &bytes)),
            Err(why) => Err(ReplacementError::Original { why: why.clone() }),
        };
        let program = program.map_err(|error| format!("the replacement: {error}").into_boxed_str());
        Self { program, ..self }
    }
}

impl ShaderSlots {
    /// What another program names, if it can stand in for this one.
    fn replaced(&self, program: Program, bytes: &[u8]) -> Result<Self, ReplacementError> {
        let (expected, found) = (self.decoded.version(), program.version());
        if (expected.stage, expected.is_d3d9()) != (found.stage, found.is_d3d9()) {
            return Err(ReplacementError::Model { expected, found });
        }
        let new = Self::of(program, Sha256::digest(bytes).into());
        for (what, may, does) in named(self, &new) {
            if let Some(slot) = does.without(may).iter().next() {
                return Err(ReplacementError::NamesMore { what, slot });
            }
        }
        // What flows from stage to stage is no slot.
        let is_new = |input: &&ShaderInput| found.stage == Stage::Vertex && !self.inputs.contains(input);
        if let Some(input) = new.inputs.iter().find(is_new) {
            return Err(ReplacementError::NamesMore { what: "the input", slot: input.register });
        }
        // Whoever draws with the trace's shader has moved its positions already, or has not.
        Ok(Self { is_shifted: self.is_shifted, ..new })
    }
}

/// Slots by their kinds: those that a shader names, and those that one in its place does.
fn named<'s>(old: &'s ShaderSlots, new: &'s ShaderSlots) -> [(&'static str, SlotSet, SlotSet); 10] {
    let targets = |of: &ShaderSlots| match of.decoded.version().stage {
        Stage::Pixel => of.used.outputs,
        _ => SlotSet::default(),
    };
    let of = |what, set: fn(&Slots) -> SlotSet| (what, set(&old.used), set(&new.used));
    [
        of("the texture or buffer", |slots| slots.resources),
        of("the constant buffer", |slots| slots.constant_buffers),
        of("the sampler", |slots| slots.samplers),
        of("the unordered access buffer", |slots| slots.uavs),
        of("the counter of the unordered access buffer", |slots| slots.counters),
        of("the float constant", |slots| slots.float_constants),
        of("the integer constant", |slots| slots.integer_constants),
        of("the boolean constant", |slots| slots.boolean_constants),
        ("the colour target", targets(old), targets(new)),
        ("all layers of the texture", old.layered, new.layered),
    ]
}
