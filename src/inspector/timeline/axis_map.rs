//! Ticks ↔ places on an axis ↔ pixels.

use std::cell::Cell;

use crate::timeline::lod::Scale;
use crate::timeline::{Anchor, Placement};

/// Where the ticks of a lane lie on its axis: linear between anchors, and beyond them as between the nearest two.
#[derive(Clone, Debug)]
pub(super) struct AxisMap {
    anchors: Vec<Anchor>,
    /// The steepest segment.
    most_per_tick: f64,
}

impl AxisMap {
    pub(crate) fn new(placement: &Placement) -> Self {
        let mut anchors: Vec<Anchor> = Vec::new();
        for next in placement.anchors() {
            // What goes straight on is one segment: a clock beside its own time has no bends.
            if let [.., a, b] = anchors.as_slice()
                && slope(a, b) == slope(b, next)
            {
                anchors.pop();
            }
            anchors.push(*next);
        }
        let slopes = anchors.windows(2).filter_map(|pair| match pair {
            [a, b] => Some(slope(a, b)),
            _ => None,
        });
        let most_per_tick = slopes.fold(0.0, f64::max);
        Self { anchors, most_per_tick }
    }

    /// The segment that goes on at `tick`; a good guess costs nothing.
    fn segment(&self, tick: u64, guess: usize) -> usize {
        let last = self.anchors.len().saturating_sub(2);
        let begins = |index: usize| index == 0 || self.anchors.get(index).is_some_and(|anchor| anchor.at.0 <= tick);
        let ends = |index: usize| index >= last || self.anchors.get(index + 1).is_some_and(|next| tick < next.at.0);
        for near in [guess, guess + 1, guess + 2] {
            if near <= last && begins(near) && ends(near) {
                return near;
            }
        }
        self.anchors.partition_point(|anchor| anchor.at.0 <= tick).saturating_sub(1).min(last)
    }

    fn ends_of(&self, segment: usize) -> Option<(&Anchor, &Anchor)> {
        Some((self.anchors.get(segment)?, self.anchors.get(segment + 1)?))
    }

    fn place_in(&self, segment: usize, tick: u64) -> f64 {
        let Some((a, b)) = self.ends_of(segment) else { return 0.0 };
        // Whole differences are exact in f64 up to 2^53 ticks.
        let distance = tick.abs_diff(a.at.0) as f64 * slope(a, b);
        if tick < a.at.0 { a.nanos - distance } else { a.nanos + distance }
    }

    /// Place of a tick.
    pub(crate) fn place(&self, tick: u64) -> f64 {
        self.place_in(self.segment(tick, 0), tick)
    }

    /// The tick at a place, with its fraction.
    pub(crate) fn tick(&self, place: f64) -> f64 {
        let after = self.anchors.partition_point(|anchor| anchor.nanos <= place);
        let segment = after.saturating_sub(1).min(self.anchors.len().saturating_sub(2));
        let Some((a, b)) = self.ends_of(segment) else { return 0.0 };
        let slope = slope(a, b);
        let distance = if slope > 0.0 { (place - a.nanos) / slope } else { 0.0 };
        (a.at.0 as f64 + distance).max(0.0)
    }
}

fn slope(a: &Anchor, b: &Anchor) -> f64 {
    ((b.nanos - a.nanos) / (b.at.0 as f64 - a.at.0 as f64).max(1.0)).max(0.0)
}

/// What is seen of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Place at the left edge.
    pub begin: f64,
    /// Place at the right edge.
    pub end: f64,
}

impl View {
    /// Length of what is seen.
    pub fn length(self) -> f64 {
        self.end - self.begin
    }

    /// Longer (`factor` above 1) or shorter, with `around` staying where it is.
    pub(super) fn zoomed(self, around: f64, factor: f64) -> Self {
        Self { begin: around + (self.begin - around) * factor, end: around + (self.end - around) * factor }
    }

    pub(super) fn moved(self, by: f64) -> Self {
        Self { begin: self.begin + by, end: self.end + by }
    }

    /// Kept to lengths that numbers can tell apart, and to what there is.
    pub(super) fn within(self, all: View) -> Self {
        let whole = all.length();
        if !(whole > 0.0 && self.length() < whole) {
            return all;
        }
        let length = self.length().max(whole * 1e-10);
        let begin = self.begin.min(all.end - length).max(all.begin);
        if begin == self.begin && length == self.length() { self } else { Self { begin, end: begin + length } }
    }

    /// Whether numbers on the axis are all there.
    pub(super) fn is_sound(self) -> bool {
        self.begin.is_finite() && self.end.is_finite() && self.begin < self.end
    }
}

/// An axis on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnScreen {
    pub view: View,
    pub left: f32,
    pub width: f32,
}

impl OnScreen {
    pub(crate) fn px(&self, place: f64) -> f64 {
        f64::from(self.left) + (place - self.view.begin) * self.px_per_place()
    }

    pub(crate) fn place(&self, px: f64) -> f64 {
        self.view.begin + (px - f64::from(self.left)) / self.px_per_place()
    }

    pub(crate) fn px_per_place(&self) -> f64 {
        f64::from(self.width) / self.view.length()
    }

    /// A place as a coordinate to draw at: what is far outside is moved to just outside.
    pub(crate) fn x(&self, place: f64) -> f32 {
        self.clamped(self.px(place))
    }

    pub(crate) fn clamped(&self, px: f64) -> f32 {
        (px as f32).clamp(self.left - 50.0, self.left + self.width + 50.0)
    }
}

/// The ticks of a lane on the screen.
pub(super) struct TicksOnScreen<'a> {
    pub axis_map: &'a AxisMap,
    pub axis: OnScreen,
    /// The segment that was asked for last: the next is mostly the same.
    segment: Cell<usize>,
}

impl<'a> TicksOnScreen<'a> {
    pub(crate) fn new(axis_map: &'a AxisMap, axis: OnScreen) -> Self {
        Self { axis_map, axis, segment: Cell::new(0) }
    }
}

impl Scale for TicksOnScreen<'_> {
    fn px(&self, tick: u64) -> f64 {
        let segment = self.axis_map.segment(tick, self.segment.get());
        self.segment.set(segment);
        self.axis.px(self.axis_map.place_in(segment, tick))
    }

    fn px_per_tick(&self, begin: u64, end: u64) -> f64 {
        let first = self.axis_map.segment(begin, self.segment.get());
        let per_tick = match self.axis_map.ends_of(first) {
            Some((a, b)) if end <= b.at.0 || first + 2 >= self.axis_map.anchors.len() => slope(a, b),
            _ => self.axis_map.most_per_tick,
        };
        per_tick * self.axis.px_per_place()
    }

    fn tick(&self, px: f64) -> u64 {
        self.axis_map.tick(self.axis.place(px)) as u64
    }

    fn visible_px(&self) -> (f64, f64) {
        (f64::from(self.axis.left), f64::from(self.axis.left + self.axis.width))
    }
}

/// The same with pixels that are several wide, for what need not be drawn exactly.
pub(super) struct Coarse<'a> {
    pub scale: &'a TicksOnScreen<'a>,
    pub px: f64,
}

impl Scale for Coarse<'_> {
    fn px(&self, tick: u64) -> f64 {
        self.scale.px(tick) / self.px
    }

    fn px_per_tick(&self, begin: u64, end: u64) -> f64 {
        self.scale.px_per_tick(begin, end) / self.px
    }

    fn tick(&self, px: f64) -> u64 {
        self.scale.tick(px * self.px)
    }

    fn visible_px(&self) -> (f64, f64) {
        let (left, right) = self.scale.visible_px();
        (left / self.px, right / self.px)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::{Axis, AxisUnit, Tick};

    fn axis_map() -> AxisMap {
        let axis = Axis::without_clock(AxisUnit::Calls);
        let anchor = |at, nanos| Anchor { at: Tick(at), nanos };
        AxisMap::new(&Placement::between(
            &axis,
            vec![anchor(10, 100.0), anchor(20, 200.0), anchor(21, 1200.0)],
            ("x", true),
        ))
    }

    #[test]
    fn ticks_and_places_are_each_others_inverse() {
        let axis_map = axis_map();
        for (tick, place) in [(0, 0.0), (10, 100.0), (15, 150.0), (20, 200.0), (21, 1200.0), (22, 2200.0)] {
            assert_eq!((axis_map.place(tick), axis_map.tick(place)), (place, tick as f64));
        }
        assert_eq!(axis_map.tick(-500.0), 0.0);
    }

    #[test]
    fn the_place_under_the_pointer_stays_there() {
        let view = View { begin: 100.0, end: 300.0 };
        let zoomed = view.zoomed(150.0, 0.5);
        assert_eq!(zoomed, View { begin: 125.0, end: 225.0 });
        let all = View { begin: 0.0, end: 1000.0 };
        assert_eq!(view.within(all), view);
        assert_eq!(view.zoomed(150.0, 1e30).within(all), all);
        assert!(view.zoomed(150.0, 1e-30).within(all).length() > 0.0);
        assert_eq!(view.moved(1e9).within(all), View { begin: 800.0, end: 1000.0 });
        assert_eq!(view.moved(-1e9).within(all), View { begin: 0.0, end: 200.0 });
    }
}
