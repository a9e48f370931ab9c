//! Several files on one axis: frame and fraction of a frame, and time where one of them has time.
//!
//! ```text
//!  reference (an AeroGPU trace)   │ frame 0      │ frame 1          │ frame 2 │
//!  common axis                    0              1                  2         3
//!  annotation (its own ticks)     ▲ begin of     ▲ begin of         ▲         ▲ end of its last frame
//!                                   its frame 0    its frame 1
//! ```
//!
//! A frame of one file is the same frame of the other: that gives the anchors, and between them the axis is linear.
//! Files whose frame counts disagree are refused until somebody says how they belong together ([`Method`]).

use std::collections::BTreeMap;

use serde::Serialize;
use thiserror::Error;

use super::{Anchor, Axis, EventKind, Placement, Tick, Timeline, TrackId};
use crate::error::{Classified, ErrorKind};

/// How an annotation is laid beside the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// Frame `reference` of the reference is frame `annotation` of the annotation, and so on from there:
    /// `frames` or `frames:A=B`.
    Frames {
        /// First frame of the reference.
        reference: u64,
        /// Its counterpart.
        annotation: u64,
        /// Whether the numbers were given, so that differing counts are meant.
        is_given: bool,
    },
    /// The n-th event of this name begins frame n: `mark:NAME`.
    Mark(String),
    /// Tick 0 of the annotation lies so many microseconds after the begin of the common axis: `offset-us:N`. Only where
    /// that axis is time: [`CommonAxis::check_offsets`].
    OffsetMicros(i64),
}

/// Two files can't be laid beside each other.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AlignError {
    /// The method is not one that exists.
    #[error("expected frames, frames:A=B, mark:NAME or offset-us:N, found {found:?}")]
    UnknownMethod {
        /// What was given.
        found: String,
    },
    /// The files have different numbers of frames, and nobody said which belong together.
    #[error(
        "expected {reference} frames as in the trace, found {annotation} in the annotation; say how they belong \
         together with frames:A=B, mark:NAME or offset-us:N"
    )]
    CountsDisagree {
        /// Frames of the reference.
        reference: usize,
        /// Frames of the annotation.
        annotation: usize,
    },
    /// The given first frames don't exist.
    #[error("expected frame {wanted} of the {file}, found {count} frames")]
    NoSuchFrame {
        /// Which file.
        file: &'static str,
        /// The frame asked for.
        wanted: u64,
        /// How many there are.
        count: usize,
    },
    /// No event has the name.
    #[error("expected events named {name:?} in the annotation, found none")]
    NoSuchMark {
        /// The name.
        name: String,
    },
    /// An offset in time was given for files without time.
    #[error("expected a file that records time to set an offset in µs, found an axis of {unit}")]
    NoTime {
        /// The unit of its axis.
        unit: &'static str,
    },
    /// An offset in time was given, and nothing says when the trace's frames were.
    #[error(
        "expected a clock for offset-us:{micros} to count on, found none: the trace records no time, and no annotation \
         that does is tied to its frames; tie one of them with frames:A=B or mark:NAME"
    )]
    NoClock {
        /// The offset.
        micros: i64,
    },
}

impl Classified for AlignError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Usage
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl Method {
    /// Reads the text of `--align`.
    pub fn parse(text: &str) -> Result<Self, AlignError> {
        let unknown = || AlignError::UnknownMethod { found: text.to_owned() };
        if text == "frames" {
            return Ok(Self::Frames { reference: 0, annotation: 0, is_given: true });
        }
        if let Some(pair) = text.strip_prefix("frames:") {
            let (reference, annotation) = pair.split_once('=').ok_or_else(unknown)?;
            let number = |text: &str| text.trim().parse().map_err(|_| unknown());
            return Ok(Self::Frames { reference: number(reference)?, annotation: number(annotation)?, is_given: true });
        }
        if let Some(name) = text.strip_prefix("mark:").filter(|name| !name.is_empty()) {
            return Ok(Self::Mark(name.to_owned()));
        }
        let offset = text.strip_prefix("offset-us:").and_then(|number| number.parse().ok());
        offset.map(Self::OffsetMicros).ok_or_else(unknown)
    }
}

impl Default for Method {
    /// Frame by frame, and as many in both.
    fn default() -> Self {
        Self::Frames { reference: 0, annotation: 0, is_given: false }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Frames { reference, annotation, .. } => write!(f, "frames:{reference}={annotation}"),
            Self::Mark(name) => write!(f, "mark:{name}"),
            Self::OffsetMicros(micros) => write!(f, "offset-us:{micros}"),
        }
    }
}

/// A tick of the annotation and its place on the common axis, in frames of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FrameAnchor {
    /// Tick of the annotation.
    pub tick: u64,
    /// Frame of the reference, with fraction.
    pub frame: f64,
}

/// How an annotation lies beside the reference, and how well.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alignment {
    /// The method, as `--align` takes it.
    pub method: String,
    /// Frames of the reference.
    pub reference_frames: usize,
    /// Frames (or marks) of the annotation.
    pub annotation_frames: usize,
    /// Where the files are tied together, by tick. Empty for an offset in time.
    pub anchors: Vec<FrameAnchor>,
    /// The offset in time, for that method.
    pub offset_us: Option<i64>,
    /// How far each inner anchor lies from the middle between its neighbours, in frames: a missing or doubled frame
    /// stands out here. `None` with fewer than three anchors.
    pub residuals: Option<Residuals>,
}

/// Distances of anchors from where their neighbours put them, in frames.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Residuals {
    /// Root of the mean square.
    pub rms_frames: f64,
    /// The largest.
    pub max_frames: f64,
    /// Which anchor has the largest.
    pub worst_anchor: usize,
}

/// Lays `annotation` beside `reference`.
pub fn align(reference: &Timeline, annotation: &Timeline, method: &Method) -> Result<Alignment, AlignError> {
    let (reference_frames, frames) = (begins(reference).len().saturating_sub(1), begins(annotation));
    let mut offset_us = None;
    let (annotation_frames, anchors) = match method {
        Method::Frames { reference: a, annotation: b, is_given } => {
            let count = frames.len().saturating_sub(1);
            if !is_given && count != reference_frames {
                return Err(AlignError::CountsDisagree { reference: reference_frames, annotation: count });
            }
            check_frame("trace", *a, reference_frames)?;
            check_frame("annotation", *b, count)?;
            let shared = (reference_frames as u64 - a).min(count as u64 - b) as usize;
            let ticks = frames.iter().skip(*b as usize).take(shared + 1);
            (count, pair(ticks.copied(), *a))
        }
        Method::Mark(name) => {
            let marks = marks(annotation, name);
            if marks.is_empty() {
                return Err(AlignError::NoSuchMark { name: name.clone() });
            }
            (marks.len(), pair(marks.into_iter().take(reference_frames), 0))
        }
        Method::OffsetMicros(micros) => {
            if annotation.axis.unit.nanos_per_tick().is_none() {
                return Err(AlignError::NoTime { unit: annotation.axis.unit.name() });
            }
            offset_us = Some(*micros);
            (frames.len().saturating_sub(1), Vec::new())
        }
    };
    let residuals = residuals(&anchors);
    let method = method.to_string();
    Ok(Alignment { method, reference_frames, annotation_frames, anchors, offset_us, residuals })
}

fn check_frame(file: &'static str, wanted: u64, count: usize) -> Result<(), AlignError> {
    // Frame 0 of nothing is allowed: the files are then beside each other without an anchor.
    if wanted > 0 && wanted >= count as u64 { Err(AlignError::NoSuchFrame { file, wanted, count }) } else { Ok(()) }
}

/// Begins of all frames that were shown, by tick, and the end of the last. What follows the last swap is no frame of
/// the other file; and where frames belong to tracks, those of the track with most of them count.
fn begins(timeline: &Timeline) -> Vec<Tick> {
    let shown = || timeline.frames.iter().filter(|frame| frame.ended_by.is_some());
    let mut by_track: BTreeMap<Option<TrackId>, usize> = BTreeMap::new();
    shown().for_each(|frame| *by_track.entry(frame.track).or_default() += 1);
    let most = by_track.iter().max_by_key(|(track, count)| (**count, std::cmp::Reverse(**track)));
    let Some(track) = most.map(|(track, _)| *track) else { return Vec::new() };
    let of_track = shown().filter(|frame| frame.track == track);
    let mut frames: Vec<(Tick, Tick)> = of_track.map(|frame| (frame.begin, frame.end)).collect();
    frames.sort_unstable();
    let end = frames.last().map(|(_, end)| *end);
    frames.into_iter().map(|(begin, _)| begin).chain(end).collect()
}

fn marks(timeline: &Timeline, name: &str) -> Vec<Tick> {
    let Some(id) = timeline.strings.find(name.as_bytes()) else { return Vec::new() };
    let is_mark = |kind| matches!(kind, EventKind::Span(..) | EventKind::Instant(_) | EventKind::Step);
    timeline.events().filter(|event| event.name == id && is_mark(event.kind)).map(|event| event.begin).collect()
}

/// Ties the given ticks to frames from `first` on. Ticks that don't rise tie nothing: an axis can't go backwards.
fn pair(ticks: impl Iterator<Item = Tick>, first: u64) -> Vec<FrameAnchor> {
    let mut anchors: Vec<FrameAnchor> = Vec::new();
    for (index, tick) in ticks.enumerate() {
        if anchors.last().is_none_or(|last| last.tick < tick.0) {
            anchors.push(FrameAnchor { tick: tick.0, frame: (first + index as u64) as f64 });
        }
    }
    anchors
}

fn residuals(anchors: &[FrameAnchor]) -> Option<Residuals> {
    let mut squares = 0.0;
    let mut worst = (0.0, 0);
    let triples = anchors.windows(3);
    let count = triples.len();
    for (index, triple) in triples.enumerate() {
        let [before, here, after] = triple else { continue };
        let share = (here.tick - before.tick) as f64 / (after.tick - before.tick) as f64;
        let expected = before.frame + share * (after.frame - before.frame);
        let distance = (here.frame - expected).abs();
        squares += distance * distance;
        if distance > worst.0 {
            worst = (distance, index + 1);
        }
    }
    (count > 0).then(|| Residuals {
        rms_frames: (squares / count as f64).sqrt(),
        max_frames: worst.0,
        worst_anchor: worst.1,
    })
}

/// The axis that all files share, as a viewer shows it.
#[derive(Clone, Debug)]
pub struct CommonAxis {
    /// Place of each frame's begin, and of the last one's end, in nanoseconds.
    frames: Vec<f64>,
    unit: String,
    has_time: bool,
}

/// Length shown for a frame when no file records time.
const NANOS_PER_UNTIMED_FRAME: f64 = 1e6;

impl CommonAxis {
    /// The axis for `reference` and what is aligned to it: time if one of them has time (the first counts), else frames.
    pub fn new(reference: &Timeline, aligned: &[(&Timeline, &Alignment)]) -> Self {
        let count = begins(reference).len().saturating_sub(1);
        let clock = aligned
            .iter()
            .find(|(timeline, alignment)| timeline.axis.unit.nanos_per_tick().is_some() && alignment.anchors.len() > 1);
        if let Some(nanos) = reference.axis.unit.nanos_per_tick() {
            let frames = begins(reference).into_iter().map(|tick| tick.0 as f64 * nanos as f64).collect();
            return Self { frames, unit: "time as recorded in the trace".into(), has_time: true };
        }
        if let Some((timeline, alignment)) = clock {
            let nanos = timeline.axis.unit.nanos_per_tick().unwrap_or(1) as f64;
            let frames = (0..=count).map(|frame| tick_at(&alignment.anchors, frame as f64) * nanos).collect();
            return Self { frames, unit: format!("time as recorded in {}", timeline.title), has_time: true };
        }
        let frames = (0..=count).map(|frame| frame as f64 * NANOS_PER_UNTIMED_FRAME).collect();
        Self { frames, unit: "1 ms shown = 1 frame; no file records time".into(), has_time: false }
    }

    /// Refuses offsets in time on an axis of frames: a frame shown as long as a millisecond did not take one.
    pub fn check_offsets(&self, aligned: &[(&Timeline, &Alignment)]) -> Result<(), AlignError> {
        match aligned.iter().find_map(|(_, alignment)| alignment.offset_us) {
            Some(micros) if !self.has_time => Err(AlignError::NoClock { micros }),
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
            let first = alignment.anchors.partition_point(|anchor| anchor.frame < frame as f64);
            let (begin, end) = (alignment.anchors.get(first)?, alignment.anchors.get(first + 1)?);
            if begin.frame as usize != frame {
                return None;
            }
            return Some((Tick(begin.tick), Tick(end.tick)));
        };
        let start = self.frames.first()? + micros as f64 * 1000.0;
        let tick = |place: &f64| Tick(((place - start) / nanos as f64).round().max(0.0) as u64);
        let (begin, end) = (tick(self.frames.get(frame)?), tick(self.frames.get(frame + 1)?));
        (begin < end).then_some((begin, end))
    }

    /// Whether its nanoseconds were measured.
    pub fn has_time(&self) -> bool {
        self.has_time
    }

    /// Where the reference's own ticks lie.
    pub fn place_reference(&self, reference: &Timeline) -> Placement {
        let anchors = pair(begins(reference).into_iter(), 0);
        self.place_anchors(&reference.axis, &anchors)
    }

    /// Where an annotation's ticks lie.
    pub fn place(&self, annotation: &Timeline, alignment: &Alignment) -> Placement {
        let Some(micros) = alignment.offset_us else {
            return self.place_anchors(&annotation.axis, &alignment.anchors);
        };
        let start = self.frames.first().copied().unwrap_or(0.0);
        let anchor = Anchor { at: Tick(0), nanos: start + micros as f64 * 1000.0 };
        Placement::between(&annotation.axis, vec![anchor], self.unit.clone())
    }

    fn place_anchors(&self, axis: &Axis, anchors: &[FrameAnchor]) -> Placement {
        let place = |anchor: &FrameAnchor| {
            let nanos = *self.frames.get(anchor.frame as usize)?;
            Some(Anchor { at: Tick(anchor.tick), nanos })
        };
        Placement::between(axis, anchors.iter().filter_map(place).collect(), self.unit.clone())
    }
}

/// Tick of the annotation at `frame`, going on beyond the anchors as between the nearest two.
fn tick_at(anchors: &[FrameAnchor], frame: f64) -> f64 {
    let after = anchors.partition_point(|anchor| anchor.frame <= frame);
    let first = after.saturating_sub(1).min(anchors.len().saturating_sub(2));
    let (Some(a), Some(b)) = (anchors.get(first), anchors.get(first + 1)) else { return 0.0 };
    a.tick as f64 + (frame - a.frame) / (b.frame - a.frame) * (b.tick as f64 - a.tick as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::{AxisUnit, Builder, Frame, InstantKind, RecordOffset, StringId, TrackKind};

    fn timeline(unit: AxisUnit, ends: &[u64]) -> Timeline {
        let mut builder = Builder::new("file", Axis::without_clock(unit));
        let mut begin = 0;
        let (name, track) = (builder.intern(b"flip"), builder.track(StringId::EMPTY, TrackKind::Instants, None));
        for (number, &end) in ends.iter().enumerate() {
            let (number, record) = (number as u64, RecordOffset::NONE);
            let frame = Frame {
                begin: Tick(begin),
                end: Tick(end),
                number,
                ended_by: Some(name),
                drawable: None,
                track: None,
                record,
            };
            builder.frame(frame);
            builder.instant(track, Tick(begin + 1), name, record, InstantKind::Marker);
            begin = end;
        }
        builder.finish(Tick(begin))
    }

    #[test]
    fn equal_counts_lie_frame_by_frame_and_others_are_refused() {
        let trace = timeline(AxisUnit::Bytes, &[100, 400, 500]);
        let calls = timeline(AxisUnit::Calls, &[10, 20, 40]);
        let alignment = align(&trace, &calls, &Method::default()).unwrap();
        let ticks: Vec<u64> = alignment.anchors.iter().map(|anchor| anchor.tick).collect();
        assert_eq!(ticks, [0, 10, 20, 40]);
        let axis = CommonAxis::new(&trace, &[(&calls, &alignment)]);
        let placement = axis.place(&calls, &alignment);
        assert_eq!((placement.nanos(Tick(15)), placement.nanos(Tick(30))), (1_500_000, 2_500_000));
        assert_eq!(axis.place_reference(&trace).nanos(Tick(250)), 1_500_000);
        assert!(!axis.has_time() && placement.unit().contains("no file records time"));
        let worst = alignment.residuals.unwrap();
        assert_eq!(worst.worst_anchor, 2);
        assert!((worst.max_frames - 1.0 / 3.0).abs() < 1e-9);
        let short = timeline(AxisUnit::Calls, &[10, 20]);
        let refused = align(&trace, &short, &Method::default()).unwrap_err();
        assert_eq!(refused, AlignError::CountsDisagree { reference: 3, annotation: 2 });
    }

    #[test]
    fn methods_say_how_other_counts_belong_together() {
        let trace = timeline(AxisUnit::Bytes, &[100, 400, 500]);
        let time = timeline(AxisUnit::Microseconds, &[10, 30, 60, 100, 150]);
        let method = Method::parse("frames:1=2").unwrap();
        let alignment = align(&trace, &time, &method).unwrap();
        let frames: Vec<(u64, f64)> = alignment.anchors.iter().map(|anchor| (anchor.tick, anchor.frame)).collect();
        assert_eq!(frames, [(30, 1.0), (60, 2.0), (100, 3.0)]);
        let axis = CommonAxis::new(&trace, &[(&time, &alignment)]);
        assert!(axis.has_time());
        // The clock keeps its own time, and the trace's frames take theirs from it.
        assert_eq!(axis.place(&time, &alignment).nanos(Tick(45)), 45_000);
        assert_eq!(axis.place_reference(&trace).nanos(Tick(400)), 60_000);
        assert_eq!(axis.frame_ticks(&time, &alignment, 0), None);
        assert_eq!(axis.frame_ticks(&time, &alignment, 2), Some((Tick(60), Tick(100))));
        assert_eq!((axis.frame_ticks(&time, &alignment, 3), axis.frame_count()), (None, 3));
        let marks = align(&trace, &time, &Method::parse("mark:flip").unwrap()).unwrap();
        assert_eq!(marks.anchors[2], FrameAnchor { tick: 31, frame: 2.0 });
        let offset = align(&trace, &time, &Method::parse("offset-us:-5").unwrap()).unwrap();
        assert_eq!(axis.frame_ticks(&time, &offset, 1), Some((Tick(30 + 5), Tick(60 + 5))));
        assert_eq!(axis.place(&time, &offset).nanos(Tick(7)), axis.place_reference(&trace).nanos(Tick(0)) + 2000);
        assert_eq!(axis.check_offsets(&[(&time, &alignment), (&time, &offset)]), Ok(()));
        let alone = [(&time, &offset)];
        let refused = CommonAxis::new(&trace, &alone).check_offsets(&alone);
        assert_eq!(refused, Err(AlignError::NoClock { micros: -5 }));
        assert_eq!(CommonAxis::new(&time, &alone).check_offsets(&alone), Ok(()));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let trace = timeline(AxisUnit::Bytes, &[100]);
        let calls = timeline(AxisUnit::Calls, &[10]);
        for text in ["", "frames:1", "frames:a=b", "mark:", "offset-us:x", "time"] {
            assert!(Method::parse(text).is_err(), "{text}");
        }
        let error = |method: &str| align(&trace, &calls, &Method::parse(method).unwrap()).unwrap_err();
        assert_eq!(error("frames:1=0"), AlignError::NoSuchFrame { file: "trace", wanted: 1, count: 1 });
        assert_eq!(error("mark:x"), AlignError::NoSuchMark { name: "x".into() });
        assert_eq!(error("offset-us:3"), AlignError::NoTime { unit: "calls" });
    }
}
