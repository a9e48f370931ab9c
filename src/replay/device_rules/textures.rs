//! Textures that a stage reads: whether what is bound is what the shader declares.

use crate::command::{CreateTexture, SubresourceRange};
use crate::replay::d3d::TextureBinding;
use crate::shader::d3d::{SampledAs, TextureDimension};

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
pub fn texture_read(
    bound: &TextureBinding,
    desc: &CreateTexture,
    (dimension, sampled_as): (TextureDimension, SampledAs),
) -> TextureRead {
    let is_depth = bound.format.is_depth();
    let is_as_declared = match sampled_as {
        SampledAs::Float | SampledAs::UnfilterableFloat => !is_depth,
        SampledAs::Depth => is_depth,
        // No format of streams holds integers.
        SampledAs::Sint | SampledAs::Uint => false,
    };
    let [width, height] = desc.size_px;
    let is_square = width == height;
    let only = |count| Some(SubresourceRange { count, ..bound.layers });
    let layers = match dimension {
        // Of an array a shader of one layer reads the first.
        TextureDimension::D2 => only(1),
        TextureDimension::D2Array => Some(bound.layers),
        TextureDimension::Cube if is_square && bound.layers.count >= 6 => only(6),
        TextureDimension::CubeArray if is_square && bound.layers.count >= 6 => only(bound.layers.count / 6 * 6),
        TextureDimension::Cube | TextureDimension::CubeArray => None,
        // No texture of streams has one or three dimensions, or several samples.
        TextureDimension::D1 | TextureDimension::D3 | TextureDimension::D2Multisampled => None,
    };
    match layers.filter(|_| is_as_declared) {
        Some(layers) => TextureRead::Bound { layers },
        None => TextureRead::Zeros,
    }
}
