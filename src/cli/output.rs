//! Results on stdout, line by line.

use std::io::{self, Write};

use crate::text::{Lines, is_harmless, json_escape};

/// Number of the JSON layout that every verb prints.
pub(super) const JSON_SCHEMA: u32 = 1;

/// Writes one JSON object as a line.
pub(super) fn print_json(out: &mut (impl Write + ?Sized), value: &serde_json::Value) -> io::Result<()> {
    // Only a string can hold GitHub's old mark of a command.
    let text = serde_json::to_string(value)?.replace("##[", "\\u0023#[");
    // JSON lets most characters stand in strings that a terminal might obey.
    for part in text.split_inclusive(|character| !is_harmless(character)) {
        match part.chars().next_back().filter(|last| !is_harmless(*last)) {
            Some(last) => {
                out.write_all(part.strip_suffix(last).unwrap_or_default().as_bytes())?;
                out.write_all(json_escape(last).as_bytes())?;
            }
            None => out.write_all(part.as_bytes())?,
        }
    }
    out.write_all(b"\n")
}

/// Stdout, buffered. The caller flushes it, since a lost line must not end in exit code 0.
pub(super) fn stdout() -> Lines {
    Lines::stdout()
}
