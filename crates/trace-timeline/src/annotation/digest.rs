//! Digests of files and of texts.

use std::fmt;
use std::io::{self, Write};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::Digests;
use trace_base::bytes::{ByteSource, ReadError, read_vec_at};

/// Bytes read at once.
const CHUNK_BYTES: u64 = 1 << 20;

/// Adds the file's size in bytes, and its digest if digests are taken.
pub(super) fn add_size(
    facts: &mut Map<String, Value>,
    source: &dyn ByteSource,
    digests: Digests,
) -> Result<(), ReadError> {
    facts.insert("size".into(), source.size_bytes().into());
    if digests == Digests::Taken {
        facts.insert("sha256".into(), file_digest(source)?.into());
    }
    Ok(())
}

fn file_digest(source: &dyn ByteSource) -> Result<String, ReadError> {
    let (mut digest, mut at) = (TextDigest::default(), 0);
    while at < source.size_bytes() {
        let length = (source.size_bytes() - at).min(CHUNK_BYTES);
        digest.sha256.update(read_vec_at(source, at, length as usize)?);
        at += length;
    }
    Ok(digest.hex())
}

/// Text of which only the digest and the number of lines are kept.
#[derive(Default)]
pub(super) struct TextDigest {
    sha256: Sha256,
    lines: u64,
}

impl TextDigest {
    fn update(&mut self, bytes: &[u8]) {
        self.sha256.update(bytes);
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    }

    /// How many lines have ended.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// The digest in hexadecimal.
    pub(super) fn hex(self) -> String {
        self.sha256.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Write for TextDigest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Write for TextDigest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.update(text.as_bytes());
        Ok(())
    }
}
