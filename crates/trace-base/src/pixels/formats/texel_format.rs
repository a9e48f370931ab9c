//! Formats of texels in files of textures, with the numbers that DXGI and Vulkan give them.
//!
//! DXGI names channels from the lowest bit on, Vulkan's packed formats from the highest: `B5G6R5` of one is `R5G6B5_PACK16`
//! of the other. Neither KTX2 nor Vulkan has formats with an unused channel: such a file has the format with alpha, and says
//! by its swizzle that alpha is 1. DXGI has one of them, with blue first.

/// Bytes of a texel, or of a block of 4 × 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TexelLayout {
    /// Red, green, blue and alpha of 8 bits each.
    Rgba8,
    /// Four channels with blue first.
    Bgra8,
    /// 16 bits: blue in the lowest 5, green in 6, red in 5.
    B5g6r5,
    /// 16 bits: blue in the lowest 5, green in 5, red in 5, alpha in 1.
    B5g5r5a1,
    /// One float of 32 bits.
    Float32,
    /// Blocks of BC1, BC2, BC3, BC4, BC5 or BC7.
    Blocks(u8),
    /// Blocks of BC6H, with a sign or without.
    FloatBlocks {
        /// Whether values may be negative.
        is_signed: bool,
    },
}

/// Format of the texels of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelFormat {
    /// Its name in DXGI.
    pub name: &'static str,
    /// The number of DXGI_FORMAT; of a format that DXGI does not have, that of the one with alpha.
    pub dxgi: u32,
    /// The number of VkFormat; of a format with an unused channel, that of the one with alpha.
    pub vulkan: u32,
    /// Meaning of its bytes.
    pub layout: TexelLayout,
    /// Whether colours follow the curve of sRGB.
    pub is_srgb: bool,
    /// Whether the fourth channel is unused, and alpha 1.
    pub is_opaque: bool,
    /// Whether the one channel is depth.
    pub is_depth: bool,
}

macro_rules! formats {
    ($($name:literal $dxgi:literal $vulkan:literal $layout:expr, $($flag:ident)*;)*) => {
        /// Every format that is written or read.
        pub(super) const TEXEL_FORMATS: &[TexelFormat] = &[$(
            TexelFormat { $($flag: true,)* ..plain($name, $dxgi, $vulkan, $layout) },
        )*];
    };
}

const fn plain(name: &'static str, dxgi: u32, vulkan: u32, layout: TexelLayout) -> TexelFormat {
    TexelFormat { name, dxgi, vulkan, layout, is_srgb: false, is_opaque: false, is_depth: false }
}

use TexelLayout::{B5g5r5a1, B5g6r5, Bgra8, Blocks, Float32, FloatBlocks, Rgba8};

formats! {
    "R8G8B8A8_UNORM" 28 37 Rgba8, ;
    "R8G8B8A8_UNORM_SRGB" 29 43 Rgba8, is_srgb;
    "R8G8B8X8_UNORM" 28 37 Rgba8, is_opaque;
    "R8G8B8X8_UNORM_SRGB" 29 43 Rgba8, is_srgb is_opaque;
    "B8G8R8A8_UNORM" 87 44 Bgra8, ;
    "B8G8R8A8_UNORM_SRGB" 91 50 Bgra8, is_srgb;
    "B8G8R8X8_UNORM" 88 44 Bgra8, is_opaque;
    "B8G8R8X8_UNORM_SRGB" 93 50 Bgra8, is_srgb is_opaque;
    "B5G6R5_UNORM" 85 4 B5g6r5, ;
    "B5G5R5A1_UNORM" 86 8 B5g5r5a1, ;
    "D32_FLOAT" 40 126 Float32, is_depth;
    "R32_FLOAT" 41 100 Float32, ;
    "BC1_UNORM" 71 133 Blocks(1), ;
    "BC1_UNORM_SRGB" 72 134 Blocks(1), is_srgb;
    "BC2_UNORM" 74 135 Blocks(2), ;
    "BC2_UNORM_SRGB" 75 136 Blocks(2), is_srgb;
    "BC3_UNORM" 77 137 Blocks(3), ;
    "BC3_UNORM_SRGB" 78 138 Blocks(3), is_srgb;
    "BC4_UNORM" 80 139 Blocks(4), ;
    "BC5_UNORM" 83 141 Blocks(5), ;
    "BC6H_UF16" 95 143 FloatBlocks { is_signed: false }, ;
    "BC6H_SF16" 96 144 FloatBlocks { is_signed: true }, ;
    "BC7_UNORM" 98 145 Blocks(7), ;
    "BC7_UNORM_SRGB" 99 146 Blocks(7), is_srgb;
}

impl TexelFormat {
    /// The format with a name of DXGI's.
    pub fn named(name: &str) -> Option<Self> {
        TEXEL_FORMATS.iter().find(|format| format.name == name).copied()
    }

    /// The format that a DXGI_FORMAT is; of several, the one with alpha.
    pub(super) fn of_dxgi(dxgi: u32) -> Option<Self> {
        TEXEL_FORMATS.iter().find(|format| format.dxgi == dxgi).copied()
    }

    /// The format that a VkFormat is, with the fourth channel unused or not.
    pub(super) fn of_vulkan(vulkan: u32, is_opaque: bool) -> Option<Self> {
        let of_number = |format: &&Self| format.vulkan == vulkan && format.is_opaque == is_opaque;
        TEXEL_FORMATS.iter().find(of_number).copied()
    }

    /// Whether DXGI lacks the format, so that a file has alpha in its place.
    pub(super) fn lacks_dxgi(self) -> bool {
        self.is_opaque && self.layout == Rgba8
    }

    /// Width and height in texels of what is stored as one, and its bytes.
    pub fn block(self) -> (u32, u32) {
        match self.layout {
            Rgba8 | Bgra8 | Float32 => (1, 4),
            B5g6r5 | B5g5r5a1 => (1, 2),
            Blocks(1 | 4) => (4, 8),
            Blocks(_) | FloatBlocks { .. } => (4, 16),
        }
    }

    /// Bytes of a mip of one layer, in tight rows.
    pub(super) fn part_bytes(self, [width, height]: [u32; 2]) -> u64 {
        let (side, bytes) = self.block();
        // Each factor fits in 32 bits, and the third is at most 16.
        (u64::from(width.div_ceil(side)) * u64::from(height.div_ceil(side))).saturating_mul(u64::from(bytes))
    }
}
