//! JSON written by hand: the exports are hundreds of megabytes, and never held in memory.

use std::collections::BTreeMap;

use super::{Argument, Value};
use crate::text::{is_harmless, json_escape};

/// Adds `number` in decimal.
pub fn push_number(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0; 20];
    let mut left = number;
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (left % 10) as u8;
        left /= 10;
        used += 1;
        if left == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len() - used..).unwrap_or_default());
}

/// Adds `nanos` as microseconds with three decimals, without needless zeros.
pub fn push_micros(out: &mut Vec<u8>, nanos: i64) {
    if nanos < 0 {
        out.push(b'-');
    }
    let nanos = nanos.unsigned_abs();
    push_number(out, nanos / 1000);
    let fraction = nanos % 1000;
    if fraction > 0 {
        let text = format!(".{fraction:03}");
        out.extend_from_slice(text.trim_end_matches('0').as_bytes());
    }
}

/// Adds `text` as a JSON string. Bytes that are not UTF-8 become U+FFFD.
pub fn push_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    if text.iter().all(|byte| matches!(byte, 0x20..0x7f) && *byte != b'"' && *byte != b'\\') {
        out.extend_from_slice(text);
    } else {
        push_escaped(out, &String::from_utf8_lossy(text));
    }
    out.push(b'"');
}

fn push_escaped(out: &mut Vec<u8>, text: &str) {
    for character in text.chars() {
        match character {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            // Beyond what JSON asks for, those that a terminal might obey.
            control if !is_harmless(control) => out.extend_from_slice(json_escape(control).as_bytes()),
            _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Largest whole number that every JSON reader keeps exactly.
const MAX_EXACT: u64 = 1 << 53;

/// Adds a value. Numbers that readers would change (over 2^53, NaN, infinities) become strings.
pub fn push_value(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null | Value::Function => out.extend_from_slice(b"null"),
        Value::Bool(is_true) => out.extend_from_slice(if *is_true { b"true" } else { b"false" }),
        Value::UInt(number) if *number > MAX_EXACT => push_string(out, number.to_string().as_bytes()),
        Value::UInt(number) => push_number(out, *number),
        Value::Named { name, .. } => push_string(out, name.as_bytes()),
        Value::Int(number) if number.unsigned_abs() > MAX_EXACT => push_string(out, number.to_string().as_bytes()),
        Value::Int(number) => {
            if *number < 0 {
                out.push(b'-');
            }
            push_number(out, number.unsigned_abs());
        }
        // The shortest text that reads back as the same 32-bit float.
        Value::F32(number) if number.is_finite() => out.extend_from_slice(format!("{number:?}").as_bytes()),
        Value::F64(number) if number.is_finite() => out.extend_from_slice(format!("{number:?}").as_bytes()),
        Value::F32(number) => push_string(out, number.to_string().as_bytes()),
        Value::F64(number) => push_string(out, number.to_string().as_bytes()),
        Value::Address(address) => push_string(out, format!("{address:#x}").as_bytes()),
        Value::Text(text) => push_string(out, text.as_bytes()),
        Value::Json(text) if is_json(text) => push_json(out, text),
        Value::Json(text) => push_string(out, text.as_bytes()),
        Value::Blob { size_bytes, stored_bytes } => {
            out.extend_from_slice(format!("{{\"bytes\":{size_bytes},\"stored\":{stored_bytes}}}").as_bytes());
        }
        Value::List(values) => {
            out.push(b'[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                push_value(out, value);
            }
            out.push(b']');
        }
    }
}

/// Adds valid JSON as it is, but on one line and harmless to a terminal.
fn push_json(out: &mut Vec<u8>, text: &str) {
    for character in text.chars() {
        match character {
            // Outside of strings they are spaces, and inside they may not stand.
            '\0'..' ' => out.push(b' '),
            control if !is_harmless(control) => out.extend_from_slice(json_escape(control).as_bytes()),
            _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Whether `text` is JSON.
pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Adds `arguments` as members of an object that is open already and has `before` members. A name that comes again
/// gets its count (`name#2`): objects can't hold it twice.
pub fn push_members(out: &mut Vec<u8>, arguments: &[Argument], before: usize) {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for (index, argument) in arguments.iter().enumerate() {
        if index + before > 0 {
            out.push(b',');
        }
        // A few arguments with names by position are the rule, and need no book-keeping.
        let times = if arguments.len() > 1 { seen.entry(&argument.name).or_default() } else { &mut 0 };
        *times += 1;
        if *times == 1 {
            push_string(out, argument.name.as_bytes());
        } else {
            push_string(out, format!("{}#{times}", argument.name).as_bytes());
        }
        out.push(b':');
        push_value(out, &argument.value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_json() {
        let values = [
            Value::Null,
            Value::UInt(u64::MAX),
            Value::Int(-7),
            Value::F32(0.1),
            Value::F32(f32::NAN),
            Value::F64(1e300),
            Value::Text("\"\\\n\u{1}é\u{1f600}".into()),
            Value::Json("{\n\"a\": [1, \"\u{9b}\"]}".into()),
            Value::Json("NaN".into()),
            Value::Blob { size_bytes: 3, stored_bytes: 2 },
            Value::Address(255),
        ];
        let name = |name: &str, value: &Value| Argument { name: name.into(), value: value.clone() };
        let arguments = [name("x", &Value::List(values.to_vec())), name("x", &Value::Bool(true))];
        let mut out = b"{".to_vec();
        push_members(&mut out, &arguments, 0);
        out.push(b'}');
        let back: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let expected = serde_json::json!({
            "x": [null, "18446744073709551615", -7, 0.1, "NaN", 1e300, "\"\\\n\u{1}é\u{1f600}", {"a": [1, "\u{9b}"]}, "NaN",
                  {"bytes": 3, "stored": 2}, "0xff"],
            "x#2": true
        });
        assert_eq!(back, expected);
        assert!(!String::from_utf8(out).unwrap().contains(char::is_control));
    }

    #[test]
    fn microseconds_keep_nanoseconds() {
        let texts = [0, 1, 1500, -2_000_010, 3_000_000].map(|nanos| {
            let mut out = Vec::new();
            push_micros(&mut out, nanos);
            String::from_utf8(out).unwrap()
        });
        assert_eq!(texts, ["0", "0.001", "1.5", "-2000.01", "3000"]);
    }
}
