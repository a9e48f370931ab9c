//! Guest buffers on the GPU.
//!
//! Uploads come in order with draws, but a render pass cannot be interrupted by a copy without ending it, and a pass
//! a draw is thirty times slower on software adapters. So a buffer that a pending draw reads is never written: an
//! upload to it makes a new version, a copy with the new bytes in, and later draws read that. All copies of a batch
//! run before its pass. When versions pile up, the batch is submitted first and the buffer written in place.

use foldhash::HashMap;

use crate::error::Internal;
use crate::replay::BufferKey;

/// Bytes of versions that one batch may hold beside the guest's own buffers.
const MAX_VERSION_BYTES: u64 = 64 << 20;

/// Numbers the batches, to tell which one last drew from a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BatchNumber(pub u64);

impl BatchNumber {
    /// The one before, if this is not the first.
    pub(crate) fn before(self) -> Option<Self> {
        self.0.checked_sub(1).map(Self)
    }
}

/// The guest's buffers, by key.
#[derive(Default)]
pub(super) struct Buffers {
    buffers: HashMap<BufferKey, GuestBuffer>,
    version_bytes: u64,
}

struct GuestBuffer {
    size_bytes: u32,
    /// Made at the first use: a buffer that is only ever created costs nothing.
    current: Option<wgpu::Buffer>,
    drawn_in: Option<BatchNumber>,
}

/// Where an upload goes.
pub(super) enum WriteTarget {
    /// Into this buffer.
    InPlace(wgpu::Buffer),
    /// Into the new version, after the old one was copied there.
    NewVersion { old: wgpu::Buffer, new: wgpu::Buffer },
    /// Nowhere yet: the pending batch has to be submitted first.
    SubmitFirst,
    /// Nowhere yet: the pending batch has to be submitted and done first, for the memory.
    WaitFirst,
}

impl Buffers {
    pub(crate) fn create(&mut self, key: BufferKey, size_bytes: u32) {
        self.buffers.insert(key, GuestBuffer { size_bytes, current: None, drawn_in: None });
    }

    /// Bytes of those that the GPU holds.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.buffers.values().filter_map(|buffer| buffer.current.as_ref()).map(wgpu::Buffer::size).sum()
    }

    /// Gives the bytes that the GPU may hold until it has done all that was asked of it so far.
    pub(crate) fn drop_buffer(&mut self, key: BufferKey) -> Result<u64, Internal> {
        let dropped = self.buffers.remove(&key);
        let dropped = dropped.ok_or(Internal::new("a buffer to be dropped is not on the GPU"))?;
        Ok(dropped.current.map_or(0, |buffer| buffer.size()))
    }

    /// Drops all; gives the bytes that the GPU may hold until it has done all that was asked of it so far.
    pub(crate) fn clear(&mut self) -> u64 {
        self.version_bytes = 0;
        self.buffers.drain().filter_map(|(_, buffer)| buffer.current).map(|buffer| buffer.size()).sum()
    }

    /// A new batch begins; versions of the last one are gone.
    pub(crate) fn batch_submitted(&mut self) {
        self.version_bytes = 0;
    }

    /// The buffer as a draw of `batch` reads it.
    pub(crate) fn for_draw(
        &mut self,
        device: &wgpu::Device,
        key: BufferKey,
        batch: BatchNumber,
    ) -> Option<&wgpu::Buffer> {
        let buffer = self.buffers.get_mut(&key)?;
        buffer.drawn_in = Some(batch);
        Some(buffer.current.get_or_insert_with(|| make_buffer(device, buffer.size_bytes)))
    }

    /// Where an upload of `batch` goes, when an old version may have `room_bytes` beside what the GPU holds already.
    pub(crate) fn for_write(
        &mut self,
        device: &wgpu::Device,
        key: BufferKey,
        batch: BatchNumber,
        room_bytes: u64,
    ) -> Option<WriteTarget> {
        let buffer = self.buffers.get_mut(&key)?;
        let current = buffer.current.get_or_insert_with(|| make_buffer(device, buffer.size_bytes));
        if buffer.drawn_in != Some(batch) {
            return Some(WriteTarget::InPlace(current.clone()));
        }
        let version_bytes = self.version_bytes + current.size();
        if version_bytes > MAX_VERSION_BYTES {
            return Some(WriteTarget::SubmitFirst);
        }
        if current.size() > room_bytes {
            return Some(WriteTarget::WaitFirst);
        }
        self.version_bytes = version_bytes;
        let new = make_buffer(device, buffer.size_bytes);
        let old = std::mem::replace(current, new.clone());
        buffer.drawn_in = None;
        Some(WriteTarget::NewVersion { old, new })
    }
}

/// Copies take whole dwords, so a buffer has a whole number of them, and at least one.
fn make_buffer(device: &wgpu::Device, size_bytes: u32) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("guest buffer"),
        size: u64::from(size_bytes).next_multiple_of(4).max(4),
        usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}
