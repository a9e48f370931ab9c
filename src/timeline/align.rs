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

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use thiserror::Error;

use super::content::{ContentMatch, MOST_PAIRS, match_contents};
use super::events::Event;
use super::{
    Anchor, Axis, ContentOfFrames, EventKind, Frame, FrameEvidence, Placement, Tick, Timeline, Timing, TrackId,
    UploadedBytes,
};
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
    /// Frames that both files call by the same number are the same frame: `numbers`.
    Numbers,
    /// Frames that hold the same are the same frame, if that is clear: `auto`.
    Content,
    /// The events of this name begin frames, as [`Method::Frames`] says of frames: `mark:NAME` or `mark:NAME:A=B`. What the
    /// last one begins has no end, unless it is a span.
    Mark {
        /// The name.
        name: String,
        /// First frame of the reference.
        reference: u64,
        /// Which event of that name begins it, counted from 0.
        mark: u64,
    },
    /// Tick 0 of the annotation lies so many microseconds after the begin of the common axis: `offset-us:N`. Only where
    /// that axis is time: [`CommonAxis::check_offsets`].
    OffsetMicros(i64),
}

/// Two files can't be laid beside each other.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AlignError {
    /// The method is not one that exists.
    #[error("expected auto, frames, frames:A=B, numbers, mark:NAME, mark:NAME:A=B or offset-us:N, found {found:?}")]
    UnknownMethod {
        /// What was given.
        found: String,
    },
    /// The files have different numbers of frames, and nobody said which belong together.
    #[error(
        "expected {reference} frames as in the trace, found {annotation} in the annotation; say how they belong \
         together with frames:A=B, numbers, mark:NAME or offset-us:N"
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
    /// No frame of one file has the number of one of the other.
    #[error(
        "expected frames of the same numbers, found {first} to {last} in the annotation, beside {reference} frames from 0 on"
    )]
    NoSameNumber {
        /// The smallest number in the annotation.
        first: u64,
        /// The greatest.
        last: u64,
        /// Frames of the reference.
        reference: usize,
    },
    /// What the files hold does not say which frames are the same.
    #[error(
        "expected what the frames hold to say which are the same, found no clear answer: {proposals}; say how they belong \
         together with one of these, numbers, mark:NAME or offset-us:N"
    )]
    NotClear {
        /// What comes nearest, best first.
        proposals: String,
    },
    /// There are too many frames to compare what they hold.
    #[error("expected at most {limit} pairs of frames to compare, found {reference} x {annotation}")]
    TooManyFrames {
        /// Frames of the reference.
        reference: usize,
        /// Frames of the annotation.
        annotation: usize,
        /// The most pairs.
        limit: usize,
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
        if text == "numbers" {
            return Ok(Self::Numbers);
        }
        if text == "auto" {
            return Ok(Self::Content);
        }
        let pair = |text: &str| {
            let (reference, other) = text.split_once('=')?;
            Some((reference.trim().parse().ok()?, other.trim().parse().ok()?))
        };
        if let Some(frames) = text.strip_prefix("frames:") {
            let (reference, annotation) = pair(frames).ok_or_else(unknown)?;
            return Ok(Self::Frames { reference, annotation, is_given: true });
        }
        if let Some(mark) = text.strip_prefix("mark:").filter(|name| !name.is_empty()) {
            // A name may have colons of its own.
            let with_pair = mark.rsplit_once(':').and_then(|(name, numbers)| Some((name, pair(numbers)?)));
            let (name, (reference, mark)) = with_pair.unwrap_or((mark, (0, 0)));
            return Ok(Self::Mark { name: name.to_owned(), reference, mark });
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
            Self::Numbers => write!(f, "numbers"),
            Self::Content => write!(f, "auto"),
            Self::Mark { name, reference: 0, mark: 0 } => write!(f, "mark:{name}"),
            Self::Mark { name, reference, mark } => write!(f, "mark:{name}:{reference}={mark}"),
            Self::OffsetMicros(micros) => write!(f, "offset-us:{micros}"),
        }
    }
}

/// A frame of the reference that is a frame of the annotation too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MatchedFrame {
    /// Frame of the reference, counted from 0.
    pub frame: u64,
    /// Which of the annotation's frames it is (or of its marks), counted from 0 in the order in which they were shown:
    /// for a frame's number see [`Frame::number`].
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
    pub counted: Option<String>,
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
    /// Frames of the reference both ends of which it would tie.
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

    /// Method, what it matches and what it does not, and the next best one, in a line.
    pub fn in_words(&self) -> String {
        let Self { method, reference_frames, matched_frames, unmatched_annotation_frames, .. } = self;
        if self.offset_us.is_some() {
            return format!("{method}, by time alone: no frame is tied to another");
        }
        let mut text = format!("{method}, {matched_frames} of {reference_frames} frames matched");
        let sure =
            |frame: &&MatchedFrame| frame.evidence.is_some_and(|evidence| evidence.confidence_percent >= SURE_PERCENT);
        if self.frames.iter().any(|frame| frame.evidence.is_some()) {
            text += &format!(" ({} surely)", self.frames.iter().filter(sure).count());
        }
        if *unmatched_annotation_frames > 0 {
            text += &format!(", {unmatched_annotation_frames} of the annotation's {} not", self.annotation_frames);
        }
        if let Some(name) = &self.counted {
            text += &format!(", by how often {name:?} comes");
        }
        if let Some(drawable) = self.drawable {
            text += &format!(", of drawable {drawable:#x} alone");
        }
        if let Some(frame) = self.open_frame {
            text += &format!("; frame {frame} begins and nothing says when it ends");
        }
        if let Some(RunnerUp { method, matched_frames }) = &self.runner_up {
            text += &format!("; next best {method} with {matched_frames}");
        }
        text
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
    let Tied { frames: annotation_frames, matched, counted, drawable } = ties.tie(method)?;
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
        runner_up: ties.runner_up(method),
        frames: matched,
        counted,
        drawable,
    })
}

/// Which frames of two files are the same.
struct Tied {
    /// Frames, or marks, of the annotation.
    frames: usize,
    matched: Vec<MatchedFrame>,
    counted: Option<String>,
    drawable: Option<u64>,
}

impl Tied {
    fn new(frames: usize, matched: Vec<MatchedFrame>) -> Self {
        Self { frames, matched, counted: None, drawable: None }
    }
}

/// What ties two files together, whichever method is tried.
struct Ties<'t> {
    reference_frames: usize,
    annotation: &'t Timeline,
    /// The marks, looked for once: all methods that are tried have one name.
    marks: OnceCell<Vec<(Tick, Option<Tick>)>>,
    /// Compares what frames hold.
    content: &'t dyn Fn() -> Result<ContentMatch, AlignError>,
}

impl Ties<'_> {
    fn tie(&self, method: &Method) -> Result<Tied, AlignError> {
        let Self { reference_frames, annotation, .. } = *self;
        match method {
            Method::Frames { reference, annotation: first, is_given } => {
                let frames = begins(annotation);
                let count = frames.len().saturating_sub(1);
                if !is_given && count != reference_frames {
                    return Err(AlignError::CountsDisagree { reference: reference_frames, annotation: count });
                }
                check_frame("trace", *reference, reference_frames)?;
                check_frame("annotation", *first, count)?;
                let shared = (reference_frames as u64 - reference).min(count as u64 - first) as usize;
                let ticks = frames.iter().skip(*first as usize).take(shared + 1);
                Ok(Tied::new(count, in_order(ticks.copied(), (*reference, *first), None)))
            }
            Method::Numbers => by_number(reference_frames, annotation),
            Method::Content => {
                let found = (self.content)()?;
                let frames = found.begins.len().saturating_sub(1);
                if !found.is_clear {
                    return Err(AlignError::NotClear { proposals: proposals(&found, reference_frames, frames) });
                }
                let counted = found.counted.map(|name| annotation.text(name).into_owned());
                Ok(Tied { frames, matched: found.frames(), counted, drawable: found.drawable })
            }
            Method::Mark { name, reference, mark } => {
                let marks = self.marks.get_or_init(|| marks(annotation, name));
                let Some((_, last_end)) = marks.last().copied() else {
                    return Err(AlignError::NoSuchMark { name: name.clone() });
                };
                check_frame("trace", *reference, reference_frames)?;
                check_frame("marks", *mark, marks.len())?;
                let beside = (reference_frames as u64 - reference).min(marks.len() as u64 - mark) as usize;
                let ticks = marks.iter().map(|(begin, _)| *begin).chain(last_end).skip(*mark as usize);
                // What begins the first frame beyond the trace ends the trace's last one.
                let ticks: Vec<Tick> = ticks.take(beside + 1).collect();
                let open = if ticks.len() > beside { None } else { ticks.last().copied() };
                Ok(Tied::new(marks.len(), in_order(ticks.into_iter(), (*reference, *mark), open)))
            }
            Method::OffsetMicros(_) => {
                if annotation.axis.unit.nanos_per_tick().is_none() {
                    return Err(AlignError::NoTime { unit: annotation.axis.unit.name() });
                }
                let frames = begins(annotation).len().saturating_sub(1);
                Ok(Tied::new(frames, Vec::new()))
            }
        }
    }

    /// The method next to this one that matches most: frames shifted by one, or counted instead of compared by number.
    fn runner_up(&self, method: &Method) -> Option<RunnerUp> {
        let shifts = |reference: u64, other: u64| {
            let down = other.checked_sub(1).map(|before| (reference, before));
            [Some((reference, other + 1)), Some((reference + 1, other)), down].into_iter().flatten()
        };
        let is_given = true;
        let others: Vec<Method> = match method {
            Method::Frames { reference, annotation, .. } => {
                let shifted = shifts(*reference, *annotation);
                shifted.map(|(reference, annotation)| Method::Frames { reference, annotation, is_given }).collect()
            }
            Method::Numbers | Method::Content => vec![Method::Frames { reference: 0, annotation: 0, is_given }],
            Method::Mark { name, reference, mark } => {
                let shifted = shifts(*reference, *mark);
                shifted.map(|(reference, mark)| Method::Mark { name: name.clone(), reference, mark }).collect()
            }
            Method::OffsetMicros(_) => Vec::new(),
        };
        let tried = others.into_iter().filter_map(|method| {
            let tied = self.tie(&method).ok()?;
            Some(RunnerUp { method: method.to_string(), matched_frames: count_ended(&tied.matched) })
        });
        // The first of several that are as good.
        tried.reduce(|best, other| if other.matched_frames > best.matched_frames { other } else { best })
    }
}

fn match_of(
    reference: &Timeline,
    reference_uploads: &[Vec<UploadedBytes>],
    annotation: &Timeline,
    uploads: &[Vec<UploadedBytes>],
) -> Result<ContentMatch, AlignError> {
    let (begins_a, begins_b) = (begins(reference), begins(annotation));
    let content = |timeline: &Timeline, begins: &[Tick], uploads: &[Vec<UploadedBytes>]| ContentOfFrames {
        uploads: uploads.to_vec(),
        ..ContentOfFrames::of_timeline(timeline, begins)
    };
    let a = content(reference, &begins_a, reference_uploads);
    let b = content(annotation, &begins_b, uploads);
    let [reference, annotated] = [&begins_a, &begins_b].map(|begins| begins.len().saturating_sub(1));
    let too_many = AlignError::TooManyFrames { reference, annotation: annotated, limit: MOST_PAIRS };
    let compare = |b: &ContentOfFrames, begins: Vec<Tick>, drawable| {
        let found = match_contents((&a, &begins_a), (b, &begins)).ok_or_else(|| too_many.clone())?;
        Ok(ContentMatch { begins, drawable, ..found })
    };
    // Of a program with several windows one alone may be in the trace, or all.
    let drawables = drawables(annotation);
    let mut tried = vec![compare(&b, begins_b.clone(), None)?];
    for drawable in drawables.into_iter().take(MOST_DRAWABLES) {
        let shown = shown_frames(annotation);
        let ends: Vec<usize> =
            shown.iter().enumerate().filter(|(_, frame)| frame.drawable == drawable).map(|(at, _)| at).collect();
        let of_ends = ends.iter().filter_map(|end| begins_b.get(end + 1).copied());
        let begins = begins_b.first().copied().into_iter().chain(of_ends).collect();
        tried.push(compare(&b.merged(&ends), begins, drawable)?);
    }
    ContentMatch::best_of(tried).ok_or(too_many)
}

/// Drawables whose frames are compared by themselves.
const MOST_DRAWABLES: usize = 8;

/// The drawables of a file's frames, if it has several.
fn drawables(annotation: &Timeline) -> Vec<Option<u64>> {
    let shown = shown_frames(annotation);
    let all: BTreeSet<Option<u64>> = shown.iter().map(|frame| frame.drawable).collect();
    if all.len() > 1 { all.into_iter().filter(Option::is_some).collect() } else { Vec::new() }
}

/// What could be meant where what frames hold leaves it open: the shift that most of them speak for, and those by the ends.
fn proposals(found: &ContentMatch, reference: usize, annotation: usize) -> String {
    let method = |first: (usize, usize)| format!("frames:{}={}", first.0, first.1);
    let mut shifts: BTreeMap<i64, (usize, (usize, usize))> = BTreeMap::new();
    for &(a, b, _) in &found.pairs {
        let (count, _) = shifts.entry(b as i64 - a as i64).or_insert((0, (a, b)));
        *count += 1;
    }
    let mut told: Vec<(usize, String)> = shifts
        .into_values()
        .map(|(count, (a, b))| (count, (a - a.min(b), b - a.min(b))))
        .map(|(count, first)| (count, format!("{} ({count} frames alike)", method(first))))
        .collect();
    told.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    told.truncate(3);
    let mut texts: Vec<String> = told.into_iter().map(|(_, text)| text).collect();
    let last = (reference.saturating_sub(annotation), annotation.saturating_sub(reference));
    for (first, what) in [((0, 0), "from the first"), (last, "up to the last")] {
        if !texts.iter().any(|text| text.starts_with(&format!("{} ", method(first)))) {
            texts.push(format!("{} ({what})", method(first)));
        }
    }
    texts.join(", ")
}

/// Frames of the annotation that have the numbers of frames of the reference, which count from 0: as many as rise in both
/// files, since a number that falls says that counting began anew.
fn by_number(reference_frames: usize, annotation: &Timeline) -> Result<Tied, AlignError> {
    let frames = shown_frames(annotation);
    let has_counterpart = |(_, frame): &(usize, &Frame)| frame.number < reference_frames as u64;
    let mut beside: Vec<(usize, &Frame)> = frames.iter().enumerate().filter(has_counterpart).collect();
    if beside.is_empty() {
        let numbers = || frames.iter().map(|frame| frame.number);
        let (first, last) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        return Err(AlignError::NoSameNumber { first, last, reference: reference_frames });
    }
    // Of several that begin at one tick none rises over another.
    beside.sort_by_key(|(_, frame)| (frame.begin, std::cmp::Reverse(frame.number)));
    let rising = longest_rise(&beside, |(_, frame)| frame.number);
    let next = rising.iter().skip(1).map(|&(_, frame)| Some(frame)).chain([None]);
    let matched = rising.iter().zip(next).map(|(&(index, frame), next)| {
        let end = match next {
            // Where the next frame begins, the one before has ended.
            Some(next) if next.number == frame.number + 1 => next.begin,
            Some(next) => frame.end.min(next.begin),
            None => frame.end,
        };
        let (annotation, begin, end) = (index as u64, frame.begin.0, Some(end.0));
        MatchedFrame { frame: frame.number, annotation, begin, end, evidence: None }
    });
    Ok(Tied::new(frames.len(), matched.collect()))
}

/// The longest part of `items`, in their order, in which `key` rises; the one with the smallest keys of several.
fn longest_rise<T: Copy>(items: &[T], key: impl Fn(&T) -> u64) -> Vec<T> {
    // By length of a rise, less 1: the item that ends the one with the smallest last key.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let length = ends.partition_point(|&end| items.get(end).is_some_and(|end| key(end) < key(item)));
        before.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter).copied()));
        match ends.get_mut(length) {
            // Of several with one key the first counts.
            Some(end) if items.get(*end).is_some_and(|end| key(end) == key(item)) => {}
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let last = ends.last().copied();
    let backwards = std::iter::successors(last, |&index| before.get(index).copied().flatten());
    let mut rise: Vec<T> = backwards.filter_map(|index| items.get(index).copied()).collect();
    rise.reverse();
    rise
}

/// Frames both ends of which are told.
fn count_ended(frames: &[MatchedFrame]) -> usize {
    frames.iter().filter(|frame| frame.end.is_some()).count()
}

/// Begins and ends of `frames`. An end that is the begin of the next one stands there once.
fn anchors(frames: &[MatchedFrame]) -> Vec<FrameAnchor> {
    let mut anchors: Vec<FrameAnchor> = Vec::new();
    let ends = |frame: &MatchedFrame| [Some((frame.begin, frame.frame)), frame.end.map(|end| (end, frame.frame + 1))];
    for (tick, frame) in frames.iter().flat_map(ends).flatten() {
        let frame = frame as f64;
        if anchors.last().is_none_or(|last| last.frame < frame) {
            anchors.push(FrameAnchor { tick, frame });
        }
    }
    anchors
}

fn check_frame(file: &'static str, wanted: u64, count: usize) -> Result<(), AlignError> {
    // Frame 0 of nothing is allowed: the files are then beside each other without an anchor.
    if wanted > 0 && wanted >= count as u64 { Err(AlignError::NoSuchFrame { file, wanted, count }) } else { Ok(()) }
}

/// Begins of all frames that were shown, by tick, and the end of the last. What follows the last swap is no frame of
/// the other file; and where frames belong to tracks, those of the track with most of them count.
fn begins(timeline: &Timeline) -> Vec<Tick> {
    let frames = shown_frames(timeline);
    let end = frames.last().map(|frame| frame.end);
    frames.into_iter().map(|frame| frame.begin).chain(end).collect()
}

/// The frames that were shown, by tick; where frames belong to tracks, those of the track with most of them.
fn shown_frames(timeline: &Timeline) -> Vec<Frame> {
    let shown = || timeline.frames.iter().filter(|frame| frame.ended_by.is_some());
    let mut by_track: BTreeMap<Option<TrackId>, usize> = BTreeMap::new();
    shown().for_each(|frame| *by_track.entry(frame.track).or_default() += 1);
    let most = by_track.iter().max_by_key(|(track, count)| (**count, std::cmp::Reverse(**track)));
    let Some(track) = most.map(|(track, _)| *track) else { return Vec::new() };
    let mut frames: Vec<Frame> = shown().filter(|frame| frame.track == track).collect();
    frames.sort_unstable_by_key(|frame| (frame.begin, frame.end));
    frames
}

/// The events of a name: where each begins, and where it ends if that is known.
fn marks(timeline: &Timeline, name: &str) -> Vec<(Tick, Option<Tick>)> {
    let Some(id) = timeline.strings.find(name.as_bytes()) else { return Vec::new() };
    let is_mark = |kind| matches!(kind, EventKind::Span(..) | EventKind::Instant(_) | EventKind::Step);
    let of_name = timeline.events().filter(|event| event.name == id && is_mark(event.kind));
    let end_of = |event: &Event| match event.kind {
        EventKind::Span(_, Timing::Closed) if event.end > event.begin => Some(event.end),
        _ => None,
    };
    of_name.map(|event| (event.begin, end_of(&event))).collect()
}

/// Frames that follow each other from `first` (of the reference, of the annotation) on, each from one of `ticks` to the next,
/// and an open one from `open` on. What goes back is no frame: an axis can't.
fn in_order(ticks: impl Iterator<Item = Tick>, first: (u64, u64), open: Option<Tick>) -> Vec<MatchedFrame> {
    let mut frames: Vec<MatchedFrame> = Vec::new();
    let (mut until, mut before) = (0, None);
    let ends = ticks.map(Some).chain(open.map(|_| None));
    for (index, tick) in ends.enumerate() {
        let begin = std::mem::replace(&mut before, tick);
        let (Some(begin), Some(index)) = (begin, index.checked_sub(1)) else { continue };
        let end = tick.map(|tick| tick.0);
        if begin.0 >= until && end.is_none_or(|end| end >= begin.0) {
            let (frame, annotation) = (first.0 + index as u64, first.1 + index as u64);
            frames.push(MatchedFrame { frame, annotation, begin: begin.0, end, evidence: None });
            until = end.unwrap_or(begin.0);
        }
    }
    frames
}

/// The axis that all files share, as a viewer shows it.
#[derive(Clone, Debug)]
pub struct CommonAxis {
    /// Place of each frame's begin, and of the last one's end, in nanoseconds.
    frames: Vec<f64>,
    /// Of which frames the place and the length are known, and not worked out from those of others.
    known: Vec<bool>,
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
            let frames: Vec<f64> = begins(reference).into_iter().map(|tick| tick.0 as f64 * nanos as f64).collect();
            let known = vec![true; count];
            return Self { frames, known, unit: "time as recorded in the trace".into(), has_time: true };
        }
        if let Some((timeline, alignment)) = clock {
            let nanos = timeline.axis.unit.nanos_per_tick().unwrap_or(1) as f64;
            let frames = (0..=count).map(|frame| tick_at(&alignment.anchors, frame as f64) * nanos).collect();
            let known = (0..count as u64).map(|frame| alignment.ended(frame).is_some()).collect();
            return Self { frames, known, unit: format!("time as recorded in {}", timeline.title), has_time: true };
        }
        let frames = (0..=count).map(|frame| frame as f64 * NANOS_PER_UNTIMED_FRAME).collect();
        let unit = "1 ms shown = 1 frame; no file records time".into();
        Self { frames, known: vec![true; count], unit, has_time: false }
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
        self.has_time
    }

    /// Where the reference's own ticks lie.
    pub fn place_reference(&self, reference: &Timeline) -> Placement {
        let begins = begins(reference);
        let frames = in_order(begins.into_iter(), (0, 0), None);
        let is_known = |frame: &&MatchedFrame| self.known.get(frame.frame as usize) == Some(&true);
        let known = frames.iter().filter(is_known).filter_map(MatchedFrame::stretch).collect();
        self.place_anchors(&reference.axis, &anchors(&frames)).exact_at(known)
    }

    /// Where an annotation's ticks lie.
    pub fn place(&self, annotation: &Timeline, alignment: &Alignment) -> Placement {
        let Some(micros) = alignment.offset_us else {
            let placement = self.place_anchors(&annotation.axis, &alignment.anchors);
            let known = alignment.frames.iter().filter_map(MatchedFrame::stretch).collect();
            return placement.exact_at(known).aligned(alignment);
        };
        let start = self.frames.first().copied().unwrap_or(0.0);
        let anchor = Anchor { at: Tick(0), nanos: start + micros as f64 * 1000.0 };
        let placement = Placement::between(&annotation.axis, vec![anchor], (&self.unit, self.has_time));
        placement.exact_at(Vec::new()).aligned(alignment)
    }

    fn place_anchors(&self, axis: &Axis, anchors: &[FrameAnchor]) -> Placement {
        let place = |anchor: &FrameAnchor| {
            let nanos = *self.frames.get(anchor.frame as usize)?;
            Some(Anchor { at: Tick(anchor.tick), nanos })
        };
        Placement::between(axis, anchors.iter().filter_map(place).collect(), (&self.unit, self.has_time))
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
    use crate::timeline::{AxisUnit, Builder, Frame, InstantKind, RecordOffset, SpanFlags, StringId, TrackKind};

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
        assert_eq!(alignment.in_words(), "frames:0=0, 3 of 3 frames matched; next best frames:0=1 with 2");
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
        assert_eq!(marks.anchors[2..], [FrameAnchor { tick: 31, frame: 2.0 }, FrameAnchor { tick: 61, frame: 3.0 }]);
        assert_eq!((marks.matched_frames, marks.unmatched_annotation_frames, marks.open_frame), (3, 2, None));
        let late = align(&trace, &time, &Method::parse("mark:flip:1=3").unwrap()).unwrap();
        let frames: Vec<(u64, f64)> = late.anchors.iter().map(|anchor| (anchor.tick, anchor.frame)).collect();
        assert_eq!(frames, [(61, 1.0), (101, 2.0)]);
        assert_eq!(
            (late.matched_frames, late.open_frame),
            (1, Some(2)),
            "nothing says when the last mark's frame ends"
        );
        assert_eq!(
            late.in_words(),
            "mark:flip:1=3, 1 of 3 frames matched, 3 of the annotation's 5 not; frame 2 begins and nothing says when it \
             ends; next best mark:flip:1=2 with 2"
        );
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
    fn names_of_marks_may_have_colons_and_pairs_count_from_the_end() {
        let mark = |text: &str| match Method::parse(text).unwrap() {
            Method::Mark { name, reference, mark } => (name, reference, mark),
            other => panic!("{other:?}"),
        };
        assert_eq!(mark("mark:a:b"), ("a:b".to_owned(), 0, 0));
        assert_eq!(mark("mark:a:b:3=4"), ("a:b".to_owned(), 3, 4));
        assert_eq!(mark("mark:a=b"), ("a=b".to_owned(), 0, 0));
        for text in ["mark:a:3=4", "mark:a", "numbers", "frames:1=2", "offset-us:-3"] {
            assert_eq!(Method::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_mark_that_is_a_span_ends_its_frame_and_a_frame_is_found_by_its_number() {
        let trace = timeline(AxisUnit::Bytes, &[100, 400, 500, 700]);
        let mut builder = Builder::new("app", Axis::without_clock(AxisUnit::Microseconds));
        let (name, track) = (builder.intern(b"tick"), builder.track(StringId::EMPTY, TrackKind::Stack, None));
        // The application has dropped frame 1, and gone on after the trace.
        for (number, begin, end) in [(0, 10, 20), (2, 30, 38), (3, 40, 50), (4, 50, 60)] {
            let (ended_by, drawable, record) = (Some(name), None, RecordOffset::NONE);
            let (begin, end) = (Tick(begin), Tick(end));
            builder.frame(Frame { begin, end, number, ended_by, drawable, track: None, record });
            builder.open(track, begin, name, record, SpanFlags::default());
            builder.close(track, end).unwrap();
        }
        let app = builder.finish(Tick(60));
        let anchors = |alignment: &Alignment| -> Vec<(u64, f64)> {
            alignment.anchors.iter().map(|anchor| (anchor.tick, anchor.frame)).collect()
        };
        let by_number = align(&trace, &app, &Method::Numbers).unwrap();
        assert_eq!(anchors(&by_number), [(10, 0.0), (20, 1.0), (30, 2.0), (40, 3.0), (50, 4.0)]);
        // Frame 1 lies where the application drew nothing, between its neighbours.
        assert_eq!((by_number.matched_frames, by_number.unmatched_reference_frames), (3, 1));
        assert_eq!(by_number.unmatched_annotation_frames, 1);
        let axis = CommonAxis::new(&trace, &[(&app, &by_number)]);
        assert_eq!(axis.frame_ticks(&app, &by_number, 2), Some((Tick(30), Tick(40))));
        assert_eq!(axis.frame_ticks(&app, &by_number, 1), None, "the application has no frame 1");
        let by_mark = align(&trace, &app, &Method::parse("mark:tick").unwrap()).unwrap();
        assert_eq!(anchors(&by_mark), [(10, 0.0), (30, 1.0), (40, 2.0), (50, 3.0), (60, 4.0)]);
        assert_eq!((by_mark.matched_frames, by_mark.open_frame), (4, None));
        // Nor has frame 1 a length: the clock is the application's.
        let begins: Vec<u64> = trace.frames.iter().map(|frame| frame.begin.0).chain([700]).collect();
        let placement = axis.place_reference(&trace);
        let told: Vec<_> = begins
            .windows(2)
            .map(|frame| (Tick(frame[0]), Tick(frame[1])))
            .map(|(begin, end)| {
                (placement.has_frame_length(begin, end), placement.certainty(begin, end).unwrap().name())
            })
            .collect();
        let (exact, between) = ((true, "exact"), (false, "interpolated"));
        assert_eq!(told, [exact, between, exact, exact]);
        let far = timeline(AxisUnit::Microseconds, &[5]);
        let mut other = far.clone();
        other.frames = Default::default();
        let refused = align(&trace, &other, &Method::Numbers).unwrap_err();
        assert_eq!(refused, AlignError::NoSameNumber { first: 0, last: 0, reference: 4 });
    }

    /// An application's frames by number, begin and end.
    fn numbered(frames: &[(u64, u64, u64)]) -> Timeline {
        let mut builder = Builder::new("app", Axis::without_clock(AxisUnit::Microseconds));
        let name = builder.intern(b"tick");
        for &(number, begin, end) in frames {
            let (ended_by, drawable, record) = (Some(name), None, RecordOffset::NONE);
            let (begin, end) = (Tick(begin), Tick(end));
            builder.frame(Frame { begin, end, number, ended_by, drawable, track: None, record });
        }
        builder.finish(Tick(frames.iter().map(|frame| frame.2).max().unwrap_or(0)))
    }

    #[test]
    fn numbers_tie_as_many_frames_as_rise_in_both_files() {
        let trace = timeline(AxisUnit::Bytes, &[100, 200, 300, 400, 500]);
        let matched = |app: &Timeline| -> Vec<(u64, u64, u64, u64)> {
            let alignment = align(&trace, app, &Method::Numbers).unwrap();
            assert_eq!(alignment.matched_frames, alignment.frames.len());
            assert_eq!(alignment.unmatched_annotation_frames, app.frames.len() - alignment.frames.len());
            let frames = alignment.frames.iter();
            frames.map(|one| (one.frame, one.annotation, one.begin, one.end.unwrap())).collect()
        };
        // Counting begins anew: frames of the second run are those that go on to the end.
        let restarted = numbered(&[(3, 0, 10), (4, 10, 20), (0, 20, 30), (1, 30, 40), (2, 40, 50)]);
        assert_eq!(matched(&restarted), [(0, 2, 20, 30), (1, 3, 30, 40), (2, 4, 40, 50)]);
        let twice = numbered(&[(0, 0, 10), (1, 10, 20), (1, 20, 30), (2, 30, 40), (9, 40, 50)]);
        assert_eq!(matched(&twice), [(0, 0, 0, 10), (1, 1, 10, 30), (2, 3, 30, 40)], "shown twice, and one frame");
        // Of frames that overlap, one ends where the next begins.
        let overlapping = numbered(&[(0, 0, 25), (2, 20, 40), (3, 40, 40), (4, 40, 50)]);
        assert_eq!(matched(&overlapping), [(0, 0, 0, 20), (2, 1, 20, 40), (3, 2, 40, 40)]);
    }

    #[test]
    fn a_frame_that_is_left_out_in_no_time_has_its_place_and_no_length() {
        let trace = timeline(AxisUnit::Bytes, &[100, 400, 500, 700]);
        let app = numbered(&[(0, 10, 20), (2, 20, 30), (3, 30, 40)]);
        let alignment = align(&trace, &app, &Method::Numbers).unwrap();
        let axis = CommonAxis::new(&trace, &[(&app, &alignment)]);
        assert_eq!(axis.frame_nanos(), [10e3, 20e3, 20e3, 30e3, 40e3]);
        let here = axis.place_reference(&trace);
        assert_eq!([0, 100, 250, 400, 450].map(|at| here.nanos(Tick(at))), [10_000, 20_000, 20_000, 20_000, 25_000]);
        assert_eq!(here.certainty(Tick(100), Tick(400)), Some(crate::timeline::Certainty::Interpolated));
        let there = axis.place(&app, &alignment);
        assert_eq!([10, 15, 20, 25, 40].map(|at| there.nanos(Tick(at))), [10_000, 15_000, 20_000, 25_000, 40_000]);
        assert_eq!(there.other_frame(Tick(20), Tick(30)), Some(2));
        // Frames without a length at both ends of a file leave its axis a scale.
        let still = numbered(&[(0, 10, 10), (1, 10, 20), (2, 20, 20)]);
        let alignment = align(&trace, &still, &Method::parse("frames:0=0").unwrap()).unwrap();
        assert_eq!(alignment.matched_frames, 3);
        let there = CommonAxis::new(&trace, &[]).place(&still, &alignment);
        assert_eq!([0, 10, 20, 30].map(|at| there.nanos(Tick(at))), [0, 1_000_000, 2_000_000, 3_000_000]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let trace = timeline(AxisUnit::Bytes, &[100]);
        let calls = timeline(AxisUnit::Calls, &[10]);
        for text in ["", "frames:1", "frames:a=b", "mark:", "offset-us:x", "time", "numbers:1=2"] {
            assert!(Method::parse(text).is_err(), "{text}");
        }
        let error = |method: &str| align(&trace, &calls, &Method::parse(method).unwrap()).unwrap_err();
        assert_eq!(error("frames:1=0"), AlignError::NoSuchFrame { file: "trace", wanted: 1, count: 1 });
        assert_eq!(error("mark:x"), AlignError::NoSuchMark { name: "x".into() });
        assert_eq!(error("offset-us:3"), AlignError::NoTime { unit: "calls" });
    }
}
