//! The shaders of a pipeline: their texts, what becomes of them, and what they read and write.

use std::sync::{Arc, PoisonError};

use serde::Serialize;

use super::shader_edit::{ShaderIssue, issues_of};
use super::{Inquiry, InquiryError};
use crate::bytes::Diagnostics;
use crate::bytes::limits::MAX_SHADER_BYTES;
use crate::command::{Command, Location, PipelineId, Place, ShaderBlobs, ShaderId, ShaderStage};
use crate::format::aerogpu::{BlobDefinition, BlobId};
use crate::replay::{
    BlobStore, CommandNumber, CommandReader, Problem, ProgramLibrary, ShaderLanguage, ShaderObject, ShaderOptions, Step,
};
use crate::shader::glsl::{self, GlslSource};
use crate::shader::{Program, StageModule, guarded};

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
    /// Its texts, WGSL first.
    pub texts: Vec<TextInfo>,
}

/// One text of a shader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextInfo {
    /// `wgsl` or `glsl`.
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
    /// `wgsl` or `glsl`.
    pub language: &'static str,
    /// Whether it is the pair that is drawn with.
    pub is_used: bool,
    /// The vertex stage.
    pub vertex: Option<EntryPoint>,
    /// The fragment stage.
    pub fragment: Option<EntryPoint>,
    /// What is wrong with the pair; then there are no stages.
    pub issues: Vec<ShaderIssue>,
    /// The WGSL that GLSL texts were translated to, vertex and fragment.
    pub translated: Option<[String; 2]>,
    /// How it was decided what the texts leave open.
    pub remarks: Vec<String>,
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
) -> Vec<(&'static str, Result<Arc<Program>, Problem>)> {
    let languages = [
        ("wgsl", ShaderLanguage::Wgsl, vertex.wgsl.is_some() && fragment.wgsl.is_some()),
        ("glsl", ShaderLanguage::Glsl, vertex.glsl.is_some() && fragment.glsl.is_some()),
    ];
    let present = languages.into_iter().filter(|(.., is_present)| *is_present);
    let compile = |(name, language, _)| {
        let mut library = ProgramLibrary::with_options(ShaderOptions { language, ..options.clone() });
        let linked = library.link(vertex, fragment, blobs, diagnostics);
        // A library has what it has just linked.
        let program = linked.map(|key| library.get(key).cloned());
        (name, program.and_then(|program| program.ok_or(Problem::NoPipeline)))
    };
    present.map(compile).collect()
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

impl Inquiry {
    /// The shaders of the pipeline in force at `place`.
    pub fn shaders(&self, place: Place) -> Result<DrawShaders, InquiryError> {
        let end = self.resolve(place)?.end;
        let set = self.index.bindings_before(end).pipeline;
        match set.and_then(|set| self.index.step(set)) {
            Some(&Step::SetPipeline { create }) => self.shaders_of_pipeline(create),
            _ => Err(InquiryError::NothingBound { what: "pipeline" }),
        }
    }

    /// Bytes of the texts that [`Inquiry::state`] has to have compiled at `place`, in every language.
    pub fn text_bytes_at(&self, place: Place) -> Result<u64, InquiryError> {
        let set = self.index.bindings_before(self.resolve(place)?.end).pipeline;
        let Some(&Step::SetPipeline { create }) = set.and_then(|set| self.index.step(set)) else { return Ok(0) };
        let PipelineShaders { vertex, fragment, .. } = self.pipeline_shaders(create)?;
        let texts =
            [vertex.object, fragment.object].into_iter().flat_map(|shader| [shader.wgsl, shader.glsl]).flatten();
        let bytes = texts.map(|text| match self.options.replacements.get(&text.record_offset) {
            Some(replacement) => replacement.len() as u64,
            None => text.size_bytes(),
        });
        Ok(bytes.sum())
    }

    /// The shaders of the pipeline that `creation` makes.
    pub fn shaders_of_pipeline(&self, creation: CommandNumber) -> Result<DrawShaders, InquiryError> {
        let pipeline = self.pipeline_shaders(creation)?;
        let mut compiled = Vec::new();
        let blobs = BlobStore::new(self.trace.clone());
        let used = self.used_language(&pipeline);
        for language in ["wgsl", "glsl"] {
            let mut diagnostics = Diagnostics::new();
            let (vertex, fragment) = (&pipeline.vertex.object, &pipeline.fragment.object);
            let only = |shader: &ShaderObject| match language {
                "wgsl" => ShaderObject { glsl: None, ..shader.clone() },
                _ => ShaderObject { wgsl: None, ..shader.clone() },
            };
            let pairs = compile_pair(&only(vertex), &only(fragment), &self.options, &blobs, &mut diagnostics);
            for (language, result) in pairs {
                let remarks = diagnostics.findings().iter().map(|finding| finding.what.to_string()).collect();
                let translated = if language == "glsl" { self.translate(&pipeline)? } else { None };
                compiled.push(CompiledPair {
                    language,
                    is_used: used == Some(language),
                    vertex: result.as_ref().ok().map(|program| EntryPoint::from(&program.vertex)),
                    fragment: result.as_ref().ok().map(|program| EntryPoint::from(&program.fragment)),
                    issues: result.as_ref().err().map(issues_of).unwrap_or_default(),
                    translated,
                    remarks,
                });
            }
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
    pub(super) fn program(&self, pipeline: CommandNumber) -> Result<(&'static str, Arc<Program>), InquiryError> {
        let shaders = self.pipeline_shaders(pipeline)?;
        let blobs = BlobStore::new(self.trace.clone());
        let (vertex, fragment) = (&shaders.vertex.object, &shaders.fragment.object);
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let key = programs.link(vertex, fragment, &blobs, &mut Diagnostics::new());
        let program = key.map(|key| programs.get(key).cloned());
        drop(programs);
        let program = program.and_then(|program| program.ok_or(Problem::NoPipeline));
        let program =
            program.map_err(|problem| InquiryError::at("CREATE_PIPELINE", self.location(pipeline), problem))?;
        Ok((self.used_language(&shaders).unwrap_or_default(), program))
    }

    /// A pipeline's shaders, found by single packets.
    pub(super) fn pipeline_shaders(&self, creation: CommandNumber) -> Result<PipelineShaders, InquiryError> {
        let Some(&Step::CreatePipeline { vertex, fragment }) = self.index.step(creation) else {
            return Err(InquiryError::NothingBound { what: "pipeline" });
        };
        let mut reader = CommandReader::new(self.trace.clone());
        let vertex = self.shader(vertex, &mut reader)?;
        let fragment = self.shader(fragment, &mut reader)?;
        let Command::CreatePipeline { id, .. } = reader.read(self.location(creation))?.value else {
            return Err(InquiryError::NothingBound { what: "pipeline" });
        };
        Ok(PipelineShaders { id, vertex, fragment })
    }

    fn shader(&self, creation: CommandNumber, reader: &mut CommandReader) -> Result<MadeShader, InquiryError> {
        let at = self.location(creation);
        let Command::CreateShader { id, stage, blobs } = reader.read(at)?.value else {
            return Err(InquiryError::NothingBound { what: "shader" });
        };
        // Making the index has looked up every blob already.
        let catalog = self.index.catalog();
        let resolve = |blob: Option<BlobId>| match blob {
            None => Ok(None),
            Some(blob) => match catalog.resolve(blob, at.offset) {
                Some(definition) => Ok(Some(definition.clone())),
                None => Err(InquiryError::at("CREATE_SHADER", at, Problem::MissingBlob(blob))),
            },
        };
        let object = ShaderObject { id, stage, wgsl: resolve(blobs.wgsl)?, glsl: resolve(blobs.glsl)? };
        Ok(MadeShader { creation, blobs, object })
    }

    fn used_language(&self, pipeline: &PipelineShaders) -> Option<&'static str> {
        let (vertex, fragment) = (&pipeline.vertex.object, &pipeline.fragment.object);
        // Another library: that of the compiled ones may be busy compiling for minutes.
        let programs = ProgramLibrary::with_options(self.options.clone());
        match programs.choose_language(vertex, fragment).ok()? {
            ShaderLanguage::Glsl => Some("glsl"),
            ShaderLanguage::Wgsl | ShaderLanguage::Auto => Some("wgsl"),
        }
    }

    fn texts_of(&self, shader: &MadeShader) -> Result<ShaderTexts, InquiryError> {
        let MadeShader { creation, blobs, object } = shader;
        let both = [("wgsl", blobs.wgsl, &object.wgsl), ("glsl", blobs.glsl, &object.glsl)];
        let mut texts = Vec::new();
        for (language, blob, definition) in both {
            let (Some(blob), Some(definition)) = (blob, definition) else { continue };
            let is_readable = definition.size_bytes() <= MAX_SHADER_BYTES;
            let text = if is_readable { Some(self.trace.read(definition.bytes.clone())?) } else { None };
            let replacement = self.options.replacements.get(&definition.record_offset);
            texts.push(TextInfo {
                language,
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

    /// The WGSL that a pair of GLSL texts becomes, if it does.
    fn translate(&self, pipeline: &PipelineShaders) -> Result<Option<[String; 2]>, InquiryError> {
        let (Some(vertex), Some(fragment)) = (&pipeline.vertex.object.glsl, &pipeline.fragment.object.glsl) else {
            return Ok(None);
        };
        let read = |blob: &BlobDefinition| -> Result<Vec<u8>, InquiryError> {
            match self.options.replacements.get(&blob.record_offset) {
                Some(replacement) => Ok(replacement.clone()),
                None if blob.size_bytes() > MAX_SHADER_BYTES => Ok(Vec::new()),
                None => Ok(self.trace.read(blob.bytes.clone())?),
            }
        };
        let (vertex_text, fragment_text) = (read(vertex)?, read(fragment)?);
        let vertex_source = GlslSource { text: &vertex_text, offset: vertex.bytes.start };
        let fragment_source = GlslSource { text: &fragment_text, offset: fragment.bytes.start };
        let options = &self.options.glsl;
        let linked = guarded(|| glsl::link(vertex_source, fragment_source, options, &mut Diagnostics::new()).ok());
        Ok(linked.ok().flatten().map(|linked| [linked.vertex_wgsl, linked.fragment_wgsl]))
    }
}
