//! Which section of the panel shows what.

use super::lane::LaneState;
use crate::timeline::{Track, TrackId, TrackKind};

pub(super) const ROW_PX: f32 = 17.0;
pub(super) const INSTANTS_PX: f32 = 12.0;
pub(super) const GRAPH_PX: f32 = 34.0;
pub(super) const HEADING_PX: f32 = 21.0;
pub(super) const RULER_PX: f32 = 20.0;
/// Space below a track.
const GAP_PX: f32 = 3.0;

/// What a section shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneContent {
    /// A lane's name, alignment and badge.
    Heading,
    /// The ruler of a lane that isn't aligned.
    Ruler,
    /// A lane's frames.
    Frames,
    /// A track: its heading if it is a group, else its events.
    Track(TrackId),
}

/// A section with its place in the scrolled content.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneSection {
    pub lane: usize,
    pub what: LaneContent,
    pub top: f64,
    pub height: f32,
    /// How many tracks it stands below.
    pub indent: u16,
}

/// What is drawn of a track, each with its place below the section's top.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Parts {
    pub graph: Option<f32>,
    pub steps: Option<f32>,
    pub instants: Option<f32>,
    pub spans: Option<f32>,
    /// Rows of spans.
    pub rows: usize,
    pub height: f32,
}

impl Parts {
    pub(crate) fn of(state: &LaneState, id: TrackId, track: &Track) -> Self {
        let is_collapsed = state.collapsed.get(id.index()) == Some(&true);
        let lod = state.tracks.get(id.index()).and_then(Option::as_ref);
        let has_spans = !track.spans.is_empty() || !track.without_begin.is_empty();
        let rows = lod.map_or(usize::from(has_spans), |lod| lod.spans.count());
        let mut parts = Self::default();
        let mut add = |is_there: bool, height: f32| {
            let is_added = is_there && (!is_collapsed || parts.height == 0.0);
            let top = parts.height;
            parts.height += if is_added { height } else { 0.0 };
            is_added.then_some(top)
        };
        let graph = add(!track.samples.is_empty(), if is_collapsed { ROW_PX } else { GRAPH_PX });
        let steps = add(track.steps.count() > 0, ROW_PX);
        let spans = add(has_spans, ROW_PX * if is_collapsed { 1.0 } else { rows as f32 });
        let instants = add(!track.instants.is_empty(), if is_collapsed { ROW_PX } else { INSTANTS_PX });
        let rows = if is_collapsed { rows.min(1) } else { rows };
        Self { graph, steps, instants, spans, rows, height: parts.height.max(ROW_PX) + GAP_PX }
    }
}

/// The sections of all lanes from top to bottom, and the height of all together. Annotations are on top: the frames of the
/// trace that is replayed, the first lane, lie above all of them anyway.
pub(super) fn sections(lanes: &[LaneState]) -> (Vec<LaneSection>, f64) {
    let (mut sections, mut top) = (Vec::new(), 0.0);
    let from_top = lanes.iter().enumerate().skip(1).chain(lanes.iter().enumerate().take(1));
    for (lane, state) in from_top {
        let mut add = |what, height: f32, indent| {
            sections.push(LaneSection { lane, what, top, height, indent });
            top += f64::from(height);
        };
        add(LaneContent::Heading, HEADING_PX, 0);
        if !state.is_open {
            continue;
        }
        if state.axis > 0 {
            add(LaneContent::Ruler, RULER_PX, 0);
        }
        if !state.lane.timeline.frames.is_empty() && (state.axis > 0 || lane > 0) {
            let rows = state.frames.as_ref().map_or(1, |rows| rows.count());
            add(LaneContent::Frames, ROW_PX * rows as f32 + GAP_PX, 0);
        }
        add_tracks(state, add);
    }
    (sections, top)
}

fn add_tracks(state: &LaneState, mut add: impl FnMut(LaneContent, f32, u16)) {
    let count = state.lane.timeline.tracks.len();
    let (mut hidden, mut indents) = (vec![false; count], vec![0_u16; count]);
    for (id, track) in state.lane.timeline.tracks() {
        if let Some(parent) = track.parent.map(TrackId::index) {
            let is_hidden = hidden.get(parent) == Some(&true) || state.collapsed.get(parent) == Some(&true);
            let indent = indents.get(parent).map_or(0, |indent| indent.saturating_add(1));
            if let (Some(slot), Some(depth)) = (hidden.get_mut(id.index()), indents.get_mut(id.index())) {
                (*slot, *depth) = (is_hidden, indent);
            }
        }
        let is_shown = state.is_shown.get(id.index()) == Some(&true) && hidden.get(id.index()) != Some(&true);
        if !is_shown {
            continue;
        }
        let is_heading = track.kind == TrackKind::Group && track.is_empty();
        let height = if is_heading { ROW_PX + GAP_PX } else { Parts::of(state, id, track).height };
        add(LaneContent::Track(id), height, indents.get(id.index()).copied().unwrap_or(0));
    }
}

/// The sections that lie at least partly in `from..until` of the content.
pub(super) fn seen(sections: &[LaneSection], from: f64, until: f64) -> &[LaneSection] {
    let first = sections.partition_point(|section| section.top + f64::from(section.height) <= from);
    let last = sections.partition_point(|section| section.top < until);
    sections.get(first..last.max(first)).unwrap_or_default()
}
