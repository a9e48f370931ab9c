//! A buffer's bytes as vertices.

use std::ops::Range;

use serde::Serialize;

use super::{Analysis, AnalysisError, BufferView};
use crate::command::{Location, VertexElement, VertexLayout};
use crate::text::Real;

/// Vertices of a buffer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VertexTable {
    /// Where attributes lie.
    pub layout: VertexLayout,
    /// How many whole vertices the buffer has room for, by both attributes; with a stride of 0 it is 1.
    pub capacity: u32,
    /// The vertices asked for.
    pub rows: Vec<VertexRow>,
}

/// One vertex, as it lies in the buffer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VertexRow {
    /// Its index.
    pub vertex: u32,
    /// Where it starts in the buffer.
    pub offset_bytes: u64,
    /// Its position, if all of it lies in the buffer.
    pub position: Option<[Real; 2]>,
    /// Its colour, if all of it lies in the buffer.
    pub color: Option<[Real; 4]>,
    /// The uploads that wrote either.
    pub writers: Vec<Location>,
}

impl VertexRow {
    /// The bytes of the position as they lie in the buffer.
    pub fn position_bytes(&self) -> Option<[u8; 8]> {
        let mut bytes = [0; 8];
        let floats = self.position?;
        bytes.as_chunks_mut::<4>().0.iter_mut().zip(floats).for_each(|(into, float)| *into = float.0.to_le_bytes());
        Some(bytes)
    }

    /// The bytes of the colour as they lie in the buffer.
    pub fn color_bytes(&self) -> Option<[u8; 16]> {
        let mut bytes = [0; 16];
        let floats = self.color?;
        bytes.as_chunks_mut::<4>().0.iter_mut().zip(floats).for_each(|(into, float)| *into = float.0.to_le_bytes());
        Some(bytes)
    }
}

impl VertexTable {
    /// How many whole vertices a buffer of `size_bytes` has room for.
    pub fn capacity_of(size_bytes: u32, layout: VertexLayout) -> u32 {
        let reach = layout.position().end_bytes().max(layout.color().end_bytes());
        let Some(room) = u64::from(size_bytes).checked_sub(reach) else { return 0 };
        match layout.stride_bytes {
            0 => 1,
            stride => u32::try_from(room / u64::from(stride) + 1).unwrap_or(u32::MAX),
        }
    }
}

impl Analysis {
    /// The vertices `vertices` of a buffer, read as `layout` says.
    pub fn vertices(
        &self,
        buffer: &BufferView,
        layout: VertexLayout,
        vertices: Range<u32>,
    ) -> Result<VertexTable, AnalysisError> {
        let size = u64::from(buffer.size_bytes);
        let stride = u64::from(layout.stride_bytes);
        // No sum or product of three u32 reaches 2^64.
        let spot = |vertex: u32, element: VertexElement| {
            let vertex_start = u64::from(vertex) * stride;
            let (start, end) = (vertex_start + u64::from(element.offset_bytes), vertex_start + element.end_bytes());
            (end <= size).then_some(start..end)
        };
        let mut rows = Vec::new();
        for vertex in vertices {
            let position = spot(vertex, layout.position());
            let color = spot(vertex, layout.color());
            let mut writers = Vec::new();
            for written in [&position, &color].into_iter().flatten().flat_map(|at| buffer.writers_of(at.clone())) {
                if !writers.contains(&written) {
                    writers.push(written);
                }
            }
            rows.push(VertexRow {
                vertex,
                offset_bytes: u64::from(vertex) * stride,
                position: self.read_floats(buffer, position)?,
                color: self.read_floats(buffer, color)?,
                writers,
            });
        }
        Ok(VertexTable { layout, capacity: VertexTable::capacity_of(buffer.size_bytes, layout), rows })
    }

    fn read_floats<const N: usize>(
        &self,
        buffer: &BufferView,
        bytes: Option<Range<u64>>,
    ) -> Result<Option<[Real; N]>, AnalysisError> {
        let Some(bytes) = bytes else { return Ok(None) };
        let read = self.read_buffer(buffer, bytes)?;
        let mut floats = [Real::default(); N];
        let values = read.as_chunks::<4>().0.iter().map(|bytes| Real(f32::from_le_bytes(*bytes)));
        floats.iter_mut().zip(values).for_each(|(into, value)| *into = value);
        Ok(Some(floats))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_s_capacity_counts_whole_vertices() {
        let layout = VertexLayout::position_and_color;
        assert_eq!(VertexTable::capacity_of(72, layout(24, 0, 8)), 3);
        assert_eq!(VertexTable::capacity_of(71, layout(24, 0, 8)), 2);
        assert_eq!(VertexTable::capacity_of(23, layout(24, 0, 8)), 0);
        assert_eq!(VertexTable::capacity_of(24, layout(0, 0, 8)), 1);
        assert_eq!(VertexTable::capacity_of(u32::MAX, layout(1, u32::MAX, u32::MAX)), 0);
    }
}
