//! Files that appear whole or not at all.
//!
//! A file is written under a temporary name beside its own, under a lock. A process that is killed leaves such a file
//! behind, and its lock goes with the process; so the next one that writes into the folder can tell, and clears it.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::input_file::open_input;

/// How temporary files begin.
const PREFIX: &str = ".aerogpu-replay-";
/// Random letters and digits after that.
const RANDOM_LETTERS: usize = 6;
/// How old a file must be to be cleared: one that was just made may not be locked yet.
const STALE_AGE: Duration = Duration::from_secs(60 * 60);

/// Folders that this process has cleared: once is enough.
static CLEARED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Writes a file under a temporary name beside `path` and renames it when it is whole. Whatever goes wrong, a full
/// disk or a signal included, a file that was there stays as it was.
pub fn write_whole<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).rand_bytes(RANDOM_LETTERS);
    let mut file = builder.make_in(folder, create)?;
    // File systems without locks do without: nothing that cannot be locked is cleared either.
    let _ = file.as_file().lock();
    if CLEARED.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        clear_stale(folder, &file.as_file().metadata()?);
    }
    let mut buffered = BufWriter::new(file.as_file_mut());
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Makes a temporary file; what goes wrong is told without its name, which means nothing to whoever named the file.
fn create(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).read(true).create_new(true);
    #[cfg(unix)]
    {
        // A temporary file is private by default; a result is not. The umask still applies.
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o666);
    }
    options.open(path)
}

/// Deletes temporary files in `folder` that nobody writes any more and that are the same user's as `own`. What cannot
/// be looked at stays.
fn clear_stale(folder: &Path, own: &Metadata) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_temporary = entry.file_name().to_str().is_some_and(is_temporary_name);
        // Of the entry itself, not of what a link leads to.
        let is_left = is_temporary && entry.metadata().is_ok_and(|found| is_old(&found) && is_same_user(&found, own));
        if is_left && open_input(&entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            // Another process may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_temporary_name(name: &str) -> bool {
    name.strip_prefix(PREFIX)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn a_failed_write_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        write_whole(&path, |out| out.write_all(b"whole")).unwrap();
        let no_luck = write_whole(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no luck"))
        });
        no_luck.unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_process_left_behind_is_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, hours: u64| {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600)).unwrap();
            file
        };
        put(".aerogpu-replay-Gone00", 2);
        let held = put(".aerogpu-replay-Held00", 2);
        held.lock().unwrap();
        put(".aerogpu-replay-Young0", 0);
        for name in [".aerogpu-replay-notes!", ".aerogpu-replay-toolong", ".aerogpu-replay-", "aerogpu-replay-Gone00"] {
            put(name, 2);
        }
        fs::create_dir(folder.path().join(".aerogpu-replay-Folder")).unwrap();
        write_whole(&folder.path().join("out"), |out| out.write_all(b"whole")).unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        let expected = [
            ".aerogpu-replay-",
            ".aerogpu-replay-Folder",
            ".aerogpu-replay-Held00",
            ".aerogpu-replay-Young0",
            ".aerogpu-replay-notes!",
            ".aerogpu-replay-toolong",
            "aerogpu-replay-Gone00",
            "out",
        ];
        assert_eq!(left, expected);
    }

    #[test]
    fn a_file_is_held_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = || {
            let mut entries = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
            entries.find(|path| path.file_name().unwrap().to_str().is_some_and(is_temporary_name)).unwrap()
        };
        write_whole(&folder.path().join("out"), |_| -> io::Result<()> {
            assert!(File::open(temporary()).unwrap().try_lock().is_err());
            Ok(())
        })
        .unwrap();
    }
}
