//! Numbers that change from draw to draw: places in buffers that are written once per batch and bound by dynamic offsets.

use std::ops::Range;

use crate::error::Internal;
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;

/// Bytes of one buffer.
const CHUNK_BYTES: u64 = 4 << 20;

/// Places begin at multiples of it or of more.
const BLOCK_BYTES: usize = 16;

/// Places for numbers, one after the other.
#[derive(Default)]
pub(super) struct Uniforms {
    chunks: Vec<Chunk>,
    /// The chunk in use, and how much of it is.
    current: usize,
    used: u64,
    /// What of the chunk in use is not written yet.
    pending: Vec<u8>,
    pending_from: u64,
}

struct Chunk {
    buffer: wgpu::Buffer,
    /// What it holds, from its beginning, once all is done that was given to the queue.
    held: Vec<u8>,
}

impl Uniforms {
    /// The number of the buffer that bytes are kept in next.
    pub(super) fn chunk(&self) -> usize {
        self.current
    }

    /// Bytes of the buffers that hold what was pushed for this batch, up to what is used of the last.
    pub(super) fn recorded_bytes(&self) -> u64 {
        self.current as u64 * CHUNK_BYTES + self.used
    }

    /// Has so many bytes be kept in one buffer.
    pub(super) fn reserve(&mut self, gpu: &Gpu, bytes: u64) -> Result<(), GpuError> {
        if self.used + bytes > CHUNK_BYTES {
            self.flush(gpu)?;
            self.current += 1;
            (self.used, self.pending_from) = (0, 0);
        }
        Ok(())
    }

    /// Keeps these bytes, and zeros behind them up to `size_bytes`, for the draws of this batch; gives their offset in the
    /// buffer in use.
    pub(super) fn push(&mut self, gpu: &Gpu, bytes: &[u8], size_bytes: u32) -> Result<u32, GpuError> {
        let size = u64::from(size_bytes).next_multiple_of(gpu.uniform_alignment());
        if size > CHUNK_BYTES {
            return Err(Internal::new("more constants are set than shaders can read").into());
        }
        self.reserve(gpu, size)?;
        if self.current >= self.chunks.len() {
            let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("uniforms"),
                size: CHUNK_BYTES,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            self.chunks.push(Chunk { buffer, held: Vec::new() });
        }
        let offset = self.used as u32;
        let end = self.pending.len() + size as usize;
        self.pending.extend_from_slice(bytes.get(..size_bytes as usize).unwrap_or(bytes));
        self.pending.resize(end, 0);
        self.used += size;
        Ok(offset)
    }

    /// The buffer in use, in which all lies that was pushed since [`Self::reserve`].
    pub(super) fn buffer(&self) -> Result<wgpu::Buffer, Internal> {
        let chunk = self.chunks.get(self.current).ok_or(Internal::new("a buffer of numbers is missing"))?;
        Ok(chunk.buffer.clone())
    }

    /// Writes what is pending. What is written so comes before all that is submitted later.
    pub(super) fn flush(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let lost = Internal::new("a buffer of numbers is missing");
        let Chunk { buffer, held } = self.chunks.get_mut(self.current).ok_or(lost)?;
        let start = self.pending_from as usize;
        // Frames are much like the ones before, and what is written is staged and copied on its own before anything is drawn.
        let differs = differing(held.get(start..).ok_or(lost)?, &self.pending);
        if !differs.is_empty() {
            let bytes = self.pending.get(differs.clone()).ok_or(lost)?;
            gpu.queue.write_buffer(buffer, self.pending_from + differs.start as u64, bytes);
            let (from, end) = (start + differs.start, start + differs.end);
            held.resize(held.len().max(end), 0);
            held.get_mut(from..end).ok_or(lost)?.copy_from_slice(bytes);
        }
        self.pending_from = self.used;
        self.pending.clear();
        Ok(())
    }

    /// What was kept is submitted, so that its places can be used again: queues keep their order.
    pub(super) fn recycle(&mut self) {
        (self.current, self.used, self.pending_from) = (0, 0, 0);
        self.pending.clear();
    }
}

/// Which bytes of `new` have to be written over `old`, where it is as long: in whole blocks, as far as there are.
fn differing(old: &[u8], new: &[u8]) -> Range<usize> {
    let count = old.len().min(new.len()) / BLOCK_BYTES;
    let (old_blocks, new_blocks) = (old.chunks_exact(BLOCK_BYTES), new.chunks_exact(BLOCK_BYTES));
    let pairs = || old_blocks.clone().zip(new_blocks.clone()).take(count);
    let same = pairs().take_while(|(old, new)| old == new).count() * BLOCK_BYTES;
    let is_within = new.len() <= count * BLOCK_BYTES;
    let same_at_end = if is_within { pairs().rev().take_while(|(old, new)| old == new).count() } else { 0 };
    let end = new.len() - same_at_end * BLOCK_BYTES;
    same..end.max(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_that_differ_are_written() {
        let old = [0u8, 1, 2, 3, 4].map(|byte| [byte; BLOCK_BYTES]).concat();
        let with = |blocks: &[u8]| blocks.iter().flat_map(|byte| [*byte; BLOCK_BYTES]).collect::<Vec<_>>();
        let written = |blocks: &[u8]| {
            let Range { start, end } = differing(&old, &with(blocks));
            start / BLOCK_BYTES..end / BLOCK_BYTES
        };
        assert!(written(&[0, 1, 2, 3, 4]).is_empty() && written(&[0, 1]).is_empty() && written(&[]).is_empty());
        assert_eq!(written(&[0, 1, 9, 3, 4]), 2..3);
        assert_eq!(written(&[0, 7, 2, 8, 4]), 1..4);
        assert_eq!(written(&[0, 1, 2, 3, 4, 5]), 5..6, "behind what is held");
        assert_eq!(written(&[9, 1, 2, 3, 4, 5]), 0..6);
        assert_eq!(differing(&[], &old), 0..old.len());
        assert_eq!(differing(&old[..10], &old), 0..old.len(), "half a block is none");
    }
}
