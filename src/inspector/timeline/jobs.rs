//! What the panel has worked out beside the window.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::available_parallelism;

use crate::inspector::worker::Worker;

/// Reading memory is most of the work: more threads than this don't make it faster.
const MOST_THREADS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// What a job is about: the smaller, the more urgent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    /// A piece of the index, by its place in the order of pieces.
    Index(usize),
    /// The figures of a range, by lane.
    Figures(usize),
    /// The scopes of a range, added up, by lane.
    Scopes(usize),
    /// What the filter finds, by lane and track.
    Find(usize, usize),
}

/// The panel's threads.
pub(super) type Workers = Worker<(), Topic>;

/// Starts them. Nobody is woken: while there is something under way the panel looks at it by itself.
pub(super) fn start_workers() -> std::io::Result<Workers> {
    let threads = available_parallelism().map_or(NonZeroUsize::MIN, |count| count.min(MOST_THREADS));
    Worker::start_pool("timeline", threads, Arc::new(|| ()))
}
