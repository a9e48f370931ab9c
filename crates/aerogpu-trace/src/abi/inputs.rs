//! What a packet says, apart from where it stands and what its objects are called.

use std::ops::Range;

/// What handles are unique among.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandleSpace {
    /// Buffers, textures and views.
    Resource,
    /// Shaders.
    Shader,
    /// Layouts of vertices.
    Layout,
    /// Samplers.
    Sampler,
    /// Tokens of shared surfaces.
    Token,
}

/// One thing that a packet says. Reserved fields and padding say nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PacketInput {
    /// A number, or the bits of one, of up to eight bytes.
    Number(u64),
    /// A handle, 0 for none.
    Handle(HandleSpace, u64),
    /// An allocation of guest memory, 0 for none.
    Allocation(u32),
    /// A place in the last allocation named.
    AllocationOffset(u32),
    /// These bytes of the packet.
    Bytes(Range<usize>),
}
