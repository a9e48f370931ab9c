//! Results on stdout, line by line.

use std::io::{self, Write};

use crate::text::{JsonLine, Lines};

/// Writes a line of `--json`.
pub(super) fn print_json(out: &mut (impl Write + ?Sized), line: &JsonLine) -> io::Result<()> {
    line.write(out)
}

/// Stdout, buffered. The caller flushes it, since a lost line must not end in exit code 0.
pub(super) fn stdout() -> Lines {
    Lines::stdout()
}
