//! Compiled and linked shaders, each distinct pair once, however often it is drawn with.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::blob_store::BlobStore;
use super::error::Problem;
use super::op::ProgramKey;
use crate::bytes::limits::MAX_SHADER_BYTES;
use crate::command::{ShaderId, ShaderStage};
use crate::format::aerogpu::BlobDefinition;
use crate::shader::{Program, ShaderText, StageModule, link, parse_wgsl};

/// A shader as CREATE_SHADER made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderObject {
    /// The guest's name for it.
    pub id: ShaderId,
    /// Its place in the pipeline.
    pub stage: ShaderStage,
    /// Its WGSL text.
    pub wgsl: Option<BlobDefinition>,
    /// Its GLSL ES 3.00 text.
    pub glsl: Option<BlobDefinition>,
}

/// Every program linked so far.
#[derive(Default)]
pub struct ProgramLibrary {
    programs: Vec<Arc<Program>>,
    /// By the file ranges of the two texts.
    keys: HashMap<(Range<u64>, Range<u64>), ProgramKey>,
    stages: HashMap<(Range<u64>, ShaderStage), StageModule>,
}

impl ProgramLibrary {
    /// An empty library.
    pub fn new() -> Self {
        Self::default()
    }

    /// The program with this key.
    pub fn get(&self, key: ProgramKey) -> Option<&Arc<Program>> {
        self.programs.get(key.0 as usize)
    }

    /// The program of two shaders, compiled and linked if they have not met before.
    pub fn link(
        &mut self,
        vertex: &ShaderObject,
        fragment: &ShaderObject,
        blobs: &BlobStore,
    ) -> Result<ProgramKey, Problem> {
        let texts = (text_of(vertex)?, text_of(fragment)?);
        let pair = (texts.0.bytes.clone(), texts.1.bytes.clone());
        if let Some(key) = self.keys.get(&pair) {
            return Ok(*key);
        }
        let vertex = self.compile(texts.0, vertex.stage, blobs)?;
        let fragment = self.compile(texts.1, fragment.stage, blobs)?;
        let key = ProgramKey(self.programs.len() as u32);
        self.programs.push(Arc::new(link(vertex, fragment)?));
        self.keys.insert(pair, key);
        Ok(key)
    }

    fn compile(
        &mut self,
        text: &BlobDefinition,
        stage: ShaderStage,
        blobs: &BlobStore,
    ) -> Result<StageModule, Problem> {
        let key = (text.bytes.clone(), stage);
        if let Some(module) = self.stages.get(&key) {
            return Ok(module.clone());
        }
        if text.size_bytes() > MAX_SHADER_BYTES {
            let (what, found) = ("a shader's size in bytes", text.size_bytes());
            return Err(Problem::OverLimit { what, found, limit: MAX_SHADER_BYTES });
        }
        let bytes = blobs.read(text)?;
        let module = parse_wgsl(ShaderText { bytes: &bytes, offset: text.bytes.start }, stage)?;
        self.stages.insert(key, module.clone());
        Ok(module)
    }
}

fn text_of(shader: &ShaderObject) -> Result<&BlobDefinition, Problem> {
    let found = if shader.glsl.is_some() { "a GLSL ES 3.00 blob only" } else { "no text" };
    shader.wgsl.as_ref().ok_or(Problem::NoUsableSource { shader: shader.id, found })
}
