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
    /// Every pixel that these tests let through becomes this colour.
    Passed(DrawTest, [u8; 4]),
    /// Every pixel becomes this colour that the draw would write with triangles that face so, were none culled. Depth and
    /// stencil are written as the guest says, so that of both sides the one is seen that lies in front.
    Side(TriangleSide, [u8; 4]),
}

/// Side of a triangle that is seen, as the winding of its corners says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TriangleSide {
    /// The viewer sees its front.
    Front,
    /// The viewer sees its back.
    Back,
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
    Passed(DrawTest),
    Side(TriangleSide),
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
            Self::Passed(test, _) => OverrideKind::Passed(test),
            Self::Side(side, _) => OverrideKind::Side(side),
        }
    }

    /// The colour, for those that have one.
    pub(super) fn rgba(self) -> Option<[u8; 4]> {
        match self {
            Self::Solid(rgba) | Self::Silhouette(rgba) | Self::Edges(rgba) => Some(rgba),
            Self::Passed(_, rgba) | Self::Side(_, rgba) => Some(rgba),
            Self::Guest | Self::CountWrites | Self::PrimitiveNumbers | Self::Test(_) => None,
        }
    }
}

impl OverrideKind {
    /// What is done to the program.
    pub(crate) fn fragment_override(self) -> Option<FragmentOverride> {
        match self {
            Self::Guest => None,
            Self::Solid | Self::CountWrites | Self::Side(_) => Some(FragmentOverride::Survivors),
            Self::PrimitiveNumbers => Some(FragmentOverride::Numbered),
            Self::Silhouette | Self::Edges => Some(FragmentOverride::Covered),
            Self::Test(test) | Self::Passed(test) => Some(match test {
                DrawTest::Coverage | DrawTest::Culling => FragmentOverride::Covered,
                DrawTest::ShaderDiscard | DrawTest::Discard | DrawTest::Stencil | DrawTest::Depth => {
                    FragmentOverride::Survivors
                }
            }),
        }
    }

    /// The tests that stand between a pixel and what is drawn of it.
    pub(crate) fn test(self) -> DrawTest {
        match self {
            Self::Guest | Self::Solid | Self::CountWrites | Self::PrimitiveNumbers | Self::Side(_) => DrawTest::Depth,
            Self::Silhouette | Self::Edges => DrawTest::Coverage,
            Self::Test(test) | Self::Passed(test) => test,
        }
    }

    /// Whether a draw without a colour output leaves nothing behind.
    pub(crate) fn needs_color_output(self) -> bool {
        let is_of_guest = self.fragment_override() != Some(FragmentOverride::Covered);
        match self {
            Self::Solid | Self::CountWrites | Self::PrimitiveNumbers | Self::Side(_) => true,
            Self::Passed(_) => is_of_guest,
            Self::Guest | Self::Silhouette | Self::Edges | Self::Test(_) => false,
        }
    }

    /// The faces that are left out of triangles, where the guest leaves out `of_guest`.
    pub(crate) fn cull_mode(self, of_guest: Option<wgpu::Face>) -> Option<wgpu::Face> {
        match self {
            Self::Side(TriangleSide::Front) => Some(wgpu::Face::Back),
            Self::Side(TriangleSide::Back) => Some(wgpu::Face::Front),
            _ if self.test() == DrawTest::Coverage => None,
            _ => of_guest,
        }
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
            Self::Solid | Self::Silhouette | Self::Edges | Self::Passed(_) | Self::Side(_) => {
                blend(wgpu::BlendFactor::Constant, wgpu::BlendFactor::Zero)
            }
            Self::CountWrites => blend(wgpu::BlendFactor::One, wgpu::BlendFactor::One),
        }
    }
}

/// The colour whose conversion to a unorm target gives exactly these bytes.
pub(super) fn color_of([r, g, b, a]: [u8; 4]) -> wgpu::Color {
    let [r, g, b, a] = [r, g, b, a].map(|byte| f64::from(byte) / 255.0);
    wgpu::Color { r, g, b, a }
}
