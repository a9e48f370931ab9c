//! Programs and pipelines of draws, made before these come.
//!
//! ```text
//!  commands ──► player: the GPU's executor ──► draws; what is new is made at once, about a millisecond each
//!     │                      ▲
//!     │                      └── finds it made
//!     └──► scout: an executor of its own, without a GPU ──► draws that look new ──► workers: programs and pipelines
//! ```
//!
//! Without threads, as in a browser, the player itself walks ahead, and then makes all that it has seen: an API
//! that answers from another process works on many pipelines at a time.
//!
//! A scout costs the work of the CPU a second time, on another core if there is one, so it is sent only where some draws have
//! come for which nothing was made: where there are few shaders nobody looks ahead. It takes the same commands from their
//! start, and is past those that are drawn soon, since it draws nothing. What is wrong with a shader is told by its draw, as
//! if nobody had looked.

use std::collections::HashSet;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::PlayerError;
use super::faults::{FaultPolicy, Faults};
use super::slice_run::{SlicePlan, read_until, run_by_frames, run_own_commands};
use crate::command::Place;
use crate::error::Internal;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::{ComingDraw, DrawsAhead};
use crate::limits::MAX_PIPELINES;
use crate::replay::{CommandStream, DeviceOp, DrawnVertices, Executor, ValueNumber};
use crate::shader::COMPILER_THREAD;

/// Maker of programs and pipelines of submissions before their draws come, where several come late for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipelineMaker {
    /// Nobody: everything is made when its draw comes.
    Nobody,
    /// Other threads, while the player draws.
    Threads,
    /// The player, before it draws on.
    Player,
}

impl PipelineMaker {
    /// The one that this system has.
    pub(super) fn of_this_system() -> Self {
        if cfg!(target_arch = "wasm32") { Self::Player } else { Self::Threads }
    }

    /// So many pipelines have to be missing before anybody looks ahead; nothing of nobody.
    pub(super) fn late_enough(self) -> Option<u32> {
        match self {
            Self::Nobody => None,
            Self::Threads => Some(4),
            // Each that is waited for alone takes as long as several that are not.
            Self::Player => Some(1),
        }
    }
}

/// Frames that a scout looks at behind the one that is played.
const FRAMES_AHEAD: u32 = 4;
/// Frames before the one that is played that a scout goes through again at most.
const MOST_FRAMES_AGAIN: u32 = 64;

/// Where a scout goes.
pub(super) enum Route {
    /// Through a slice.
    Slice(SlicePlan),
    /// From the trace's start to the end of this frame.
    Frames(FrameIndex),
}

/// A scout and its workers.
pub(super) struct LookAhead {
    ahead: Arc<DrawsAhead>,
    threads: Vec<JoinHandle<()>>,
}

impl Route {
    /// The way of one who plays `frame`, if it is not too long.
    pub(super) fn of_playing(frame: FrameIndex) -> Option<Self> {
        (frame.0 <= MOST_FRAMES_AGAIN).then(|| Self::Frames(FrameIndex(frame.0.saturating_add(FRAMES_AHEAD))))
    }

    /// The last of the frames that are played.
    pub(super) fn last_frame(&self) -> Option<FrameIndex> {
        match self {
            Self::Slice(_) => None,
            Self::Frames(last) => Some(*last),
        }
    }

    fn walk(&self, trace: &Arc<Trace>, scout: &mut Scout) -> Result<(), PlayerError> {
        let mut executor = Executor::new(trace.clone());
        let mut faults = Faults::default();
        // A draw that is wrong is no reason not to look at those behind it.
        faults.set_policy(FaultPolicy::KeepGoing);
        match self {
            Self::Slice(plan) => {
                run_by_frames(plan, trace, &mut executor, &mut faults, &mut |_, _, executor| scout.look_at(executor))?;
                run_own_commands(plan, trace, &mut executor, &mut faults, &|_| false, &mut |_, _, executor| {
                    scout.look_at(executor)
                })
            }
            Self::Frames(last) => {
                let mut stream = CommandStream::new(trace.clone());
                let frame_count = trace.frames().len() as u32;
                (0..frame_count.min(last.0.saturating_add(1))).try_for_each(|frame| {
                    let place = Place::end_of(FrameIndex(frame));
                    read_until(&mut stream, place, &mut executor, &mut faults, |command, _, executor| {
                        executor.apply(command)?;
                        scout.look_at(executor)
                    })
                })
            }
        }
    }
}

/// Destination of the draws that a scout sees.
enum SeenDraws {
    /// To workers.
    Told(Arc<DrawsAhead>),
    /// With it.
    Kept(Vec<ComingDraw>),
}

/// What a scout has seen.
struct Scout {
    draws: SeenDraws,
    seen: HashSet<(ValueNumber, ValueNumber, bool)>,
}

/// Ends a walk.
const OVER: Internal = Internal::new("prefetching is no longer needed");

impl Scout {
    fn with(draws: SeenDraws) -> Self {
        Self { draws, seen: HashSet::new() }
    }

    fn look_at(&mut self, executor: &Executor) -> Result<(), PlayerError> {
        for op in executor.device_ops().ops {
            // silent: only draws need programs and pipelines made ahead
            let DeviceOp::Draw { state, vertices } = op else { continue };
            let is_indexed = matches!(vertices, DrawnVertices::Indexed(_));
            if self.seen.insert((state.outline, state.inputs.number(), is_indexed)) {
                self.draws.take(ComingDraw { state: state.clone(), vertices: *vertices, at: executor.at() })?;
            }
        }
        if self.draws.are_wanted() { Ok(()) } else { Err(OVER.into()) }
    }
}

impl SeenDraws {
    fn take(&mut self, draw: ComingDraw) -> Result<(), Internal> {
        match self {
            Self::Told(ahead) => ahead.tell(draw).then_some(()).ok_or(OVER),
            Self::Kept(draws) => {
                draws.push(draw);
                Ok(())
            }
        }
    }

    fn are_wanted(&self) -> bool {
        match self {
            Self::Told(ahead) => !ahead.is_closed(),
            // No more are kept once they are made.
            Self::Kept(draws) => draws.len() < MAX_PIPELINES.get(),
        }
    }
}

impl LookAhead {
    /// Walks ahead, and makes what all draws on the way need, before anything else is done.
    pub(super) fn in_place(trace: &Arc<Trace>, route: &Route, ahead: &DrawsAhead) {
        let mut scout = Scout::with(SeenDraws::Kept(Vec::new()));
        // A fault on the way is told when it is drawn.
        drop(route.walk(trace, &mut scout));
        if let SeenDraws::Kept(draws) = &scout.draws {
            ahead.make_together(draws);
        }
    }

    /// Sends a scout. Without threads to spare nothing is lost.
    pub(super) fn start(trace: &Arc<Trace>, route: Route, ahead: Arc<DrawsAhead>) -> Self {
        let mut scout = Scout::with(SeenDraws::Told(ahead.clone()));
        let trace = trace.clone();
        // It ends where the trace, or whoever sent it, does.
        let walk = move || drop(route.walk(&trace, &mut scout));
        // Who plays works too.
        let workers = thread::available_parallelism().map_or(1, |cores| cores.get() - 1).max(1);
        let of_worker = |_| {
            let ahead = ahead.clone();
            thread_of(move || ahead.work())
        };
        let threads = (0..workers).filter_map(of_worker).chain(thread_of(walk)).collect();
        Self { ahead, threads }
    }

    /// Nobody needs what is not made yet.
    pub(super) fn end(&self) {
        self.ahead.close();
    }
}

impl Drop for LookAhead {
    /// Waits for what is being made: drivers may not be there any more when a process ends.
    fn drop(&mut self) {
        self.end();
        for thread in self.threads.drain(..) {
            // What broke there will break where it can be seen.
            let _ = thread.join();
        }
    }
}

fn thread_of(work: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    // silent: who plays makes all himself
    thread::Builder::new().name(COMPILER_THREAD.to_owned()).spawn(work).ok()
}
