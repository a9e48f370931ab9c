//! An RGBA8 picture and its identity.

use std::fmt;

use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::error::{Classified, ErrorKind};
use crate::text::counted;

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Pixels in a row.
    pub width_px: u32,
    /// Rows.
    pub height_px: u32,
}

impl Size {
    /// Number of pixels.
    pub fn pixels(self) -> u64 {
        u64::from(self.width_px) * u64::from(self.height_px)
    }

    /// Length of its RGBA8 rows in bytes.
    pub fn rgba_bytes(self) -> u64 {
        self.pixels().saturating_mul(4)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width_px, self.height_px)
    }
}

/// Rows that do not fill the size they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a picture of {size} has {found_bytes}: expected {}", size.rgba_bytes(), found_bytes = counted(.found, "byte"))]
pub struct PictureError {
    /// The claimed size.
    pub size: Size,
    /// The number of bytes found.
    pub found: u64,
}

impl Classified for PictureError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Malformed
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

/// RGBA8 with straight alpha, top row first, rows tight.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    size: Size,
    rgba: Vec<u8>,
}

impl Picture {
    /// A picture of these rows.
    pub fn new(size: Size, rgba: Vec<u8>) -> Result<Self, PictureError> {
        if rgba.len() as u64 != size.rgba_bytes() {
            return Err(PictureError { size, found: rgba.len() as u64 });
        }
        Ok(Self { size, rgba })
    }

    /// An opaque grey picture; black where there are fewer shades than pixels.
    pub(super) fn of_grey(size: Size, shades: impl Iterator<Item = u8>) -> Self {
        let mut rgba: Vec<u8> = shades.flat_map(|shade| [shade, shade, shade, 255]).collect();
        rgba.resize(size.rgba_bytes() as usize, 0);
        Self { size, rgba }
    }

    /// Width and height.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The rows, 4 bytes per pixel, top first.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// The pixel in column `x` of row `y`, if it is inside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        if x >= self.size.width_px {
            return None;
        }
        let index = usize::try_from(u64::from(y) * u64::from(self.size.width_px) + u64::from(x)).ok()?;
        self.rgba.as_chunks::<4>().0.get(index).copied()
    }

    /// The picture's identity: SHA-256 over `u32le width ‖ u32le height ‖ rows`.
    pub fn hash(&self) -> PictureHash {
        let mut hasher = Sha256::new();
        hasher.update(self.size.width_px.to_le_bytes());
        hasher.update(self.size.height_px.to_le_bytes());
        hasher.update(&self.rgba);
        PictureHash(hasher.finalize().into())
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {})", self.size, self.hash())
    }
}

/// SHA-256 of a picture; prints as 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PictureHash(pub [u8; 32]);

impl fmt::Display for PictureHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for PictureHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_must_fill_the_size() {
        let size = Size { width_px: 2, height_px: 2 };
        let error = Picture::new(size, vec![0; 15]).unwrap_err();
        assert_eq!(error.to_string(), "a picture of 2x2 has 15 bytes: expected 16");
    }

    #[test]
    fn the_size_is_part_of_the_hash() {
        let wide = Picture::new(Size { width_px: 4, height_px: 1 }, vec![7; 16]).unwrap();
        let high = Picture::new(Size { width_px: 1, height_px: 4 }, vec![7; 16]).unwrap();
        assert_ne!(wide.hash(), high.hash());
        assert_eq!((wide.pixel(3, 0), wide.pixel(4, 0), wide.pixel(0, 1)), (Some([7; 4]), None, None));
    }

    #[test]
    fn the_hash_is_sha_256_of_sizes_and_rows() {
        // printf '\1\0\0\0\1\0\0\0\377\0\0\377' | sha256sum
        let red = Picture::new(Size { width_px: 1, height_px: 1 }, vec![255, 0, 0, 255]).unwrap();
        assert_eq!(red.hash().to_string(), "13bcb8ce473c0f3a35f99858ac02337bec3c45707b819236f0542b6cd34144c9");
    }
}
