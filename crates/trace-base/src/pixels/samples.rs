//! The samples of a PNG as RGBA8, where that loses nothing.
//!
//! | colour type | bits | becomes |
//! |---|---|---|
//! | RGBA | 8 | itself |
//! | RGB | 8 | alpha 255, or 0 for the one colour of a `tRNS` chunk |
//! | grey | 1, 2, 4, 8 | the grey three times, scaled by 255, 85, 17 or 1; alpha like RGB's |
//! | grey and alpha | 8 | the grey three times |
//! | palette | 1, 2, 4, 8 | the palette's colour, its alpha from `tRNS` |
//!
//! Chunks about how colours are meant (`gAMA`, `cHRM`, `sRGB`, `iCCP`) are passed over: pictures are compared by their
//! bytes, and we write none of those chunks.

use png::{BitDepth, ColorType, Info};

use super::file::PictureFileError;

/// Turns decoded rows, each padded to whole bytes, into RGBA8.
pub(super) fn to_rgba8(info: &Info<'_>, rows: Vec<u8>) -> Result<Vec<u8>, PictureFileError> {
    let see_through = info.trns.as_deref().unwrap_or(&[]);
    // Of tRNS the decoder keeps a byte a sample, as there are no more than 8 bits; without the chunk it is empty.
    let alpha_of = |pixel: &[u8]| if see_through == pixel { 0 } else { 255 };
    let rgba = match (info.color_type, info.bit_depth) {
        (_, BitDepth::Sixteen) => return Err(PictureFileError::SixteenBits),
        (ColorType::Rgba, _) => rows,
        (ColorType::Rgb, _) => {
            rows.as_chunks().0.iter().flat_map(|&[r, g, b]| [r, g, b, alpha_of(&[r, g, b])]).collect()
        }
        (ColorType::GrayscaleAlpha, _) => rows.as_chunks().0.iter().flat_map(|&[g, a]| [g, g, g, a]).collect(),
        (ColorType::Grayscale, depth) => {
            let scale = 255 / largest_sample(depth);
            let grey = |sample: u8| [sample * scale, sample * scale, sample * scale, alpha_of(&[sample])];
            unpacked(info, &rows).flat_map(grey).collect()
        }
        (ColorType::Indexed, _) => {
            let palette = info.palette.as_deref().unwrap_or(&[]).as_chunks().0;
            let color = |index: u8| {
                let place = usize::from(index);
                let found = PictureFileError::OutsidePalette { index, colors: palette.len() };
                let [r, g, b]: [u8; 3] = *palette.get(place).ok_or(found)?;
                Ok([r, g, b, see_through.get(place).copied().unwrap_or(255)])
            };
            let colors: Vec<[u8; 4]> = unpacked(info, &rows).map(color).collect::<Result<_, PictureFileError>>()?;
            colors.into_flattened()
        }
    };
    Ok(rgba)
}

fn largest_sample(depth: BitDepth) -> u8 {
    match depth {
        BitDepth::One => 1,
        BitDepth::Two => 3,
        BitDepth::Four => 15,
        BitDepth::Eight | BitDepth::Sixteen => 255,
    }
}

/// The samples of pixels that have one each, the leftmost in a byte's highest bits.
fn unpacked<'a>(info: &Info<'_>, rows: &'a [u8]) -> impl Iterator<Item = u8> + 'a {
    let (bits, largest, width) = (info.bit_depth as usize, largest_sample(info.bit_depth), info.width as usize);
    let row_bytes = (width * bits).div_ceil(8).max(1);
    rows.chunks_exact(row_bytes).flat_map(move |row| {
        let samples = row.iter().flat_map(move |byte| (1..=8 / bits).map(move |n| (byte >> (8 - n * bits)) & largest));
        samples.take(width)
    })
}
