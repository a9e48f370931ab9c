//! The purposes of the shaders that draws are made with: an application's, or fixed functions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::{Analysis, AnalysisError, FrameEvents};
use crate::command::{FileBytes, ShaderStage};
use crate::format::aerogpu::{FormatError, Trace};
use crate::limits::MAX_BYTECODE_BYTES;
use crate::replay::{CommandNumber, CommandReader, DrawnWith, ReplayError, TraceIndex};
use crate::shader::d3d::{Producer, decode, purpose};

/// The purposes of a draw's shaders; nothing of a draw of no submission, and of shaders that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ShaderPurposes {
    /// Of the vertex shader.
    pub vertex: Option<String>,
    /// Of the pixel shader.
    pub pixel: Option<String>,
    /// Whether the driver made one of them.
    #[serde(skip)]
    pub has_fixed_functions: bool,
}

impl fmt::Display for ShaderPurposes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.vertex, &self.pixel) {
            (Some(vertex), Some(pixel)) => write!(f, "vertex {vertex}; pixel {pixel}"),
            (Some(vertex), None) => write!(f, "vertex {vertex}"),
            (None, Some(pixel)) => write!(f, "pixel {pixel}"),
            (None, None) => Ok(()),
        }
    }
}

impl ShaderPurposes {
    /// The purposes in words, if the driver made one of the shaders.
    pub fn fixed_functions(&self) -> Option<String> {
        self.has_fixed_functions.then(|| self.to_string())
    }
}

impl Analysis {
    /// The purposes of the shaders of a frame's draws, by draw, where the driver made one of them.
    pub fn fixed_functions(&self, events: &FrameEvents) -> Result<BTreeMap<u32, String>, AnalysisError> {
        let mut found = BTreeMap::new();
        if events.frame.as_usize() >= self.index.frame_count() {
            return Ok(found);
        }
        let mut reader = PurposeReader::new(&self.trace, &self.index);
        for (draw, number) in (0..).zip(self.index.draws_of(events.frame)) {
            found.extend(reader.of_draw(number)?.fixed_functions().map(|purposes| (draw, purposes)));
        }
        Ok(found)
    }
}

/// Finds the purposes of draws' shaders. Each shader is read once.
pub(super) struct PurposeReader<'a> {
    trace: &'a Arc<Trace>,
    index: &'a TraceIndex,
    reader: CommandReader,
    /// By the place of the code in the file: its purpose, and whether the driver made it.
    known: BTreeMap<u64, Option<(String, bool)>>,
}

impl<'a> PurposeReader<'a> {
    pub(super) fn new(trace: &'a Arc<Trace>, index: &'a TraceIndex) -> Self {
        Self { trace, index, reader: CommandReader::new(trace.clone()), known: BTreeMap::new() }
    }

    /// The purposes of a draw's shaders; nothing of a draw in the part of a frame that the index does not have, because the
    /// frame has an error.
    pub(super) fn of_draw(&mut self, draw: CommandNumber) -> Result<ShaderPurposes, ReplayError> {
        let mut purposes = ShaderPurposes::default();
        if self.index.command(draw).is_none() {
            return Ok(purposes);
        }
        for DrawnWith { stage, code, .. } in self.index.shaders_of_draw(draw, &mut self.reader)? {
            let Some((text, is_drivers)) = self.of_code(code)? else { continue };
            match stage {
                ShaderStage::Vertex => purposes.vertex = Some(text),
                ShaderStage::Fragment => purposes.pixel = Some(text),
                _ => continue,
            }
            purposes.has_fixed_functions |= is_drivers;
        }
        Ok(purposes)
    }

    fn of_code(&mut self, code: FileBytes) -> Result<Option<(String, bool)>, ReplayError> {
        if let Some(known) = self.known.get(&code.offset) {
            return Ok(known.clone());
        }
        let mut found = None;
        if code.size_bytes <= MAX_BYTECODE_BYTES {
            let bytes = self.trace.read(code.offset..code.offset.saturating_add(code.size_bytes));
            let bytes = bytes.map_err(FormatError::from)?;
            let program = decode(&bytes, code.offset);
            found = program.ok().map(|program| (purpose(&program), program.producer() == Producer::Driver));
        }
        self.known.insert(code.offset, found.clone());
        Ok(found)
    }
}
