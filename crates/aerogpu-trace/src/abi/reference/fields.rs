//! The field types of Appendix A packets.

use crate::abi::FieldValue;
use trace_base::bytes::{Cursor, OutOfBytes};

/// A type that a packet's field can have.
pub(super) trait Field: Copy {
    /// How many dwords it takes.
    const DWORDS: u32;

    /// Reads it from the packet.
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes>;

    /// Its value, for listings.
    fn value(self) -> FieldValue;

    /// Writes it as it is read.
    fn write(self, into: &mut Vec<u8>);
}

impl Field for u32 {
    const DWORDS: u32 = 1;

    #[inline]
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes> {
        cursor.u32_le()
    }

    fn value(self) -> FieldValue {
        FieldValue::Number(u64::from(self))
    }

    fn write(self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.to_le_bytes());
    }
}

impl Field for u64 {
    const DWORDS: u32 = 2;

    #[inline]
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes> {
        cursor.u64_le()
    }

    fn value(self) -> FieldValue {
        FieldValue::Number(self)
    }

    fn write(self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.to_le_bytes());
    }
}

impl Field for f32 {
    const DWORDS: u32 = 1;

    #[inline]
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes> {
        Ok(f32::from_bits(cursor.u32_le()?))
    }

    fn value(self) -> FieldValue {
        FieldValue::Float(self)
    }

    fn write(self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.to_bits().to_le_bytes());
    }
}
