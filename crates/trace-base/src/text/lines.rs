//! Stdout and stderr, line by line.

use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::harmless::{Harmless, escape};

/// Stdout, buffered. The caller flushes it, since a lost line must not end in exit code 0.
///
/// Each `writeln!` is one line, and whatever stands in it is shown [`Harmless`]. Hence a line is written at once: what
/// is put together from parts is put together first. Bytes that are written are results of their own, a picture or a
/// shader's text, and go through as they are; but to a terminal, which gets text that does nothing.
pub struct Lines<W: Write = BufWriter<Stdout>> {
    out: W,
    is_terminal: bool,
    /// The start of a line that a terminal does not have yet.
    unfinished: Vec<u8>,
}

impl Lines {
    /// Lines on stdout.
    pub fn stdout() -> Self {
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        Self::new(BufWriter::with_capacity(64 << 10, stdout), is_terminal)
    }
}

impl<W: Write> Lines<W> {
    fn new(out: W, is_terminal: bool) -> Self {
        Self { out, is_terminal, unfinished: Vec::new() }
    }

    /// A line that begins with a word of ours, which goes through as it is: it may be in a terminal's colours.
    pub fn marked(&mut self, word: &str, rest: fmt::Arguments<'_>) -> io::Result<()> {
        self.show_unfinished()?;
        writeln!(self.out, "{word}{}", Harmless(rest))
    }

    /// For results that others put together by `write!`: as they are, but to a terminal.
    pub fn as_bytes(&mut self) -> impl Write {
        Bytes(self)
    }

    /// The same, for whoever keeps it.
    pub fn into_bytes(self) -> impl Write {
        Bytes(self)
    }

    /// Shows the bytes of a line on a terminal; its end is kept.
    fn show(&mut self, line: &[u8]) -> io::Result<()> {
        let mut shown = String::with_capacity(line.len());
        for chunk in line.utf8_chunks() {
            // Writing to a string does not fail.
            let _ = escape(chunk.valid(), |character| matches!(character, '\n' | '\t'), &mut shown);
            chunk.invalid().iter().for_each(|byte| shown.push_str(&format!("\\x{byte:02x}")));
        }
        self.out.write_all(shown.as_bytes())
    }

    fn show_unfinished(&mut self) -> io::Result<()> {
        let unfinished = std::mem::take(&mut self.unfinished);
        self.show(&unfinished)
    }
}

impl<W: Write> Write for Lines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(bytes);
        }
        // A character may come in two parts, and a line in any number.
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.unfinished.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.show_unfinished()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.show_unfinished()?;
        self.out.flush()
    }

    fn write_fmt(&mut self, line: fmt::Arguments<'_>) -> io::Result<()> {
        self.show_unfinished()?;
        let line = line.to_string();
        let line = line.strip_suffix('\n').unwrap_or(&line);
        writeln!(self.out, "{}", Harmless(line))
    }
}

/// Without lines.
struct Bytes<L: Write>(L);

impl<L: Write> Write for Bytes<L> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Says a sentence on stderr: one line, whatever stands in it. See `say!`.
pub fn say_line(sentence: fmt::Arguments<'_>) {
    write_stderr(format_args!("{}", Harmless(sentence)));
}

/// The same behind a word of ours, which goes through as it is: it may be in a terminal's colours.
pub fn say_marked(word: &str, sentence: fmt::Arguments<'_>) {
    write_stderr(format_args!("{word}{}", Harmless(sentence)));
}

/// Whether a bar stands in the last line of the terminal that stderr is.
static HAS_BAR: AtomicBool = AtomicBool::new(false);

/// From here on a bar stands in the last line of the terminal that stderr is, or none does any more. What is said takes its
/// place; it is drawn anew below.
pub fn set_bar(stands: bool) {
    HAS_BAR.store(stands, Ordering::Relaxed);
}

fn write_stderr(line: fmt::Arguments<'_>) {
    let clear = if HAS_BAR.load(Ordering::Relaxed) { "\r\x1b[2K" } else { "" };
    // Whoever closed stderr does not want to hear it.
    let _ = io::stderr().lock().write_all(format!("{clear}{line}\n").as_bytes());
}

/// Says a sentence on stderr, as `eprintln!` would, in one line that does nothing, whatever stands in it.
#[macro_export]
macro_rules! say {
    ($($sentence:tt)*) => { $crate::text::say_line(format_args!($($sentence)*)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(is_terminal: bool, write: impl FnOnce(&mut Lines<&mut Vec<u8>>) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        let mut lines = Lines::new(&mut bytes, is_terminal);
        write(&mut lines).unwrap();
        lines.flush().unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn a_writeln_is_one_line() {
        for is_terminal in [false, true] {
            let text = written(is_terminal, |out| {
                let (name, value, breaks) = ("a\nb", "c\n", "\n");
                writeln!(out, "{name}: {value}")?;
                writeln!(out)?;
                writeln!(out, "{breaks}")
            });
            assert_eq!(text, "a\\nb: c\\n\n\n\\n\n");
        }
    }

    #[test]
    fn only_our_own_word_acts() {
        for is_terminal in [false, true] {
            let text = written(is_terminal, |out| out.marked("\x1b[1mgood\x1b[0m", format_args!(": a\x1b[2J\nb")));
            assert_eq!(text, "\x1b[1mgood\x1b[0m: a\\u{1b}[2J\\nb\n");
        }
    }

    #[test]
    fn bytes_go_through_as_they_are_but_to_a_terminal() {
        let bytes = b"a\x1b[2J\tb\r\n\xc2\x9b2J \xff\nc".as_slice();
        let write = |out: &mut Lines<&mut Vec<u8>>| {
            // Also in the middle of a character.
            for byte in bytes {
                out.write_all(&[*byte])?;
            }
            Ok(())
        };
        assert_eq!(written(false, write).as_bytes(), String::from_utf8_lossy(bytes).as_bytes());
        assert_eq!(written(true, write), "a\\u{1b}[2J\tb\\r\n\\u{9b}2J \\xff\nc");
        let name = "a\u{202e}\nb";
        assert_eq!(written(true, |out| write!(out.as_bytes(), "{name}")), "a\\u{202e}\nb");
    }
}
