//! Nothing that the user has written is lost without asking: edited shader texts, and notes that can't be kept.

use std::path::PathBuf;

use egui::{Id, Modal, RichText, Ui};

use super::Inspector;
use crate::text::say;

/// What would lose them.
#[derive(Clone, Debug)]
pub(super) enum CloseReason {
    /// Closing the window.
    Quit,
    /// Opening another trace.
    Open(PathBuf),
    /// Reading the trace again.
    Reload,
}

/// What the user wants to become of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Save,
    Discard,
    Cancel,
}

impl Inspector {
    /// Closes the window, or asks first what is to become of what was not saved: see [`Self::has_quit`].
    pub fn close_requested(&mut self) {
        self.leave(CloseReason::Quit);
    }

    /// Does it if nothing would be lost by it, and else asks.
    pub(super) fn leave(&mut self, reason: CloseReason) {
        if self.has_unsaved() {
            self.reason = Some(reason);
        } else {
            self.leave_now(reason);
        }
    }

    /// Whether something would be lost. Notes are kept without asking where that is possible.
    pub(super) fn has_unsaved(&mut self) -> bool {
        self.save_state();
        self.session.shared.edits.unsaved() > 0 || self.session.shared.notes.why_unsaved().is_some()
    }

    fn leave_now(&mut self, reason: CloseReason) {
        match reason {
            CloseReason::Quit => self.has_quit = true,
            CloseReason::Open(path) => self.open(&path),
            CloseReason::Reload => self.reload(),
        }
    }

    /// Asks, if there is something to ask.
    pub(super) fn unsaved_ui(&mut self, ui: &Ui) {
        let Some(reason) = self.reason.clone() else { return };
        let mut choice = None;
        let modal = Modal::new(Id::unique("unsaved")).show(ui.ctx(), |ui| {
            ui.set_max_width(420.0);
            self.question_ui(ui, &reason);
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                for (text, meant) in [("Save", Choice::Save), ("Discard", Choice::Discard), ("Cancel", Choice::Cancel)]
                {
                    if ui.button(text).clicked() {
                        choice = Some(meant);
                    }
                }
            });
        });
        match choice.or(modal.should_close().then_some(Choice::Cancel)) {
            None => {}
            Some(Choice::Cancel) => self.reason = None,
            Some(Choice::Discard) => {
                self.reason = None;
                if matches!(reason, CloseReason::Quit) {
                    self.session.shared.edits = Default::default();
                }
                // A trace that can't be opened leaves everything as it is.
                self.leave_now(reason);
            }
            Some(Choice::Save) => {
                self.save_edits();
                if !self.has_unsaved() {
                    self.reason = None;
                    self.leave_now(reason);
                }
            }
        }
    }

    fn question_ui(&self, ui: &mut Ui, reason: &CloseReason) {
        ui.label(RichText::new("Not saved").heading());
        let edits = &self.session.shared.edits;
        match edits.unsaved() {
            0 => {}
            1 => drop(ui.label("An edited shader text is not saved.")),
            unsaved => drop(ui.label(format!("{unsaved} edited shader texts are not saved."))),
        }
        if edits.unsaved() > 0 {
            let folder = self.session.document.replacements_folder.display();
            ui.label(format!("Save writes the edited texts to {folder}, for --replace-shaders."));
            if edits.broken() > 0 {
                ui.label("Texts with errors are saved unchanged.");
            }
        }
        if let Some(reason) = self.session.shared.notes.why_unsaved() {
            ui.label(format!("The notes cannot be saved: {reason}"));
        }
        if let Some(Err(message)) = edits.saved() {
            ui.colored_label(ui.visuals().error_fg_color, message);
        }
        ui.weak(match reason {
            CloseReason::Quit => "The window will be closed.",
            CloseReason::Open(_) => "Another trace will be opened.",
            CloseReason::Reload => "The trace will be reloaded.",
        });
    }

    /// Saves edited texts that are not saved.
    pub(super) fn save_edits(&mut self) {
        if self.session.shared.edits.unsaved() > 0 {
            let folder = self.session.document.replacements_folder.clone();
            self.session.shared.edits.save(&self.session.document, &folder);
        }
    }

    /// The last chance, where nobody can be asked any more: what was not given up is saved.
    pub(super) fn save_everything(&mut self) {
        self.save_state();
        if self.session.shared.edits.unsaved() == 0 {
            return;
        }
        self.save_edits();
        match self.session.shared.edits.saved() {
            Some(Ok(_)) => {
                let folder = self.session.document.replacements_folder.display();
                say!("edited shader texts saved in {folder}: --replace-shaders {folder}");
            }
            Some(Err(message)) => say!("error: edited shader texts could not be saved: {message}"),
            None => {}
        }
    }
}
