//! Pages of a file that were read lately: events in order of time lie in as many places as runs of times were recorded,
//! and each place is gone on with again and again.

use trace_base::bytes::{ByteSource, ReadError};

const PAGE_BYTES: u64 = 4 << 10;
/// Pages read at once where somebody reads on.
const PAGES_AHEAD: u64 = 8;
/// Pages that can be kept where a page belongs.
const WAYS: usize = 8;
/// Places where pages belong: 64 MiB with all their ways.
const SETS: usize = 1 << 11;

/// The pages kept. A page has its places by its number.
#[derive(Default)]
pub(super) struct PageCache {
    /// Made when the first page is read.
    pages: Vec<Page>,
    /// By set: the place that is given up next.
    oldest: Vec<u8>,
    /// Room for what is read at once.
    read: Vec<u8>,
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
        let place = match self.find(index) {
            Some(place) => place,
            None => self.read_from(source, index)?,
        };
        Ok(self.pages.get(place).map_or(&[], |page| &page.bytes))
    }

    /// Where a page is kept, if it is.
    fn find(&self, index: u64) -> Option<usize> {
        let first = set_of(index) * WAYS;
        let ways = self.pages.get(first..first + WAYS)?;
        ways.iter().position(|page| page.number == index + 1).map(|way| first + way)
    }

    /// Reads a page, and some that follow it if the one before it was read: then somebody reads on. Gives its place.
    fn read_from(&mut self, source: &dyn ByteSource, index: u64) -> Result<usize, ReadError> {
        let reads_on = index.checked_sub(1).is_some_and(|before| self.find(before).is_some());
        let count = if reads_on { PAGES_AHEAD } else { 1 };
        let start = index * PAGE_BYTES;
        let length = source.size_bytes().saturating_sub(start).min(count * PAGE_BYTES) as usize;
        self.read.resize(length, 0);
        source.read_at(start, &mut self.read)?;
        let read = std::mem::take(&mut self.read);
        // The page itself last: those that follow must not drive it out.
        for (ahead, bytes) in (0..).zip(read.chunks(PAGE_BYTES as usize)).skip(1) {
            if self.find(index + ahead).is_none() {
                self.keep(index + ahead, bytes);
            }
        }
        let place = self.keep(index, read.get(..PAGE_BYTES as usize).unwrap_or(&read));
        self.read = read;
        Ok(place)
    }

    /// Keeps a page in the place of the oldest of its set. Gives the place.
    fn keep(&mut self, index: u64, bytes: &[u8]) -> usize {
        let set = set_of(index);
        let way = self.oldest.get_mut(set).map_or(0, |oldest| {
            let way = usize::from(*oldest);
            *oldest = (*oldest + 1) % WAYS as u8;
            way
        });
        let place = set * WAYS + way;
        if let Some(page) = self.pages.get_mut(place) {
            page.number = index + 1;
            page.bytes.clear();
            page.bytes.extend_from_slice(bytes);
        }
        place
    }
}

/// The set of a page. Runs that were recorded one after another tend to be equally long: by their low bits alone, the pages
/// that they are gone on with would all belong to one set, and drive out each other at every turn.
fn set_of(index: u64) -> usize {
    (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SETS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_base::bytes::CountedSource;

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

    /// Sixty-four recordings of one length, in one file of 512 MiB.
    #[test]
    fn runs_of_one_length_do_not_drive_out_each_other() {
        let (source, content) = counted(4 * PAGE_BYTES as usize);
        let (mut pages, source) = (PageCache::default(), Repeated(source));
        let (runs, run_bytes, read_bytes, step_bytes) = (64, 8 << 20, 64 * PAGE_BYTES, 512);
        for step in 0..read_bytes / step_bytes {
            for run in 0..runs {
                let (offset, mut found) = (run * run_bytes + step * step_bytes, [0; 16]);
                pages.read(&source, offset, &mut found).unwrap();
                assert_eq!(found, content[(offset % source.0.size_bytes()) as usize..][..16]);
            }
        }
        // The first page of a run, the second with seven more, and so on.
        assert!(source.0.reads() <= runs * (2 + read_bytes / PAGE_BYTES / PAGES_AHEAD), "{} reads", source.0.reads());
    }

    #[test]
    fn more_pages_than_are_kept_drive_out_the_oldest() {
        let (source, content) = counted(4 * PAGE_BYTES as usize);
        let (mut pages, source) = (PageCache::default(), Repeated(source));
        let of_one_set = |index: &u64| set_of(*index) == set_of(0);
        let indices: Vec<u64> = (0..).filter(of_one_set).take(2 * WAYS).collect();
        for turn in 0..3u64 {
            for index in &indices {
                let (offset, mut found) = (index * PAGE_BYTES + turn, [0]);
                pages.read(&source, offset, &mut found).unwrap();
                assert_eq!(found[0], content[(offset % source.0.size_bytes()) as usize]);
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
            // Read once, however many times round it goes.
            self.0.read_at(0, &mut [0])?;
            let (content, size) = (self.0.content(), self.0.size_bytes());
            into.iter_mut().zip(offset..).for_each(|(into, at)| *into = content[(at % size) as usize]);
            Ok(())
        }
    }
}
