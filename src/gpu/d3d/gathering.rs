//! Elements that are gathered for a draw: by compute shaders, or by the CPU for a device without them, all of whose bytes are
//! known. Both give the same words.

use super::kernels::{ElementIndices, ElementNumbers, Elements, Gather, GatherOrder};
use crate::command::Location;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::ObjectKey;

impl Renderer {
    /// Gathers elements of a buffer into one that nothing else was written to.
    pub(super) fn gather(
        &mut self,
        source: ObjectKey,
        to: &wgpu::Buffer,
        gather: Gather,
        at: Location,
    ) -> Result<(), GpuError> {
        if !self.gpu.record().features.compute {
            let words = gathered(self.bytes_to_read(source)?, &gather);
            self.write_words(to, gather.to, &words);
            return Ok(());
        }
        let from = self.buffer_to_gather(source, at)?;
        self.recorder.open = None;
        self.bindings.kernels.gather(&self.gpu, self.recorder.batch.computes(), [&from, to], gather);
        Ok(())
    }

    /// Indices of a draw, each a word, by which elements can be gathered.
    pub(super) fn element_numbers(
        &mut self,
        source: ObjectKey,
        gather: Gather,
        at: Location,
    ) -> Result<ElementNumbers, GpuError> {
        if !self.gpu.record().features.compute {
            return Ok(ElementNumbers::Known(gathered(self.bytes_to_read(source)?, &gather).into()));
        }
        let buffer = self.scratch_buffer(u64::from(gather.count) * 4);
        self.gather(source, &buffer, gather, at)?;
        Ok(ElementNumbers::Buffer(buffer))
    }

    /// Gathers elements of a buffer in the order of indices.
    pub(super) fn gather_indexed(
        &mut self,
        source: ObjectKey,
        to: &wgpu::Buffer,
        (elements, indices): (Elements, &ElementIndices),
        at: Location,
    ) -> Result<(), GpuError> {
        match &indices.numbers {
            ElementNumbers::Known(numbers) => {
                let numbers = numbers.iter().map(|number| number.wrapping_add_signed(indices.base));
                let words = words_of(self.bytes_to_read(source)?, &elements, numbers);
                self.write_words(to, 0, &words);
            }
            ElementNumbers::Buffer(numbers) => {
                let from = self.buffer_to_gather(source, at)?;
                self.recorder.open = None;
                let (kernels, encoder) = (&mut self.bindings.kernels, self.recorder.batch.computes());
                kernels.gather_indexed(&self.gpu, encoder, [&from, to], elements, (indices, numbers));
            }
        }
        Ok(())
    }

    fn write_words(&self, to: &wgpu::Buffer, first: u32, words: &[u32]) {
        // Memory of WebAssembly, and of every system there is a driver for, has its lowest byte first.
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.gpu.queue.write_buffer(to, u64::from(first) * 4, &bytes);
    }
}

/// Word of an element, of which the lowest byte is number `lane`: what lies past the end is 0, and so is an element whose place
/// wraps.
fn word_of(source: &[u8], elements: &Elements, element: u32, lane: u32) -> u32 {
    let byte_of = |lane: u32| {
        let start = u64::from(elements.start) + u64::from(element) * u64::from(elements.stride);
        let at = start + u64::from(lane);
        let is_there = lane < elements.size && at < u64::from(elements.end);
        is_there.then(|| source.get(at as usize).copied()).flatten().unwrap_or(0)
    };
    u32::from_le_bytes([byte_of(lane), byte_of(lane + 1), byte_of(lane + 2), byte_of(lane + 3)])
}

/// Elements of these numbers, tight.
fn words_of(source: &[u8], elements: &Elements, numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let lanes = || (0..elements.size.div_ceil(4).max(1)).map(|word| word * 4);
    numbers.flat_map(|number| lanes().map(move |lane| word_of(source, elements, number, lane))).collect()
}

/// The words that `gather_elements` makes.
fn gathered(source: &[u8], gather: &Gather) -> Vec<u32> {
    let Gather { start, stride, end, size, first, count, repeat, .. } = *gather;
    let elements = Elements { start, stride, end, size, first, count, repeat };
    let order = gather.order.plain();
    let corners = match order {
        GatherOrder::LINES | GatherOrder::LINE_STRIP => 2,
        _ => 3,
    };
    let cut = if size == 2 { 0xffff } else { u32::MAX };
    let is_cut = |element: u32| word_of(source, &elements, element, 0) == cut;
    let turn = u32::from(gather.order.is_first_last());
    // Where the strip begins that a triangle belongs to.
    let mut strip = 0;
    let mut numbers = Vec::new();
    for slot in 0..count {
        let (primitive, corner) = (slot / corners, (slot + turn) % corners);
        let begin = first.wrapping_add(primitive);
        let has_cut = |corners: u32| (0..corners).any(|corner| is_cut(begin.wrapping_add(corner)));
        if order == GatherOrder::STRIP && slot % corners == 0 && primitive > 0 && is_cut(begin.wrapping_sub(1)) {
            strip = primitive;
        }
        numbers.push(match order {
            GatherOrder::FAN if corner == 2 => Some(first),
            GatherOrder::FAN => Some(begin.wrapping_add(1 + corner)),
            GatherOrder::LIST | GatherOrder::LINES => Some(first.wrapping_add(primitive * corners + corner)),
            // No triangle and no line: all corners are the same.
            GatherOrder::STRIP | GatherOrder::LINE_STRIP if has_cut(corners) => None,
            GatherOrder::STRIP if (primitive - strip) % 2 == 1 => Some(begin.wrapping_add((3 - corner) % 3)),
            GatherOrder::STRIP | GatherOrder::LINE_STRIP => Some(begin.wrapping_add(corner)),
            _ => Some(first.wrapping_add(slot / repeat.max(1))),
        });
    }
    let words = size.div_ceil(4).max(1);
    let word = |number: Option<u32>, lane| {
        let value = number.map_or(0, |number| word_of(source, &elements, number, lane));
        if gather.cuts == 1 && value == 0xffff { u32::MAX } else { value.wrapping_add(gather.base) }
    };
    numbers.into_iter().flat_map(|number| (0..words).map(move |lane| word(number, lane * 4))).collect()
}
