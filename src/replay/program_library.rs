//! Compiled and linked shaders, each distinct pair once, however often it is drawn with.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::blob_store::BlobStore;
use super::error::Problem;
use super::op::ProgramKey;
use crate::bytes::Diagnostics;
use crate::bytes::limits::MAX_SHADER_BYTES;
use crate::command::{ShaderBlobs, ShaderId, ShaderStage};
use crate::format::aerogpu::{BlobDefinition, BlobId, BlobKind};
use crate::shader::glsl::GlslOptions;
use crate::shader::{Program, ShaderText, StageModule, link, link_glsl, parse_wgsl};

/// Which of a shader's texts to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// Every program linked so far.
#[derive(Default)]
pub struct ProgramLibrary {
    options: ShaderOptions,
    programs: Vec<Arc<Program>>,
    /// By the file ranges of the two texts.
    keys: HashMap<(Range<u64>, Range<u64>), ProgramKey>,
    stages: HashMap<(Range<u64>, ShaderStage), StageModule>,
}

/// Texts by the file offset of the Blob record that they stand for.
pub type ShaderReplacements = HashMap<u64, Vec<u8>>;

impl ProgramLibrary {
    /// An empty library.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty library that makes shaders in another way than the usual one.
    pub fn with_options(options: ShaderOptions) -> Self {
        Self { options, ..Self::default() }
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
        diagnostics: &mut Diagnostics,
    ) -> Result<ProgramKey, Problem> {
        let (language, texts) = choose_texts(vertex, fragment, self.options.language)?;
        let pair = (texts.0.bytes.clone(), texts.1.bytes.clone());
        if let Some(key) = self.keys.get(&pair) {
            return Ok(*key);
        }
        let program = match language {
            Language::Wgsl => self.link_wgsl(texts, blobs)?,
            Language::Glsl => self.link_glsl(texts, blobs, diagnostics)?,
        };
        remark_unbound(&program, language, diagnostics);
        let key = ProgramKey(self.programs.len() as u32);
        self.programs.push(Arc::new(program));
        self.keys.insert(pair, key);
        Ok(key)
    }

    fn link_wgsl(&mut self, texts: Texts<'_>, blobs: &BlobStore) -> Result<Program, Problem> {
        let vertex = self.compile(texts.0, ShaderStage::Vertex, blobs)?;
        let fragment = self.compile(texts.1, ShaderStage::Fragment, blobs)?;
        Ok(link(vertex, fragment)?)
    }

    fn link_glsl(
        &self,
        texts: Texts<'_>,
        blobs: &BlobStore,
        diagnostics: &mut Diagnostics,
    ) -> Result<Program, Problem> {
        let (vertex, fragment) = (self.read_text(texts.0, blobs)?, self.read_text(texts.1, blobs)?);
        let text = |bytes, blob: &BlobDefinition| ShaderText { bytes, offset: blob.bytes.start };
        let (vertex, fragment) = (text(&vertex, texts.0), text(&fragment, texts.1));
        Ok(link_glsl(vertex, fragment, &self.options.glsl, diagnostics)?)
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
        let bytes = self.read_text(text, blobs)?;
        let module = parse_wgsl(ShaderText { bytes: &bytes, offset: text.bytes.start }, stage)?;
        self.stages.insert(key, module.clone());
        Ok(module)
    }

    fn read_text(&self, text: &BlobDefinition, blobs: &BlobStore) -> Result<Vec<u8>, Problem> {
        if let Some(replacement) = self.options.replacements.get(&text.record_offset) {
            return Ok(replacement.clone());
        }
        if text.size_bytes() > MAX_SHADER_BYTES {
            let (what, found) = ("a shader's size in bytes", text.size_bytes());
            return Err(Problem::OverLimit { what, found, limit: MAX_SHADER_BYTES });
        }
        Ok(blobs.read(text)?)
    }
}

/// The vertex and the fragment shader's text.
type Texts<'a> = (&'a BlobDefinition, &'a BlobDefinition);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Wgsl,
    Glsl,
}

/// Chooses the language that both shaders have.
fn choose_texts<'a>(
    vertex: &'a ShaderObject,
    fragment: &'a ShaderObject,
    wanted: ShaderLanguage,
) -> Result<(Language, Texts<'a>), Problem> {
    let wgsl = vertex.wgsl.as_ref().zip(fragment.wgsl.as_ref());
    let glsl = vertex.glsl.as_ref().zip(fragment.glsl.as_ref());
    let chosen = match (wanted, wgsl, glsl) {
        (ShaderLanguage::Auto | ShaderLanguage::Wgsl, Some(texts), _) => Some((Language::Wgsl, texts)),
        (ShaderLanguage::Auto | ShaderLanguage::Glsl, _, Some(texts)) => Some((Language::Glsl, texts)),
        _ => None,
    };
    let expected = match wanted {
        ShaderLanguage::Auto => "WGSL for both or GLSL ES 3.00 for both",
        ShaderLanguage::Wgsl => "WGSL for both (--shaders wgsl)",
        ShaderLanguage::Glsl => "GLSL ES 3.00 for both (--shaders glsl)",
    };
    let sources = |shader: &ShaderObject| match (&shader.wgsl, &shader.glsl) {
        (Some(_), Some(_)) => "both",
        (Some(_), None) => "WGSL only",
        (None, Some(_)) => "GLSL ES 3.00 only",
        (None, None) => "neither WGSL nor GLSL ES 3.00",
    };
    chosen.ok_or_else(|| Problem::NoUsableSource {
        vertex: vertex.id,
        vertex_has: sources(vertex),
        fragment: fragment.id,
        fragment_has: sources(fragment),
        expected,
    })
}

/// Says once a program what has its neutral value. The GLSL front end has said so in the text's own words.
fn remark_unbound(program: &Program, language: Language, diagnostics: &mut Diagnostics) {
    let unbound: Vec<String> = program.unbound_resources().map(ToString::to_string).collect();
    if language == Language::Wgsl && !unbound.is_empty() {
        let what = "stay at zeros and texels of (0, 0, 0, 1), since the command ABI binds nothing";
        diagnostics.remark(program.vertex.text_offset, format!("{} {what}", unbound.join(", ")));
    }
}
