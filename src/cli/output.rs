//! Results on stdout, line by line.

use std::io::{self, BufWriter, Write};

/// Number of the JSON layout that every verb prints.
pub(super) const JSON_SCHEMA: u32 = 1;

/// Writes one JSON object as a line.
pub(super) fn print_json(out: &mut impl Write, value: &serde_json::Value) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Stdout, buffered. The caller flushes it, since a lost line must not end in exit code 0.
pub(super) fn stdout() -> BufWriter<io::Stdout> {
    BufWriter::with_capacity(64 << 10, io::stdout())
}
