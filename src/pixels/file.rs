//! Pictures as files.

use std::io::{self, BufRead, Seek, Write};

use thiserror::Error;

use super::picture::{Picture, Size};
use crate::bytes::limits::MAX_PICTURE_BYTES;

/// Why a picture could not be read or written.
#[derive(Debug, Error)]
pub enum PictureFileError {
    /// The file is no PNG, or a broken one.
    #[error("cannot read the PNG: {0}")]
    Decode(#[from] png::DecodingError),
    /// The PNG could not be written.
    #[error("cannot write the PNG: {0}")]
    Encode(#[from] png::EncodingError),
    /// The file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A PNG of another pixel format than the one we write.
    #[error("the PNG has {found}: expected 8 bits a channel, RGBA")]
    UnsupportedFormat {
        /// Its pixel format in words.
        found: String,
    },
    /// A PNG that would not fit in memory.
    #[error("the PNG is {size}, {} bytes of pixels: this build's limit is {MAX_PICTURE_BYTES}", size.rgba_bytes())]
    TooLarge {
        /// Its size.
        size: Size,
    },
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

/// Writes the rows alone: 4 bytes a pixel, top row first, no header.
pub fn write_raw(picture: &Picture, mut into: impl Write) -> Result<(), PictureFileError> {
    into.write_all(picture.rgba())?;
    Ok(into.flush()?)
}

/// Reads an 8-bit RGBA PNG.
pub fn read_png(from: impl BufRead + Seek) -> Result<Picture, PictureFileError> {
    let mut decoder = png::Decoder::new_with_limits(from, png::Limits { bytes: MAX_PICTURE_BYTES as usize });
    decoder.set_transformations(png::Transformations::IDENTITY);
    let mut reader = decoder.read_info()?;
    let info = reader.info();
    let size = Size { width_px: info.width, height_px: info.height };
    if (info.color_type, info.bit_depth) != (png::ColorType::Rgba, png::BitDepth::Eight) {
        let found = format!("{:?} bits a channel, {:?}", info.bit_depth, info.color_type);
        return Err(PictureFileError::UnsupportedFormat { found });
    }
    if size.rgba_bytes() > MAX_PICTURE_BYTES {
        return Err(PictureFileError::TooLarge { size });
    }
    let mut rgba = vec![0; size.rgba_bytes() as usize];
    reader.next_frame(&mut rgba)?;
    reader.finish()?;
    Picture::new(size, rgba).map_err(|error| PictureFileError::UnsupportedFormat { found: error.to_string() })
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

    #[test]
    fn other_pngs_are_refused_by_name() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[0]).unwrap();
        let error = read_png(Cursor::new(&bytes)).unwrap_err();
        assert_eq!(error.to_string(), "the PNG has Eight bits a channel, Grayscale: expected 8 bits a channel, RGBA");
        assert!(matches!(read_png(Cursor::new(b"no png")).unwrap_err(), PictureFileError::Decode(_)));
    }
}
