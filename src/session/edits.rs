//! The shader texts that a trace is drawn with, one version per edit.
//!
//! ```text
//!  version 0 ──edit──► version 1 ──edit──► version 2
//!     ▲ hash, asked before    ▲ hash, asked between: waits until it is known whether the edit is sound
//! ```
//!
//! A text is tried by a process of its own, so that neither what is drawn nor anything else waits for a compiler but what
//! was asked about the trace afterwards.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
#[cfg(feature = "cli")]
use std::time::Duration;

use serde_json::{Value, json};

use super::error::SessionError;
use super::files::TraceFiles;
use super::params::{SaveEdits, wrong};
use crate::analysis::{Analysis, replacement_files};
use crate::bytes::FileIdentity;
use crate::questions::{Question, TraceToDraw};
use crate::replay::{ShaderOptions, ShaderReplacements};

/// How often whoever waits for a version looks whether it is still wanted.
#[cfg(feature = "cli")]
const GLANCE: Duration = Duration::from_millis(50);

/// A trace as it is drawn from some request on, once that is known.
pub(crate) struct Version {
    known: Mutex<Option<Known>>,
    told: Condvar,
}

/// A trace as it is drawn.
#[derive(Clone)]
pub(crate) struct Known {
    /// Questions about it, its shaders made of these texts.
    pub(crate) analysis: Analysis,
    /// What a process that draws is told.
    pub(crate) to_draw: Arc<TraceToDraw>,
}

/// A text that is to be tried. Dropping it gives it up: what comes after is what was before.
pub(crate) struct Edit {
    pub(crate) before: Arc<Version>,
    after: Arc<Version>,
    question: Question,
}

/// The files of the traces that were open when a request came, which nothing is written over.
pub(crate) struct OpenFiles(pub(crate) Vec<(FileIdentity, PathBuf)>);

impl Version {
    /// A trace as it was opened.
    pub(crate) fn first(known: Known) -> Arc<Self> {
        Arc::new(Self { known: Mutex::new(Some(known)), told: Condvar::new() })
    }

    /// What it is, if that is known already.
    pub(crate) fn get(&self) -> Option<Known> {
        self.lock().clone()
    }

    /// Waits until it is known what it is, for another thread to say so. `None`: it was given up.
    #[cfg(feature = "cli")]
    pub(crate) fn wait(&self, is_given_up: &dyn Fn() -> bool) -> Option<Known> {
        let mut known = self.lock();
        while known.is_none() && !is_given_up() {
            known = self.told.wait_timeout(known, GLANCE).unwrap_or_else(PoisonError::into_inner).0;
        }
        known.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, known: Known) {
        self.lock().get_or_insert(known);
        self.told.notify_all();
    }
}

impl Edit {
    /// An edit of the trace that is at `version`, which then is at the next one.
    pub(crate) fn of(version: &mut Arc<Version>, question: Question) -> Self {
        let after = Arc::new(Version { known: Mutex::new(None), told: Condvar::new() });
        let before = std::mem::replace(version, after.clone());
        Self { before, after, question }
    }

    /// Has the text tried by `ask`, and drawn with from now on if nothing is wrong with it.
    pub(crate) fn carry_out<E>(
        self,
        known: Known,
        ask: impl FnOnce(&Known, &Question) -> Result<Value, E>,
    ) -> Result<Value, E> {
        if let Question::Edit { text: None, .. } = self.question {
            return Ok(json!({ "issues": [], "reverted": self.apply(known) }));
        }
        let answer = ask(&known, &self.question)?;
        if answer.get("is_used").is_some() {
            self.apply(known);
        }
        Ok(answer)
    }

    /// Has the text drawn with from now on. Whether another than the trace's own was drawn with before.
    fn apply(self, known: Known) -> bool {
        let Question::Edit { record_offset, text, .. } = &self.question else { return false };
        let Known { analysis, to_draw } = known;
        let mut replacements = ShaderReplacements::clone(&analysis.shader_options().replacements);
        let earlier = match text {
            Some(text) => replacements.insert(*record_offset, text.clone().into_bytes()),
            None => replacements.remove(record_offset),
        };
        let to_draw = TraceToDraw { replacements: replacements.clone(), ..TraceToDraw::clone(&to_draw) };
        let options = ShaderOptions { replacements: Arc::new(replacements), ..analysis.shader_options().clone() };
        self.after.tell(Known { analysis: analysis.with_shader_options(options), to_draw: Arc::new(to_draw) });
        earlier.is_some()
    }
}

impl Drop for Edit {
    fn drop(&mut self) {
        // Edits end in their order, so what was before is known.
        if let Some(before) = self.before.get() {
            self.after.tell(before);
        }
    }
}

impl Known {
    /// `save_edits`
    pub(crate) fn save(
        &self,
        params: &SaveEdits,
        open: &OpenFiles,
        disk: &dyn TraceFiles,
    ) -> Result<Value, SessionError> {
        let replacements = &self.analysis.shader_options().replacements;
        if replacements.is_empty() {
            return Err(wrong("save_edits", "nothing was edited"));
        }
        let folder = Path::new(&params.folder);
        let files = replacement_files(&self.analysis, replacements, folder);
        files.iter().try_for_each(|(path, _)| open.refuse(path))?;
        let paths = disk.save(&params.folder, files)?;
        Ok(json!({ "paths": paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>() }))
    }
}

impl OpenFiles {
    /// Fails if a file that is to be written is an open trace, by whatever name.
    pub(crate) fn refuse(&self, output: &Path) -> Result<(), SessionError> {
        // What is not there is nobody's.
        let Ok(identity) = FileIdentity::of(output) else { return Ok(()) };
        match self.0.iter().find(|(open, _)| *open == identity) {
            Some((_, trace)) => Err(SessionError::IsOpenTrace { output: output.to_owned(), trace: trace.clone() }),
            None => Ok(()),
        }
    }
}
