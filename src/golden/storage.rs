//! The few operations by which cases change on a disk, so that tests can let each of them fail.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// A disk.
pub(super) trait Storage {
    /// Writes a new file and waits until it is on the disk.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Moves a file or folder, over a file that is there.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file, if it is there.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Waits until what was made, moved and removed in a folder is on the disk.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// The real one.
pub(super) struct Disk;

impl Storage for Disk {
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create_new(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        // Elsewhere folders can't be opened as files; a rename is on the disk when the system says so.
        #[cfg(unix)]
        File::open(path)?.sync_all()?;
        let _ = path;
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod faulty {
    //! A disk that fails at one operation, counted.

    use std::cell::Cell;

    use super::*;

    /// How it fails.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// The process ends: nothing is done any more.
        Stop,
        /// There is no room: files may be moved and removed, and no longer written.
        FullDisk,
    }

    /// Carries out so many operations; the next one fails half-way.
    pub(crate) struct Faulty {
        left: Cell<u32>,
        fault: Fault,
        failed: Cell<bool>,
    }

    impl Faulty {
        pub(crate) fn after(operations: u32, fault: Fault) -> Self {
            Self { left: Cell::new(operations), fault, failed: Cell::new(false) }
        }

        /// Whether the fault has come up.
        pub(crate) fn has_failed(&self) -> bool {
            self.failed.get()
        }

        fn run(&self, needs_room: bool, whole: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
            let is_later = self.failed.get();
            let error = match self.fault {
                Fault::Stop => io::Error::other("stopped"),
                Fault::FullDisk => io::ErrorKind::StorageFull.into(),
            };
            match self.left.get() {
                0 if is_later && self.fault == Fault::FullDisk && !needs_room => whole(),
                0 => {
                    self.failed.set(true);
                    Err(error)
                }
                left => {
                    self.left.set(left - 1);
                    whole()
                }
            }
        }
    }

    impl Storage for Faulty {
        fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
            let is_first = !self.has_failed();
            let written = self.run(true, || Disk.write(path, bytes));
            if written.is_err() && is_first {
                // What a crash or a full disk leaves is not nothing.
                let _ = fs::write(path, &bytes[..bytes.len() / 2]);
            }
            written
        }

        fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
            self.run(false, || Disk.rename(from, to))
        }

        fn remove_file(&self, path: &Path) -> io::Result<()> {
            self.run(false, || Disk.remove_file(path))
        }

        fn make_folder(&self, path: &Path) -> io::Result<()> {
            self.run(true, || Disk.make_folder(path))
        }

        fn remove_folder(&self, path: &Path) -> io::Result<()> {
            self.run(false, || Disk.remove_folder(path))
        }

        fn sync_folder(&self, path: &Path) -> io::Result<()> {
            self.run(false, || Disk.sync_folder(path))
        }
    }
}
