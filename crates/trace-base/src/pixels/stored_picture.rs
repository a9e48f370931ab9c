//! A picture with all that its file holds.

use super::float_image::FloatImage;
use super::picture::{Picture, Size};

/// Colours of 8 bits a channel, or floats.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredPicture {
    /// Colours.
    Color(Picture),
    /// Depth, or colours that are no steps of 1/255.
    Floats(FloatImage),
}

impl StoredPicture {
    /// Width and height.
    pub fn size(&self) -> Size {
        match self {
            Self::Color(picture) => picture.size(),
            Self::Floats(floats) => floats.size(),
        }
    }

    /// Whether it holds depth instead of colours.
    pub fn is_depth(&self) -> bool {
        matches!(self, Self::Floats(floats) if floats.is_depth())
    }
}
