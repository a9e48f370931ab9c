//! Dwords of a program, front to back.

use super::instruction::TokenOffset;

/// Walks over the tokens of a program, knowing how far each lies from the program's first.
#[derive(Clone, Copy)]
pub(super) struct Tokens<'a> {
    words: &'a [[u8; 4]],
    offset: u32,
}

impl<'a> Tokens<'a> {
    /// The tokens of a program that begins with `bytes`. Bytes behind the last whole dword are none.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { words: bytes.as_chunks().0, offset: 0 }
    }

    /// The next one.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u32> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        // The budget keeps programs far below 4 GiB.
        self.offset = self.offset.wrapping_add(4);
        Some(u32::from_le_bytes(*word))
    }

    /// The next one, without passing it.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u32> {
        self.words.first().map(|word| u32::from_le_bytes(*word))
    }

    /// The one after so many others, without passing any.
    #[inline]
    pub(crate) fn peek_at(&self, position: usize) -> Option<u32> {
        self.words.get(position).map(|word| u32::from_le_bytes(*word))
    }

    /// The next `count` of them, as a walk of their own.
    #[inline]
    pub(crate) fn split(&mut self, count: usize) -> Option<Self> {
        let (words, rest) = self.words.split_at_checked(count)?;
        let part = Self { words, offset: self.offset };
        self.words = rest;
        self.offset = self.offset.wrapping_add((count * 4) as u32);
        Some(part)
    }

    /// How many are left.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.words.len()
    }

    /// Where the next one lies.
    #[inline]
    pub(crate) fn offset(&self) -> TokenOffset {
        TokenOffset(self.offset)
    }

    /// All that are left.
    pub(crate) fn values(self) -> impl Iterator<Item = u32> {
        self.words.iter().map(|word| u32::from_le_bytes(*word))
    }
}
