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
            let message = "is no regular file, and not replaced: expected a file, or none";
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
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;

    use super::super::faulty::{Fault, Faulty};
    use super::*;
    use crate::bytes::output::lossy::{self, LossyDisk, cut_at_random};

    type Files = BTreeMap<String, Vec<u8>>;

    /// Operations until the first picture of [`change`] is in its place: a folder, five files of three operations, both
    /// folders synced and one renamed, and the picture.
    const FIRST_PICTURE_MOVED: u32 = 1 + 5 * 3 + 3 + 1;

    /// What lies in a case's folder, hidden or not.
    fn files(folder: &Path) -> Files {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        entries.map(|path| (name(&path), if path.is_dir() { vec![] } else { fs::read(&path).unwrap() })).collect()
    }

    const OLD_FILES: [&str; 5] = [GOLDEN_FILE, "frame0000.png", "frame0001.png", "frame0001.new.png", "notes.txt"];

    fn case() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in OLD_FILES {
            fs::write(folder.path().join(name), format!("the old {name}")).unwrap();
        }
        folder
    }

    /// A change of every kind: files replaced, made and removed.
    fn change(folder: &Path) -> Transaction {
        let mut change = Transaction::new(folder);
        for name in [GOLDEN_FILE, "frame0000.png", "frame0001.png", "frame0002.png"] {
            change.write(name, format!("the new {name}").into_bytes());
        }
        change.remove("frame0001.new.png");
        change.remove("frame0009.new.png");
        change
    }

    fn states() -> [Files; 2] {
        let old = case();
        let new = case();
        change(new.path()).commit(&SuiteLock::take(&[new.path()]).unwrap()).unwrap();
        [files(old.path()), files(new.path())]
    }

    #[test]
    fn a_change_is_made_whole() {
        let [old, new] = states();
        assert_eq!(
            new.keys().collect::<Vec<_>>(),
            ["frame0000.png", "frame0001.png", "frame0002.png", "golden.toml", "notes.txt"]
        );
        assert_eq!(new["golden.toml"], b"the new golden.toml");
        assert_eq!((&new["notes.txt"], old.len()), (&old["notes.txt"], 5));
    }

    #[test]
    fn stopped_anywhere_or_without_room_it_is_the_old_case_or_the_new_one() {
        let [old, new] = states();
        for fault in [Fault::Stop, Fault::FullDisk] {
            let mut is_made = false;
            let mut operations = 0;
            loop {
                let folder = case();
                let lock = SuiteLock::take(&[folder.path()]).unwrap();
                let disk = Faulty::after(operations, fault);
                let ended = change(folder.path()).commit_on(&disk, &lock);
                assert_eq!(ended.is_err(), disk.has_failed(), "{fault:?} {operations}");
                let is_late = matches!(ended, Err(GoldenError::Late { .. }));
                heal(folder.path(), &lock).unwrap();
                let healed = files(folder.path());
                assert!(healed == old || healed == new, "{fault:?} {operations}: {healed:?}");
                assert_eq!(healed == new, is_late || ended.is_ok(), "{fault:?} {operations}: what it says is true");
                assert!(!is_made || healed == new, "{fault:?} {operations}: once made it stays made");
                is_made = healed == new;
                heal(folder.path(), &lock).unwrap();
                assert_eq!(files(folder.path()), healed, "healing twice is healing");
                if !disk.has_failed() {
                    break;
                }
                operations += 1;
            }
            assert!(operations > 14, "only {operations} operations were stopped");
        }
    }

    /// Healing can be stopped like everything else.
    #[test]
    fn stopped_again_while_healing_it_is_still_whole() {
        let [old, new] = states();
        let mut histories = 0;
        for first in 0.. {
            let disk = Faulty::after(first, Fault::Stop);
            let whole = case();
            let _ = change(whole.path()).commit_on(&disk, &SuiteLock::take(&[whole.path()]).unwrap());
            if !disk.has_failed() {
                break;
            }
            for second in 0.. {
                let folder = case();
                let lock = SuiteLock::take(&[folder.path()]).unwrap();
                let _ = change(folder.path()).commit_on(&Faulty::after(first, Fault::Stop), &lock);
                let disk = Faulty::after(second, Fault::Stop);
                let ended = heal_on(&disk, folder.path(), &lock);
                heal(folder.path(), &lock).unwrap();
                let healed = files(folder.path());
                assert!(healed == old || healed == new, "{first}, {second}: {healed:?}");
                histories += 1;
                if ended.is_ok() {
                    break;
                }
            }
        }
        assert!(histories > 60, "only {histories} histories");
    }

    #[test]
    fn what_somebody_has_changed_in_between_is_not_overwritten() {
        for name in [GOLDEN_FILE, "frame0000.png"] {
            let folder = case();
            let lock = SuiteLock::take(&[folder.path()]).unwrap();
            // The first picture is in its place, golden.toml is not.
            let disk = Faulty::after(FIRST_PICTURE_MOVED, Fault::Stop);
            change(folder.path()).commit_on(&disk, &lock).unwrap_err();
            assert_eq!(fs::read(folder.path().join("frame0000.png")).unwrap(), b"the new frame0000.png");
            fs::write(folder.path().join(name), "somebody's").unwrap();
            let before = files(folder.path());
            let error = heal(folder.path(), &lock).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("`golden fsck --force`"), "{error}");
            assert_eq!(files(folder.path()), before);
            abandon(folder.path(), &lock).unwrap();
            assert!(!is_unfinished(folder.path()));
        }
    }

    #[cfg(unix)]
    #[test]
    fn nothing_takes_the_place_of_what_is_no_file() {
        let old = files(case().path());
        let folder = case();
        let lock = SuiteLock::take(&[folder.path()]).unwrap();
        let picture = folder.path().join("frame0000.png");
        fs::rename(&picture, folder.path().join("elsewhere.png")).unwrap();
        std::os::unix::fs::symlink("elsewhere.png", &picture).unwrap();
        let error = change(folder.path()).commit(&lock).unwrap_err().to_string();
        assert!(error.contains("frame0000.png") && error.contains("is no regular file"), "{error}");
        assert!(picture.is_symlink() && !is_unfinished(folder.path()));
        let mut found = files(folder.path());
        assert_eq!(found.remove("elsewhere.png"), old.get("frame0000.png").cloned());
        assert_eq!(found, old);
    }

    /// The disk loses what was not synced, at any operation; then the next command may lose its power too.
    #[test]
    fn after_power_cuts_it_is_the_old_case_or_the_new_one() {
        let prepare = |folder: &Path| {
            for name in OLD_FILES {
                fs::write(folder.join(name), format!("the old {name}")).unwrap();
            }
        };
        let act = |disk: &LossyDisk, folder: &Path| {
            change(folder).commit_on(disk, &SuiteLock::take(&[folder]).unwrap()).is_ok()
        };
        // Nothing that this recovers needs to outlive the test: no file of the real disk is synced.
        let read = |folder: &Path| {
            heal_on(&LossyDisk::new(folder, None, 0), folder, &SuiteLock::take(&[folder]).unwrap()).unwrap();
            files(folder)
        };
        cut_at_random(1000, prepare, act, read);
        let seeds = Cell::new(0);
        let read_in_two_attempts = |folder: &Path| {
            let seed = seeds.replace(seeds.get() + 1);
            let disk = LossyDisk::new(folder, Some(seed as usize % 12), seed);
            let healed = heal_on(&disk, folder, &SuiteLock::take(&[folder]).unwrap());
            let survivor = lossy::folder();
            disk.survivor(survivor.path());
            let found = read(survivor.path());
            assert!(healed.is_err() || found == read(folder), "what was healed is lost");
            found
        };
        cut_at_random(1000, prepare, act, read_in_two_attempts);
    }

    #[test]
    fn steps_lead_nowhere_else() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("case");
        fs::create_dir_all(folder.join(PENDING)).unwrap();
        fs::write(root.path().join("outside"), "x").unwrap();
        for name in ["../outside", "/etc/passwd", "..", ".", "", "a/../../outside", "..\\\\outside"] {
            let steps = format!(r#"{{"schema":1,"before":null,"moved":[],"removed":["{name}"]}}"#);
            fs::write(folder.join(PENDING).join(STEPS_FILE), steps).unwrap();
            heal(&folder, &SuiteLock::take(&[&folder]).unwrap()).unwrap_err();
            assert!(root.path().join("outside").exists());
        }
    }

    #[test]
    fn those_who_look_wait_for_a_change_and_not_for_its_preparation() {
        let folder = case();
        heal_to_read(folder.path()).unwrap();
        let lock = SuiteLock::take(&[folder.path()]).unwrap();
        change(folder.path()).commit_on(&Faulty::after(3, Fault::Stop), &lock).unwrap_err();
        heal_to_read(folder.path()).unwrap();
        assert!(folder.path().join(PREPARING).exists(), "it is the other command's");
        drop(lock);
        heal_to_read(folder.path()).unwrap();
        assert_eq!(files(folder.path()), states()[0]);
        let lock = SuiteLock::take(&[folder.path()]).unwrap();
        change(folder.path()).commit_on(&Faulty::after(FIRST_PICTURE_MOVED, Fault::Stop), &lock).unwrap_err();
        let path = folder.path().to_owned();
        let reader = std::thread::spawn(move || heal_to_read(&path));
        std::thread::sleep(Duration::from_millis(30));
        assert!(!reader.is_finished());
        drop(lock);
        reader.join().unwrap().unwrap();
        assert_eq!(files(folder.path()), states()[1]);
    }
}
