//! The worker that looks at all events once, so that drawing looks at few.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;

use super::lane::LaneState;
use crate::timeline::Timeline;
use crate::timeline::lod::{FlowLinks, Rows, TrackLod, frame_rows};

/// Something that was built.
pub(super) enum Built {
    Frames(usize, Arc<Rows>),
    Flows(usize, Arc<FlowLinks>),
    Track(usize, usize, Arc<TrackLod>),
}

/// Builds what the lanes need, the first lane first. Ends early when dropped.
pub(super) struct Indexer {
    built: Receiver<Built>,
    is_cancelled: Arc<AtomicBool>,
    is_done: bool,
}

impl Indexer {
    pub fn start(lanes: &[LaneState]) -> Self {
        let (sender, built) = channel();
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let work: Vec<(Arc<Timeline>, Arc<[u8]>)> =
            lanes.iter().map(|state| (state.lane.timeline.clone(), state.tints.clone())).collect();
        let cancelled = is_cancelled.clone();
        thread::spawn(move || build(&work, &sender, &cancelled));
        Self { built, is_cancelled, is_done: false }
    }

    /// Hands over what was built since the last time.
    pub fn collect(&mut self, lanes: &mut [LaneState]) {
        loop {
            match self.built.try_recv() {
                Ok(built) => put(built, lanes),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.is_done = true;
                    return;
                }
            }
        }
    }

    pub fn is_done(&self) -> bool {
        self.is_done
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
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

fn build(work: &[(Arc<Timeline>, Arc<[u8]>)], sender: &Sender<Built>, is_cancelled: &AtomicBool) {
    // Whoever asked may be gone; then nobody needs the rest.
    let send = |built| !is_cancelled.load(Ordering::Relaxed) && sender.send(built).is_ok();
    for (lane, (timeline, _)) in work.iter().enumerate() {
        if !send(Built::Frames(lane, Arc::new(frame_rows(&timeline.frames)))) {
            return;
        }
    }
    for (lane, (timeline, tints)) in work.iter().enumerate() {
        for (track, content) in timeline.tracks.iter().enumerate() {
            if !send(Built::Track(lane, track, Arc::new(TrackLod::new(content, tints)))) {
                return;
            }
        }
        if !send(Built::Flows(lane, Arc::new(FlowLinks::new(&timeline.flows)))) {
            return;
        }
    }
}
