//! Which file a name leads to.

use std::io;
use std::path::Path;

/// A file, by whatever name: through other folders, links of either kind, or an open file's name under `/proc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg(unix)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

/// A file, by whatever name: through other folders or symbolic links.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg(not(unix))]
pub struct FileIdentity(std::path::PathBuf);

impl FileIdentity {
    /// The file that a path leads to.
    #[cfg(unix)]
    pub fn of(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|metadata| Self::from(&metadata))
    }

    /// The file that a path leads to.
    #[cfg(not(unix))]
    pub fn of(path: &Path) -> io::Result<Self> {
        std::fs::canonicalize(path).map(Self)
    }
}

#[cfg(unix)]
impl From<&std::fs::Metadata> for FileIdentity {
    fn from(metadata: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// Whether both paths lead to the same file. A path that leads nowhere is no file's.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((FileIdentity::of(one), FileIdentity::of(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn a_file_is_known_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let at = |name: &str| folder.path().join(name);
        fs::write(&file, b"same").unwrap();
        fs::write(at("other"), b"same").unwrap();
        fs::create_dir(at("below")).unwrap();
        fs::hard_link(&file, at("hard")).unwrap();
        std::os::unix::fs::symlink("file", at("soft")).unwrap();
        std::os::unix::fs::symlink("nothing", at("dangling")).unwrap();
        std::os::unix::fs::symlink(folder.path(), at("here")).unwrap();
        for name in ["file", "hard", "soft", "below/../file", "here/file"] {
            assert!(is_same_file(&at(name), &file), "{name}");
        }
        for name in ["other", "dangling", "nothing", "below"] {
            assert!(!is_same_file(&at(name), &file), "{name}");
        }
        assert!(!is_same_file(&at("nothing"), &at("nothing")));
        let open = fs::File::open(&file).unwrap();
        let by_number = format!("/proc/self/fd/{}", open.as_raw_fd());
        assert_eq!(is_same_file(Path::new(&by_number), &file), cfg!(target_os = "linux"));
    }
}
