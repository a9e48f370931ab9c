//! The stretch of an event buffer that is in memory.

use trace_base::bytes::ReadError;

use super::store::Store;

/// Bytes read at once. Small enough to stay in the processor's cache while it is parsed.
const WINDOW_BYTES: u64 = 256 << 10;
/// Bytes taken after a jump: events in order of time may lie anywhere in the file, each far from the one before. Most
/// records are shorter; a longer one says how long it is.
const JUMP_BYTES: u64 = 128;

/// A window that moves forward over one event buffer.
#[derive(Debug, Default)]
pub(super) struct Window {
    bytes: Vec<u8>,
    /// Absolute offset of the first byte of the window.
    start: u64,
    /// Index within the window of the next byte to parse.
    at: usize,
    /// Absolute offset at which the event buffer ends.
    end: u64,
    /// Bytes that are read at once: few after a jump, for little may be wanted there, and more each time that one goes on.
    ahead: u64,
}

impl Window {
    /// Begins a new event buffer.
    pub(crate) fn begin(&mut self, start: u64, end: u64) {
        self.bytes.clear();
        *self = Self { bytes: std::mem::take(&mut self.bytes), start, at: 0, end, ahead: WINDOW_BYTES };
    }

    /// The same for a buffer of which maybe a single record is wanted.
    pub(crate) fn begin_with_a_jump(&mut self, start: u64, end: u64) {
        self.begin(start, end);
        self.ahead = JUMP_BYTES;
    }

    /// The bytes in memory that are not parsed yet.
    #[inline]
    pub(crate) fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Bytes `from..` of the rest, `length` of them.
    #[inline]
    pub(crate) fn slice(&self, from: usize, length: usize) -> &[u8] {
        self.rest().get(from..from.saturating_add(length)).unwrap_or_default()
    }

    /// The last `length` bytes that were parsed.
    #[inline]
    pub(crate) fn parsed(&self, length: usize) -> &[u8] {
        self.bytes.get(self.at.saturating_sub(length)..self.at).unwrap_or_default()
    }

    /// Makes the byte at an absolute offset within the event buffer the next one to parse.
    pub(crate) fn seek(&mut self, offset: u64) {
        match offset.checked_sub(self.start) {
            Some(ahead) if ahead <= self.bytes.len() as u64 => self.at = ahead as usize,
            ahead => {
                let near = self.bytes.len() as u64 + WINDOW_BYTES;
                if ahead.is_none_or(|ahead| ahead > near) {
                    self.ahead = JUMP_BYTES;
                }
                self.bytes.clear();
                self.start = offset;
                self.at = 0;
            }
        }
    }

    /// Absolute offset of the next byte to parse.
    #[inline]
    pub(crate) fn offset(&self) -> u64 {
        self.start + self.at as u64
    }

    /// Absolute offset at which the event buffer ends.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Whether the whole event buffer is parsed.
    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.offset() >= self.end
    }

    /// Goes on by `length` bytes of [`Self::rest`].
    #[inline]
    pub(crate) fn advance(&mut self, length: usize) {
        self.at = (self.at + length).min(self.bytes.len());
    }

    /// Reads on, keeping what is not parsed, so that the window reaches at least to `needed` (an absolute offset within
    /// the buffer).
    pub(crate) fn fill(&mut self, store: &mut Store<'_>, needed: u64) -> Result<(), ReadError> {
        self.bytes.drain(..self.at.min(self.bytes.len()));
        self.start += self.at as u64;
        self.at = 0;
        let have = self.start + self.bytes.len() as u64;
        let until = needed.max(self.start + self.ahead).min(self.end);
        self.ahead = (self.ahead * 4).min(WINDOW_BYTES);
        let kept = self.bytes.len();
        // `until` is at most the end of the buffer, which lies within the source.
        self.bytes.resize(kept + until.saturating_sub(have) as usize, 0);
        let read = store.read(have, self.bytes.get_mut(kept..).unwrap_or_default());
        if read.is_err() {
            self.bytes.truncate(kept);
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_base::bytes::MemorySource;

    #[test]
    fn little_is_read_after_a_jump_and_more_where_one_goes_on() {
        let content: Vec<u8> = (0..=255).cycle().take(3 << 20).collect();
        let source = MemorySource::from(content.clone());
        let mut source = Store::of_file(&source);
        let mut window = Window::default();
        window.begin_with_a_jump(0, 3 << 20);
        window.seek(1 << 20);
        let mut lengths = Vec::new();
        for _ in 0..7 {
            let next = window.offset() + 1;
            window.fill(&mut source, next).unwrap();
            lengths.push(window.rest().len());
            window.advance(usize::MAX >> 1);
        }
        assert_eq!(lengths, [128, 512, 2048, 8192, 32_768, 131_072, 262_144]);
        window.seek(5);
        window.fill(&mut source, 6).unwrap();
        assert_eq!(window.rest(), &content[5..5 + 128]);
        window.fill(&mut source, 5 + 4000).unwrap();
        assert_eq!(window.rest(), &content[5..5 + 4000]);
    }

    #[test]
    fn a_window_keeps_what_is_not_parsed_and_stops_at_the_end() {
        let content: Vec<u8> = (0..=255).cycle().take(600_000).collect();
        let source = MemorySource::from(content.clone());
        let mut source = Store::of_file(&source);
        let mut window = Window::default();
        window.begin(10, 550_000);
        window.fill(&mut source, 11).unwrap();
        assert_eq!(window.rest(), &content[10..10 + (256 << 10)]);
        window.advance((256 << 10) - 5);
        window.fill(&mut source, 500_000).unwrap();
        assert_eq!(window.offset(), 10 + (256 << 10) - 5);
        assert_eq!(window.rest()[..5], content[(256 << 10) + 5..][..5]);
        window.advance(usize::MAX >> 1);
        window.fill(&mut source, 550_000).unwrap();
        window.advance(usize::MAX >> 1);
        assert!(window.is_done());
    }
}
