//! Rows whose columns stand below each other.

use std::io::{self, Write};

/// Between two columns.
const GAP: usize = 2;

/// What a list of words is wrapped at.
const LINE_WIDTH: usize = 100;

/// Rows of the same number of columns, of which the last is as long as it likes.
#[derive(Debug, Default)]
pub(super) struct Columns {
    rows: Vec<Vec<String>>,
}

impl Columns {
    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the rows, `indent` columns to the right.
    pub(crate) fn write(&self, indent: usize, out: &mut impl Write) -> io::Result<()> {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            widths.iter_mut().zip(row).for_each(|(width, cell)| *width = (*width).max(width_of(cell)));
        }
        for row in &self.rows {
            let mut line = " ".repeat(indent);
            for (cell, width) in row.iter().zip(&widths) {
                line += cell;
                line += &" ".repeat(width - width_of(cell) + GAP);
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Writes words with semicolons between them, in lines that fit most terminals.
pub(super) fn write_list(words: &[String], indent: usize, out: &mut impl Write) -> io::Result<()> {
    let mut line = String::new();
    for (number, word) in words.iter().enumerate() {
        if !line.is_empty() && indent + width_of(&line) + 1 + width_of(word) >= LINE_WIDTH {
            writeln!(out, "{}{line}", " ".repeat(indent))?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
        if number + 1 < words.len() {
            // Words may have commas of their own.
            line.push(';');
        }
    }
    if line.is_empty() { Ok(()) } else { writeln!(out, "{}{line}", " ".repeat(indent)) }
}

fn width_of(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn columns_stand_below_each_other() {
        let mut columns = Columns::default();
        columns.row(["a", "é", "last"].map(ToOwned::to_owned));
        columns.row(["long", "", "and long"].map(ToOwned::to_owned));
        columns.row(["no more"].map(ToOwned::to_owned));
        assert_eq!(written(|out| columns.write(2, out)), "  a        é  last\n  long        and long\n  no more\n");
    }

    #[test]
    fn lists_are_wrapped() {
        let words: Vec<String> = (0..40).map(|n| format!("word {n}")).collect();
        let text = written(|out| write_list(&words, 4, out));
        assert!(text.lines().all(|line| line.len() <= LINE_WIDTH && line.starts_with("    word")), "{text}");
        assert_eq!(text.replace("\n    ", " ").trim(), words.join("; "));
    }
}
