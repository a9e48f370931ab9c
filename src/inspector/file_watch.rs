//! Watches a file, so that the window need not: it draws when there is something to draw.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime};

use super::worker::Wake;

/// How often to look.
const INTERVAL: Duration = Duration::from_secs(1);

/// A thread that looks whether a file is another one by now; it ends when this is dropped.
pub(super) struct FileWatch {
    has_changed: Arc<AtomicBool>,
    _stop: Sender<()>,
}

impl FileWatch {
    /// Wakes the window when the file at `path` was written or replaced.
    pub(crate) fn start(path: &Path, wake: Wake) -> std::io::Result<Self> {
        let has_changed = Arc::new(AtomicBool::new(false));
        let (stop, stopped) = channel::<()>();
        let (path, theirs): (PathBuf, _) = (path.to_owned(), has_changed.clone());
        let mut known = modified(&path);
        std::thread::Builder::new().name("file watch".to_owned()).spawn(move || {
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let now = modified(&path);
                // A file that is away for a moment is being replaced.
                if now.is_some() && std::mem::replace(&mut known, now) != now {
                    theirs.store(true, Ordering::Relaxed);
                    wake();
                }
            }
        })?;
        Ok(Self { has_changed, _stop: stop })
    }

    /// Whether it has changed since this was asked last.
    pub(crate) fn take_change(&self) -> bool {
        self.has_changed.swap(false, Ordering::Relaxed)
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
