//! The field types of Appendix A packets.

use std::fmt;

use crate::bytes::{Cursor, OutOfBytes};

/// A field's value, for listings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldValue {
    /// One dword.
    U32(u32),
    /// Two dwords, low half first.
    U64(u64),
    /// One dword holding the bits of an IEEE binary32.
    F32(f32),
}

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::U32(value) => value.fmt(f),
            Self::U64(value) => value.fmt(f),
            Self::F32(value) => value.fmt(f),
        }
    }
}

/// A type that a packet's field can have.
pub(super) trait Field: Copy {
    /// How many dwords it takes.
    const DWORDS: u32;

    /// Reads it from the packet.
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes>;

    /// Its value, for listings.
    fn value(self) -> FieldValue;
}

impl Field for u32 {
    const DWORDS: u32 = 1;

    #[inline]
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes> {
        cursor.u32_le()
    }

    fn value(self) -> FieldValue {
        FieldValue::U32(self)
    }
}

impl Field for u64 {
    const DWORDS: u32 = 2;

    #[inline]
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes> {
        cursor.u64_le()
    }

    fn value(self) -> FieldValue {
        FieldValue::U64(self)
    }
}

impl Field for f32 {
    const DWORDS: u32 = 1;

    #[inline]
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes> {
        Ok(f32::from_bits(cursor.u32_le()?))
    }

    fn value(self) -> FieldValue {
        FieldValue::F32(self)
    }
}
