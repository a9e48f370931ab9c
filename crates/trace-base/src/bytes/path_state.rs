//! Whether something on the disk is what it was.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::source::FileState;

/// What tells a file, or a folder and the files in it, from itself before something was written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathState {
    /// Those of a folder by name; a file alone has none.
    files: Vec<(OsString, FileState)>,
}

impl PathState {
    /// That of what lies at `path`. Folders in a folder are not looked into.
    pub fn of(path: &Path) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_dir() {
            return Ok(Self { files: vec![(OsString::new(), FileState::of(&metadata))] });
        }
        let mut files = Vec::new();
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            // What is gone by now is gone the next time, too.
            if let Ok(metadata) = std::fs::metadata(entry.path())
                && metadata.is_file()
            {
                files.push((entry.file_name(), FileState::of(&metadata)));
            }
        }
        files.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(Self { files })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn whatever_is_written_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        assert!(PathState::of(&file).is_err());
        let states = || [PathState::of(folder.path()).unwrap(), PathState::of(&file).unwrap()];
        fs::write(&file, "1").unwrap();
        let first = states();
        assert_eq!(states(), first);
        fs::write(&file, "12").unwrap();
        let longer = states();
        assert!(longer[0] != first[0] && longer[1] != first[1]);
        // Replaced by another of the same length, as editors do.
        fs::write(folder.path().join("b"), "34").unwrap();
        let [with_another, _] = states();
        assert!(with_another != longer[0]);
        fs::rename(folder.path().join("b"), &file).unwrap();
        let replaced = states();
        assert!(replaced[0] != with_another && replaced[1] != longer[1]);
        fs::remove_file(&file).unwrap();
        assert!(PathState::of(folder.path()).unwrap() != replaced[0]);
    }
}
