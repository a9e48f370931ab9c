//! Watches a file or a folder, so that the window need not: it draws when there is something to draw.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::cancel::CancelToken;
use super::promise::Promise;
use super::worker::{Topic, Wake, Worker};
use crate::bytes::PathState;

/// How often to look.
const INTERVAL: Duration = Duration::from_secs(1);

/// Looks whether a file, or a folder of them, is another one by now, until it is dropped.
pub(super) struct FileWatch {
    path: PathBuf,
    worker: Worker<()>,
    /// What it is, once that is something else than before.
    change: Promise<Option<PathState>>,
}

impl FileWatch {
    /// Wakes the window when what lies at `path` was written or replaced.
    pub(crate) fn start(path: &Path, wake: Wake) -> std::io::Result<Self> {
        let worker = Worker::start("file watch", || (), wake)?;
        let change = next_change(&worker, path.to_owned(), PathState::of(path).ok());
        Ok(Self { path: path.to_owned(), worker, change })
    }

    /// Whether it has changed since this was asked last.
    pub(crate) fn take_change(&mut self) -> bool {
        let Some(known) = self.change.get().cloned() else { return false };
        self.change = next_change(&self.worker, self.path.clone(), known);
        true
    }
}

fn next_change(worker: &Worker<()>, path: PathBuf, known: Option<PathState>) -> Promise<Option<PathState>> {
    worker.ask(Topic::File, "watching the file", move |(), cancel: &CancelToken| {
        while !cancel.wait(INTERVAL) {
            let now = PathState::of(&path).ok();
            // A file that is away for a moment is being replaced.
            if now.is_some() && now != known {
                return now;
            }
        }
        known
    })
}
