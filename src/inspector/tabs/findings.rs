//! What `lint` finds in the trace: the tabs that tell of it, Problems and Stats, have it from here.

use std::sync::Arc;

use egui::{RichText, Ui};

use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::{Document, QuestionKind};
use crate::inspector::question::{Answer, DependsOn, Question};
use crate::replay::{LintFinding, LintGroup};
use crate::text::counted;

/// Groups that are listed; nobody reads more here.
const LISTED: usize = 1000;

/// The findings of the open trace, asked for once.
#[derive(Default)]
pub(in crate::inspector) struct Findings {
    found: Question<(), Result<Arc<Vec<LintFinding>>, String>>,
}

impl Findings {
    /// Draws how many there are, and lists them by group.
    pub(super) fn ui(&mut self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        let answer = self.found.get(document.epoch(DependsOn::Trace), (), || {
            document.ask_aside(QuestionKind::TraceStatistics, |analysis, _| analysis.mistakes().map(Arc::new))
        });
        let Some(known) = known_ui(ui, answer).map(Answer::cloned) else { return };
        answer_ui(ui, &known, |ui| list_ui(ui, &known.value, actions));
    }
}

fn list_ui(ui: &mut Ui, findings: &[LintFinding], actions: &mut Vec<Action>) {
    let groups = LintGroup::of(findings);
    ui.strong(counts_text(findings, groups.len()));
    for group in groups.iter().take(LISTED) {
        let LintFinding { offset, fault, .. } = group.first;
        let colour = if fault.is_some() { ui.visuals().error_fg_color } else { ui.visuals().warn_fg_color };
        let text = RichText::new(group.to_string()).color(colour);
        if ui.link(text).on_hover_text(format!("{offset:#x}: go there")).clicked() {
            actions.push(Action::GoToOffset(*offset));
        }
    }
    if let Some(more @ 1..) = groups.len().checked_sub(LISTED) {
        ui.weak(format!("and {more} more: `lint` lists all"));
    }
}

/// Findings as `lint --json` lists them, lines as `lint` prints them, and errors among the findings.
fn counts_text(findings: &[LintFinding], lines: usize) -> String {
    if findings.is_empty() {
        return "lint: no findings".to_owned();
    }
    let errors = findings.iter().filter(|finding| finding.fault.is_some()).count();
    let (found, lines) = (counted(findings.len(), "finding"), counted(lines, "line"));
    match errors {
        0 => format!("lint: {found} in {lines}"),
        errors => format!("lint: {found} in {lines}, {} of them", counted(errors, "error")),
    }
}
