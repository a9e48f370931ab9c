//! Values as debug annotations.

use super::field;
use crate::Value;
use crate::protobuf::Message;
use trace_base::listing::json_text::is_json;

/// Adds a value to an annotation.
pub(super) fn annotate(note: &mut Message, value: &Value) {
    match value {
        Value::Null | Value::Function => note.string(field::NOTE_STRING, b""),
        Value::Bool(is_true) => note.boolean(field::NOTE_BOOL, *is_true),
        Value::UInt(number) => note.uint(field::NOTE_UINT, *number),
        Value::Named { name, .. } => note.string(field::NOTE_STRING, name.as_bytes()),
        Value::Int(number) => note.int(field::NOTE_INT, *number),
        Value::F32(number) => note.double(field::NOTE_DOUBLE, f64::from(*number)),
        Value::F64(number) => note.double(field::NOTE_DOUBLE, *number),
        Value::Address(address) => note.uint(field::NOTE_POINTER, *address),
        Value::Text(text) => note.string(field::NOTE_STRING, text.as_bytes()),
        Value::Json(text) if is_json(text) => note.string(field::NOTE_JSON, text.as_bytes()),
        Value::Json(text) => note.string(field::NOTE_STRING, text.as_bytes()),
        Value::Blob { size_bytes, stored_bytes } => {
            for (name, bytes) in [("bytes", size_bytes), ("stored", stored_bytes)] {
                note.message(field::NOTE_ENTRIES, |entry| {
                    entry.string(field::NOTE_NAME, name.as_bytes());
                    entry.uint(field::NOTE_UINT, *bytes);
                });
            }
        }
        Value::List(values) => {
            for value in values {
                note.message(field::NOTE_VALUES, |entry| annotate(entry, value));
            }
        }
    }
}
