//! Goldens as files: reading them, and writing them whole or not at all.

use std::io::{self, BufReader, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::GoldenError;
use crate::bytes::{open_input, write_output, write_scratch};
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

/// SHA-256 of a file's bytes, as 64 hex digits.
pub fn hash_file(path: &Path) -> Result<String, GoldenError> {
    let mut hasher = Sha256::new();
    let hashed = open_input(path).and_then(|mut file| io::copy(&mut file, &mut hasher));
    hashed.map_err(|source| GoldenError::Read { path: path.to_owned(), source })?;
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The one colour of a picture that shows nothing.
pub fn blank_color(picture: &Picture) -> Option<[u8; 4]> {
    let (first, rest) = picture.rgba().as_chunks::<4>().0.split_first()?;
    rest.iter().all(|pixel| pixel == first).then_some(*first)
}
