//! A bar for whoever waits for something.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::args::CommonArgs;

/// When to show that something is going on.
const PATIENCE: Duration = Duration::from_secs(1);

/// When a verb prints its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Printing {
    /// Into files, or to stdout when it is done.
    WhenDone,
    /// To stdout, line by line: on a terminal those tell how far it is.
    AsItGoes,
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
        let is_seen = io::stderr().is_terminal() && !common.quiet;
        let is_disturbed = printing == Printing::AsItGoes && io::stdout().is_terminal();
        Self::after(PATIENCE, what, total, is_seen && !is_disturbed)
    }

    fn after(patience: Duration, what: &'static str, total: usize, is_wanted: bool) -> Self {
        Self { what, total: total as u64, done: 0, started: Instant::now(), patience, is_wanted, bar: None }
    }

    /// One more step is done.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        match &self.bar {
            Some(bar) => bar.set_position(self.done),
            None if self.is_wanted && self.started.elapsed() >= self.patience => {
                let bar = ProgressBar::new(self.total).with_message(self.what).with_position(self.done);
                // A template that is none is one of ours, and the usual one does as well.
                if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos} of {len}, {eta} to go") {
                    bar.set_style(style);
                }
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
}
