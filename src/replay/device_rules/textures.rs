//! Textures that a stage reads: whether what is bound is what the shader declares, and how the device shows it.

use super::Device;
use crate::command::{CreateTexture, SubresourceRange};
use crate::replay::d3d::{StageBindings, TextureBinding};
use crate::shader::d3d::{SampledAs, SlotSet, StoredLayers, TextureDimension};

/// Faces of a cube.
const FACES: u32 = 6;

/// Texture that a slot of a stage reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureRead {
    /// These layers of the one that is bound.
    Bound {
        /// The layers.
        layers: SubresourceRange,
    },
    /// One of a single texel of zeros. Direct3D leaves open what a shader reads through a declaration of another kind, and
    /// goes on; WebGPU refuses it.
    Zeros,
}

/// Texture that a shader reads which takes it for `dimension` and its texels for `sampled_as`.
pub fn texture_read(bound: &TextureBinding, (dimension, sampled_as): (TextureDimension, SampledAs)) -> TextureRead {
    let is_depth = bound.format.is_depth();
    let is_as_declared = match sampled_as {
        SampledAs::Float => !is_depth,
        // Depth is loaded so on a device that does not sample it.
        SampledAs::UnfilterableFloat => true,
        SampledAs::Depth => is_depth,
        // No format of streams holds integers.
        SampledAs::Sint | SampledAs::Uint => false,
    };
    let only = |count| Some(SubresourceRange { count, ..bound.layers });
    let layers = match dimension {
        // Of an array a shader of one layer reads the first.
        TextureDimension::D2 => only(1),
        TextureDimension::D2Array => Some(bound.layers),
        TextureDimension::Cube if has_cubes(bound) => only(FACES),
        TextureDimension::CubeArray if has_cubes(bound) => only(bound.layers.count / FACES * FACES),
        TextureDimension::Cube | TextureDimension::CubeArray => None,
        // No texture of streams has one or three dimensions, or several samples.
        TextureDimension::D1 | TextureDimension::D3 | TextureDimension::D2Multisampled => None,
    };
    match layers.filter(|_| is_as_declared) {
        Some(layers) => TextureRead::Bound { layers },
        None => TextureRead::Zeros,
    }
}

/// Whether the layers that are seen of a texture are the faces of cubes.
const fn has_cubes(bound: &TextureBinding) -> bool {
    bound.is_square && bound.layers.count >= FACES
}

/// Layers that a texture has on a device. On one without views of layers the square textures of a multiple of six layers
/// have one more, since they would be cubes, and nothing else, without it. On all devices this is what is counted in memory.
pub fn counted_layers(desc: &CreateTexture) -> u32 {
    let [width, height] = desc.size_px;
    desc.layers + u32::from(is_taken_for_cubes(desc.layers, width == height))
}

const fn is_taken_for_cubes(layers: u32, is_square: bool) -> bool {
    is_square && layers.is_multiple_of(FACES)
}

/// Layers of the textures in a stage's slots, as a device without views of layers has them; `None` on one that has views.
pub fn stored_layers(held: &StageBindings, device: &Device) -> Option<StoredLayers> {
    if device.features.layer_views {
        return None;
    }
    let mut stored = StoredLayers::default();
    let textures = held.slots.resources.iter().filter_map(|(slot, bound)| Some((slot, bound.as_texture()?)));
    for (slot, texture) in textures.filter(|(_, texture)| texture.all_layers > 1) {
        stored.arrays.insert(*slot);
        let is_whole = texture.layers.count == texture.all_layers;
        if !is_whole || is_taken_for_cubes(texture.all_layers, texture.is_square) {
            stored.parts.insert(*slot);
        }
        if has_cubes(texture) {
            stored.cubes.insert(*slot);
        }
    }
    Some(stored)
}

/// Whether a stage reads a texture texel by texel that others sample: depth where the device does not sample it, and cubes
/// where it shows them as arrays.
pub fn loads_texels(depth: &SlotSet, stored: Option<&StoredLayers>, device: &Device) -> bool {
    !depth.is_empty() && !device.features.sampled_depth || stored.is_some_and(|stored| !stored.cubes.is_empty())
}
