//! StripContent a filter finds, worked out beside the picture.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;

use super::lane::{LaneArguments, LaneState};
use crate::listing::{Filter, Length};
use crate::timeline::lod::{Extents, InstantExtents, Rows, SpanExtents, TrackLod};
use crate::timeline::{Argument, EventSubject, RecordOffset, StringId, Timeline, Track, TrackId};

/// The events of a track that a filter accepts.
#[derive(Clone, Debug, Default)]
pub(super) struct TrackMatches {
    pub spans: Rows,
    pub instants: Rows,
    pub steps: Rows,
    pub count: u64,
}

/// Steps as extents: step `k` fills one tick.
pub(super) struct StepExtents;

impl Extents for StepExtents {
    fn extent(&self, index: u32) -> (u64, u64) {
        (u64::from(index), u64::from(index) + 1)
    }

    fn tint(&self, _: u32) -> u8 {
        0
    }
}

/// A filter over all lanes.
#[derive(Default)]
pub(super) struct Find {
    /// StripContent the user typed.
    pub text: String,
    /// StripContent is wrong with it.
    pub error: Option<String>,
    job: Option<Job>,
    /// By lane and track; `None` until it was searched.
    matches: Vec<Vec<Option<TrackMatches>>>,
    filter: Option<Arc<Filter>>,
    is_waiting: bool,
}

struct Job {
    found: Receiver<Found>,
    is_cancelled: Arc<AtomicBool>,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

enum Found {
    Track(usize, usize, Box<TrackMatches>),
    Refused(String),
}

struct Work {
    timeline: Arc<Timeline>,
    tints: Arc<[u8]>,
    tracks: Vec<Option<Arc<TrackLod>>>,
    arguments: Option<Arc<dyn LaneArguments>>,
}

impl Find {
    /// Takes a new text; the search starts with the next [`Find::advance`].
    pub(crate) fn set(&mut self, text: &str) {
        self.text = text.to_owned();
        (self.job, self.error, self.filter, self.is_waiting) = (None, None, None, false);
        self.matches.clear();
        if text.trim().is_empty() {
            return;
        }
        match Filter::parse(text) {
            Ok(filter) => (self.filter, self.is_waiting) = (Some(Arc::new(filter)), true),
            Err(error) => self.error = Some(error.to_string()),
        }
    }

    /// Whether what doesn't match is to be dimmed.
    pub(crate) fn is_active(&self) -> bool {
        self.filter.is_some()
    }

    /// Whether there is more to come.
    pub(crate) fn is_busy(&self) -> bool {
        self.is_waiting || self.job.is_some()
    }

    /// How many events were found so far.
    pub(crate) fn count(&self) -> u64 {
        self.matches.iter().flatten().flatten().map(|matches| matches.count).sum()
    }

    /// StripContent was found on a track.
    pub(crate) fn on_track(&self, lane: usize, track: TrackId) -> Option<&TrackMatches> {
        self.matches.get(lane)?.get(track.index())?.as_ref()
    }

    /// Starts the search once the lanes are indexed, and takes what it has found.
    pub(crate) fn advance(&mut self, lanes: &[LaneState], is_indexed: bool) {
        if let Some(filter) = self.filter.clone().filter(|_| self.is_waiting && is_indexed) {
            self.is_waiting = false;
            self.matches = lanes.iter().map(|state| vec![None; state.tracks.len()]).collect();
            self.job = Some(start(filter, lanes));
        }
        while let Some(job) = &self.job {
            match job.found.try_recv() {
                Ok(Found::Track(lane, track, matches)) => {
                    if let Some(slot) = self.matches.get_mut(lane).and_then(|tracks| tracks.get_mut(track)) {
                        *slot = Some(*matches);
                    }
                }
                Ok(Found::Refused(reason)) => self.error = Some(reason),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => self.job = None,
            }
        }
    }
}

fn start(filter: Arc<Filter>, lanes: &[LaneState]) -> Job {
    let work = lanes.iter().map(|state| Work {
        timeline: state.lane.timeline.clone(),
        tints: state.tints.clone(),
        tracks: state.tracks.clone(),
        arguments: state.lane.arguments.clone(),
    });
    let work: Vec<Work> = work.collect();
    let (sender, found) = channel();
    let is_cancelled = Arc::new(AtomicBool::new(false));
    let cancelled = is_cancelled.clone();
    thread::spawn(move || search(&filter, &work, &sender, &cancelled));
    Job { found, is_cancelled }
}

fn search(filter: &Filter, work: &[Work], sender: &Sender<Found>, is_cancelled: &AtomicBool) {
    for (lane, work) in work.iter().enumerate() {
        if let Err(error) = filter.check(Some(work.timeline.axis.unit)) {
            if sender.send(Found::Refused(format!("{}: {error}", work.timeline.title))).is_err() {
                return;
            }
            continue;
        }
        let mut test = Test { filter, work, arguments: Vec::new(), is_cancelled };
        for (index, (track, lod)) in work.timeline.tracks.iter().zip(&work.tracks).enumerate() {
            let Some(lod) = lod else { continue };
            let matches = Box::new(test.track(track, lod));
            if is_cancelled.load(Ordering::Relaxed) || sender.send(Found::Track(lane, index, matches)).is_err() {
                return;
            }
        }
    }
}

struct Test<'a> {
    filter: &'a Filter,
    work: &'a Work,
    arguments: Vec<Argument>,
    is_cancelled: &'a AtomicBool,
}

impl Test<'_> {
    fn accepts(&mut self, name: StringId, length_ticks: u64, depth: u32, record: RecordOffset) -> bool {
        if self.is_cancelled.load(Ordering::Relaxed) {
            return false;
        }
        self.arguments.clear();
        if self.filter.needs_arguments() {
            let source = self.work.arguments.as_ref();
            // StripContent can't be decoded has no arguments that could match.
            self.arguments = source.and_then(|source| source.arguments(record).ok()).unwrap_or_default();
        }
        let name = self.work.timeline.text(name);
        let length = Length { ticks: length_ticks, unit: self.work.timeline.axis.unit };
        self.filter.accepts(&EventSubject { name: &name, length, depth, arguments: &self.arguments })
    }

    fn track(&mut self, track: &Track, lod: &TrackLod) -> TrackMatches {
        let tints = &self.work.tints;
        let (spans, instants) = (SpanExtents { track, tints }, InstantExtents { instants: &track.instants, tints });
        let mut chosen = Vec::new();
        for row in 0..lod.spans.count() {
            for position in 0..lod.spans.events_in(row) {
                let index = lod.spans.index(row, position);
                let Some((index, span)) = index.and_then(|index| Some((index, spans.span(index)?))) else { continue };
                if self.accepts(span.name(), span.length_ticks(), span.depth(), span.record()) {
                    chosen.push((row as u32, index));
                }
            }
        }
        let mut chosen_instants = Vec::new();
        for (index, instant) in track.instants.iter().enumerate() {
            if self.accepts(instant.name(), 0, instant.depth(), instant.record()) {
                chosen_instants.push((0, index as u32));
            }
        }
        let mut steps = Vec::new();
        for (at, name, record) in track.steps.iter() {
            if self.accepts(name, 1, 0, record) {
                steps.push((0, at.0 as u32));
            }
        }
        TrackMatches {
            count: (chosen.len() + chosen_instants.len() + steps.len()) as u64,
            spans: Rows::new(chosen.iter().copied(), &spans),
            instants: Rows::new(chosen_instants.iter().copied(), &instants),
            steps: Rows::new(steps.iter().copied(), &StepExtents),
        }
    }
}
