//! One command at a time changes a suite.
//!
//! ```text
//!  /            shared        A command locks the folders that it was given for itself, and shares the lock of every
//!  └ golden     shared        folder above them: whoever has `golden` for itself keeps others from `golden/water`, and
//!    └ water    its own       whoever has `golden/water` keeps others from `golden`, but not from `golden/lake`.
//! ```
//!
//! The system releases the locks when the process ends, however that happens. On Unix the folders themselves are locked,
//! so that nothing is left behind; elsewhere folders can't be, and a file in each stands for it.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::case::GOLDEN_FILE;
use super::error::GoldenError;

/// The right to change the cases at and under some folders.
#[derive(Debug)]
pub struct SuiteLock {
    _files: Vec<File>,
}

impl SuiteLock {
    /// Takes the lock, or says who has it in one sentence. Each path is a folder, or a golden.toml, which means its own.
    pub fn take<P: AsRef<Path>>(paths: &[P]) -> Result<Self, GoldenError> {
        let mut own = BTreeSet::new();
        for path in paths {
            let path = path.as_ref();
            let is_file = path.file_name().is_some_and(|name| name == GOLDEN_FILE);
            let folder = if is_file { path.parent() } else { None }.unwrap_or(path);
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let read = |source| GoldenError::Read { path: folder.to_owned(), source };
            own.insert(fs::canonicalize(folder).map_err(read)?);
        }
        // What lies under another of them is locked with that.
        let is_top = |folder: &&PathBuf| !folder.ancestors().skip(1).any(|above| own.contains(above));
        let top: Vec<&PathBuf> = own.iter().filter(is_top).collect();
        let above = top.iter().flat_map(|folder| folder.ancestors().skip(1)).filter(|folder| is_worth_locking(folder));
        let above: BTreeSet<&Path> = above.collect();
        let mut files = Vec::new();
        for folder in above {
            // What can't be opened can't be anybody's suite either.
            if let Ok(file) = open(folder) {
                lock(folder, file.try_lock_shared())?;
                files.push(file);
            }
        }
        for folder in top {
            let file = open(folder).map_err(|source| GoldenError::Read { path: folder.clone(), source })?;
            lock(folder, file.try_lock())?;
            files.push(file);
        }
        Ok(Self { _files: files })
    }
}

fn lock(folder: &Path, taken: Result<(), TryLockError>) -> Result<(), GoldenError> {
    match taken {
        Err(TryLockError::WouldBlock) => Err(GoldenError::Locked { path: folder.to_owned() }),
        // A file system that knows no locks, over a network say, must not keep anybody from working.
        Err(TryLockError::Error(error)) => {
            log::warn!("cannot lock {}: make sure that nothing else changes it: {error}", folder.display());
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Where a lock leaves a file behind, it is kept to the checkout.
fn is_worth_locking(folder: &Path) -> bool {
    cfg!(unix) || folder.ancestors().any(|above| above.join(".git").exists())
}

#[cfg(unix)]
fn open(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

#[cfg(not(unix))]
fn open(folder: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(folder.join(LOCK_FILE))
}

/// What stands for a folder where folders can't be locked.
#[cfg(not(unix))]
const LOCK_FILE: &str = ".golden.lock";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_is_locked_with_all_that_is_in_it_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let folder = |name: &str| root.path().join(name);
        for name in ["golden/water", "golden/lake"] {
            fs::create_dir_all(folder(name)).unwrap();
        }
        let take = |name: &str| SuiteLock::take(&[folder(name)]);
        let whole = take("golden").unwrap();
        let error = take("golden/water").unwrap_err().to_string();
        let expected = " is being changed by another `golden` command: try again when it has finished";
        assert!(error.ends_with(expected), "{error}");
        take("golden").unwrap_err();
        drop(whole);
        let part = take("golden/water").unwrap();
        take("golden").unwrap_err();
        drop(take("golden/lake").unwrap());
        drop(part);
        // One command may name a folder twice, and a part of it besides.
        let paths = ["golden", "golden/water", "golden", "golden/lake/golden.toml"].map(folder);
        SuiteLock::take(&paths).unwrap();
        assert_eq!(fs::read_dir(folder("golden")).unwrap().count(), 2, "nothing is left behind");
    }
}
