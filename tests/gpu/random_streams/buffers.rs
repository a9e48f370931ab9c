//! Buffers on the CPU: words that are floats of whole bytes, which shaders read, copy and show, and what draws read.

use super::model::Model;
use super::texture::Rgba;
use crate::support::a3a0::{Backing, Bound};

#[derive(Clone, Debug)]
pub struct Buffer {
    pub bytes: Vec<u8>,
    /// Where it lies in guest memory, if it does.
    pub backing: Option<Backing>,
}

/// Bindings of a context, each in slot 0: constants of the pixel stage, what compute reads, and what it writes. A size of 0
/// is all that follows.
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
    pub fn create_buffer(&mut self, handle: u32, size: u32, backing: Option<Backing>) {
        self.buffers.insert(handle, Buffer { bytes: vec![0; size as usize], backing });
        if backing.is_some() {
            // All of it is what lies there.
            self.refresh(handle, 0, size);
        }
    }

    /// No slot holds it any more.
    pub fn destroy_buffer(&mut self, handle: u32) {
        self.buffers.remove(&handle);
        for context in self.contexts.values_mut() {
            let BufferSlots { constants, read, written } = &mut context.buffers;
            for slot in [constants, read, written] {
                *slot = slot.filter(|bound| bound.buffer != handle);
            }
        }
    }

    /// Binds a buffer. A buffer that is read is not written: the later binding takes away the earlier.
    pub fn bind(&mut self, id: u32, slot: Slot, bound: Bound) {
        let is_other = |other: &Bound| bound.buffer != other.buffer;
        let held = Some(bound).filter(|bound| self.buffers.contains_key(&bound.buffer));
        let BufferSlots { constants, read, written } = &mut self.contexts.get_mut(&id).unwrap().buffers;
        match slot {
            Slot::Constants => *constants = held,
            Slot::Read => (*read, *written) = (held, written.filter(is_other)),
            Slot::Written => (*written, *read) = (held, read.filter(is_other)),
        }
    }

    /// The bytes of a buffer that a binding has.
    fn range(&self, Bound { buffer, offset, size }: Bound) -> std::ops::Range<usize> {
        let whole = self.buffers[&buffer].bytes.len();
        let end = if size == 0 { whole } else { whole.min((offset + size) as usize) };
        offset as usize..end
    }

    /// The words of a buffer that a binding has.
    fn words(&self, bound: Bound) -> &[[u8; 4]] {
        self.buffers[&bound.buffer].bytes[self.range(bound)].as_chunks().0
    }

    /// The second register of the constants that are bound, as a color; zeros where there is nothing.
    pub fn constant(&self, id: u32) -> Rgba {
        let words = self.contexts[&id].buffers.constants.map_or(&[][..], |bound| self.words(bound));
        std::array::from_fn(|channel| {
            let value = words.get(4 + channel).map_or(0.0, |word| f32::from_le_bytes(*word));
            (value * 255.0).round() as u8
        })
    }

    /// One thread that copies the first four words of what is read to behind the first four of what is written.
    pub fn dispatch(&mut self, id: u32) {
        let BufferSlots { read, written, .. } = self.contexts[&id].buffers;
        let Some(written) = written else { return };
        let words = read.map_or(&[][..], |bound| self.words(bound));
        let words: [[u8; 4]; 4] = std::array::from_fn(|number| words.get(number).copied().unwrap_or_default());
        let range = self.range(written);
        let into = &mut self.buffers.get_mut(&written.buffer).unwrap().bytes[range];
        for (into, word) in into.as_chunks_mut::<4>().0.iter_mut().skip(4).zip(words) {
            *into = word;
        }
    }

    pub fn copy_buffer(&mut self, (to, to_at): (u32, u32), (from, from_at): (u32, u32), size: u32, writes_back: bool) {
        let bytes = self.buffers[&from].bytes[from_at as usize..][..size as usize].to_vec();
        self.upload(to, to_at, &bytes);
        if writes_back {
            let start = self.buffers[&to].backing.unwrap().offset + to_at;
            self.memory[start as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
    }

    /// A vertex of what a context has bound: a position and another four floats.
    pub fn vertex(&self, id: u32, number: u32) -> [f32; 8] {
        let words = self.buffers[&self.contexts[&id].vertices].bytes.as_chunks().0;
        std::array::from_fn(|at| f32::from_le_bytes(words[number as usize * 8 + at]))
    }

    /// An index of what a context has bound.
    pub fn index(&self, id: u32, number: u32) -> u32 {
        let (buffer, is_wide, offset) = self.contexts[&id].indices;
        let bytes = &self.buffers[&buffer].bytes[offset as usize..];
        match is_wide {
            true => u32::from_le_bytes(bytes.as_chunks().0[number as usize]),
            false => u32::from(u16::from_le_bytes(bytes.as_chunks().0[number as usize])),
        }
    }
}
