//! From one match of the filter to the next.

use super::axis_map::View;
use super::geometry::Geometry;
use super::hit::{Hit, Target};
use super::layout::{LaneContent, ROW_PX, sections};
use super::panel::{TimelinePanel, TimelineResponse};
use crate::timeline::lod::{Extents, InstantExtents, Rows, SpanExtents};

impl TimelinePanel {
    /// Selects the match that begins next after (or before) what is selected, or the middle of the view.
    pub(super) fn next_match(&mut self, direction: i32, geometry: &Geometry, answer: &mut TimelineResponse) {
        let from = match (self.selected_extent(), self.axes.first()) {
            (Some((0, begin, _)), _) => begin,
            (_, Some(axis)) => (axis.view.begin + axis.view.end) * 0.5,
            _ => return,
        };
        let mut best: Option<(f64, Hit)> = None;
        for (lane, state) in self.lanes.iter().enumerate().filter(|(_, state)| state.axis == 0) {
            for (id, track) in state.lane.timeline.tracks() {
                let Some(found) = self.find.on_track(lane, id) else { continue };
                let (spans, instants) = (
                    SpanExtents { track, tints: &state.tints },
                    InstantExtents { instants: &track.instants, tints: &state.tints },
                );
                let mut offer = |found: Option<(u32, u64)>, target: fn(u32) -> Target| {
                    let Some((index, begin)) = found else { return };
                    let place = state.axis_map.place(begin);
                    let is_better = best.is_none_or(|(best, _)| (place < best) == (direction > 0) && place != best);
                    if is_better {
                        best = Some((place, Hit { lane, track: Some(id), target: target(index) }));
                    }
                };
                let tick = state.axis_map.tick(from);
                let is_beyond = |begin: u64| match direction > 0 {
                    true => state.axis_map.place(begin) > from && begin as f64 > tick - 1.0,
                    false => state.axis_map.place(begin) >= from,
                };
                offer(beside(&found.spans, &spans, direction, is_beyond), Target::Span);
                offer(beside(&found.instants, &instants, direction, is_beyond), Target::Instant);
                offer(beside(&found.steps, &super::find::StepExtents, direction, is_beyond), Target::Step);
            }
        }
        if let Some((_, hit)) = best {
            self.select(hit, answer);
            self.reveal(hit, geometry);
        }
    }

    /// Moves the view so that the selected event is in it.
    fn reveal(&mut self, hit: Hit, geometry: &Geometry) {
        if let Some((axis, begin, end)) = self.selected_extent() {
            self.change_view(axis, |view| {
                if begin >= view.begin && end <= view.end {
                    return view;
                }
                let length = view.length().max((end - begin) * 1.1);
                let middle = (begin + end) * 0.5;
                View { begin: middle - length * 0.5, end: middle + length * 0.5 }
            });
        }
        let (sections, _) = sections(&self.lanes);
        let section = sections.iter().find(|section| {
            section.lane == hit.lane && hit.track.is_some_and(|id| section.what == LaneContent::Track(id))
        });
        if let Some(section) = section {
            let height = f64::from(geometry.body.height());
            let is_seen = section.top >= self.scroll_px && section.top < self.scroll_px + height - f64::from(ROW_PX);
            self.scroll_px = if is_seen { self.scroll_px } else { (section.top - height * 0.3).max(0.0) };
        }
    }
}

/// The event nearest beyond a place: the first that `is_beyond`, or (backwards) the last that isn't.
fn beside(rows: &Rows, events: &impl Extents, direction: i32, is_beyond: impl Fn(u64) -> bool) -> Option<(u32, u64)> {
    let of_row = |row: usize| {
        let begin = |position: u32| rows.index(row, position).map(|index| (index, events.extent(index).0));
        let count = rows.events_in(row);
        let first = partition(count, |position| begin(position).is_some_and(|(_, begin)| !is_beyond(begin)));
        let position = if direction > 0 { Some(first).filter(|first| *first < count) } else { first.checked_sub(1) };
        position.and_then(begin)
    };
    let candidates = (0..rows.count()).filter_map(of_row);
    if direction > 0 { candidates.min_by_key(|(_, begin)| *begin) } else { candidates.max_by_key(|(_, begin)| *begin) }
}

/// The first of `count` positions for which `is_before` no longer holds.
pub(super) fn partition(count: u32, is_before: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
