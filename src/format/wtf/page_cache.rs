//! Pages of a file that were read lately: events in order of time lie in as many places as runs of times were recorded,
//! and each place is gone on with again and again.

use crate::bytes::{ByteSource, ReadError};

const PAGE_BYTES: u64 = 4 << 10;
/// Pages that can be kept where a page belongs.
const WAYS: usize = 8;
/// Places where pages belong: 64 MiB with all their ways.
const SETS: usize = 1 << 11;

/// The pages kept. A page has its places by its number, so neighbours never drive out each other.
#[derive(Default)]
pub(super) struct PageCache {
    /// Made when the first page is read.
    pages: Vec<Page>,
    /// By set: the place that is given up next.
    oldest: Vec<u8>,
}

#[derive(Clone, Default)]
struct Page {
    /// Its number, counted from 1; 0 of a place that has none.
    number: u64,
    bytes: Vec<u8>,
}

impl PageCache {
    /// Fills `into` with the bytes of `source` at `offset`, or fails.
    pub(crate) fn read(&mut self, source: &dyn ByteSource, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        let (mut at, mut into) = (offset, into);
        while !into.is_empty() {
            let within = (at % PAGE_BYTES) as usize;
            let length = into.len().min(PAGE_BYTES as usize - within);
            let (part, rest) = into.split_at_mut(length);
            let page = self.page(source, at / PAGE_BYTES)?;
            match page.get(within..within + length) {
                Some(bytes) => part.copy_from_slice(bytes),
                // What the file does not have is refused with the right words.
                None => source.read_at(at, part)?,
            }
            (at, into) = (at + length as u64, rest);
        }
        Ok(())
    }

    fn page(&mut self, source: &dyn ByteSource, index: u64) -> Result<&[u8], ReadError> {
        if self.pages.is_empty() {
            (self.pages, self.oldest) = (vec![Page::default(); SETS * WAYS], vec![0; SETS]);
        }
        let (number, set) = (index + 1, index as usize % SETS);
        let ways = self.pages.get_mut(set * WAYS..(set + 1) * WAYS).unwrap_or_default();
        let known = ways.iter().position(|page| page.number == number);
        let way = match (known, self.oldest.get_mut(set)) {
            (Some(way), _) => return Ok(ways.get(way).map_or(&[], |page| &page.bytes)),
            (None, Some(oldest)) => {
                let way = usize::from(*oldest);
                *oldest = (*oldest + 1) % WAYS as u8;
                way
            }
            (None, None) => 0,
        };
        let Some(page) = ways.get_mut(way) else { return Ok(&[]) };
        let start = index * PAGE_BYTES;
        let length = source.size_bytes().saturating_sub(start).min(PAGE_BYTES) as usize;
        page.number = 0;
        page.bytes.resize(length, 0);
        source.read_at(start, &mut page.bytes)?;
        page.number = number;
        Ok(&page.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::CountedSource;

    fn counted(size: usize) -> (CountedSource, Vec<u8>) {
        let content: Vec<u8> = (0..size).map(|at| (at / 7) as u8 ^ (at >> 12) as u8).collect();
        (CountedSource::of(content.clone()), content)
    }

    #[test]
    fn pages_give_the_bytes_of_the_file() {
        let (source, content) = counted(100_001);
        let mut pages = PageCache::default();
        for (offset, length) in [(0, 1), (4095, 2), (4096, 4096), (4000, 12_000), (99_990, 11), (8191, 1), (50, 90_000)]
        {
            let mut found = vec![0; length];
            pages.read(&source, offset, &mut found).unwrap();
            assert!(found == content[offset as usize..][..length], "{length} at {offset}");
        }
        assert!(pages.read(&source, 100_000, &mut [0; 2]).is_err());
        assert!(pages.read(&source, u64::MAX - 9, &mut [0; 20]).is_err());
    }

    #[test]
    fn places_that_take_turns_are_read_once() {
        let (source, content) = counted(8 << 20);
        let mut pages = PageCache::default();
        let runs = 1000;
        for step in 0..256 {
            for run in 0..runs {
                let (offset, mut found) = (run * (8 << 20) / runs + step * 16, [0; 16]);
                pages.read(&source, offset as u64, &mut found).unwrap();
                assert_eq!(found, content[offset..][..16]);
            }
        }
        assert!(source.reads() <= 2048, "{} reads", source.reads());
    }

    #[test]
    fn more_pages_than_are_kept_drive_out_the_oldest() {
        let (source, content) = counted(4 * PAGE_BYTES as usize);
        let mut pages = PageCache::default();
        let source = Repeated(source);
        for turn in 0..3u64 {
            for far in 0..2 * WAYS as u64 {
                let mut found = [0];
                let offset = far * SETS as u64 * PAGE_BYTES + turn;
                pages.read(&source, offset, &mut found).unwrap();
                assert_eq!(found[0], content[turn as usize]);
            }
        }
        assert_eq!(source.0.reads(), 3 * 2 * WAYS as u64);
    }

    /// A file whose first pages come again and again.
    struct Repeated(CountedSource);

    impl ByteSource for Repeated {
        fn size_bytes(&self) -> u64 {
            u64::MAX / 2
        }

        fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
            self.0.read_at(offset % self.0.size_bytes(), into)
        }
    }
}
