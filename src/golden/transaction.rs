//! Changes of a case, all of them or none, whatever happens in between.
//!
//! ```text
//!  golden/water/                      1  golden.toml and pictures are written beside, and waited for
//!    golden.toml
//!    frame0000.png                    2  one rename makes it so: from here on the change counts
//!    .golden.preparing/ ──rename──► .golden.pending/
//!      golden.toml                      golden.toml     3  each file takes its place, golden.toml last;
//!      frame0000.png                    frame0000.png      what is to go is removed;
//!      steps.json                       steps.json         then the folder goes, and its steps.json first
//! ```
//!
//! Stopped before 2, the case is as it was, and the next command drops `.golden.preparing`. Stopped after it, the next
//! command does 3 from its beginning: what has its place already is known by its hash. No command looks at a case
//! before that. If somebody changes the files in between, with git say, nothing is overwritten: `golden fsck` says so.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::case::GOLDEN_FILE;
use super::error::GoldenError;
use super::lock::SuiteLock;
use crate::bytes::output::{Disk, SystemDisk, Unfinished, write_new};
use crate::bytes::read_input;
use crate::pixels::PictureFileError;

/// Where a change is prepared.
pub(super) const PREPARING: &str = ".golden.preparing";

/// Where a change waits for its files to take their places.
pub(super) const PENDING: &str = ".golden.pending";

const STEPS_FILE: &str = "steps.json";

/// How long to wait for another command to finish moving files, which takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Files of one case that change together.
pub(super) struct Transaction {
    folder: PathBuf,
    files: Vec<(String, Vec<u8>)>,
    removed: Vec<String>,
}

/// What is to happen with the files of [`PENDING`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Steps {
    schema: u32,
    /// SHA-256 of the golden.toml that was there, if there was one.
    before: Option<String>,
    /// Files that take their places, in this order.
    moved: Vec<Move>,
    /// Files that go.
    removed: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    name: String,
    sha256: String,
}

impl Transaction {
    /// A change of the case in `folder` that does nothing yet.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), files: Vec::new(), removed: Vec::new() }
    }

    /// Writes a file.
    pub(crate) fn write(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.push((name.to_owned(), bytes));
    }

    /// Removes a file, if it is there.
    pub(crate) fn remove(&mut self, name: &str) {
        self.removed.push(name.to_owned());
    }

    /// Carries it out. The case must have been healed before.
    pub(crate) fn commit(self, lock: &SuiteLock) -> Result<(), GoldenError> {
        self.commit_on(&SystemDisk, lock)
    }

    pub(crate) fn commit_on(mut self, disk: &impl Disk, _: &SuiteLock) -> Result<(), GoldenError> {
        if self.files.is_empty() && self.removed.is_empty() {
            return Ok(());
        }
        // The file that says which pictures count comes last.
        self.files.sort_by_key(|(name, _)| name == GOLDEN_FILE);
        if let Err(error) = self.prepare(disk) {
            // The disk may be full, and then this frees some of it. What stays is dropped by the next command.
            let _ = drop_folder(disk, &self.folder.join(PREPARING));
            return Err(error);
        }
        let late = |source| GoldenError::Late { path: self.folder.clone(), source: Box::new(source) };
        disk.sync_folder(&self.folder).map_err(|error| late(write_error(&self.folder, error)))?;
        carry_out(disk, &self.folder).map_err(late)
    }

    fn prepare(&self, disk: &impl Disk) -> Result<(), GoldenError> {
        self.files.iter().try_for_each(|(name, _)| refuse_others(&self.folder.join(name)))?;
        let preparing = self.folder.join(PREPARING);
        let begun = Unfinished::begin(|| {
            disk.make_folder(&preparing)?;
            Ok((std::path::absolute(&preparing)?, ()))
        });
        let (mut unfinished, ()) = begun.map_err(|error| write_error(&preparing, error))?;
        for (name, bytes) in &self.files {
            let written = write_new(disk, &preparing.join(name), bytes);
            written.map_err(|error| write_error(&self.folder.join(name), error))?;
        }
        let moved = self.files.iter().map(|(name, bytes)| Move { name: name.clone(), sha256: sha256(bytes) }).collect();
        let before = hash_if_there(&self.folder.join(GOLDEN_FILE))?;
        let steps = Steps { schema: 1, before, moved, removed: self.removed.clone() };
        let path = preparing.join(STEPS_FILE);
        let text = serde_json::to_vec_pretty(&steps).map_err(|error| write_error(&path, io::Error::other(error)))?;
        write_new(disk, &path, &text).map_err(|error| write_error(&path, error))?;
        disk.sync_folder(&preparing).map_err(|error| write_error(&preparing, error))?;
        let pending = self.folder.join(PENDING);
        unfinished.end(|| disk.rename(&preparing, &pending)).map_err(|error| write_error(&self.folder, error))
    }
}

/// Whether a command was stopped in this case.
pub(super) fn is_unfinished(folder: &Path) -> bool {
    [PREPARING, PENDING].iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}

/// Finishes, or drops, what a stopped command has left in a case.
pub fn heal(folder: &Path, lock: &SuiteLock) -> Result<(), GoldenError> {
    heal_on(&SystemDisk, folder, lock)
}

/// The same for those who only look at a case. While another command is at it, its change is waited for.
pub fn heal_to_read(folder: &Path) -> Result<(), GoldenError> {
    if !is_unfinished(folder) {
        return Ok(());
    }
    let deadline = Instant::now() + PATIENCE;
    loop {
        match SuiteLock::take(&[folder]) {
            Ok(lock) => return heal(folder, &lock),
            // What is only being prepared does not count yet.
            // silent: who has the lock has nothing pending
            Err(GoldenError::Locked { .. }) if !folder.join(PENDING).exists() => return Ok(()),
            Err(GoldenError::Locked { .. }) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(error),
        }
    }
}

/// Drops what a stopped command has left where it can't be finished.
pub(super) fn abandon(folder: &Path, _: &SuiteLock) -> Result<(), GoldenError> {
    [PREPARING, PENDING].iter().try_for_each(|name| drop_folder(&SystemDisk, &folder.join(name)))
}

pub(super) fn heal_on(disk: &impl Disk, folder: &Path, _: &SuiteLock) -> Result<(), GoldenError> {
    drop_folder(disk, &folder.join(PREPARING))?;
    carry_out(disk, folder)
}

/// Moves the files of [`PENDING`] to their places, as often as it takes.
fn carry_out(disk: &impl Disk, folder: &Path) -> Result<(), GoldenError> {
    let pending = folder.join(PENDING);
    if pending.symlink_metadata().is_err() {
        return Ok(());
    }
    if let Some(steps) = read_steps(&pending)? {
        for step in still_to_move(folder, &pending, &steps)? {
            let target = folder.join(&step.name);
            refuse_others(&target)?;
            disk.rename(&pending.join(&step.name), &target).map_err(|error| write_error(&target, error))?;
        }
        for name in &steps.removed {
            let target = folder.join(name);
            disk.remove_file(&target).map_err(|error| write_error(&target, error))?;
        }
        disk.sync_folder(folder).map_err(|error| write_error(folder, error))?;
        let path = pending.join(STEPS_FILE);
        disk.remove_file(&path).map_err(|error| write_error(&path, error))?;
    }
    disk.remove_folder(&pending).map_err(|error| write_error(&pending, error))
}

/// The steps; `None` once they are done and only the folder is left.
fn read_steps(pending: &Path) -> Result<Option<Steps>, GoldenError> {
    let path = pending.join(STEPS_FILE);
    let changed = || GoldenError::ChangedMeanwhile { path: path.clone() };
    let bytes = match read_input(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut left =
                fs::read_dir(pending).map_err(|source| GoldenError::Read { path: pending.into(), source })?;
            return if left.next().is_none() { Ok(None) } else { Err(changed()) };
        }
        Err(source) => return Err(GoldenError::Read { path, source }),
    };
    let steps: Steps = serde_json::from_slice(&bytes).map_err(|_| changed())?;
    // It lies in a folder that may be anybody's: it names files of the case, and nothing elsewhere.
    let is_plain = |name: &str| {
        let mut parts = Path::new(name).components();
        let is_name = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
        is_name && !name.contains(['/', '\\'])
    };
    let mut names = steps.moved.iter().map(|step| &step.name).chain(&steps.removed);
    if steps.schema == 1 && names.all(|name| is_plain(name)) { Ok(Some(steps)) } else { Err(changed()) }
}

/// The steps that have not been done, if they all can be.
fn still_to_move<'a>(folder: &Path, pending: &Path, steps: &'a Steps) -> Result<Vec<&'a Move>, GoldenError> {
    let mut left = Vec::new();
    for step in &steps.moved {
        let target = folder.join(&step.name);
        let (staged, there) = (hash_if_there(&pending.join(&step.name))?, hash_if_there(&target)?);
        let is_as_left = match &staged {
            Some(staged) => *staged == step.sha256 && (step.name != GOLDEN_FILE || there == steps.before),
            None => there.as_ref() == Some(&step.sha256),
        };
        if !is_as_left {
            return Err(GoldenError::ChangedMeanwhile { path: target });
        }
        left.extend(staged.map(|_| step));
    }
    Ok(left)
}

/// Removes a folder of ours with its files, if it is there.
fn drop_folder(disk: &impl Disk, folder: &Path) -> Result<(), GoldenError> {
    let read = |source| GoldenError::Read { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        // silent: what is not there need not be put away
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(read)?,
    };
    for entry in entries {
        let path = entry.map_err(read)?.path();
        disk.remove_file(&path).map_err(|error| write_error(&path, error))?;
    }
    disk.remove_folder(folder).map_err(|error| write_error(folder, error))
}

/// Refuses what is there and is no regular file: a file of a case takes no other's place.
fn refuse_others(path: &Path) -> Result<(), GoldenError> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => {
            let message = "is not a regular file and was not replaced: expected a file or nothing";
            Err(write_error(path, io::Error::new(io::ErrorKind::InvalidInput, message)))
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(write_error(path, error)),
    }
}

fn write_error(path: &Path, source: io::Error) -> GoldenError {
    GoldenError::Write { path: path.to_owned(), source: PictureFileError::Io(source) }
}

fn hash_if_there(path: &Path) -> Result<Option<String>, GoldenError> {
    match read_input(path) {
        Ok(bytes) => Ok(Some(sha256(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(GoldenError::Read { path: path.to_owned(), source }),
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
