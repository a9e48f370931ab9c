//! Says what a long job is at, so that whoever asked can name it if this process is killed.

use std::io::{self, Write, stdout};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::json;

/// A job is looked at after so long, and again.
const LOOKS_EVERY: Duration = Duration::from_secs(1);

/// Tells on stdout what jobs are at.
pub(super) struct Teller(Arc<Shared>);

/// A job, as long as it lasts.
pub(super) struct OnJob<'a>(&'a Shared);

#[derive(Default)]
struct Shared {
    watched: Mutex<Watched>,
    changed: Condvar,
}

#[derive(Default)]
struct Watched {
    jobs: u64,
    is_at_work: bool,
}

impl Teller {
    /// A teller of what `doing` says.
    pub(crate) fn new(doing: impl Fn() -> Option<String> + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let watching = shared.clone();
        thread::Builder::new().name("progress".to_owned()).spawn(move || watching.watch(&doing))?;
        Ok(Self(shared))
    }

    /// Watches a job until the result is dropped.
    pub(crate) fn job(&self) -> OnJob<'_> {
        let mut watched = self.0.lock();
        watched.jobs += 1;
        watched.is_at_work = true;
        self.0.changed.notify_one();
        OnJob(&self.0)
    }
}

impl Drop for OnJob<'_> {
    fn drop(&mut self) {
        self.0.lock().is_at_work = false;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, doing: &dyn Fn() -> Option<String>) {
        let mut told = None;
        let mut watched = self.lock();
        loop {
            watched =
                self.changed.wait_while(watched, |watched| !watched.is_at_work).unwrap_or_else(PoisonError::into_inner);
            let job = watched.jobs;
            watched = self
                .changed
                .wait_timeout_while(watched, LOOKS_EVERY, |watched| watched.is_at_work && watched.jobs == job)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            // Told under the lock: after the answer it would be of the next job.
            let words = doing().filter(|_| watched.is_at_work && watched.jobs == job);
            if let Some(words) = words.filter(|words| told.as_ref() != Some(&(job, words.clone()))) {
                // Where nobody reads any more, nobody waits for an answer either.
                let _ = writeln!(stdout(), "{}", json!({ "doing": words }));
                told = Some((job, words));
            }
        }
    }
}
