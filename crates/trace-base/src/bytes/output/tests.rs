//! Tests of outputs within one process.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::lossy::cut_at_random;
use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    write_output(path, |out| out.write_all(text.as_bytes()))
}

#[test]
fn a_failed_write_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    put(&path, "whole").unwrap();
    let no_luck = write_output(&path, |out| {
        out.write_all(b"half")?;
        Err(io::Error::other("no luck"))
    });
    no_luck.unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"whole");
    assert_eq!(names(folder.path()), ["a.png"]);
}

#[test]
fn what_a_killed_process_left_behind_is_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let put_aged = |name: &str, hours: u64| {
        let file = File::create(folder.path().join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600)).unwrap();
        file
    };
    put_aged(".trace-base-unfinished-Gone00", 2);
    let held = put_aged(".trace-base-unfinished-Held00", 2);
    held.lock().unwrap();
    put_aged(".trace-base-unfinished-Young0", 0);
    for name in [
        ".trace-base-unfinished-notes!",
        ".trace-base-unfinished-toolong",
        ".trace-base-unfinished-",
        "trace-base-unfinished-Gone00",
    ] {
        put_aged(name, 2);
    }
    fs::create_dir(folder.path().join(".trace-base-unfinished-Folder")).unwrap();
    put(&folder.path().join("out"), "whole").unwrap();
    let expected = [
        ".trace-base-unfinished-",
        ".trace-base-unfinished-Folder",
        ".trace-base-unfinished-Held00",
        ".trace-base-unfinished-Young0",
        ".trace-base-unfinished-notes!",
        ".trace-base-unfinished-toolong",
        "out",
        "trace-base-unfinished-Gone00",
    ];
    assert_eq!(names(folder.path()), expected);
}

#[test]
fn a_file_is_held_while_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    write_output(&folder.path().join("out"), |_| -> io::Result<()> {
        let [temporary] = names(folder.path()).try_into().unwrap();
        assert!(temporary.starts_with(".trace-base-unfinished-"));
        assert!(File::open(folder.path().join(temporary)).unwrap().try_lock().is_err());
        Ok(())
    })
    .unwrap();
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("below")).unwrap();
    symlink("below/file", at("link")).unwrap();
    symlink("link", at("link to the link")).unwrap();
    put(&at("link to the link"), "made").unwrap();
    assert_eq!(fs::read(at("below/file")).unwrap(), b"made");
    for mode in [0o640, 0o444, 0o755] {
        fs::set_permissions(at("below/file"), fs::Permissions::from_mode(mode)).unwrap();
        put(&at("link"), "replaced").unwrap();
        assert_eq!(fs::metadata(at("below/file")).unwrap().permissions().mode() & 0o7777, mode);
    }
    assert_eq!(names(folder.path()), ["below", "link", "link to the link"]);
    assert!(at("link").is_symlink() && at("link to the link").is_symlink());
    assert_eq!(names(&at("below")), ["file"]);
    symlink("round", at("and round")).unwrap();
    symlink("and round", at("round")).unwrap();
    let error = put(&at("round"), "").unwrap_err().to_string();
    assert!(error.starts_with("is a symbolic link with too many levels"), "{error}");
    let error = put(&at("below"), "").unwrap_err().to_string();
    assert_eq!(error, "is a directory: expected a file");
}

#[test]
fn a_replaced_file_is_the_old_or_the_new_one_after_a_power_cut() {
    let prepare = |folder: &Path| fs::write(folder.join("file"), vec![1; 20_000]).unwrap();
    let act = |disk: &lossy::LossyDisk, folder: &Path| {
        let write = |out: &mut dyn io::Write| (0..10).try_for_each(|part| out.write_all(&[part; 3000]));
        write_output_on(disk, &folder.join("file"), Access::Everyone, write).is_ok()
    };
    cut_at_random(1000, prepare, act, |folder| fs::read(folder.join("file")).unwrap());
}

#[test]
fn folders_that_are_made_stay() {
    let act = |disk: &lossy::LossyDisk, folder: &Path| {
        let made = make_folders(disk, &folder.join("a/b"));
        made.and_then(|()| write_output_on(disk, &folder.join("a/b/c"), Access::Owner, |out| out.write_all(b"c")))
            .is_ok()
    };
    cut_at_random(200, |_| (), act, |folder| fs::read(folder.join("a/b/c")).unwrap_or_default());
}
