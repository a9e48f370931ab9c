//! The AerogpuSubmission record of container version 2: one ring descriptor with its memory.

use super::blob_id::BlobId;
#[cfg(feature = "reader")]
use super::error::FormatError;

#[cfg(feature = "reader")]
use trace_base::bytes::{Cursor, OutOfBytes};

/// Length of the fixed part in bytes.
pub const SUBMISSION_BYTES: u32 = 56;
/// Length of one memory range in bytes.
pub const MEMORY_RANGE_BYTES: u64 = 32;

/// A submission's fixed part and memory ranges.
///
/// | offset | field | | offset | field |
/// |---|---|---|---|---|
/// | 0 | record_version u32 | | 24 | signal_fence u64 |
/// | 4 | header_size u32 | | 32 | cmd_stream_blob_id u64 |
/// | 8 | submit_flags u32 | | 40 | alloc_table_blob_id u64 |
/// | 12 | context_id u32 | | 48 | memory_range_count u32 |
/// | 16 | engine_id u32 | | 52 | reserved u32 |
/// | 20 | reserved u32 | | header_size | 32 bytes a memory range |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submission {
    /// Version of this record's layout.
    pub record_version: u32,
    /// Bit 0: PRESENT, bit 1: NO_IRQ.
    pub submit_flags: u32,
    /// Which context's state the stream runs in.
    pub context_id: u32,
    /// Which engine ran it.
    pub engine_id: u32,
    /// Reserved, 0.
    pub reserved0: u32,
    /// Fence value signalled at its end.
    pub signal_fence: u64,
    /// The `ACMD` stream.
    pub cmd_stream_blob_id: BlobId,
    /// The `ALOC` table, 0 for none.
    pub alloc_table_blob_id: BlobId,
    /// Reserved, 0.
    pub reserved1: u32,
    /// What the header holds behind the fields known here. Normally nothing.
    pub header_tail: Vec<u8>,
    /// Guest memory captured with the submission.
    pub memory_ranges: Vec<MemoryRange>,
    /// What follows the memory ranges. Normally nothing.
    pub tail: Vec<u8>,
}

/// One captured range of guest memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRange {
    /// The allocation it belongs to.
    pub alloc_id: u32,
    /// Bit 0: READONLY.
    pub flags: u32,
    /// Guest physical address of its first byte.
    pub gpa: u64,
    /// Its length in bytes.
    pub size_bytes: u64,
    /// The blob holding its bytes.
    pub blob_id: BlobId,
}

#[cfg(feature = "reader")]
impl Submission {
    /// Parses the payload of a record that starts at the absolute file offset `record_offset`.
    pub(super) fn parse(payload: &[u8], record_offset: u64, payload_offset: u64) -> Result<Self, FormatError> {
        let cut_short = |source| FormatError::CutShort { what: "AerogpuSubmission", source };
        let mut cursor = Cursor::new(payload, payload_offset);
        let (mut submission, header_size, count) = Self::parse_head(&mut cursor, payload.len() as u64, record_offset)?;
        submission.header_tail = cursor.take((header_size - SUBMISSION_BYTES) as usize).map_err(cut_short)?.to_vec();
        // The payload holds as many.
        submission.memory_ranges.reserve_exact(count as usize);
        for _ in 0..count {
            submission.memory_ranges.push(MemoryRange::parse(&mut cursor).map_err(cut_short)?);
        }
        submission.tail = cursor.rest().to_vec();
        Ok(submission)
    }

    /// Parses the fixed part of a payload of `payload_len` bytes, which is all that can be wrong with it; gives the header's
    /// length and the number of memory ranges too.
    pub(super) fn parse_head(
        cursor: &mut Cursor<'_>,
        payload_len: u64,
        record_offset: u64,
    ) -> Result<(Self, u32, u32), FormatError> {
        let bad_length = |expected| FormatError::BadPayloadLength {
            what: "AerogpuSubmission",
            found: payload_len,
            expected,
            offset: record_offset,
        };
        if payload_len < u64::from(SUBMISSION_BYTES) {
            return Err(bad_length("at least 56"));
        }
        let head = Self::parse_fixed(cursor);
        let head = head.map_err(|source| FormatError::CutShort { what: "AerogpuSubmission", source })?;
        let (_, header_size, count) = &head;
        let ranges_bytes = u64::from(*count) * MEMORY_RANGE_BYTES;
        if *header_size < SUBMISSION_BYTES || u64::from(*header_size) + ranges_bytes > payload_len {
            return Err(bad_length("header_size of at least 56, followed by 32 bytes per memory range"));
        }
        Ok(head)
    }

    /// The fields known here, with the header's length and the number of memory ranges.
    fn parse_fixed(cursor: &mut Cursor<'_>) -> Result<(Self, u32, u32), OutOfBytes> {
        let record_version = cursor.u32_le()?;
        let header_size = cursor.u32_le()?;
        let mut submission = Self {
            record_version,
            submit_flags: cursor.u32_le()?,
            context_id: cursor.u32_le()?,
            engine_id: cursor.u32_le()?,
            reserved0: cursor.u32_le()?,
            signal_fence: cursor.u64_le()?,
            cmd_stream_blob_id: BlobId(cursor.u64_le()?),
            alloc_table_blob_id: BlobId(cursor.u64_le()?),
            ..Self::default()
        };
        let count = cursor.u32_le()?;
        submission.reserved1 = cursor.u32_le()?;
        Ok((submission, header_size, count))
    }
}

impl Submission {
    /// Length of the header in bytes.
    pub fn header_size(&self) -> u64 {
        u64::from(SUBMISSION_BYTES) + self.header_tail.len() as u64
    }

    /// The payload of the record; nothing if a length or a count does not fit its field.
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        let header_size = u32::try_from(self.header_size()).ok()?;
        let count = u32::try_from(self.memory_ranges.len()).ok()?;
        let mut bytes = Vec::with_capacity(header_size as usize + count as usize * MEMORY_RANGE_BYTES as usize);
        let first = [self.record_version, header_size, self.submit_flags, self.context_id, self.engine_id];
        first.iter().chain([&self.reserved0]).for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        let second = [self.signal_fence, self.cmd_stream_blob_id.0, self.alloc_table_blob_id.0];
        second.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        [count, self.reserved1].iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        bytes.extend_from_slice(&self.header_tail);
        self.memory_ranges.iter().for_each(|range| range.write(&mut bytes));
        bytes.extend_from_slice(&self.tail);
        Some(bytes)
    }
}

impl MemoryRange {
    #[cfg(feature = "reader")]
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, OutOfBytes> {
        Ok(Self {
            alloc_id: cursor.u32_le()?,
            flags: cursor.u32_le()?,
            gpa: cursor.u64_le()?,
            size_bytes: cursor.u64_le()?,
            blob_id: BlobId(cursor.u64_le()?),
        })
    }

    fn write(&self, into: &mut Vec<u8>) {
        [self.alloc_id, self.flags].iter().for_each(|word| into.extend_from_slice(&word.to_le_bytes()));
        [self.gpa, self.size_bytes, self.blob_id.0].iter().for_each(|word| into.extend_from_slice(&word.to_le_bytes()));
    }
}
