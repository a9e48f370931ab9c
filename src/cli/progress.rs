//! A bar for whoever waits for something.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::args::CommonArgs;
use crate::text::set_bar;

/// When to show that something is going on.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a bar moves that nothing moves.
const TICK: Duration = Duration::from_millis(100);

/// When a verb prints its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Printing {
    /// Into files, or to stdout when it is done.
    WhenDone,
    /// To stdout, line by line: on a terminal those tell how far it is.
    AsItGoes,
}

impl Printing {
    /// Whether somebody looks at stderr, and results do not get into the way of a bar there.
    fn leaves_room(self, common: &CommonArgs) -> bool {
        let is_disturbed = self == Self::AsItGoes && io::stdout().is_terminal();
        io::stderr().is_terminal() && !common.quiet && !is_disturbed
    }
}

/// How much of something is done. It shows on stderr if that is a terminal, once it has taken a second.
pub(super) struct Progress {
    what: &'static str,
    total: u64,
    done: u64,
    started: Instant,
    patience: Duration,
    is_wanted: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Of so many steps. `what` is done, in words: "drawing frames".
    pub(crate) fn of(what: &'static str, total: usize, printing: Printing, common: &CommonArgs) -> Self {
        Self::after(PATIENCE, what, total, printing.leaves_room(common))
    }

    fn after(patience: Duration, what: &'static str, total: usize, is_wanted: bool) -> Self {
        Self { what, total: total as u64, done: 0, started: Instant::now(), patience, is_wanted, bar: None }
    }

    /// One more step is done.
    pub(crate) fn step(&mut self) {
        self.reach(self.done + 1);
    }

    /// So many steps are done.
    pub(crate) fn reach(&mut self, done: u64) {
        self.done = done;
        match &self.bar {
            Some(bar) => bar.set_position(self.done),
            None if self.is_wanted && self.started.elapsed() >= self.patience => {
                let bar = ProgressBar::new(self.total).with_message(self.what).with_position(self.done);
                // A template that is none is one of ours, and the usual one does as well.
                if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos} of {len}, {eta} to go") {
                    bar.set_style(style);
                }
                set_bar(true);
                self.bar = Some(bar);
            }
            None => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            set_bar(false);
        }
    }
}

/// Something of which nobody knows how much is left. It shows as [`Progress`] does, with the time that it has taken, until
/// this is dropped.
pub(super) struct Waiting {
    /// Dropped when it is over.
    going_on: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    is_shown: Arc<AtomicBool>,
}

impl Waiting {
    /// `what` is done, in words: "looking for mistakes".
    pub(crate) fn on(what: &'static str, printing: Printing, common: &CommonArgs) -> Self {
        Self::after(PATIENCE, what, printing.leaves_room(common))
    }

    fn after(patience: Duration, what: &'static str, is_wanted: bool) -> Self {
        let (going_on, is_over) = channel();
        let is_shown = Arc::new(AtomicBool::new(false));
        let shown = is_shown.clone();
        let show = move || {
            if is_over.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            shown.store(true, Ordering::Relaxed);
            let bar = ProgressBar::new_spinner().with_message(what).with_elapsed(patience);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
                bar.set_style(style);
            }
            set_bar(true);
            bar.enable_steady_tick(TICK);
            // Nothing is ever sent: it ends when the other end is dropped.
            let _ = is_over.recv();
            bar.finish_and_clear();
            set_bar(false);
        };
        // Without a thread it goes unsaid, and is done all the same.
        let thread = is_wanted.then(|| std::thread::Builder::new().name("waiting".to_owned()).spawn(show).ok());
        Self { going_on: Some(going_on), thread: thread.flatten(), is_shown }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.going_on = None;
        // What is printed next must not meet the bar.
        if self.is_shown.load(Ordering::Relaxed)
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_shown_after_a_step(patience: Duration, is_wanted: bool) -> Option<u64> {
        let mut progress = Progress::after(patience, "testing", 3, is_wanted);
        progress.step();
        progress.step();
        progress.bar.as_ref().map(ProgressBar::position)
    }

    #[test]
    fn it_shows_what_takes_long_to_whoever_looks() {
        assert_eq!(is_shown_after_a_step(Duration::ZERO, true), Some(2));
        assert_eq!(is_shown_after_a_step(Duration::ZERO, false), None);
        assert_eq!(is_shown_after_a_step(Duration::from_secs(3600), true), None);
    }

    #[test]
    fn waiting_shows_what_takes_long_and_ends_at_once() {
        let an_hour = Duration::from_secs(3600);
        let started = Instant::now();
        let long = Waiting::after(Duration::ZERO, "testing", true);
        while !long.is_shown.load(Ordering::Relaxed) {
            assert!(started.elapsed() < an_hour, "it is never shown");
            std::thread::yield_now();
        }
        drop(long);
        drop(Waiting::after(an_hour, "testing", true));
        assert!(Waiting::after(Duration::ZERO, "testing", false).thread.is_none());
        assert!(started.elapsed() < an_hour, "it waits for what is over");
    }
}
