//! What the panel shows: a file's timeline, and how it lies beside the reference.

use std::sync::Arc;

use super::axis_map::{AxisMap, View};
use super::budget::{FrameLengths, frame_nanos};
use super::ruler::{PLACES_PER_FRAME, Unit};
use crate::timeline::lod::{FlowLinks, Rows, TrackLod, tints};
use crate::timeline::{Alignment, Argument, CommonAxis, Placement, RecordOffset, Timeline};

/// Decodes the arguments of single records, so that the panel knows no file. Called when somebody looks at an event, and
/// on a worker for filters that look at arguments.
pub trait LaneArguments: Send + Sync {
    /// The arguments of the record at `record`, or why there are none.
    fn arguments(&self, record: RecordOffset) -> Result<Vec<Argument>, String>;
}

/// How a lane lies beside the reference.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneAlignment {
    /// It is the reference: the trace whose frames are replayed.
    Reference,
    /// It is aligned to the reference.
    Aligned(Alignment),
    /// It could not be aligned, and why: it stands on an axis of its own.
    Unaligned(String),
}

/// A file on the panel.
#[derive(Clone)]
pub struct Lane {
    /// The file's name.
    pub title: String,
    /// What it says.
    pub timeline: Arc<Timeline>,
    /// Where it lies.
    pub alignment: LaneAlignment,
    /// Where arguments come from.
    pub arguments: Option<Arc<dyn LaneArguments>>,
    /// What spans that are draws are called, for a reference whose draws can be seeked to.
    pub draw_name: Option<&'static str>,
}

/// An axis, and what is seen of it.
#[derive(Clone, Debug)]
pub(super) struct AxisState {
    pub unit: Unit,
    /// What its lengths mean, in words.
    pub meaning: String,
    pub view: View,
    /// Everything that lies on it.
    pub all: View,
    /// Begin of each frame and end of the last, on the common axis.
    pub frames: Vec<f64>,
}

impl AxisState {
    /// The frame at a place, with fraction, going on beyond the last one.
    pub(crate) fn frame_at(&self, place: f64) -> f64 {
        let after = self.frames.partition_point(|begin| *begin <= place);
        let first = after.saturating_sub(1).min(self.frames.len().saturating_sub(2));
        match (self.frames.get(first), self.frames.get(first + 1)) {
            (Some(a), Some(b)) if b > a => first as f64 + (place - a) / (b - a),
            _ => 0.0,
        }
    }

    /// The place of a frame with fraction: the inverse.
    pub(crate) fn place_of(&self, frame: f64) -> f64 {
        let first = (frame.max(0.0) as usize).min(self.frames.len().saturating_sub(2));
        match (self.frames.get(first), self.frames.get(first + 1)) {
            (Some(a), Some(b)) => a + (frame - first as f64) * (b - a),
            _ => 0.0,
        }
    }

    /// Index of the frame that holds a place.
    pub(crate) fn frame_index(&self, place: f64) -> Option<usize> {
        let frame = self.frames.partition_point(|begin| *begin <= place).checked_sub(1)?;
        (frame + 1 < self.frames.len()).then_some(frame)
    }
}

/// A lane with what was worked out about it so far.
pub(super) struct LaneState {
    pub lane: Lane,
    pub axis: usize,
    pub axis_map: AxisMap,
    pub tints: Arc<[u8]>,
    /// By track; `None` until a worker has built it.
    pub tracks: Vec<Option<Arc<TrackLod>>>,
    pub frames: Option<Arc<Rows>>,
    /// By frame: how long it took, if anybody recorded that.
    pub frame_lengths: FrameLengths,
    pub flows: Option<Arc<FlowLinks>>,
    /// Tracks (by index) and lanes that show only their name or first row.
    pub collapsed: Vec<bool>,
    pub is_open: bool,
    /// Tracks with something on them or below them.
    pub is_shown: Vec<bool>,
}

impl LaneState {
    fn new(lane: Lane, axis: usize, axis_map: AxisMap) -> Self {
        let timeline = &lane.timeline;
        let count = timeline.tracks.len();
        let mut is_shown: Vec<bool> = timeline.tracks.iter().map(|track| !track.is_empty()).collect();
        // Parents stand before their children.
        for (index, track) in timeline.tracks.iter().enumerate().rev() {
            if let Some(parent) = track.parent
                && is_shown.get(index) == Some(&true)
                && let Some(shown) = is_shown.get_mut(parent.index())
            {
                *shown = true;
            }
        }
        let tints = tints(&timeline.strings).into();
        Self {
            axis,
            axis_map,
            tints,
            tracks: vec![None; count],
            frames: None,
            frame_lengths: FrameLengths::default(),
            flows: None,
            collapsed: vec![false; count],
            is_open: true,
            is_shown,
            lane,
        }
    }

    fn own_frame_lengths(&self, all: &[Self]) -> FrameLengths {
        let others: Vec<_> = all.iter().map(|other| (&*other.lane.timeline, &other.lane.alignment)).collect();
        FrameLengths::new(frame_nanos(&self.lane.timeline, &self.lane.alignment, &others))
    }

    /// Everything on the lane.
    fn extent(&self) -> View {
        View { begin: self.axis_map.place(0), end: self.axis_map.place(self.lane.timeline.end.0.max(1)) }
    }
}

/// The lanes on their axes: the common one first, then one for each lane that isn't aligned.
pub(super) fn place_lanes(lanes: Vec<Lane>) -> (Vec<LaneState>, Vec<AxisState>) {
    let reference =
        lanes.iter().find(|lane| lane.alignment == LaneAlignment::Reference).map(|lane| lane.timeline.clone());
    let common = reference.as_ref().map(|reference| common_axis(reference, &lanes));
    let mut axes = Vec::new();
    axes.extend(reference.iter().zip(&common).map(|(reference, common)| common_state(reference, common)));
    let mut states: Vec<LaneState> = Vec::new();
    for lane in lanes {
        let placement = match (&lane.alignment, &reference, &common) {
            (LaneAlignment::Reference, Some(reference), Some(common)) => common.place_reference(reference),
            (LaneAlignment::Aligned(alignment), _, Some(common)) => common.place(&lane.timeline, alignment),
            _ => {
                axes.push(own_axis(&lane.timeline));
                let placement = Placement::of_axis(&lane.timeline.axis);
                states.push(LaneState::new(lane, axes.len() - 1, AxisMap::new(&placement)));
                continue;
            }
        };
        states.push(LaneState::new(lane, 0, AxisMap::new(&placement)));
    }
    let lengths: Vec<_> = states.iter().map(|state| state.own_frame_lengths(&states)).collect();
    states.iter_mut().zip(lengths).for_each(|(state, lengths)| state.frame_lengths = lengths);
    // Aligned lanes stand together above those that aren't.
    states.sort_by_key(|state| state.axis);
    for (index, axis) in axes.iter_mut().enumerate() {
        let extents = states.iter().filter(|state| state.axis == index).map(LaneState::extent);
        axis.all = whole(extents, &axis.frames);
        axis.view = axis.all;
    }
    (states, axes)
}

fn common_axis(reference: &Timeline, lanes: &[Lane]) -> CommonAxis {
    let aligned = lanes.iter().filter_map(|lane| match &lane.alignment {
        LaneAlignment::Aligned(alignment) => Some((&*lane.timeline, alignment)),
        _ => None,
    });
    CommonAxis::new(reference, &aligned.collect::<Vec<_>>())
}

fn common_state(reference: &Timeline, common: &CommonAxis) -> AxisState {
    if common.frame_count() == 0 {
        return own_axis(reference);
    }
    let (unit, meaning) = match common.has_time() {
        true => (Unit::Time, common.unit().to_owned()),
        false => (Unit::Frames, "frames; no file records time".to_owned()),
    };
    let nothing = View { begin: 0.0, end: PLACES_PER_FRAME };
    AxisState { unit, meaning, view: nothing, all: nothing, frames: common.frame_nanos().to_vec() }
}

fn own_axis(timeline: &Timeline) -> AxisState {
    let (unit, meaning) = match timeline.axis.unit.nanos_per_tick() {
        Some(_) => (Unit::Time, "time as recorded".to_owned()),
        None => (Unit::Ticks(timeline.axis.unit.name()), format!("{} of the file", timeline.axis.unit.name())),
    };
    let nothing = View { begin: 0.0, end: 1.0 };
    AxisState { unit, meaning, view: nothing, all: nothing, frames: Vec::new() }
}

/// What all extents cover together. What lies before the first frame and after the last has no known scale, so it gets
/// at most a tenth of the space that the frames have, each.
fn whole(extents: impl Iterator<Item = View>, frames: &[f64]) -> View {
    let join = |a: View, b: View| View { begin: a.begin.min(b.begin), end: a.end.max(b.end) };
    let mut all = extents.reduce(join).unwrap_or(View { begin: 0.0, end: 1.0 });
    if let (Some(first), Some(last)) = (frames.first(), frames.last())
        && last > first
    {
        let beyond = (last - first) * 0.1;
        all = View { begin: all.begin.clamp(first - beyond, *first), end: all.end.clamp(*last, last + beyond) };
    }
    if all.is_sound() { all } else { View { begin: 0.0, end: 1.0 } }
}
