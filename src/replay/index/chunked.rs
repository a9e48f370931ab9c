//! A list that grows without moving what it holds: of millions of commands a copy on the way costs more than all else that
//! is done to add one.

use std::ops::Range;

/// Items in a chunk.
const CHUNK: usize = 2048;

/// A list in chunks of [`CHUNK`] items, of which only the last is not full.
#[derive(Debug)]
pub(super) struct Chunked<T> {
    full: Vec<Vec<T>>,
    last: Vec<T>,
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { full: Vec::new(), last: Vec::new() }
    }
}

impl<T> Chunked<T> {
    /// How many items there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.full.len() * CHUNK + self.last.len()
    }

    /// Adds an item.
    // An item is written in parts; handed to a call it would be read as a whole at once, which waits for the parts.
    #[inline(always)]
    pub(super) fn push(&mut self, item: T) {
        if self.last.len() == CHUNK {
            self.next_chunk();
        }
        self.last.push(item);
    }

    #[cold]
    #[inline(never)]
    fn next_chunk(&mut self) {
        // A list that has filled one chunk is likely to fill the next.
        self.full.push(std::mem::replace(&mut self.last, Vec::with_capacity(CHUNK)));
    }

    /// An item by its place.
    #[inline]
    pub(super) fn get(&self, at: usize) -> Option<&T> {
        match self.full.get(at / CHUNK) {
            Some(chunk) => chunk.get(at % CHUNK),
            None => self.last.get(at - self.full.len() * CHUNK),
        }
    }

    /// The items of a range with their places, if they are all there.
    pub(super) fn range(&self, range: Range<u32>) -> Option<impl DoubleEndedIterator<Item = (u32, &T)>> {
        let is_there = range.start <= range.end && range.end as usize <= self.len();
        // Each place of the range has an item.
        is_there.then(|| range.filter_map(|at| Some((at, self.get(at as usize)?))))
    }

    /// Forgets all items but the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        // silent: what is left out begins in the last chunk
        if let Some(chunk) = self.full.get_mut(count / CHUNK) {
            self.last = std::mem::take(chunk);
            self.full.truncate(count / CHUNK);
        }
        self.last.truncate(count.saturating_sub(self.full.len() * CHUNK));
    }

    /// No item follows.
    pub(super) fn finish(&mut self) {
        self.full.shrink_to_fit();
        self.last.shrink_to_fit();
    }

    /// Bytes that the items take.
    pub(super) fn size_bytes(&self) -> u64 {
        self.len() as u64 * size_of::<T>() as u64
    }

    /// An item by its place, to be broken.
    #[cfg(test)]
    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        let before = self.full.len() * CHUNK;
        match self.full.get_mut(at / CHUNK) {
            Some(chunk) => chunk.get_mut(at % CHUNK),
            None => self.last.get_mut(at - before),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_a_plain_list_holds() {
        for lengths in [vec![3], vec![CHUNK, 1, CHUNK - 1], vec![2 * CHUNK, CHUNK, 3 * CHUNK + 5, 0, 2 * CHUNK + 1]] {
            let (mut list, mut plain) = (Chunked::default(), Vec::new());
            for length in lengths {
                list.truncate(length);
                plain.truncate(length);
                (plain.len()..length).for_each(|item| {
                    list.push(item);
                    plain.push(item);
                });
                assert_eq!(list.len(), plain.len());
                let all: Vec<usize> = list.range(0..length as u32).unwrap().map(|(_, item)| *item).collect();
                assert_eq!(all, plain);
                let last = list.range(length as u32 / 2..length as u32).unwrap().next_back();
                assert_eq!(
                    last.map(|(at, item)| (at as usize, *item)),
                    plain.last().map(|item| (plain.len() - 1, *item))
                );
                assert!(list.range(0..length as u32 + 1).is_none() && list.get(length).is_none());
            }
        }
    }
}
