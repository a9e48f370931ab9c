//! Walks records in file order, reading headers and packets but never the contents of blobs.
//!
//! A frame can be five packets or half a gigabyte of uploads. So records are read through a window that grows while
//! reading is sequential and shrinks to a few kilobytes after a blob was skipped: small frames cost one read together
//! with their neighbours, and a trace of large uploads is walked by touching less than a thousandth of it.

use std::ops::Range;
use std::sync::Arc;

use super::blob_id::BlobId;
use super::error::FormatError;
use super::packet_run::PacketRun;
use super::record::{BLOB_HEADER_BYTES, BlobHeader, BlobKind, RECORD_HEADER_BYTES, Record, RecordBody};
use super::submission::{SUBMISSION_BYTES, Submission};
use crate::limits::MAX_PACKET_BYTES;
use trace_base::bytes::{ByteSource, Cursor, Diagnostics};

const SMALLEST_READ: u64 = 4 << 10;
const LARGEST_READ: u64 = 256 << 10;

/// Reads the records of a range of the stream.
pub struct RecordReader {
    source: Arc<dyn ByteSource>,
    container_version: u32,
    /// Where the whole stream ends: reading ahead stops there.
    stream_end: u64,
    range: Range<u64>,
    /// Read-ahead; only the first `window_length` bytes count, so that it need not be zeroed for every read.
    window: Vec<u8>,
    window_length: usize,
    window_start: u64,
    next_read: u64,
    skips_lists: bool,
}

/// A parsed payload that borrows nothing yet, so that the reader can still be changed.
enum Body {
    Packet,
    Other(RecordBody<'static>),
}

/// The eight bytes before every payload.
struct RecordHeader {
    record_type: u8,
    flags: u8,
    reserved: u16,
    payload: Range<u64>,
}

impl RecordReader {
    /// A reader over `range` of a stream that ends at `stream_end`.
    pub fn new(source: Arc<dyn ByteSource>, container_version: u32, range: Range<u64>, stream_end: u64) -> Self {
        let window_start = range.start;
        let (window, window_length, next_read) = (Vec::new(), 0, SMALLEST_READ);
        let skips_lists = false;
        Self {
            source,
            container_version,
            stream_end,
            range,
            window,
            window_length,
            window_start,
            next_read,
            skips_lists,
        }
    }

    /// Checks submissions without reading their memory ranges, which can take a megabyte.
    pub fn without_lists(mut self) -> Self {
        self.skips_lists = true;
        self
    }

    /// Goes on with another range; what is in memory already is not read again.
    pub fn seek(&mut self, range: Range<u64>) {
        self.range = range;
    }

    /// Absolute file offset of the next record.
    pub fn offset(&self) -> u64 {
        self.range.start
    }

    /// The Packet records that come next, as far as they are in memory; the first is read if need be. The run is empty
    /// if something else comes next, or a packet with something odd or wrong about it. [`Self::skip_to`] takes note of
    /// how far the caller went.
    pub fn packet_run(&mut self) -> Result<PacketRun<'_>, FormatError> {
        let offset = self.range.start;
        if !self.read_plain_packet()? {
            return Ok(PacketRun::new(&[], offset));
        }
        let end = self.range.end.min(self.window_end());
        // None of the packets is over the limit: what is over it is never read.
        Ok(PacketRun::new(self.in_window(offset, end - offset), offset))
    }

    /// Makes sure that the next record is in memory, if it is a packet that a [`PacketRun`] takes.
    fn read_plain_packet(&mut self) -> Result<bool, FormatError> {
        let (offset, left) = (self.range.start, self.range.end.saturating_sub(self.range.start));
        if left < RECORD_HEADER_BYTES {
            return Ok(false);
        }
        // Only success gives the range back.
        let end = std::mem::replace(&mut self.range.end, offset);
        let mut length = RECORD_HEADER_BYTES;
        let payload = PacketRun::payload_bytes(self.window_at(offset, length)?);
        let is_plain = payload.is_some_and(|payload| payload <= MAX_PACKET_BYTES.min(left - length));
        if is_plain {
            length += payload.unwrap_or_default();
            self.window_at(offset, length)?;
        }
        self.range.end = end;
        Ok(is_plain)
    }

    /// Goes on at `offset`, where a run of packets in memory has come to.
    #[inline]
    pub fn skip_to(&mut self, offset: u64) {
        self.range.start = offset;
    }

    /// The next record, or `None` at the end of the range. After an error the range counts as ended.
    pub fn next_record(&mut self, diagnostics: &mut Diagnostics) -> Result<Option<Record<'_>>, FormatError> {
        if self.range.is_empty() {
            return Ok(None);
        }
        let offset = self.range.start;
        let range_end = self.range.end;
        // An iterator over untrusted data yields one error, then ends: the range is given back only on success.
        self.range.start = range_end;
        let header = self.parse_header(offset, range_end)?;
        if header.flags != 0 || header.reserved != 0 {
            let (flags, reserved) = (header.flags, header.reserved);
            diagnostics.note(offset + 1, format!("record flags are {flags:#x} and reserved {reserved:#x}, expected 0"));
        }
        let (end, flags, reserved) = (header.payload.end, header.flags, header.reserved);
        let payload = header.payload.clone();
        let body = self.parse_body(offset, header)?;
        self.range.start = end;
        let body = match body {
            Body::Packet => RecordBody::Packet(self.in_window(payload.start, payload.end - payload.start)),
            Body::Other(body) => body,
        };
        Ok(Some(Record { offset, end, flags, reserved, body }))
    }

    fn parse_header(&mut self, offset: u64, range_end: u64) -> Result<RecordHeader, FormatError> {
        let out_of_bounds =
            |end| FormatError::OutOfBounds { what: "record", start: offset, end, low: offset, high: range_end, offset };
        if range_end - offset < RECORD_HEADER_BYTES {
            return Err(out_of_bounds(offset.saturating_add(RECORD_HEADER_BYTES)));
        }
        let mut cursor = Cursor::new(self.window_at(offset, RECORD_HEADER_BYTES)?, offset);
        let cut_short = |source| FormatError::CutShort { what: "", source };
        let record_type = cursor.u8().map_err(cut_short)?;
        let flags = cursor.u8().map_err(cut_short)?;
        let reserved = cursor.u16_le().map_err(cut_short)?;
        let payload_len = u64::from(cursor.u32_le().map_err(cut_short)?);
        let start = offset + RECORD_HEADER_BYTES;
        let end = start.saturating_add(payload_len);
        if end > range_end {
            return Err(out_of_bounds(end));
        }
        Ok(RecordHeader { record_type, flags, reserved, payload: start..end })
    }

    fn parse_body(&mut self, offset: u64, header: RecordHeader) -> Result<Body, FormatError> {
        let payload_len = header.payload.end - header.payload.start;
        Ok(Body::Other(match header.record_type {
            1 => RecordBody::BeginFrame { frame_index: self.parse_frame_index("BeginFrame", offset, &header)? },
            2 => RecordBody::Present { frame_index: self.parse_frame_index("Present", offset, &header)? },
            3 => {
                check_packet_limit("a Packet record's length", payload_len, offset)?;
                self.window_at(header.payload.start, payload_len)?;
                return Ok(Body::Packet);
            }
            4 => RecordBody::Blob(self.parse_blob_header(offset, header.payload)?),
            5 if self.container_version >= 2 => {
                check_packet_limit("an AerogpuSubmission record's length", payload_len, offset)?;
                let start = header.payload.start;
                RecordBody::Submission(if self.skips_lists {
                    let head = self.window_at(start, payload_len.min(u64::from(SUBMISSION_BYTES)))?;
                    Submission::parse_head(&mut Cursor::new(head, start), payload_len, offset)?.0
                } else {
                    Submission::parse(self.window_at(start, payload_len)?, offset, start)?
                })
            }
            found => {
                let version = self.container_version;
                let expected = if version >= 2 { "0x01 to 0x05" } else { "0x01 to 0x04" };
                return Err(FormatError::UnknownRecordType { found, version, expected, offset });
            }
        }))
    }

    fn parse_frame_index(
        &mut self,
        what: &'static str,
        offset: u64,
        header: &RecordHeader,
    ) -> Result<u32, FormatError> {
        let found = header.payload.end - header.payload.start;
        if found != 4 {
            return Err(FormatError::BadPayloadLength { what, found, expected: "4 bytes", offset });
        }
        let payload = self.window_at(header.payload.start, found)?;
        Cursor::new(payload, header.payload.start).u32_le().map_err(|source| FormatError::CutShort { what, source })
    }

    fn parse_blob_header(&mut self, offset: u64, payload: Range<u64>) -> Result<BlobHeader, FormatError> {
        let found = payload.end - payload.start;
        if found < BLOB_HEADER_BYTES {
            let expected = "at least 16 bytes, the blob header";
            return Err(FormatError::BadPayloadLength { what: "Blob", found, expected, offset });
        }
        let mut cursor = Cursor::new(self.window_at(payload.start, BLOB_HEADER_BYTES)?, payload.start);
        let cut_short = |source| FormatError::CutShort { what: "Blob", source };
        let id = BlobId(cursor.u64_le().map_err(cut_short)?);
        let number = cursor.u32_le().map_err(cut_short)?;
        let kind = BlobKind::from_number(number)
            .ok_or(FormatError::UnknownBlobKind { found: number, offset: payload.start + 8 })?;
        let reserved = cursor.u32_le().map_err(cut_short)?;
        Ok(BlobHeader { id, kind, reserved, bytes: payload.start + BLOB_HEADER_BYTES..payload.end })
    }

    /// The `length` bytes at `offset`, which the caller has checked to lie inside the stream.
    #[inline]
    fn window_at(&mut self, offset: u64, length: u64) -> Result<&[u8], FormatError> {
        let end = offset + length;
        if offset < self.window_start || end > self.window_end() {
            self.fill_window(offset, end)?;
        }
        Ok(self.in_window(offset, length))
    }

    /// The same, of bytes that are in memory already.
    #[inline]
    fn in_window(&self, offset: u64, length: u64) -> &[u8] {
        let start = (offset - self.window_start) as usize;
        self.window.get(start..start + length as usize).unwrap_or_default()
    }

    fn window_end(&self) -> u64 {
        self.window_start + self.window_length as u64
    }

    #[cold]
    fn fill_window(&mut self, offset: u64, end: u64) -> Result<(), FormatError> {
        let window_end = self.window_end();
        let sequential = (self.window_start..=window_end).contains(&offset) && self.window_length > 0;
        let kept = if sequential { (window_end - offset) as usize } else { 0 };
        self.next_read = if sequential { (self.next_read * 2).min(LARGEST_READ) } else { SMALLEST_READ };
        let ahead = offset.saturating_add(self.next_read).min(self.stream_end.max(end));
        let length = ((ahead.max(end) - offset) as usize).max(kept);

        self.window.copy_within(self.window_length - kept..self.window_length, 0);
        if self.window.len() < length {
            self.window.resize(length, 0);
        }
        self.window_start = offset;
        // Nothing is valid should the read fail.
        self.window_length = 0;
        let missing = self.window.get_mut(kept..length).unwrap_or_default();
        self.source.read_at(offset + kept as u64, missing)?;
        self.window_length = length;
        Ok(())
    }
}

fn check_packet_limit(what: &'static str, found: u64, offset: u64) -> Result<(), FormatError> {
    if found > MAX_PACKET_BYTES {
        return Err(FormatError::OverLimit { what, found, limit: MAX_PACKET_BYTES, offset });
    }
    Ok(())
}
