//! What is odd or wrong about the open trace.

use std::collections::BTreeMap;

use egui::{Color32, Ui};

use crate::command::Location;
use crate::error::Severity;
use crate::replay::FaultSummary;
use crate::text::counted;

/// The colour of a sentence.
pub(super) fn color_of(severity: Severity, ui: &Ui) -> Color32 {
    match severity {
        Severity::Error => ui.visuals().error_fg_color,
        Severity::Warning => ui.visuals().warn_fg_color,
        Severity::Information => ui.visuals().weak_text_color(),
    }
}

/// Everything that was said about the open trace, each sentence once.
#[derive(Default)]
pub(super) struct Problems {
    /// By severity and sentence: the file offset, if there is one.
    all: BTreeMap<(Severity, String), Option<u64>>,
    /// Faults of the trace, by kind: the sentence, and the place of the first.
    faults: Vec<(String, Location)>,
}

/// One sentence.
pub(super) struct Problem<'a> {
    pub severity: Severity,
    pub message: &'a str,
    pub site: Option<ProblemSite>,
}

/// Site that a sentence is about.
#[derive(Clone, Copy)]
pub(super) enum ProblemSite {
    /// A command or record of a frame.
    Row(Location),
    /// A file offset.
    Offset(u64),
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

    /// Notes what is wrong with the trace, instead of what was known before.
    pub(crate) fn set_faults(&mut self, faults: &FaultSummary) {
        self.faults = faults.groups().iter().map(|group| (group.to_string(), group.first)).collect();
        if faults.ungrouped() > 0 {
            let last = faults.groups().last().map(|group| group.last).unwrap_or_default();
            self.faults.push((format!("and {}", counted(faults.ungrouped(), "more error")), last));
        }
    }

    /// Whether something in the trace is not carried out.
    pub(crate) fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty() && self.faults.is_empty()
    }

    /// All of them, errors first.
    pub(crate) fn all(&self) -> impl Iterator<Item = Problem<'_>> {
        let faults = self.faults.iter().map(|(message, at)| Problem {
            severity: Severity::Error,
            message,
            site: Some(ProblemSite::Row(*at)),
        });
        let others = self.all.iter().map(|((severity, message), offset)| Problem {
            severity: *severity,
            message,
            site: offset.map(ProblemSite::Offset),
        });
        faults.chain(others)
    }

    /// How many errors and warnings there are.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let count = |wanted| self.all.keys().filter(|(severity, _)| *severity == wanted).count();
        (count(Severity::Error) + self.faults.len(), count(Severity::Warning))
    }
}
