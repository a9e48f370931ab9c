//! Which frames of two files are the same, by each of the methods that only count.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::by_content::proposals;
use super::grid::ContentMatch;
use super::{AlignError, FrameAnchor, MatchedFrame, Method, RunnerUp};
use crate::events::Event;
use crate::{EventKind, Frame, Tick, Timeline, Timing, TrackId};

/// Which frames of two files are the same.
pub(super) struct Tied {
    /// Frames, or marks, of the annotation.
    pub frames: usize,
    pub matched: Vec<MatchedFrame>,
    pub counted: Option<String>,
    pub drawable: Option<u64>,
    /// Of what was compared: what comes nearest.
    pub runner_up: Option<RunnerUp>,
}

impl Tied {
    pub(super) fn new(frames: usize, matched: Vec<MatchedFrame>) -> Self {
        Self { frames, matched, counted: None, drawable: None, runner_up: None }
    }
}

/// What ties two files together, whichever method is tried.
pub(super) struct Ties<'t> {
    pub reference_frames: usize,
    pub annotation: &'t Timeline,
    /// The marks, looked for once: all methods that are tried have one name.
    pub marks: OnceCell<Vec<(Tick, Option<Tick>)>>,
    /// Compares what frames hold.
    pub content: &'t dyn Fn() -> Result<ContentMatch, AlignError>,
}

impl Ties<'_> {
    pub(super) fn tie(&self, method: &Method) -> Result<Tied, AlignError> {
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
                let runner_up = found.shifted.map(|shifted| {
                    let (reference, annotation) = (shifted.first.0 as u64, shifted.first.1 as u64);
                    let method = Method::Frames { reference, annotation, is_given: true };
                    RunnerUp { method: method.to_string(), matched_frames: shifted.alike }
                });
                Ok(Tied { frames, matched: found.frames(), counted, drawable: found.drawable, runner_up })
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
    pub(super) fn runner_up(&self, method: &Method) -> Option<RunnerUp> {
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
            Method::Numbers => vec![Method::Frames { reference: 0, annotation: 0, is_given }],
            Method::Mark { name, reference, mark } => {
                let shifted = shifts(*reference, *mark);
                shifted.map(|(reference, mark)| Method::Mark { name: name.clone(), reference, mark }).collect()
            }
            Method::Content | Method::OffsetMicros(_) => Vec::new(),
        };
        let tried = others.into_iter().filter_map(|method| {
            let tied = self.tie(&method).ok()?;
            Some(RunnerUp { method: method.to_string(), matched_frames: count_ended(&tied.matched) })
        });
        // The first of several that are as good.
        tried.reduce(|best, other| if other.matched_frames > best.matched_frames { other } else { best })
    }
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
pub(super) fn count_ended(frames: &[MatchedFrame]) -> usize {
    frames.iter().filter(|frame| frame.end.is_some()).count()
}

/// Begins and ends of `frames`. An end that is the begin of the next one stands there once.
pub(super) fn anchors(frames: &[MatchedFrame]) -> Vec<FrameAnchor> {
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
pub(super) fn begins(timeline: &Timeline) -> Vec<Tick> {
    let frames = shown_frames(timeline);
    let end = frames.last().map(|frame| frame.end);
    frames.into_iter().map(|frame| frame.begin).chain(end).collect()
}

/// The frames that were shown, by tick; where frames belong to tracks, those of the track with most of them.
pub(super) fn shown_frames(timeline: &Timeline) -> Vec<Frame> {
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
pub(super) fn in_order(ticks: impl Iterator<Item = Tick>, first: (u64, u64), open: Option<Tick>) -> Vec<MatchedFrame> {
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
