//! Points that have a size: each vertex is an instance of four corners, which the vertex stage moves apart.

use super::kernels::{ElementIndices, Elements, Gather, GatherOrder};
use super::programs::DrawProgram;
use super::vertices::{DrawCall, VertexSource, check_gathered, drawn_format};
use crate::command::{DrawIndexed, IndexFormat, Location, VertexStep};
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{DrawState, DrawnVertices, FixedState, VertexInput};

/// Draws that one draw of points becomes at most: as many as one submission holds.
const MOST_REPEATED_DRAWS: u32 = 1 << 16;

/// The state that the two triangles of a point are drawn with: no triangle is culled, drawn as lines, or moved in depth.
pub(super) fn state_of_points(fixed: &FixedState) -> FixedState {
    fixed.without_culling().without_polygon_rules()
}

impl Renderer {
    /// What a draw of points that have a size is told, and its vertex buffers.
    pub(super) fn sized_points(
        &mut self,
        (state, program): (&DrawState, &DrawProgram),
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<(DrawCall, VertexSource), GpuError> {
        let (points, times, first_instance) = match vertices {
            DrawnVertices::Direct(draw) => {
                let points = draw.first_vertex..draw.first_vertex.saturating_add(draw.vertex_count);
                (points, draw.instance_count, draw.first_instance)
            }
            DrawnVertices::Indexed(draw) => (0..draw.index_count, draw.instance_count, draw.first_instance),
        };
        // Each instance is a draw of its own, of all points.
        if times > MOST_REPEATED_DRAWS {
            let (found, limit) = (u64::from(times), u64::from(MOST_REPEATED_DRAWS));
            let what = "the number of instances of points that have a size";
            return Err(GpuError::OverLimit { what, at, found, whose: "this build's", limit });
        }
        let read = || state.inputs.iter().filter(|input| program.inputs.contains(input.register));
        if times > 1 && read().any(|input| matches!(input.step, VertexStep::Instances(_))) {
            let what = "several instances of points that have a size, with vertices that differ by instance,".into();
            return Err(GpuError::Unsupported { what, at });
        }
        let indices = match vertices {
            DrawnVertices::Direct(_) => None,
            DrawnVertices::Indexed(draw) => Some(self.point_indices(state, draw, at)?),
        };
        let mut source = VertexSource::default();
        for input in read() {
            let format = drawn_format(self.gpu.record(), input, at)?;
            let (buffer, start, stride) = match (input.step, &indices) {
                (VertexStep::Vertex, Some(indices)) => self.gathered_by(input, indices, at)?,
                _ => self.lying_or_gathered(input, vertices, at)?,
            };
            let (start, stride) = match input.step {
                VertexStep::Vertex => (start, stride),
                // All points have that of the only instance.
                VertexStep::Instances(_) => (start + u64::from(first_instance) * stride, 0),
            };
            let place = (buffer, start, stride);
            source.add(place, wgpu::VertexStepMode::Instance, (format, input.register));
        }
        Ok((DrawCall::Points { points, times }, source))
    }

    /// The indices of a draw, each a word.
    fn point_indices(
        &mut self,
        state: &DrawState,
        draw: DrawIndexed,
        at: Location,
    ) -> Result<ElementIndices, GpuError> {
        let lost = Internal::at("a checked indexed draw has no indices", at.offset);
        let source = state.indices.ok_or(lost)?;
        let held = self.resources.objects.buffers.get(&source.buffer).ok_or(lost)?;
        let end = held.size_bytes;
        let count = draw.index_count;
        check_gathered(
            self.gpu.record(),
            "the size in bytes of indices that are gathered for a draw",
            u64::from(count) * 4,
            at,
        )?;
        let size = match source.format {
            IndexFormat::Uint16 => 2,
            IndexFormat::Uint32 => 4,
        };
        let start = source.offset_bytes.min(end);
        let elements = Elements { start, stride: size, end, size, first: draw.first_index, count, repeat: 1 };
        let gather = Gather::new(elements, GatherOrder::PLAIN);
        let numbers = self.element_numbers(source.buffer, gather, at)?;
        Ok(ElementIndices { numbers, count, base: draw.base_vertex })
    }

    /// A buffer with the elements of an input in the order of indices: its first byte and the distance between elements.
    fn gathered_by(
        &mut self,
        input: &VertexInput,
        indices: &ElementIndices,
        at: Location,
    ) -> Result<(wgpu::Buffer, u64, u64), GpuError> {
        let source = input.buffer.filter(|key| self.resources.objects.buffers.contains_key(key));
        let held = input.buffer.and_then(|key| self.resources.objects.buffers.get(&key));
        let end = held.map_or(0, |held| held.size_bytes);
        let element_bytes = u64::from(input.size_bytes.div_ceil(4)) * 4;
        let found = u64::from(indices.count) * element_bytes;
        check_gathered(self.gpu.record(), "the size in bytes of vertices that are gathered for a draw", found, at)?;
        let buffer = self.scratch_buffer(found);
        if let Some(source) = source {
            let lost = Internal::at("an element lies past 4 GiB", at.offset);
            let start = u32::try_from(input.start_bytes.min(u64::from(end))).map_err(|_| lost)?;
            let (stride, size) = (input.stride_bytes, input.size_bytes);
            let elements = Elements { start, stride, end, size, first: 0, count: indices.count, repeat: 1 };
            self.gather_indexed(source, &buffer, (elements, indices), at)?;
        }
        Ok((buffer, 0, element_bytes))
    }
}
