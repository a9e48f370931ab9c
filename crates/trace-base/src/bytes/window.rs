//! One pass over a file of any size in a small buffer.

use super::{ByteSource, Cursor, ReadError};

/// A view of a source that moves forward: the bytes from some offset on, as many as were asked for so far.
///
/// A reader parses what it sees; when it runs out of bytes in the middle of a record, [`Window::extend`] shows more of
/// it. The buffer only grows when a single record doesn't fit.
pub struct Window<'s> {
    source: &'s dyn ByteSource,
    buffer: Vec<u8>,
    /// How much of `buffer` holds bytes of the file.
    filled: usize,
    /// Absolute file offset of `buffer[0]`.
    start: u64,
}

/// First size of the buffer: fits the caches next to the core, and makes system calls rare.
const WINDOW_BYTES: usize = 256 << 10;

impl<'s> Window<'s> {
    /// A view of nothing yet.
    pub fn new(source: &'s dyn ByteSource) -> Self {
        Self { source, buffer: Vec::new(), filled: 0, start: 0 }
    }

    /// Length of the whole source.
    #[inline]
    pub fn size_bytes(&self) -> u64 {
        self.source.size_bytes()
    }

    /// The bytes in view from `offset` on (none if that lies outside the view).
    #[inline]
    pub fn cursor(&self, offset: u64) -> Cursor<'_> {
        let seen = self.buffer.get(..self.filled).unwrap_or_default();
        let skip = offset.checked_sub(self.start).and_then(|skip| usize::try_from(skip).ok());
        Cursor::new(skip.and_then(|skip| seen.get(skip..)).unwrap_or_default(), offset)
    }

    /// Whether the view reaches the end of the source.
    pub fn reaches_end(&self) -> bool {
        self.start + self.filled as u64 >= self.size_bytes()
    }

    /// Drops what lies before `offset` and shows more of what follows: as much as fits, at least twice what was in
    /// view, unless the source ends first. An `offset` outside the view moves the view there.
    pub fn extend(&mut self, offset: u64) -> Result<(), ReadError> {
        let kept = self.cursor(offset).left();
        self.buffer.copy_within(self.filled - kept..self.filled, 0);
        (self.start, self.filled) = (offset, kept);
        let left = self.size_bytes().saturating_sub(offset + kept as u64);
        let room = (kept.saturating_mul(2)).max(WINDOW_BYTES).max(self.buffer.len());
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(room - kept);
        if self.buffer.len() < kept + wanted {
            self.buffer.resize(kept + wanted, 0);
        }
        if let Some(into) = self.buffer.get_mut(kept..kept + wanted) {
            self.source.read_at(offset + kept as u64, into)?;
            self.filled += wanted;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::MemorySource;

    #[test]
    fn the_view_moves_forward_and_grows_for_a_record_that_does_not_fit() {
        let bytes: Vec<u8> = (0..WINDOW_BYTES * 5).map(|i| (i % 251) as u8).collect();
        let source = MemorySource::from(bytes.clone());
        let mut window = Window::new(&source);
        assert_eq!(window.cursor(0).left(), 0);
        window.extend(0).unwrap();
        assert_eq!(window.cursor(0).rest(), &bytes[..WINDOW_BYTES]);
        window.extend(100).unwrap();
        assert_eq!(window.cursor(100).left(), (WINDOW_BYTES - 100) * 2);
        assert!(!window.reaches_end());
        for _ in 0..5 {
            window.extend(200).unwrap();
        }
        assert!(window.reaches_end());
        assert_eq!(window.cursor(201).rest(), &bytes[201..]);
        assert_eq!(window.cursor(bytes.len() as u64 + 9).left(), 0);
        window.extend(bytes.len() as u64).unwrap();
        assert_eq!((window.cursor(bytes.len() as u64).left(), window.reaches_end()), (0, true));
        window.extend(7).unwrap();
        assert_eq!(window.cursor(7).rest()[..9], bytes[7..16], "backwards");
    }
}
