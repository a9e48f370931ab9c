//! The 16 bytes at the front (spec: *Content*).
//!
//! ```text
//!  0        5   6      7      8                12            16
//!  ┌────────┬───┬──────┬──────┬────────────────┬─────────────┐
//!  │ WIP15  │_/-│major │minor │ max_functions  │ max_groups  │  u32, little-endian
//!  └────────┴───┴──────┴──────┴────────────────┴─────────────┘
//! ```

use super::Error;
use trace_base::bytes::Cursor;

/// First bytes of every WIP15 trace, old ones included.
pub const MAGIC: &[u8; 5] = b"WIP15";

/// Length of the header.
pub const HEADER_BYTES: usize = 16;

/// Byte order of the recording host. Numbers are little-endian regardless; floats and the contents of blobs are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// `_`
    Little,
    /// `-`
    Big,
}

impl Endian {
    /// `little` or `big`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Little => "little",
            Self::Big => "big",
        }
    }
}

/// The header. The version is always 0.0: it was never changed, whatever the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Byte order of the recording host.
    pub endian: Endian,
    /// Function indices are below this. The tracer's table size: a tenth of it is declared, and nothing may be
    /// allocated from it.
    pub max_functions: u32,
    /// Group indices are below this.
    pub max_groups: u32,
}

/// Whether `start`, the first bytes of a file, are those of a WIP15 trace of any version.
pub fn is_wip15(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

/// Reads the header from the first bytes of a file of `size_bytes` bytes.
pub(super) fn parse_header(start: &[u8], size_bytes: u64) -> Result<Header, Error> {
    let cut = Error::TruncatedHeader { offset: size_bytes };
    let compared = start.len().min(MAGIC.len());
    if start.get(..compared) != MAGIC.get(..compared) {
        let found = start.get(..compared).unwrap_or_default().escape_ascii().to_string();
        return Err(Error::BadMagic { found });
    }
    let mut cursor = Cursor::new(start, 0);
    let Ok(_) = cursor.take(MAGIC.len()) else { return Err(cut) };
    let Ok(mark) = cursor.u8() else { return Err(cut) };
    if cursor.rest().starts_with(b"0.0a") {
        return Err(Error::OldVersion);
    }
    let endian = match mark {
        b'_' => Endian::Little,
        b'-' => Endian::Big,
        found => return Err(Error::BadEndian { found }),
    };
    let (Ok(major), Ok(minor)) = (cursor.u8(), cursor.u8()) else { return Err(cut) };
    if (major, minor) != (0, 0) {
        return Err(Error::UnsupportedVersion { major, minor });
    }
    let (Ok(max_functions), Ok(max_groups)) = (cursor.u32_le(), cursor.u32_le()) else { return Err(cut) };
    Ok(Header { endian, max_functions, max_groups })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(bytes: &[u8]) -> &'static str {
        parse_header(bytes, bytes.len() as u64).unwrap_err().class()
    }

    #[test]
    fn headers_are_told_apart() {
        let good = b"WIP15-\0\0\x02\0\0\0\x01\0\0\0";
        let header = Header { endian: Endian::Big, max_functions: 2, max_groups: 1 };
        assert_eq!(parse_header(good, 16).unwrap(), header);
        for length in 0..16 {
            assert_eq!(class(&good[..length]), "truncated_header", "{length} bytes");
        }
        assert_eq!(class(b"WIP16_\0\0\0\0\0\0\0\0\0\0"), "bad_magic");
        assert_eq!(class(b"WIP15?\0\0\0\0\0\0\0\0\0\0"), "bad_endian");
        assert_eq!(class(b"WIP15_\0\x01\0\0\0\0\0\0\0\0"), "unsupported_version");
        let old = parse_header(b"WIP15_0.0a            ", 22).unwrap_err();
        assert!(matches!(old, Error::OldVersion));
        assert!(old.to_string().contains("0.0a"));
    }
}
