//! Texels that the recorded program gave to OpenGL, as a picture (OpenGL 4.6, 8.4.4 *Transfer of Pixel Rectangles*).
//!
//! | what | taken from |
//! |---|---|
//! | width, height, depth, format, type | the same call |
//! | distance of rows | `glPixelStorei` before it, in the same context |
//! | compressed texels | the internal format in the same call, see [`super::blocks`] |
//! | formats and types not in the tables below | no picture: the bytes alone |
//!
//! Whole numbers of more than 8 bits lose the lower ones, numbers with a sign and floats are cut to 0 to 1: a picture is for
//! looking at, and the bytes lie beside it. Rows come as they lie in memory, which OpenGL reads from the bottom up; layers of
//! a volume stand below each other.

use foldhash::HashMap;
use half::f16;
use serde_json::{Map, Value, json};

use super::arguments::{element, inside, number, signed};
use super::blocks;
use super::roles::{Role, role_of};
use trace_base::limits::MAX_PICTURE_BYTES;

use crate::annotation::BlobPicture;
use crate::limits::MAX_TIMELINE_CONTEXTS;
use crate::wip15::{Call, Element, Endian};

/// How rows of texels lie in memory: `GL_UNPACK_*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unpacking {
    alignment: u64,
    row_length: u64,
    image_height: u64,
    skip: [u64; 3],
    swaps_bytes: bool,
}

impl Default for Unpacking {
    fn default() -> Self {
        Self { alignment: 4, row_length: 0, image_height: 0, skip: [0; 3], swaps_bytes: false }
    }
}

/// What decides how texels of later calls lie.
pub(super) struct PixelStore {
    /// The byte order of the machine that recorded.
    endian: Endian,
    context: u64,
    by_context: HashMap<u64, Unpacking>,
}

impl PixelStore {
    /// As a program finds it.
    pub(super) fn new(endian: Endian) -> Self {
        Self { endian, context: 0, by_context: HashMap::default() }
    }

    /// Takes in what a call sets.
    pub(super) fn follow(&mut self, call: &Call<'_>) {
        if let Role::MakeCurrent { context } = role_of(&call.function.name) {
            let worked = matches!(call.result().and_then(inside), Some(Element::Bool(true)));
            if let Some(handle) = number(call, context).filter(|_| worked) {
                self.context = handle;
            }
        }
        if &*call.function.name == b"glPixelStorei"
            && let (Some(name), Some(value)) = (number(call, 0), signed(call, 1))
        {
            if self.by_context.len() >= MAX_TIMELINE_CONTEXTS && !self.by_context.contains_key(&self.context) {
                return;
            }
            let unpacking = self.by_context.entry(self.context).or_default();
            // OpenGL has no larger ones, whatever a file says.
            let value = u64::try_from(value).unwrap_or(0).min(i32::MAX as u64);
            let [skip_pixels, skip_rows, skip_images] = &mut unpacking.skip;
            match name {
                0x0cf0 => unpacking.swaps_bytes = value != 0,
                0x0cf2 => unpacking.row_length = value,
                0x0cf3 => *skip_rows = value,
                0x0cf4 => *skip_pixels = value,
                0x0cf5 => unpacking.alignment = value.clamp(1, 8),
                0x806d => *skip_images = value,
                0x806e => unpacking.image_height = value,
                _ => {}
            }
        }
    }

    /// What a call says of the texels in argument `at`, and a picture of them, or why there is none; nothing of a call that
    /// is given no texels.
    pub(super) fn describe(&self, call: &Call<'_>, at: usize, bytes: &[u8]) -> Option<Described> {
        let layout = CallLayout::of(&call.function.name)?;
        if layout.texels != at || !matches!(element(call, at)?, Element::Data(_)) {
            return None;
        }
        let size = |index: Option<usize>| index.map_or(Some(1), |index| number(call, index));
        let [width, height, depth] = [size(Some(layout.width))?, size(layout.height)?, size(layout.depth)?];
        let members = |more: &[(&str, Value)]| -> Map<String, Value> {
            let sizes = [("width", json!(width)), ("height", json!(height)), ("depth", json!(depth))];
            sizes.iter().chain(more).map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
        };
        let format = number(call, layout.format)?;
        if layout.is_compressed {
            let members = members(&[("internal_format", json!(format))]);
            return Some(Described { members, picture: blocks::picture([width, height, depth], format, bytes) });
        }
        let kind = number(call, layout.format + 1)?;
        let named = members(&[("format", json!(format)), ("texel_type", json!(kind))]);
        let mut unpacking = self.by_context.get(&self.context).copied().unwrap_or_default();
        unpacking.swaps_bytes ^= self.endian == Endian::Big;
        Some(Described { picture: picture([width, height, depth], (format, kind), unpacking, bytes), members: named })
    }
}

/// What is known of texels.
pub(super) struct Described {
    /// Members of a JSON object.
    pub members: Map<String, Value>,
    pub picture: Result<BlobPicture, &'static str>,
}

/// Which arguments say what.
struct CallLayout {
    width: usize,
    height: Option<usize>,
    depth: Option<usize>,
    /// Format, behind which the type comes, or the internal format of blocks.
    format: usize,
    is_compressed: bool,
    texels: usize,
}

impl CallLayout {
    fn of(name: &[u8]) -> Option<Self> {
        let name = name.strip_suffix(b"EXT").or_else(|| name.strip_suffix(b"OES")).unwrap_or(name);
        let (name, is_compressed) = match name.strip_prefix(b"glCompressed") {
            Some(rest) => (rest, true),
            None => (name.strip_prefix(b"gl")?, false),
        };
        let (is_part, dimensions) = match name {
            b"TexImage1D" => (false, 1),
            b"TexImage2D" => (false, 2),
            b"TexImage3D" => (false, 3),
            b"TexSubImage1D" | b"TextureSubImage1D" => (true, 1),
            b"TexSubImage2D" | b"TextureSubImage2D" => (true, 2),
            b"TexSubImage3D" | b"TextureSubImage3D" => (true, 3),
            _ => return None,
        };
        // Target and level; then an internal format, or a place in each dimension.
        let width = if is_part { 2 + dimensions } else { 3 };
        let behind_size = width + dimensions;
        // A border; compressed texels have their internal format before it, or here, and their length behind it.
        let behind_border = behind_size + usize::from(!is_part);
        let (format, texels) = match is_compressed {
            true if is_part => (behind_border, behind_border + 2),
            true => (2, behind_border + 1),
            false => (behind_border, behind_border + 2),
        };
        let has = |dimension: usize| (dimensions > dimension).then_some(width + dimension);
        Some(Self { width, height: has(1), depth: has(2), format, is_compressed, texels })
    }
}

/// Where a texel's channels go: from what stands for each of red, green, blue and alpha.
#[derive(Clone, Copy)]
enum Source {
    Channel(usize),
    Zero,
    One,
}

/// The channels that texels of a format have, and what becomes of them.
fn channels(format: u64) -> Option<(usize, [Source; 4])> {
    use Source::{Channel as C, One, Zero};
    Some(match format {
        // GL_RED, GL_RED_INTEGER, GL_DEPTH_COMPONENT, GL_STENCIL_INDEX: as shades.
        0x1903 | 0x8d94 | 0x1902 | 0x1901 => (1, [C(0), C(0), C(0), One]),
        // GL_ALPHA
        0x1906 => (1, [Zero, Zero, Zero, C(0)]),
        // GL_LUMINANCE, GL_LUMINANCE_ALPHA
        0x1909 => (1, [C(0), C(0), C(0), One]),
        0x190a => (2, [C(0), C(0), C(0), C(1)]),
        // GL_RG, GL_RG_INTEGER
        0x8227 | 0x8228 => (2, [C(0), C(1), Zero, One]),
        // GL_RGB, GL_RGB_INTEGER; GL_BGR, GL_BGR_INTEGER
        0x1907 | 0x8d98 => (3, [C(0), C(1), C(2), One]),
        0x80e0 | 0x8d9a => (3, [C(2), C(1), C(0), One]),
        // GL_RGBA, GL_RGBA_INTEGER; GL_BGRA, GL_BGRA_INTEGER
        0x1908 | 0x8d99 => (4, [C(0), C(1), C(2), C(3)]),
        0x80e1 | 0x8d9b => (4, [C(2), C(1), C(0), C(3)]),
        _ => return None,
    })
}

/// How the channels of a texel are stored.
#[derive(Clone, Copy)]
enum Storage {
    /// One after the other, each so many bytes.
    Each(usize, fn(&[u8]) -> u8),
    /// Within one little-endian number of so many bytes; widths in bits from the first channel on, which has the highest
    /// bits, or the lowest.
    Packed { bytes: usize, bits: &'static [u32], first_is_lowest: bool },
}

fn storage(kind: u64) -> Option<Storage> {
    let packed = |bytes, bits, first_is_lowest| Storage::Packed { bytes, bits, first_is_lowest };
    fn last<const COUNT: usize>(bytes: &[u8]) -> [u8; COUNT] {
        bytes.first_chunk().copied().unwrap_or([0; COUNT])
    }
    fn unit(value: f64) -> u8 {
        (value.clamp(0.0, 1.0) * 255.0).round() as u8
    }
    Some(match kind {
        // GL_UNSIGNED_BYTE, GL_BYTE, GL_UNSIGNED_SHORT, GL_SHORT, GL_UNSIGNED_INT, GL_INT
        0x1401 => Storage::Each(1, |bytes| u8::from_le_bytes(last(bytes))),
        0x1400 => Storage::Each(1, |bytes| unit(f64::from(i8::from_le_bytes(last(bytes))) / 127.0)),
        0x1403 => Storage::Each(2, |bytes| (u16::from_le_bytes(last(bytes)) >> 8) as u8),
        0x1402 => Storage::Each(2, |bytes| unit(f64::from(i16::from_le_bytes(last(bytes))) / 32767.0)),
        0x1405 => Storage::Each(4, |bytes| (u32::from_le_bytes(last(bytes)) >> 24) as u8),
        0x1404 => Storage::Each(4, |bytes| unit(f64::from(i32::from_le_bytes(last(bytes))) / f64::from(i32::MAX))),
        // GL_FLOAT, GL_HALF_FLOAT, GL_HALF_FLOAT_OES
        0x1406 => Storage::Each(4, |bytes| unit(f64::from(f32::from_le_bytes(last(bytes))))),
        0x140b | 0x8d61 => Storage::Each(2, |bytes| unit(f16::from_le_bytes(last(bytes)).to_f64())),
        // GL_UNSIGNED_SHORT_5_6_5, 4_4_4_4, 5_5_5_1, and the same from the other end
        0x8363 => packed(2, &[5, 6, 5], false),
        0x8364 => packed(2, &[5, 6, 5], true),
        0x8033 => packed(2, &[4, 4, 4, 4], false),
        0x8365 => packed(2, &[4, 4, 4, 4], true),
        0x8034 => packed(2, &[5, 5, 5, 1], false),
        0x8366 => packed(2, &[5, 5, 5, 1], true),
        // GL_UNSIGNED_INT_8_8_8_8, 10_10_10_2, and the same from the other end
        0x8035 => packed(4, &[8, 8, 8, 8], false),
        0x8367 => packed(4, &[8, 8, 8, 8], true),
        0x8036 => packed(4, &[10, 10, 10, 2], false),
        0x8368 => packed(4, &[10, 10, 10, 2], true),
        _ => return None,
    })
}

fn picture(
    [width, height, depth]: [u64; 3],
    (format, kind): (u64, u64),
    unpacking: Unpacking,
    bytes: &[u8],
) -> Result<BlobPicture, &'static str> {
    let unknown = "texels of this format and type cannot be shown as a picture";
    let (count, sources) = channels(format).ok_or(unknown)?;
    let storage = storage(kind).ok_or(unknown)?;
    let texel_bytes = match storage {
        Storage::Each(bytes, _) => bytes * count,
        Storage::Packed { bytes, bits, .. } if bits.len() == count => bytes,
        Storage::Packed { .. } => return Err("the format does not have the channels of the type"),
    };
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
    let short = "there are too few bytes for its texels";
    // All numbers are below 2^31: what was set, the bytes of a texel, and sides of a picture within its limit.
    let or_else = |length: u64, other: u64| if length == 0 { other } else { length };
    let row_texels = or_else(unpacking.row_length, width);
    let row_bytes = (row_texels * texel_bytes as u64).next_multiple_of(unpacking.alignment);
    let image_rows = or_else(unpacking.image_height, height);
    let [skip_pixels, skip_rows, skip_images] = unpacking.skip;
    let mut rgba = Vec::with_capacity(rgba_bytes as usize);
    for (layer, row) in (0..depth).flat_map(|layer| (0..height).map(move |row| (layer, row))) {
        let above = (skip_images + layer).checked_mul(image_rows).and_then(|rows| rows.checked_add(skip_rows + row));
        let start = above.and_then(|rows| rows.checked_mul(row_bytes)).ok_or(short)?;
        let start = start.checked_add(skip_pixels * texel_bytes as u64).ok_or(short)?;
        let start = usize::try_from(start).map_err(|_| short)?;
        let end = start.checked_add(width_px as usize * texel_bytes).ok_or(short)?;
        let texels = bytes.get(start..end).ok_or(short)?;
        for texel in texels.chunks_exact(texel_bytes) {
            let values = decode(texel, storage, unpacking.swaps_bytes);
            rgba.extend(sources.map(|source| match source {
                Source::Channel(channel) => values.get(channel).copied().unwrap_or(0),
                Source::Zero => 0,
                Source::One => 255,
            }));
        }
    }
    Ok(BlobPicture { width_px, height_px, rgba })
}

/// The channels of a texel, in 8 bits. Numbers are little-endian, or `is_swapped`.
fn decode(texel: &[u8], storage: Storage, is_swapped: bool) -> [u8; 4] {
    let mut values = [0; 4];
    let unit = match storage {
        Storage::Each(bytes, _) | Storage::Packed { bytes, .. } => bytes,
    };
    // No texel has more than four numbers of four bytes.
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(texel).for_each(|(byte, found)| *byte = *found);
    if is_swapped {
        bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
    }
    let texel = bytes.get(..texel.len()).unwrap_or_default();
    match storage {
        Storage::Each(bytes, decode) => {
            values.iter_mut().zip(texel.chunks_exact(bytes)).for_each(|(value, bytes)| *value = decode(bytes));
        }
        Storage::Packed { bytes, bits, first_is_lowest } => {
            let word = texel.iter().rev().fold(0u32, |word, byte| word << 8 | u32::from(*byte));
            let mut shift = if first_is_lowest { 0 } else { bytes as u32 * 8 };
            for (value, bits) in values.iter_mut().zip(bits) {
                shift -= if first_is_lowest { 0 } else { *bits };
                let most = (1u32 << bits) - 1;
                let found = word >> shift & most;
                *value = ((found * 255 + most / 2) / most) as u8;
                shift += if first_is_lowest { *bits } else { 0 };
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(size: [u64; 3], kind: (u64, u64), unpacking: Unpacking, bytes: &[u8]) -> Result<Vec<u8>, &'static str> {
        picture(size, kind, unpacking, bytes).map(|picture| picture.rgba)
    }

    #[test]
    fn texels_of_each_storage_become_pixels() {
        let plain = Unpacking::default();
        let one = |kind, bytes: &[u8]| drawn([1, 1, 1], kind, plain, bytes).unwrap();
        assert_eq!(one((0x1908, 0x1401), &[1, 2, 3, 4]), [1, 2, 3, 4]);
        assert_eq!(one((0x80e1, 0x1401), &[1, 2, 3, 4]), [3, 2, 1, 4]);
        assert_eq!(one((0x1903, 0x1401), &[9]), [9, 9, 9, 255]);
        assert_eq!(one((0x1906, 0x1401), &[9]), [0, 0, 0, 9]);
        assert_eq!(one((0x8227, 0x1403), &[0xff, 0x80, 0, 0x40]), [0x80, 0x40, 0, 255]);
        // Red has the highest bits: 0xf800 is red.
        assert_eq!(one((0x1907, 0x8363), &0xf800u16.to_le_bytes()), [255, 0, 0, 255]);
        assert_eq!(one((0x1907, 0x8364), &0xf800u16.to_le_bytes()), [0, 0, 255, 255]);
        assert_eq!(one((0x1908, 0x8034), &0x07c1u16.to_le_bytes()), [0, 255, 0, 255]);
        // BGRA in GL_UNSIGNED_INT_8_8_8_8_REV is what Direct3D calls B8G8R8A8.
        assert_eq!(one((0x80e1, 0x8367), &0x44332211u32.to_le_bytes()), [0x33, 0x22, 0x11, 0x44]);
        assert_eq!(one((0x1908, 0x8368), &(3u32 << 30 | 1023).to_le_bytes()), [255, 0, 0, 255]);
        let half = [0x3c00u16, 0x3800, 0xbc00, 0x0001].map(u16::to_le_bytes).concat();
        assert_eq!(one((0x1908, 0x140b), &half), [255, 128, 0, 0]);
        let floats = [1.5f32, 0.25, f32::NAN, -1.0].map(f32::to_le_bytes).concat();
        assert_eq!(one((0x1908, 0x1406), &floats), [255, 64, 0, 0]);
        let swapped = Unpacking { swaps_bytes: true, ..plain };
        assert_eq!(drawn([1, 1, 1], (0x1907, 0x8363), swapped, &[0xf8, 0]).unwrap(), [255, 0, 0, 255]);
        assert_eq!(drawn([1, 1, 1], (0x8227, 0x1403), swapped, &[0x80, 0xff, 0x40, 0]).unwrap(), [0x80, 0x40, 0, 255]);
    }

    #[test]
    fn rows_lie_as_the_program_has_said() {
        let rgb = (0x1907, 0x1401);
        // Rows of three bytes begin at multiples of four.
        let bytes = [1, 2, 3, 0, 4, 5, 6];
        let expected = [1, 2, 3, 255, 4, 5, 6, 255];
        assert_eq!(drawn([1, 2, 1], rgb, Unpacking::default(), &bytes), Ok(expected.to_vec()));
        let tight = Unpacking { alignment: 1, ..Unpacking::default() };
        assert_eq!(drawn([1, 2, 1], rgb, tight, &[1, 2, 3, 4, 5, 6]), Ok(expected.to_vec()));
        let part = Unpacking { alignment: 1, row_length: 3, skip: [1, 1, 0], ..Unpacking::default() };
        let bytes: Vec<u8> = (0..27).collect();
        assert_eq!(drawn([1, 2, 1], rgb, part, &bytes), Ok(vec![12, 13, 14, 255, 21, 22, 23, 255]));
        let layers = drawn([1, 1, 2], (0x1903, 0x1401), tight, &[7, 8]);
        assert_eq!(layers, Ok(vec![7, 7, 7, 255, 8, 8, 8, 255]));
        assert_eq!(drawn([2, 2, 1], rgb, tight, &[0; 11]), Err("there are too few bytes for its texels"));
        let huge = drawn([1 << 31, 1 << 31, 1 << 31], rgb, tight, &[]);
        assert_eq!(huge, Err("the picture would exceed the size limit for pictures"));
        assert_eq!(drawn([0, 1, 1], rgb, tight, &[]), Err("there are no texels"));
    }

    #[test]
    fn arguments_are_where_opengl_has_them() {
        let of = |name: &str| {
            let layout = CallLayout::of(name.as_bytes())?;
            let format = (layout.format, layout.is_compressed);
            Some((layout.width, layout.height, layout.depth, format, layout.texels))
        };
        assert_eq!(of("glTexImage1D"), Some((3, None, None, (5, false), 7)));
        assert_eq!(of("glTexImage2D"), Some((3, Some(4), None, (6, false), 8)));
        assert_eq!(of("glTexImage3DEXT"), Some((3, Some(4), Some(5), (7, false), 9)));
        assert_eq!(of("glTexSubImage2D"), Some((4, Some(5), None, (6, false), 8)));
        assert_eq!(of("glTextureSubImage3D"), Some((5, Some(6), Some(7), (8, false), 10)));
        assert_eq!(of("glCompressedTexImage2D"), Some((3, Some(4), None, (2, true), 7)));
        assert_eq!(of("glCompressedTexSubImage2D"), Some((4, Some(5), None, (6, true), 8)));
        assert_eq!(of("glBufferData"), None);
    }
}
