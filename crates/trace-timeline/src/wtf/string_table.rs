//! The string table of a chunk: UTF-8 strings, each followed by a zero byte, numbered from 0.
//!
//! A string that holds a zero byte counts as two here, as it does for every reader; the numbers after it are off, which
//! is a bug of the JavaScript writer.

use super::error::{Problem, WtfError};
use super::text::{self, Text};

/// Stands for no string.
const NULL: u32 = 0xffff_ffff;
/// Stands for the empty string.
const EMPTY: u32 = 0xffff_fffe;

/// The strings of one chunk.
#[derive(Clone, Debug, Default)]
pub(crate) struct StringTable {
    bytes: Vec<u8>,
    /// Where each string ends; the next one begins a byte later.
    ends: Vec<u32>,
}

/// Whether the last string had its end mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableEnd {
    /// It had, or there was no string.
    Marked,
    /// It had not; the end of the part ends it.
    Unmarked,
}

impl StringTable {
    /// Splits and checks the bytes of a table part. They are at most
    /// [`MAX_WTF_PART_BYTES`](crate::limits::MAX_WTF_PART_BYTES) long.
    pub(super) fn parse(bytes: Vec<u8>, offset: u64) -> Result<(Self, TableEnd), WtfError> {
        if let Err(index) = text::validate(&bytes) {
            let found = bytes.get(index).copied().unwrap_or_default();
            return Err(WtfError::new(offset + index as u64, Problem::InvalidUtf8 { found }));
        }
        let zeros = bytes.iter().enumerate().filter(|&(_, &byte)| byte == 0);
        let mut ends: Vec<u32> = zeros.map(|(index, _)| index as u32).collect();
        let end = match bytes.last() {
            None | Some(0) => TableEnd::Marked,
            Some(_) => {
                ends.push(bytes.len() as u32);
                TableEnd::Unmarked
            }
        };
        Ok((Self { bytes, ends }, end))
    }

    /// Appends a string, which may hold anything, and gives its number.
    pub(super) fn push(&mut self, string: &[u8]) -> u32 {
        self.bytes.extend_from_slice(string);
        self.ends.push(self.bytes.len() as u32);
        self.bytes.push(0);
        self.ends.len() as u32 - 1
    }

    /// The string of a number that [`check`] let pass: `None` for null.
    pub(super) fn get(&self, number: u32) -> Option<Text<'_>> {
        let index = number as usize;
        let end = *self.ends.get(index)? as usize;
        let start = match index.checked_sub(1) {
            None => 0,
            Some(before) => *self.ends.get(before)? as usize + 1,
        };
        self.bytes.get(start..end).map(Text::Wide)
    }

    /// How many strings there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}

/// Whether a string number means something in this chunk.
pub(super) fn check(table: Option<&StringTable>, number: u32, offset: u64) -> Result<(), WtfError> {
    let count = table.map_or(0, StringTable::len);
    if number >= EMPTY || (number as usize) < count {
        return Ok(());
    }
    Err(WtfError::new(offset, Problem::StringOrdinalRange { found: number, count }))
}

/// The text of a checked string number: `None` for null.
pub(super) fn resolve(table: Option<&StringTable>, number: u32) -> Option<Text<'_>> {
    match number {
        NULL => None,
        EMPTY => Some(Text::Wide(&[])),
        _ => table?.get(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_numbered_and_the_last_needs_no_mark() {
        let (table, end) = StringTable::parse(b"one\0\0three".to_vec(), 0).unwrap();
        assert_eq!((table.len(), end), (3, TableEnd::Unmarked));
        let strings: Vec<_> = (0..3).map(|number| table.get(number).unwrap().to_str()).collect();
        assert_eq!(strings, ["one", "", "three"]);
        assert_eq!(table.get(3), None);
    }

    #[test]
    fn null_and_empty_need_no_table() {
        assert_eq!(resolve(None, NULL), None);
        assert_eq!(resolve(None, EMPTY), Some(Text::Wide(&[])));
        assert!(check(None, NULL, 0).is_ok());
        assert_eq!(check(None, 0, 268).unwrap_err().class(), "string_ordinal_range");
    }

    #[test]
    fn bad_utf8_is_refused_where_it_stands() {
        assert_eq!(StringTable::parse(b"a\0\xffb\0".to_vec(), 0x10).unwrap_err().offset, 0x12);
    }
}
