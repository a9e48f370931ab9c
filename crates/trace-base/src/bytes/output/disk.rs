//! The operations by which files and folders change on a disk.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A disk. What is written and renamed may be lost when the power fails, in any order, until it is synced.
pub trait Disk {
    /// An open file that is being made.
    type File;
    /// Makes an empty file, which must not be there.
    fn create(&self, path: &Path, access: Access) -> io::Result<Self::File>;
    /// Has a file take over owner and permissions of another one.
    fn make_like(&self, file: &Self::File, other: &Metadata);
    /// Appends some of the bytes; gives how many.
    fn write(&self, file: &mut Self::File, bytes: &[u8]) -> io::Result<usize>;
    /// Waits until what was written is on the disk. The file's name need not be.
    fn sync(&self, file: &Self::File) -> io::Result<()>;
    /// Moves a file or folder, over a file that is there, in one step.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file, if it is there.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Makes a folder.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Waits until the names that were made, moved and removed in a folder are on the disk.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
}

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everyone whom the umask allows.
    Everyone,
    /// Its owner.
    Owner,
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug)]
pub struct SystemDisk;

impl Disk for SystemDisk {
    type File = File;

    fn create(&self, path: &Path, access: Access) -> io::Result<File> {
        let mut options = File::options();
        options.write(true).read(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, if access == Access::Everyone { 0o666 } else { 0o600 });
        let _ = access;
        let file = options.open(path)?;
        // It tells others that somebody is at it. File systems without locks do without.
        let _ = file.lock();
        Ok(file)
    }

    fn make_like(&self, file: &File, other: &Metadata) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
            let is_anothers = file.metadata().is_ok_and(|own| (own.uid(), own.gid()) != (other.uid(), other.gid()));
            // Only root may give files away, and not every file system knows permissions: the file is its maker's then.
            if is_anothers {
                let _ = fchown(file, Some(other.uid()), Some(other.gid()));
            }
            let _ = file.set_permissions(fs::Permissions::from_mode(other.mode() & 0o777));
        }
        let _ = (file, other);
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
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

    #[cfg(unix)]
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
        match File::open(path).and_then(|folder| folder.sync_all()) {
            // A folder that may be written and not read, and file systems that do not sync folders.
            Err(error) if matches!(error.kind(), PermissionDenied | InvalidInput | Unsupported) => Ok(()),
            synced => synced,
        }
    }

    /// Folders can't be opened as files here; a rename is on the disk when the system says so.
    #[cfg(not(unix))]
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

/// A file of a disk, to be written by whoever knows nothing of disks.
pub(super) struct Through<'a, D: Disk> {
    pub(super) disk: &'a D,
    pub(super) file: &'a mut D::File,
}

impl<D: Disk> Write for Through<'_, D> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.write(self.file, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes a file of these bytes, and waits until they are on the disk.
pub fn write_new(disk: &impl Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = disk.create(path, Access::Everyone)?;
    Through { disk, file: &mut file }.write_all(bytes)?;
    disk.sync(&file)
}

/// Makes a folder and those above it that are missing, each on the disk before anything is put into it.
pub fn make_folders(disk: &impl Disk, folder: &Path) -> io::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.is_dir();
    let missing: Vec<PathBuf> = folder.ancestors().take_while(is_missing).map(Path::to_owned).collect();
    for folder in missing.iter().rev() {
        match disk.make_folder(folder) {
            // Somebody else was faster, or the path has a `..` in it.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
            made => made?,
        }
        disk.sync_folder(super::temporary::folder_of(folder))?;
    }
    Ok(())
}
