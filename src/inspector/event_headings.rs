//! Headings of a frame's draws: the groups of its markers or, where its author has marked nothing, passes to other targets.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::document::{Document, QuestionKind};
use super::question::{DependsOn, Question};
use crate::analysis::{DrawPass, EventGroup, FrameEvents};
use crate::format::aerogpu::FrameIndex;
use crate::text::{Harmless, counted};

/// A line that draws stand under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Heading {
    /// A group of markers, by its number.
    Marker(u32),
    /// A pass, by its number.
    Pass(u32),
}

/// The headings of one frame, and those that are folded.
#[derive(Default)]
pub(super) struct EventHeadings {
    frame: Option<FrameIndex>,
    folded: BTreeSet<Heading>,
    asked: Question<FrameIndex, Result<Arc<Vec<DrawPass>>, String>>,
    /// The frame's passes, if it has several and no markers.
    passes: Option<Arc<Vec<DrawPass>>>,
}

impl EventHeadings {
    /// Takes another frame, whose headings are all unfolded. Its passes are asked for where it has no markers; says whether
    /// they have come or gone, which moves all lines.
    pub(super) fn begin(&mut self, document: &Document, events: &FrameEvents) -> bool {
        if self.frame != Some(events.frame) {
            self.frame = Some(events.frame);
            self.folded.clear();
        }
        let had_passes = self.passes.take().is_some();
        if !events.markers.groups.is_empty() {
            return had_passes;
        }
        let frame = events.frame;
        let answer = self.asked.get(document.epoch(DependsOn::Trace), frame, || {
            document.ask(QuestionKind::Passes, move |analysis, _| analysis.passes(frame).map(Arc::new))
        });
        // What cannot be read is the frame's error, which the tree shows.
        let known = answer.filter(|answer| !answer.is_old).and_then(|answer| answer.value.as_ref().ok());
        self.passes = known.filter(|passes| passes.len() > 1).cloned();
        self.passes.is_some() != had_passes
    }

    /// The headings of a draw and the packets that lead to it, the outermost first. What follows the last draw has none.
    pub(super) fn of_group(&self, events: &FrameEvents, group: &EventGroup) -> Vec<Heading> {
        let Some(draw) = group.draw else { return Vec::new() };
        match &self.passes {
            Some(passes) => {
                let pass = passes.partition_point(|pass| pass.draws.end <= draw);
                if pass < passes.len() { vec![Heading::Pass(pass as u32)] } else { Vec::new() }
            }
            None => {
                let row = events.draws.get(draw as usize);
                let groups = row.map(|row| events.marker_groups_of(*row)).unwrap_or_default();
                groups.into_iter().map(Heading::Marker).collect()
            }
        }
    }

    pub(super) fn is_folded(&self, heading: Heading) -> bool {
        self.folded.contains(&heading)
    }

    /// Folds or unfolds what is below.
    pub(super) fn toggle(&mut self, heading: Heading) {
        if !self.folded.remove(&heading) {
            self.folded.insert(heading);
        }
    }

    /// Unfolds what is above something that is to be seen.
    pub(super) fn unfold(&mut self, headings: &[Heading]) {
        for heading in headings {
            self.folded.remove(heading);
        }
    }

    /// Number of headings that a heading itself stands under.
    pub(super) fn depth(events: &FrameEvents, heading: Heading) -> usize {
        match heading {
            Heading::Marker(group) => events.marker_depth(group),
            Heading::Pass(_) => 0,
        }
    }

    /// The line, and the hint when it is pointed at.
    pub(super) fn text(&self, events: &FrameEvents, heading: Heading, draws: u32) -> (String, &'static str) {
        let draws = counted(draws, "draw");
        match heading {
            Heading::Marker(group) => {
                let name = Harmless(events.marker_name(group));
                (format!("{name}  {draws}"), "a marker of the trace: its draws are below")
            }
            Heading::Pass(number) => {
                let pass = self.passes.as_ref().and_then(|passes| passes.get(number as usize));
                let targets = pass.map_or_else(String::new, |pass| format!(": {pass}"));
                (format!("pass {number}{targets}  {draws}"), "the draws below draw to the same targets")
            }
        }
    }
}
