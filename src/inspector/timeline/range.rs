//! A range of an axis that was dragged over, and the figures for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;

use super::lane::{AxisState, LaneState};
use crate::timeline::{Stats, Tick, Timeline, stats_between};

/// Figures of one lane.
pub(super) struct LaneFigures {
    pub lane: usize,
    pub stats: Stats,
}

/// A selected range.
pub(super) struct Range {
    pub axis: usize,
    pub begin: f64,
    pub end: f64,
    figures: Vec<LaneFigures>,
    job: Option<Job>,
}

const ROUNDING_TICKS: f64 = 1e-6;

struct Job {
    done: Receiver<LaneFigures>,
    is_cancelled: Arc<AtomicBool>,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

impl Range {
    pub(crate) fn new(axis: usize, a: f64, b: f64) -> Self {
        Self { axis, begin: a.min(b), end: a.max(b), figures: Vec::new(), job: None }
    }

    /// Starts working out the figures of all lanes on the range's axis.
    pub(crate) fn count(&mut self, lanes: &[LaneState]) {
        let of_axis = lanes.iter().enumerate().filter(|(_, state)| state.axis == self.axis);
        let work: Vec<(usize, Arc<Timeline>, (Tick, Tick))> = of_axis
            .map(|(lane, state)| {
                // StripContent lies on a tick up to rounding lies on it.
                let begin = Tick((state.axis_map.tick(self.begin) + ROUNDING_TICKS) as u64);
                let end = Tick((state.axis_map.tick(self.end) - ROUNDING_TICKS).ceil().max(0.0) as u64);
                (lane, state.lane.timeline.clone(), (begin, end))
            })
            .collect();
        let (sender, done) = channel();
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let cancelled = is_cancelled.clone();
        self.figures.clear();
        self.job = Some(Job { done, is_cancelled });
        thread::spawn(move || {
            for (lane, timeline, ticks) in work {
                let stats = stats_between(&timeline, ticks, 0, &|| cancelled.load(Ordering::Relaxed));
                let Some(stats) = stats else { return };
                if sender.send(LaneFigures { lane, stats }).is_err() {
                    return;
                }
            }
        });
    }

    /// Takes what was worked out.
    pub(crate) fn advance(&mut self) {
        while let Some(job) = &self.job {
            match job.done.try_recv() {
                Ok(figures) => self.figures.push(figures),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => self.job = None,
            }
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    pub(crate) fn figures(&self) -> &[LaneFigures] {
        &self.figures
    }

    /// First and last frame that it touches, on the common axis.
    pub(crate) fn frames(&self, axis: &AxisState) -> (f64, f64) {
        (axis.frame_at(self.begin), axis.frame_at(self.end))
    }
}
