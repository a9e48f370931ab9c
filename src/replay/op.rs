//! The resolved operations: what a GPU has to do, and nothing else.

use std::fmt;
use std::sync::Arc;

use super::buffer_contents::Piece;

/// One buffer object, by the file offset of the command that makes it. Re-creating a guest id makes a new key, and an
/// object has the same key however one came to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferKey(pub u64);

/// One linked program in the [`super::ProgramLibrary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramKey(pub u32);

impl fmt::Display for ProgramKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "program {}", self.0)
    }
}

/// A resolved operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A buffer of zeros comes into being.
    CreateBuffer {
        /// Its key.
        buffer: BufferKey,
        /// Its size.
        size_bytes: u32,
    },
    /// No later op names the buffer.
    DropBuffer {
        /// Its key.
        buffer: BufferKey,
    },
    /// Bytes are written, in order with the draws around it.
    Upload {
        /// The buffer.
        buffer: BufferKey,
        /// First byte written; a multiple of 4.
        offset_bytes: u64,
        /// Where the bytes come from. Together a multiple of 4 bytes long; the last of them may lie past the
        /// buffer's size, up to the next multiple of 4.
        pieces: Vec<Piece>,
    },
    /// The whole target is filled. Every component is within 0 to 1.
    Clear {
        /// Red, green, blue, alpha.
        rgba: [f32; 4],
    },
    /// A triangle list is drawn.
    Draw(DrawOp),
    /// The target is shown.
    Present,
}

/// A draw with everything it needs.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawOp {
    /// The program.
    pub program: ProgramKey,
    /// Where its vertices come from.
    pub vertices: VertexFetch,
    /// Width and height of the rectangle at the target's top left; `None` is the whole target.
    pub viewport_px: Option<[u32; 2]>,
    /// Number of vertices, at least 1.
    pub vertex_count: u32,
    /// Index of the first. The sum with `vertex_count` fits in 32 bits.
    pub first_vertex: u32,
}

/// Where a draw's vertices come from.
#[derive(Clone, Debug, PartialEq)]
pub enum VertexFetch {
    /// The program reads no attribute.
    None,
    /// The GPU reads the guest's buffer in place. All offsets and the stride are multiples of 4, and the stride is 0
    /// or no smaller than an attribute.
    Direct(DirectFetch),
    /// The guest's layout is one that no GPU API takes, so the attributes were gathered: for each vertex the
    /// position (8 bytes) and the colour (16), each only if the program reads it.
    Gathered {
        /// The vertices, tight.
        bytes: Arc<[u8]>,
    },
}

/// Vertices that the GPU reads in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectFetch {
    /// The buffer.
    pub buffer: BufferKey,
    /// Where in it the first vertex starts: at the first attribute that the program reads.
    pub start_bytes: u32,
    /// How the vertices lie from there on.
    pub layout: AttributeLayout,
}

/// How vertices lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AttributeLayout {
    /// Distance between vertices.
    pub stride_bytes: u32,
    /// Where a vertex has its position, if the program reads it.
    pub position: VertexSlot,
    /// Where a vertex has its colour, if the program reads it.
    pub color: VertexSlot,
}

/// Where in a vertex an attribute lies, if the program reads it. Four bytes, since draws are compared by the thousand.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexSlot(u32);

impl VertexSlot {
    /// The program does not read the attribute. No offset: those are multiples of 4.
    pub const UNREAD: Self = Self(u32::MAX);

    /// The attribute lies at `offset_bytes`, a multiple of 4.
    pub fn at(offset_bytes: u32) -> Self {
        Self(offset_bytes)
    }

    /// Where in a vertex the attribute lies; `None` if the program does not read it.
    pub fn offset_bytes(self) -> Option<u32> {
        (self != Self::UNREAD).then_some(self.0)
    }
}

impl fmt::Debug for VertexSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.offset_bytes().fmt(f)
    }
}
