//! Says what a long job is at, so that whoever asked can name it if this process is killed.

use std::io::{self, Write, stdout};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

/// How often a job that is under way is reported.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Tells on stdout what jobs are at.
pub(super) struct ProgressReporter(Arc<Inner>);

/// A job, as long as it lasts.
pub(super) struct ReportedJob<'a>(&'a Inner);

#[derive(Default)]
struct Inner {
    watched: Mutex<Watched>,
    begun: Condvar,
}

/// The job that is under way.
#[derive(Default)]
struct Watched {
    /// When it is looked at next. `None`: there is none.
    report_at: Option<Instant>,
    /// What was told of it last.
    told: Option<String>,
    /// Whether the thread that looks waits for a job to begin. Waking it at each would cost a small picture as much as
    /// handing it over.
    waits_for_job: bool,
}

impl ProgressReporter {
    /// Reports what `doing` says.
    pub(crate) fn new(doing: impl Fn() -> Option<String> + Send + 'static) -> io::Result<Self> {
        let shared = Arc::new(Inner::default());
        let watching = shared.clone();
        thread::Builder::new().name("progress".to_owned()).spawn(move || watching.watch(&doing))?;
        Ok(Self(shared))
    }

    /// Watches a job until the result is dropped.
    pub(crate) fn job(&self) -> ReportedJob<'_> {
        let mut watched = self.0.lock();
        watched.report_at = Some(Instant::now() + REPORT_INTERVAL);
        watched.told = None;
        if watched.waits_for_job {
            self.0.begun.notify_one();
        }
        ReportedJob(&self.0)
    }
}

impl Drop for ReportedJob<'_> {
    fn drop(&mut self) {
        self.0.lock().report_at = None;
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, doing: &dyn Fn() -> Option<String>) {
        let mut watched = self.lock();
        loop {
            let left = watched.report_at.map(|report_at| report_at.saturating_duration_since(Instant::now()));
            match left {
                None => {
                    watched.waits_for_job = true;
                    watched = self.begun.wait(watched).unwrap_or_else(PoisonError::into_inner);
                    watched.waits_for_job = false;
                }
                // Jobs come and go meanwhile: what is under way then may be another, to be looked at later.
                Some(Duration::ZERO) => report(&mut watched, doing),
                Some(left) => {
                    watched = self.begun.wait_timeout(watched, left).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }
}

/// Tells what the job is at, if that is not what was told last. Under the lock: after the answer it would be of the next
/// job.
fn report(watched: &mut Watched, doing: &dyn Fn() -> Option<String>) {
    watched.report_at = Some(Instant::now() + REPORT_INTERVAL);
    let words = doing();
    if words.is_none() || words == watched.told {
        return;
    }
    // Where nobody reads any more, nobody waits for an answer either.
    let _ = writeln!(stdout(), "{}", json!({ "doing": words }));
    watched.told = words;
}
