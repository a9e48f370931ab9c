//! Buffers of submissions: bytes that come from the CPU, in order with the draws around them, without ending a pass.
//!
//! What a small buffer holds is known here too until something on the GPU writes to it. Its bytes are brought there when
//! something other than constants is read from it; constants are taken from here. Bytes are brought
//!
//! ```text
//!  ahead of all draws   ◄── if nothing recorded has read or written them
//!  to a new version     ◄── if draws have read some of them: what was recorded keeps the old one
//!  in order             ◄── if something recorded has written to the buffer, or versions pile up: the pass ends
//! ```

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::kernels::ByteCopy;
use super::resources::DeviceBuffer;
use super::transfer::Scratch;
use crate::command::Location;
use crate::error::Internal;
use crate::gpu::buffers::BatchNumber;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::gpu::uploads::{STAGING_CHUNK_BYTES, copy_in};
use crate::replay::ObjectKey;
use crate::replay::device_rules::{Device, check_storage_binding};

/// Bytes of the largest buffer whose contents are known on the CPU: as much as a shader can read of one constant buffer.
const MOST_KNOWN_BYTES: u32 = 64 << 10;
/// Bytes of versions that one batch may hold beside the buffers themselves.
const MAX_VERSION_BYTES: u64 = 64 << 20;

/// What a buffer holds, as far as the CPU has written it.
pub(super) struct KnownBytes {
    /// Up to the next multiple of 4.
    bytes: Vec<u8>,
    /// Those that are not on the GPU yet.
    pending: Range<usize>,
    /// The number of the last change, which no other change has.
    change: u64,
}

impl KnownBytes {
    /// Zeros, for a buffer that is small enough.
    pub(super) fn of_size(device: &Device, size_bytes: u32) -> Option<Self> {
        let bytes = Self::kept_of_size(device, size_bytes)?;
        Some(Self { bytes: vec![0; bytes as usize], pending: 0..0, change: next_change() })
    }

    /// Number of them for a buffer of such a size, if it is small enough. Of a device that computes nothing all are kept.
    pub(super) fn kept_of_size(device: &Device, size_bytes: u32) -> Option<u32> {
        let is_kept = size_bytes <= MOST_KNOWN_BYTES || !device.features.compute;
        is_kept.then(|| size_bytes.next_multiple_of(4))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn change(&self) -> u64 {
        self.change
    }

    /// Says whether that changes anything.
    fn write(&mut self, start: usize, new: &[u8]) -> Result<bool, Internal> {
        let lost = Internal::new("bytes are written past the end of a buffer");
        let end = start + new.len();
        let held = self.bytes.get_mut(start..end).ok_or(lost)?;
        if held == new {
            return Ok(false);
        }
        held.copy_from_slice(new);
        self.change = next_change();
        let Range { start: first, end: last } = self.pending;
        self.pending = if self.pending.is_empty() { start..end } else { first.min(start)..last.max(end) };
        Ok(true)
    }
}

fn next_change() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// What the commands of a batch do with a buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct BufferUse {
    batch: BatchNumber,
    /// All that is read lies in it.
    read: Range<u64>,
    is_written: bool,
}

impl BufferUse {
    /// What is done in `batch`: so far nothing, if another one was asked for last.
    fn in_batch(&mut self, batch: BatchNumber) -> &mut Self {
        if self.batch != batch {
            *self = Self { batch, ..Self::default() };
        }
        self
    }

    fn note_read(&mut self, bytes: Range<u64>) {
        let Range { start, end } = self.read;
        self.read = if self.read.is_empty() { bytes } else { start.min(bytes.start)..end.max(bytes.end) };
    }

    /// All that was read so far in `batch` lies in this.
    pub(super) fn read_in(&self, batch: BatchNumber) -> Range<u64> {
        if self.batch == batch { self.read.clone() } else { 0..0 }
    }

    fn reads(&self, bytes: &Range<u64>) -> bool {
        self.read.start < bytes.end && bytes.start < self.read.end
    }
}

impl Renderer {
    /// A buffer that what is recorded next reads `bytes` of.
    pub(super) fn buffer_to_read(&mut self, key: ObjectKey, bytes: Range<u64>) -> Result<wgpu::Buffer, GpuError> {
        self.bring_known_bytes(key)?;
        let batch = self.recorder.number;
        let held = self.device_buffer(key)?;
        held.used.in_batch(batch).note_read(bytes);
        Ok(held.buffer.clone())
    }

    /// A buffer that elements are gathered from, any byte of it.
    pub(super) fn buffer_to_gather(&mut self, key: ObjectKey, at: Location) -> Result<wgpu::Buffer, GpuError> {
        let size = u64::from(self.device_buffer(key)?.size_bytes);
        check_storage_binding(self.gpu.record(), size).map_err(|refusal| GpuError::Refusal { refusal, at })?;
        self.buffer_to_read(key, 0..size)
    }

    /// The same for a buffer that a group binds.
    pub(super) fn buffer_to_bind(&mut self, key: ObjectKey, bytes: Range<u64>) -> Result<wgpu::Buffer, GpuError> {
        let buffer = self.buffer_to_read(key, bytes)?;
        self.device_buffer(key)?.is_in_groups = true;
        Ok(buffer)
    }

    /// A buffer that what is recorded next writes on the GPU, in order. What it holds is not known here any more.
    pub(super) fn buffer_to_write(&mut self, key: ObjectKey) -> Result<wgpu::Buffer, GpuError> {
        self.bring_known_bytes(key)?;
        let batch = self.recorder.number;
        let held = self.device_buffer(key)?;
        held.used.in_batch(batch).is_written = true;
        held.known = None;
        held.snapshots.forget();
        let buffer = held.buffer.clone();
        self.resources.changes += 1;
        Ok(buffer)
    }

    /// Bytes that the CPU reads for what is recorded next, instead of the GPU.
    pub(super) fn bytes_to_read(&mut self, key: ObjectKey) -> Result<&[u8], GpuError> {
        let batch = self.recorder.number;
        let held = self.device_buffer(key)?;
        held.used.in_batch(batch).note_read(0..u64::from(held.size_bytes));
        let lost = Internal::new("a device that computes nothing has written a buffer");
        Ok(held.known.as_ref().ok_or(lost)?.bytes())
    }

    /// Buffer that holds all indices of another, and nothing else.
    pub(super) fn index_buffer_of(&mut self, key: ObjectKey) -> Result<wgpu::Buffer, GpuError> {
        let bytes = self.bytes_to_read(key)?.to_vec();
        let held = self.device_buffer(key)?;
        let change = held.known.as_ref().map(KnownBytes::change);
        if let Some((made_at, indices)) = &held.indices
            && Some(*made_at) == change
        {
            return Ok(indices.clone());
        }
        let indices = self.scratch(bytes.len() as u64, Scratch::Indices);
        self.gpu.queue.write_buffer(&indices, 0, &bytes);
        self.device_buffer(key)?.indices = change.map(|change| (change, indices.clone()));
        Ok(indices)
    }

    /// Writes bytes from the CPU.
    pub(super) fn write_buffer_bytes(&mut self, key: ObjectKey, start: u64, bytes: &[u8]) -> Result<(), GpuError> {
        let batch = self.recorder.number;
        let held = self.device_buffer(key)?;
        // silent: what only the GPU knows is brought at once
        let Some(known) = &mut held.known else { return self.bring_bytes(key, start, bytes) };
        if known.write(start as usize, bytes)? && !held.used.in_batch(batch).read.is_empty() {
            // Whoever reads it next has to have them brought.
            self.resources.changes += 1;
        }
        Ok(())
    }

    fn device_buffer(&mut self, key: ObjectKey) -> Result<&mut DeviceBuffer, Internal> {
        self.resources.objects.buffers.get_mut(&key).ok_or(Internal::new("a buffer in use is not on the GPU"))
    }

    /// Brings what is known of a buffer to the GPU.
    fn bring_known_bytes(&mut self, key: ObjectKey) -> Result<(), GpuError> {
        let held = self.device_buffer(key)?;
        // silent: all that is known is on the GPU
        let Some(known) = held.known.as_mut().filter(|known| !known.pending.is_empty()) else { return Ok(()) };
        let pending = std::mem::take(&mut known.pending);
        // Whole words: what is next to the bytes is known too.
        let (start, end) = (pending.start & !3, pending.end.next_multiple_of(4));
        let lost = Internal::new("a buffer's pending bytes are unknown");
        let bytes = known.bytes.get(start..end).ok_or(lost)?.to_vec();
        self.bring_bytes(key, start as u64, &bytes)
    }

    fn bring_bytes(&mut self, key: ObjectKey, start: u64, bytes: &[u8]) -> Result<(), GpuError> {
        self.resources.brought_bytes += bytes.len() as u64;
        let batch = self.recorder.number;
        let version_bytes = self.resources.version_bytes;
        let held = self.device_buffer(key)?;
        let (end, size) = (start + bytes.len() as u64, held.buffer.size());
        // What follows the last byte up to the next word is not the guest's.
        let is_aligned = start.is_multiple_of(4) && (end.is_multiple_of(4) || end >= u64::from(held.size_bytes));
        let used = held.used.in_batch(batch);
        let is_read = used.reads(&(start..end));
        if !is_aligned || used.is_written || is_read && version_bytes + size > MAX_VERSION_BYTES {
            return self.write_in_order(key, start, bytes);
        }
        if is_read {
            self.make_version(key, start..end)?;
        }
        let buffer = self.device_buffer(key)?.buffer.clone();
        for (chunk, offset) in chunks(start, bytes) {
            self.stage_bytes(&buffer, offset, &chunk)?;
        }
        Ok(())
    }

    /// Has the buffer be another one from here on, which holds what it held but for the bytes that are about to be written.
    fn make_version(&mut self, key: ObjectKey, written: Range<u64>) -> Result<(), GpuError> {
        let gpu = self.gpu.clone();
        let held = self.device_buffer(key)?;
        let new = DeviceBuffer::make(&gpu, held.size_bytes);
        let old = std::mem::replace(&mut held.buffer, new.clone());
        held.used = BufferUse::default();
        if std::mem::take(&mut held.is_in_groups) {
            self.bindings.groups.forget_buffer(&old);
        }
        let held = self.device_buffer(key)?;
        if written.start > 0 || written.end < u64::from(held.size_bytes) {
            self.recorder.batch.transfers().copy_buffer_to_buffer(&old, 0, &new, 0, old.size());
        }
        self.resources.changes += 1;
        self.resources.version_bytes += old.size();
        self.hold(old.size());
        Ok(())
    }

    /// Writes bytes behind all that is recorded.
    fn write_in_order(&mut self, key: ObjectKey, start: u64, bytes: &[u8]) -> Result<(), GpuError> {
        let batch = self.recorder.number;
        let held = self.device_buffer(key)?;
        held.used.in_batch(batch).is_written = true;
        let (buffer, size) = (held.buffer.clone(), u64::from(held.size_bytes));
        let end = start + bytes.len() as u64;
        let is_aligned = start.is_multiple_of(4) && (end.is_multiple_of(4) || end >= size);
        let (into, first) = match is_aligned {
            true => (buffer.clone(), start),
            false => (self.scratch_buffer(bytes.len() as u64), 0),
        };
        self.recorder.open = None;
        for (chunk, offset) in chunks(first, bytes) {
            let lost = Internal::new("an empty range of bytes is written");
            let size = wgpu::BufferSize::new(chunk.len() as u64).ok_or(lost)?;
            let encoder = self.recorder.batch.after_draws();
            copy_in(&mut self.recorder.staging, encoder, (&into, offset), (&chunk, size))?;
            self.recorder.batch.staged_bytes += size.get();
        }
        if !is_aligned {
            let copy = ByteCopy::new(0, start as u32, bytes.len() as u32);
            self.bindings.kernels.copy_bytes(&self.gpu, self.recorder.batch.computes(), [&into, &buffer], copy);
        }
        Ok(())
    }
}

/// Whole words, as many as are staged at once, each with its first byte.
fn chunks(start: u64, bytes: &[u8]) -> impl Iterator<Item = (Cow<'_, [u8]>, u64)> {
    bytes.chunks(STAGING_CHUNK_BYTES as usize).zip((start..).step_by(STAGING_CHUNK_BYTES as usize)).map(
        |(chunk, offset)| {
            if chunk.len().is_multiple_of(4) {
                return (Cow::Borrowed(chunk), offset);
            }
            let mut words = chunk.to_vec();
            words.resize(chunk.len().next_multiple_of(4), 0);
            (Cow::Owned(words), offset)
        },
    )
}
