//! The timeline of the trace that is open. The one before stays until it is there.

use std::path::{Path, PathBuf};
use std::time::Instant;

use egui::Ui;

use super::action::Action;
use super::dimming::opacity;
use super::document::Document;
use super::problems::Problems;
use super::question::{DependsOn, Epoch};
use super::timeline::{Keys, Seek, TimelineContext, TimelinePanel};
use super::worker::Busy;
use crate::command::{Place, Point};
use crate::error::Severity;

/// The timeline that is shown.
#[derive(Default)]
pub(super) struct TraceTimeline {
    shown: Option<ShownTimeline>,
}

struct ShownTimeline {
    panel: TimelinePanel,
    /// Of which trace.
    epoch: Epoch,
    path: PathBuf,
}

impl TraceTimeline {
    /// Takes the timeline over once it is read.
    pub(crate) fn advance(&mut self, document: &mut Document, problems: &mut Problems) {
        let Some(lanes) = document.take_lanes() else { return };
        for problem in &lanes.problems {
            problems.add(Severity::Warning, problem, None);
        }
        let mut panel = match TimelinePanel::new(lanes.lanes) {
            Ok(panel) => panel,
            Err(error) => {
                problems.add(Severity::Error, &format!("there is no timeline: {error}"), None);
                return;
            }
        };
        let path = &document.open.path;
        if let Some(filter) = self.filter_of(path) {
            panel.set_filter(filter);
        }
        self.shown = Some(ShownTimeline { panel, epoch: document.epoch(DependsOn::Trace), path: path.clone() });
    }

    /// What is looked for in that trace, if it is the one shown.
    fn filter_of(&self, path: &Path) -> Option<&str> {
        let shown = self.shown.as_ref().filter(|shown| shown.path == path)?;
        Some(shown.panel.filter())
    }

    /// Draws it, with the place marked in it, and says whether it has the keys.
    pub(crate) fn ui(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        (place, keys): (Place, Keys),
        actions: &mut Vec<Action>,
    ) -> bool {
        let Some(shown) = &mut self.shown else {
            ui.weak("reading…");
            // The space stays what it will be.
            ui.allocate_space(ui.available_size());
            return false;
        };
        let context = TimelineContext { place: Some(place), keys, ..Default::default() };
        let is_old = shown.epoch != document.epoch(DependsOn::Trace);
        ui.multiply_opacity(opacity(ui, ui.scope_id().with("old"), is_old));
        let response = shown.panel.ui(ui, &context);
        // The places of an old one are another trace's.
        if let Some(seek) = response.seek.filter(|_| !is_old) {
            actions.push(go_to(seek));
        }
        response.has_keys
    }

    /// Selects nothing any more; says whether something was selected.
    pub(crate) fn clear_selection(&mut self) -> bool {
        self.shown.as_mut().is_some_and(|shown| shown.panel.clear_selection())
    }

    /// What its threads are at.
    pub(crate) fn busy(&self) -> Option<Busy> {
        self.shown.as_ref()?.panel.busy()
    }

    /// Ends its threads, and says whether they are gone.
    pub(crate) fn close(self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        self.shown.is_none_or(|shown| shown.panel.close(left))
    }
}

fn go_to(seek: Seek) -> Action {
    match (seek.place.point, seek.record) {
        (Point::End, Some(record)) => Action::GoToOffset(record.0),
        _ => Action::GoTo(seek.place),
    }
}
