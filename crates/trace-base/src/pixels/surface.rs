//! What a texture holds, with all that its format keeps: colour, or depth and stencil.

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::picture::{Picture, PictureHash, Size};
use crate::error::{Classified, ErrorKind};
use crate::text::counted;

/// What a mip of a layer of a texture holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// Of a format with colour.
    Color(Picture),
    /// Of a format with depth.
    Depth(DepthMap),
}

/// Depth, and stencil where the format has it. Top row first, rows tight.
#[derive(Clone, Debug, PartialEq)]
pub struct DepthMap {
    size: Size,
    depth: Vec<f32>,
    stencil: Option<Vec<u8>>,
}

/// Numbers that do not fill the size they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a depth map of {size} has {found_values}: expected {}",
    size.pixels(),
    found_values = counted(.found, "value")
)]
pub struct DepthMapError {
    /// The claimed size.
    pub size: Size,
    /// The number of values found.
    pub found: u64,
}

impl Classified for DepthMapError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Malformed
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

impl DepthMap {
    /// The depth, and the stencil, of each pixel.
    pub fn new(size: Size, depth: Vec<f32>, stencil: Option<Vec<u8>>) -> Result<Self, DepthMapError> {
        let wrong =
            |found: usize| (found as u64 != size.pixels()).then_some(DepthMapError { size, found: found as u64 });
        match wrong(depth.len()).or_else(|| wrong(stencil.as_ref().map_or(depth.len(), Vec::len))) {
            Some(error) => Err(error),
            None => Ok(Self { size, depth, stencil }),
        }
    }

    /// Width and height.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The depth of each pixel, as the texture holds it.
    pub fn depth(&self) -> &[f32] {
        &self.depth
    }

    /// The stencil of each pixel, if the format has it.
    pub fn stencil(&self) -> Option<&[u8]> {
        self.stencil.as_deref()
    }
}

impl Surface {
    /// Width and height.
    pub fn size(&self) -> Size {
        match self {
            Self::Color(picture) => picture.size(),
            Self::Depth(map) => map.size,
        }
    }

    /// What a picture shows of it: colour as it is; depth as grey, 0 black and 1 white, what is outside as the nearest.
    pub fn picture(&self) -> Picture {
        match self {
            Self::Color(picture) => picture.clone(),
            Self::Depth(map) => Picture::of_grey(map.size, map.depth.iter().copied().map(grey)),
        }
    }

    /// Its identity, to the last bit: of colour the picture's, of depth SHA-256 over `u32le width ‖ u32le height ‖ depth as
    /// f32le ‖ stencil`.
    pub fn hash(&self) -> PictureHash {
        let DepthMap { size, depth, stencil } = match self {
            Self::Color(picture) => return picture.hash(),
            Self::Depth(map) => map,
        };
        let mut hasher = Sha256::new();
        hasher.update(size.width_px.to_le_bytes());
        hasher.update(size.height_px.to_le_bytes());
        depth.iter().for_each(|depth| hasher.update(depth.to_le_bytes()));
        hasher.update(stencil.as_deref().unwrap_or_default());
        PictureHash(hasher.finalize().into())
    }
}

/// The shade of a depth, rounded to the nearest. `shaders/show_depth.wgsl` does the same.
fn grey(depth: f32) -> u8 {
    (depth.clamp(0.0, 1.0) * 255.0 + 0.5).floor() as u8
}
