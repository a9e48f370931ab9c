//! Ends what nothing else can end: a driver call that does not come back.
//!
//! Waiting for the GPU has a timeout of its own, but software drivers run shaders inside the submission itself, and
//! no call can be interrupted from within the process. So another thread watches, and does what it was told to do,
//! which in a command-line program is to end the process.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Watches over stretches of work, each of which may last so long.
pub struct Watchdog {
    timeout: Duration,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    watch: Mutex<Watch>,
    changed: Condvar,
}

#[derive(Default)]
struct Watch {
    deadline: Option<Instant>,
    is_over: bool,
}

impl Watchdog {
    /// A watchdog that calls `on_timeout`, once, when a stretch of work lasts longer than `timeout`.
    pub fn new(timeout: Duration, on_timeout: impl FnOnce() + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let watched = shared.clone();
        // Without a thread to spare there is no watch, and nothing else is lost.
        let _ = thread::Builder::new().name("watchdog".to_owned()).spawn(move || watched.watch(on_timeout));
        Self { timeout, shared }
    }

    /// Watches until the result is dropped.
    pub fn watch(&self) -> Watched<'_> {
        self.set(|watch| watch.deadline = Instant::now().checked_add(self.timeout));
        Watched { watchdog: self }
    }

    fn set(&self, change: impl FnOnce(&mut Watch)) {
        change(&mut self.shared.watch.lock().unwrap_or_else(PoisonError::into_inner));
        self.shared.changed.notify_one();
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.set(|watch| watch.is_over = true);
    }
}

/// A stretch of work under watch.
pub struct Watched<'a> {
    watchdog: &'a Watchdog,
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.watchdog.set(|watch| watch.deadline = None);
    }
}

impl Shared {
    fn watch(&self, on_timeout: impl FnOnce()) {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        while !watch.is_over {
            watch = match watch.deadline {
                None => self.changed.wait(watch).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => match deadline.checked_duration_since(Instant::now()) {
                    Some(left) => self.changed.wait_timeout(watch, left).unwrap_or_else(PoisonError::into_inner).0,
                    None => return on_timeout(),
                },
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn only_a_stretch_that_lasts_too_long_is_ended() {
        let (sender, receiver) = mpsc::channel();
        let watchdog = Watchdog::new(Duration::from_millis(200), move || sender.send(()).unwrap());
        for _ in 0..5 {
            let _watched = watchdog.watch();
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(receiver.recv_timeout(Duration::from_millis(400)), Err(mpsc::RecvTimeoutError::Timeout));
        let _watched = watchdog.watch();
        assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(()));
    }
}
