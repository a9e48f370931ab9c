//! Results on stdout, line by line.

use std::io::{self, BufWriter, Write};

/// Number of the JSON layout that every verb prints.
pub(super) const JSON_SCHEMA: u32 = 1;

/// Writes one JSON object as a line.
pub(super) fn print_json(out: &mut (impl Write + ?Sized), value: &serde_json::Value) -> io::Result<()> {
    let text = serde_json::to_string(value)?;
    for part in text.split_inclusive(is_unescaped_control) {
        let character = part.chars().next_back().filter(|character| is_unescaped_control(*character));
        let (plain, _) = part.split_at(part.len() - character.map_or(0, char::len_utf8));
        out.write_all(plain.as_bytes())?;
        if let Some(character) = character {
            write!(out, "\\u{:04x}", u32::from(character))?;
        }
    }
    out.write_all(b"\n")
}

/// Control characters that JSON lets stand in strings, and a terminal might obey.
fn is_unescaped_control(character: char) -> bool {
    matches!(character, '\x7f'..='\u{9f}')
}

/// Stdout, buffered. The caller flushes it, since a lost line must not end in exit code 0.
pub(super) fn stdout() -> BufWriter<io::Stdout> {
    BufWriter::with_capacity(64 << 10, io::stdout())
}
