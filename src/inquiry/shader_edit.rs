//! Trying out an edited shader text: what is wrong with it, by line, or the options to draw with it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Inquiry, InquiryError};
use crate::bytes::Diagnostics;
use crate::command::ShaderStage;
use crate::format::aerogpu::BlobDefinition;
use crate::replay::{
    BlobStore, CommandNumber, Problem, ProgramLibrary, ShaderLanguage, ShaderOptions, ShaderReplacements,
};
use crate::shader::ShaderError;
use crate::shader::glsl::{GlslError, LinkError, Place, Stage};

/// Something that is wrong with a pair of shaders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaderIssue {
    /// The shader at fault, if it is one of them.
    pub stage: Option<ShaderStage>,
    /// Line, counted from 1.
    pub line: Option<u32>,
    /// Column, counted from 1.
    pub column: Option<u32>,
    /// One sentence, without the place.
    pub message: String,
}

/// An edited text that compiles and links.
#[derive(Clone, Debug)]
pub struct ShaderEdit {
    /// What to draw with: the options so far, and the text in its place. For [`Inquiry::with_shader_options`] and a
    /// player's `set_shader_options`.
    pub options: ShaderOptions,
    /// Whether the pipeline is drawn with the text's language, so that the edit shows.
    pub is_used: bool,
}

impl Inquiry {
    /// Tries `text` in place of the one in the Blob record at `record_offset`, for the pipeline that `creation` makes.
    pub fn try_shader_text(
        &self,
        creation: CommandNumber,
        record_offset: u64,
        text: Vec<u8>,
    ) -> Result<Result<ShaderEdit, Vec<ShaderIssue>>, InquiryError> {
        let pipeline = self.pipeline_shaders(creation)?;
        let (vertex, fragment) = (&pipeline.vertex.object, &pipeline.fragment.object);
        let has = |blob: Option<&BlobDefinition>| blob.is_some_and(|blob| blob.record_offset == record_offset);
        let language = if has(vertex.wgsl.as_ref()) || has(fragment.wgsl.as_ref()) {
            ShaderLanguage::Wgsl
        } else if has(vertex.glsl.as_ref()) || has(fragment.glsl.as_ref()) {
            ShaderLanguage::Glsl
        } else {
            return Err(InquiryError::NoSuchText { record_offset });
        };
        let mut replacements = ShaderReplacements::clone(&self.options.replacements);
        replacements.insert(record_offset, text);
        let options = ShaderOptions { replacements: Arc::new(replacements), ..self.options.clone() };
        let mut library = ProgramLibrary::with_options(ShaderOptions { language, ..options.clone() });
        let blobs = BlobStore::new(self.trace.clone());
        Ok(match library.link(vertex, fragment, &blobs, &mut Diagnostics::new()) {
            Ok(_) => {
                let used = ProgramLibrary::with_options(options.clone()).choose_language(vertex, fragment);
                Ok(ShaderEdit { options, is_used: used.is_ok_and(|used| used == language) })
            }
            Err(problem) => Err(issues_of(&problem)),
        })
    }
}

/// What is wrong, each with its place in its text.
pub(super) fn issues_of(problem: &Problem) -> Vec<ShaderIssue> {
    let Problem::Shader(error) = problem else { return vec![without_place(None, problem.to_string())] };
    match error {
        ShaderError::DoesNotCompile { stage, message, line, column, .. } => vec![ShaderIssue {
            stage: Some(*stage),
            line: Some(*line),
            column: Some(*column),
            message: message.clone(),
        }],
        ShaderError::NotUtf8 { stage, .. }
        | ShaderError::NoEntryPoint { stage, .. }
        | ShaderError::OverLimit { stage, .. }
        | ShaderError::CompilerBroke { stage, .. }
        | ShaderError::UnsupportedBinding { stage, .. } => vec![without_place(Some(*stage), error.to_string())],
        ShaderError::StagesDisagree { .. } => vec![without_place(Some(ShaderStage::Fragment), error.to_string())],
        ShaderError::UnknownAttribute { .. } => vec![without_place(Some(ShaderStage::Vertex), error.to_string())],
        ShaderError::Glsl(error) => glsl_issues(error),
    }
}

fn glsl_issues(error: &GlslError) -> Vec<ShaderIssue> {
    match error {
        GlslError::Invalid { fault, place } => vec![at(place, fault.to_string())],
        GlslError::Unsupported { construct, place } => vec![at(place, construct.to_string())],
        GlslError::LimitExceeded { limit, place } => vec![at(place, limit.to_string())],
        GlslError::Link(error) => link_issues(error),
    }
}

fn link_issues(error: &LinkError) -> Vec<ShaderIssue> {
    match error {
        LinkError::MissingVarying { name, declared, place } => {
            vec![at(place, format!("fragment input '{name}' ({declared}) has no vertex output of that name"))]
        }
        LinkError::Mismatch { what, name, vertex, fragment, vertex_place, fragment_place } => vec![
            at(vertex_place, format!("{what} '{name}' is {vertex} here but {fragment} in the fragment shader")),
            at(fragment_place, format!("{what} '{name}' is {fragment} here but {vertex} in the vertex shader")),
        ],
        LinkError::TooManyVaryings { found, cap, place } => {
            vec![at(place, format!("varyings need {found} locations, expected at most {cap}"))]
        }
        LinkError::LocationTaken { name, location, other, place } => {
            vec![at(place, format!("'{name}' is at location {location}, which '{other}' has"))]
        }
    }
}

fn at(place: &Place, message: String) -> ShaderIssue {
    let stage = match place.stage {
        Stage::Vertex => ShaderStage::Vertex,
        Stage::Fragment => ShaderStage::Fragment,
    };
    ShaderIssue { stage: Some(stage), line: Some(place.line), column: Some(place.column), message }
}

fn without_place(stage: Option<ShaderStage>, message: String) -> ShaderIssue {
    ShaderIssue { stage, line: None, column: None, message }
}
