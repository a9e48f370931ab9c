//! How draws are drawn: as the guest says, or so that they answer a question.
//!
//! Colours go through the blend constant: the shader gives white, and blending puts the constant in its place. So one
//! pipeline serves all colours, and four bytes of any value, such as a draw's number, come back bit by bit.

use crate::shader::FragmentOverride;

/// How draws are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawOverride {
    /// As the guest says.
    #[default]
    Guest,
    /// Every pixel that the draw would write becomes this colour.
    Solid([u8; 4]),
    /// Every pixel that its triangles cover becomes this colour, also where the fragment stage discards it.
    Silhouette([u8; 4]),
    /// The edges of its triangles become this colour.
    Edges([u8; 4]),
    /// Nothing is painted: the writes of each pixel are counted, each of a draw's own that lie over each other too.
    CountWrites,
    /// Every pixel that the draw would write becomes the number of the primitive that writes it last, as
    /// [`FragmentOverride::Numbered`] says. Depth and stencil are written as the guest says, so that it is the last.
    PrimitiveNumbers,
    /// Pixels become white where these tests let them through, which is for occlusion queries to say.
    Test(DrawTest),
}

/// The tests that a pixel of a draw passes before it is written, each with all before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawTest {
    /// Something that the draw's vertices form covers it.
    Coverage,
    /// That is not culled.
    Culling,
    /// The fragment shader does not discard it, whatever the alpha test says.
    ShaderDiscard,
    /// The fragment stage does not discard it, the alpha test of Direct3D 9 included.
    Discard,
    /// The stencil test.
    Stencil,
    /// The depth test.
    Depth,
}

/// What pipelines of the same guest program differ in by their override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OverrideKind {
    Guest,
    Solid,
    Silhouette,
    Edges,
    CountWrites,
    PrimitiveNumbers,
    Test(DrawTest),
}

impl DrawOverride {
    pub(super) fn kind(self) -> OverrideKind {
        match self {
            Self::Guest => OverrideKind::Guest,
            Self::Solid(_) => OverrideKind::Solid,
            Self::Silhouette(_) => OverrideKind::Silhouette,
            Self::Edges(_) => OverrideKind::Edges,
            Self::CountWrites => OverrideKind::CountWrites,
            Self::PrimitiveNumbers => OverrideKind::PrimitiveNumbers,
            Self::Test(test) => OverrideKind::Test(test),
        }
    }

    /// The colour, for those that have one.
    pub(super) fn rgba(self) -> Option<[u8; 4]> {
        match self {
            Self::Solid(rgba) | Self::Silhouette(rgba) | Self::Edges(rgba) => Some(rgba),
            Self::Guest | Self::CountWrites | Self::PrimitiveNumbers | Self::Test(_) => None,
        }
    }
}

impl OverrideKind {
    /// What is done to the program.
    pub(crate) fn fragment_override(self) -> Option<FragmentOverride> {
        match self {
            Self::Guest => None,
            Self::Solid | Self::CountWrites => Some(FragmentOverride::Survivors),
            Self::PrimitiveNumbers => Some(FragmentOverride::Numbered),
            Self::Silhouette | Self::Edges => Some(FragmentOverride::Covered),
            Self::Test(DrawTest::Coverage | DrawTest::Culling) => Some(FragmentOverride::Covered),
            Self::Test(DrawTest::ShaderDiscard | DrawTest::Discard | DrawTest::Stencil | DrawTest::Depth) => {
                Some(FragmentOverride::Survivors)
            }
        }
    }

    /// The tests that stand between a pixel and what is drawn of it.
    pub(crate) fn test(self) -> DrawTest {
        match self {
            Self::Guest | Self::Solid | Self::CountWrites | Self::PrimitiveNumbers => DrawTest::Depth,
            Self::Silhouette | Self::Edges => DrawTest::Coverage,
            Self::Test(test) => test,
        }
    }

    /// Whether a draw without a colour output leaves nothing behind.
    pub(crate) fn needs_color_output(self) -> bool {
        matches!(self, Self::Solid | Self::CountWrites | Self::PrimitiveNumbers)
    }

    pub(crate) fn topology(self) -> wgpu::PrimitiveTopology {
        match self {
            Self::Edges => wgpu::PrimitiveTopology::LineList,
            _ => wgpu::PrimitiveTopology::TriangleList,
        }
    }

    pub(crate) fn blend(self) -> Option<wgpu::BlendState> {
        let blend = |src_factor, dst_factor| {
            let component = wgpu::BlendComponent { src_factor, dst_factor, operation: wgpu::BlendOperation::Add };
            Some(wgpu::BlendState { color: component, alpha: component })
        };
        match self {
            Self::Guest | Self::PrimitiveNumbers | Self::Test(_) => None,
            Self::Solid | Self::Silhouette | Self::Edges => blend(wgpu::BlendFactor::Constant, wgpu::BlendFactor::Zero),
            Self::CountWrites => blend(wgpu::BlendFactor::One, wgpu::BlendFactor::One),
        }
    }
}

/// The colour whose conversion to a unorm target gives exactly these bytes.
pub(super) fn color_of([r, g, b, a]: [u8; 4]) -> wgpu::Color {
    let [r, g, b, a] = [r, g, b, a].map(|byte| f64::from(byte) / 255.0);
    wgpu::Color { r, g, b, a }
}
