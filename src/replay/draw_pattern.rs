//! Draws that differ from the one before only in which vertices they take.
//!
//! Programs are linked, layouts judged and buffers looked up when something was set since the last draw. Whatever is
//! drawn until the next setting is the same but for its vertices, of which only the bounds are left to check.

use super::op::{DirectFetch, DrawOp, ProgramKey, VertexFetch};
use super::vertices::{VertexBounds, VertexRange};

/// A resolved draw as the pattern for those that follow it under the same settings.
#[derive(Clone, Copy, Debug)]
pub(super) struct DrawPattern {
    pub program: ProgramKey,
    pub fetch: DirectFetch,
    pub viewport_px: Option<[u32; 2]>,
    pub bounds: VertexBounds,
}

impl DrawPattern {
    /// The draw of `range`, unless it draws nothing or there is something wrong with it.
    #[inline]
    pub fn draw(&self, range: VertexRange) -> Option<DrawOp> {
        let VertexRange { first_vertex, vertex_count } = range;
        let is_sound =
            vertex_count > 0 && first_vertex.checked_add(vertex_count).is_some() && self.bounds.hold(range);
        is_sound.then_some(DrawOp {
            program: self.program,
            vertices: VertexFetch::Direct(self.fetch),
            viewport_px: self.viewport_px,
            vertex_count,
            first_vertex,
        })
    }
}
