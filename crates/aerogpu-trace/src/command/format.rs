//! Formats of textures, of vertices and of indices.

use trace_base::named;

named! {
    /// Formats of textures.
    TextureFormat {
        B8g8r8a8Unorm = "B8G8R8A8_UNORM",
        B8g8r8x8Unorm = "B8G8R8X8_UNORM",
        R8g8b8a8Unorm = "R8G8B8A8_UNORM",
        R8g8b8x8Unorm = "R8G8B8X8_UNORM",
        B5g6r5Unorm = "B5G6R5_UNORM",
        B5g5r5a1Unorm = "B5G5R5A1_UNORM",
        B8g8r8a8UnormSrgb = "B8G8R8A8_UNORM_SRGB",
        B8g8r8x8UnormSrgb = "B8G8R8X8_UNORM_SRGB",
        R8g8b8a8UnormSrgb = "R8G8B8A8_UNORM_SRGB",
        R8g8b8x8UnormSrgb = "R8G8B8X8_UNORM_SRGB",
        D24UnormS8Uint = "D24_UNORM_S8_UINT",
        D32Float = "D32_FLOAT",
        Bc1Unorm = "BC1_RGBA_UNORM",
        Bc1UnormSrgb = "BC1_RGBA_UNORM_SRGB",
        Bc2Unorm = "BC2_RGBA_UNORM",
        Bc2UnormSrgb = "BC2_RGBA_UNORM_SRGB",
        Bc3Unorm = "BC3_RGBA_UNORM",
        Bc3UnormSrgb = "BC3_RGBA_UNORM_SRGB",
        Bc7Unorm = "BC7_RGBA_UNORM",
        Bc7UnormSrgb = "BC7_RGBA_UNORM_SRGB",
    }
}

impl TextureFormat {
    /// Width and height in texels of what is stored as one, and its bytes.
    pub fn block(self) -> (u32, u32) {
        match self {
            Self::B5g6r5Unorm | Self::B5g5r5a1Unorm => (1, 2),
            Self::Bc1Unorm | Self::Bc1UnormSrgb => (4, 8),
            Self::Bc2Unorm
            | Self::Bc2UnormSrgb
            | Self::Bc3Unorm
            | Self::Bc3UnormSrgb
            | Self::Bc7Unorm
            | Self::Bc7UnormSrgb => (4, 16),
            _ => (1, 4),
        }
    }

    /// Whether it holds depth.
    pub const fn is_depth(self) -> bool {
        matches!(self, Self::D24UnormS8Uint | Self::D32Float)
    }

    /// Bytes of a row of `width_px` texels, or of the blocks that hold them, when nothing lies between the rows.
    pub fn tight_row_bytes(self, width_px: u32) -> u64 {
        let (side_px, bytes) = self.block();
        u64::from(width_px.div_ceil(side_px)) * u64::from(bytes)
    }
}

named! {
    /// Formats of one value of a vertex.
    VertexFormat {
        Float32x2 = "R32G32_FLOAT",
        Float32x4 = "R32G32B32A32_FLOAT",
    }
}

impl VertexFormat {
    /// Bytes of one value.
    pub const fn size_bytes(self) -> u32 {
        match self {
            Self::Float32x2 => 8,
            Self::Float32x4 => 16,
        }
    }
}

named! {
    /// Sizes of indices.
    IndexFormat {
        Uint16 = "UINT16",
        Uint32 = "UINT32",
    }
}

/// One value of a vertex in its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexElement {
    /// What a value is.
    pub format: VertexFormat,
    /// Where the first vertex's value starts, counted from the start of the buffer.
    pub offset_bytes: u32,
}

impl VertexElement {
    /// Where the first vertex's value ends, counted from the start of the buffer.
    #[inline]
    pub const fn end_bytes(self) -> u64 {
        self.offset_bytes as u64 + self.format.size_bytes() as u64
    }
}

/// What links a vertex's attribute with an input of the vertex shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Semantic {
    /// Direct3D 10 and 11.
    Hashed {
        /// FNV-1a of the semantic's name in capitals.
        hash: u32,
        /// The number behind the name.
        index: u32,
    },
    /// Direct3D 9.
    Usage {
        /// D3DDECLUSAGE.
        usage: u8,
        /// Which of those with the same usage it is.
        index: u8,
    },
}

/// When an attribute's next value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VertexStep {
    /// With each vertex.
    Vertex,
    /// After so many instances, at least one.
    Instances(u32),
}

/// One attribute of a vertex, as a layout declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VertexAttribute {
    /// Which input of the vertex shader it is.
    pub semantic: Semantic,
    /// The slot of its vertex buffer.
    pub slot: u32,
    /// Where it starts in its vertex.
    pub offset_bytes: u32,
    /// Bytes of its value; 0 if this build does not know the format.
    pub size_bytes: u32,
    /// Its format's number: DXGI's, or D3DDECLTYPE's of Direct3D 9.
    pub format: u32,
    /// When its next value is read.
    pub step: VertexStep,
}
