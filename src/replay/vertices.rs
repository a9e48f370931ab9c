//! Where a draw's vertices lie, and whether a GPU can read them there.
//!
//! The ABI allows any stride and any offsets. GPU APIs want multiples of 4, a stride no smaller than an attribute and
//! no larger than 2048. What they don't take is gathered into a tight copy first.

use std::ops::Range;
use std::sync::Arc;

use super::blob_store::BlobStore;
use super::buffer_contents::BufferContents;
use super::error::Problem;
use super::op::{AttributeLayout, BufferKey, DirectFetch, VertexFetch, VertexSlot};
use crate::bytes::limits::MAX_GATHERED_BYTES;
use crate::command::{BufferId, VertexLayout};
use crate::shader::{Program, VertexInputs};

const POSITION_BYTES: u32 = 8;
const COLOR_BYTES: u32 = 16;
/// What every WebGPU implementation must offer.
const LARGEST_STRIDE_BYTES: u32 = 2048;

/// A vertex buffer as SET_VERTEX_BUFFER bound it.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexBinding {
    pub id: BufferId,
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

impl VertexBinding {
    /// The attributes that a program reads, as offset of the first value and size in bytes.
    fn attributes(&self, inputs: VertexInputs) -> [Option<(u32, u32)>; 2] {
        [
            inputs.position.then_some((self.layout.position_offset_bytes, POSITION_BYTES)),
            inputs.color.then_some((self.layout.color_offset_bytes, COLOR_BYTES)),
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
        let source = self.read_vertices(first..end, self.reach(program.inputs), contents, blobs)?;
        let mut bytes = Vec::with_capacity(found as usize);
        for vertex in 0..u64::from(end - first) {
            for (offset, size) in &attributes {
                let start = (vertex * u64::from(self.layout.stride_bytes)) as usize + *offset as usize;
                let value = source.get(start..).and_then(|rest| rest.get(..*size as usize));
                bytes.extend_from_slice(value.unwrap_or_default());
            }
        }
        if !program.vertex.uses_vertex_index {
            range.first_vertex = 0;
        }
        Ok(VertexFetch::Gathered { bytes: Arc::from(bytes) })
    }

    /// The buffer's bytes from the first vertex's start to `reach` bytes after the last one's.
    fn read_vertices(
        &self,
        vertices: Range<u32>,
        reach: u64,
        contents: &BufferContents,
        blobs: &BlobStore,
    ) -> Result<Vec<u8>, Problem> {
        let start = u64::from(vertices.start) * u64::from(self.layout.stride_bytes);
        let last = u64::from(vertices.end - vertices.start - 1) * u64::from(self.layout.stride_bytes);
        // The bounds are checked: all of it lies inside the buffer, so inside the buffer's budget.
        let mut bytes = vec![0; (last + reach) as usize];
        blobs.read_pieces(&contents.pieces(start..start + last + reach), &mut bytes)?;
        Ok(bytes)
    }
}
