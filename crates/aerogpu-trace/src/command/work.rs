//! Commands that do something: clear, draw, dispatch, present.

use super::shader::ShaderStage;

/// Which aspects of the targets a CLEAR fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Aspects {
    /// Colour.
    pub color: bool,
    /// Depth.
    pub depth: bool,
    /// Stencil.
    pub stencil: bool,
}

impl Aspects {
    /// Colour alone.
    pub const COLOR: Self = Self { color: true, depth: false, stencil: false };
}

/// Fills the targets that are bound, whatever the viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clear {
    /// Which aspects of them.
    pub aspects: Aspects,
    /// Red, green, blue, alpha.
    pub rgba: [f32; 4],
    /// Depth.
    pub depth: f32,
    /// Stencil, of which the low 8 bits count.
    pub stencil: u32,
}

impl Clear {
    /// Fills colour targets.
    pub const fn color(rgba: [f32; 4]) -> Self {
        Self { aspects: Aspects::COLOR, rgba, depth: 1.0, stencil: 0 }
    }
}

/// Draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Number of vertices.
    pub vertex_count: u32,
    /// Index of the first.
    pub first_vertex: u32,
    /// Number of instances.
    pub instance_count: u32,
    /// Index of the first.
    pub first_instance: u32,
}

impl Draw {
    /// Draws one instance.
    pub const fn once(vertex_count: u32, first_vertex: u32) -> Self {
        Self { vertex_count, first_vertex, instance_count: 1, first_instance: 0 }
    }
}

/// Draws by indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawIndexed {
    /// Number of indices.
    pub index_count: u32,
    /// The first, counted from where the index buffer is bound.
    pub first_index: u32,
    /// Added to every index.
    pub base_vertex: i32,
    /// Number of instances.
    pub instance_count: u32,
    /// Index of the first.
    pub first_instance: u32,
}

/// Runs the compute shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Number of groups, by axis.
    pub groups: [u32; 3],
    /// The stage whose bindings the shader reads.
    pub bindings: ShaderStage,
}

/// The first colour target is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Present {
    /// The screen.
    pub scanout: u32,
    /// Whether it waits for the screen's next refresh.
    pub waits_for_vsync: bool,
    /// Direct3D 9's flags, if it presents with any.
    pub d3d9_flags: Option<u32>,
}
