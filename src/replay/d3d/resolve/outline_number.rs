//! The number of what draws have in common while only bindings, numbers and vertices change.
//!
//! Streams go back and forth between a few shaders and states. Whoever has made something for one of these outlines finds it
//! again by its number, so the parts of an outline have numbers of their own, and only those are compared that were set.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

use super::super::context::World;
use super::super::shader::Shader;
use super::draw_state::DrawTargets;
use super::interned::{Interner, ValueNumber};
use super::vertex_input::InputLayout;
use crate::command::{SetScissor, ShaderStage, Topology, Viewport};
use crate::replay::fixed_state::FixedState;

/// What an outline is made of, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OutlineParts {
    pub world: World,
    /// A stage that this build does not draw with.
    pub other_stage: Option<ShaderStage>,
    pub vertex: ValueNumber,
    pub pixel: ValueNumber,
    pub rules: ValueNumber,
    pub targets: ValueNumber,
    /// How the vertex shader's inputs lie.
    pub layout: ValueNumber,
    /// By stage, what shaders are translated by of textures.
    pub shapes: [ValueNumber; 2],
}

/// Fixed state, and what it is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FixedRules {
    pub fixed: FixedState,
    pub viewport: Option<ViewportBits>,
    pub scissor: Option<SetScissor>,
    pub topology: Topology,
}

/// A viewport that is compared by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ViewportBits {
    TopLeft([u32; 2]),
    Rectangle([[u32; 2]; 3]),
}

impl From<Viewport> for ViewportBits {
    fn from(viewport: Viewport) -> Self {
        match viewport {
            Viewport::TopLeft { width_px, height_px } => Self::TopLeft([width_px, height_px]),
            Viewport::Rectangle { origin_px, size_px, depth } => {
                Self::Rectangle([origin_px, size_px, depth].map(|pair| pair.map(f32::to_bits)))
            }
        }
    }
}

/// A shader, or none. Two are equal if they are the same object, which need not be there any more.
#[derive(Clone, Debug)]
pub(super) struct SameShader(Option<Weak<Shader>>);

impl From<&Option<Arc<Shader>>> for SameShader {
    fn from(shader: &Option<Arc<Shader>>) -> Self {
        Self(shader.as_ref().map(Arc::downgrade))
    }
}

impl SameShader {
    /// No other has it while this is kept.
    fn address(&self) -> Option<*const Shader> {
        self.0.as_ref().map(Weak::as_ptr)
    }
}

impl PartialEq for SameShader {
    fn eq(&self, other: &Self) -> bool {
        self.address() == other.address()
    }
}

impl Eq for SameShader {}

impl Hash for SameShader {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

/// The outlines that have numbers, and their parts.
#[derive(Default)]
pub(super) struct OutlineNumbers {
    pub outlines: Interner<OutlineParts>,
    pub shaders: Interner<SameShader>,
    pub rules: Interner<FixedRules>,
    pub targets: Interner<DrawTargets>,
    pub layouts: Interner<Vec<InputLayout>>,
}
