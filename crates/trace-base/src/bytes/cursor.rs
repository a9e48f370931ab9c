//! A slice reader that reports *file* offsets.

use thiserror::Error;

use crate::error::{Classified, ErrorKind};
use crate::text::counted;

/// A read wanted more bytes than were left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {wanted_bytes}, found {left}, at {offset:#x}", wanted_bytes = counted(.wanted, "more byte"))]
pub struct OutOfBytes {
    /// How many bytes the read asked for.
    pub wanted: u64,
    /// How many were left.
    pub left: u64,
    /// Absolute file offset at which the read began.
    pub offset: u64,
}

impl Classified for OutOfBytes {
    fn kind(&self) -> ErrorKind {
        ErrorKind::CutShort
    }

    fn offset(&self) -> Option<u64> {
        Some(self.offset)
    }
}

/// Walks a byte slice front to back, knowing where in the file the slice lies.
///
/// Every read either succeeds and advances, or fails and leaves the cursor where it was.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
    offset: u64,
}

macro_rules! read_number {
    ($($(#[$doc:meta])* $name:ident -> $type:ty = $from:ident;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(&mut self) -> Result<$type, OutOfBytes> {
            Ok(<$type>::$from(self.array()?))
        }
    )*};
}

impl<'a> Cursor<'a> {
    /// A cursor over `bytes`, whose first byte lies at the absolute file offset `offset`.
    #[inline]
    pub fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self { rest: bytes, offset }
    }

    /// Absolute file offset of the next byte.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Number of bytes left.
    #[inline]
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Whether no byte is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The bytes that are left, without advancing.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], OutOfBytes> {
        let Some((head, tail)) = self.rest.split_at_checked(count) else {
            return Err(self.out_of_bytes(count));
        };
        self.rest = tail;
        self.offset = self.offset.saturating_add(count as u64);
        Ok(head)
    }

    /// The next `N` bytes as an array.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], OutOfBytes> {
        let Some((head, tail)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.out_of_bytes(N));
        };
        self.rest = tail;
        self.offset = self.offset.saturating_add(N as u64);
        Ok(*head)
    }

    /// The next byte.
    #[inline]
    pub fn u8(&mut self) -> Result<u8, OutOfBytes> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    read_number! {
        /// The next two bytes, little-endian.
        u16_le -> u16 = from_le_bytes;
        /// The next four bytes, little-endian.
        u32_le -> u32 = from_le_bytes;
        /// The next eight bytes, little-endian.
        u64_le -> u64 = from_le_bytes;
        /// The next two bytes, big-endian.
        u16_be -> u16 = from_be_bytes;
        /// The next four bytes, big-endian.
        u32_be -> u32 = from_be_bytes;
    }

    #[cold]
    fn out_of_bytes(&self, wanted: usize) -> OutOfBytes {
        OutOfBytes { wanted: wanted as u64, left: self.rest.len() as u64, offset: self.offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_advance_and_know_the_file_offset() {
        let mut cursor = Cursor::new(&[1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 9], 0x100);
        assert_eq!(cursor.u8(), Ok(1));
        assert_eq!(cursor.u16_le(), Ok(2));
        assert_eq!(cursor.u32_le(), Ok(3));
        assert_eq!(cursor.u64_le(), Ok(4));
        assert_eq!((cursor.offset(), cursor.left()), (0x10f, 1));
        assert_eq!(cursor.take(1), Ok([9u8].as_slice()));
        assert!(cursor.is_empty());
    }

    #[test]
    fn big_endian_reads_mirror_little_endian_ones() {
        let mut cursor = Cursor::new(&[1, 2, 1, 2, 3, 4], 0);
        assert_eq!(cursor.u16_be(), Ok(0x0102));
        assert_eq!(cursor.u32_be(), Ok(0x0102_0304));
    }

    #[test]
    fn a_read_past_the_end_says_where_and_leaves_the_cursor() {
        let mut cursor = Cursor::new(&[1, 2, 3], 0x20);
        let error = cursor.u32_le().unwrap_err();
        assert_eq!(error, OutOfBytes { wanted: 4, left: 3, offset: 0x20 });
        assert_eq!(error.to_string(), "expected 4 more bytes, found 3, at 0x20");
        assert_eq!(cursor.u16_le(), Ok(0x0201));
    }
}
