//! A compressed file as decoders read it.

use std::io::{self, BufRead, Read};

use super::compression::MAGIC_BYTES;
use super::{ByteSource, ReadError};

/// Bytes read at once.
const CHUNK_BYTES: u64 = 64 << 10;

/// A source that is read front to back, and knows how far it is.
pub(super) struct CompressedInput<'s> {
    source: &'s dyn ByteSource,
    chunk: Vec<u8>,
    /// Offset of the chunk in the source.
    start: u64,
    /// Bytes of the chunk that were taken.
    taken: usize,
    /// Whether more was wanted than there is.
    is_short: bool,
    /// Why the last read failed.
    failure: Option<ReadError>,
}

impl<'s> CompressedInput<'s> {
    pub(super) fn new(source: &'s dyn ByteSource) -> Self {
        Self { source, chunk: Vec::new(), start: 0, taken: 0, is_short: false, failure: None }
    }

    /// Offset of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.start + self.taken as u64
    }

    /// The next bytes, as many as tell a compression; fewer at the end.
    pub(super) fn peek(&self) -> Result<Vec<u8>, ReadError> {
        let left = self.source.size_bytes().saturating_sub(self.position());
        let mut bytes = vec![0; left.min(MAGIC_BYTES as u64) as usize];
        self.source.read_at(self.position(), &mut bytes)?;
        Ok(bytes)
    }

    /// Passes over bytes; gives `false` if there are not as many.
    pub(super) fn skip(&mut self, length: u64) -> bool {
        let end = self.position().saturating_add(length);
        let size = self.source.size_bytes();
        (self.start, self.taken) = (end.min(size), 0);
        self.chunk.clear();
        end <= size
    }

    /// Whether a decoder wanted more than there is.
    pub(super) fn is_short(&self) -> bool {
        self.is_short
    }

    /// Why the last read failed, if it did.
    pub(super) fn take_failure(&mut self) -> Option<ReadError> {
        self.failure.take()
    }
}

impl BufRead for CompressedInput<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.chunk.len() {
            self.start += self.taken as u64;
            self.taken = 0;
            let left = self.source.size_bytes().saturating_sub(self.start);
            self.chunk.resize(left.min(CHUNK_BYTES) as usize, 0);
            if let Err(error) = self.source.read_at(self.start, &mut self.chunk) {
                self.chunk.clear();
                let kind = error.source.kind();
                self.failure = Some(error);
                return Err(kind.into());
            }
            self.is_short |= self.chunk.is_empty();
        }
        Ok(self.chunk.get(self.taken..).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.taken = (self.taken + count).min(self.chunk.len());
    }
}

impl Read for CompressedInput<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let count = available.read(into)?;
        self.consume(count);
        Ok(count)
    }
}
