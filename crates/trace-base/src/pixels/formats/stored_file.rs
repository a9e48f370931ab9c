//! Files of pictures and textures, read with all that they hold.

use std::io::{BufRead, Read, Seek};

use super::texture_image::TextureImage;
use super::{dds, exr, ktx2, read_picture};
use crate::limits::MAX_PICTURE_BYTES;
use crate::pixels::file::PictureFileError;
use crate::pixels::float_image::FloatImage;
use crate::pixels::npy::read_npy;
use crate::pixels::stored_picture::StoredPicture;
use crate::pixels::surface::Surface;

/// Bytes of headers, descriptors and keys of a texture's file beside its texels.
const MOST_HEADER_BYTES: u64 = 1 << 20;

/// A file of one picture, or of a texture.
#[derive(Clone)]
pub enum StoredFile {
    /// One picture.
    One(StoredPicture),
    /// Mips and layers.
    Texture(TextureImage),
}

impl StoredFile {
    /// Mips of each layer, and layers.
    pub fn extent(&self) -> [u32; 2] {
        match self {
            Self::One(_) => [1, 1],
            Self::Texture(image) => [image.shape().mips, image.shape().layers],
        }
    }

    /// A mip of a layer.
    pub fn picture(&self, mip: u32, layer: u32) -> Result<StoredPicture, PictureFileError> {
        match self {
            Self::One(picture) => Ok(picture.clone()),
            Self::Texture(image) => image.picture(mip, layer),
        }
    }
}

/// Reads a file of any format but raw rows; its first bytes say which.
pub fn read_stored(mut from: impl BufRead + Seek) -> Result<StoredFile, PictureFileError> {
    let mut magic = Vec::new();
    from.by_ref().take(super::MAGIC_BYTES as u64).read_to_end(&mut magic).map_err(PictureFileError::Read)?;
    from.rewind().map_err(PictureFileError::Read)?;
    let one = |surface: Surface| {
        StoredFile::One(match surface {
            Surface::Color(picture) => StoredPicture::Color(picture),
            Surface::Depth(map) => StoredPicture::Floats(FloatImage::of_depth(&map)),
        })
    };
    match magic.get(..) {
        Some([b'D', b'D', b'S', b' ', ..]) => Ok(StoredFile::Texture(dds::read(&whole(from)?)?)),
        Some([0xab, b'K', b'T', b'X', b' ', b'2', b'0', 0xbb, ..]) => {
            Ok(StoredFile::Texture(ktx2::read(&whole(from)?)?))
        }
        Some([0x76, 0x2f, 0x31, 0x01, ..]) => Ok(StoredFile::One(exr::read_stored(from)?)),
        Some([0x93, b'N', b'U', b'M', b'P', b'Y', ..]) => Ok(one(read_npy(from)?)),
        _ => Ok(one(Surface::Color(read_picture(from)?))),
    }
}

/// All bytes of a file, if they are no more than a texture may have.
fn whole(from: impl Read) -> Result<Vec<u8>, PictureFileError> {
    let limit = MAX_PICTURE_BYTES + MOST_HEADER_BYTES;
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes).map_err(PictureFileError::Read)?;
    if bytes.len() as u64 > limit {
        return Err(PictureFileError::FileTooLong { limit });
    }
    Ok(bytes)
}
