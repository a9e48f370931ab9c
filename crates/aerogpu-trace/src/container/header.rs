//! Header and footer: the two fixed structures at the file's ends.

use super::error::FormatError;
use trace_base::bytes::{Cursor, Diagnostics, OutOfBytes};

/// Length of [`TraceHeader`] in the file, in bytes.
pub const HEADER_BYTES: u64 = 32;
/// Length of [`TraceFooter`] in the file, in bytes.
pub const FOOTER_BYTES: u64 = 32;

pub(super) const HEADER_MAGIC: &[u8; 8] = b"AEROGPUT";
pub(super) const FOOTER_MAGIC: &[u8; 8] = b"AEROGPUF";

/// Whether `start`, the first bytes of a file, are those of an AeroGPU trace.
pub fn is_aerogpu(start: &[u8]) -> bool {
    start.starts_with(HEADER_MAGIC)
}

/// Container versions that this build reads.
pub(super) const CONTAINER_VERSIONS: std::ops::RangeInclusive<u32> = 1..=2;

/// The first 32 bytes (specification, "TraceHeader").
///
/// | offset | field | |
/// |---|---|---|
/// | 0 | magic | `AEROGPUT` |
/// | 8 | header_size | 32 |
/// | 12 | container_version | 1 or 2 |
/// | 16 | command_abi_version | advisory: dispatch looks at the packets |
/// | 20 | flags | 0 |
/// | 24 | meta_len | bytes of JSON that follow |
/// | 28 | reserved | 0 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceHeader {
    /// Version of the container.
    pub container_version: u32,
    /// Version of the command packet ABI that the recorder claims.
    pub command_abi_version: u32,
    /// Reserved, 0 in version 1.
    pub flags: u32,
    /// Length of the meta JSON in bytes.
    pub meta_len: u32,
    /// Reserved, 0 in version 1.
    pub reserved: u32,
}

/// The last 32 bytes (specification, "TraceFooter").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceFooter {
    /// Version of the container; equals the header's.
    pub container_version: u32,
    /// Absolute file offset of the TOC.
    pub toc_offset: u64,
    /// Length of the TOC in bytes.
    pub toc_len: u64,
}

impl TraceHeader {
    /// Parses the header from the file's first 32 bytes.
    ///
    /// The version is judged before any field that depends on it. Reserved fields that are not 0 are findings.
    pub fn parse(bytes: &[u8], diagnostics: &mut Diagnostics) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(bytes, 0);
        expect_magic(&mut cursor, "an AeroGPU trace", "AEROGPUT", HEADER_MAGIC)?;
        let header_size = number(cursor.u32_le())?;
        let container_version = expect_version(&mut cursor)?;
        if u64::from(header_size) != HEADER_BYTES {
            let found = u64::from(header_size);
            return Err(FormatError::BadSize { field: "header_size", found, expected: HEADER_BYTES, offset: 8 });
        }
        let header = Self {
            container_version,
            command_abi_version: number(cursor.u32_le())?,
            flags: number(cursor.u32_le())?,
            meta_len: number(cursor.u32_le())?,
            reserved: number(cursor.u32_le())?,
        };
        if header.flags != 0 {
            diagnostics.note(20, format!("header flags are {:#x}, expected 0", header.flags));
        }
        if header.reserved != 0 {
            diagnostics.note(28, format!("the header's reserved field is {:#x}, expected 0", header.reserved));
        }
        Ok(header)
    }

    /// The header as it stands in the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = HEADER_MAGIC.to_vec();
        let fields = [HEADER_BYTES as u32, self.container_version, self.command_abi_version, self.flags];
        for field in fields.into_iter().chain([self.meta_len, self.reserved]) {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        bytes
    }
}

impl TraceFooter {
    /// Parses the footer, which lies at the absolute file offset `offset`, against the header's version.
    pub fn parse(bytes: &[u8], offset: u64, header: &TraceHeader) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(bytes, offset);
        expect_magic(&mut cursor, "a trace footer", "AEROGPUF", FOOTER_MAGIC)?;
        let footer_size = u64::from(number(cursor.u32_le())?);
        if footer_size != FOOTER_BYTES {
            let offset = offset + 8;
            return Err(FormatError::BadSize {
                field: "footer_size",
                found: footer_size,
                expected: FOOTER_BYTES,
                offset,
            });
        }
        let footer = number(cursor.u32_le())?;
        if footer != header.container_version {
            let header = header.container_version;
            return Err(FormatError::VersionMismatch { footer, header, offset: offset + 12 });
        }
        Ok(Self { container_version: footer, toc_offset: number(cursor.u64_le())?, toc_len: number(cursor.u64_le())? })
    }

    /// The footer as it stands in the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = FOOTER_MAGIC.to_vec();
        bytes.extend_from_slice(&(FOOTER_BYTES as u32).to_le_bytes());
        bytes.extend_from_slice(&self.container_version.to_le_bytes());
        bytes.extend_from_slice(&self.toc_offset.to_le_bytes());
        bytes.extend_from_slice(&self.toc_len.to_le_bytes());
        bytes
    }
}

/// Reads eight bytes and compares them with a structure's magic.
pub(super) fn expect_magic(
    cursor: &mut Cursor<'_>,
    what: &'static str,
    expected: &'static str,
    magic: &[u8; 8],
) -> Result<(), FormatError> {
    let offset = cursor.offset();
    let found: [u8; 8] = number(cursor.array())?;
    if &found != magic { Err(FormatError::BadMagic { what, expected, found, offset }) } else { Ok(()) }
}

fn expect_version(cursor: &mut Cursor<'_>) -> Result<u32, FormatError> {
    let offset = cursor.offset();
    let found = number(cursor.u32_le())?;
    if !CONTAINER_VERSIONS.contains(&found) {
        return Err(FormatError::UnsupportedContainerVersion { found, offset });
    }
    Ok(found)
}

/// A read inside a structure whose full length is already in memory.
pub(super) fn number<T>(read: Result<T, OutOfBytes>) -> Result<T, FormatError> {
    read.map_err(|source| FormatError::CutShort { what: "fixed-size", source })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: TraceHeader =
        TraceHeader { container_version: 1, command_abi_version: 1, flags: 0, meta_len: 56, reserved: 0 };

    #[test]
    fn header_and_footer_come_back_as_written() {
        let mut diagnostics = Diagnostics::new();
        assert_eq!(TraceHeader::parse(&HEADER.to_bytes(), &mut diagnostics).unwrap(), HEADER);
        assert!(diagnostics.is_empty());
        let footer = TraceFooter { container_version: 1, toc_offset: 0x5b7, toc_len: 48 };
        assert_eq!(TraceFooter::parse(&footer.to_bytes(), 0x5e7, &HEADER).unwrap(), footer);
    }

    #[test]
    fn a_later_version_is_refused_before_its_sizes_are_judged() {
        let mut bytes = HEADER.to_bytes();
        bytes[8] = 64;
        bytes[12] = 3;
        let error = TraceHeader::parse(&bytes, &mut Diagnostics::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "container version 3 is not supported: this build reads versions 1 and 2, at 0xc"
        );
    }

    #[test]
    fn reserved_fields_are_findings() {
        let mut diagnostics = Diagnostics::new();
        let header = TraceHeader { flags: 1, reserved: 2, ..HEADER };
        TraceHeader::parse(&header.to_bytes(), &mut diagnostics).unwrap();
        let offsets: Vec<u64> = diagnostics.findings().iter().map(|finding| finding.offset).collect();
        assert_eq!(offsets, [20, 28]);
    }

    #[test]
    fn a_footer_of_another_version_names_both() {
        let footer = TraceFooter { container_version: 2, toc_offset: 0, toc_len: 0 };
        let error = TraceFooter::parse(&footer.to_bytes(), 0x100, &HEADER).unwrap_err();
        assert_eq!(error.to_string(), "footer says container version 2, header says 1, at 0x10c");
    }
}
