//! What `lint` finds in the trace: the tabs that tell of it, Problems and Stats, have it from here.

use std::collections::HashSet;
use std::sync::Arc;

use egui::{RichText, Ui};

use crate::analysis::{Analysis, AnalysisError};
use crate::command::Location;
use crate::format::aerogpu::FrameIndex;
use crate::inspector::action::Action;
use crate::inspector::dimming::{answer_ui, known_ui};
use crate::inspector::document::{Document, QuestionKind};
use crate::inspector::question::{Answer, DependsOn, Question};
use crate::replay::{LintFinding, LintGroup, LintRule, LintSite, LintSites};
use crate::text::counted;

/// Groups that are listed; nobody reads more here.
const LISTED: usize = 1000;

/// The list that has what the index has found wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ListedFaults {
    /// The list of findings.
    Here,
    /// The list above it, so that nothing is told twice.
    Above,
}

/// The findings of the open trace, asked for once.
#[derive(Default)]
pub(in crate::inspector) struct Findings {
    found: Question<(), Result<Arc<Found>, String>>,
}

/// Findings, and what the list needs of the index.
struct Found {
    findings: Vec<LintFinding>,
    /// Groups with their first commands; the others stand at no command.
    groups: Vec<ListedGroup>,
}

/// A group as a line.
struct ListedGroup {
    text: String,
    offset: u64,
    /// The first command of it.
    command: Option<Location>,
    is_error: bool,
    /// Whether the index has found it, too.
    is_indexed: bool,
}

impl Found {
    fn read(analysis: &Analysis) -> Result<Self, AnalysisError> {
        let (findings, index) = (analysis.mistakes()?, analysis.index());
        let faults: HashSet<(FrameIndex, u32)> =
            index.faults().0.iter().map(|fault| (fault.at.frame, fault.at.packet)).collect();
        let sites = LintSites::of(analysis.trace(), index, &findings)?;
        let listed = |group: &LintGroup<'_>| {
            let LintFinding { offset, fault, rule, packet, .. } = group.first;
            let is_bad_draw = *rule == LintRule::BadDraw && packet.is_some_and(|packet| faults.contains(&packet));
            ListedGroup {
                text: group.to_string(),
                offset: *offset,
                command: match sites.of_finding(group.first) {
                    LintSite::Command(at) => Some(at),
                    LintSite::InFrame(..) | LintSite::Outside(_) => None,
                },
                is_error: fault.is_some(),
                is_indexed: fault.is_some() || is_bad_draw,
            }
        };
        let groups = LintGroup::of(&findings).iter().map(listed).collect();
        Ok(Self { findings, groups })
    }
}

impl Findings {
    /// Draws how many there are, and lists them by group.
    pub(super) fn ui(&mut self, ui: &mut Ui, document: &Document, faults: ListedFaults, actions: &mut Vec<Action>) {
        let answer = self.found.get(document.epoch(DependsOn::Trace), (), || {
            document.ask_aside(QuestionKind::TraceStatistics, |analysis, _| Found::read(analysis).map(Arc::new))
        });
        let Some(known) = known_ui(ui, answer).map(Answer::cloned) else { return };
        answer_ui(ui, &known, |ui| list_ui(ui, &known.value, faults, actions));
    }
}

fn list_ui(ui: &mut Ui, Found { findings, groups }: &Found, faults: ListedFaults, actions: &mut Vec<Action>) {
    ui.strong(counts_text(findings, groups.len()));
    let listed = || groups.iter().filter(|group| faults == ListedFaults::Here || !group.is_indexed);
    for ListedGroup { text, offset, command, is_error, .. } in listed().take(LISTED) {
        let colour = if *is_error { ui.visuals().error_fg_color } else { ui.visuals().warn_fg_color };
        if ui.link(RichText::new(text).color(colour)).on_hover_text(format!("{offset:#x}: go there")).clicked() {
            actions.push(command.map_or(Action::GoToOffset(*offset), Action::GoToRow));
        }
    }
    let count = listed().count();
    if count > LISTED {
        ui.weak(format!("and {} more: `lint` lists all", count - LISTED));
    }
    if count < groups.len() {
        ui.weak("the errors of the trace are listed above");
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
