//! Texels that the recorded program gave to OpenGL in compressed blocks, as a picture.
//!
//! | internal formats | blocks |
//! |---|---|
//! | `GL_COMPRESSED_RGB(A)_S3TC_DXT1/3/5_EXT`, `GL_COMPRESSED_SRGB_…` | BC1, BC2, BC3 |
//! | `GL_COMPRESSED_(SIGNED_)RED_RGTC1`, `…RG_RGTC2` | BC4, BC5 |
//! | `GL_COMPRESSED_RGBA_BPTC_UNORM`, `GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM` | BC7 |
//! | others (ETC2, EAC, ASTC, PVRTC, BC6H) | no picture: the bytes alone |
//!
//! Colours are shown as they are stored: those of sRGB formats are no other bytes than those of the rest. Numbers with a sign
//! are cut to 0 to 1, as those of texels one by one are.

use crate::annotation::BlobPicture;
use trace_base::limits::MAX_PICTURE_BYTES;

/// Texels along a block's side.
const SIDE: u64 = 4;

/// Decodes a block to 16 texels, row by row.
type Decode = fn(&[u8]) -> [[u8; 4]; 16];

fn four(block: &[u8], decode: fn(&[u8], &mut [u8], usize)) -> [[u8; 4]; 16] {
    let mut texels = [[0; 4]; 16];
    decode(block, texels.as_flattened_mut(), 16);
    texels
}

fn opaque(block: &[u8]) -> [[u8; 4]; 16] {
    four(block, bcdec_rs::bc1).map(|[red, green, blue, _]| [red, green, blue, 255])
}

/// A channel with a sign, from -127 to 127, as one without.
fn positive(byte: u8) -> u8 {
    let value = i32::from(byte as i8).max(0);
    ((value * 255 + 63) / 127) as u8
}

fn red(block: &[u8], is_signed: bool) -> [[u8; 4]; 16] {
    let mut reds = [0; 16];
    bcdec_rs::bc4(block, &mut reds, 4, is_signed);
    reds.map(|red| {
        let red = if is_signed { positive(red) } else { red };
        [red, red, red, 255]
    })
}

fn red_green(block: &[u8], is_signed: bool) -> [[u8; 4]; 16] {
    let mut both = [[0; 2]; 16];
    bcdec_rs::bc5(block, both.as_flattened_mut(), 8, is_signed);
    both.map(|both| {
        let [red, green] = if is_signed { both.map(positive) } else { both };
        [red, green, 0, 255]
    })
}

/// Bytes of a block, and what it decodes to, by OpenGL's number of the internal format.
fn blocks(format: u64) -> Option<(usize, Decode)> {
    Some(match format {
        0x83f0 | 0x8c4c => (8, opaque),
        0x83f1 | 0x8c4d => (8, |block| four(block, bcdec_rs::bc1)),
        0x83f2 | 0x8c4e => (16, |block| four(block, bcdec_rs::bc2)),
        0x83f3 | 0x8c4f => (16, |block| four(block, bcdec_rs::bc3)),
        0x8dbb => (8, |block| red(block, false)),
        0x8dbc => (8, |block| red(block, true)),
        0x8dbd => (16, |block| red_green(block, false)),
        0x8dbe => (16, |block| red_green(block, true)),
        0x8e8c | 0x8e8d => (16, |block| four(block, bcdec_rs::bc7)),
        _ => return None,
    })
}

/// A picture of blocks; layers of a volume stand below each other.
pub(super) fn picture(
    [width, height, depth]: [u64; 3],
    format: u64,
    bytes: &[u8],
) -> Result<BlobPicture, &'static str> {
    let (block_bytes, decode) = blocks(format).ok_or("blocks of this format cannot be shown as a picture")?;
    if width == 0 || height == 0 || depth == 0 {
        return Err("there are no texels");
    }
    let too_large = "the picture would exceed the size limit for pictures";
    let rows = height.checked_mul(depth).ok_or(too_large)?;
    let rgba_bytes = width.checked_mul(rows).and_then(|pixels| pixels.checked_mul(4)).ok_or(too_large)?;
    if rgba_bytes > MAX_PICTURE_BYTES {
        return Err(too_large);
    }
    let (width_px, height_px) =
        (u32::try_from(width).map_err(|_| too_large)?, u32::try_from(rows).map_err(|_| too_large)?);
    let short = "there are too few bytes for its blocks";
    let row_bytes = width.div_ceil(SIDE) as usize * block_bytes;
    let mut rgba = Vec::with_capacity(rgba_bytes as usize);
    let mut rest = bytes;
    for row in (0..depth).flat_map(|_| (0..height.div_ceil(SIDE)).map(|row| row * SIDE)) {
        let (blocks, behind) = rest.split_at_checked(row_bytes).ok_or(short)?;
        rest = behind;
        let blocks: Vec<[[u8; 4]; 16]> = blocks.chunks_exact(block_bytes).map(decode).collect();
        for line in 0..SIDE.min(height - row) as usize {
            let texels = blocks.iter().flat_map(|block| block.iter().skip(line * SIDE as usize).take(SIDE as usize));
            rgba.extend(texels.take(width as usize).flatten());
        }
    }
    Ok(BlobPicture { width_px, height_px, rgba })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of BC1 whose texels are, by twos of bits, the first colour, the second, and so on.
    fn bc1(first: u16, second: u16, indices: u32) -> Vec<u8> {
        [&first.to_le_bytes()[..], &second.to_le_bytes(), &indices.to_le_bytes()].concat()
    }

    #[test]
    fn blocks_are_cut_where_the_picture_ends() {
        // Red and blue; the texels of each row alternate.
        let block = bc1(0xf800, 0x001f, 0x4444_4444);
        let (red, blue) = ([255, 0, 0, 255], [0, 0, 255, 255]);
        let found = picture([5, 3, 1], 0x83f1, &[block.clone(), bc1(0x001f, 0x001f, 0)].concat()).unwrap();
        assert_eq!((found.width_px, found.height_px), (5, 3));
        assert_eq!(found.rgba, [red, blue, red, blue, blue].as_flattened().repeat(3));
        // Two layers, one below the other, each of whole blocks.
        let layers = picture([2, 1, 2], 0x83f0, &[block, bc1(0x001f, 0x001f, 0)].concat()).unwrap();
        assert_eq!(layers.rgba, [red, blue, blue, blue].as_flattened());
        assert_eq!(picture([5, 3, 1], 0x83f1, &[0; 15]).map(drop), Err("there are too few bytes for its blocks"));
        assert_eq!(picture([4, 0, 1], 0x83f1, &[]).map(drop), Err("there are no texels"));
        let too_large = Err("the picture would exceed the size limit for pictures");
        assert_eq!(picture([u64::MAX, 2, 1], 0x83f1, &[]).map(drop), too_large);
        assert_eq!(
            picture([4, 4, 1], 0x9278, &[0; 16]).map(drop),
            Err("blocks of this format cannot be shown \
            as a picture")
        );
    }

    #[test]
    fn each_format_has_its_channels() {
        let one = |format, block: &[u8]| {
            let rgba = picture([1, 1, 1], format, block).unwrap().rgba;
            [rgba[0], rgba[1], rgba[2], rgba[3]]
        };
        // Three colours and a clear one, which is black where there is no alpha.
        let clear = bc1(0, 0xffff, 0xffff_ffff);
        assert_eq!(one(0x83f1, &clear), [0, 0, 0, 0]);
        assert_eq!(one(0x8c4c, &clear), [0, 0, 0, 255]);
        let green = bc1(0x07e0, 0, 0);
        assert_eq!(one(0x83f2, &[&[0x77; 8][..], &green].concat()), [0, 255, 0, 0x77]);
        assert_eq!(one(0x8c4f, &[&[200, 0, 0, 0, 0, 0, 0, 0][..], &green].concat()), [0, 255, 0, 200]);
        let unsigned = [90, 10, 0, 0, 0, 0, 0, 0];
        assert_eq!(one(0x8dbb, &unsigned), [90, 90, 90, 255]);
        assert_eq!(one(0x8dbd, &[unsigned, [30, 10, 0, 0, 0, 0, 0, 0]].concat()), [90, 30, 0, 255]);
        // 127 is 1, -127 is below 0.
        assert_eq!(one(0x8dbc, &[127, 10, 0, 0, 0, 0, 0, 0]), [255, 255, 255, 255]);
        assert_eq!(
            one(0x8dbe, &[[0x81, 10, 0, 0, 0, 0, 0, 0], [127, 10, 0, 0, 0, 0, 0, 0]].concat()),
            [0, 255, 0, 255]
        );
    }
}
