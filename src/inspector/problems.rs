//! What is odd or wrong, in one list.

use std::collections::BTreeMap;

use egui::{Color32, RichText, Ui};

use super::action::Action;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    Error,
    Warning,
}

/// Everything that was said about the open trace, each sentence once.
#[derive(Default)]
pub(super) struct Problems {
    /// By severity and sentence: the file offset, if there is one.
    all: BTreeMap<(Severity, String), Option<u64>>,
}

/// More than this nobody reads; a trace that is wrong a million times must not fill the memory.
const MOST: usize = 1000;

impl Problems {
    /// Notes a sentence.
    pub(crate) fn add(&mut self, severity: Severity, message: &str, offset: Option<u64>) {
        if self.all.len() < MOST {
            self.all.entry((severity, message.to_owned())).or_insert(offset);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.all.clear();
    }

    /// How many errors and warnings there are.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let count = |wanted| self.all.keys().filter(|(severity, _)| *severity == wanted).count();
        (count(Severity::Error), count(Severity::Warning))
    }

    /// The list. A click goes to the packet.
    pub(crate) fn ui(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        if self.all.is_empty() {
            ui.weak("Nothing to report.");
            return;
        }
        egui::ScrollArea::vertical().id_salt("problems").auto_shrink(false).show(ui, |ui| {
            for ((severity, message), offset) in &self.all {
                let text = RichText::new(message).color(color(*severity, ui));
                let Some(offset) = offset else {
                    ui.label(text);
                    continue;
                };
                if ui.link(text).on_hover_text("go to the packet").clicked() {
                    actions.push(Action::GoToOffset(*offset));
                }
            }
        });
    }
}

/// The colour of a sentence.
pub(super) fn color(severity: Severity, ui: &Ui) -> Color32 {
    match severity {
        Severity::Error => ui.visuals().error_fg_color,
        Severity::Warning => ui.visuals().warn_fg_color,
    }
}
