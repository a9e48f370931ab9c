//! Lines that fit a terminal.

use std::fmt;
use std::io::{IsTerminal as _, stdout};
use std::sync::OnceLock;

/// Columns that a line of a listing keeps to.
pub(super) const LINE_COLUMNS: usize = 120;

/// A line of at most [`LINE_COLUMNS`] on a terminal, where a longer one ends in an ellipsis. Files and pipes get all of it.
pub(super) struct Fitted<'a>(pub &'a str);

impl fmt::Display for Fitted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        static IS_TERMINAL: OnceLock<bool> = OnceLock::new();
        let is_terminal = *IS_TERMINAL.get_or_init(|| stdout().is_terminal());
        f.write_str(if is_terminal { fitted(self.0).0 } else { self.0 })?;
        if is_terminal && fitted(self.0).1 { f.write_str("…") } else { Ok(()) }
    }
}

/// The part of a line that fits, and whether an ellipsis follows it.
fn fitted(line: &str) -> (&str, bool) {
    if line.chars().nth(LINE_COLUMNS).is_none() {
        return (line, false);
    }
    let end = line.char_indices().nth(LINE_COLUMNS - 1).map_or(line.len(), |(at, _)| at);
    (line.get(..end).unwrap_or(line), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_wide_ends_in_an_ellipsis() {
        let fits = "é".repeat(LINE_COLUMNS);
        assert_eq!(fitted(&fits), (fits.as_str(), false));
        let wide = "é".repeat(LINE_COLUMNS + 1);
        let (part, is_cut) = fitted(&wide);
        assert_eq!((part.chars().count(), is_cut), (LINE_COLUMNS - 1, true));
    }
}
