//! Pictures as files.

use std::io::{self, BufRead, Seek, Write};

use thiserror::Error;

use super::float_image::FloatImageError;
use super::picture::{Picture, PictureError, Size};
use super::samples::to_rgba8;
use crate::error::{Classified, ErrorKind};
use crate::limits::MAX_PICTURE_BYTES;
use crate::text::counted;

/// Why a picture could not be read or written.
#[derive(Debug, Error)]
pub enum PictureFileError {
    /// The file is no PNG, or a broken one.
    #[error("cannot read the PNG: {0}")]
    Decode(png::DecodingError),
    /// The PNG could not be written.
    #[error("cannot write the PNG: {0}")]
    Encode(png::EncodingError),
    /// The file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A picture of more than we could hold without loss.
    #[error("the picture has more than 8 bits per channel: expected at most 8, the most that is kept exactly")]
    SixteenBits,
    /// A palette PNG with a pixel of no colour.
    #[error("the PNG has a pixel of palette colour {index}: expected one below {colors}, the size of its palette")]
    OutsidePalette {
        /// The pixel's colour.
        index: u8,
        /// Number of colours in the palette.
        colors: usize,
    },
    /// A PNG whose rows are not as long as its header says.
    #[error("cannot read the PNG: {0}")]
    Rows(PictureError),
    /// A file could not be read.
    #[error("cannot read the picture: {0}")]
    Read(io::Error),
    /// A file of another format that its library could not read or write.
    #[error("cannot {action} the {name}: {reason}")]
    Format {
        /// Name of the format.
        name: &'static str,
        /// `read` or `write`.
        action: &'static str,
        /// Message of the library.
        reason: String,
    },
    /// A file of a format that only builds with the feature `pictures` read and write.
    #[error("{name} is not in this build: expected one with the feature `pictures`")]
    LeftOut {
        /// Name of the format.
        name: &'static str,
    },
    /// A file of textures that is damaged.
    #[error("cannot read the {name}: {reason}, at offset {offset:#x}")]
    Texture {
        /// Name of the format.
        name: &'static str,
        /// Where in the file.
        offset: u64,
        /// The damage.
        reason: String,
    },
    /// A texture of a format that its file cannot have, or that is not read.
    #[error(
        "the {name} is {format}: expected a texture of 8 bits a channel, of 32-bit floats or of blocks of BC1 to BC7"
    )]
    TexelFormat {
        /// Name of the file's format.
        name: &'static str,
        /// The texture's format.
        format: String,
    },
    /// A texture that cannot be.
    #[error(
        "the texture of {size} with {of_mips} and {of_layers} has {found}: expected one that a GPU could hold",
        of_mips = counted(.mips, "mip"),
        of_layers = counted(.layers, "layer")
    )]
    TextureShape {
        /// Size of the largest mip.
        size: Size,
        /// Mips.
        mips: u32,
        /// Layers.
        layers: u32,
        /// The rule that the shape breaks.
        found: &'static str,
    },
    /// A texture whose texels are not as many as its size says.
    #[error("the texture has {bytes} of texels: expected {expected}", bytes = counted(.found, "byte"))]
    TexelBytes {
        /// By its size.
        expected: u64,
        /// As it is.
        found: u64,
    },
    /// A texture that would not fit in memory.
    #[error(
        "the texture is {size} with {of_mips} and {of_layers}, {bytes}: this build's limit is {MAX_PICTURE_BYTES}",
        of_mips = counted(.mips, "mip"),
        of_layers = counted(.layers, "layer"),
        bytes = counted(.total_bytes, "byte")
    )]
    TextureTooLarge {
        /// Size of the largest mip.
        size: Size,
        /// Mips.
        mips: u32,
        /// Layers.
        layers: u32,
        /// Bytes of all of them.
        total_bytes: u64,
    },
    /// A file of a texture that is longer than one can be.
    #[error("the file has more than {limit} bytes, this build's limit for a texture: expected fewer")]
    FileTooLong {
        /// The limit.
        limit: u64,
    },
    /// Floats that do not fill their picture.
    #[error(transparent)]
    Floats(#[from] FloatImageError),
    /// A file of depth where a picture of colours is expected.
    #[error("the file holds depth: expected colours of 8 bits a channel")]
    Depth,
    /// A file that is no array as we write them.
    #[error("cannot read the .npy: {reason}")]
    Array {
        /// The damage.
        reason: &'static str,
    },
    /// A picture that would not fit in memory.
    #[error(
        "the picture is {size}, {} of pixels: this build's limit is {MAX_PICTURE_BYTES}",
        counted(size.rgba_bytes(), "byte")
    )]
    TooLarge {
        /// Its size.
        size: Size,
    },
}

impl Classified for PictureFileError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Encode(_) | Self::Io(_) | Self::Format { action: "write", .. } => ErrorKind::WriteFailed,
            Self::Read(_) => ErrorKind::ReadFailed,
            Self::TooLarge { .. } | Self::TextureTooLarge { .. } | Self::FileTooLong { .. } => ErrorKind::OverLimit,
            Self::SixteenBits | Self::Depth | Self::TexelFormat { .. } | Self::LeftOut { .. } => ErrorKind::Unsupported,
            Self::Decode(_)
            | Self::OutsidePalette { .. }
            | Self::Rows(_)
            | Self::Array { .. }
            | Self::Texture { .. }
            | Self::TextureShape { .. }
            | Self::TexelBytes { .. }
            | Self::Floats(_)
            | Self::Format { .. } => ErrorKind::Malformed,
        }
    }

    fn offset(&self) -> Option<u64> {
        match self {
            Self::Texture { offset, .. } => Some(*offset),
            _ => None,
        }
    }
}

impl From<PictureError> for PictureFileError {
    fn from(error: PictureError) -> Self {
        Self::Rows(error)
    }
}

impl From<png::DecodingError> for PictureFileError {
    fn from(error: png::DecodingError) -> Self {
        Self::Decode(error)
    }
}

impl From<png::EncodingError> for PictureFileError {
    fn from(error: png::EncodingError) -> Self {
        Self::Encode(error)
    }
}

/// Writes a picture as an 8-bit RGBA PNG. `texts` become its text chunks: keyword and
/// text.
///
/// There is no colour profile or gamma chunk: the bytes are what the GPU wrote.
pub fn write_png(picture: &Picture, texts: &[(String, String)], into: impl Write) -> Result<(), PictureFileError> {
    let mut encoder = png::Encoder::new(into, picture.size().width_px, picture.size().height_px);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    for (keyword, text) in texts {
        // tEXt is Latin-1, iTXt is UTF-8.
        if text.is_ascii() {
            encoder.add_text_chunk(keyword.clone(), text.clone())?;
        } else {
            encoder.add_itxt_chunk(keyword.clone(), text.clone())?;
        }
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(picture.rgba())?;
    Ok(writer.finish()?)
}

/// Writes the rows alone: 4 bytes per pixel, top row first, no header.
pub fn write_raw(picture: &Picture, mut into: impl Write) -> Result<(), PictureFileError> {
    into.write_all(picture.rgba())?;
    Ok(into.flush()?)
}

/// Reads a PNG of any kind that is RGBA8 without loss; which are stands in `samples.rs`.
pub fn read_png(from: impl BufRead + Seek) -> Result<Picture, PictureFileError> {
    let mut decoder = png::Decoder::new_with_limits(from, png::Limits { bytes: MAX_PICTURE_BYTES as usize });
    decoder.set_transformations(png::Transformations::IDENTITY);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_ignore_text_chunk(true);
    let mut reader = decoder.read_info()?;
    let info = reader.info();
    let size = Size { width_px: info.width, height_px: info.height };
    if info.bit_depth == png::BitDepth::Sixteen {
        return Err(PictureFileError::SixteenBits);
    }
    if size.rgba_bytes() > MAX_PICTURE_BYTES {
        return Err(PictureFileError::TooLarge { size });
    }
    // Nothing is longer than RGBA8, which fits.
    let mut rows = vec![0; reader.output_buffer_size().ok_or(PictureFileError::TooLarge { size })?];
    reader.next_frame(&mut rows)?;
    reader.finish()?;
    Ok(Picture::new(size, to_rgba8(reader.info(), rows)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn picture() -> Picture {
        Picture::new(Size { width_px: 3, height_px: 2 }, (0..24).map(|n| n * 10).collect()).unwrap()
    }

    #[test]
    fn a_png_comes_back_bit_for_bit() {
        let mut bytes = Vec::new();
        write_png(&picture(), &[("Software".into(), "test".into())], &mut bytes).unwrap();
        assert_eq!(read_png(Cursor::new(&bytes)).unwrap(), picture());
        assert!(bytes.windows(13).any(|window| window == b"Software\0test"));
    }

    /// A PNG of these rows, encoded by the library; `see_through` is its tRNS chunk.
    fn encoded(kind: (png::ColorType, png::BitDepth), size: [u32; 2], see_through: &[u8], rows: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
        encoder.set_color(kind.0);
        encoder.set_depth(kind.1);
        if kind.0 == png::ColorType::Indexed {
            encoder.set_palette(vec![1, 2, 3, 250, 251, 252, 7, 8, 9]);
        }
        if !see_through.is_empty() {
            encoder.set_trns(see_through.to_vec());
        }
        // A reader that heeded it would change every byte.
        encoder.set_source_gamma(png::ScaledFloat::from_scaled(100_000));
        encoder.write_header().unwrap().write_image_data(rows).unwrap();
        bytes
    }

    #[test]
    fn every_kind_that_fits_in_rgba8_is_read_without_loss() {
        use png::{BitDepth::*, ColorType::*};
        const WHITE: [u8; 4] = [255; 4];
        const BLACK: [u8; 4] = [0, 0, 0, 255];
        /// Kind, size, tRNS, rows, and the pixels they mean.
        type Case = ((png::ColorType, png::BitDepth), [u32; 2], &'static [u8], &'static [u8], &'static [[u8; 4]]);
        let cases: &[Case] = &[
            ((Rgba, Eight), [1, 1], &[], &[9, 8, 7, 6], &[[9, 8, 7, 6]]),
            ((Rgb, Eight), [2, 1], &[], &[9, 8, 7, 1, 2, 3], &[[9, 8, 7, 255], [1, 2, 3, 255]]),
            ((Rgb, Eight), [2, 1], &[0, 1, 0, 2, 0, 3], &[9, 8, 7, 1, 2, 3], &[[9, 8, 7, 255], [1, 2, 3, 0]]),
            ((Grayscale, Eight), [1, 2], &[], &[9, 200], &[[9, 9, 9, 255], [200, 200, 200, 255]]),
            ((Grayscale, Eight), [1, 2], &[0, 200], &[9, 200], &[[9, 9, 9, 255], [200, 200, 200, 0]]),
            ((GrayscaleAlpha, Eight), [2, 1], &[], &[9, 1, 200, 0], &[[9, 9, 9, 1], [200, 200, 200, 0]]),
            // Rows end in the middle of a byte.
            ((Grayscale, One), [3, 2], &[], &[0b1010_0000, 0b0110_0000], &[WHITE, BLACK, WHITE, BLACK, WHITE, WHITE]),
            ((Grayscale, Two), [3, 1], &[], &[0b0001_1100], &[BLACK, [85, 85, 85, 255], WHITE]),
            ((Grayscale, Two), [3, 1], &[0, 1], &[0b0001_1100], &[BLACK, [85, 85, 85, 0], WHITE]),
            ((Grayscale, Four), [3, 1], &[], &[0x0a, 0xf0], &[BLACK, [170, 170, 170, 255], WHITE]),
            ((Indexed, Eight), [2, 1], &[], &[2, 1], &[[7, 8, 9, 255], [250, 251, 252, 255]]),
            ((Indexed, Four), [3, 1], &[5, 6], &[0x01, 0x20], &[[1, 2, 3, 5], [250, 251, 252, 6], [7, 8, 9, 255]]),
            ((Indexed, Two), [2, 1], &[5], &[0b0010_0000], &[[1, 2, 3, 5], [7, 8, 9, 255]]),
            ((Indexed, One), [2, 1], &[], &[0b0100_0000], &[[1, 2, 3, 255], [250, 251, 252, 255]]),
        ];
        for (kind, size, see_through, rows, expected) in cases {
            let png = encoded(*kind, *size, see_through, rows);
            let picture = read_png(Cursor::new(png)).unwrap_or_else(|error| panic!("{kind:?}: {error}"));
            assert_eq!(picture.size(), Size { width_px: size[0], height_px: size[1] });
            assert_eq!(picture.rgba().as_chunks().0, *expected, "{kind:?}, tRNS {see_through:?}");
        }
    }

    #[test]
    fn what_is_not_exact_or_no_picture_is_refused_by_name() {
        use png::{BitDepth::*, ColorType::*};
        let error =
            |kind, rows: &[u8]| read_png(Cursor::new(encoded(kind, [1, 1], &[], rows))).unwrap_err().to_string();
        for kind in [Grayscale, GrayscaleAlpha, Rgb, Rgba] {
            let text = error((kind, Sixteen), &[0; 8][..kind.samples() * 2]);
            assert_eq!(
                text,
                "the picture has more than 8 bits per channel: expected at most 8, the most that is kept exactly"
            );
        }
        let outside = "the PNG has a pixel of palette colour 3: expected one below 3, the size of its palette";
        assert_eq!(error((Indexed, Eight), &[3]), outside);
        assert!(matches!(read_png(Cursor::new(b"no png")).unwrap_err(), PictureFileError::Decode(_)));
    }
}
