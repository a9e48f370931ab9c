//! What the player is asked for when something is clicked.

use super::hit::{Facts, Hit, Target};
use super::lane::{AxisState, LaneState};
use crate::command::{Place, Point};
use crate::format::aerogpu::FrameIndex;
use crate::timeline::{RecordOffset, Tick, Timeline, TrackId};

/// What was clicked, as the player is asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seek {
    /// Its place in the reference: at a draw where a draw was clicked, else at the end of the frame.
    pub place: Place,
    /// The record that was clicked, where it lies in the reference.
    pub record: Option<RecordOffset>,
}

/// Where a click on `hit` leads; nowhere from an axis of its own.
pub(super) fn seek_to(state: &LaneState, common: &AxisState, hit: &Hit, facts: &Facts) -> Option<Seek> {
    if state.axis != 0 {
        return None;
    }
    let frame = common.frame_index(state.axis_map.place(facts.begin))?;
    if hit.lane != 0 {
        return Some(Seek { place: Place::end_of(FrameIndex(frame as u32)), record: None });
    }
    let record = Some(facts.record).filter(|record| !record.is_none());
    let draw = match (hit.track, hit.target, state.lane.draw_name) {
        (Some(track), Target::Span(index), Some(name)) if facts.name == name => {
            Some(draws_before(&state.lane.timeline, track, frame_begin(state, common, frame), index, name))
        }
        _ => None,
    };
    Some(Seek { place: Place { frame: FrameIndex(frame as u32), point: Point::after_draw(draw) }, record })
}

fn frame_begin(state: &LaneState, common: &AxisState, frame: usize) -> Tick {
    Tick(common.frames.get(frame).map_or(0, |begin| state.axis_map.tick(*begin).round() as u64))
}

fn draws_before(timeline: &Timeline, track: TrackId, from: Tick, index: u32, name: &str) -> u32 {
    let (Some(track), Some(name)) = (timeline.track(track), timeline.strings.find(name.as_bytes())) else { return 0 };
    let first = track.spans.partition_point(|span| span.begin() < from);
    let last = (index as usize).saturating_sub(track.without_begin.len()).max(first);
    track.spans.get(first..last).unwrap_or_default().iter().filter(|span| span.name() == name).count() as u32
}

/// Place of a draw of the reference: where it begins.
pub(super) fn place_of_draw(state: &LaneState, common: &AxisState, frame: usize, draw: u32) -> Option<f64> {
    let timeline = &state.lane.timeline;
    let name = timeline.strings.find(state.lane.draw_name?.as_bytes())?;
    let (from, until) = (frame_begin(state, common, frame), frame_begin(state, common, frame + 1));
    let draws = timeline.tracks.iter().flat_map(|track| {
        let first = track.spans.partition_point(|span| span.begin() < from);
        let spans = track.spans.get(first..).unwrap_or_default().iter();
        spans.take_while(move |span| span.begin() < until).filter(move |span| span.name() == name)
    });
    draws.map(|span| state.axis_map.place(span.begin().0)).nth(draw as usize)
}
