//! What is made of a pair of texts.

use super::source::{Place, Stage};
use super::types::{Dimension, Scalar, Type};
use trace_base::bytes::FindingKind;

/// A translated pair.
#[derive(Clone, Debug)]
pub struct Linked {
    /// WGSL of the vertex stage.
    pub vertex_wgsl: String,
    /// WGSL of the fragment stage.
    pub fragment_wgsl: String,
    /// Vertex inputs, in order of declaration.
    pub attributes: Vec<Attribute>,
    /// Everything that is to be bound, by binding number.
    pub bindings: Vec<Binding>,
    /// Fragment outputs: location, name, type as declared. The module always writes four components.
    pub outputs: Vec<(u32, String, Type)>,
    /// Whether a varying is `flat`.
    pub has_flat_varyings: bool,
    /// Whether the text was taken as naga's, with WebGPU's clip space.
    pub naga_convention: bool,
    /// What was noticed and passed over, the vertex text's first, each text's in its order, then what is of no text alone.
    pub remarks: Vec<Remark>,
}

/// Something that was noticed in sound texts and passed over, or how it was decided what they leave open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Where, if it is in one of the texts.
    pub place: Option<Box<Place>>,
    /// What, as half a sentence.
    pub what: String,
    /// An oddity is forbidden by the language, and its meaning clear all the same.
    pub kind: FindingKind,
}

/// A vertex input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Name in the text.
    pub name: String,
    /// First location; a matrix takes one a column.
    pub location: u32,
    /// Type in the text.
    pub ty: Type,
    /// How the location was found.
    pub rule: LocationRule,
    /// Whether the text reads it; an input that isn't is no input of the module.
    pub active: bool,
}

/// How an attribute got its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationRule {
    /// `layout(location = …)`
    Explicit,
    /// By its name: [`super::GlslOptions::named_locations`].
    Named,
    /// The next free one, in order of declaration.
    Declared,
}

/// Which stages see a binding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// The vertex stage.
    pub vertex: bool,
    /// The fragment stage.
    pub fragment: bool,
}

impl Stages {
    pub(super) fn only(stage: Stage) -> Self {
        Self { vertex: stage == Stage::Vertex, fragment: stage == Stage::Fragment }
    }
}

/// Something to bind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Bind group.
    pub group: u32,
    /// Number in the group.
    pub binding: u32,
    /// Who declares it.
    pub stages: Stages,
    /// Name in the text; empty for the block of loose uniforms.
    pub name: String,
    /// What it is.
    pub kind: BindingKind,
}

/// What is to be bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// A uniform buffer in std140 layout.
    UniformBlock {
        /// Size, a multiple of 16.
        size_bytes: u32,
        /// Members by offset.
        members: Vec<UniformMember>,
    },
    /// A texture.
    Texture {
        /// Shape. A cube of integers is declared as an array of six layers, as WGSL can't load from such cubes.
        dimension: Dimension,
        /// Component type: float (filterable), int or uint.
        texel: Scalar,
        /// Whether it is a depth texture.
        depth: bool,
    },
    /// A sampler state.
    Sampler {
        /// Whether it compares.
        comparison: bool,
    },
    /// A uniform buffer of 16 bytes: width and height of the target as floats, and two zeros.
    TargetInfo,
}

/// A member of a uniform block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniformMember {
    /// Its name.
    pub name: String,
    /// Its offset in bytes.
    pub offset: u32,
    /// Its type.
    pub ty: Type,
    /// Whether matrices in it are stored by rows.
    pub row_major: bool,
}
