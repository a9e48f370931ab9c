//! Numbers that change from draw to draw: places in buffers that are written once per batch and bound by dynamic offsets.

use crate::error::Internal;
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;

/// Bytes of one buffer.
const CHUNK_BYTES: u64 = 4 << 20;

/// Places for numbers, one after the other.
#[derive(Default)]
pub(super) struct Uniforms {
    chunks: Vec<wgpu::Buffer>,
    /// The chunk in use, and how much of it is.
    current: usize,
    used: u64,
    /// What of the chunk in use is not written yet.
    pending: Vec<u8>,
    pending_from: u64,
}

/// Where numbers lie.
#[derive(Clone, Debug)]
pub(super) struct UniformPlace {
    pub buffer: wgpu::Buffer,
    pub offset: u32,
}

impl Uniforms {
    /// The number of the buffer that bytes are kept in next.
    pub(super) fn chunk(&self) -> usize {
        self.current
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

    /// Keeps these bytes, and zeros behind them up to `size_bytes`, for the draws of this batch.
    pub(super) fn push(&mut self, gpu: &Gpu, bytes: &[u8], size_bytes: u32) -> Result<UniformPlace, GpuError> {
        let size = u64::from(size_bytes).next_multiple_of(gpu.uniform_alignment());
        if size > CHUNK_BYTES {
            return Err(Internal::new("more constants are set than shaders can read").into());
        }
        self.reserve(gpu, size)?;
        if self.current >= self.chunks.len() {
            self.chunks.push(gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("uniforms"),
                size: CHUNK_BYTES,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
        }
        let buffer = self.chunks.get(self.current).ok_or(Internal::new("a buffer just made is not there"))?.clone();
        let offset = self.used as u32;
        let end = self.pending.len() + size as usize;
        self.pending.extend_from_slice(bytes.get(..size_bytes as usize).unwrap_or(bytes));
        self.pending.resize(end, 0);
        self.used += size;
        Ok(UniformPlace { buffer, offset })
    }

    /// Writes what is pending. What is written so comes before all that is submitted later.
    pub(super) fn flush(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let lost = Internal::new("a buffer of numbers is not there");
        let buffer = self.chunks.get(self.current).ok_or(lost)?;
        gpu.queue.write_buffer(buffer, self.pending_from, &self.pending);
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
