//! How long frames may take, and which take longer: the strip of frames shows them in three colours.

use std::ops::RangeInclusive;

use egui::{DragValue, RichText, Ui};

use super::colours::Colours;
use super::lane::{LaneAlignment, LaneState};
use crate::timeline::{CommonAxis, Timeline};

/// The time that frames may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FrameBudget {
    millis: f64,
}

/// A picture in each refresh of a usual screen.
impl Default for FrameBudget {
    fn default() -> Self {
        Self { millis: 16.7 }
    }
}

/// How a frame keeps to the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kept {
    /// It takes no longer.
    Within,
    /// It takes longer.
    Beyond,
    /// It takes more than twice as long: a picture is shown twice or more.
    FarBeyond,
}

impl FrameBudget {
    /// How a frame of a length keeps to it.
    pub(crate) fn of(self, nanos: u64) -> Kept {
        let millis = nanos as f64 / 1e6;
        if millis <= self.millis {
            Kept::Within
        } else if millis <= 2.0 * self.millis {
            Kept::Beyond
        } else {
            Kept::FarBeyond
        }
    }

    /// The budget, and how many frames go beyond it; nothing where no file records time.
    pub(crate) fn ui(&mut self, ui: &mut Ui, lanes: &[LaneState], colours: &Colours) {
        let Some(lane) = lanes.iter().find(|state| !state.frame_lengths.is_unknown()) else { return };
        ui.separator();
        let field = DragValue::new(&mut self.millis).range(0.1..=10_000.0).speed(0.1).max_decimals(1).suffix(" ms");
        ui.label(RichText::new("budget").weak());
        ui.add(field).on_hover_text(
            "target frame time: longer frames are highlighted, frames over twice as long in a second colour",
        );
        for (kept, words) in [(Kept::Beyond, "over"), (Kept::FarBeyond, "over twice")] {
            let count = lane.frame_lengths.known().filter(|nanos| self.of(*nanos) == kept).count();
            if count > 0 {
                ui.label(RichText::new(format!("{count} {words}")).color(colours.of_budget(kept)));
            }
        }
    }
}

/// How long each frame of a lane took, as far as anybody recorded that.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameLengths {
    nanos: Vec<Option<u64>>,
    /// The longest of each block of frames: of a million frames the whole strip is looked at in each picture.
    longest: Vec<Option<u64>>,
}

const BLOCK: usize = 64;

impl FrameLengths {
    pub(crate) fn new(nanos: Vec<Option<u64>>) -> Self {
        let longest = nanos.chunks(BLOCK).map(|block| block.iter().copied().max().flatten()).collect();
        Self { nanos, longest }
    }

    /// Whether nothing is known of any frame.
    pub(crate) fn is_unknown(&self) -> bool {
        self.longest.iter().all(Option::is_none)
    }

    /// The lengths that are known.
    pub(crate) fn known(&self) -> impl Iterator<Item = u64> {
        self.nanos.iter().filter_map(|nanos| *nanos)
    }

    /// The longest of some frames.
    pub(crate) fn longest(&self, frames: RangeInclusive<u32>) -> Option<u64> {
        let end = (*frames.end() as usize + 1).min(self.nanos.len());
        let first = (*frames.start() as usize).min(end);
        let (first_block, end_block) = (first.div_ceil(BLOCK), end / BLOCK);
        if first_block >= end_block {
            return self.nanos.get(first..end)?.iter().copied().max().flatten();
        }
        let of = |of: &[Option<u64>]| of.iter().copied().max().flatten();
        let before = self.nanos.get(first..first_block * BLOCK).and_then(of);
        let whole = self.longest.get(first_block..end_block).and_then(of);
        let after = self.nanos.get(end_block * BLOCK..end).and_then(of);
        before.max(whole).max(after)
    }
}

/// How long each frame of a lane took: by its own clock, or for the reference by the first annotation that has one and
/// the frame. `None` where nobody recorded that.
pub(super) fn frame_nanos(
    timeline: &Timeline,
    alignment: &LaneAlignment,
    others: &[(&Timeline, &LaneAlignment)],
) -> Vec<Option<u64>> {
    if let Some(tick) = timeline.axis.unit.nanos_per_tick() {
        let frames = timeline.frames.iter();
        return frames.map(|frame| Some(frame.end.0.saturating_sub(frame.begin.0).saturating_mul(tick))).collect();
    }
    let mut nanos = vec![None; timeline.frames.len()];
    if *alignment != LaneAlignment::Reference {
        return nanos;
    }
    for (other, alignment) in others {
        let (Some(tick), LaneAlignment::Aligned(alignment)) = (other.axis.unit.nanos_per_tick(), alignment) else {
            continue;
        };
        let axis = CommonAxis::new(timeline, &[(*other, alignment)]);
        for (frame, nanos) in nanos.iter_mut().enumerate().filter(|(_, nanos)| nanos.is_none()) {
            let ticks = axis.frame_ticks(other, alignment, frame);
            *nanos = ticks.map(|(begin, end)| end.0.saturating_sub(begin.0).saturating_mul(tick));
        }
    }
    nanos
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_any_stretch_is_found() {
        let nanos: Vec<Option<u64>> =
            (0..1000).map(|frame: u64| (!frame.is_multiple_of(7)).then_some(frame * 7919 % 1000)).collect();
        let lengths = FrameLengths::new(nanos.clone());
        for (first, last) in [(0, 0), (0, 999), (1, 1), (3, 62), (63, 64), (64, 127), (64, 128), (65, 700), (990, 999)]
        {
            let expected = nanos[first..=last].iter().flatten().max().copied();
            assert_eq!(lengths.longest(first as u32..=last as u32), expected, "{first} to {last}");
        }
        assert_eq!(lengths.longest(998..=1_000_000), nanos[998..].iter().flatten().max().copied());
        assert!(!lengths.is_unknown() && FrameLengths::new(vec![None; 9]).is_unknown());
    }

    #[test]
    fn frames_are_within_beyond_or_far_beyond() {
        let budget = FrameBudget::default();
        let kept = [16_700_000, 16_700_001, 33_400_000, 33_400_001].map(|nanos| budget.of(nanos));
        assert_eq!(kept, [Kept::Within, Kept::Beyond, Kept::Beyond, Kept::FarBeyond]);
    }
}
