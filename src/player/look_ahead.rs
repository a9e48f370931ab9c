//! What draws need, made on other threads before they come.
//!
//! ```text
//!  commands ──► player: the GPU's executor ──► draws; what is new is made at once, about a millisecond each
//!     │                      ▲
//!     │                      └── finds it made
//!     └──► scout: an executor of its own, without a GPU ──► draws that look new ──► workers: programs and pipelines
//! ```
//!
//! A scout costs the work of the CPU a second time, on another core, so it is sent only where some draws have come for which
//! nothing was made: where there are few shaders nobody looks ahead. It takes the same commands from their start, and is past
//! those that are drawn soon, since it draws nothing. What is wrong with a shader is told by its draw, as if nobody had
//! looked.

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
use crate::replay::{CommandStream, DeviceOp, DrawnVertices, Executor, ValueNumber};
use crate::shader::COMPILER_THREAD;

/// So many pipelines have to be missing before a scout is sent.
pub(super) const WORTH_A_SCOUT: u32 = 4;
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

/// What a scout has seen.
struct Scout {
    ahead: Arc<DrawsAhead>,
    seen: HashSet<(ValueNumber, ValueNumber, bool)>,
}

/// Ends a walk.
const OVER: Internal = Internal::new("prefetching is no longer needed");

impl Scout {
    fn look_at(&mut self, executor: &Executor) -> Result<(), PlayerError> {
        for op in executor.device_ops().ops {
            // silent: only draws need programs and pipelines made ahead
            let DeviceOp::Draw { state, vertices } = op else { continue };
            let is_indexed = matches!(vertices, DrawnVertices::Indexed(_));
            if self.seen.insert((state.outline, state.inputs.number(), is_indexed)) {
                let draw = ComingDraw { state: state.clone(), vertices: *vertices, at: executor.at() };
                if !self.ahead.tell(draw) {
                    return Err(OVER.into());
                }
            }
        }
        if self.ahead.is_closed() { Err(OVER.into()) } else { Ok(()) }
    }
}

impl LookAhead {
    /// Sends a scout. Without threads to spare nothing is lost.
    pub(super) fn start(trace: &Arc<Trace>, route: Route, ahead: Arc<DrawsAhead>) -> Self {
        let mut scout = Scout { ahead: ahead.clone(), seen: HashSet::new() };
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
