//! What the GPU and its driver were given and are not known to have done: what to name when they don't come back.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::buffers::BatchNumber;
use crate::command::Location;

/// Submissions that are remembered.
const MOST_BATCHES: usize = 64;

/// Shared by all that draw with a GPU, and by who watches over them.
#[derive(Clone, Debug, Default)]
pub struct UnderWay(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The draw that the driver is asked something for, outside of any submission.
    asked_for: Option<Location>,
    submitted: VecDeque<(BatchNumber, Option<Draws>)>,
}

/// Draws, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// The first.
    pub first: Location,
    /// The last.
    pub last: Location,
    /// How many.
    pub count: u32,
}

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Nothing of the trace that is known.
    Unknown,
    /// Draws of which no more is known than that not all are done.
    Draws(Draws),
}

impl UnderWay {
    /// The driver is asked something for the draw at `at`, such as to compile its shaders.
    pub(super) fn ask_for(&self, at: Location) {
        self.change(|state| state.asked_for = Some(at));
    }

    /// The driver has answered.
    pub(super) fn answered(&self) {
        self.change(|state| state.asked_for = None);
    }

    /// A batch is about to be submitted.
    pub(super) fn submit(&self, batch: BatchNumber, draws: Option<Draws>) {
        self.change(|state| {
            if state.submitted.len() >= MOST_BATCHES {
                state.submitted.pop_front();
            }
            state.submitted.push_back((batch, draws));
        });
    }

    /// A batch is done, and so is what was submitted before it, by whichever renderer.
    pub(super) fn finish(&self, batch: BatchNumber) {
        self.change(|state| {
            let place = state.submitted.iter().rposition(|(submitted, _)| *submitted == batch);
            state.submitted.drain(..place.map_or(0, |place| place + 1));
        });
    }

    /// What is under way now.
    pub fn work(&self) -> Work {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let draws = match state.asked_for {
            Some(at) => Some(Draws::one(at)),
            None => state.submitted.iter().filter_map(|(_, draws)| *draws).reduce(Draws::and),
        };
        draws.map_or(Work::Unknown, Work::Draws)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Draws {
    /// One draw.
    pub(super) fn one(at: Location) -> Self {
        Self { first: at, last: at, count: 1 }
    }

    /// These and later ones.
    pub(super) fn and(self, later: Self) -> Self {
        Self { first: self.first, last: later.last, count: self.count.saturating_add(later.count) }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("its work"),
            Self::Draws(Draws { first, last, .. }) if first == last => write!(f, "DRAW {first}"),
            Self::Draws(Draws { first, last, count }) => {
                write!(f, "{count} draws, the first DRAW {first}, the last DRAW {last},")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::aerogpu::FrameIndex;

    #[test]
    fn what_is_not_known_to_be_done_is_named() {
        let at =
            |packet| Location { offset: 0x100 + u64::from(packet), frame: FrameIndex(3), packet, submission: None };
        let under_way = UnderWay::default();
        assert_eq!(under_way.work().to_string(), "its work");
        under_way.submit(BatchNumber(0), Some(Draws::one(at(1))));
        under_way.submit(BatchNumber(1), Some(Draws::one(at(2)).and(Draws::one(at(3)))));
        under_way.submit(BatchNumber(2), None);
        let three = "3 draws, the first DRAW at 0x101 (frame 3, packet 1), the last DRAW at 0x103 (frame 3, packet 3),";
        assert_eq!(under_way.work().to_string(), three);
        under_way.ask_for(at(4));
        assert_eq!(under_way.work().to_string(), "DRAW at 0x104 (frame 3, packet 4)");
        under_way.answered();
        under_way.finish(BatchNumber(0));
        assert_eq!(under_way.work(), Work::Draws(Draws { first: at(2), last: at(3), count: 2 }));
        under_way.finish(BatchNumber(2));
        assert_eq!(under_way.work(), Work::Unknown);
    }
}
