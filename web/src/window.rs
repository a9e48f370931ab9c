//! Reading ahead: a window over bytes that are far away, which grows while it is read in order.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Bytes that are read for the first request, and for one in another place.
const LEAST_BYTES: u64 = 64 << 10;
/// Bytes that are read ahead at most.
const MOST_BYTES: u64 = 4 << 20;

/// The bytes that were read last.
#[derive(Debug, Default)]
pub(crate) struct Window(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    start: u64,
    bytes: Vec<u8>,
    /// Bytes that are read ahead next.
    ahead: u64,
}

impl Held {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    fn copy(&self, offset: u64, into: &mut [u8]) -> bool {
        let Some(first) = offset.checked_sub(self.start) else { return false };
        let held = usize::try_from(first).ok().and_then(|first| self.bytes.get(first..first.checked_add(into.len())?));
        held.map(|held| into.copy_from_slice(held)).is_some()
    }
}

impl Window {
    /// A window that holds the start of the bytes already.
    pub(crate) fn starting_with(bytes: Vec<u8>) -> Self {
        Self(Mutex::new(Held { start: 0, bytes, ahead: LEAST_BYTES }))
    }

    /// Fills `into` with the bytes at `offset` of `size` bytes; `read` reads a range of them.
    pub(crate) fn read<E>(
        &self,
        (offset, size): (u64, u64),
        into: &mut [u8],
        read: impl FnOnce(Range<u64>) -> Result<Vec<u8>, E>,
    ) -> Result<bool, E> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.copy(offset, into) {
            return Ok(true);
        }
        // In order: a little behind what is held, too, since records are passed over.
        let follows = (held.start..held.end() + LEAST_BYTES).contains(&offset);
        held.ahead = if follows { (held.ahead * 2).clamp(LEAST_BYTES, MOST_BYTES) } else { LEAST_BYTES };
        let end = offset.saturating_add(held.ahead.max(into.len() as u64)).min(size);
        (held.bytes, held.start) = (read(offset..end)?, offset);
        Ok(held.copy(offset, into))
    }
}
