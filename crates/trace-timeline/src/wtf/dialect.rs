//! Which of the six forms a file has, from its first bytes.

use std::fmt;

/// The bytes of the magic number as the big-endian writers left them.
const MAGIC_BIG_ENDIAN: [u8; 4] = [0xde, 0xad, 0xbe, 0xef];
/// The same number as a little-endian writer leaves it.
const MAGIC_LITTLE_ENDIAN: [u8; 4] = [0xef, 0xbe, 0xad, 0xde];

/// Byte order of the integers of a file or an event buffer. Floats are little-endian in every version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Most significant byte first.
    Big,
    /// Least significant byte first.
    Little,
}

impl ByteOrder {
    /// Reads an unsigned 16-bit number.
    pub fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Big => u16::from_be_bytes(bytes),
            Self::Little => u16::from_le_bytes(bytes),
        }
    }

    /// Reads an unsigned 32-bit number.
    pub fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Big => u32::from_be_bytes(bytes),
            Self::Little => u32::from_le_bytes(bytes),
        }
    }
}

/// The form of a wtf-trace file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// Un-chunked, format 3, big-endian: what the writers of format 3 really wrote.
    V3Be,
    /// Un-chunked, format 3, little-endian: what the format's text says.
    V3Le,
    /// Chunked, format 10, big-endian.
    CffBe,
    /// Chunked, format 10, little-endian.
    CffLe,
    /// The chunks of format 10 as JSON.
    JsonCff,
    /// A JSON list of definitions and events, version 2.
    JsonV2,
}

impl Dialect {
    /// The stable short name, as `timeline info` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::V3Be => "v3-be",
            Self::V3Le => "v3-le",
            Self::CffBe => "cff-be",
            Self::CffLe => "cff-le",
            Self::JsonCff => "json-cff",
            Self::JsonV2 => "json-v2",
        }
    }

    /// Whether the bytes that begin a file can be a wtf-trace in one of the binary forms. Any length will do.
    pub fn has_binary_magic(first_bytes: &[u8]) -> bool {
        magic_order(first_bytes).is_some()
    }

    /// Whether text that begins like this can be a wtf-trace in one of the JSON forms.
    pub fn may_be_json(first_bytes: &[u8]) -> bool {
        looks_like_json(first_bytes)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The byte order that the magic tells, if the file begins with the magic.
pub(super) fn magic_order(first_bytes: &[u8]) -> Option<ByteOrder> {
    if first_bytes.starts_with(&MAGIC_BIG_ENDIAN) {
        Some(ByteOrder::Big)
    } else if first_bytes.starts_with(&MAGIC_LITTLE_ENDIAN) {
        Some(ByteOrder::Little)
    } else {
        None
    }
}

/// Whether text that begins like this can be a `.wtf-json` file.
pub(super) fn looks_like_json(first_bytes: &[u8]) -> bool {
    let text = first_bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first_bytes);
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_is_told_in_both_orders() {
        assert_eq!(magic_order(&[0xde, 0xad, 0xbe, 0xef, 9]), Some(ByteOrder::Big));
        assert_eq!(magic_order(&[0xef, 0xbe, 0xad, 0xde]), Some(ByteOrder::Little));
        assert_eq!(magic_order(&[0xde, 0xad, 0xbe]), None);
    }

    #[test]
    fn json_is_told_past_a_mark_and_spaces() {
        assert!(looks_like_json(b"\xef\xbb\xbf \n["));
        assert!(!looks_like_json(b"trace"));
    }
}
