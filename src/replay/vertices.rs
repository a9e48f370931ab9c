//! Where a draw's vertices lie, and whether a GPU can read them there.
//!
//! The ABI allows any stride and any offsets. GPU APIs want multiples of 4, a stride no smaller than an attribute and
//! no larger than 2048. What they don't take is gathered into a tight copy first.

use std::sync::Arc;

use super::blob_store::BlobStore;
use super::buffer_contents::BufferContents;
use super::error::Problem;
use super::op::{AttributeLayout, BufferKey, DirectFetch, VertexFetch, VertexSlot};
use crate::command::{ResourceId, VertexElement, VertexLayout};
use crate::error::Internal;
use crate::limits::MAX_GATHERED_BYTES;
use crate::shader::{Program, VertexInputs};

/// Bytes of a buffer that are in memory at a time while vertices are gathered from it.
const STRETCH_BYTES: u64 = 1 << 20;
/// What every WebGPU implementation must offer.
const LARGEST_STRIDE_BYTES: u32 = 2048;

/// A vertex buffer as SET_VERTEX_BUFFER bound it.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexBinding {
    pub id: ResourceId,
    pub key: BufferKey,
    pub size_bytes: u32,
    pub layout: VertexLayout,
}

/// How far a draw's vertices may reach into their buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexBounds {
    stride_bytes: u32,
    /// Bytes from a vertex's start to the end of what is read of it.
    reach_bytes: u64,
    size_bytes: u32,
}

/// The vertices of a draw: `first_vertex` and `vertex_count`, whose sum fits in 32 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexRange {
    pub first_vertex: u32,
    pub vertex_count: u32,
}

impl VertexBounds {
    /// The bounds of a draw whose program reads no attribute.
    pub(crate) const NONE: Self = Self { stride_bytes: 0, reach_bytes: 0, size_bytes: 0 };

    /// Whether all vertices of the draw lie in the buffer.
    #[inline]
    pub(crate) fn hold(&self, range: VertexRange) -> bool {
        self.needed_bytes(range) <= u64::from(self.size_bytes)
    }

    /// Bytes that the buffer must have for a draw of at least one vertex.
    #[inline]
    fn needed_bytes(&self, range: VertexRange) -> u64 {
        let last_vertex = u64::from(range.first_vertex) + u64::from(range.vertex_count) - 1;
        // The vertex's number is at most 2^32 - 2, so the sum is at most 2^64 - 2^33 + 17.
        last_vertex * u64::from(self.stride_bytes) + self.reach_bytes
    }
}

fn in_vertex(element: VertexElement) -> (u32, u32) {
    (element.offset_bytes, element.format.size_bytes())
}

impl VertexBinding {
    /// The attributes that a program reads, as offset of the first value and size in bytes.
    fn attributes(&self, inputs: VertexInputs) -> [Option<(u32, u32)>; 2] {
        [
            inputs.position.then(|| in_vertex(self.layout.position())),
            inputs.color.then(|| in_vertex(self.layout.color())),
        ]
    }

    /// What a draw with a program of these inputs must keep to.
    pub(crate) fn bounds(&self, inputs: VertexInputs) -> VertexBounds {
        let reach_bytes = self.reach(inputs);
        VertexBounds { stride_bytes: self.layout.stride_bytes, reach_bytes, size_bytes: self.size_bytes }
    }

    /// Refuses a draw that reads past the buffer.
    pub(crate) fn check_bounds(&self, bounds: &VertexBounds, range: VertexRange) -> Result<(), Problem> {
        if !bounds.hold(range) {
            let (needed, size) = (bounds.needed_bytes(range), self.size_bytes);
            return Err(Problem::ReadsPastEnd { buffer: self.id, needed, size });
        }
        Ok(())
    }

    /// Bytes from a vertex's start to the end of what is read of it.
    fn reach(&self, inputs: VertexInputs) -> u64 {
        let end = |(offset, size)| u64::from(offset) + u64::from(size);
        let [position, color] = self.attributes(inputs).map(|attribute| attribute.map_or(0, end));
        position.max(color)
    }

    /// How a GPU reads the vertices from the guest's buffer, if it can; the draw's bounds are checked already.
    pub(crate) fn fetch_in_place(&self, inputs: VertexInputs) -> Option<DirectFetch> {
        let [position, color] = self.attributes(inputs);
        let stride = self.layout.stride_bytes;
        let fits = |(offset, size): (u32, u32)| offset.is_multiple_of(4) && (stride == 0 || stride >= size);
        if !stride.is_multiple_of(4) || stride > LARGEST_STRIDE_BYTES {
            return None;
        }
        if !position.is_none_or(fits) || !color.is_none_or(fits) {
            return None;
        }
        // silent: a program without attributes starts anywhere
        let start_bytes = [position, color].into_iter().flatten().map(|(offset, _)| offset).min().unwrap_or_default();
        let slot = |attribute: Option<(u32, u32)>| {
            attribute.map_or(VertexSlot::UNREAD, |(offset, _)| VertexSlot::at(offset - start_bytes))
        };
        let layout = AttributeLayout { stride_bytes: stride, position: slot(position), color: slot(color) };
        Some(DirectFetch { buffer: self.key, start_bytes, layout })
    }

    /// A tight copy of the vertices; the draw's bounds are checked already.
    pub(crate) fn gather(
        &self,
        program: &Program,
        range: &mut VertexRange,
        contents: &BufferContents,
        blobs: &BlobStore,
    ) -> Result<VertexFetch, Problem> {
        // A shader that asks for the vertex's number must still see the guest's, so it gets all vertices from 0 on.
        let first = if program.vertex.uses_vertex_index { 0 } else { range.first_vertex };
        let end = range.first_vertex + range.vertex_count;
        let attributes: Vec<(u32, u32)> = self.attributes(program.inputs).into_iter().flatten().collect();
        let vertex_bytes: u64 = attributes.iter().map(|(_, size)| u64::from(*size)).sum();
        let found = vertex_bytes * u64::from(end - first);
        if found > MAX_GATHERED_BYTES {
            let what = "the vertex data of a draw with an unaligned layout, in bytes,";
            return Err(Problem::OverLimit { what, found, limit: MAX_GATHERED_BYTES });
        }
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, found as usize).collect();
        let mut start_in_vertex = 0;
        for (offset, size) in &attributes {
            // Nobody else has these bytes yet.
            let tight = Arc::get_mut(&mut bytes).ok_or(Internal::new("vertices being gathered are in use"))?;
            let values = tight.chunks_exact_mut(vertex_bytes as usize);
            let values = values.map(|vertex| vertex.get_mut(start_in_vertex..));
            self.gather_attribute(first, (*offset, *size), values, contents, blobs)?;
            start_in_vertex += *size as usize;
        }
        if !program.vertex.uses_vertex_index {
            range.first_vertex = 0;
        }
        Ok(VertexFetch::Gathered { bytes })
    }

    /// Reads an attribute of the vertices from `first` on, each into the start of what is next in `values`. A stretch of
    /// the buffer is in memory at a time.
    fn gather_attribute<'v>(
        &self,
        first: u32,
        (offset, size): (u32, u32),
        values: impl ExactSizeIterator<Item = Option<&'v mut [u8]>>,
        contents: &BufferContents,
        blobs: &BlobStore,
    ) -> Result<(), Problem> {
        let (stride, size) = (u64::from(self.layout.stride_bytes), u64::from(size));
        let at_a_time = (STRETCH_BYTES / stride.max(1)).max(1);
        let mut left = values.len() as u64;
        let mut stretch = Vec::new();
        for (number, value) in (0u64..).zip(values) {
            let in_stretch = number % at_a_time;
            if in_stretch == 0 {
                let count = left.min(at_a_time);
                left -= count;
                // The bounds are checked: all of it lies inside the buffer.
                let start = (u64::from(first) + number) * stride + u64::from(offset);
                let length = (count - 1) * stride + size;
                blobs.read_pieces(&contents.pieces(start..start + length), &mut stretch)?;
            }
            let start = (in_stretch * stride) as usize;
            let found = stretch.get(start..).and_then(|rest| rest.get(..size as usize));
            let into = value.and_then(|value| value.get_mut(..size as usize));
            let both = into.zip(found).ok_or(Internal::new("an attribute lies outside the gathered vertices"))?;
            both.0.copy_from_slice(both.1);
        }
        Ok(())
    }
}
