//! The frame index at the file's end.

use super::error::FormatError;
use super::header::{expect_magic, number};
#[cfg(feature = "reader")]
use crate::limits::MAX_FRAMES;
use trace_base::bytes::{Cursor, Diagnostics};

/// Length of the TOC's own header in bytes.
pub const TOC_HEADER_BYTES: u64 = 16;
/// Length of one [`FrameEntry`] in the file, in bytes.
pub const FRAME_ENTRY_BYTES: u64 = 32;

pub(super) const TOC_MAGIC: &[u8; 8] = b"AEROTOC\0";

/// One entry of the TOC (specification, "Frame entry").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameEntry {
    /// Normally the entry's position.
    pub frame_index: u32,
    /// Reserved, 0 in version 1.
    pub flags: u32,
    /// Absolute file offset of the frame's first record.
    pub start_offset: u64,
    /// Absolute file offset of the Present record, 0 if there is none.
    pub present_offset: u64,
    /// Absolute file offset after the frame's last record.
    pub end_offset: u64,
}

/// The frame index (specification, "TraceToc").
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceToc {
    /// The entries, in file order.
    pub entries: Vec<FrameEntry>,
}

impl TraceToc {
    /// Parses a TOC of `bytes`, which lies at the absolute file offset `offset` and indexes `stream`.
    pub fn parse(
        bytes: &[u8],
        offset: u64,
        stream: &std::ops::Range<u64>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(bytes, offset);
        expect_magic(&mut cursor, "a TOC", "AEROTOC\\0", TOC_MAGIC)?;
        let found = number(cursor.u32_le())?;
        if found != 1 {
            return Err(FormatError::UnsupportedTocVersion { found, offset: offset + 8 });
        }
        let frame_count = u64::from(number(cursor.u32_le())?);
        let expected = TOC_HEADER_BYTES + FRAME_ENTRY_BYTES * frame_count;
        if bytes.len() as u64 != expected {
            let found = bytes.len() as u64;
            return Err(FormatError::BadSize {
                field: "toc_len (against the TOC's frame_count)",
                found,
                expected,
                offset: offset + 12,
            });
        }
        let mut entries = Vec::with_capacity(cursor.left() / FRAME_ENTRY_BYTES as usize);
        let mut previous_end = stream.start;
        while !cursor.is_empty() {
            let entry = FrameEntry::parse(&mut cursor, stream, entries.len() as u64, previous_end, diagnostics)?;
            previous_end = entry.end_offset;
            entries.push(entry);
        }
        Ok(Self { entries })
    }

    /// The TOC as it stands in the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(TOC_HEADER_BYTES as usize + self.entries.len() * FRAME_ENTRY_BYTES as usize);
        bytes.extend_from_slice(TOC_MAGIC);
        bytes.extend_from_slice(&1u32.to_le_bytes());
        bytes.extend_from_slice(&(self.entries.len() as u32).to_le_bytes());
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.frame_index.to_le_bytes());
            bytes.extend_from_slice(&entry.flags.to_le_bytes());
            bytes.extend_from_slice(&entry.start_offset.to_le_bytes());
            bytes.extend_from_slice(&entry.present_offset.to_le_bytes());
            bytes.extend_from_slice(&entry.end_offset.to_le_bytes());
        }
        bytes
    }
}

impl FrameEntry {
    fn parse(
        cursor: &mut Cursor<'_>,
        stream: &std::ops::Range<u64>,
        position: u64,
        previous_end: u64,
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, FormatError> {
        let offset = cursor.offset();
        let entry = Self {
            frame_index: number(cursor.u32_le())?,
            flags: number(cursor.u32_le())?,
            start_offset: number(cursor.u64_le())?,
            present_offset: number(cursor.u64_le())?,
            end_offset: number(cursor.u64_le())?,
        };
        entry.check(stream, offset)?;
        if entry.start_offset < previous_end {
            let start = entry.start_offset;
            return Err(FormatError::FramesOverlap { frame: position, start, previous_end, offset });
        }
        if u64::from(entry.frame_index) != position {
            diagnostics.note(offset, format!("TOC entry {position} has frame_index {}", entry.frame_index));
        }
        if entry.flags != 0 {
            diagnostics.note(offset + 4, format!("flags of TOC entry {position} are {:#x}, expected 0", entry.flags));
        }
        Ok(entry)
    }

    fn check(&self, stream: &std::ops::Range<u64>, offset: u64) -> Result<(), FormatError> {
        let (start, end) = (self.start_offset, self.end_offset);
        if start < stream.start || end > stream.end || start > end {
            let (low, high) = (stream.start, stream.end);
            return Err(FormatError::OutOfBounds { what: "frame", start, end, low, high, offset: offset + 8 });
        }
        let present = self.present_offset;
        if present != 0 && !(start..=end).contains(&present) {
            let what = "the frame's Present record";
            let end_of_present = present.saturating_add(super::RECORD_HEADER_BYTES);
            let (low, high, offset) = (start, end, offset + 16);
            return Err(FormatError::OutOfBounds { what, start: present, end: end_of_present, low, high, offset });
        }
        Ok(())
    }
}

#[cfg(feature = "reader")]
/// The frame count a TOC of `toc_len` bytes has room for, against the cap.
pub(super) fn check_toc_len(toc_len: u64, offset: u64) -> Result<(), FormatError> {
    if toc_len < TOC_HEADER_BYTES {
        return Err(FormatError::BadSize { field: "toc_len", found: toc_len, expected: TOC_HEADER_BYTES, offset });
    }
    let found = (toc_len - TOC_HEADER_BYTES) / FRAME_ENTRY_BYTES;
    if found > MAX_FRAMES {
        return Err(FormatError::OverLimit { what: "the TOC's number of frames", found, limit: MAX_FRAMES, offset });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(frame_index: u32, start_offset: u64, present_offset: u64, end_offset: u64) -> FrameEntry {
        FrameEntry { frame_index, flags: 0, start_offset, present_offset, end_offset }
    }

    fn parse(entries: &[FrameEntry]) -> Result<TraceToc, FormatError> {
        let toc = TraceToc { entries: entries.to_vec() };
        TraceToc::parse(&toc.to_bytes(), 0x1000, &(100..500), &mut Diagnostics::new())
    }

    #[test]
    fn entries_come_back_as_written() {
        let entries = [entry(0, 100, 188, 200), entry(1, 210, 0, 500)];
        assert_eq!(parse(&entries).unwrap().entries, entries);
        assert!(parse(&[]).unwrap().entries.is_empty());
    }

    #[test]
    fn entries_outside_the_stream_are_refused_at_their_field() {
        for bad in [entry(0, 99, 0, 200), entry(0, 100, 0, 501), entry(0, 300, 0, 200), entry(0, u64::MAX, 0, 0)] {
            let error = parse(&[bad]).unwrap_err();
            assert!(matches!(error, FormatError::OutOfBounds { what: "frame", offset: 0x1018, .. }), "{error}");
        }
        let error = parse(&[entry(0, 100, 201, 200)]).unwrap_err();
        assert!(matches!(error, FormatError::OutOfBounds { offset: 0x1020, .. }), "{error}");
    }

    #[test]
    fn overlapping_entries_are_refused() {
        let error = parse(&[entry(0, 100, 0, 200), entry(1, 199, 0, 300)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "frame 1 starts at 0xc7: expected it at or after 0xc8, where the previous frame ends, at 0x1030"
        );
    }

    #[test]
    fn a_count_that_does_not_fit_the_length_is_refused() {
        let mut bytes = TraceToc::default().to_bytes();
        bytes[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = TraceToc::parse(&bytes, 0, &(0..10), &mut Diagnostics::new()).unwrap_err();
        assert!(matches!(error, FormatError::BadSize { expected: 137438953456, .. }), "{error}");
    }
}
