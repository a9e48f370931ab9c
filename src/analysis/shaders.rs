//! The shaders of a pipeline: their texts, what becomes of them, and what they read and write.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use serde::Serialize;

use super::shader_edit::{issues_of, remarks_on};
use super::{Analysis, AnalysisError};
use crate::bytes::Diagnostics;
use crate::command::{
    Command, CreatePipeline, CreateShader, Location, PipelineId, Place, ShaderBlobs, ShaderCode, ShaderId, ShaderStage,
};
use crate::format::aerogpu::{BlobDefinition, BlobId};
use crate::limits::MAX_SHADER_BYTES;
use crate::replay::{
    BlobStore, CommandNumber, CommandReader, Problem, ProgramLibrary, ResolvedCommand, ShaderObject, ShaderOptions,
};
use crate::shader::{LanguageChoice, Program, ShaderIssue, ShaderLanguage, ShaderText, StageModule, guarded};

/// The shaders that a pipeline is made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawShaders {
    /// The guest's name for the pipeline.
    pub pipeline: PipelineId,
    /// The CREATE_PIPELINE.
    pub creation: CommandNumber,
    /// Where it stands.
    pub created_at: Location,
    /// The vertex shader.
    pub vertex: ShaderTexts,
    /// The fragment shader.
    pub fragment: ShaderTexts,
    /// What becomes of the texts, for each language that both shaders have.
    pub compiled: Vec<CompiledPair>,
}

/// A shader and its texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShaderTexts {
    /// The guest's name for it.
    pub id: ShaderId,
    /// Its stage.
    pub stage: ShaderStage,
    /// The CREATE_SHADER.
    pub creation: CommandNumber,
    /// Where it stands.
    pub created_at: Location,
    /// Its texts, the preferred language first.
    pub texts: Vec<TextInfo>,
}

/// One text of a shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextInfo {
    /// The name of its language.
    pub language: &'static str,
    /// The blob.
    pub blob: BlobId,
    /// Absolute file offset of its record, by which it is replaced.
    pub record_offset: u64,
    /// Absolute file offset of the text.
    pub text_offset: u64,
    /// Its length.
    pub size_bytes: u64,
    /// The text in the trace; `None` if it is longer than any shader may be. What is not UTF-8 shows as U+FFFD.
    pub text: Option<String>,
    /// The text that is used instead.
    pub replacement: Option<String>,
}

/// A pair of texts in one language, compiled and linked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompiledPair {
    /// The name of its language.
    pub language: &'static str,
    /// Whether it is the pair that is drawn with.
    pub is_used: bool,
    /// The vertex stage.
    pub vertex: Option<EntryPoint>,
    /// The fragment stage.
    pub fragment: Option<EntryPoint>,
    /// What is wrong with the pair; then there are no stages.
    pub issues: Vec<ShaderIssue>,
    /// The WGSL that the texts were translated to, vertex and fragment, where they were.
    pub translated: Option<[String; 2]>,
    /// What was passed over in a pair that compiles, and how it was decided what its texts leave open.
    pub remarks: Vec<ShaderIssue>,
}

impl CompiledPair {
    /// What is wrong with it, or what was passed over.
    pub fn said(&self) -> impl Iterator<Item = &ShaderIssue> {
        self.issues.iter().chain(&self.remarks)
    }
}

/// A stage that compiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntryPoint {
    /// Name of the entry point.
    pub name: String,
    /// What it reads by location.
    pub inputs: Vec<String>,
    /// What it writes by location.
    pub outputs: Vec<String>,
    /// The resources it uses, to which the ABI binds nothing.
    pub bindings: Vec<String>,
}

impl From<&StageModule> for EntryPoint {
    fn from(stage: &StageModule) -> Self {
        Self {
            name: stage.entry_point.clone(),
            inputs: stage.inputs.iter().map(ToString::to_string).collect(),
            outputs: stage.outputs.iter().map(ToString::to_string).collect(),
            bindings: stage.bindings.iter().map(ToString::to_string).collect(),
        }
    }
}

/// The languages that both shaders have, each with the program or why there is none.
pub fn compile_pair(
    vertex: &ShaderObject,
    fragment: &ShaderObject,
    options: &ShaderOptions,
    blobs: &BlobStore,
    diagnostics: &mut Diagnostics,
) -> Vec<(ShaderLanguage, Result<Arc<Program>, Problem>)> {
    let both =
        |language: &ShaderLanguage| vertex.sources.contains_key(language) && fragment.sources.contains_key(language);
    let mut compile = |language| (language, compile_in(language, (vertex, fragment), options, blobs, diagnostics));
    ShaderLanguage::ALL.into_iter().filter(both).map(&mut compile).collect()
}

/// Compiles and links a pair in one language.
fn compile_in(
    language: ShaderLanguage,
    (vertex, fragment): (&ShaderObject, &ShaderObject),
    options: &ShaderOptions,
    blobs: &BlobStore,
    diagnostics: &mut Diagnostics,
) -> Result<Arc<Program>, Problem> {
    let only = ShaderOptions { language: LanguageChoice::Only(language), ..options.clone() };
    let mut library = ProgramLibrary::with_options(only);
    let key = library.link(vertex, fragment, blobs, diagnostics)?;
    // A library has what it has just linked.
    library.get(key).cloned().ok_or(Problem::NoPipeline)
}

/// A pipeline's shaders as objects, with the commands that made them.
pub(super) struct PipelineShaders {
    pub id: PipelineId,
    pub vertex: MadeShader,
    pub fragment: MadeShader,
}

pub(super) struct MadeShader {
    pub creation: CommandNumber,
    pub blobs: ShaderBlobs,
    pub object: ShaderObject,
}

impl Analysis {
    /// The shaders of the pipeline in force at `place`.
    pub fn shaders(&self, place: Place) -> Result<DrawShaders, AnalysisError> {
        let end = self.resolve(place)?.end;
        let set = self.index.bindings_before(end).pipeline;
        match set.and_then(|set| self.index.command(set)) {
            Some(ResolvedCommand::SetPipeline { create }) => self.shaders_of_pipeline(create),
            _ => Err(AnalysisError::NothingBound { what: "pipeline" }),
        }
    }

    /// Bytes of the texts that [`Analysis::state`] has to have compiled at `place`, in every language.
    pub fn text_bytes_at(&self, place: Place) -> Result<u64, AnalysisError> {
        let set = self.index.bindings_before(self.resolve(place)?.end).pipeline;
        let Some(ResolvedCommand::SetPipeline { create }) = set.and_then(|set| self.index.command(set)) else {
            return Ok(0);
        };
        let PipelineShaders { vertex, fragment, .. } = self.pipeline_shaders(create)?;
        let texts = [vertex.object, fragment.object].into_iter().flat_map(|shader| shader.sources.into_values());
        let bytes = texts.map(|text| match self.options.replacements.get(&text.record_offset) {
            Some(replacement) => replacement.len() as u64,
            None => text.size_bytes(),
        });
        Ok(bytes.sum())
    }

    /// The shaders of the pipeline that `creation` makes.
    pub fn shaders_of_pipeline(&self, creation: CommandNumber) -> Result<DrawShaders, AnalysisError> {
        let pipeline = self.pipeline_shaders(creation)?;
        let mut compiled = Vec::new();
        let blobs = BlobStore::new(self.trace.clone());
        let used = self.used_language(&pipeline);
        let (vertex, fragment) = (&pipeline.vertex.object, &pipeline.fragment.object);
        for language in ShaderLanguage::ALL {
            if !(vertex.sources.contains_key(&language) && fragment.sources.contains_key(&language)) {
                continue;
            }
            let result = compile_in(language, (vertex, fragment), &self.options, &blobs, &mut Diagnostics::new());
            compiled.push(CompiledPair {
                language: language.name(),
                is_used: used == Some(language),
                vertex: result.as_ref().ok().map(|program| EntryPoint::from(&program.vertex)),
                fragment: result.as_ref().ok().map(|program| EntryPoint::from(&program.fragment)),
                issues: result.as_ref().err().map(issues_of).unwrap_or_default(),
                translated: self.translate(&pipeline, language)?,
                remarks: result.as_ref().map(|program| remarks_on(program)).unwrap_or_default(),
            });
        }
        Ok(DrawShaders {
            pipeline: pipeline.id,
            creation,
            created_at: self.location(creation),
            vertex: self.texts_of(&pipeline.vertex)?,
            fragment: self.texts_of(&pipeline.fragment)?,
            compiled,
        })
    }

    /// The program that is drawn with, and the language of its texts.
    pub(super) fn program(&self, pipeline: CommandNumber) -> Result<(&'static str, Arc<Program>), AnalysisError> {
        let shaders = self.pipeline_shaders(pipeline)?;
        let blobs = BlobStore::new(self.trace.clone());
        let (vertex, fragment) = (&shaders.vertex.object, &shaders.fragment.object);
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let key = programs.link(vertex, fragment, &blobs, &mut Diagnostics::new());
        let program = key.map(|key| programs.get(key).cloned());
        drop(programs);
        let program = program.and_then(|program| program.ok_or(Problem::NoPipeline));
        let program =
            program.map_err(|problem| AnalysisError::at("CREATE_PIPELINE", self.location(pipeline), problem))?;
        Ok((self.used_language(&shaders).map_or("", ShaderLanguage::name), program))
    }

    /// A pipeline's shaders, found by single packets.
    pub(super) fn pipeline_shaders(&self, creation: CommandNumber) -> Result<PipelineShaders, AnalysisError> {
        let Some(ResolvedCommand::CreatePipeline { vertex, fragment }) = self.index.command(creation) else {
            return Err(AnalysisError::NothingBound { what: "pipeline" });
        };
        let mut reader = CommandReader::new(self.trace.clone());
        let vertex = self.shader(vertex, &mut reader)?;
        let fragment = self.shader(fragment, &mut reader)?;
        let Command::CreatePipeline(CreatePipeline { id, .. }) = reader.read(self.location(creation))?.value else {
            return Err(AnalysisError::NothingBound { what: "pipeline" });
        };
        Ok(PipelineShaders { id, vertex, fragment })
    }

    fn shader(&self, creation: CommandNumber, reader: &mut CommandReader) -> Result<MadeShader, AnalysisError> {
        let at = self.location(creation);
        let Command::CreateShader(CreateShader { id, stage, code: ShaderCode::Texts(blobs) }) = reader.read(at)?.value
        else {
            return Err(AnalysisError::NothingBound { what: "shader" });
        };
        // Making the index has looked up every blob already.
        let catalog = self.index.catalog();
        let resolve = |blob: BlobId| match catalog.resolve(blob, at.offset) {
            Some(definition) => Ok(definition.clone()),
            None => Err(AnalysisError::at("CREATE_SHADER", at, Problem::MissingBlob(blob))),
        };
        let mut sources = BTreeMap::new();
        for (kind, blob) in blobs.by_kind() {
            if let Some(language) = ShaderLanguage::of_blob(kind) {
                sources.insert(language, resolve(blob)?);
            }
        }
        Ok(MadeShader { creation, blobs, object: ShaderObject { id, stage, sources } })
    }

    fn used_language(&self, pipeline: &PipelineShaders) -> Option<ShaderLanguage> {
        let (vertex, fragment) = (&pipeline.vertex.object, &pipeline.fragment.object);
        // Another library: that of the compiled ones may be busy compiling for minutes.
        ProgramLibrary::with_options(self.options.clone()).choose_language(vertex, fragment).ok()
    }

    fn texts_of(&self, shader: &MadeShader) -> Result<ShaderTexts, AnalysisError> {
        let MadeShader { creation, blobs, object } = shader;
        let mut texts = Vec::new();
        for (language, definition) in &object.sources {
            let Some((_, blob)) = blobs.by_kind().find(|(kind, _)| *kind == language.facts().blob) else { continue };
            let is_readable = definition.size_bytes() <= MAX_SHADER_BYTES;
            let text = if is_readable { Some(self.trace.read(definition.bytes.clone())?) } else { None };
            let replacement = self.options.replacements.get(&definition.record_offset);
            texts.push(TextInfo {
                language: language.name(),
                blob,
                record_offset: definition.record_offset,
                text_offset: definition.bytes.start,
                size_bytes: definition.size_bytes(),
                text: text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
                replacement: replacement.map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            });
        }
        let (id, stage, created_at) = (object.id, object.stage, self.location(*creation));
        Ok(ShaderTexts { id, stage, creation: *creation, created_at, texts })
    }

    /// The WGSL that a pair is rewritten to, if its language is one that is, and it can be.
    fn translate(
        &self,
        pipeline: &PipelineShaders,
        language: ShaderLanguage,
    ) -> Result<Option<[String; 2]>, AnalysisError> {
        let Some(rewrite) = language.facts().rewrite else { return Ok(None) };
        let blob = |shader: &MadeShader| shader.object.sources.get(&language).cloned();
        let (Some(vertex), Some(fragment)) = (blob(&pipeline.vertex), blob(&pipeline.fragment)) else {
            return Ok(None);
        };
        let read = |blob: &BlobDefinition| -> Result<Vec<u8>, AnalysisError> {
            match self.options.replacements.get(&blob.record_offset) {
                Some(replacement) => Ok(replacement.clone()),
                None if blob.size_bytes() > MAX_SHADER_BYTES => Ok(Vec::new()),
                None => Ok(self.trace.read(blob.bytes.clone())?),
            }
        };
        let (vertex_bytes, fragment_bytes) = (read(&vertex)?, read(&fragment)?);
        let pair = [
            ShaderText { bytes: &vertex_bytes, offset: vertex.bytes.start },
            ShaderText { bytes: &fragment_bytes, offset: fragment.bytes.start },
        ];
        let options = &self.options.glsl;
        Ok(guarded(|| rewrite(pair, options).ok()).ok().flatten())
    }
}
