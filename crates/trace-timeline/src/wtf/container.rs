//! Where the event buffers of a file are: the part of each dialect that differs from the others.

use std::sync::Arc;

use crate::limits::MAX_WTF_JSON_BYTES;
use trace_base::bytes::{ByteSource, Cursor, read_vec_at};

use super::chunk_walk::ChunkWalk;
use super::dialect::{ByteOrder, Dialect, looks_like_json, magic_order};
use super::error::{Problem, WtfError};
use super::event_type::TypeTable;
use super::header::{FIXED_BYTES, MAX_FLAT_BYTES, TraceHeader, parse_flat};
use super::json_chunks::JsonChunks;
use super::json_entries;
use super::json_text::{JsonText, Shape};
use super::layout::Form;
use super::measure::Encoding;
use super::signature::TypeSet;
use super::store::Store;
use super::string_table::StringTable;
use super::warning::Warnings;

/// One event buffer.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// Absolute offset of its first byte.
    pub start: u64,
    /// Absolute offset after its last byte.
    pub end: u64,
    pub encoding: Encoding,
    pub strings: Strings,
}

/// Where the string table of an event buffer is.
#[derive(Clone, Debug)]
pub(super) enum Strings {
    None,
    /// In the file.
    At {
        offset: u64,
        length: u64,
    },
    /// In memory, because JSON has no bytes for it.
    Kept(Arc<StringTable>),
}

/// What still has event buffers to give.
pub(super) enum Container {
    /// One buffer, perhaps followed by an error.
    Single {
        segment: Option<Segment>,
        then: Option<WtfError>,
    },
    Chunks(ChunkWalk),
    Json(JsonChunks),
}

/// What opening a file gives; fields are filled as far as reading came.
pub(super) struct Opened<'s> {
    pub store: Store<'s>,
    pub container: Container,
    pub types: TypeTable,
    pub header: Option<TraceHeader>,
}

impl Container {
    /// The next event buffer, or `None` after the last.
    pub(crate) fn next_segment(
        &mut self,
        store: &mut Store<'_>,
        header: &mut Option<TraceHeader>,
        warnings: &mut Warnings,
    ) -> Result<Option<Segment>, WtfError> {
        match self {
            Self::Single { segment, then } => match segment.take() {
                Some(segment) => Ok(Some(segment)),
                None => then.take().map_or(Ok(None), Err),
            },
            Self::Chunks(walk) => walk.next_segment(store, header, warnings),
            Self::Json(chunks) => chunks.next_segment(store, header, warnings),
        }
    }

    /// How many chunks were met so far.
    pub(crate) fn chunk_count(&self) -> u64 {
        match self {
            Self::Single { .. } => 0,
            Self::Chunks(walk) => walk.chunk_count(),
            Self::Json(chunks) => chunks.chunk_count(),
        }
    }
}

/// Finds out what a file is and reads as far as needed to know where its first chunk or event buffer is.
pub(super) fn open<'s>(source: &'s dyn ByteSource, warnings: &mut Warnings) -> Result<Opened<'s>, WtfError> {
    let size = source.size_bytes();
    let first = read_vec_at(source, 0, size.min(MAX_FLAT_BYTES as u64) as usize)?;
    let magic = first.get(..4).unwrap_or(&first);
    match magic_order(&first) {
        _ if first.is_empty() => Err(WtfError::new(0, Problem::EmptyFile {})),
        Some(order) => open_binary(source, &first, order, warnings),
        None if looks_like_json(&first) => open_json(source, warnings),
        None if [[0xde, 0xad, 0xbe, 0xef], [0xef, 0xbe, 0xad, 0xde]].iter().any(|known| known.starts_with(magic)) => {
            Err(WtfError::new(0, Problem::TruncatedHeader { wanted: FIXED_BYTES as u64, left: size }))
        }
        None => Err(WtfError::new(0, Problem::BadMagic { found: magic.to_vec() })),
    }
}

fn open_binary<'s>(
    source: &'s dyn ByteSource,
    first: &[u8],
    order: ByteOrder,
    warnings: &mut Warnings,
) -> Result<Opened<'s>, WtfError> {
    let mut cursor = Cursor::new(first, 0);
    let Ok([_, _, _, _, a, b, c, d, e, f, g, h]) = cursor.array::<FIXED_BYTES>() else {
        let left = first.len() as u64;
        return Err(WtfError::new(0, Problem::TruncatedHeader { wanted: FIXED_BYTES as u64, left }));
    };
    let wtf_version = order.u32([a, b, c, d]);
    let store = Store::of_file(source);
    match order.u32([e, f, g, h]) {
        3 => {
            let header = parse_flat(&mut cursor, order, wtf_version, warnings)?;
            let encoding = Encoding { order, form: Form::Packed };
            let segment =
                Segment { start: cursor.offset(), end: source.size_bytes(), encoding, strings: Strings::None };
            let container = Container::Single { segment: Some(segment), then: None };
            let types = TypeTable::with_define(TypeSet::Early)?;
            Ok(Opened { store, container, types, header: Some(header) })
        }
        10 => {
            let container = Container::Chunks(ChunkWalk::new(order, wtf_version, FIXED_BYTES as u64));
            let set = if order == ByteOrder::Big { TypeSet::Early } else { TypeSet::Late };
            Ok(Opened { store, container, types: TypeTable::with_define(set)?, header: None })
        }
        found => Err(WtfError::new(8, Problem::UnsupportedVersion { found: u64::from(found) })),
    }
}

fn open_json<'s>(source: &'s dyn ByteSource, warnings: &mut Warnings) -> Result<Opened<'s>, WtfError> {
    let size = source.size_bytes();
    if size > MAX_WTF_JSON_BYTES {
        return Err(WtfError::new(0, Problem::JsonTooLarge { found: size, limit: MAX_WTF_JSON_BYTES }));
    }
    let mut text = JsonText::new(read_vec_at(source, 0, size as usize)?);
    let first = text.parse_document()?;
    if let Some(root) = first.as_ref().filter(|root| json_entries::is_entry_list(root)) {
        text.expect_end()?;
        return json_entries::lay_out(root, text.bytes());
    }
    let root = first.ok_or_else(|| WtfError::new(0, Problem::JsonRoot { found: "nothing" }))?;
    if !matches!(root.shape, Shape::Object(_)) {
        return Err(WtfError::new(root.offset, Problem::JsonRoot { found: root.kind_name() }));
    }
    let container = Container::Json(JsonChunks::begin(root, text, warnings)?);
    let types = TypeTable::with_define(TypeSet::Late)?;
    Ok(Opened { store: Store::of_memory(Vec::new()), container, types, header: None })
}

/// The dialect of a chunked binary file.
pub(super) fn chunked_dialect(order: ByteOrder) -> Dialect {
    match order {
        ByteOrder::Big => Dialect::CffBe,
        ByteOrder::Little => Dialect::CffLe,
    }
}
