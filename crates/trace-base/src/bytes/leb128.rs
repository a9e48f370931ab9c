//! Unsigned LEB128 of at most 64 bits.

use thiserror::Error;

use super::{Cursor, OutOfBytes};
use crate::error::{Classified, ErrorKind};

/// A number could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Leb128Error {
    /// The slice ended inside it; the offset is that of the first missing byte.
    #[error(transparent)]
    OutOfBytes(#[from] OutOfBytes),
    /// It has more than 64 bits.
    #[error("expected a LEB128 number of at most 64 bits, found a longer one, at {offset:#x}")]
    Overflow {
        /// Absolute file offset of its first byte.
        offset: u64,
    },
}

impl Classified for Leb128Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::OutOfBytes(error) => error.kind(),
            Self::Overflow { .. } => ErrorKind::Malformed,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::OutOfBytes(error) => error.offset(),
            Self::Overflow { offset } => Some(*offset),
        }
    }
}

/// A number and whether it was written in as few bytes as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leb128 {
    /// The number.
    pub value: u64,
    /// `false` if a shorter encoding exists.
    pub is_minimal: bool,
}

const CONTINUES: u64 = 0x8080_8080_8080_8080;

impl Cursor<'_> {
    /// The next unsigned LEB128 number.
    pub fn leb128_u64(&mut self) -> Result<Leb128, Leb128Error> {
        let start = self.offset();
        let mut ahead = *self;
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = ahead.u8()?;
            if shift == 63 && byte > 1 {
                return Err(Leb128Error::Overflow { offset: start });
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                *self = ahead;
                return Ok(Leb128 { value, is_minimal: shift == 0 || byte != 0 });
            }
        }
        Err(Leb128Error::Overflow { offset: start })
    }

    /// Steps over the next unsigned LEB128 number and says whether it was minimal; checks all that
    /// [`Cursor::leb128_u64`] checks, several times as fast.
    #[inline]
    pub fn skip_leb128(&mut self) -> Result<bool, Leb128Error> {
        let Some(word) = self.rest().first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes)) else {
            return Ok(self.leb128_u64()?.is_minimal);
        };
        // The lowest byte without the continuation bit is the last one. No branch depends on the length.
        let ends = !word & CONTINUES;
        if ends == 0 {
            return Ok(self.leb128_u64()?.is_minimal);
        }
        let last = ends.trailing_zeros() / 8;
        self.take(last as usize + 1)?;
        Ok(last == 0 || word >> (last * 8) & 0xff != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(bytes: &[u8]) -> Result<Leb128, Leb128Error> {
        let (mut reads, mut skips) = (Cursor::new(bytes, 0x10), Cursor::new(bytes, 0x10));
        let read = reads.leb128_u64();
        assert_eq!(skips.skip_leb128(), read.map(|number| number.is_minimal), "{bytes:x?}");
        assert_eq!(reads.offset(), skips.offset(), "{bytes:x?}");
        read
    }

    #[test]
    fn skipping_checks_what_reading_checks() {
        let number = |value, is_minimal| Ok(Leb128 { value, is_minimal });
        assert_eq!(both(&[0]), number(0, true));
        assert_eq!(both(&[0x7f, 0xff]), number(127, true));
        assert_eq!(both(&[0x80, 0x01]), number(128, true));
        assert_eq!(both(&[0x85, 0x80, 0x80, 0x00]), number(5, false));
        assert_eq!(both(&[0x85, 0x80, 0x80, 0x00, 1, 2, 3, 4, 5]), number(5, false));
        let mut longest = [0xff; 12];
        longest[9] = 1;
        assert_eq!(both(&longest), number(u64::MAX, true));
        longest[9] = 0;
        assert_eq!(both(&longest), number(u64::MAX >> 1, false));
        longest[9] = 2;
        assert_eq!(both(&longest), Err(Leb128Error::Overflow { offset: 0x10 }));
        assert_eq!(both(&[0x80; 11]), Err(Leb128Error::Overflow { offset: 0x10 }));
    }

    #[test]
    fn a_cut_number_names_the_missing_byte() {
        for length in 0..10 {
            let missing = OutOfBytes { wanted: 1, left: 0, offset: 0x10 + length as u64 };
            let bytes = vec![0x80; length];
            assert_eq!(both(&bytes), Err(missing.into()));
        }
    }
}
