//! What a filter finds, worked out beside the picture.

use std::sync::Arc;

use super::jobs::{Topic, Workers};
use super::lane::{LaneArguments, LaneState};
use crate::inspector::cancel::CancelToken;
use crate::inspector::promise::Promise;
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
    /// What the user typed.
    pub text: String,
    /// What is wrong with it.
    pub error: Option<String>,
    /// By lane and track; `None` where nothing is looked for.
    matches: Vec<Vec<Option<Promise<TrackMatches>>>>,
    filter: Option<Arc<Filter>>,
    /// Whether there is more to come.
    is_busy: bool,
}

/// What is looked at in a lane.
struct Subject {
    filter: Arc<Filter>,
    timeline: Arc<Timeline>,
    tints: Arc<[u8]>,
    arguments: Option<Arc<dyn LaneArguments>>,
}

impl Find {
    /// Takes a new text; the search starts with the next [`Find::advance`].
    pub(crate) fn set(&mut self, text: &str) {
        *self = Self { text: text.to_owned(), ..Self::default() };
        if text.trim().is_empty() {
            return;
        }
        match Filter::parse(text) {
            Ok(filter) => (self.filter, self.is_busy) = (Some(Arc::new(filter)), true),
            Err(error) => self.error = Some(error.to_string()),
        }
    }

    /// Whether what doesn't match is to be dimmed.
    pub(crate) fn is_active(&self) -> bool {
        self.filter.is_some()
    }

    /// Whether there is more to come.
    pub(crate) fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// How many events were found so far.
    pub(crate) fn count(&self) -> u64 {
        self.asked().filter_map(Promise::get).map(|matches| matches.count).sum()
    }

    fn asked(&self) -> impl Iterator<Item = &Promise<TrackMatches>> {
        self.matches.iter().flatten().flatten()
    }

    /// What was found on a track.
    pub(crate) fn on_track(&self, lane: usize, track: TrackId) -> Option<&TrackMatches> {
        self.matches.get(lane)?.get(track.index())?.as_ref()?.get()
    }

    /// Starts the search once the lanes are indexed, and looks how far it is.
    pub(crate) fn advance(&mut self, workers: &Workers, lanes: &[LaneState], is_indexed: bool) {
        let Some(filter) = self.filter.clone().filter(|_| self.is_busy && is_indexed) else { return };
        if self.matches.is_empty() {
            self.matches =
                lanes.iter().enumerate().map(|(lane, state)| self.ask(workers, &filter, lane, state)).collect();
        }
        let is_busy = self.asked().any(|matches| matches.get().is_none());
        self.is_busy = is_busy;
    }

    /// Has the tracks of a lane searched, if the filter means something there.
    fn ask(
        &mut self,
        workers: &Workers,
        filter: &Arc<Filter>,
        lane: usize,
        state: &LaneState,
    ) -> Vec<Option<Promise<TrackMatches>>> {
        let timeline = state.lane.timeline.clone();
        if let Err(error) = filter.check(Some(timeline.axis.unit)) {
            self.error = Some(format!("{}: {error}", timeline.title));
            return Vec::new();
        }
        let (filter, tints, arguments) = (filter.clone(), state.tints.clone(), state.lane.arguments.clone());
        let subject = Arc::new(Subject { filter, timeline, tints, arguments });
        let ask = |(track, lod): (usize, &Option<Arc<TrackLod>>)| {
            let (subject, lod) = (subject.clone(), lod.clone()?);
            Some(workers.ask(Topic::Find(lane, track), "looking for events", move |(), cancel| {
                let track = subject.timeline.tracks.get(track);
                let mut test = Test { subject: &subject, arguments: Vec::new(), cancel };
                track.map_or_else(TrackMatches::default, |track| test.track(track, &lod))
            }))
        };
        state.tracks.iter().enumerate().map(ask).collect()
    }
}

struct Test<'a> {
    subject: &'a Subject,
    arguments: Vec<Argument>,
    cancel: &'a CancelToken,
}

impl Test<'_> {
    fn accepts(&mut self, name: StringId, length_ticks: u64, depth: u32, record: RecordOffset) -> bool {
        if self.cancel.is_set() {
            return false;
        }
        self.arguments.clear();
        if self.subject.filter.needs_arguments() {
            let source = self.subject.arguments.as_ref();
            // What can't be decoded has no arguments that could match.
            self.arguments = source.and_then(|source| source.arguments(record).ok()).unwrap_or_default();
        }
        let name = self.subject.timeline.text(name);
        let length = Length { ticks: length_ticks, unit: self.subject.timeline.axis.unit };
        self.subject.filter.accepts(&EventSubject { name: &name, length, depth, arguments: &self.arguments })
    }

    fn track(&mut self, track: &Track, lod: &TrackLod) -> TrackMatches {
        let tints = &self.subject.tints;
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
