//! Opening what is read.
//!
//! Everything that a program is told to read is a regular file. A pipe is waited for until somebody writes, a device has
//! no end, and opening one can already be an act; so both are refused before they are opened.
//! `tests/no_gpu/architecture` sees to it that files are opened here and nowhere else.

use std::fs::{self, File, FileType, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file for reading, and nothing else.
pub fn open_input(path: &Path) -> io::Result<File> {
    refuse_others(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // The name may lead elsewhere by now.
    refuse_others(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file whole. The caller has looked at its length.
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_input(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a regular file of text whole. The caller has looked at its length.
pub fn read_input_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open_input(path)?.read_to_string(&mut text)?;
    Ok(text)
}

fn refuse_others(metadata: &Metadata) -> io::Result<()> {
    let refuse = |kind, what: &str| Err(io::Error::new(kind, format!("is {what}: expected a regular file")));
    match metadata.file_type() {
        kind if kind.is_file() => Ok(()),
        kind if kind.is_dir() => refuse(io::ErrorKind::IsADirectory, "a directory"),
        kind => refuse(io::ErrorKind::InvalidInput, describe(kind)),
    }
}

#[cfg(unix)]
fn describe(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match kind {
        _ if kind.is_fifo() => "a pipe",
        _ if kind.is_socket() => "a socket",
        _ if kind.is_block_device() || kind.is_char_device() => "a device",
        _ => "no file",
    }
}

#[cfg(not(unix))]
fn describe(_: FileType) -> &'static str {
    "no file"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_opened() {
        let refused = |path: &str| open_input(Path::new(path)).unwrap_err();
        assert_eq!(refused(".").kind(), io::ErrorKind::IsADirectory);
        assert_eq!(refused(".").to_string(), "is a directory: expected a regular file");
        if cfg!(target_os = "linux") {
            assert_eq!(refused("/dev/zero").to_string(), "is a device: expected a regular file");
        }
    }
}
