//! The one way to make a file, whoever asks for it.
//!
//! ```text
//!  path ──links──► nothing, or a regular file   temporary file beside it ► synced ► renamed ► folder synced
//!                  pipe, device, terminal       opened and written into, once all of it is there
//!                  the program's own stdout     written into
//!                  folder, socket               refused
//! ```
//!
//! A file that is made is whole or not there at all: an error or a signal removes the temporary file, and a power cut
//! leaves the old file or the new one. [`Disk`] has the few operations that this takes, so that tests can put a disk below
//! them that loses what was not synced.

mod destination;
mod disk;
#[cfg(any(test, feature = "testing"))]
pub mod lossy;
mod scratch;
mod temporary;
mod unfinished;

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use destination::Destination;
pub use destination::is_stdout;
pub use disk::write_new;
pub use disk::{Access, Disk, SystemDisk, make_folders};
pub use scratch::ScratchFolder;
pub use temporary::UNFINISHED_PREFIX;
pub use unfinished::Unfinished;
pub use unfinished::remove_unfinished;

/// Writes a file: whole or not at all where a regular file is or will be, into it where there is a pipe, device or
/// terminal. A file that is replaced keeps its permissions.
pub fn write_output<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    write_output_on(&SystemDisk, path, Access::Everyone, write)
}

/// Does what [`write_output`] does, on a disk of the caller's; a new file is for those of `access`.
pub fn write_output_on<E: From<io::Error>>(
    disk: &impl Disk,
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    match Destination::of(path)? {
        Destination::File { path, replaced } => temporary::replace(disk, &path, replaced.as_ref(), access, write),
        Destination::Stream(stream) => pour(stream, write),
    }
}

/// Writes a file of a [`ScratchFolder`], which is gone with it: nothing of it is synced.
pub fn write_scratch<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let mut file = io::BufWriter::new(File::create(path)?);
    write(&mut file)?;
    Ok(file.flush()?)
}

/// Writes into what is open, once all of it is there: whoever reads it gets nothing of what fails.
fn pour<E: From<io::Error>>(mut stream: File, write: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<(), E> {
    let mut whole = io::BufWriter::new(tempfile::tempfile()?);
    write(&mut whole)?;
    let mut whole = whole.into_inner().map_err(io::IntoInnerError::into_error)?;
    whole.rewind()?;
    io::copy(&mut whole, &mut stream)?;
    Ok(stream.flush()?)
}

/// Makes a folder and those above it that are missing, each on the disk before anything is put into it.
pub fn make_output_folder(folder: &Path) -> io::Result<()> {
    make_folders(&SystemDisk, folder)
}

#[cfg(test)]
mod tests;
