//! Goldens as files: reading them, and writing them whole or not at all.

use std::io::{self, BufReader, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::GoldenError;
use crate::bytes::{ByteSource, FileSource, OpenError, ReadError, Window, open_input, write_output, write_scratch};
use crate::pixels::{Picture, PictureFileError, read_png, write_png};

/// A golden as it was found.
pub enum Golden {
    /// A picture.
    Found(Picture),
    /// No such file.
    Missing,
    /// A file that is no golden, and why.
    Unusable(String),
}

/// Reads a golden.
pub fn read_golden(path: &Path) -> Golden {
    let file = match open_input(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Golden::Missing,
        Err(error) => return Golden::Unusable(error.to_string()),
    };
    match read_png(BufReader::new(file)) {
        Ok(picture) => Golden::Found(picture),
        Err(error) => Golden::Unusable(error.to_string()),
    }
}

/// Writes a picture; a file that was there stays if that fails.
pub fn write_picture(path: &Path, picture: &Picture) -> Result<(), GoldenError> {
    write_output(path, |out: &mut dyn Write| -> Result<(), PictureFileError> { write_png(picture, &[], out) })
        .map_err(|source| GoldenError::Write { path: path.to_owned(), source })
}

/// Writes a picture into a folder that is gone when its reader has read it.
pub(super) fn write_scratch_picture(path: &Path, picture: &Picture) -> Result<(), GoldenError> {
    write_scratch(path, |out: &mut dyn Write| -> Result<(), PictureFileError> { write_png(picture, &[], out) })
        .map_err(|source| GoldenError::Write { path: path.to_owned(), source })
}

/// A picture as the bytes of its file, which is to be at `path`.
pub(super) fn png_bytes(path: &Path, picture: &Picture) -> Result<Vec<u8>, GoldenError> {
    let mut bytes = Vec::new();
    write_png(picture, &[], &mut bytes).map_err(|source| GoldenError::Write { path: path.to_owned(), source })?;
    Ok(bytes)
}

/// Writes a text; a file that was there stays if that fails.
pub fn write_text(path: &Path, text: &str) -> Result<(), GoldenError> {
    write_output(path, |out: &mut dyn Write| -> Result<(), PictureFileError> { Ok(out.write_all(text.as_bytes())?) })
        .map_err(|source| GoldenError::Write { path: path.to_owned(), source })
}

/// SHA-256 of a trace's bytes, as 64 hex digits. Of a compressed file it is the hash of what it holds.
pub fn hash_trace(path: &Path) -> Result<String, GoldenError> {
    let path_of = || path.to_owned();
    let source = FileSource::open(path).map_err(|error| match error {
        OpenError::System(source) => GoldenError::Read { path: path_of(), source },
        OpenError::Decode(error) => GoldenError::Compressed { path: path_of(), error },
    })?;
    hash_source(&source).map_err(|error| GoldenError::Read { path: path_of(), source: error.source })
}

/// SHA-256 of all bytes of a source, as 64 hex digits.
pub(super) fn hash_source(source: &dyn ByteSource) -> Result<String, ReadError> {
    let mut hasher = Sha256::new();
    let (mut window, mut at) = (Window::new(source), 0);
    while at < source.size_bytes() {
        window.extend(at)?;
        let seen = window.cursor(at);
        hasher.update(seen.rest());
        at += seen.left() as u64;
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The one colour of a picture that shows nothing.
pub fn blank_color(picture: &Picture) -> Option<[u8; 4]> {
    let (first, rest) = picture.rgba().as_chunks::<4>().0.split_first()?;
    rest.iter().all(|pixel| pixel == first).then_some(*first)
}
