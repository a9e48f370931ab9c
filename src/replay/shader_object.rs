//! Shaders as the guest has made them, and how they are to be used.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::blob_store::BlobStore;
use super::error::Problem;
use crate::command::{ShaderBlobs, ShaderId, ShaderStage};
use crate::format::aerogpu::{BlobDefinition, BlobId, BlobKind};
use crate::shader::glsl::GlslOptions;

/// Which of a shader's texts to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShaderLanguage {
    /// WGSL where both shaders of a pipeline have it, else GLSL.
    #[default]
    Auto,
    /// WGSL, or none.
    Wgsl,
    /// GLSL ES 3.00, or none.
    Glsl,
}

/// How shaders are made of the trace's blobs.
#[derive(Clone, Debug, Default)]
pub struct ShaderOptions {
    /// Which texts.
    pub language: ShaderLanguage,
    /// What GLSL texts don't say.
    pub glsl: GlslOptions,
    /// Texts to compile instead of those of the trace.
    pub replacements: Arc<ShaderReplacements>,
}

/// Texts by the file offset of the Blob record that they stand for.
pub type ShaderReplacements = HashMap<u64, Vec<u8>>;

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
        let mut resolve = |blob: Option<BlobId>, kind| -> Result<Option<BlobDefinition>, Problem> {
            blob.map(|blob| blobs.resolve(blob, kind, offset)).transpose()
        };
        let glsl = resolve(sources.glsl, BlobKind::ShaderGlslEs300)?;
        let wgsl = resolve(sources.wgsl, BlobKind::ShaderWgsl)?;
        resolve(sources.dxbc, BlobKind::ShaderDxbc)?;
        Ok(Self { id, stage, wgsl, glsl })
    }
}
