//! What is odd or wrong, in one list.

use egui::{RichText, ScrollArea, Ui};

use super::findings::ListedFaults;
use super::{Tab, TabContext, TabName, TabState};
use crate::inspector::action::Action;
use crate::inspector::problems::{ProblemSite, color_of};
use crate::inspector::question::DependsOn;

pub(super) const NAME: TabName = TabName("Problems");

/// The list. A click goes to the packet.
#[derive(Default)]
pub(super) struct ProblemsTab;

impl Tab for ProblemsTab {
    fn name(&self) -> TabName {
        NAME
    }

    fn depends_on(&self) -> DependsOn {
        DependsOn::Trace
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut TabContext<'_>) {
        let TabContext { document, shared: TabState { problems, findings, .. }, actions, .. } = context;
        ScrollArea::vertical().id_salt("problems").auto_shrink(false).show(ui, |ui| {
            if problems.is_empty() {
                ui.weak("Nothing to report from opening and drawing.");
            }
            for problem in problems.all() {
                let text = RichText::new(problem.message).color(color_of(problem.severity, ui));
                let Some(site) = problem.site else {
                    ui.label(text);
                    continue;
                };
                if ui.link(text).on_hover_text("go to the packet").clicked() {
                    actions.push(match site {
                        ProblemSite::Row(at) => Action::GoToRow(at),
                        ProblemSite::Offset(offset) => Action::GoToOffset(offset),
                    });
                }
            }
            ui.separator();
            findings.ui(ui, document, ListedFaults::Above, actions);
        });
    }
}
