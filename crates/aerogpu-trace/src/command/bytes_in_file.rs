//! Payloads of commands, which stay where they are: in the file.

use std::marker::PhantomData;
use std::ops::Range;

use crate::container::BlobId;

/// Bytes of the file that a command carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileBytes {
    /// Absolute file offset of the first.
    pub offset: u64,
    /// How many there are.
    pub size_bytes: u64,
}

impl FileBytes {
    /// Absolute file offsets.
    pub fn range(self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.size_bytes)
    }

    /// The first of them, `most_bytes` at most.
    #[must_use]
    pub fn up_to(self, most_bytes: u64) -> Self {
        Self { size_bytes: self.size_bytes.min(most_bytes), ..self }
    }
}

/// The bytes of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A blob of the trace, which may stand anywhere in it.
    Blob(BlobId),
    /// Bytes that the command itself carries.
    Inline(FileBytes),
}

/// Elements of one kind in a row, in the file. `abi::list_elements` reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileList<T> {
    /// Where they lie.
    pub bytes: FileBytes,
    /// How many there are.
    pub count: u32,
    element: PhantomData<fn() -> T>,
}

impl<T> FileList<T> {
    /// `count` elements that fill `bytes`.
    pub const fn new(bytes: FileBytes, count: u32) -> Self {
        Self { bytes, count, element: PhantomData }
    }
}
