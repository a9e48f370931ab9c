//! Walks the chunks of a binary format 10 file.
//!
//! ```text
//! chunk   id · type · length · start time · end time · part count          6 × u32
//! parts   type · offset · length                                           3 × u32 each
//! data    at the offsets, counted from the end of the part table
//! ```
//!
//! The length counts from the first word. Nothing else in a chunk header is to be trusted: JavaScript leaves the times
//! unknown, C++ gives all event chunks one id.

use crate::limits::MAX_WTF_PART_BYTES;
use trace_base::bytes::{Cursor, OutOfBytes};

use super::chunk::{ChunkKind, PartKind, select};
use super::container::{Segment, Strings, chunked_dialect};
use super::dialect::ByteOrder;
use super::error::{Problem, WtfError};
use super::header::TraceHeader;
use super::header_json::decode_header;
use super::layout::Form;
use super::measure::Encoding;
use super::store::Store;
use super::warning::{WarningClass, Warnings};

/// Six words.
const CHUNK_HEADER_BYTES: u64 = 24;
/// Three words.
const PART_ENTRY_BYTES: u64 = 12;
/// In place of a chunk time: not known.
const UNKNOWN_TIME: u32 = 0xffff_ffff;

/// The position in a file between two chunks.
#[derive(Debug)]
pub(super) struct ChunkWalk {
    order: ByteOrder,
    wtf_version: u32,
    at: u64,
    count: u64,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    kind: PartKind,
    offset: u64,
    length: u64,
}

struct Chunk {
    at: u64,
    kind: ChunkKind,
    parts: Vec<Part>,
    end: u64,
}

impl ChunkWalk {
    pub(crate) fn new(order: ByteOrder, wtf_version: u32, at: u64) -> Self {
        Self { order, wtf_version, at, count: 0 }
    }

    pub(crate) fn chunk_count(&self) -> u64 {
        self.count
    }

    /// Goes on to the next event buffer, reading the file header on the way.
    pub(crate) fn next_segment(
        &mut self,
        store: &mut Store<'_>,
        header: &mut Option<TraceHeader>,
        warnings: &mut Warnings,
    ) -> Result<Option<Segment>, WtfError> {
        while self.at < store.size_bytes() {
            let chunk = self.parse_chunk(store, warnings)?;
            self.count += 1;
            let parts: Vec<_> = chunk.parts.iter().map(|part| (part.kind, part.offset)).collect();
            match chunk.kind {
                ChunkKind::Unknown => {
                    warnings.note(WarningClass::UnknownChunkType, chunk.at, "expected chunk type 1 or 2");
                }
                ChunkKind::FileHeader if header.is_some() => {
                    warnings.note(WarningClass::DuplicateHeader, chunk.at, "expected one file header, found a second");
                }
                ChunkKind::FileHeader => {
                    let selection = select(chunk.kind, chunk.at, &parts, warnings)?;
                    if let Some(part) = selection.header.and_then(|index| chunk.parts.get(index)) {
                        *header = Some(self.parse_header(store, part, warnings)?);
                    }
                }
                ChunkKind::EventData if header.is_none() => {
                    return Err(WtfError::new(chunk.at, Problem::MissingHeaderChunk {}));
                }
                ChunkKind::EventData => {
                    let selection = select(chunk.kind, chunk.at, &parts, warnings)?;
                    let events = selection.events.and_then(|index| chunk.parts.get(index)).copied();
                    let strings = selection.strings.and_then(|index| chunk.parts.get(index)).copied();
                    self.at = chunk.end;
                    if let Some(events) = events {
                        return self.segment(events, strings).map(Some);
                    }
                }
            }
            self.at = chunk.end;
        }
        if header.is_none() {
            return Err(WtfError::new(self.at, Problem::MissingHeaderChunk {}));
        }
        Ok(None)
    }

    /// Checks the frame of the chunk at the current position: that it and its parts lie where they can.
    fn parse_chunk(&self, store: &mut Store<'_>, warnings: &mut Warnings) -> Result<Chunk, WtfError> {
        let fail = |problem| Err(WtfError::new(self.at, problem));
        let left = store.size_bytes() - self.at;
        if left < CHUNK_HEADER_BYTES {
            return fail(Problem::TruncatedChunkHeader { wanted: CHUNK_HEADER_BYTES, left });
        }
        let bytes = store.read_vec(self.at, CHUNK_HEADER_BYTES as usize)?;
        let [_id, code, length, start_time, end_time, part_count] = self.words(&bytes, self.at)?;
        let table_bytes = u64::from(part_count) * PART_ENTRY_BYTES;
        let least = CHUNK_HEADER_BYTES + table_bytes;
        if u64::from(length) < least {
            return fail(Problem::ChunkLengthSmall { expected: least, found: length });
        }
        if u64::from(length) > left {
            return fail(Problem::ChunkOverrun { wanted: length, left });
        }
        if table_bytes > MAX_WTF_PART_BYTES {
            return fail(Problem::PartTooLarge { found: table_bytes, limit: MAX_WTF_PART_BYTES });
        }
        if start_time != UNKNOWN_TIME && end_time != UNKNOWN_TIME && start_time > end_time {
            let what = format!("expected chunk times in order, found {start_time} and {end_time}");
            warnings.note(WarningClass::ChunkTimeInverted, self.at, what);
        }
        let table = store.read_vec(self.at + CHUNK_HEADER_BYTES, table_bytes as usize)?;
        let parts = self.parse_parts(&table, u64::from(length) - least, warnings)?;
        let kind = ChunkKind::of_code(code);
        Ok(Chunk { at: self.at, kind, parts, end: self.at + u64::from(length) })
    }

    /// Reads the part table; `data_bytes` is what the chunk has after it.
    fn parse_parts(&self, table: &[u8], data_bytes: u64, warnings: &mut Warnings) -> Result<Vec<Part>, WtfError> {
        let table_at = self.at + CHUNK_HEADER_BYTES;
        let data_at = table_at + table.len() as u64;
        let mut parts = Vec::with_capacity(table.len() / PART_ENTRY_BYTES as usize);
        for (index, entry) in table.chunks_exact(PART_ENTRY_BYTES as usize).enumerate() {
            let entry_at = table_at + index as u64 * PART_ENTRY_BYTES;
            let [code, offset, length] = self.words(entry, entry_at)?;
            let end = u64::from(offset) + u64::from(length);
            if end > data_bytes {
                return Err(WtfError::new(entry_at, Problem::PartOverrun { end, size: data_bytes }));
            }
            if !offset.is_multiple_of(4) {
                let what = format!("expected a part offset that is a multiple of 4, found {offset}");
                warnings.note(WarningClass::PartUnaligned, entry_at, what);
            }
            let kind = PartKind::of_code(code);
            parts.push(Part { kind, offset: data_at + u64::from(offset), length: u64::from(length) });
        }
        Ok(parts)
    }

    fn words<const N: usize>(&self, bytes: &[u8], at: u64) -> Result<[u32; N], WtfError> {
        let mut cursor = Cursor::new(bytes, at);
        let mut words = [0; N];
        for word in &mut words {
            *word = self.order.u32(cursor.array().map_err(|error: OutOfBytes| {
                WtfError::new(error.offset, Problem::TruncatedChunkHeader { wanted: error.wanted, left: error.left })
            })?);
        }
        Ok(words)
    }

    fn parse_header(
        &self,
        store: &mut Store<'_>,
        part: &Part,
        warnings: &mut Warnings,
    ) -> Result<TraceHeader, WtfError> {
        let bytes = read_part(store, part.offset, part.length)?;
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            let found = match std::str::from_utf8(&bytes) {
                Err(damage) => {
                    let (after, at) = (damage.valid_up_to(), part.offset + damage.valid_up_to() as u64);
                    let byte = bytes.get(after).copied().unwrap_or_default();
                    format!("byte {byte:#04x}, which is not UTF-8, at {at:#x} in it")
                }
                Ok(_) => error.to_string(),
            };
            WtfError::new(part.offset, Problem::HeaderJson { found })
        })?;
        decode_header(value, part.offset, chunked_dialect(self.order), Some(u64::from(self.wtf_version)), warnings)
    }

    fn segment(&self, events: Part, strings: Option<Part>) -> Result<Segment, WtfError> {
        let encoding = match events.kind {
            PartKind::BinaryEvents => Encoding { order: self.order, form: Form::Aligned },
            _ => Encoding { order: ByteOrder::Big, form: Form::Packed },
        };
        check_alignment(encoding, events.offset, events.length)?;
        let strings =
            strings.map_or(Strings::None, |strings| Strings::At { offset: strings.offset, length: strings.length });
        Ok(Segment { start: events.offset, end: events.offset + events.length, encoding, strings })
    }
}

/// Aligned records can only fill a multiple of 4 bytes.
pub(super) fn check_alignment(encoding: Encoding, at: u64, length: u64) -> Result<(), WtfError> {
    if encoding.form == Form::Aligned && !length.is_multiple_of(4) {
        return Err(WtfError::new(at, Problem::EventBufferUnaligned { found: length }));
    }
    Ok(())
}

/// Reads a part that is needed as a whole. It lies within the file.
pub(super) fn read_part(store: &mut Store<'_>, offset: u64, length: u64) -> Result<Vec<u8>, WtfError> {
    if length > MAX_WTF_PART_BYTES {
        return Err(WtfError::new(offset, Problem::PartTooLarge { found: length, limit: MAX_WTF_PART_BYTES }));
    }
    Ok(store.read_vec(offset, length as usize)?)
}
