//! A file that is read here and there and kept: events in order of time may lie anywhere in it, each far from the one
//! before. What was read once is there; no read is for one event alone.

use crate::limits::MAX_WTF_HELD_BYTES;
use trace_base::bytes::{ByteSource, ReadError};

/// Bytes read at once.
const PIECE_BYTES: u64 = 1 << 20;

/// The pieces read so far. There is none of a file that is larger than what may be held.
pub(super) struct HeldFile {
    /// Empty until they are read.
    pieces: Vec<Vec<u8>>,
    size_bytes: u64,
}

impl HeldFile {
    /// A file of this size, if it may be held.
    pub(crate) fn of_size(size_bytes: u64) -> Option<Self> {
        let count = size_bytes.div_ceil(PIECE_BYTES) as usize;
        (size_bytes <= MAX_WTF_HELD_BYTES).then(|| Self { pieces: vec![Vec::new(); count], size_bytes })
    }

    /// Fills `into` with the bytes of `source` at `offset`, or fails.
    pub(crate) fn read(&mut self, source: &dyn ByteSource, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        let (mut at, mut into) = (offset, into);
        while !into.is_empty() {
            let within = (at % PIECE_BYTES) as usize;
            let length = into.len().min(PIECE_BYTES as usize - within);
            let (part, rest) = into.split_at_mut(length);
            match self.piece(source, at / PIECE_BYTES)?.get(within..within + length) {
                Some(bytes) => part.copy_from_slice(bytes),
                // What the file does not have is refused with the right words.
                None => source.read_at(at, part)?,
            }
            (at, into) = (at + length as u64, rest);
        }
        Ok(())
    }

    fn piece(&mut self, source: &dyn ByteSource, index: u64) -> Result<&[u8], ReadError> {
        let start = index.saturating_mul(PIECE_BYTES);
        let Some(piece) = usize::try_from(index).ok().and_then(|index| self.pieces.get_mut(index)) else {
            return Ok(&[]);
        };
        if piece.is_empty() {
            let mut bytes = vec![0; self.size_bytes.saturating_sub(start).min(PIECE_BYTES) as usize];
            source.read_at(start, &mut bytes)?;
            *piece = bytes;
        }
        Ok(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_base::bytes::CountedSource;

    #[test]
    fn every_piece_is_read_once_and_gives_the_bytes_of_the_file() {
        let content: Vec<u8> = (0..(5 << 20) + 77).map(|at: u32| (at / 7) as u8 ^ (at >> 12) as u8).collect();
        let source = CountedSource::of(content.clone());
        let mut held = HeldFile::of_size(source.size_bytes()).unwrap();
        let mut chance = 1u64;
        for _ in 0..10_000 {
            chance = chance.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (offset, length) = ((chance >> 33) % ((5 << 20) + 20), 1 + (chance >> 20) % 57);
            let mut found = vec![0; length as usize];
            held.read(&source, offset, &mut found).unwrap();
            assert!(found == content[offset as usize..][..length as usize], "{length} at {offset}");
        }
        let mut last = [0];
        held.read(&source, content.len() as u64 - 1, &mut last).unwrap();
        assert_eq!(Some(&last[0]), content.last());
        let mut across = vec![0; 3 << 20];
        held.read(&source, (1 << 20) - 5, &mut across).unwrap();
        assert!(across == content[(1 << 20) - 5..][..3 << 20]);
        assert_eq!(source.reads(), 6);
        assert!(held.read(&source, content.len() as u64 - 1, &mut [0; 2]).is_err());
        assert!(held.read(&source, u64::MAX - 9, &mut [0; 4]).is_err());
        assert!(HeldFile::of_size(MAX_WTF_HELD_BYTES).is_some() && HeldFile::of_size(MAX_WTF_HELD_BYTES + 1).is_none());
    }
}
