//! Temporary files: what is made lies under such a name, beside its own, until it is whole.
//!
//! A process that is killed leaves such a file behind, and the lock on it goes with the process; so the next one that
//! writes into the folder can tell, and clears it.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::super::input_file::open_input;
use super::disk::{Access, Disk, Through};
use super::unfinished::Unfinished;

/// Prefix of the names of files that are renamed when they are whole; six letters and digits follow.
pub const UNFINISHED_PREFIX: &str = ".trace-base-unfinished-";
/// Random letters and digits after that.
const RANDOM_LETTERS: usize = 6;
/// Names that are tried.
const MAX_NAMES: u32 = 1 << 10;
/// Least age of a file that is cleared: one that was just made may not be locked yet.
const STALE_AGE: Duration = Duration::from_secs(60 * 60);

/// Folders that this process has cleared: once is enough.
static CLEARED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Writes a file under a temporary name beside `path`, which is no link, and renames it when it is whole and on the disk.
/// An existing file stays as it was if anything goes wrong: a full disk, a signal, a power cut.
pub(super) fn replace<E: From<io::Error>>(
    disk: &impl Disk,
    path: &Path,
    replaced: Option<&Metadata>,
    access: Access,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let folder = folder_of(path);
    // The permissions of the file that is replaced come before the first byte.
    let access = if replaced.is_some() { Access::Owner } else { access };
    let mut temporary = Temporary::create(disk, folder, access)?;
    if let Some(replaced) = replaced {
        disk.make_like(&temporary.file, replaced);
    }
    if CLEARED.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        clear_stale(folder, temporary.unfinished.path())?;
    }
    let mut buffered = BufWriter::new(Through { disk, file: &mut temporary.file });
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    disk.sync(&temporary.file)?;
    temporary.rename(path)?;
    Ok(disk.sync_folder(folder)?)
}

/// The folder that a path's last name is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that has its temporary name, and is removed when it is dropped.
struct Temporary<'a, D: Disk> {
    disk: &'a D,
    file: D::File,
    unfinished: Unfinished,
    is_renamed: bool,
}

impl<'a, D: Disk> Temporary<'a, D> {
    fn create(disk: &'a D, folder: &Path, access: Access) -> io::Result<Self> {
        let (unfinished, file) = Unfinished::begin(|| {
            let mut tried = 0;
            loop {
                // A path that means the same wherever the process is when it is removed.
                let path = std::path::absolute(folder.join(random_name()))?;
                match disk.create(&path, access) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < MAX_NAMES => tried += 1,
                    created => return Ok((path, created?)),
                }
            }
        })?;
        Ok(Self { disk, file, unfinished, is_renamed: false })
    }

    fn rename(&mut self, to: &Path) -> io::Result<()> {
        let from = self.unfinished.path().to_owned();
        self.unfinished.end(|| self.disk.rename(&from, to))?;
        self.is_renamed = true;
        Ok(())
    }
}

impl<D: Disk> Drop for Temporary<'_, D> {
    fn drop(&mut self) {
        if !self.is_renamed {
            let path = self.unfinished.path().to_owned();
            // What can't be removed now is cleared by the next process that can.
            let _ = self.unfinished.end(|| self.disk.remove_file(&path));
        }
    }
}

fn random_name() -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut random = RandomState::new().hash_one(());
    let mut name = UNFINISHED_PREFIX.to_owned();
    for _ in 0..RANDOM_LETTERS {
        let place = (random % LETTERS.len() as u64) as usize;
        name.extend(LETTERS.get(place).map(|letter| char::from(*letter)));
        random /= LETTERS.len() as u64;
    }
    name
}

/// Deletes temporary files in `folder` that nobody writes any more and that are the same user's as the file `own`. What
/// cannot be looked at stays.
fn clear_stale(folder: &Path, own: &Path) -> io::Result<()> {
    let own = fs::symlink_metadata(own)?;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_temporary = entry.file_name().to_str().is_some_and(is_temporary_name);
        // Of the entry itself, not of what a link leads to.
        let is_left = is_temporary && entry.metadata().is_ok_and(|found| is_old(&found) && is_same_user(&found, &own));
        if is_left && open_input(&entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            // Another process may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

fn is_temporary_name(name: &str) -> bool {
    name.strip_prefix(UNFINISHED_PREFIX)
        .is_some_and(|rest| rest.len() == RANDOM_LETTERS && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn is_old(found: &Metadata) -> bool {
    let age = found.modified().ok().and_then(|modified| modified.elapsed().ok());
    found.is_file() && age.is_some_and(|age| age > STALE_AGE)
}

#[cfg(unix)]
fn is_same_user(found: &Metadata, own: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    found.uid() == own.uid()
}

#[cfg(not(unix))]
fn is_same_user(_: &Metadata, _: &Metadata) -> bool {
    true
}
