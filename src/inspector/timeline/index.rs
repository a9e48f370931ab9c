//! The workers that look at all events once, so that drawing looks at few.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;

use super::lane::LaneState;
use crate::timeline::Timeline;
use crate::timeline::lod::{FlowLinks, Rows, TrackLod, frame_rows};

/// Reading memory is most of the work: more workers than this don't make it faster.
const MOST_WORKERS: usize = 4;

/// Something that was built.
pub(super) enum Built {
    Frames(usize, Arc<Rows>),
    Flows(usize, Arc<FlowLinks>),
    Track(usize, usize, Arc<TrackLod>),
}

/// Builds what the lanes need, the first lane first. Its workers end early when it is dropped.
pub(super) struct Indexer {
    built: Receiver<Built>,
    is_cancelled: Arc<AtomicBool>,
    is_done: bool,
}

impl Indexer {
    pub(crate) fn start(lanes: &[LaneState]) -> Self {
        let (sender, built) = channel();
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let work: Arc<Work> = lanes.iter().map(|state| (state.lane.timeline.clone(), state.tints.clone())).collect();
        let (pieces, next): (Arc<[Piece]>, _) = (pieces(&work).into(), Arc::new(AtomicUsize::new(0)));
        let workers = thread::available_parallelism().map_or(1, |count| count.get().min(MOST_WORKERS));
        for _ in 0..workers {
            let (work, pieces, next, sender) = (work.clone(), pieces.clone(), next.clone(), sender.clone());
            let cancelled = is_cancelled.clone();
            thread::spawn(move || build(&work, &pieces, &next, &sender, &cancelled));
        }
        Self { built, is_cancelled, is_done: false }
    }

    /// Hands over what was built since the last time.
    pub(crate) fn collect(&mut self, lanes: &mut [LaneState]) {
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

    pub(crate) fn is_done(&self) -> bool {
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

/// A piece of work: the frames of a lane, one of its tracks, its flows.
#[derive(Clone, Copy)]
enum Piece {
    Frames(usize),
    Track(usize, usize),
    Flows(usize),
}

type Work = [(Arc<Timeline>, Arc<[u8]>)];

/// Frames first, because everything is read by them; then lane after lane.
fn pieces(work: &Work) -> Vec<Piece> {
    let frames = (0..work.len()).map(Piece::Frames);
    let rest = work.iter().enumerate().flat_map(|(lane, (timeline, _))| {
        (0..timeline.tracks.len()).map(move |track| Piece::Track(lane, track)).chain([Piece::Flows(lane)])
    });
    frames.chain(rest).collect()
}

/// Builds the pieces that no other worker has taken yet.
fn build(work: &Work, pieces: &[Piece], next: &AtomicUsize, sender: &Sender<Built>, is_cancelled: &AtomicBool) {
    while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
        let built = match *piece {
            Piece::Frames(lane) => {
                let timeline = work.get(lane).map(|(timeline, _)| timeline);
                timeline.map(|timeline| Built::Frames(lane, Arc::new(frame_rows(&timeline.frames))))
            }
            Piece::Track(lane, index) => work.get(lane).and_then(|(timeline, tints)| {
                let track = timeline.tracks.get(index)?;
                Some(Built::Track(lane, index, Arc::new(TrackLod::new(track, tints))))
            }),
            Piece::Flows(lane) => {
                let timeline = work.get(lane).map(|(timeline, _)| timeline);
                timeline.map(|timeline| Built::Flows(lane, Arc::new(FlowLinks::new(&timeline.flows))))
            }
        };
        // Whoever asked may be gone; then nobody needs the rest.
        if is_cancelled.load(Ordering::Relaxed) || built.is_some_and(|built| sender.send(built).is_err()) {
            return;
        }
    }
}
