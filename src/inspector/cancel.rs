//! How a job learns that nobody waits for it any more.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Set when nobody waits for a job any more. Its clones are one.
#[derive(Clone, Debug, Default)]
pub(super) struct CancelToken(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    is_set: AtomicBool,
    /// For those who sleep meanwhile.
    sleepers: Mutex<()>,
    changed: Condvar,
}

impl CancelToken {
    /// Costs next to nothing: may be asked once per event.
    pub(crate) fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self) {
        // Under the lock, so that nobody falls asleep in between.
        let _sleepers = self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.is_set.store(true, Ordering::Relaxed);
        self.0.changed.notify_all();
    }

    /// Sleeps that long, or until it is set; says whether it is.
    pub(crate) fn wait(&self, time: Duration) -> bool {
        let sleepers = self.0.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.0.changed.wait_timeout_while(sleepers, time, |()| !self.is_set()));
        self.is_set()
    }
}
