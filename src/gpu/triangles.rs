//! How the triangles of a draw are handed to the API.
//!
//! Mostly as they are. Where flat values are wanted from another vertex than the API takes them from, each triangle is
//! turned, which leaves its winding and its vertices' numbers as they are:
//!
//! | | the API takes the first | the API takes the last (GL) |
//! |---|---|---|
//! | the first is wanted | 0 1 2 | 1 2 0 |
//! | the last is wanted | 2 0 1 | 0 1 2 |
//!
//! The indices of a run of triangles are the same wherever the run starts, so one buffer of them serves all draws, however
//! long: a draw is drawn in runs.

use wgpu::util::DeviceExt;

use super::device::Gpu;
use crate::replay::DrawOp;
use crate::shader::ProvokingVertex;

/// Triangles that one buffer of indices has: 200 KB of them, or 400 KB of edges.
const RUN_TRIANGLES: u32 = 1 << 14;

/// Vertex numbers that GL can draw without indices; it counts with a sign.
const GL_NUMBERS: u64 = 1 << 31;

/// Vertices that llvmpipe draws in one go: it splits more than that, and draws what is left as it draws 9 vertices.
const LLVMPIPE_VERTICES: u32 = 4096;

/// The order in which the corners of each triangle are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Corners {
    #[default]
    AsTheyAre,
    FirstLast,
    LastFirst,
    /// Its edges, each from corner to corner.
    Edges,
}

impl Corners {
    /// The order that makes flat values come from the vertex wanted.
    pub(crate) fn for_flat_values(gpu: &Gpu, wanted: Option<ProvokingVertex>) -> Self {
        match (wanted, gpu.provoking_vertex()) {
            (Some(ProvokingVertex::First), ProvokingVertex::Last) => Self::FirstLast,
            (Some(ProvokingVertex::Last), ProvokingVertex::First) => Self::LastFirst,
            _ => Self::AsTheyAre,
        }
    }

    fn of_a_triangle(self) -> &'static [u32] {
        match self {
            Self::AsTheyAre => &[0, 1, 2],
            Self::FirstLast => &[1, 2, 0],
            Self::LastFirst => &[2, 0, 1],
            Self::Edges => &[0, 1, 1, 2, 2, 0],
        }
    }
}

/// The buffers of indices made so far.
#[derive(Default)]
pub(super) struct CornerIndices([Option<wgpu::Buffer>; 4]);

impl CornerIndices {
    fn get(&mut self, gpu: &Gpu, corners: Corners) -> &wgpu::Buffer {
        let [as_they_are, first_last, last_first, edges] = &mut self.0;
        let buffer = match corners {
            Corners::AsTheyAre => as_they_are,
            Corners::FirstLast => first_last,
            Corners::LastFirst => last_first,
            Corners::Edges => edges,
        };
        buffer.get_or_insert_with(|| {
            let of_one = |triangle: u32| corners.of_a_triangle().iter().map(move |corner| triangle * 3 + corner);
            let indices: Vec<u32> = (0..RUN_TRIANGLES).flat_map(of_one).collect();
            gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: Some("corners"),
                contents: bytemuck::cast_slice(&indices),
                usage: wgpu::BufferUsages::INDEX,
            })
        })
    }
}

/// Records a draw's triangles.
pub(super) fn draw_triangles(
    gpu: &Gpu,
    pass: &mut wgpu::RenderPass<'_>,
    indices: &mut CornerIndices,
    corners: Corners,
    draw: &DrawOp,
) {
    let (first, count) = (draw.first_vertex, draw.vertex_count);
    let end = first.saturating_add(count);
    let is_beyond_gl = gpu.is_gl() && u64::from(first) + u64::from(count) > GL_NUMBERS;
    let is_split_by_driver = gpu.has_nine_vertices_fault() && count > LLVMPIPE_VERTICES;
    if corners != Corners::AsTheyAre || is_beyond_gl || is_split_by_driver {
        draw_runs(pass, indices.get(gpu, corners), corners, draw);
    } else if gpu.has_nine_vertices_fault() && count / 3 == 3 {
        pass.draw(first..first + 6, 0..1);
        pass.draw(first + 6..end, 0..1);
    } else {
        pass.draw(first..end, 0..1);
    }
}

fn draw_runs(pass: &mut wgpu::RenderPass<'_>, indices: &wgpu::Buffer, corners: Corners, draw: &DrawOp) {
    let indices_a_triangle = corners.of_a_triangle().len() as u32;
    pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
    let triangles = draw.vertex_count / 3;
    for run in (0..triangles).step_by(RUN_TRIANGLES as usize) {
        let count = RUN_TRIANGLES.min(triangles - run);
        // A first vertex past 2^31 reads no buffer, or the same vertex again and again; the sum wraps to what it was.
        let base_vertex = (draw.first_vertex + run * 3).cast_signed();
        pass.draw_indexed(0..count * indices_a_triangle, base_vertex, 0..1);
    }
}
