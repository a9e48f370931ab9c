//! The node that an output's name leads to, and what is done with it.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(unix)]
use super::super::file_identity::FileIdentity;

/// Links that are followed; the systems follow about as many.
const MAX_LINKS: usize = 40;

/// Where an output goes.
#[derive(Debug)]
pub(super) enum Destination {
    /// A file that is to be there, at a path that is no link, and the regular file in its place.
    File { path: PathBuf, replaced: Option<Metadata> },
    /// An open pipe, device, terminal or descriptor.
    Stream(File),
}

/// The end of a chain of links.
enum Node {
    /// A name that nothing has yet.
    Absent(PathBuf),
    /// A node in a folder.
    Named(PathBuf, Metadata),
    /// The name of an open file: what it leads to may have no other.
    Descriptor(PathBuf),
}

impl Destination {
    /// Follows links; opens what is written into.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        match follow(path)? {
            Node::Absent(path) => Ok(Self::File { path, replaced: None }),
            Node::Named(path, found) if found.is_file() => Ok(Self::File { path, replaced: Some(found) }),
            Node::Named(path, _) => open_node(&path).map(Self::Stream),
            Node::Descriptor(path) => open_descriptor(&path).map(Self::Stream),
        }
    }
}

/// Whether a path is a name of the program's own stdout, such as `/dev/stdout`.
pub fn is_stdout(path: &Path) -> bool {
    matches!(follow(path), Ok(Node::Descriptor(path)) if leads_to_stdout(&path))
}

fn follow(path: &Path) -> io::Result<Node> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let folder = super::temporary::folder_of(&path).to_owned();
        if is_of_descriptors(&folder) {
            return Ok(Node::Descriptor(path));
        }
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => path = folder.join(fs::read_link(&path)?),
            Ok(found) => return Ok(Node::Named(path, found)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Node::Absent(path)),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("is a symbolic link with too many levels: expected a file"))
}

/// Whether the names in a folder are those of open files: `/proc/7/fd`, `/proc/7/task/8/fd`, `/dev/fd`.
fn is_of_descriptors(folder: &Path) -> bool {
    cfg!(unix)
        && folder.ends_with("fd")
        && fs::canonicalize(folder).is_ok_and(|folder| folder.starts_with("/proc") || folder == Path::new("/dev/fd"))
}

/// Opens what is neither a file nor nothing, as a shell would for `>`.
fn open_node(path: &Path) -> io::Result<File> {
    let refuse = |kind, message: &str| Err(io::Error::new(kind, message));
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_dir() {
        return refuse(io::ErrorKind::IsADirectory, "is a directory: expected a file");
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_socket(&metadata.file_type()) {
        return refuse(io::ErrorKind::InvalidInput, "is a socket: expected a file, pipe or device");
    }
    let file = File::options().write(true).open(path)?;
    // The name may be a file's by now, which is not written over from its beginning.
    if file.metadata()?.is_file() {
        return refuse(io::ErrorKind::InvalidInput, "has been replaced by a file: expected a pipe or device");
    }
    Ok(file)
}

/// Opens the file of a descriptor, emptied as by a shell's `>`; stdout goes on where it is.
fn open_descriptor(path: &Path) -> io::Result<File> {
    if leads_to_stdout(path) {
        return stdout();
    }
    let is_file = fs::metadata(path)?.is_file();
    File::options().write(true).truncate(is_file).open(path)
}

#[cfg(unix)]
fn stdout() -> io::Result<File> {
    use std::os::fd::AsFd as _;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

#[cfg(unix)]
fn leads_to_stdout(path: &Path) -> bool {
    let own = stdout().and_then(|file| file.metadata()).map(|metadata| FileIdentity::from(&metadata));
    matches!((own, FileIdentity::of(path)), (Ok(own), Ok(found)) if own == found)
}

/// Open files have no names here.
#[cfg(not(unix))]
fn stdout() -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn leads_to_stdout(_: &Path) -> bool {
    false
}
