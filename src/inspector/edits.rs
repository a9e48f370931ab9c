//! Shader texts, and assembly of bytecode, that the user has changed: tried as they are typed, and kept until they are saved or given up.
//!
//! ```text
//!  typed ──► untried ──► trying ──► compiles: the picture follows   ──► saved (or not yet)
//!                              └──► does not: issues, by line       ──► saved all the same, if asked to
//! ```
//!
//! While a text has errors the one before stays in use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::action::Action;
use super::document::{Document, QuestionKind};
use super::promise::Promise;
use crate::analysis::{ShaderEdit, replacement_files, write_replacements};
use crate::bytes::is_same_file;
use crate::command::{FileBytes, ShaderStage};
use crate::replay::{CommandNumber, ShaderOptions, ShaderReplacements};
use crate::shader::ShaderIssue;

/// What a text is tried for.
#[derive(Clone, Copy, Debug)]
pub(super) enum EditedShader {
    /// One of the shaders of the pipeline that a command makes.
    Text(CommandNumber),
    /// Bytecode of submissions, for a stage.
    Bytecode(FileBytes, ShaderStage),
}

/// Edited texts by the file offset of their record, or of the bytecode.
#[derive(Default)]
pub(super) struct Edits {
    texts: BTreeMap<u64, Edit>,
    /// Texts to try, each with what for.
    untried: BTreeMap<u64, EditedShader>,
    trying: Option<(u64, Promise<Tried>)>,
    saved: Option<Saved>,
}

struct Edit {
    text: String,
    /// The text that the user found.
    original: String,
    /// The same text as it lies in a file: in the trace, or where it was saved.
    kept: String,
    /// What was wrong with the text that was tried last.
    issues: Vec<ShaderIssue>,
}

type Tried = Result<Result<ShaderEdit, Vec<ShaderIssue>>, String>;

/// The paths of what was saved, or why it was not.
pub(super) type Saved = Result<Vec<PathBuf>, String>;

impl Edits {
    pub(crate) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// How many texts are others than the trace's, or than what was saved of them.
    pub(crate) fn count(&self) -> usize {
        self.texts.values().filter(|edit| edit.text != edit.original || edit.text != edit.kept).count()
    }

    /// How many texts would be lost.
    pub(crate) fn unsaved(&self) -> usize {
        self.texts.values().filter(|edit| edit.text != edit.kept).count()
    }

    /// How many texts have errors.
    pub(crate) fn broken(&self) -> usize {
        self.texts.values().filter(|edit| !edit.issues.is_empty()).count()
    }

    /// The text of a record, if it was edited.
    pub(crate) fn text(&self, record: u64) -> Option<&str> {
        self.texts.get(&record).map(|edit| edit.text.as_str())
    }

    /// Takes a text that was typed in place of `original`, and has it tried.
    pub(crate) fn set(&mut self, record: u64, original: &str, text: String, shader: EditedShader) {
        let new = || Edit {
            text: String::new(),
            original: original.to_owned(),
            kept: original.to_owned(),
            issues: Vec::new(),
        };
        self.texts.entry(record).or_insert_with(new).text = text;
        self.untried.insert(record, shader);
    }

    /// What is wrong with a record's text, if it was edited.
    pub(crate) fn issues_of(&self, record: u64) -> Option<&[ShaderIssue]> {
        self.texts.get(&record).map(|edit| edit.issues.as_slice())
    }

    /// What is wrong with the texts that were tried last.
    pub(crate) fn issues(&self) -> impl Iterator<Item = &ShaderIssue> {
        self.texts.values().flat_map(|edit| &edit.issues)
    }

    /// Whether what is known of the texts is about older ones.
    pub(crate) fn is_trying(&self) -> bool {
        self.trying.is_some() || !self.untried.is_empty()
    }

    /// What became of saving them, once that was tried.
    pub(crate) fn saved(&self) -> Option<&Saved> {
        self.saved.as_ref()
    }

    /// Takes what was tried, and tries what was typed since.
    pub(crate) fn advance(&mut self, document: &Document, actions: &mut Vec<Action>) {
        if let Some((record, tried)) = &self.trying
            && let Some(tried) = tried.get().cloned()
        {
            let record = *record;
            self.trying = None;
            let issues = match tried {
                Ok(Ok(edit)) => {
                    actions.push(Action::SetShaders(Box::new(edit.options)));
                    Vec::new()
                }
                Ok(Err(issues)) => issues,
                Err(message) => vec![ShaderIssue::without_place(None, message)],
            };
            if let Some(edit) = self.texts.get_mut(&record) {
                edit.issues = issues;
            }
            // The next text is tried with this one in its place, once that is so.
            return;
        }
        if self.trying.is_some() {
            return;
        }
        let Some((record, shader)) = self.untried.pop_first() else { return };
        let Some(text) = self.text(record).map(|text| text.as_bytes().to_vec()) else { return };
        let asked = document.ask(QuestionKind::TryShader, move |analysis, _| match shader {
            EditedShader::Text(creation) => analysis.try_shader_text(creation, record, text),
            EditedShader::Bytecode(code, stage) => analysis.try_bytecode(code, stage, text),
        });
        self.trying = asked.map(|asked| (record, asked));
    }

    /// Writes every edited text, and what else stands in for the trace's texts, as replacements.
    pub(crate) fn save(&mut self, document: &Document, folder: &Path) {
        let mut replacements = ShaderReplacements::clone(&document.open.shaders.replacements);
        for (record, edit) in &self.texts {
            replacements.insert(*record, edit.text.as_bytes().to_vec());
        }
        let saved = match document.analysis() {
            Some(analysis) => {
                let files = replacement_files(analysis, &replacements, folder);
                match files.iter().find(|(path, _)| is_same_file(path, &document.open.path)) {
                    Some((path, _)) => Err(format!("{} is the trace itself: choose another folder", path.display())),
                    None => write_replacements(folder, files).map_err(|error| format!("{}: {error}", folder.display())),
                }
            }
            None => Err("the index is not ready yet".to_owned()),
        };
        if saved.is_ok() {
            for edit in self.texts.values_mut() {
                edit.kept.clone_from(&edit.text);
            }
        }
        self.saved = Some(saved);
    }

    /// Gives the edits up; what to draw with then.
    pub(crate) fn give_up(&mut self, shaders: &ShaderOptions) -> ShaderOptions {
        *self = Self::default();
        ShaderOptions { replacements: Default::default(), ..shaders.clone() }
    }
}
