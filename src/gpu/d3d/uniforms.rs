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
    /// The chunk in use.
    current: usize,
    /// Its bytes so far, which are written at once when it is full or its draws are submitted.
    pending: Vec<u8>,
}

impl Uniforms {
    /// The number of the buffer that bytes are kept in next.
    pub(super) fn chunk(&self) -> usize {
        self.current
    }

    /// Bytes of the buffers that hold what was pushed for this batch, up to what is used of the last.
    pub(super) fn recorded_bytes(&self) -> u64 {
        self.current as u64 * CHUNK_BYTES + self.pending.len() as u64
    }

    /// Has so many bytes be kept in one buffer.
    pub(super) fn reserve(&mut self, gpu: &Gpu, bytes: u64) -> Result<(), GpuError> {
        if self.pending.len() as u64 + bytes > CHUNK_BYTES {
            self.flush(gpu)?;
            self.current += 1;
        }
        Ok(())
    }

    /// Keeps these bytes, and zeros behind them up to `size_bytes`, for the draws of this batch; gives their offset in the
    /// buffer in use.
    pub(super) fn push(&mut self, gpu: &Gpu, bytes: &[u8], size_bytes: u32) -> Result<u32, GpuError> {
        self.push_parts(gpu, &[(bytes, size_bytes)], size_bytes)
    }

    /// Keeps several parts in a row, each filled up with zeros to the bytes beside it.
    pub(super) fn push_parts(&mut self, gpu: &Gpu, parts: &[(&[u8], u32)], size_bytes: u32) -> Result<u32, GpuError> {
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
            self.chunks.push(buffer);
        }
        let start = self.pending.len();
        let mut left = size_bytes as usize;
        for (bytes, taken) in parts {
            let taken = left.min(*taken as usize);
            let end = self.pending.len() + taken;
            self.pending.extend_from_slice(bytes.get(..taken).unwrap_or(bytes));
            self.pending.resize(end, 0);
            left -= taken;
        }
        self.pending.resize(start + size as usize, 0);
        Ok(start as u32)
    }

    /// The buffer in use, in which all lies that was pushed since [`Self::reserve`].
    pub(super) fn buffer(&self) -> Result<wgpu::Buffer, Internal> {
        let chunk = self.chunks.get(self.current).ok_or(Internal::new("a buffer of numbers is missing"))?;
        Ok(chunk.clone())
    }

    /// Writes what is pending. What is written so comes before all that is submitted later.
    pub(super) fn flush(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let chunk = self.chunks.get(self.current).ok_or(Internal::new("a buffer of numbers is missing"))?;
        gpu.queue.write_buffer(chunk, 0, &self.pending);
        self.pending.clear();
        Ok(())
    }

    /// What was kept is submitted, so that its places can be used again: queues keep their order.
    pub(super) fn recycle(&mut self) {
        self.current = 0;
        self.pending.clear();
    }
}
