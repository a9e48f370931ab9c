//! Parts of bytes that are far away: those that were read last are kept, and more is read ahead while reading goes on in order.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use lru::LruCache;

/// Bytes of a part. The first request is for one.
pub(crate) const PART_BYTES: u64 = 64 << 10;
/// Parts that are read at once at most: 4 MiB.
const MOST_AT_ONCE: u64 = 64;
/// Parts that are kept: 16 MiB.
const MOST_KEPT: NonZeroUsize = NonZeroUsize::MIN.saturating_add(255);

/// The parts that were read last.
#[derive(Debug)]
pub(crate) struct Window(Mutex<Held>);

#[derive(Debug)]
struct Held {
    /// Parts by their number. The file's last one may be shorter than the others.
    parts: LruCache<u64, Vec<u8>>,
    /// End of the parts that were read last.
    end: u64,
    /// Parts that are read next.
    ahead: u64,
}

impl Default for Window {
    fn default() -> Self {
        Self(Mutex::new(Held { parts: LruCache::new(MOST_KEPT), end: 0, ahead: 1 }))
    }
}

impl Window {
    /// A window that holds the first bytes already.
    pub(crate) fn starting_with(bytes: &[u8]) -> Self {
        let window = Self::default();
        window.0.lock().unwrap_or_else(PoisonError::into_inner).take(0, bytes);
        window
    }

    /// Fills `into` with the bytes at `offset` of `size` bytes; `read` reads a range of them. `false` if it gives fewer.
    pub(crate) fn read<E>(
        &self,
        (offset, size): (u64, u64),
        into: &mut [u8],
        read: impl Fn(Range<u64>) -> Result<Vec<u8>, E>,
    ) -> Result<bool, E> {
        let end = offset.saturating_add(into.len() as u64);
        if into.is_empty() || end > size {
            return Ok(into.is_empty());
        }
        let wanted = offset / PART_BYTES..end.div_ceil(PART_BYTES);
        if wanted.end - wanted.start > MOST_AT_ONCE {
            let bytes = read(offset..end)?;
            let is_whole = bytes.len() == into.len();
            if is_whole {
                into.copy_from_slice(&bytes);
            }
            return Ok(is_whole);
        }
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut filled = 0;
        for part in wanted.clone() {
            if !held.parts.contains(&part) {
                let missing = held.missing(part..wanted.end, size.div_ceil(PART_BYTES));
                held.take(part, &read(part * PART_BYTES..(missing.end * PART_BYTES).min(size))?);
            }
            let first = (offset.max(part * PART_BYTES) - part * PART_BYTES) as usize;
            let last = (end - part * PART_BYTES).min(PART_BYTES) as usize;
            let held = held.parts.get(&part).and_then(|part| part.get(first..last));
            let (Some(from), Some(to)) = (held, into.get_mut(filled..filled + (last - first))) else {
                return Ok(false);
            };
            to.copy_from_slice(from);
            filled += last - first;
        }
        Ok(true)
    }
}

impl Held {
    /// Parts to read at once, of which the first one is missing: those that are wanted, and more where reading goes on in order.
    fn missing(&mut self, wanted: Range<u64>, count: u64) -> Range<u64> {
        // A little behind what was read, too, since records are passed over.
        let follows = (self.end..self.end + 2).contains(&wanted.start);
        self.ahead = if follows { (self.ahead * 2).min(MOST_AT_ONCE) } else { 1 };
        let most = wanted.end.max(wanted.start + self.ahead).min(count);
        let end = (wanted.start..most).find(|part| self.parts.contains(part)).unwrap_or(most);
        wanted.start..end
    }

    /// Keeps bytes that begin with a part.
    fn take(&mut self, first: u64, bytes: &[u8]) {
        for (part, bytes) in (first..).zip(bytes.chunks(PART_BYTES as usize)) {
            self.parts.put(part, bytes.to_vec());
            self.end = part + 1;
        }
    }
}
