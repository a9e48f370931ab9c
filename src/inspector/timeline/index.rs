//! Looks at all events once, beside the window, so that drawing looks at few.

use std::sync::Arc;

use super::jobs::{Topic, Workers};
use super::lane::LaneState;
use crate::inspector::promise::Promise;
use crate::timeline::lod::{FlowLinks, Rows, TrackLod, frame_rows};

/// Something that was built.
#[derive(Clone)]
enum Built {
    Frames(usize, Arc<Rows>),
    Flows(usize, Arc<FlowLinks>),
    Track(usize, usize, Arc<TrackLod>),
}

/// What the lanes need, as far as it is not built yet.
pub(super) struct Indexer {
    awaited: Vec<Promise<Option<Built>>>,
}

impl Indexer {
    /// Has it built: frames first, because everything is read by them; then lane after lane.
    pub(crate) fn start(workers: &Workers, lanes: &[LaneState]) -> Self {
        let mut indexer = Self { awaited: Vec::new() };
        for (lane, state) in lanes.iter().enumerate() {
            let timeline = state.lane.timeline.clone();
            indexer.ask(workers, move || Some(Built::Frames(lane, Arc::new(frame_rows(&timeline.frames)))));
        }
        for (lane, state) in lanes.iter().enumerate() {
            for track in 0..state.lane.timeline.tracks.len() {
                let (timeline, tints) = (state.lane.timeline.clone(), state.tints.clone());
                indexer.ask(workers, move || {
                    let lod = TrackLod::new(timeline.tracks.get(track)?, &tints);
                    Some(Built::Track(lane, track, Arc::new(lod)))
                });
            }
            let timeline = state.lane.timeline.clone();
            indexer.ask(workers, move || Some(Built::Flows(lane, Arc::new(FlowLinks::new(&timeline.flows)))));
        }
        indexer
    }

    fn ask(&mut self, workers: &Workers, build: impl FnOnce() -> Option<Built> + Send + 'static) {
        let topic = Topic::Index(self.awaited.len());
        self.awaited.push(workers.ask(topic, "indexing the timelines", move |(), _| build()));
    }

    /// Hands over what was built since the last time.
    pub(crate) fn collect(&mut self, lanes: &mut [LaneState]) {
        self.awaited.retain(|piece| match piece.get() {
            Some(built) => {
                if let Some(built) = built.clone() {
                    put(built, lanes);
                }
                false
            }
            None => true,
        });
    }

    pub(crate) fn is_done(&self) -> bool {
        self.awaited.is_empty()
    }
}

fn put(built: Built, lanes: &mut [LaneState]) {
    match built {
        Built::Frames(lane, rows) => {
            if let Some(state) = lanes.get_mut(lane) {
                state.frames = Some(rows);
            }
        }
        Built::Flows(lane, links) => {
            if let Some(state) = lanes.get_mut(lane) {
                state.flows = Some(links);
            }
        }
        Built::Track(lane, track, lod) => {
            if let Some(slot) = lanes.get_mut(lane).and_then(|state| state.tracks.get_mut(track)) {
                *slot = Some(lod);
            }
        }
    }
}
