//! Commands that set fixed state and targets.

use trace_base::direct3d::Comparison;
use trace_base::named;

use super::id::ResourceId;

named! {
    /// What a colour is multiplied with in blending.
    BlendFactor {
        Zero = "ZERO",
        One = "ONE",
        SrcAlpha = "SRC_ALPHA",
        InvSrcAlpha = "INV_SRC_ALPHA",
        DestAlpha = "DEST_ALPHA",
        InvDestAlpha = "INV_DEST_ALPHA",
        Constant = "CONSTANT",
        InvConstant = "INV_CONSTANT",
        /// Said by Direct3D 9's render states alone, as are those below.
        SrcColor = "SRC_COLOR",
        InvSrcColor = "INV_SRC_COLOR",
        DestColor = "DEST_COLOR",
        InvDestColor = "INV_DEST_COLOR",
        SrcAlphaSat = "SRC_ALPHA_SAT",
        /// The second colour that a pixel shader gives.
        Src1Color = "SRC1_COLOR",
        InvSrc1Color = "INV_SRC1_COLOR",
        Src1Alpha = "SRC1_ALPHA",
        InvSrc1Alpha = "INV_SRC1_ALPHA",
    }
}

named! {
    /// How two colours are joined in blending.
    BlendOp {
        Add = "ADD",
        Subtract = "SUBTRACT",
        RevSubtract = "REV_SUBTRACT",
        Min = "MIN",
        Max = "MAX",
    }
}

named! {
    /// What is drawn of a triangle.
    FillMode {
        Solid = "SOLID",
        Wireframe = "WIREFRAME",
        /// The corners. Said by Direct3D 9's render states alone.
        Point = "POINT",
    }
}

named! {
    /// Which triangles are not drawn.
    CullMode {
        None = "NONE",
        Front = "FRONT",
        Back = "BACK",
    }
}

/// How one channel, or three, are blended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlendEquation {
    /// What the new colour is multiplied with.
    pub src: BlendFactor,
    /// What the target's colour is multiplied with.
    pub dst: BlendFactor,
    /// How the two are joined.
    pub op: BlendOp,
}

impl BlendEquation {
    /// Source factor, operation, target factor: `SRC_ALPHA ADD INV_SRC_ALPHA`.
    pub fn in_words(self) -> String {
        format!("{} {} {}", self.src, self.op, self.dst)
    }
}

/// Sets how colours are blended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetBlend {
    /// Whether they are.
    pub is_enabled: bool,
    /// Red, green and blue.
    pub color: BlendEquation,
    /// Alpha.
    pub alpha: BlendEquation,
    /// Which channels are written: bit 0 red to bit 3 alpha.
    pub write_mask: u8,
    /// The colour that the constant factors mean.
    pub constant: [f32; 4],
    /// Which samples are written.
    pub sample_mask: u32,
}

/// Sets the tests of depth and stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetDepthStencil {
    /// Whether depth is tested.
    pub tests_depth: bool,
    /// Whether depth is written.
    pub writes_depth: bool,
    /// When the test of depth passes.
    pub depth_comparison: Comparison,
    /// Whether stencil is tested.
    pub tests_stencil: bool,
    /// Which bits of the stencil are compared.
    pub stencil_read_mask: u8,
    /// Which bits of the stencil are written.
    pub stencil_write_mask: u8,
}

/// Sets which triangles are drawn, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetRasterizer {
    /// What is drawn of a triangle.
    pub fill: FillMode,
    /// Which triangles are not drawn.
    pub cull: CullMode,
    /// Whether a triangle whose corners go counter-clockwise is seen from its front.
    pub front_is_counter_clockwise: bool,
    /// Whether the scissor counts.
    pub is_scissor_enabled: bool,
    /// Added to depth, in units of the target's smallest step.
    pub depth_bias: i32,
    /// Whether depth outside of 0 to 1 is clamped instead of cut off.
    pub clamps_depth: bool,
}

/// Most colour targets that are bound at a time.
pub const MOST_COLOR_TARGETS: usize = 8;

/// Chooses what is drawn to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetTargets {
    colors: [u32; MOST_COLOR_TARGETS],
    color_count: u8,
    depth_stencil: u32,
}

impl SetTargets {
    /// The first `color_count` handles of `colors`, and the target of depth and stencil; 0 for none.
    pub const fn new(color_count: u8, colors: [u32; MOST_COLOR_TARGETS], depth_stencil: u32) -> Self {
        Self { colors, color_count, depth_stencil }
    }

    /// What each slot of a colour target holds; those behind the ones that the command sets hold none.
    pub fn all_colors(self) -> impl Iterator<Item = (u32, Option<ResourceId>)> {
        let set = usize::from(self.color_count);
        let holds = move |(slot, handle)| (slot as u32, ResourceId::bound(handle).filter(|_| slot < set));
        self.colors.into_iter().enumerate().map(holds)
    }

    /// The target of depth and stencil.
    pub fn depth_stencil(self) -> Option<ResourceId> {
        ResourceId::bound(self.depth_stencil)
    }
}

/// The rectangle that clip space maps to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Viewport {
    /// Whole pixels from the target's top left; a width or height of 0 means the whole target.
    TopLeft {
        /// Width in pixels.
        width_px: u32,
        /// Height in pixels.
        height_px: u32,
    },
    /// Any rectangle.
    Rectangle {
        /// Left and top in pixels.
        origin_px: [f32; 2],
        /// Width and height in pixels.
        size_px: [f32; 2],
        /// What depths 0 and 1 become.
        depth: [f32; 2],
    },
}

impl Viewport {
    /// Whether its rectangle is all zeros, by which the Direct3D 10 and 11 driver says that no viewport is set.
    pub fn is_none_set(&self) -> bool {
        match self {
            Self::TopLeft { .. } => false,
            Self::Rectangle { origin_px, size_px, .. } => *origin_px == [0.0; 2] && *size_px == [0.0; 2],
        }
    }
}

/// Sets the rectangle outside of which nothing is drawn while the scissor is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SetScissor {
    /// Left and top in pixels.
    pub origin_px: [i32; 2],
    /// Width and height in pixels.
    pub size_px: [i32; 2],
}

impl SetScissor {
    /// Whether it is all zeros, by which the Direct3D 10 and 11 driver says that no scissor is set.
    pub fn is_none_set(&self) -> bool {
        self.origin_px == [0; 2] && self.size_px == [0; 2]
    }
}
