//! The types that a packet's fields can have, as they stand in the file.

use trace_base::bytes::{Cursor, OutOfBytes};

/// A field of fixed length, little-endian.
pub trait Wire: Copy {
    /// Its length in bytes.
    const BYTES: u32;
    /// Whether a packet may end before it.
    const IS_OPTIONAL: bool = false;

    /// Reads it, and advances.
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes>;

    /// Writes it as it is read.
    fn write(self, into: &mut Vec<u8>);

    /// Whether the packet ends before it.
    fn is_absent(self) -> bool {
        false
    }
}

/// The first `N` dwords; nothing if there are fewer.
pub(super) fn read_dwords<const N: usize>(bytes: &[u8]) -> Option<[u32; N]> {
    <[u32; N] as Wire>::parse(&mut Cursor::new(bytes, 0)).ok()
}

/// Writes dwords one behind another.
pub(super) fn write_dwords(dwords: &[u32], into: &mut Vec<u8>) {
    dwords.iter().for_each(|dword| dword.write(into));
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Wire for $type {
            const BYTES: u32 = size_of::<$type>() as u32;

            #[inline(always)]
            fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes> {
                Ok(<$type>::from_le_bytes(cursor.array()?))
            }

            fn write(self, into: &mut Vec<u8>) {
                into.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i32, f32);

impl<T: Wire + Default, const N: usize> Wire for [T; N] {
    const BYTES: u32 = T::BYTES * N as u32;

    #[inline(always)]
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes> {
        let mut array = [T::default(); N];
        for element in &mut array {
            *element = T::parse(cursor)?;
        }
        Ok(array)
    }

    fn write(self, into: &mut Vec<u8>) {
        self.into_iter().for_each(|element| element.write(into));
    }
}

/// There as a whole or not at all.
impl<T: Wire> Wire for Option<T> {
    const BYTES: u32 = T::BYTES;
    const IS_OPTIONAL: bool = true;

    #[inline(always)]
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes> {
        if cursor.left() < T::BYTES as usize { Ok(None) } else { T::parse(cursor).map(Some) }
    }

    fn write(self, into: &mut Vec<u8>) {
        if let Some(value) = self {
            value.write(into);
        }
    }

    fn is_absent(self) -> bool {
        self.is_none()
    }
}
