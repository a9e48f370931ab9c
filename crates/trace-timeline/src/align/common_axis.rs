//! The axis that all files share.

use super::ties::{anchors, begins, in_order};
use super::{AlignError, Alignment, FrameAnchor, MatchedFrame};
use crate::{Anchor, Axis, Certainty, GpuTimes, Placement, Tick, Timeline};

/// The axis that all files share, as a viewer shows it.
#[derive(Clone, Debug)]
pub struct CommonAxis {
    /// Place of each frame's begin, and of the last one's end, in nanoseconds.
    frames: Vec<f64>,
    /// How well the place and the length of each frame are known.
    certain: Vec<Certainty>,
    unit: String,
    clock: ClockSource,
}

/// Where the times of a common axis come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockSource {
    /// The reference records time.
    Reference,
    /// The annotation with this index does.
    Annotation(usize),
    /// The annotation with this index asked the GPU for timestamps.
    Timestamps(usize),
    /// No file records time: frames are equally long.
    None,
}

/// Length shown for a frame when no file records time.
const NANOS_PER_UNTIMED_FRAME: f64 = 1e6;

impl CommonAxis {
    /// The axis for `reference` and what is aligned to it: time if one of them has time (the first counts), else frames.
    pub fn new(reference: &Timeline, aligned: &[(&Timeline, &Alignment)]) -> Self {
        let count = begins(reference).len().saturating_sub(1);
        let clock = aligned.iter().enumerate().find(|(_, (timeline, alignment))| {
            timeline.axis.unit.nanos_per_tick().is_some() && alignment.anchors.len() > 1
        });
        if let Some(nanos) = reference.axis.unit.nanos_per_tick() {
            let frames: Vec<f64> = begins(reference).into_iter().map(|tick| tick.0 as f64 * nanos as f64).collect();
            let certain = vec![Certainty::Exact; count];
            return Self {
                frames,
                certain,
                unit: "time as recorded in the trace".into(),
                clock: ClockSource::Reference,
            };
        }
        if let Some((index, (timeline, alignment))) = clock {
            let nanos = timeline.axis.unit.nanos_per_tick().unwrap_or(1) as f64;
            let frames = (0..=count).map(|frame| tick_at(&alignment.anchors, frame as f64) * nanos).collect();
            let certain = certain(count, |frame| match alignment.ended(frame as u64) {
                Some(_) => Certainty::Exact,
                None => Certainty::Extrapolated,
            });
            let unit = format!("time as recorded in {}", timeline.title);
            return Self { frames, certain, unit, clock: ClockSource::Annotation(index) };
        }
        if let Some(axis) = Self::of_timestamps(count, aligned) {
            return axis;
        }
        let frames = (0..=count).map(|frame| frame as f64 * NANOS_PER_UNTIMED_FRAME).collect();
        let unit = "1 ms shown = 1 frame; no file records time".into();
        Self { frames, certain: vec![Certainty::Exact; count], unit, clock: ClockSource::None }
    }

    /// Where no file has a clock, and one has asked the GPU for the time: that time, worked out for the frames' borders.
    fn of_timestamps(count: usize, aligned: &[(&Timeline, &Alignment)]) -> Option<Self> {
        let tied = aligned.iter().enumerate().filter(|(_, (_, alignment))| alignment.anchors.len() > 1);
        let clocks = tied.map(|(index, (timeline, alignment))| (index, timeline, alignment, GpuTimes::of(timeline)));
        let places = clocks.map(|(index, timeline, alignment, times)| {
            let border = |frame: usize| tick_at(&alignment.anchors, frame as f64);
            let places: Vec<f64> = (0..=count).map(|frame| times.clock_at(border(frame))).collect::<Option<_>>()?;
            let certain = certain(count, |frame| times.certainty(border(frame), border(frame + 1)));
            // A viewer's axis begins somewhere near 0; the GPU's clock began when its driver did.
            let first = places.first().copied().unwrap_or_default();
            Some((index, timeline, places.into_iter().map(|place| place - first).collect(), certain))
        });
        let (index, timeline, frames, certain) = places.into_iter().flatten().next()?;
        let unit = format!("GPU time from the timestamps in {}, interpolated between them", timeline.title);
        Some(Self { frames, certain, unit, clock: ClockSource::Timestamps(index) })
    }

    /// Refuses offsets in time on an axis of frames: a frame shown as long as a millisecond did not take one.
    pub fn check_offsets(&self, aligned: &[(&Timeline, &Alignment)]) -> Result<(), AlignError> {
        match aligned.iter().find_map(|(_, alignment)| alignment.offset_us) {
            Some(micros) if !self.has_time() => Err(AlignError::NoClock { micros }),
            _ => Ok(()),
        }
    }

    /// What a length on the axis means.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Place of each frame's begin, and of the last one's end, in nanoseconds.
    pub fn frame_nanos(&self) -> &[f64] {
        &self.frames
    }

    /// Frames of the reference.
    pub fn frame_count(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    /// The ticks of `annotation` that lie beside a frame of the reference; `None` where it has none.
    pub fn frame_ticks(&self, annotation: &Timeline, alignment: &Alignment, frame: usize) -> Option<(Tick, Tick)> {
        let (Some(micros), Some(nanos)) = (alignment.offset_us, annotation.axis.unit.nanos_per_tick()) else {
            return alignment.ended(frame as u64);
        };
        let start = self.frames.first()? + micros as f64 * 1000.0;
        let tick = |place: &f64| Tick(((place - start) / nanos as f64).round().max(0.0) as u64);
        let (begin, end) = (tick(self.frames.get(frame)?), tick(self.frames.get(frame + 1)?));
        (begin < end).then_some((begin, end))
    }

    /// The ticks of `reference` at which its frames begin, and at which the last one ends.
    pub fn reference_ticks(&self, reference: &Timeline) -> Vec<Tick> {
        begins(reference)
    }

    /// Whether its nanoseconds were measured.
    pub fn has_time(&self) -> bool {
        self.clock != ClockSource::None
    }

    /// Where its times come from.
    pub fn clock(&self) -> ClockSource {
        self.clock
    }

    /// Frames of the reference whose times were measured; the others are placed by guess.
    pub fn measured_frames(&self) -> usize {
        let is_exact = |certain: &&Certainty| self.has_time() && **certain == Certainty::Exact;
        self.certain.iter().filter(is_exact).count()
    }

    /// Where the reference's own ticks lie.
    pub fn place_reference(&self, reference: &Timeline) -> Placement {
        let begins = begins(reference);
        let frames = in_order(begins.into_iter(), (0, 0), None);
        self.told_by_frames(self.place_anchors(&reference.axis, &anchors(&frames)), &frames)
    }

    /// Where an annotation's ticks lie.
    pub fn place(&self, annotation: &Timeline, alignment: &Alignment) -> Placement {
        let Some(micros) = alignment.offset_us else {
            let placement = self.place_anchors(&annotation.axis, &alignment.anchors);
            return self.told_by_frames(placement, &alignment.frames).aligned(alignment);
        };
        let start = self.frames.first().copied().unwrap_or(0.0);
        let anchor = Anchor { at: Tick(0), nanos: start + micros as f64 * 1000.0 };
        let placement = Placement::between(&annotation.axis, vec![anchor], (&self.unit, self.has_time()));
        placement.certain_at(Vec::new(), None).aligned(alignment)
    }

    /// A placement, with how well the places of frames are known.
    fn told_by_frames(&self, placement: Placement, frames: &[MatchedFrame]) -> Placement {
        let stretches = |least: &'static [Certainty]| {
            let is_certain =
                |frame: &&MatchedFrame| self.certain.get(frame.frame as usize).is_some_and(|is| least.contains(is));
            frames.iter().filter(is_certain).filter_map(MatchedFrame::stretch)
        };
        let exact = stretches(&[Certainty::Exact]).collect();
        let covered = stretches(&[Certainty::Exact, Certainty::Interpolated]);
        let covered =
            covered.reduce(|(begin, end), (other_begin, other_end)| (begin.min(other_begin), end.max(other_end)));
        placement.certain_at(exact, covered)
    }

    fn place_anchors(&self, axis: &Axis, anchors: &[FrameAnchor]) -> Placement {
        let place = |anchor: &FrameAnchor| {
            let nanos = *self.frames.get(anchor.frame as usize)?;
            Some(Anchor { at: Tick(anchor.tick), nanos })
        };
        Placement::between(axis, anchors.iter().filter_map(place).collect(), (&self.unit, self.has_time()))
    }
}

/// How well frames are known of which each is known as `of` says by itself: what lies between two that are is between them.
fn certain(count: usize, of: impl Fn(usize) -> Certainty) -> Vec<Certainty> {
    let mut certain: Vec<Certainty> = (0..count).map(of).collect();
    let is_known = |is: &Certainty| *is != Certainty::Extrapolated;
    if let (Some(first), Some(last)) = (certain.iter().position(is_known), certain.iter().rposition(is_known)) {
        let between = certain.iter_mut().take(last).skip(first);
        between.filter(|is| !is_known(is)).for_each(|is| *is = Certainty::Interpolated);
    }
    certain
}

/// Tick of the annotation at `frame`, going on beyond the anchors as between the nearest two.
fn tick_at(anchors: &[FrameAnchor], frame: f64) -> f64 {
    let after = anchors.partition_point(|anchor| anchor.frame <= frame);
    let first = after.saturating_sub(1).min(anchors.len().saturating_sub(2));
    let (Some(a), Some(b)) = (anchors.get(first), anchors.get(first + 1)) else { return 0.0 };
    a.tick as f64 + (frame - a.frame) / (b.frame - a.frame) * (b.tick as f64 - a.tick as f64)
}
