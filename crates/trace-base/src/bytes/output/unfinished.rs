//! Files and folders that this process has not finished, so that a signal can remove them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files and folders that are to go if the process ends now. Whoever makes, renames or removes one holds the lock, so
/// that what is listed is there, and nothing is missing from it.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file or folder in the list of those that are not finished.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes a file or folder and lists it by the path that `make` gives.
    pub fn begin<T>(make: impl FnOnce() -> io::Result<(PathBuf, T)>) -> io::Result<(Self, T)> {
        let mut list = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let (path, made) = make()?;
        list.insert(path.clone());
        Ok((Self(path), made))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Renames or removes it, after which it is listed no more. If that fails it stays in the list.
    pub fn end<T>(&mut self, end: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let mut list = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = end()?;
        list.remove(&self.0);
        Ok(ended)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// Removes what is not finished, for a process that is about to end without returning from where it is. Threads that would
/// make or finish another file wait from here on, for ever.
pub fn remove_unfinished() {
    let list = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in list.iter() {
        // Nobody is left to be told: the next process clears what stays.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    std::mem::forget(list);
}
