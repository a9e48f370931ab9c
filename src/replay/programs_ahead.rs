//! Programs made on other threads before anybody asks for them.
//!
//! CREATE_PIPELINE tells which program will be needed, the first DRAW needs it, and often all pipelines are created
//! before anything is drawn. In between, worker threads make the programs:
//!
//! ```text
//!              expect                a worker takes it             it is done
//!  unknown ──────────────► waiting ───────────────────► in work ───────────────► made
//!                             │                            │                       │
//!                       take: nothing,               take: waits             take: there it is
//!                  who asks makes it himself
//! ```
//!
//! So whoever asks is never worse off than without the workers, and learns what is wrong with a program when he asks
//! for it: errors come out at the same command, in the same order, as if it were made then.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::error::Problem;
use super::program_maker::{ProgramMaker, Recipe};
use crate::format::aerogpu::Trace;
use crate::limits::MAX_TEXT_BYTES_AHEAD;
use crate::shader::{COMPILER_THREAD, Program};

/// So many have to wait before a thread is started: who draws next makes one himself in the same time.
const WORTH_A_THREAD: usize = 2;
/// What an expected program counts for at least, in bytes of text.
const FEWEST_TEXT_BYTES: u64 = 1 << 10;

/// The programs that are expected and were not asked for yet.
pub(super) struct ProgramsAhead {
    shared: Arc<Shared>,
    most_workers: usize,
}

struct Shared {
    maker: Arc<ProgramMaker>,
    queue: Mutex<Queue>,
    /// A program left [`Stage::InWork`].
    made: Condvar,
}

#[derive(Default)]
struct Queue {
    stages: HashMap<Recipe, Stage>,
    /// In the order in which they were expected.
    waiting: VecDeque<(Recipe, Arc<Trace>)>,
    text_bytes: u64,
    workers: usize,
    is_over: bool,
}

enum Stage {
    Waiting,
    InWork,
    Made(Box<Result<Program, Problem>>),
}

impl ProgramsAhead {
    pub(crate) fn new(maker: Arc<ProgramMaker>) -> Self {
        let shared = Shared { maker, queue: Mutex::default(), made: Condvar::new() };
        // Who asks works too.
        let most_workers = thread::available_parallelism().map_or(1, |cores| cores.get() - 1).max(1);
        Self { shared: Arc::new(shared), most_workers }
    }

    /// Has a program made, unless too many are expected already.
    pub(crate) fn expect(&self, recipe: Recipe, trace: &Arc<Trace>) {
        let mut queue = self.shared.lock();
        let text_bytes = queue.text_bytes + cost(&recipe);
        if text_bytes > MAX_TEXT_BYTES_AHEAD || queue.stages.contains_key(&recipe) {
            return;
        }
        queue.text_bytes = text_bytes;
        queue.stages.insert(recipe.clone(), Stage::Waiting);
        queue.waiting.push_back((recipe, trace.clone()));
        if queue.waiting.len() >= WORTH_A_THREAD && queue.workers < self.most_workers {
            let shared = self.shared.clone();
            let worker = thread::Builder::new().name(COMPILER_THREAD.to_owned());
            // Without a thread to spare, nothing is lost.
            queue.workers += usize::from(worker.spawn(move || shared.work()).is_ok());
        }
    }

    /// The program, if a worker has made it or is about to.
    pub(crate) fn take(&self, recipe: &Recipe) -> Option<Result<Program, Problem>> {
        let mut queue = self.shared.lock();
        while let Some(Stage::InWork) = queue.stages.get(recipe) {
            queue = self.shared.made.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        let stage = queue.stages.remove(recipe)?;
        queue.text_bytes -= cost(recipe);
        match stage {
            Stage::Made(made) => Some(*made),
            Stage::Waiting | Stage::InWork => {
                let place = queue.waiting.iter().position(|(waiting, _)| waiting == recipe);
                place.and_then(|place| queue.waiting.remove(place));
                None
            }
        }
    }
}

impl Drop for ProgramsAhead {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes programs until none waits.
    fn work(&self) {
        let mut queue = self.lock();
        while !queue.is_over
            && let Some((recipe, trace)) = queue.waiting.pop_front()
        {
            queue.stages.insert(recipe.clone(), Stage::InWork);
            drop(queue);
            let made = catch_unwind(AssertUnwindSafe(|| self.maker.make(&recipe, &trace)));
            queue = self.lock();
            // A panic is left to whoever asks: he will make it himself, and have it where it can be seen.
            let stage = made.map_or(Stage::Waiting, |made| Stage::Made(Box::new(made)));
            queue.stages.insert(recipe, stage);
            self.made.notify_all();
        }
        queue.workers -= 1;
    }
}

fn cost(recipe: &Recipe) -> u64 {
    recipe.text_bytes().max(FEWEST_TEXT_BYTES)
}
