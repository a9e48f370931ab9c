//! Files and folders that this process has not finished, so that a signal can remove them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Files and folders that are to go if the process ends now. Whoever makes, renames or removes one holds the lock, so
/// that what is listed is there, and nothing is missing from it.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Longest time that one folder is removed anew because files were made in it.
const PATIENCE: Duration = Duration::from_secs(2);

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
        let _ = if path.is_dir() { remove_folder(path) } else { fs::remove_file(path) };
    }
    std::mem::forget(list);
}

/// Removes a folder that another thread still makes files in. By another name it is out of that thread's reach, but for a file
/// that it is just making.
fn remove_folder(path: &Path) -> io::Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".removed");
    let aside = PathBuf::from(aside);
    // A system that keeps the names of open files leaves it where it is.
    let path = if fs::rename(path, &aside).is_ok() { &aside } else { path };
    let deadline = Instant::now() + PATIENCE;
    loop {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && Instant::now() < deadline => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_while_files_are_made_in_it() {
        for _ in 0..50 {
            let scratch = tempfile::tempdir().unwrap();
            let folder = scratch.path().join("preparing");
            fs::create_dir(&folder).unwrap();
            let path = folder.clone();
            let writer =
                std::thread::spawn(move || (0..).find(|file| fs::write(path.join(file.to_string()), "").is_err()));
            while fs::read_dir(&folder).unwrap().count() < 20 {}
            remove_folder(&folder).unwrap();
            writer.join().unwrap();
            assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
        }
    }
}
