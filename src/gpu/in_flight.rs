//! Memory that lives on until the GPU has done what reads it.

use std::collections::VecDeque;

use super::buffers::BatchNumber;
use crate::limits::{MAX_HELD_BYTES, MAX_RECORDED_BYTES, MAX_STAGED_BYTES};

/// How much may be recorded, or wait for the GPU, before it is carried out in mid-frame and waited for. Pictures don't
/// depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InFlightLimits {
    /// Bytes of dropped buffers, overtaken versions of buffers and gathered vertices.
    pub held_bytes: u64,
    /// Bytes that transfers stage before they are submitted on their own.
    pub staged_bytes: u64,
    /// Bytes that recorded work takes of GPU library and driver, as estimated.
    pub recorded_bytes: u64,
    /// Draws in one submission; more keep the GPU idle while they are recorded, and their commands in memory.
    pub draws: u32,
}

impl Default for InFlightLimits {
    fn default() -> Self {
        Self {
            held_bytes: MAX_HELD_BYTES,
            staged_bytes: MAX_STAGED_BYTES,
            recorded_bytes: MAX_RECORDED_BYTES,
            draws: 1 << 16,
        }
    }
}

/// Work that takes memory of GPU library and driver from when it is recorded until the GPU has done it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recorded {
    /// Render or compute pass.
    Pass,
    /// Copy or another command outside of passes; bind group.
    Copy,
    /// Draw.
    Draw,
    /// Buffer or texture that is made; it lives on when it is dropped.
    Object,
    /// Pipeline that is made for what is recorded.
    Pipeline,
}

impl Recorded {
    /// Bytes of memory, a little more than was measured on software Vulkan.
    pub(crate) const fn bytes(self) -> u64 {
        match self {
            Self::Pass => 16 << 10,
            Self::Copy => 2 << 10,
            Self::Draw => 1 << 10,
            Self::Object => 12 << 10,
            Self::Pipeline => 256 << 10,
        }
    }
}

/// Bytes by the batch that is the last to read them.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Ascending.
    batches: VecDeque<(BatchNumber, u64)>,
    bytes: u64,
}

impl Held {
    /// All of it.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// `batch`, which is no earlier than those before, is the last to read so many bytes.
    pub(crate) fn add(&mut self, batch: BatchNumber, bytes: u64) {
        self.bytes += bytes;
        match self.batches.back_mut() {
            Some((last, of_last)) if *last == batch => *of_last += bytes,
            _ => self.batches.push_back((batch, bytes)),
        }
    }

    /// The GPU has done `batch` and all before it.
    pub(crate) fn release_until(&mut self, batch: BatchNumber) {
        while let Some((_, bytes)) = self.batches.front().copied().filter(|(first, _)| *first <= batch) {
            self.bytes -= bytes;
            self.batches.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_let_go() {
        let mut held = Held::default();
        held.add(BatchNumber(1), 10);
        held.add(BatchNumber(1), 5);
        held.add(BatchNumber(3), 7);
        assert_eq!(held.bytes(), 22);
        held.release_until(BatchNumber(0));
        assert_eq!(held.bytes(), 22);
        held.release_until(BatchNumber(2));
        assert_eq!(held.bytes(), 7);
        held.release_until(BatchNumber(3));
        assert_eq!(held.bytes(), 0);
    }
}
