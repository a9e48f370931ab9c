//! File formats of pictures, by the end of a file's name or by how a file begins.
//!
//! | name ends in | holds | of depth |
//! |---|---|---|
//! | `.png`, `.tif`, `.tiff`, `.webp`, `.qoi` | RGBA8, without loss | grey |
//! | `.rgba`, `.raw` | the rows alone | grey |
//! | `.exr` | OpenEXR: R, G, B and A as 32-bit floats, a step of colour being 1/255 | Z as 32-bit floats, and `stencil` as integers |
//! | `.npy` | NumPy's array ([`super::write_npy`]) | 32-bit floats |
//!
//! | `.dds`, `.ktx2` | a texture with its mips and layers, in its own format ([`TextureImage`]) | 32-bit floats |
//!
//! Colours are written as the GPU holds them: nothing says which curve they follow, and alpha is not multiplied in, although
//! readers of OpenEXR expect both.
//!
//! Without the feature `pictures`, TIFF, WebP, QOI and OpenEXR are refused.

mod dds;
#[cfg(feature = "pictures")]
mod exr;
mod ktx2;
#[cfg(not(feature = "pictures"))]
mod left_out;
#[cfg(feature = "pictures")]
mod rgba8;
mod stored_file;
mod texel_format;
mod texture_image;

#[cfg(not(feature = "pictures"))]
use self::left_out::{exr, rgba8};

pub use self::stored_file::{StoredFile, read_stored};
pub use self::texel_format::{TexelFormat, TexelLayout};
pub use self::texture_image::{TextureImage, TextureShape, encode_texels};

#[cfg(feature = "pictures")]
use std::io::Cursor;
use std::io::{BufRead, Read, Seek, Write};
use std::path::Path;

use super::file::{PictureFileError, read_png, write_png, write_raw};
use super::npy::{read_npy, write_npy};
use super::picture::Picture;
use super::surface::Surface;

/// File format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// PNG.
    Png,
    /// Rows of RGBA8 without a header.
    Raw,
    /// Array of NumPy.
    Npy,
    /// TIFF.
    Tiff,
    /// Lossless WebP.
    WebP,
    /// QOI.
    Qoi,
    /// OpenEXR.
    Exr,
}

/// Formats and the ends of their files' names, the usual one first.
const FORMATS: [(PictureFormat, &[&str]); 7] = [
    (PictureFormat::Png, &["png"]),
    (PictureFormat::Raw, &["rgba", "raw"]),
    (PictureFormat::Npy, &["npy"]),
    (PictureFormat::Exr, &["exr"]),
    (PictureFormat::Tiff, &["tiff", "tif"]),
    (PictureFormat::WebP, &["webp"]),
    (PictureFormat::Qoi, &["qoi"]),
];

/// The bytes that decide which format a file has.
const MAGIC_BYTES: usize = 12;

impl PictureFormat {
    /// Format by the extension of a file's name, in any case.
    pub fn of_extension(extension: &str) -> Option<Self> {
        let named = |(_, names): &&(Self, &[&str])| names.iter().any(|name| extension.eq_ignore_ascii_case(name));
        FORMATS.iter().find(named).map(|(format, _)| *format)
    }

    /// Format by the end of a file's name.
    pub fn of_path(path: &Path) -> Option<Self> {
        Self::of_extension(path.extension()?.to_str()?)
    }

    /// Extension of its files.
    pub fn extension(self) -> &'static str {
        let names = FORMATS.iter().find(|(format, _)| *format == self).and_then(|(_, names)| names.first());
        names.copied().unwrap_or("png")
    }

    /// Whether depth keeps its numbers, instead of becoming grey.
    pub fn keeps_depth(self) -> bool {
        matches!(self, Self::Npy | Self::Exr)
    }

    /// Writes `surface`; `texts` become the text chunks of a PNG.
    pub fn write(
        self,
        surface: &Surface,
        texts: &[(String, String)],
        into: &mut dyn Write,
    ) -> Result<(), PictureFileError> {
        match self {
            Self::Png => write_png(&surface.picture(), texts, into),
            Self::Raw => write_raw(&surface.picture(), into),
            Self::Npy => write_npy(surface, into),
            Self::Exr => exr::write(surface, into),
            Self::Tiff => rgba8::write(&surface.picture(), Rgba8Format::Tiff, into),
            Self::WebP => rgba8::write(&surface.picture(), Rgba8Format::WebP, into),
            Self::Qoi => rgba8::write(&surface.picture(), Rgba8Format::Qoi, into),
        }
    }
}

/// A format of RGBA8 alone that is no PNG.
#[derive(Clone, Copy)]
enum Rgba8Format {
    Tiff,
    WebP,
    Qoi,
}

impl Rgba8Format {
    fn name(self) -> &'static str {
        match self {
            Self::Tiff => "TIFF",
            Self::WebP => "WebP",
            Self::Qoi => "QOI",
        }
    }
}

/// File format of a texture with all of its mips and layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureFileFormat {
    /// DirectDraw Surface.
    Dds,
    /// Khronos Texture 2.
    Ktx2,
}

impl TextureFileFormat {
    /// Format by the end of a file's name.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        let named = [("dds", Self::Dds), ("ktx2", Self::Ktx2)];
        named.into_iter().find(|(name, _)| extension.eq_ignore_ascii_case(name)).map(|(_, format)| format)
    }

    /// Writes a texture.
    pub fn write(self, image: &TextureImage, into: &mut dyn Write) -> Result<(), PictureFileError> {
        match self {
            Self::Dds => dds::write(image, into),
            Self::Ktx2 => ktx2::write(image, into),
        }
    }
}

/// Reads a picture of any format but raw rows; its first bytes say which. Depth is refused: in 8 bits it would not be what
/// the file holds.
pub fn read_picture(mut from: impl BufRead + Seek) -> Result<Picture, PictureFileError> {
    let mut magic = Vec::new();
    from.by_ref().take(MAGIC_BYTES as u64).read_to_end(&mut magic).map_err(PictureFileError::Read)?;
    from.rewind().map_err(PictureFileError::Read)?;
    match magic.get(..) {
        Some([b'q', b'o', b'i', b'f', ..]) => rgba8::read(from, Rgba8Format::Qoi),
        Some([b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..]) => rgba8::read(from, Rgba8Format::Tiff),
        Some([b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P']) => rgba8::read(from, Rgba8Format::WebP),
        Some([0x76, 0x2f, 0x31, 0x01, ..]) => exr::read(from).and_then(color),
        Some([0x93, b'N', b'U', b'M', b'P', b'Y', ..]) => read_npy(from).and_then(color),
        _ => read_png(from),
    }
}

fn color(surface: Surface) -> Result<Picture, PictureFileError> {
    match surface {
        Surface::Color(picture) => Ok(picture),
        Surface::Depth(_) => Err(PictureFileError::Depth),
    }
}

/// A writer that can seek, whose bytes then go to `into`: some encoders go back to fill in a length.
#[cfg(feature = "pictures")]
fn write_seeking(
    into: &mut dyn Write,
    write: impl FnOnce(&mut Cursor<Vec<u8>>) -> Result<(), PictureFileError>,
) -> Result<(), PictureFileError> {
    let mut whole = Cursor::new(Vec::new());
    write(&mut whole)?;
    Ok(into.write_all(whole.get_ref())?)
}

#[cfg(test)]
#[cfg(feature = "pictures")]
mod tests;
