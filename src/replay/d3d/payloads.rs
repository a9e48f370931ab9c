//! The bytes that commands carry.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::bytes::ReadError;
use crate::command::FileBytes;
use crate::replay::blob_store::BlobStore;

/// The stream whose commands are carried out, if somebody has it in memory.
#[derive(Default)]
pub(in crate::replay) struct Payloads {
    /// Absolute file offset of the first byte.
    start: u64,
    bytes: Arc<Vec<u8>>,
}

impl Payloads {
    /// Payloads of a stream whose bytes lie at the absolute file offset `start`.
    pub(in crate::replay) fn of_stream(start: u64, bytes: Arc<Vec<u8>>) -> Self {
        Self { start, bytes }
    }

    /// The bytes of a payload, from memory if they are there.
    pub(in crate::replay) fn read(&self, place: FileBytes, blobs: &BlobStore) -> Result<Cow<'_, [u8]>, ReadError> {
        self.read_range(place.range(), blobs)
    }

    /// Bytes of the file, from memory if they are there.
    pub(in crate::replay) fn read_range(
        &self,
        range: Range<u64>,
        blobs: &BlobStore,
    ) -> Result<Cow<'_, [u8]>, ReadError> {
        let held = range.start.checked_sub(self.start).zip(range.end.checked_sub(self.start));
        if let Some((start, end)) = held
            && let Some(bytes) = self.bytes.get(start as usize..end as usize)
        {
            return Ok(Cow::Borrowed(bytes));
        }
        blobs.trace().read(range).map(Cow::Owned)
    }
}
