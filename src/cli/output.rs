//! Results on stdout, line by line.

use std::io::{self, Write};

use serde_json::Value;

use crate::text::{Lines, is_harmless, json_escape};

/// Number of the JSON layout that every verb prints.
pub(super) const JSON_SCHEMA: u32 = 1;

/// Writes one JSON object as a line.
pub(super) fn print_json(out: &mut (impl Write + ?Sized), value: &Value) -> io::Result<()> {
    out.write_all(json_text(value).as_bytes())?;
    out.write_all(b"\n")
}

/// A JSON value in one line that nothing obeys.
pub(super) fn json_text(value: &Value) -> String {
    // Only a string can hold GitHub's old mark of a command.
    let text = value.to_string().replace("##[", "\\u0023#[");
    let mut harmless = String::with_capacity(text.len());
    // JSON lets most characters stand in strings that a terminal might obey.
    for character in text.chars() {
        if is_harmless(character) { harmless.push(character) } else { harmless.push_str(&json_escape(character)) }
    }
    harmless
}

/// Stdout, buffered. The caller flushes it, since a lost line must not end in exit code 0.
pub(super) fn stdout() -> Lines {
    Lines::stdout()
}
