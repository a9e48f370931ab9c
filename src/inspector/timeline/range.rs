//! A range of an axis that was dragged over, and the figures for it.

use super::jobs::{Topic, Workers};
use super::lane::{AxisState, LaneState};
use crate::inspector::promise::Promise;
use crate::timeline::{CallNode, Stats, Tick, TrackId, call_trees, stats_between};

/// A selected range.
pub(super) struct Range {
    pub axis: usize,
    pub begin: f64,
    pub end: f64,
    /// By lane; `None` as an answer of what nobody waits for any more.
    figures: Vec<(usize, Promise<Option<Stats>>)>,
    /// By lane, once somebody looks at them.
    trees: Vec<(usize, Promise<Vec<ScopeTree>>)>,
}

/// The scopes of one track, added up.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScopeTree {
    pub track: TrackId,
    pub nodes: Vec<CallNode>,
}

const ROUNDING_TICKS: f64 = 1e-6;

impl Range {
    pub(crate) fn new(axis: usize, a: f64, b: f64) -> Self {
        Self { axis, begin: a.min(b), end: a.max(b), figures: Vec::new(), trees: Vec::new() }
    }

    /// Has the figures of all lanes on the range's axis worked out.
    pub(crate) fn count(&mut self, workers: &Workers, lanes: &[LaneState]) {
        let of_axis = lanes.iter().enumerate().filter(|(_, state)| state.axis == self.axis);
        let figures = of_axis.map(|(lane, state)| {
            let (begin, end) = self.ticks(state);
            let timeline = state.lane.timeline.clone();
            let stats = workers.ask(Topic::Figures(lane), "counting the events of the range", move |(), cancel| {
                stats_between(&timeline, (begin, end), 0, &|| cancel.is_set())
            });
            (lane, stats)
        });
        self.figures = figures.collect();
    }

    /// Has the scopes of all lanes on the range's axis added up, if that is not under way yet.
    pub(crate) fn count_scopes(&mut self, workers: &Workers, lanes: &[LaneState]) {
        if !self.trees.is_empty() {
            return;
        }
        let of_axis = lanes.iter().enumerate().filter(|(_, state)| state.axis == self.axis);
        let trees = of_axis.map(|(lane, state)| {
            let (ticks, timeline) = (self.ticks(state), state.lane.timeline.clone());
            let trees = workers.ask(Topic::Scopes(lane), "summing the scopes of the range", move |(), _| {
                // A range without length holds nothing; no range at all would be everything.
                let within = if ticks.0 < ticks.1 { call_trees(&timeline, &[ticks]) } else { Vec::new() };
                within.into_iter().map(|(track, nodes)| ScopeTree { track, nodes }).collect()
            });
            (lane, trees)
        });
        self.trees = trees.collect();
    }

    fn ticks(&self, state: &LaneState) -> (Tick, Tick) {
        // What lies on a tick up to rounding lies on it.
        let begin = Tick((state.axis_map.tick(self.begin) + ROUNDING_TICKS) as u64);
        let end = Tick((state.axis_map.tick(self.end) - ROUNDING_TICKS).ceil().max(0.0) as u64);
        (begin, end)
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.figures.iter().any(|(_, stats)| stats.get().is_none())
            || self.trees.iter().any(|(_, trees)| trees.get().is_none())
    }

    /// The figures by lane, as far as they are there.
    pub(crate) fn figures(&self) -> impl Iterator<Item = (usize, &Stats)> {
        self.figures.iter().filter_map(|(lane, stats)| Some((*lane, stats.get()?.as_ref()?)))
    }

    /// The call trees by lane, as far as they are there.
    pub(crate) fn trees(&self) -> impl Iterator<Item = (usize, &[ScopeTree])> {
        self.trees.iter().filter_map(|(lane, trees)| Some((*lane, trees.get()?.as_slice())))
    }

    /// First and last frame that it touches, on the common axis.
    pub(crate) fn frames(&self, axis: &AxisState) -> (f64, f64) {
        (axis.frame_at(self.begin), axis.frame_at(self.end))
    }
}
