use std::cell::Cell;
use std::collections::BTreeMap;

use super::super::faulty::{Fault, Faulty};
use super::*;
use crate::bytes::output::lossy::{self, LossyDisk, cut_at_random};

type Files = BTreeMap<String, Vec<u8>>;

/// Operations until the first picture of [`change`] is in its place: a folder, five files of three operations, both
/// folders synced and one renamed, and the picture.
const FIRST_PICTURE_MOVED: u32 = 1 + 5 * 3 + 3 + 1;

/// Entries of a case's folder, hidden or not.
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
            assert_eq!(healed == new, is_late || ended.is_ok(), "{fault:?} {operations}: its fields is true");
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
    assert!(error.contains("frame0000.png") && error.contains("is not a regular file"), "{error}");
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
    let act =
        |disk: &LossyDisk, folder: &Path| change(folder).commit_on(disk, &SuiteLock::take(&[folder]).unwrap()).is_ok();
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
