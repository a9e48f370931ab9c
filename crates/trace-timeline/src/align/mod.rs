//! Several files on one axis: frame and fraction of a frame, and time where one of them has time.
//!
//! ```text
//!  reference (an AeroGPU trace)   │ frame 0      │ frame 1          │ frame 2 │
//!  common axis                    0              1                  2         3
//!  annotation (its own ticks)     ▲ begin of     ▲ begin of         ▲         ▲ end of its last frame
//!                                   its frame 0    its frame 1
//! ```
//!
//! A frame of one file is the same frame of the other ([`MatchedFrame`]): that gives the anchors, and between them the axis
//! is linear. A frame that only one file has ties nothing, whatever lies on both sides of it.
//! Files whose frame counts disagree are refused until somebody says how they belong together ([`Method`]).

mod by_content;
mod common_axis;
mod content;
mod grid;
mod method;
mod scores;
#[cfg(test)]
mod tests;
mod ties;

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

pub use common_axis::{ClockSource, CommonAxis};
pub use content::{ContentOfFrames, MOST_UPLOADS, UploadedBytes};
pub use grid::FrameEvidence;
pub use method::{AlignError, Method};

use super::events::Event;
use super::{EventKind, Tick, Timeline};
use by_content::match_of;
use ties::{Tied, Ties, anchors, begins, count_ended, shown_frames};
use trace_base::text::counted;

/// A frame of the reference that is a frame of the annotation too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MatchedFrame {
    /// Frame of the reference, counted from 0.
    pub frame: u64,
    /// Which of the annotation's frames it is (or of its marks), counted from 0 in the order in which they were shown:
    /// for a frame's number see [`Frame::number`](crate::Frame::number).
    pub annotation: u64,
    /// Tick of the annotation at which it begins.
    pub begin: u64,
    /// Tick at which it ends; nothing says so of a last mark.
    pub end: Option<u64>,
    /// What speaks for it, if what it holds was compared.
    pub evidence: Option<FrameEvidence>,
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
    /// The frames that are frames of both files, rising in both. Empty for an offset in time.
    pub frames: Vec<MatchedFrame>,
    /// Where the files are tied together: begins and ends of these frames. Frames rise; ticks may repeat where the
    /// annotation leaves out frames and has no time for them.
    pub anchors: Vec<FrameAnchor>,
    /// The offset in time, for that method.
    pub offset_us: Option<i64>,
    /// Frames of the reference that are frames of the annotation, both ends of them tied.
    pub matched_frames: usize,
    /// Those that are not.
    pub unmatched_reference_frames: usize,
    /// Frames (or marks) of the annotation that are beside none of the reference.
    pub unmatched_annotation_frames: usize,
    /// A frame of which the begin is tied, and nothing says when it ended.
    pub open_frame: Option<u64>,
    /// The method that matches most beside this one, and how many frames it does.
    pub runner_up: Option<RunnerUp>,
    /// Where what frames hold was compared with a file that says nothing of draws: the name whose events stood for them.
    pub counted_event: Option<String>,
    /// Where it was compared with a program of several windows: the one whose frames these are, if not all.
    pub drawable: Option<u64>,
}

/// A frame counts as sure from here on.
const SURE_PERCENT: u8 = 95;

/// Another way to lay two files beside each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunnerUp {
    /// The method, as `--align` takes it.
    pub method: String,
    /// Frames of the reference both ends of which it would tie; where what frames hold was compared, those that are alike.
    pub matched_frames: usize,
}

impl MatchedFrame {
    /// Its begin and end, where both are told.
    fn stretch(&self) -> Option<(Tick, Tick)> {
        Some((Tick(self.begin), Tick(self.end?)))
    }
}

impl Alignment {
    /// What a frame of the reference is in the annotation.
    pub fn matched(&self, frame: u64) -> Option<&MatchedFrame> {
        let index = self.frames.binary_search_by_key(&frame, |matched| matched.frame).ok()?;
        self.frames.get(index)
    }

    /// The ticks of the annotation between which it has a frame of the reference, both of them told.
    fn ended(&self, frame: u64) -> Option<(Tick, Tick)> {
        self.matched(frame)?.stretch()
    }

    /// The frame of the reference that a frame of the annotation is, by the tick at which that begins and ends.
    pub fn reference_frame(&self, begin: Tick, end: Tick) -> Option<u64> {
        let after = self.frames.partition_point(|matched| matched.begin <= begin.0);
        let matched = self.frames.get(after.checked_sub(1)?)?;
        let is_within = matched.begin == begin.0 && matched.end.is_none_or(|last| end.0 <= last);
        is_within.then_some(matched.frame)
    }

    /// Method, what it matches and what it does not, and the next best one, in a line. `reference` names the file of the
    /// reference.
    pub fn in_words(&self, reference: &str) -> String {
        let Self { method, reference_frames, matched_frames, unmatched_annotation_frames, .. } = self;
        if self.offset_us.is_some() {
            return format!("{method}, by time only: no frames are matched");
        }
        let frames = counted(*reference_frames, "frame");
        let mut text = format!("{}: {matched_frames} of {frames} matched", self.method_in_words(reference));
        let sure =
            |frame: &&MatchedFrame| frame.evidence.is_some_and(|evidence| evidence.confidence_percent >= SURE_PERCENT);
        if self.frames.iter().any(|frame| frame.evidence.is_some()) {
            text += &format!(" ({} with certainty)", self.frames.iter().filter(sure).count());
        }
        if *unmatched_annotation_frames > 0 {
            // A frame ends where the next one begins, but marks count the last one too.
            let is_by_begin = matches!(Method::parse(method), Ok(Method::Frames { .. }));
            let noun = if is_by_begin { "complete frame" } else { "frame" };
            let frames = counted(self.annotation_frames, noun);
            text += &format!("; no match for {unmatched_annotation_frames} of the annotation's {frames}");
        }
        if let Some(name) = &self.counted_event {
            text += &format!(", by the count of {name:?}");
        }
        if let Some(drawable) = self.drawable {
            text += &format!(", of drawable {drawable:#x} only");
        }
        if let Some(frame) = self.open_frame {
            text += &format!("; the end of frame {frame} is not recorded");
        }
        if let Some(RunnerUp { method, matched_frames }) = &self.runner_up {
            // Numbers and contents speak for themselves; where frames are counted, another count may be as good.
            let is_counted = !matches!(Method::parse(&self.method), Ok(Method::Numbers | Method::Content));
            text += &match matched_frames.cmp(&self.matched_frames) {
                Ordering::Equal if is_counted => format!("; {method} would match as many frames"),
                Ordering::Greater if is_counted => {
                    format!("; {method} would match {}", counted(*matched_frames, "frame"))
                }
                _ => format!("; second best: {method} matches {matched_frames}"),
            };
        }
        text
    }

    /// Which frame of the annotation is which of the reference.
    fn method_in_words(&self, reference: &str) -> String {
        let method = &self.method;
        match Method::parse(method) {
            Ok(Method::Frames { reference: frame, annotation, .. }) => {
                format!("frame {annotation} is frame {frame} of {reference} ({method})")
            }
            Ok(Method::Numbers) => format!("frames have the numbers of those of {reference} ({method})"),
            Ok(Method::Content) => format!("frames have the contents of those of {reference} ({method})"),
            Ok(Method::Mark { name, reference: frame, mark }) => {
                format!("event {mark} of the name {name:?} begins frame {frame} of {reference} ({method})")
            }
            Ok(Method::OffsetMicros(_)) | Err(_) => method.clone(),
        }
    }

    /// Events of the annotation that begin before the first mark, for marks that begin the first frame.
    pub fn events_before_marks(&self, annotation: &Timeline) -> usize {
        let is_first = matches!(Method::parse(&self.method), Ok(Method::Mark { reference: 0, mark: 0, .. }));
        let Some(first) = self.frames.first().filter(|_| is_first) else { return 0 };
        let is_before = |event: &Event| {
            let is_work = matches!(event.kind, EventKind::Span(..) | EventKind::Instant(_) | EventKind::Step);
            is_work && event.begin.0 < first.begin
        };
        annotation.events().filter(is_before).count()
    }

    /// Ends of the annotation's own frames, by the tick at which each begins, where its frames were matched: a frame may
    /// end before the next one begins.
    pub fn own_ends(&self, annotation: &Timeline) -> BTreeMap<u64, Tick> {
        let is_of_frames = matches!(Method::parse(&self.method), Ok(method) if method.matches_frames());
        if !is_of_frames || self.drawable.is_some() {
            return BTreeMap::new();
        }
        shown_frames(annotation).into_iter().map(|frame| (frame.begin.0, frame.end)).collect()
    }

    /// All of it as a JSON object.
    pub fn to_json_text(&self) -> String {
        // Nothing in it can't be said in JSON: keys are names, and numbers that are none become null.
        serde_json::json!(self).to_string()
    }
}

/// Lays `annotation` beside `reference`.
pub fn align(reference: &Timeline, annotation: &Timeline, method: &Method) -> Result<Alignment, AlignError> {
    align_with((reference, &[]), (annotation, &[]), method)
}

/// The same; beside each timeline stands what was uploaded in its frames ([`MappedFile::uploads`](super::MappedFile::uploads)),
/// which [`Method::Content`] compares.
pub fn align_with(
    (reference, reference_uploads): (&Timeline, &[Vec<UploadedBytes>]),
    (annotation, uploads): (&Timeline, &[Vec<UploadedBytes>]),
    method: &Method,
) -> Result<Alignment, AlignError> {
    let reference_frames = begins(reference).len().saturating_sub(1);
    let content = || match_of(reference, reference_uploads, annotation, uploads);
    let ties = Ties { reference_frames, annotation, marks: OnceCell::new(), content: &content };
    let Tied { frames: annotation_frames, matched, counted, drawable, runner_up } = ties.tie(method)?;
    let offset_us = if let Method::OffsetMicros(micros) = method { Some(*micros) } else { None };
    let matched_frames = count_ended(&matched);
    let beside_none = if offset_us.is_some() { 0 } else { annotation_frames.saturating_sub(matched.len()) };
    Ok(Alignment {
        method: method.to_string(),
        reference_frames,
        annotation_frames,
        anchors: anchors(&matched),
        offset_us,
        matched_frames,
        unmatched_reference_frames: reference_frames.saturating_sub(matched_frames),
        unmatched_annotation_frames: beside_none,
        open_frame: matched.last().filter(|last| last.end.is_none()).map(|last| last.frame),
        runner_up: runner_up.or_else(|| ties.runner_up(method)),
        frames: matched,
        counted_event: counted,
        drawable,
    })
}
