//! Format 10 as JSON: the chunks of a binary file, with the event buffers in base64.
//!
//! ```text
//! {"wtfVersion": n, "formatVersion": 10,
//!  "chunks": [{"id": n, "type": "file_header", "parts": [{"type": "file_header", "timebase": …}]},
//!             {"id": n, "type": "event_data",  "parts": [{"type": "string_table", "value": ["…"]},
//!                                                        {"type": "binary_event_buffer", "mode": "base64",
//!                                                         "byteLength": n, "value": "…"}]}]}
//! ```
//!
//! A writer that streams leaves several such texts in one file: the versions first, then chunks.

use std::sync::Arc;
use std::vec;

use super::chunk::{ChunkKind, PartKind, select};
use super::chunk_walk::check_alignment;
use super::container::{Segment, Strings};
use super::dialect::{ByteOrder, Dialect};
use super::error::{Problem, WtfError};
use super::header::TraceHeader;
use super::header_json::decode_header;
use super::json_text::{Json, JsonText, Shape};
use super::layout::Form;
use super::measure::Encoding;
use super::store::Store;
use super::string_table::StringTable;
use super::warning::{WarningClass, Warnings};
use trace_base::bytes::decode_base64;

/// The position in a file between two chunks.
#[derive(Debug)]
pub(super) struct JsonChunks {
    text: JsonText,
    wtf_version: Option<u64>,
    /// The chunks of the current text that are not yet read.
    queue: vec::IntoIter<Json>,
    count: u64,
}

impl JsonChunks {
    /// Begins with the first text, which must tell the versions.
    pub(crate) fn begin(root: Json, text: JsonText, warnings: &mut Warnings) -> Result<Self, WtfError> {
        let mut chunks = Self { text, wtf_version: None, queue: Vec::new().into_iter(), count: 0 };
        let Some(version) = key(&root, "formatVersion", "format_version", warnings) else {
            let problem = match root.get("chunks") {
                Some(_) => Problem::JsonHeaderMissing {},
                None => Problem::JsonRoot { found: "an object without both" },
            };
            return Err(WtfError::new(root.offset, problem));
        };
        let found = version.as_number().and_then(|number| number.as_f64()).unwrap_or(-1.0);
        if found != 10.0 {
            // A negative or absurd version is refused like any other; the message shows it clamped.
            return Err(WtfError::new(version.offset, Problem::UnsupportedVersion { found: found as u64 }));
        }
        let wtf_version = key(&root, "wtfVersion", "wtf_version", warnings);
        chunks.wtf_version = wtf_version.and_then(Json::as_number).and_then(|number| number.as_u64());
        chunks.queue_chunks(root)?;
        Ok(chunks)
    }

    pub(crate) fn chunk_count(&self) -> u64 {
        self.count
    }

    /// Goes on to the next event buffer, laying it out in `store` and reading the file header on the way.
    pub(crate) fn next_segment(
        &mut self,
        store: &mut Store<'_>,
        header: &mut Option<TraceHeader>,
        warnings: &mut Warnings,
    ) -> Result<Option<Segment>, WtfError> {
        loop {
            let Some(chunk) = self.queue.next() else {
                if !self.next_document()? {
                    let missing = || WtfError::new(self.text.bytes().len() as u64, Problem::MissingHeaderChunk {});
                    return header.as_ref().map(|_| None).ok_or_else(missing);
                }
                continue;
            };
            self.count += 1;
            if let Some(segment) = self.read_chunk(&chunk, store, header, warnings)? {
                return Ok(Some(segment));
            }
        }
    }

    fn next_document(&mut self) -> Result<bool, WtfError> {
        let Some(root) = self.text.parse_document()? else { return Ok(false) };
        let keys = ["wtfVersion", "formatVersion", "wtf_version", "format_version"];
        if keys.into_iter().any(|key| root.get(key).is_some()) {
            return Err(WtfError::new(root.offset, Problem::DuplicateHeader {}));
        }
        if root.get("chunks").is_none() {
            return Err(WtfError::new(root.offset, Problem::JsonRoot { found: root.kind_name() }));
        }
        self.queue_chunks(root).map(|()| true)
    }

    fn queue_chunks(&mut self, root: Json) -> Result<(), WtfError> {
        let Shape::Object(fields) = root.shape else { return Ok(()) };
        let Some((_, chunks)) = fields.into_iter().rev().find(|(name, _)| name == "chunks") else { return Ok(()) };
        let (at, found) = (chunks.offset, chunks.kind_name());
        let Shape::Array(chunks) = chunks.shape else {
            return Err(WtfError::new(at, Problem::JsonChunk { expected: "a list of chunks", found: found.into() }));
        };
        self.queue = chunks.into_iter();
        Ok(())
    }

    fn read_chunk(
        &self,
        chunk: &Json,
        store: &mut Store<'_>,
        header: &mut Option<TraceHeader>,
        warnings: &mut Warnings,
    ) -> Result<Option<Segment>, WtfError> {
        let fail = |expected| {
            let found = chunk.kind_name().into();
            WtfError::new(chunk.offset, Problem::JsonChunk { expected, found })
        };
        let name = chunk.get("type").and_then(Json::as_text).ok_or_else(|| fail("a chunk with a type"))?.to_str();
        let kind = ChunkKind::of_name(&name);
        if kind == ChunkKind::Unknown {
            warnings.note(WarningClass::UnknownChunkType, chunk.offset, format!("expected a chunk type, found {name}"));
            return Ok(None);
        }
        check_times(chunk, warnings);
        let parts = chunk.get("parts").and_then(Json::as_array).ok_or_else(|| fail("a chunk with a list of parts"))?;
        let kinds = parts.iter().map(|part| {
            let name = part.get("type").and_then(Json::as_text).ok_or_else(|| fail("parts with types"))?;
            Ok((PartKind::of_name(&name.to_str()), part.offset))
        });
        let kinds = kinds.collect::<Result<Vec<_>, WtfError>>()?;
        if kind == ChunkKind::FileHeader && header.is_some() {
            let what = "expected one file header, found a second";
            warnings.note(WarningClass::DuplicateHeader, chunk.offset, what);
            return Ok(None);
        }
        let selection = select(kind, chunk.offset, &kinds, warnings)?;
        if let Some(part) = selection.header.and_then(|index| parts.get(index)) {
            *header = Some(decode_header(part.to_value(), part.offset, Dialect::JsonCff, self.wtf_version, warnings)?);
        } else if header.is_none() {
            return Err(WtfError::new(chunk.offset, Problem::MissingHeaderChunk {}));
        }
        let strings = selection.strings.and_then(|index| parts.get(index)).map(parse_strings).transpose()?;
        let Some((part, &(kind, _))) = selection.events.and_then(|index| parts.get(index).zip(kinds.get(index))) else {
            return Ok(None);
        };
        lay_out_events(part, kind, strings, store).map(Some)
    }
}

/// The value of a key, also in the spelling of the documentation.
fn key<'a>(root: &'a Json, name: &str, documented: &str, warnings: &mut Warnings) -> Option<&'a Json> {
    root.get(name).or_else(|| {
        let value = root.get(documented)?;
        let what = format!("expected the key {name}, found {documented}");
        warnings.note(WarningClass::JsonDocSpelling, value.offset, what);
        Some(value)
    })
}

fn check_times(chunk: &Json, warnings: &mut Warnings) {
    let time = |key| chunk.get(key).and_then(Json::as_number).and_then(|number| number.as_f64());
    if let (Some(start), Some(end)) = (time("startTime"), time("endTime"))
        && start > end
        && start < f64::from(u32::MAX)
    {
        let what = format!("expected chunk times in order, found {start} and {end}");
        warnings.note(WarningClass::ChunkTimeInverted, chunk.offset, what);
    }
}

fn parse_strings(part: &Json) -> Result<StringTable, WtfError> {
    let fail = |at: u64, found: &'static str| {
        WtfError::new(at, Problem::JsonChunk { expected: "a list of strings", found: found.into() })
    };
    let value = part.get("value").ok_or_else(|| fail(part.offset, "none"))?;
    let mut table = StringTable::default();
    for string in value.as_array().ok_or_else(|| fail(value.offset, value.kind_name()))? {
        table.push(string.as_text().ok_or_else(|| fail(string.offset, string.kind_name()))?.bytes());
    }
    Ok(table)
}

/// Decodes an event buffer to the end of `store`.
fn lay_out_events(
    part: &Json,
    kind: PartKind,
    strings: Option<StringTable>,
    store: &mut Store<'_>,
) -> Result<Segment, WtfError> {
    let at = part.offset;
    let mode = part.get("mode").map(|mode| mode.as_text().map_or(mode.kind_name().into(), |text| text.to_str()));
    if mode.as_deref() != Some("base64") {
        let found = mode.unwrap_or("none".into()).into_owned();
        return Err(WtfError::new(at, Problem::JsonPartMode { found }));
    }
    let value = part.get("value").and_then(Json::as_text).ok_or_else(|| {
        WtfError::new(at, Problem::JsonChunk { expected: "a buffer with a value", found: "none".into() })
    })?;
    let Some(bytes) = store.memory() else {
        return Err(WtfError::new(at, Problem::MissingEventBuffer {}));
    };
    // Aligned buffers begin at a multiple of 4, so that offsets look as they do in a binary file.
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let start = bytes.len() as u64;
    decode_base64(value.bytes(), bytes).map_err(|found| WtfError::new(at, Problem::JsonBase64 { found }))?;
    let end = bytes.len() as u64;
    let expected = part.get("byteLength");
    if expected.and_then(Json::as_number).and_then(|number| number.as_u64()) != Some(end - start) {
        let expected = expected.map_or("a number of".into(), |expected| expected.to_value().to_string());
        return Err(WtfError::new(at, Problem::JsonByteLength { expected, found: end - start }));
    }
    let encoding = match kind {
        PartKind::BinaryEvents => Encoding { order: ByteOrder::Little, form: Form::Aligned },
        _ => Encoding { order: ByteOrder::Big, form: Form::Packed },
    };
    check_alignment(encoding, at, end - start)?;
    let strings = strings.map_or(Strings::None, |table| Strings::Kept(Arc::new(table)));
    Ok(Segment { start, end, encoding, strings })
}
