//! The AerogpuSubmission record of container version 2: one ring descriptor with its memory.

use super::blob_id::BlobId;
use super::error::FormatError;

use crate::bytes::Cursor;

/// Length of the fixed part in bytes.
pub(super) const SUBMISSION_BYTES: u32 = 56;
const MEMORY_RANGE_BYTES: u64 = 32;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Version of this record's layout.
    pub record_version: u32,
    /// Bit 0: PRESENT, bit 1: NO_IRQ.
    pub submit_flags: u32,
    /// Which context's state the stream runs in.
    pub context_id: u32,
    /// Which engine ran it.
    pub engine_id: u32,
    /// Fence value signalled at its end.
    pub signal_fence: u64,
    /// The `ACMD` stream.
    pub cmd_stream_blob_id: BlobId,
    /// The `ALOC` table, 0 for none.
    pub alloc_table_blob_id: BlobId,
    /// Guest memory captured with the submission.
    pub memory_ranges: Vec<MemoryRange>,
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

impl Submission {
    /// Parses the payload of a record that starts at the absolute file offset `record_offset`.
    pub(super) fn parse(payload: &[u8], record_offset: u64, payload_offset: u64) -> Result<Self, FormatError> {
        let bad_length = |expected| FormatError::BadPayloadLength {
            what: "AerogpuSubmission",
            found: payload.len() as u64,
            expected,
            offset: record_offset,
        };
        let cut_short = |source| FormatError::CutShort { what: "AerogpuSubmission", source };
        let mut cursor = Cursor::new(payload, payload_offset);
        if payload.len() < SUBMISSION_BYTES as usize {
            return Err(bad_length("at least 56"));
        }
        let mut fixed = || -> Result<(Submission, u32, u32), crate::bytes::OutOfBytes> {
            let record_version = cursor.u32_le()?;
            let header_size = cursor.u32_le()?;
            let (submit_flags, context_id, engine_id) = (cursor.u32_le()?, cursor.u32_le()?, cursor.u32_le()?);
            cursor.u32_le()?;
            let submission = Submission {
                record_version,
                submit_flags,
                context_id,
                engine_id,
                signal_fence: cursor.u64_le()?,
                cmd_stream_blob_id: BlobId(cursor.u64_le()?),
                alloc_table_blob_id: BlobId(cursor.u64_le()?),
                memory_ranges: Vec::new(),
            };
            Ok((submission, header_size, cursor.u32_le()?))
        };
        let (mut submission, header_size, count) = fixed().map_err(cut_short)?;
        let ranges_bytes = u64::from(count) * MEMORY_RANGE_BYTES;
        if header_size < SUBMISSION_BYTES || u64::from(header_size) + ranges_bytes > payload.len() as u64 {
            return Err(bad_length("header_size of at least 56, and 32 bytes a memory range after it"));
        }
        let mut cursor = Cursor::new(payload, payload_offset);
        cursor.take(header_size as usize).map_err(cut_short)?;
        for _ in 0..count {
            submission.memory_ranges.push(MemoryRange::parse(&mut cursor).map_err(cut_short)?);
        }
        Ok(submission)
    }
}

impl MemoryRange {
    fn parse(cursor: &mut Cursor<'_>) -> Result<Self, crate::bytes::OutOfBytes> {
        Ok(Self {
            alloc_id: cursor.u32_le()?,
            flags: cursor.u32_le()?,
            gpa: cursor.u64_le()?,
            size_bytes: cursor.u64_le()?,
            blob_id: BlobId(cursor.u64_le()?),
        })
    }
}
