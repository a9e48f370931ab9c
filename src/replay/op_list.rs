//! The ops of one command.

use super::op::{DirectFetch, DrawOp, Op, ProgramKey, VertexFetch};
use super::vertices::VertexRange;

/// What the GPU has to do for one command, after another for the next.
///
/// Nearly all commands are draws and the settings between them, so a draw keeps its place while nothing else needs it:
/// the next one only writes into it what is its own.
#[derive(Default)]
pub(super) struct OpList {
    ops: Vec<Op>,
    /// How many of them are of this command.
    count: usize,
}

impl OpList {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[Op] {
        // silent: the count is kept beside the ops, in this file alone
        self.ops.get(..self.count).unwrap_or_default()
    }

    /// Another command begins.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.count = 0;
        // Whatever owns memory goes at once.
        if !matches!(self.ops.as_slice(), [Op::Draw(DrawOp { vertices: VertexFetch::Direct(_), .. })]) {
            self.ops.clear();
        }
    }

    pub(crate) fn push(&mut self, op: Op) {
        self.ops.truncate(self.count);
        self.ops.push(op);
        self.count += 1;
    }

    /// Makes the draw before the draw of `range`; `false` if there is none.
    #[inline]
    pub(crate) fn draw_again(&mut self, range: VertexRange) -> bool {
        // silent: the draw is then resolved from the start
        let ([Op::Draw(draw)], 1) = (self.ops.as_mut_slice(), self.count) else { return false };
        draw.set_range(range);
        true
    }

    /// Adds a draw as the only op of its command.
    pub(crate) fn push_direct_draw(
        &mut self,
        program: ProgramKey,
        fetch: DirectFetch,
        viewport_px: Option<[u32; 2]>,
        range: VertexRange,
    ) {
        let VertexRange { first_vertex, vertex_count } = range;
        if let ([Op::Draw(draw)], 0) = (self.ops.as_mut_slice(), self.count)
            && let VertexFetch::Direct(former) = &mut draw.vertices
        {
            // Field by field: what reads them next reads them so, and a processor forwards a store only to such a load.
            (draw.program, draw.viewport_px) = (program, viewport_px);
            former.clone_from(&fetch);
            draw.set_range(range);
            self.count = 1;
            return;
        }
        let vertices = VertexFetch::Direct(fetch);
        self.push(Op::Draw(DrawOp { program, vertices, viewport_px, vertex_count, first_vertex }));
    }
}

impl DrawOp {
    #[inline]
    fn set_range(&mut self, VertexRange { first_vertex, vertex_count }: VertexRange) {
        (self.first_vertex, self.vertex_count) = (first_vertex, vertex_count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::op::{AttributeLayout, BufferKey, VertexSlot};

    #[test]
    fn a_draw_in_the_place_of_another_is_a_draw_of_its_own() {
        let layout = AttributeLayout { stride_bytes: 24, position: VertexSlot::at(0), color: VertexSlot::UNREAD };
        let fetch = |start_bytes| DirectFetch { buffer: BufferKey(7), start_bytes, layout };
        let range = |first_vertex| VertexRange { first_vertex, vertex_count: 3 };
        let draw = |program, start_bytes, viewport_px, first_vertex| {
            let vertices = VertexFetch::Direct(fetch(start_bytes));
            Op::Draw(DrawOp { program: ProgramKey(program), vertices, viewport_px, vertex_count: 3, first_vertex })
        };
        let mut list = OpList::default();
        assert!(!list.draw_again(range(0)));
        list.push_direct_draw(ProgramKey(1), fetch(0), None, range(5));
        assert_eq!(list.as_slice(), [draw(1, 0, None, 5)]);
        assert!(list.draw_again(range(6)));
        assert_eq!(list.as_slice(), [draw(1, 0, None, 6)]);
        list.clear();
        assert_eq!(list.as_slice(), []);
        assert!(!list.draw_again(range(7)));
        list.push_direct_draw(ProgramKey(2), fetch(48), Some([8, 9]), range(7));
        assert_eq!(list.as_slice(), [draw(2, 48, Some([8, 9]), 7)]);
        list.clear();
        list.push(Op::Present);
        list.push(Op::Clear { rgba: [0.0; 4] });
        assert_eq!(list.as_slice(), [Op::Present, Op::Clear { rgba: [0.0; 4] }]);
        list.clear();
        list.push_direct_draw(ProgramKey(1), fetch(0), None, range(5));
        assert_eq!(list.as_slice(), [draw(1, 0, None, 5)]);
    }
}
