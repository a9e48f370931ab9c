//! A texture with all of its mips and layers, as a file holds it.

use super::texel_format::{TexelFormat, TexelLayout};
use crate::limits::MAX_PICTURE_BYTES;
use crate::pixels::file::PictureFileError;
use crate::pixels::float_image::FloatImage;
use crate::pixels::picture::{Picture, Size};
use crate::pixels::stored_picture::StoredPicture;
use crate::pixels::surface::Surface;

/// Texels along a side: four times what GPUs have.
const MOST_TEXELS_ACROSS: u32 = 1 << 16;

/// Mips and layers of a texture. Its texels lie layer after layer, in each the mips from the largest on, in tight rows.
#[derive(Clone, PartialEq, Eq)]
pub struct TextureImage {
    shape: TextureShape,
    bytes: Vec<u8>,
}

/// Format and extent of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureShape {
    /// Format of its texels.
    pub format: TexelFormat,
    /// Width and height of the largest mip.
    pub size: Size,
    /// Mips of each layer.
    pub mips: u32,
    /// Layers; of cubes all of their faces.
    pub layers: u32,
    /// Whether each six layers are the faces of a cube: +X, -X, +Y, -Y, +Z, -Z.
    pub is_cube: bool,
}

impl TextureShape {
    /// Width and height of a mip.
    pub fn mip_size(self, mip: u32) -> Size {
        let side = |side: u32| side.checked_shr(mip).unwrap_or(0).max(1);
        Size { width_px: side(self.size.width_px), height_px: side(self.size.height_px) }
    }

    /// Bytes of a mip of one layer.
    pub fn part_bytes(self, mip: u32) -> u64 {
        let Size { width_px, height_px } = self.mip_size(mip);
        self.format.part_bytes([width_px, height_px])
    }

    /// Bytes of all mips of a layer.
    fn layer_bytes(self) -> u64 {
        (0..self.mips).fold(0, |sum: u64, mip| sum.saturating_add(self.part_bytes(mip)))
    }

    /// Bytes of all layers, if the texture is one that there can be, and no larger than is held in memory.
    pub fn total_bytes(self) -> Result<u64, PictureFileError> {
        let longest = self.size.width_px.max(self.size.height_px);
        let most_mips = u32::BITS - longest.leading_zeros();
        let found = match () {
            () if longest > MOST_TEXELS_ACROSS => "a side of more than 65536 texels",
            () if self.size.width_px == 0 || self.size.height_px == 0 => "no texels",
            () if self.mips == 0 || self.mips > most_mips => "no mips, or more than its size allows",
            () if self.layers == 0 => "no layers",
            () if self.is_cube && (!self.layers.is_multiple_of(6) || self.size.width_px != self.size.height_px) => {
                "cube faces that are not square, or not six per cube"
            }
            () => {
                let total = self.layer_bytes().saturating_mul(u64::from(self.layers));
                return if total <= MAX_PICTURE_BYTES { Ok(total) } else { Err(self.too_large(total)) };
            }
        };
        Err(PictureFileError::TextureShape { size: self.size, mips: self.mips, layers: self.layers, found })
    }

    fn too_large(self, total_bytes: u64) -> PictureFileError {
        PictureFileError::TextureTooLarge { size: self.size, mips: self.mips, layers: self.layers, total_bytes }
    }

    /// Where a mip of a layer lies among all bytes.
    pub(super) fn part_start(self, mip: u32, layer: u32) -> u64 {
        let before = (0..mip).fold(0, |sum: u64, mip| sum.saturating_add(self.part_bytes(mip)));
        self.layer_bytes().saturating_mul(u64::from(layer)).saturating_add(before)
    }
}

impl TextureImage {
    /// A texture of these texels.
    pub fn new(shape: TextureShape, bytes: Vec<u8>) -> Result<Self, PictureFileError> {
        let expected = shape.total_bytes()?;
        if bytes.len() as u64 != expected {
            return Err(PictureFileError::TexelBytes { expected, found: bytes.len() as u64 });
        }
        Ok(Self { shape, bytes })
    }

    /// Format and extent.
    pub fn shape(&self) -> TextureShape {
        self.shape
    }

    /// All texels.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The texels of a mip of a layer; none of one that it does not have.
    pub fn part(&self, mip: u32, layer: u32) -> &[u8] {
        if mip >= self.shape.mips || layer >= self.shape.layers {
            return &[];
        }
        let start = self.shape.part_start(mip, layer);
        let end = start.saturating_add(self.shape.part_bytes(mip));
        // All of them are no more than memory holds.
        self.bytes.get(start as usize..end as usize).unwrap_or_default()
    }

    /// A mip of a layer as colours or numbers.
    pub fn picture(&self, mip: u32, layer: u32) -> Result<StoredPicture, PictureFileError> {
        let size = self.shape.mip_size(mip);
        // Blocks hold an eighth of what they become, or a third.
        if size.rgba_bytes() > MAX_PICTURE_BYTES {
            return Err(PictureFileError::TooLarge { size });
        }
        decode(self.shape.format, size, self.part(mip, layer))
    }
}

/// The texels of `surface` as a format has them: of a picture that a GPU has drawn in that format.
pub fn encode_texels(format: TexelFormat, surface: &Surface) -> Option<Vec<u8>> {
    let narrow = |byte: u8, most: u16| ((u32::from(byte) * u32::from(most) + 127) / 255) as u16;
    let packed = |word: u16| word.to_le_bytes();
    match (surface, format.layout) {
        (Surface::Depth(map), TexelLayout::Float32) => {
            Some(map.depth().iter().flat_map(|depth| depth.to_le_bytes()).collect())
        }
        (Surface::Color(picture), TexelLayout::Rgba8) => Some(picture.rgba().to_vec()),
        (Surface::Color(picture), layout) => {
            let texels = picture.rgba().as_chunks::<4>().0.iter().copied();
            match layout {
                TexelLayout::Bgra8 => Some(texels.flat_map(|[r, g, b, a]| [b, g, r, a]).collect()),
                TexelLayout::B5g6r5 => Some(
                    texels
                        .flat_map(|[r, g, b, _]| packed(narrow(r, 31) << 11 | narrow(g, 63) << 5 | narrow(b, 31)))
                        .collect(),
                ),
                TexelLayout::B5g5r5a1 => {
                    let word = |[r, g, b, a]: [u8; 4]| {
                        narrow(a, 1) << 15 | narrow(r, 31) << 10 | narrow(g, 31) << 5 | narrow(b, 31)
                    };
                    Some(texels.flat_map(|texel| packed(word(texel))).collect())
                }
                _ => None,
            }
        }
        (Surface::Depth(_), _) => None,
    }
}

fn decode(format: TexelFormat, size: Size, bytes: &[u8]) -> Result<StoredPicture, PictureFileError> {
    let alpha = |alpha: u8| if format.is_opaque { 255 } else { alpha };
    let words = || bytes.as_chunks().0.iter().map(|word| u16::from_le_bytes(*word));
    let texels = || bytes.as_chunks::<4>().0.iter().copied();
    let wide = |value: u16, most: u16| (u32::from(value & most) * 255 / u32::from(most)) as u8;
    let five = |value: u16| ((value & 31) << 3 | (value & 31) >> 2) as u8;
    let six = |value: u16| ((value & 63) << 2 | (value & 63) >> 4) as u8;
    let rgba: Vec<u8> = match format.layout {
        TexelLayout::Rgba8 => texels().flat_map(|[r, g, b, a]| [r, g, b, alpha(a)]).collect(),
        TexelLayout::Bgra8 => texels().flat_map(|[b, g, r, a]| [r, g, b, alpha(a)]).collect(),
        TexelLayout::B5g6r5 => words().flat_map(|word| [five(word >> 11), six(word >> 5), five(word), 255]).collect(),
        TexelLayout::B5g5r5a1 => {
            words().flat_map(|word| [five(word >> 10), five(word >> 5), five(word), wide(word >> 15, 1)]).collect()
        }
        TexelLayout::Blocks(kind) => blocks(kind, format.block().1 as usize, size, bytes),
        TexelLayout::Float32 => {
            let name = if format.is_depth { "Z" } else { "R" };
            let values = texels().map(f32::from_le_bytes).collect();
            return Ok(StoredPicture::Floats(FloatImage::new(size, vec![(name.to_owned(), values)])?));
        }
        TexelLayout::FloatBlocks { is_signed } => {
            return Ok(StoredPicture::Floats(float_blocks(is_signed, size, bytes)?));
        }
    };
    Ok(StoredPicture::Color(Picture::new(size, rgba)?))
}

/// Decodes a picture of blocks, one row of them at a time, and gives its texels from the top left on.
fn each_texel<T: Copy + Default>(
    size: Size,
    (block_bytes, bytes): (usize, &[u8]),
    decode: impl Fn(&[u8]) -> [T; 16],
    mut each: impl FnMut(T),
) {
    let (width, height) = (size.width_px as usize, size.height_px as usize);
    let rows = bytes.chunks_exact((width.div_ceil(4) * block_bytes).max(1));
    for (top, row) in (0..height).step_by(4).zip(rows) {
        let blocks: Vec<[T; 16]> = row.chunks_exact(block_bytes).map(&decode).collect();
        for (y, x) in (0..4.min(height - top)).flat_map(|y| (0..width).map(move |x| (y, x))) {
            each(blocks.get(x / 4).and_then(|block| block.get(y * 4 + x % 4)).copied().unwrap_or_default());
        }
    }
}

fn blocks(kind: u8, block_bytes: usize, size: Size, bytes: &[u8]) -> Vec<u8> {
    let mut rgba = Vec::with_capacity(size.rgba_bytes() as usize);
    each_texel(size, (block_bytes, bytes), |block| decode_block(kind, block), |texel: [u8; 4]| rgba.extend(texel));
    rgba
}

/// The texels of a block: of BC4 red, of BC5 red and green.
fn decode_block(kind: u8, block: &[u8]) -> [[u8; 4]; 16] {
    let mut texels = [[0, 0, 0, 255]; 16];
    let decode = match kind {
        1 => bcdec_rs::bc1,
        2 => bcdec_rs::bc2,
        3 => bcdec_rs::bc3,
        4 => {
            let mut reds = [0; 16];
            bcdec_rs::bc4(block, &mut reds, 4, false);
            texels.iter_mut().zip(reds).for_each(|([r, ..], red)| *r = red);
            return texels;
        }
        5 => {
            let mut both = [[0; 2]; 16];
            bcdec_rs::bc5(block, both.as_flattened_mut(), 8, false);
            texels.iter_mut().zip(both).for_each(|([r, g, ..], [red, green])| (*r, *g) = (red, green));
            return texels;
        }
        _ => bcdec_rs::bc7,
    };
    decode(block, texels.as_flattened_mut(), 16);
    texels
}

fn float_blocks(is_signed: bool, size: Size, bytes: &[u8]) -> Result<FloatImage, PictureFileError> {
    let mut channels = ["R", "G", "B"].map(|name| (name.to_owned(), Vec::new()));
    let decode = |block: &[u8]| {
        let mut texels = [[0.0; 3]; 16];
        bcdec_rs::bc6h_float(block, texels.as_flattened_mut(), 12, is_signed);
        texels
    };
    each_texel(size, (16, bytes), decode, |texel: [f32; 3]| {
        channels.iter_mut().zip(texel).for_each(|((_, values), value)| values.push(value));
    });
    Ok(FloatImage::new(size, channels.into())?)
}

#[cfg(test)]
mod tests;
