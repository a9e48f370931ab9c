//! TIFF, WebP and QOI: RGBA8 in, RGBA8 out.

use std::io::{BufRead, Seek, Write};

use image::{DynamicImage, ExtendedColorType, ImageFormat, ImageReader, Limits};

use super::{Rgba8Format, write_seeking};
use crate::limits::MAX_PICTURE_BYTES;
use crate::pixels::file::PictureFileError;
use crate::pixels::picture::{Picture, Size};

/// Writes a picture.
pub(super) fn write(picture: &Picture, format: Rgba8Format, into: &mut dyn Write) -> Result<(), PictureFileError> {
    let Size { width_px, height_px } = picture.size();
    write_seeking(into, |whole| {
        let color = ExtendedColorType::Rgba8;
        image::write_buffer_with_format(whole, picture.rgba(), width_px, height_px, color, of_image(format)).map_err(
            |error| PictureFileError::Format { name: format.name(), action: "write", reason: error.to_string() },
        )
    })
}

/// Reads a picture of at most 8 bits a channel.
pub(super) fn read(from: impl BufRead + Seek, format: Rgba8Format) -> Result<Picture, PictureFileError> {
    let failed = |error: image::ImageError| PictureFileError::Format {
        name: format.name(),
        action: "read",
        reason: error.to_string(),
    };
    let mut reader = ImageReader::with_format(from, of_image(format));
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_PICTURE_BYTES);
    reader.limits(limits);
    let image = reader.decode().map_err(failed)?;
    let size = Size { width_px: image.width(), height_px: image.height() };
    if size.rgba_bytes() > MAX_PICTURE_BYTES {
        return Err(PictureFileError::TooLarge { size });
    }
    match image {
        DynamicImage::ImageLuma8(_)
        | DynamicImage::ImageLumaA8(_)
        | DynamicImage::ImageRgb8(_)
        | DynamicImage::ImageRgba8(_) => Ok(Picture::new(size, image.into_rgba8().into_raw())?),
        _ => Err(PictureFileError::SixteenBits),
    }
}

fn of_image(format: Rgba8Format) -> ImageFormat {
    match format {
        Rgba8Format::Tiff => ImageFormat::Tiff,
        Rgba8Format::WebP => ImageFormat::WebP,
        Rgba8Format::Qoi => ImageFormat::Qoi,
    }
}
