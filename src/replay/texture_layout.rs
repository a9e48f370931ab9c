//! How a texture's texels lie in guest memory and in uploads: layer after layer, in each its mips from the largest on, with
//! nothing between them.
//!
//! The rows of the largest mip are as far apart as the texture's row pitch says; those of the others follow each other.
//! Block-compressed formats have rows of blocks.

use std::ops::Range;

use thiserror::Error;

use crate::command::{CreateTexture, TextureFormat};
use crate::error::{Classified, ErrorKind};
use crate::text::counted;

/// A texture whose texels cannot lie anywhere.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextureLayoutError {
    /// More mips than there are sizes.
    #[error(
        "the texture has {found_mips}: expected at most {limit}, for {}x{} texels",
        size_px[0],
        size_px[1],
        found_mips = counted(.found, "mip")
    )]
    TooManyMips {
        /// How many.
        found: u32,
        /// How many there can be.
        limit: u32,
        /// Width and height.
        size_px: [u32; 2],
    },
    /// Rows that overlap, or rows of a backed texture without a distance.
    #[error("the texture's row pitch is {found}: expected at least {least}, the bytes of a row")]
    RowPitch {
        /// The distance.
        found: u32,
        /// The bytes of a row.
        least: u64,
    },
    /// More bytes than can be counted.
    #[error("the texture's size in bytes exceeds 64 bits")]
    TooLarge,
}

impl Classified for TextureLayoutError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::TooLarge => ErrorKind::OverLimit,
            _ => ErrorKind::ReplayFailed,
        }
    }

    fn offset(&self) -> Option<u64> {
        // The command has the place.
        None
    }
}

/// Where the texels of one mip of one layer lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubresourceLayout {
    /// Where its first row starts.
    pub start_bytes: u64,
    /// Distance from one row to the next.
    pub row_pitch_bytes: u64,
    /// Bytes of texels in a row.
    pub row_bytes: u64,
    /// Rows, of texels or of blocks.
    pub rows: u64,
}

impl SubresourceLayout {
    /// Bytes from the first row to the next subresource.
    fn size_bytes(&self) -> Option<u64> {
        self.row_pitch_bytes.checked_mul(self.rows)
    }

    /// Where the last texel ends, from the start of the first row.
    fn texels_end(&self) -> u64 {
        // Both fit in what the whole subresource takes, which creation has counted.
        self.row_pitch_bytes.saturating_mul(self.rows.saturating_sub(1)).saturating_add(self.row_bytes)
    }
}

/// How much of a subresource some bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All its texels.
    Whole,
    /// Some texels, or parts of them.
    Part,
}

/// Where the texels of a texture lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureLayout {
    format: TextureFormat,
    /// The mips of the first layer.
    mips: Vec<SubresourceLayout>,
    layer_bytes: u64,
    layers: u32,
}

impl TextureLayout {
    /// The layout that a creation asks for.
    pub fn of(create: &CreateTexture) -> Result<Self, TextureLayoutError> {
        let CreateTexture { format, size_px, mips, layers, row_pitch_bytes, backing, .. } = *create;
        let longest = size_px.into_iter().max().unwrap_or(0);
        let limit = u32::BITS - longest.leading_zeros();
        if mips > limit {
            return Err(TextureLayoutError::TooManyMips { found: mips, limit, size_px });
        }
        let least = format.tight_row_bytes(size_px.into_iter().next().unwrap_or(0));
        let is_given = row_pitch_bytes != 0 || backing.is_some();
        if is_given && u64::from(row_pitch_bytes) < least {
            return Err(TextureLayoutError::RowPitch { found: row_pitch_bytes, least });
        }
        let (block_px, _) = format.block();
        let mut layout = Self { format, mips: Vec::new(), layer_bytes: 0, layers };
        for mip in 0..mips {
            let [width, height] = size_px.map(|side| (side >> mip).max(1));
            let row_bytes = format.tight_row_bytes(width);
            let pitch = if mip == 0 && row_pitch_bytes != 0 { u64::from(row_pitch_bytes) } else { row_bytes };
            let rows = u64::from(height.div_ceil(block_px));
            let start_bytes = layout.layer_bytes;
            let found = SubresourceLayout { start_bytes, row_pitch_bytes: pitch, row_bytes, rows };
            let end = found.size_bytes().and_then(|size| start_bytes.checked_add(size));
            layout.layer_bytes = end.ok_or(TextureLayoutError::TooLarge)?;
            layout.mips.push(found);
        }
        layout.layer_bytes.checked_mul(u64::from(layers)).ok_or(TextureLayoutError::TooLarge)?;
        Ok(layout)
    }

    /// Bytes of all layers and mips.
    pub fn total_bytes(&self) -> u64 {
        // The product was made once already.
        self.layer_bytes.saturating_mul(u64::from(self.layers))
    }

    /// Where a mip of a layer lies; nothing if there is no such mip or layer.
    pub fn subresource(&self, mip: u32, layer: u32) -> Option<SubresourceLayout> {
        let of_first = self.mips.get(mip as usize).filter(|_| layer < self.layers)?;
        let start_bytes = of_first.start_bytes.checked_add(self.layer_bytes.checked_mul(u64::from(layer))?)?;
        Some(SubresourceLayout { start_bytes, ..*of_first })
    }

    /// The mips and layers that have texels in `bytes`, in the order of the bytes.
    pub fn touched(&self, bytes: Range<u64>) -> impl Iterator<Item = (u32, u32, Coverage)> {
        let first = bytes.start.checked_div(self.layer_bytes).unwrap_or(0);
        let end = bytes.end.min(self.total_bytes()).div_ceil(self.layer_bytes.max(1));
        (first..end).flat_map(move |layer| {
            let bytes = bytes.clone();
            (0..).zip(&self.mips).filter_map(move |(mip, found)| {
                // No layer's start is past the total, which fits.
                let start = layer.saturating_mul(self.layer_bytes).saturating_add(found.start_bytes);
                let own = bytes.start.max(start).saturating_sub(start)..bytes.end.saturating_sub(start);
                Some((mip, layer as u32, coverage(found, own)?))
            })
        })
    }

    /// The bytes of each row of a rectangle of a mip of a layer, in order; nothing of what the texture does not have. Of a
    /// format with blocks, the rows of the blocks that the rectangle touches.
    pub fn rows(&self, mip: u32, layer: u32, origin_px: [u32; 2], size_px: [u32; 2]) -> Vec<Range<u64>> {
        // silent: what is not there has no rows
        let Some(found) = self.subresource(mip, layer) else { return Vec::new() };
        let (block_px, block_bytes) = self.format.block();
        let [x, y] = origin_px.map(|from| u64::from(from / block_px));
        let [width, height] = size_px;
        let [from_x, from_y] = origin_px;
        let end_x = (u64::from(from_x) + u64::from(width)).div_ceil(u64::from(block_px));
        let end_y = (u64::from(from_y) + u64::from(height)).div_ceil(u64::from(block_px)).min(found.rows);
        let block_bytes = u64::from(block_bytes);
        let (from, to) = (x * block_bytes, (end_x * block_bytes).min(found.row_bytes));
        let row = |row: u64| found.start_bytes.saturating_add(row.saturating_mul(found.row_pitch_bytes));
        (y..end_y).map(|number| row(number) + from..row(number) + to).collect()
    }
}

/// How much of a subresource the bytes `own`, counted from its start, are; nothing if they hold no texel.
fn coverage(found: &SubresourceLayout, own: Range<u64>) -> Option<Coverage> {
    let end = own.end.min(found.texels_end());
    if own.start >= end {
        return None;
    }
    if own.start == 0 && own.end >= found.texels_end() {
        return Some(Coverage::Whole);
    }
    // Between two rows may lie bytes that are no texels.
    let pitch = found.row_pitch_bytes.max(1);
    let is_padding = own.start / pitch == (end - 1) / pitch && own.start % pitch >= found.row_bytes;
    (!is_padding).then_some(Coverage::Part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Backing, ResourceId};

    fn texture(format: TextureFormat, size_px: [u32; 2], mips: u32, layers: u32, pitch: u32) -> CreateTexture {
        let (id, usage, backing) = (ResourceId::handle(1), 0, None);
        CreateTexture { id, format, size_px, mips, layers, row_pitch_bytes: pitch, usage, backing }
    }

    #[test]
    fn mips_follow_each_other_in_their_layer() {
        let layout = TextureLayout::of(&texture(TextureFormat::R8g8b8a8Unorm, [5, 3], 3, 2, 32)).unwrap();
        let places = |layer| [0, 1, 2].map(|mip| layout.subresource(mip, layer).unwrap().start_bytes);
        assert_eq!(places(0), [0, 96, 104]);
        assert_eq!(places(1), [108, 204, 212]);
        assert_eq!(layout.total_bytes(), 216);
        let first = layout.subresource(0, 0).unwrap();
        assert_eq!((first.row_pitch_bytes, first.row_bytes, first.rows), (32, 20, 3));
        assert_eq!(layout.subresource(3, 0), None);
        assert_eq!(layout.subresource(0, 2), None);
        let blocks = TextureLayout::of(&texture(TextureFormat::Bc1Unorm, [10, 6], 2, 1, 0)).unwrap();
        let first = blocks.subresource(0, 0).unwrap();
        assert_eq!((first.row_bytes, first.rows, blocks.total_bytes()), (24, 2, 48 + 16));
        assert_eq!(blocks.rows(0, 0, [4, 4], [6, 2]).first(), Some(&(32..48)));
    }

    #[test]
    fn what_cannot_lie_anywhere_is_refused() {
        let of = |size, mips, layers, pitch| {
            TextureLayout::of(&texture(TextureFormat::R8g8b8a8Unorm, size, mips, layers, pitch))
        };
        assert!(of([64, 64], 7, 1, 0).is_ok());
        assert!(matches!(of([64, 64], 8, 1, 0), Err(TextureLayoutError::TooManyMips { limit: 7, .. })));
        assert!(matches!(of([64, 1], 1, 1, 255), Err(TextureLayoutError::RowPitch { least: 256, .. })));
        assert_eq!(of([u32::MAX, u32::MAX], 1, u32::MAX, 0), Err(TextureLayoutError::TooLarge));
        let backing = Some(Backing { allocation: 1, offset_bytes: 0 });
        let backed = CreateTexture { backing, ..texture(TextureFormat::R8g8b8a8Unorm, [4, 4], 1, 1, 0) };
        assert!(matches!(TextureLayout::of(&backed), Err(TextureLayoutError::RowPitch { found: 0, .. })));
    }

    /// What is touched agrees with plain texels.
    #[test]
    fn touched_texels_agree_with_plain_ones() {
        let mut seed = 3u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..2000 {
            let format = [TextureFormat::R8g8b8a8Unorm, TextureFormat::B5g6r5Unorm, TextureFormat::Bc1Unorm];
            let format = format[random(3) as usize];
            let size = [1 + random(9) as u32, 1 + random(9) as u32];
            let pitch = if random(2) == 0 { 0 } else { format.tight_row_bytes(size[0]) as u32 + random(20) as u32 };
            let (mips, layers) = (1 + random(u64::from(size[0].max(size[1]).ilog2()) + 1) as u32, 1 + random(3) as u32);
            let layout = TextureLayout::of(&texture(format, size, mips, layers, pitch)).unwrap();
            let (a, b) = (random(layout.total_bytes() + 1), random(layout.total_bytes() + 1));
            let bytes = a.min(b)..a.max(b);
            let mut expected = Vec::new();
            for layer in 0..layers {
                for mip in 0..mips {
                    let found = layout.subresource(mip, layer).unwrap();
                    let texels = (0..found.rows).flat_map(|row| {
                        let start = found.start_bytes + row * found.row_pitch_bytes;
                        start..start + found.row_bytes
                    });
                    let inside = texels.clone().filter(|byte| bytes.contains(byte)).count();
                    match inside {
                        0 => {}
                        all if all == texels.count() => expected.push((mip, layer, Coverage::Whole)),
                        _ => expected.push((mip, layer, Coverage::Part)),
                    }
                }
            }
            assert_eq!(layout.touched(bytes.clone()).collect::<Vec<_>>(), expected, "{bytes:?} of {layout:?}");
        }
    }

    #[test]
    fn a_far_layer_is_found_at_once() {
        let layout = TextureLayout::of(&texture(TextureFormat::R8g8b8a8Unorm, [1, 1], 1, u32::MAX, 0)).unwrap();
        let far = 4 * (u64::from(u32::MAX) - 1);
        assert_eq!(layout.touched(far..far + 4).collect::<Vec<_>>(), [(0, u32::MAX - 1, Coverage::Whole)]);
        assert_eq!(layout.touched(u64::MAX - 1..u64::MAX).count(), 0);
    }
}
