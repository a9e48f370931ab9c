//! Layers of textures on a device that shows a texture with all its layers or not at all, as OpenGL does in wgpu: a texture of
//! one layer is no array, and arrays are never cubes.
//!
//! | declared | stored | read |
//! |---|---|---|
//! | two dimensions | array | its first layer that is seen |
//! | array | one layer | that layer |
//! | array | array of which some layers are seen | layers counted from the first that is seen, up to their number |
//! | cube, array of cubes | array | faces by their numbers (`cube_faces`) |
//! | else | as declared | as declared |

use naga::{BinaryOperator, ImageQuery, MathFunction, ScalarKind};

use super::builder::ValueHandle;
use super::interface::{Parameter, SampledAs, TextureDimension};
use super::stage::{Stage, Texture};

/// Way from the layers that a shader names to those that are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextureLayers {
    /// The texture is shown as the shader declares it.
    AsDeclared,
    /// The texture has one layer where the shader declares an array.
    Single,
    /// The texture is an array, whose layers begin with the first that is seen.
    Part {
        /// The slot of the texture.
        slot: u32,
    },
}

impl TextureLayers {
    /// Dimension of a texture that a shader declares so, as the device stores it.
    pub(super) const fn stored_dimension(self, declared: TextureDimension) -> TextureDimension {
        match self {
            Self::AsDeclared => declared,
            Self::Single => TextureDimension::D2,
            Self::Part { .. } => TextureDimension::D2Array,
        }
    }
}

impl Stage<'_> {
    /// The way from the layers that a shader names in a slot to those that are stored.
    pub(super) fn layers_of(&self, slot: u32, declared: TextureDimension) -> TextureLayers {
        let Some(stored) = &self.resources.stored_layers else { return TextureLayers::AsDeclared };
        let is_array = stored.arrays.contains(slot);
        match declared {
            TextureDimension::D2 if is_array => TextureLayers::Part { slot },
            TextureDimension::D2Array if !is_array => TextureLayers::Single,
            TextureDimension::D2Array if stored.parts.contains(slot) => TextureLayers::Part { slot },
            TextureDimension::Cube | TextureDimension::CubeArray if stored.cubes.contains(slot) => {
                TextureLayers::Part { slot }
            }
            _ => TextureLayers::AsDeclared,
        }
    }

    /// The first layer that is stored of those that a shader sees, and how many there are.
    fn layers_seen(&mut self, slot: u32) -> [ValueHandle; 2] {
        let layers = self.parameter(Parameter::TextureLayers { slot });
        [0, 1].map(|lane| self.build.part(layers, lane))
    }

    /// Number of layers, or of cubes in an array of them, as a shader asks for it.
    pub(super) fn layer_count(&mut self, texture: &Texture) -> ValueHandle {
        match texture.layers {
            TextureLayers::AsDeclared => self.query(texture.image, ImageQuery::NumLayers),
            TextureLayers::Single => self.build.uint(1),
            TextureLayers::Part { slot } => {
                let [_, count] = self.layers_seen(slot);
                match texture.dimension {
                    TextureDimension::CubeArray => {
                        let faces = self.build.uint(6);
                        self.build.binary(BinaryOperator::Divide, count, faces)
                    }
                    _ => count,
                }
            }
        }
    }

    /// Number of mips, as a shader asks for it.
    pub(super) fn mip_count(&mut self, texture: &Texture) -> ValueHandle {
        if !self.resources.counted_mips {
            return self.query(texture.image, ImageQuery::NumLevels);
        }
        let count = self.parameter(Parameter::TextureMips { slot: texture.slot });
        self.build.part(count, 0)
    }

    /// The stored layer of one that a shader names, if the stored texture is an array. `layer` is a whole number without
    /// bounds when sampled, and one of those that are seen when loaded.
    pub(super) fn stored_layer(&mut self, texture: &Texture, layer: Option<ValueHandle>) -> Option<ValueHandle> {
        match texture.layers {
            TextureLayers::AsDeclared => layer,
            TextureLayers::Single => None,
            TextureLayers::Part { slot } => {
                let [first, _] = self.layers_seen(slot);
                let first = self.build.bits(first, ScalarKind::Sint);
                Some(match layer {
                    None => first,
                    Some(layer) => self.build.binary(BinaryOperator::Add, first, layer),
                })
            }
        }
    }

    /// A layer that a shader samples, within those that there are where the device does not see to it.
    pub(super) fn layer_within(&mut self, texture: &Texture, layer: ValueHandle) -> ValueHandle {
        let count = self.layer_count(texture);
        let count = self.build.bits(count, ScalarKind::Sint);
        let (zero, one) = (self.build.int(0), self.build.int(1));
        let last = self.build.binary(BinaryOperator::Subtract, count, one);
        let layer = self.build.math2(MathFunction::Min, layer, last);
        self.build.math2(MathFunction::Max, layer, zero)
    }

    /// Whether depth in a slot is read texel by texel. Of a cube that is none nothing is read.
    pub(super) fn loads_depth(&self, slot: u32, declared: TextureDimension) -> bool {
        let is_readable = match declared {
            TextureDimension::D2 | TextureDimension::D2Array => true,
            TextureDimension::Cube | TextureDimension::CubeArray => {
                self.resources.stored_layers.is_some_and(|stored| stored.cubes.contains(slot))
            }
            _ => false,
        };
        self.resources.loads_depth && is_readable
    }
}

impl Texture {
    /// Whether its texels are loaded and joined by the stage, without a sampler.
    pub(super) fn is_loaded(&self) -> bool {
        let is_stored_cube = self.is_cube() && self.layers != TextureLayers::AsDeclared;
        // Integers are read by no sampler.
        self.is_loaded_depth || is_stored_cube && self.sampled_as == SampledAs::Float
    }

    /// Whether the shader reads it by directions.
    pub(super) const fn is_cube(&self) -> bool {
        matches!(self.dimension, TextureDimension::Cube | TextureDimension::CubeArray)
    }
}
