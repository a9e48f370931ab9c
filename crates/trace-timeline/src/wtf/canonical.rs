//! The canonical text of a trace, over which the digests of the reference are taken.
//!
//! ```text
//! H dialect=… format=… wtf_version=… timebase=… flags=…        header; C context; D metadata; not in the digest
//! E seq z=zone|- t=µs w=wire S|I "name" {"arg":value,…}         one line per record
//! ```
//!
//! Values: `null`, `true`, integers, strings as JSON in printable ASCII, `f32:` and eight hexadecimal digits, `json:` and
//! the raw text as a string, `[…]`.

use std::fmt::{self, Write};

use serde_json::Value as JsonValue;

use super::event::Event;
use super::event_type::EventClass;
use super::header::TraceHeader;
use super::text::{Text, utf16};
use super::value::{Arguments, Value};

/// Writes the line of a record, without a line feed.
pub fn write_event_line(out: &mut impl Write, sequence: u64, event: &Event<'_>) -> fmt::Result {
    write!(out, "E {sequence} z=")?;
    match event.zone {
        Some(zone) => write!(out, "{}", zone.0)?,
        None => out.write_char('-')?,
    }
    let class = match event.event_type.class {
        EventClass::Instance => 'I',
        EventClass::Scope => 'S',
    };
    write!(out, " t={} w={} {class} ", event.time_micros, event.wire())?;
    write_quoted(out, &event.event_type.name)?;
    out.write_char(' ')?;
    write_arguments(out, event.arguments())
}

/// Writes arguments as an object.
pub fn write_arguments(out: &mut impl Write, arguments: Arguments<'_>) -> fmt::Result {
    out.write_char('{')?;
    for (index, (name, value)) in arguments.enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        write_quoted(out, name)?;
        out.write_char(':')?;
        write_value(out, value)?;
    }
    out.write_char('}')
}

/// Writes one value.
pub fn write_value(out: &mut impl Write, value: Value<'_>) -> fmt::Result {
    match value {
        Value::Null => out.write_str("null"),
        Value::Bool(value) => write!(out, "{value}"),
        Value::Integer(value) => write!(out, "{value}"),
        Value::Float(value) => write!(out, "f32:{:08x}", value.to_bits()),
        Value::Text(text) => write_text(out, text),
        Value::Json(text) => {
            out.write_str("json:")?;
            write_text(out, text)
        }
        Value::Array(array) => {
            out.write_char('[')?;
            for (index, value) in array.values().enumerate() {
                if index > 0 {
                    out.write_char(',')?;
                }
                write_value(out, value)?;
            }
            out.write_char(']')
        }
    }
}

/// Writes a string as JSON in ASCII.
pub fn write_quoted(out: &mut impl Write, text: &str) -> fmt::Result {
    write_text(out, Text::Wide(text.as_bytes()))
}

fn write_text(out: &mut impl Write, text: Text<'_>) -> fmt::Result {
    out.write_char('"')?;
    for unit in text.code_points().flat_map(utf16) {
        match unit {
            0x22 => out.write_str("\\\"")?,
            0x5c => out.write_str("\\\\")?,
            0x08 => out.write_str("\\b")?,
            0x09 => out.write_str("\\t")?,
            0x0a => out.write_str("\\n")?,
            0x0c => out.write_str("\\f")?,
            0x0d => out.write_str("\\r")?,
            0x20..=0x7e => out.write_char(char::from(unit as u8))?,
            _ => write!(out, "\\u{unit:04x}")?,
        }
    }
    out.write_char('"')
}

/// Writes the lines H, C and D, each with its line feed.
pub fn write_header_lines(out: &mut impl Write, header: &TraceHeader) -> fmt::Result {
    write!(out, "H dialect={} format={} wtf_version=", header.dialect, header.format_version)?;
    match header.wtf_version {
        Some(version) => write!(out, "{version}")?,
        None => out.write_str("None")?,
    }
    writeln!(out, " timebase={} flags={}", header.timebase_millis, header.flags.names().join(","))?;
    out.write_str("C ")?;
    write_json(out, header.context.as_ref().unwrap_or(&JsonValue::Null))?;
    out.write_str("\nD ")?;
    write_json(out, &JsonValue::Object(header.metadata.clone()))?;
    out.write_char('\n')
}

/// JSON with sorted keys, in ASCII, with a space after commas and colons.
fn write_json(out: &mut impl Write, value: &JsonValue) -> fmt::Result {
    match value {
        JsonValue::String(text) => write_quoted(out, text),
        JsonValue::Array(elements) => {
            out.write_char('[')?;
            for (index, element) in elements.iter().enumerate() {
                out.write_str(if index > 0 { ", " } else { "" })?;
                write_json(out, element)?;
            }
            out.write_char(']')
        }
        JsonValue::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|&(name, _)| name);
            out.write_char('{')?;
            for (index, (name, value)) in fields.into_iter().enumerate() {
                out.write_str(if index > 0 { ", " } else { "" })?;
                write_quoted(out, name)?;
                out.write_str(": ")?;
                write_json(out, value)?;
            }
            out.write_char('}')
        }
        other => write!(out, "{other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_ascii_json() {
        let mut out = String::new();
        write_text(&mut out, Text::Wide("a\"\\\n\u{1}\u{7f}é😀".as_bytes())).unwrap();
        assert_eq!(out, "\"a\\\"\\\\\\n\\u0001\\u007f\\u00e9\\ud83d\\ude00\"");
    }

    #[test]
    fn json_has_sorted_keys_and_spaces() {
        let mut out = String::new();
        write_json(&mut out, &serde_json::json!({"b": [1, 2.5], "a": null})).unwrap();
        assert_eq!(out, "{\"a\": null, \"b\": [1, 2.5]}");
    }
}
