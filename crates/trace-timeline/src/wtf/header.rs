//! What a trace says about itself, and the header of the un-chunked files.
//!
//! | field | bytes | |
//! |---|---|---|
//! | magic, WTF version, format version | 4 + 4 + 4 | read before anything else |
//! | context | 2 + 2 + n | UTF-16 units, bytes, JSON |
//! | flags | 4 | [`FileFlags`] |
//! | timebase | 4 + 4 | signed milliseconds, **low word first** in either byte order |
//! | metadata | 2 + 2 + n | as the context; empty for none |
//!
//! The format's text has the strings without the first of the two counts. No writer wrote that; in little-endian files,
//! which no writer wrote either, it is accepted.

use serde_json::{Map, Number, Value as JsonValue};

use trace_base::bytes::{Cursor, OutOfBytes};

use super::dialect::{ByteOrder, Dialect};
use super::error::{Problem, WtfError};
use super::measure::check_units;
use super::text::Text;
use super::warning::{WarningClass, Warnings};

/// Flags of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FileFlags(pub u32);

impl FileFlags {
    /// The names of the bits from 0.
    const NAMES: [&str; 2] = ["has_high_resolution_times", "times_as_count"];

    /// The names of the flags that are set.
    pub fn names(self) -> Vec<&'static str> {
        Self::NAMES.into_iter().enumerate().filter(|(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| name).collect()
    }

    /// The flag of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(|bit| Self(1 << bit))
    }

    fn unknown(self) -> u32 {
        self.0 >> Self::NAMES.len()
    }
}

/// What a trace says about itself.
#[derive(Clone, Debug)]
pub struct TraceHeader {
    /// The form of the file.
    pub dialect: Dialect,
    /// Build date of the writer in milliseconds since 1970, of which binary files keep 32 bits. Means nothing else.
    pub wtf_version: Option<u64>,
    /// 2, 3 or 10.
    pub format_version: u32,
    /// Flags.
    pub flags: FileFlags,
    /// Milliseconds to which all times are relative; since 1970, or since the machine or the program started.
    pub timebase_millis: Number,
    /// What ran: a JSON object, if there is one.
    pub context: Option<JsonValue>,
    /// What else the writer noted.
    pub metadata: Map<String, JsonValue>,
}

/// First three words of a binary file, in bytes.
pub(super) const FIXED_BYTES: usize = 12;
/// Longest possible header of an un-chunked file: 24 fixed bytes and two strings of two counts each.
pub(super) const MAX_FLAT_BYTES: usize = 24 + 2 * (4 + 0xffff);

/// Reads the rest of the header of an un-chunked file, with the cursor after the fixed words.
pub(super) fn parse_flat(
    cursor: &mut Cursor<'_>,
    order: ByteOrder,
    wtf_version: u32,
    warnings: &mut Warnings,
) -> Result<TraceHeader, WtfError> {
    let (at, text) = parse_string(cursor, order)?;
    let context = parse_context(text.ok_or_else(|| WtfError::new(at, Problem::ContextMissing {}))?, at)?;
    let at = cursor.offset();
    let words: [u8; 12] = cursor.array().map_err(truncated)?;
    let word = |index: usize| words.get(index..).and_then(|rest| rest.first_chunk()).map_or(0, |&word| order.u32(word));
    let flags = FileFlags(word(0));
    if flags.unknown() != 0 {
        warnings.note(WarningClass::UnknownFileFlags, at, format!("expected file flags 0 to 3, found {}", flags.0));
    }
    let timebase = (u64::from(word(8)) << 32 | u64::from(word(4))) as i64;
    let (at, text) = parse_string(cursor, order)?;
    let metadata = text.map_or(Ok(Map::new()), |text| parse_metadata(text, at, warnings))?;
    Ok(TraceHeader {
        dialect: if order == ByteOrder::Big { Dialect::V3Be } else { Dialect::V3Le },
        wtf_version: Some(u64::from(wtf_version)),
        format_version: 3,
        flags,
        timebase_millis: timebase.into(),
        context: Some(context),
        metadata,
    })
}

fn truncated(error: OutOfBytes) -> WtfError {
    WtfError::new(error.offset, Problem::TruncatedHeader { wanted: error.wanted, left: error.left })
}

/// One of the two strings, with the offset of its bytes.
fn parse_string<'a>(cursor: &mut Cursor<'a>, order: ByteOrder) -> Result<(u64, Option<Text<'a>>), WtfError> {
    if order == ByteOrder::Little
        && let Some(literal) = parse_literal_string(cursor, order)
    {
        return Ok(literal);
    }
    let units = order.u16(cursor.array().map_err(truncated)?);
    if units == 0 {
        return Ok((cursor.offset(), None));
    }
    let length = order.u16(cursor.array().map_err(truncated)?);
    let at = cursor.offset();
    let bytes = cursor.take(usize::from(length)).map_err(truncated)?;
    check_units(bytes, usize::from(units), at)?;
    Ok((at, Some(Text::Wide(bytes))))
}

/// The string as the format's text has it, one count only; told by the brace after it and by being JSON.
fn parse_literal_string<'a>(cursor: &mut Cursor<'a>, order: ByteOrder) -> Option<(u64, Option<Text<'a>>)> {
    let mut ahead = *cursor;
    let length = order.u16(ahead.array().ok()?);
    let at = ahead.offset();
    let bytes = ahead.take(usize::from(length)).ok()?;
    let is_literal = bytes.first() == Some(&b'{') && serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    is_literal.then(|| {
        *cursor = ahead;
        (at, Some(Text::Wide(bytes)))
    })
}

fn parse_context(text: Text<'_>, at: u64) -> Result<JsonValue, WtfError> {
    match serde_json::from_str(&text.to_str()) {
        Ok(context) => check_context(context, at),
        Err(error) => Err(WtfError::new(at, Problem::ContextJson { found: error.to_string() })),
    }
}

/// A context must be an object and tell the one type there is.
pub(super) fn check_context(context: JsonValue, at: u64) -> Result<JsonValue, WtfError> {
    if !context.is_object() {
        return Err(WtfError::new(at, Problem::ContextJson { found: brief(&context) }));
    }
    match context.get("contextType") {
        Some(kind) if kind == "script" => Ok(context),
        kind => Err(WtfError::new(at, Problem::ContextType { found: kind.map_or("none".into(), brief) })),
    }
}

fn parse_metadata(text: Text<'_>, at: u64, warnings: &mut Warnings) -> Result<Map<String, JsonValue>, WtfError> {
    match serde_json::from_str(&text.to_str()) {
        Ok(JsonValue::Object(metadata)) => Ok(metadata),
        Ok(other) => {
            let what = format!("expected an object as metadata, found {}", brief(&other));
            warnings.note(WarningClass::MetadataNotObject, at, what);
            Ok(Map::new())
        }
        Err(error) => Err(WtfError::new(at, Problem::MetadataJson { found: error.to_string() })),
    }
}

/// JSON for a message: a line's worth of it.
pub(super) fn brief(value: &JsonValue) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
