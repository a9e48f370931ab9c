//! Trying out an edited shader, a text or bytecode's assembly: what is wrong with it, by line, or the options to draw with it.

use std::sync::Arc;

use super::{Analysis, AnalysisError};
use crate::bytes::Diagnostics;
use crate::command::{FileBytes, ShaderStage};
use crate::limits::MAX_BYTECODE_BYTES;
use crate::replay::{
    BlobStore, CommandNumber, Problem, ProgramLibrary, ReplacementError, ShaderObject, ShaderOptions,
    ShaderReplacements, check_replacement,
};
use crate::shader::{LanguageChoice, Program, ShaderIssue, ShaderLanguage};

/// An edited text that compiles and links.
#[derive(Clone, Debug)]
pub struct ShaderEdit {
    /// What to draw with: the options so far, and the text in its place. For [`Analysis::with_shader_options`] and a
    /// player's `set_shader_options`.
    pub options: ShaderOptions,
    /// Whether the pipeline is drawn with the text's language, so that the edit shows.
    pub is_used: bool,
    /// What was passed over in the text and its partner.
    pub remarks: Vec<ShaderIssue>,
}

impl Analysis {
    /// Tries `text` in place of the one in the Blob record at `record_offset`, for the pipeline that `creation` makes.
    pub fn try_shader_text(
        &self,
        creation: CommandNumber,
        record_offset: u64,
        text: Vec<u8>,
    ) -> Result<Result<ShaderEdit, Vec<ShaderIssue>>, AnalysisError> {
        let pipeline = self.pipeline_shaders(creation)?;
        let (vertex, fragment) = (&pipeline.vertex.object, &pipeline.fragment.object);
        let has = |shader: &ShaderObject, language| {
            shader.sources.get(&language).is_some_and(|blob| blob.record_offset == record_offset)
        };
        let language = ShaderLanguage::ALL.into_iter().find(|of| has(vertex, *of) || has(fragment, *of));
        let language = language.ok_or(AnalysisError::NoSuchText { record_offset })?;
        let mut replacements = ShaderReplacements::clone(&self.options.replacements);
        replacements.insert(record_offset, text);
        let options = ShaderOptions { replacements: Arc::new(replacements), ..self.options.clone() };
        let mut library =
            ProgramLibrary::with_options(ShaderOptions { language: LanguageChoice::Only(language), ..options.clone() });
        let blobs = BlobStore::new(self.trace.clone());
        Ok(match library.link(vertex, fragment, &blobs, &mut Diagnostics::new()) {
            Ok(key) => {
                let used = ProgramLibrary::with_options(options.clone()).choose_language(vertex, fragment);
                let remarks = library.get(key).map(|program| remarks_on(program)).unwrap_or_default();
                Ok(ShaderEdit { options, is_used: used.is_ok_and(|used| used == language), remarks })
            }
            Err(problem) => Err(issues_of(&problem)),
        })
    }

    /// Tries `with`, assembly or bytecode, in place of the bytecode of submissions that lies at `code`.
    pub fn try_bytecode(
        &self,
        code: FileBytes,
        stage: ShaderStage,
        with: Vec<u8>,
    ) -> Result<Result<ShaderEdit, Vec<ShaderIssue>>, AnalysisError> {
        if code.size_bytes > MAX_BYTECODE_BYTES {
            let (what, found, limit) = ("the shader's size in bytes", code.size_bytes, MAX_BYTECODE_BYTES);
            return Err(AnalysisError::OverLimit { what, found, limit });
        }
        let original = self.trace.read(code.range())?;
        Ok(match check_replacement(&original, code.offset, &with) {
            Ok(()) => {
                let mut replacements = ShaderReplacements::clone(&self.options.replacements);
                replacements.insert(code.offset, with);
                let options = ShaderOptions { replacements: Arc::new(replacements), ..self.options.clone() };
                Ok(ShaderEdit { options, is_used: true, remarks: Vec::new() })
            }
            Err(error) => Err(vec![issue_of_bytecode(&error, stage)]),
        })
    }
}

fn issue_of_bytecode(error: &ReplacementError, stage: ShaderStage) -> ShaderIssue {
    let stage = Some(stage);
    match error {
        ReplacementError::Assembly(error) => {
            let place = error.place();
            let (line, column) = (place.map(|(line, _)| line), place.and_then(|(_, column)| column));
            ShaderIssue { line, column, ..ShaderIssue::without_place(stage, error.sentence()) }
        }
        other => ShaderIssue::without_place(stage, other.to_string()),
    }
}

/// What was passed over in a program's texts.
pub(super) fn remarks_on(program: &Program) -> Vec<ShaderIssue> {
    program.remarks.iter().map(|remark| remark.issue.clone()).collect()
}

/// What is wrong, each with its place in its text.
pub(super) fn issues_of(problem: &Problem) -> Vec<ShaderIssue> {
    match problem {
        Problem::Shader(error) => error.issues(),
        other => vec![ShaderIssue::without_place(None, other.to_string())],
    }
}
