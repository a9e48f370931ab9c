//! A disk that fails at one operation, counted.

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

use crate::bytes::output::{Access, Disk, SystemDisk};

/// Kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process ends: nothing is done any more.
    Stop,
    /// There is no room: files may be moved and removed, and no longer written.
    FullDisk,
}

/// Carries out so many operations; the next one fails half-way.
pub(super) struct Faulty {
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

    fn run<T>(&self, needs_room: bool, whole: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
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

impl Disk for Faulty {
    type File = File;

    fn create(&self, path: &Path, access: Access) -> io::Result<File> {
        self.run(true, || SystemDisk.create(path, access))
    }

    fn make_like(&self, file: &File, other: &Metadata) {
        SystemDisk.make_like(file, other);
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        let is_first = !self.has_failed();
        let written = self.run(true, || SystemDisk.write(file, bytes));
        if written.is_err() && is_first {
            // What a crash or a full disk leaves is not nothing.
            let _ = SystemDisk.write(file, &bytes[..bytes.len() / 2]);
        }
        written
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.run(true, || SystemDisk.sync(file))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.run(false, || SystemDisk.rename(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.run(false, || SystemDisk.remove_file(path))
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.run(true, || SystemDisk.make_folder(path))
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.run(false, || SystemDisk.remove_folder(path))
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.run(false, || SystemDisk.sync_folder(path))
    }
}
