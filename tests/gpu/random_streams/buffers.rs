//! Buffers on the CPU: words that are floats of whole bytes, which shaders read, copy and show.

use super::model::{Model, Rgba};

/// Bytes of every buffer.
pub const BUFFER_BYTES: u32 = 64;

#[derive(Clone, Debug)]
pub struct Buffer {
    /// Of this life of the handle.
    pub name: usize,
    pub bytes: Vec<u8>,
    /// Where it lies in guest memory, if it does.
    pub backing: Option<u32>,
}

/// A part of a buffer that is bound: its handle and life, first byte, and bytes, 0 for all that follow.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    pub handle: u32,
    name: usize,
    offset: u32,
    size: u32,
}

/// Bindings of a context, each in slot 0: constants of the pixel stage, what compute reads, and what it writes.
#[derive(Clone, Debug, Default)]
pub struct BufferSlots {
    pub constants: Option<Bound>,
    pub read: Option<Bound>,
    pub written: Option<Bound>,
}

/// Where a buffer is bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot {
    Constants,
    Read,
    Written,
}

impl Model {
    pub fn create_buffer(&mut self, handle: u32, name: usize) {
        let bytes = vec![0; BUFFER_BYTES as usize];
        self.buffers.insert(handle, Buffer { name, bytes, backing: None });
    }

    /// No slot holds it any more.
    pub fn destroy_buffer(&mut self, handle: u32) {
        let Some(gone) = self.buffers.remove(&handle) else { return };
        for context in self.contexts.values_mut() {
            let BufferSlots { constants, read, written } = &mut context.buffers;
            for slot in [constants, read, written] {
                *slot = slot.filter(|bound| bound.name != gone.name);
            }
        }
    }

    /// Binds a buffer. A buffer that is read is not written: the later binding takes away the earlier.
    pub fn bind(&mut self, id: u32, slot: Slot, handle: u32, offset: u32, size: u32) {
        let bound = self.buffers.get(&handle).map(|buffer| Bound { handle, name: buffer.name, offset, size });
        let BufferSlots { constants, read, written } = &mut self.contexts.get_mut(&id).unwrap().buffers;
        let is_other = |other: &Bound| bound.is_none_or(|bound| bound.name != other.name);
        match slot {
            Slot::Constants => *constants = bound,
            Slot::Read => {
                *read = bound;
                *written = written.filter(is_other);
            }
            Slot::Written => {
                *written = bound;
                *read = read.filter(is_other);
            }
        }
    }

    /// The bytes of a buffer that a binding has.
    fn range(bound: Bound) -> std::ops::Range<usize> {
        let Bound { offset, size, .. } = bound;
        let end = if size == 0 { BUFFER_BYTES } else { (offset + size).min(BUFFER_BYTES) };
        offset as usize..end as usize
    }

    /// The second register of the constants that are bound, as a color; zeros where there is nothing.
    pub fn constant(&self, id: u32) -> Rgba {
        let Some(bound) = self.contexts[&id].buffers.constants else { return [0; 4] };
        let bytes = &self.buffers[&bound.handle].bytes[Self::range(bound)];
        let words = bytes.as_chunks::<4>().0;
        std::array::from_fn(|channel| {
            let value = words.get(4 + channel).map_or(0.0, |word| f32::from_le_bytes(*word));
            (value * 255.0).round() as u8
        })
    }

    /// One thread that copies the first four words of what is read to behind the first four of what is written.
    pub fn dispatch(&mut self, id: u32) {
        let BufferSlots { read, written, .. } = self.contexts[&id].buffers;
        let Some(written) = written else { return };
        let bytes = read.map_or(&[][..], |bound| &self.buffers[&bound.handle].bytes[Self::range(bound)]);
        let words = bytes.as_chunks::<4>().0;
        let words: [[u8; 4]; 4] = std::array::from_fn(|number| words.get(number).copied().unwrap_or_default());
        let into = &mut self.buffers.get_mut(&written.handle).unwrap().bytes[Self::range(written)];
        for (into, word) in into.as_chunks_mut::<4>().0.iter_mut().skip(4).zip(words) {
            *into = word;
        }
    }

    pub fn upload_buffer(&mut self, handle: u32, offset: u32, bytes: &[u8]) {
        self.buffers.get_mut(&handle).unwrap().bytes[offset as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    pub fn copy_buffer(&mut self, (to, to_at): (u32, u32), (from, from_at): (u32, u32), size: u32) {
        let bytes = self.buffers[&from].bytes[from_at as usize..][..size as usize].to_vec();
        self.upload_buffer(to, to_at, &bytes);
    }

    /// Takes bytes of a buffer from where it lies in guest memory.
    pub fn refresh_buffer(&mut self, handle: u32, offset: u32, size: u32) {
        let start = self.buffers[&handle].backing.unwrap() + offset;
        let bytes = self.memory.bytes(start, size).to_vec();
        self.upload_buffer(handle, offset, &bytes);
    }

    /// Writes bytes of a buffer to where it lies in guest memory.
    pub fn write_buffer_back(&mut self, handle: u32, offset: u32, size: u32) {
        let Buffer { bytes, backing, .. } = &self.buffers[&handle];
        for at in offset..offset + size {
            self.memory.set(backing.unwrap() + at, bytes[at as usize]);
        }
    }
}
