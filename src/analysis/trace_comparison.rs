//! Two traces beside each other: which frames belong together, where they begin to differ, and in what.
//!
//! ```text
//!  a: │ menu │ A │ B │ C  │ D │
//!  b:        │ A │ B │ C' │ D │ end │     C and C' stand between frames that hold the same, so they belong together
//! ```

use std::collections::BTreeSet;

use super::alignment::equal_pairs;
use super::input_difference::{InputDifference, InputSide, difference_of};
use crate::format::aerogpu::FrameIndex;
use crate::replay::{DRAW_PARTS, DrawParts, InputHash, ReplayError};

/// Two traces, compared by what their frames are drawn from. Needs no GPU.
pub struct TraceComparison {
    sides: [InputSide; 2],
    /// By frame of the first.
    frames: Vec<FrameBesideFrame>,
    /// How many frames the second has.
    other_count: u32,
}

/// A frame of the first trace, and that of the second that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameBesideFrame {
    /// That of the second, if it has one.
    pub frame: Option<FrameIndex>,
    /// Whether both are drawn from the same.
    pub is_same: bool,
}

impl TraceComparison {
    /// Hashes every frame of both traces that is in its index; `None` once `goes_on` says no.
    pub fn new(mut sides: [InputSide; 2], mut goes_on: impl FnMut() -> bool) -> Result<Option<Self>, ReplayError> {
        let mut hashes = [Vec::new(), Vec::new()];
        for (side, hashes) in sides.iter_mut().zip(&mut hashes) {
            for frame in (0..side.frame_count()).map(FrameIndex) {
                if !goes_on() {
                    return Ok(None);
                }
                hashes.push(side.frame_hash(frame)?);
            }
        }
        let [a, b] = hashes;
        Ok(Some(Self { sides, frames: pair(&a, &b), other_count: b.len() as u32 }))
    }

    /// By frame of the first trace: the frame of the second that it belongs to.
    pub fn frames(&self) -> &[FrameBesideFrame] {
        &self.frames
    }

    /// Frames that belong together and are not drawn from the same, one of each trace.
    pub fn different_frames(&self) -> impl Iterator<Item = [FrameIndex; 2]> {
        let frames = (0..).map(FrameIndex).zip(&self.frames).filter(|(_, beside)| !beside.is_same);
        frames.filter_map(|(frame, beside)| Some([frame, beside.frame?]))
    }

    /// Frames of each trace that belong to none of the other.
    pub fn frames_alone(&self) -> [Vec<FrameIndex>; 2] {
        let alone = (0..).map(FrameIndex).zip(&self.frames).filter(|(_, beside)| beside.frame.is_none());
        let with_one: BTreeSet<FrameIndex> = self.frames.iter().filter_map(|beside| beside.frame).collect();
        let others = (0..self.other_count).map(FrameIndex).filter(|frame| !with_one.contains(frame));
        [alone.map(|(frame, _)| frame).collect(), others.collect()]
    }

    /// The first frame of the first trace that is not drawn from the same as the one that it belongs to.
    pub fn first_difference(&mut self) -> Result<Option<InputDifference>, ReplayError> {
        let Some(frames) = self.different_frames().next() else { return Ok(None) };
        let [a, b] = &mut self.sides;
        difference_of([a, b], frames).map(Some)
    }

    /// By draw of a frame of the first trace: what of it is not that of the same draw of the frame beside it, of
    /// [`DRAW_PARTS`]; `None` where that has no such draw.
    pub fn draw_differences(&mut self, frame: FrameIndex) -> Result<Vec<Option<Vec<&'static str>>>, ReplayError> {
        let Some(other) = self.frames.get(frame.as_usize()).and_then(|beside| beside.frame) else {
            return Ok(Vec::new());
        };
        let [a, b] = &mut self.sides;
        let (a, b) = (a.draw_parts(frame)?, b.draw_parts(other)?);
        let differs = |(place, a): (usize, &DrawParts)| -> Option<Vec<&'static str>> {
            let parts = DRAW_PARTS.iter().zip(a.iter().zip(b.get(place)?));
            Some(parts.filter(|(_, (a, b))| a.digest != b.digest).map(|(name, _)| *name).collect())
        };
        Ok(a.iter().enumerate().map(differs).collect())
    }
}

/// Frames that hold the same belong together, in the order of both; those between two such pairs one by one.
fn pair(a: &[Option<InputHash>], b: &[Option<InputHash>]) -> Vec<FrameBesideFrame> {
    let equal = equal_pairs(a, b).into_iter().chain([(a.len(), b.len())]);
    let mut frames = vec![FrameBesideFrame { frame: None, is_same: false }; a.len()];
    let mut set = |frame: usize, other: usize, is_same| {
        if let Some(beside) = frames.get_mut(frame) {
            *beside = FrameBesideFrame { frame: Some(FrameIndex(other as u32)), is_same };
        }
    };
    let (mut at_a, mut at_b) = (0, 0);
    for (next_a, next_b) in equal {
        (at_a..next_a).zip(at_b..next_b).for_each(|(frame, other)| set(frame, other, false));
        set(next_a, next_b, true);
        (at_a, at_b) = (next_a + 1, next_b + 1);
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(a: &str, b: &str) -> Vec<(Option<u32>, bool)> {
        let hashes = |text: &str| text.bytes().map(|byte| Some(InputHash([byte; 32]))).collect::<Vec<_>>();
        let frames = pair(&hashes(a), &hashes(b));
        frames.iter().map(|beside| (beside.frame.map(|frame| frame.0), beside.is_same)).collect()
    }

    #[test]
    fn frames_that_hold_the_same_belong_together_and_others_between_them() {
        let (same, other) = (|frame| (Some(frame), true), |frame| (Some(frame), false));
        assert_eq!(paired("abc", "abc"), [same(0), same(1), same(2)]);
        assert_eq!(paired("mabcd", "abxde"), [(None, false), same(0), same(1), other(2), same(3)]);
        assert_eq!(paired("abc", "xyabc"), [same(2), same(3), same(4)]);
        assert_eq!(paired("abc", "xyz"), [other(0), other(1), other(2)]);
        assert_eq!(paired("abc", ""), [(None, false); 3]);
        assert_eq!(paired("", "abc"), []);
        assert_eq!(paired("aaaa", "aa"), [same(0), same(1), (None, false), (None, false)]);
        // Not the first that is equal, but those that leave most of them in their order.
        assert_eq!(paired("zabcd", "abcdz"), [(None, false), same(0), same(1), same(2), same(3)]);
        let long = "a".repeat(3000);
        assert!(paired(&long, &long).iter().enumerate().all(|(frame, beside)| *beside == same(frame as u32)));
    }
}
