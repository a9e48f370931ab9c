//! What a buffer holds, as places in the trace rather than as bytes.
//!
//! A buffer's bytes can only come from blobs. So its contents are known without reading any of them: each stretch is
//! either still zero or a stretch of the file. That is what makes it possible to write an unaligned upload as an
//! aligned one, and to gather vertices, without a second copy of every buffer in memory.

use std::collections::BTreeMap;
use std::ops::Range;

/// A stretch of bytes and where they come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// This many zeros.
    Zeros(u64),
    /// These bytes of the trace, by absolute file offset.
    File(Range<u64>),
}

impl Piece {
    /// Length in bytes.
    pub fn size_bytes(&self) -> u64 {
        match self {
            Self::Zeros(count) => *count,
            Self::File(range) => range.end - range.start,
        }
    }
}

impl Piece {
    /// Cuts after `length` bytes; the second part is `None` if nothing is left.
    pub fn split_at(self, length: u64) -> (Piece, Option<Piece>) {
        if length >= self.size_bytes() {
            return (self, None);
        }
        match self {
            Self::Zeros(count) => (Self::Zeros(length), Some(Self::Zeros(count - length))),
            Self::File(range) => {
                let middle = range.start + length;
                (Self::File(range.start..middle), Some(Self::File(middle..range.end)))
            }
        }
    }
}

/// The stretches that were written, by their start. They do not overlap; later writes have cut earlier ones.
#[derive(Clone, Debug, Default)]
pub struct BufferContents {
    /// Start in the buffer → end in the buffer, and file offset of the first byte.
    written: BTreeMap<u64, (u64, u64)>,
}

impl BufferContents {
    /// Notes that the bytes from `start` on now come from `file`.
    pub fn write(&mut self, start: u64, file: Range<u64>) {
        if file.is_empty() {
            return;
        }
        let end = start + (file.end - file.start);
        self.cut_at(start);
        self.cut_at(end);
        let covered: Vec<u64> = self.written.range(start..end).map(|(start, _)| *start).collect();
        for start in covered {
            self.written.remove(&start);
        }
        self.written.insert(start, (end, file.start));
    }

    /// Notes that the bytes of `range` are zero again.
    pub fn erase(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        self.cut_at(range.start);
        self.cut_at(range.end);
        while let Some((&start, _)) = self.written.range(range.clone()).next() {
            self.written.remove(&start);
        }
    }

    /// Notes that the bytes from `start` on now come from `pieces`, one after the other.
    pub fn write_pieces(&mut self, mut start: u64, pieces: &[Piece]) {
        for piece in pieces {
            let end = start + piece.size_bytes();
            match piece {
                Piece::Zeros(_) => self.erase(start..end),
                Piece::File(file) => self.write(start, file.clone()),
            }
            start = end;
        }
    }

    /// The stretches of `range` that come from somewhere else in `other`, in order.
    pub fn differences(&self, other: &Self, range: Range<u64>) -> Vec<Range<u64>> {
        let (ours, theirs) = (self.pieces(range.clone()), other.pieces(range.clone()));
        let (mut ours, mut theirs) = (ours.into_iter(), theirs.into_iter());
        let (mut our, mut their) = (ours.next(), theirs.next());
        let mut differing: Vec<Range<u64>> = Vec::new();
        let mut at = range.start;
        while let (Some(a), Some(b)) = (our.take(), their.take()) {
            let length = a.size_bytes().min(b.size_bytes());
            let (head_a, tail_a) = a.split_at(length);
            let (head_b, tail_b) = b.split_at(length);
            if head_a != head_b {
                match differing.last_mut().filter(|last| last.end == at) {
                    Some(last) => last.end = at + length,
                    None => differing.push(at..at + length),
                }
            }
            at += length;
            our = tail_a.or_else(|| ours.next());
            their = tail_b.or_else(|| theirs.next());
        }
        differing
    }

    /// Where the bytes of `range` come from, in order and without gaps.
    pub fn pieces(&self, range: Range<u64>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut at = range.start;
        let first = self.written.range(..=at).next_back().map_or(at, |(start, _)| *start);
        for (&start, &(end, file_start)) in self.written.range(first..range.end) {
            let (from, to) = (start.max(at), end.min(range.end));
            if from >= to {
                continue;
            }
            if from > at {
                pieces.push(Piece::Zeros(from - at));
            }
            pieces.push(Piece::File(file_start + (from - start)..file_start + (to - start)));
            at = to;
        }
        if at < range.end {
            pieces.push(Piece::Zeros(range.end - at));
        }
        pieces
    }

    /// Splits the stretch that covers `at`, so that one ends and one starts there.
    fn cut_at(&mut self, at: u64) {
        if let Some((&start, stretch)) = self.written.range_mut(..at).next_back() {
            let (end, file_start) = *stretch;
            if end > at {
                stretch.0 = at;
                self.written.insert(at, (end, file_start + (at - start)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_writes_shadow_earlier_ones() {
        let mut contents = BufferContents::default();
        contents.write(4, 100..112);
        contents.write(8, 200..202);
        assert_eq!(
            contents.pieces(0..20),
            [Piece::Zeros(4), Piece::File(100..104), Piece::File(200..202), Piece::File(106..112), Piece::Zeros(4)]
        );
        assert_eq!(contents.pieces(9..11), [Piece::File(201..202), Piece::File(106..107)]);
        contents.write(0, 300..320);
        assert_eq!(contents.pieces(0..20), [Piece::File(300..320)]);
        assert_eq!(contents.pieces(7..7), []);
    }

    #[test]
    fn differences_are_told_by_where_bytes_come_from() {
        let (mut a, mut b) = (BufferContents::default(), BufferContents::default());
        a.write(4, 100..120);
        b.write_pieces(0, &[Piece::Zeros(4), Piece::File(100..108), Piece::File(7..9), Piece::File(110..116)]);
        assert_eq!(a.differences(&b, 0..32), [12..14, 20..24]);
        assert_eq!(a.differences(&b, 13..13), []);
        b.write(12, 108..110);
        b.write(20, 116..120);
        assert_eq!(a.differences(&b, 0..32), []);
        a.erase(0..32);
        assert_eq!(a.pieces(0..32), [Piece::Zeros(32)]);
        assert_eq!(a.differences(&b, 0..32), Vec::from_iter([(4, 24)].map(|(start, end)| start..end)));
    }

    /// The stretches agree with plain bytes, whatever is written in whatever order.
    #[test]
    fn stretches_agree_with_plain_bytes() {
        let file: Vec<u8> = (0..=255).collect();
        let mut contents = BufferContents::default();
        let mut plain = [0u8; 64];
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..2000 {
            let (start, from) = (random(64), random(200));
            let length = random(65 - start).min(56);
            contents.write(start, from..from + length);
            plain[start as usize..(start + length) as usize]
                .copy_from_slice(&file[from as usize..(from + length) as usize]);
            let (low, high) = (random(65), random(65));
            let range = low.min(high)..low.max(high);
            let mut bytes = Vec::new();
            for piece in contents.pieces(range.clone()) {
                match piece {
                    Piece::Zeros(count) => bytes.extend(std::iter::repeat_n(0, count as usize)),
                    Piece::File(file_range) => {
                        bytes.extend_from_slice(&file[file_range.start as usize..file_range.end as usize]);
                    }
                }
            }
            assert_eq!(bytes, plain[range.start as usize..range.end as usize]);
        }
    }
}
