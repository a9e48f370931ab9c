//! Shaders as the guest has made them, and how they are to be used.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::blob_store::BlobStore;
use super::error::Problem;
use crate::command::{ShaderBlobs, ShaderId, ShaderStage};
use crate::format::aerogpu::BlobDefinition;
use crate::shader::glsl::GlslOptions;
use crate::shader::{LanguageChoice, ShaderLanguage};

/// How shaders are made of the trace's blobs.
#[derive(Clone, Debug, Default)]
pub struct ShaderOptions {
    /// Which sources.
    pub language: LanguageChoice,
    /// What GLSL texts don't say.
    pub glsl: GlslOptions,
    /// Texts to compile, and bytecode or assembly to draw with, instead of the trace's.
    pub replacements: Arc<ShaderReplacements>,
}

/// What stands in for shaders: texts by the file offset of their Blob record; bytecode or assembly, where streams make
/// shaders, by the file offset of the code.
pub type ShaderReplacements = HashMap<u64, Vec<u8>>;

/// A shader as CREATE_SHADER made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderObject {
    /// The guest's name for it.
    pub id: ShaderId,
    /// Its place in the pipeline.
    pub stage: ShaderStage,
    /// Its sources that this build compiles.
    pub sources: BTreeMap<ShaderLanguage, BlobDefinition>,
}

impl ShaderObject {
    /// The shader that a CREATE_SHADER at the absolute file offset `offset` makes. Every blob it names must exist and
    /// be of its kind, also those that nobody will compile.
    pub fn create(
        id: ShaderId,
        stage: ShaderStage,
        sources: ShaderBlobs,
        blobs: &mut BlobStore,
        offset: u64,
    ) -> Result<Self, Problem> {
        let mut found = BTreeMap::new();
        for (kind, blob) in sources.by_kind() {
            let definition = blobs.resolve(blob, kind, offset)?;
            found.extend(ShaderLanguage::of_blob(kind).map(|language| (language, definition)));
        }
        Ok(Self { id, stage, sources: found })
    }
}
