//! KTX2: how its bytes lie, and how they are written.
//!
//! ```text
//!  0   header: identifier, VkFormat, size, layers, faces, mips
//!  48  where descriptor and key values lie
//!  80  level index: where each mip lies, the largest first
//!      data format descriptor
//!      keys and values
//!      mips, the smallest first; in each layer after layer, in a layer face after face
//! ```

use std::io::Write;

mod reading;

pub(super) use self::reading::read;
use super::texel_format::{TexelFormat, TexelLayout};
use super::texture_image::{TextureImage, TextureShape};
use crate::pixels::file::PictureFileError;

/// Faces of a cube.
const FACES: u32 = 6;
const HEADER_BYTES: u64 = 80;
const LEVEL_BYTES: u64 = 24;

/// Key of the order of channels, and its value where alpha is 1.
const SWIZZLE: &str = "KTXswizzle";
const OPAQUE: &str = "rgb1";

/// Channels of a sample, as the descriptor numbers them.
const RED: u8 = 0;
const GREEN: u8 = 1;
const BLUE: u8 = 2;
const DEPTH: u8 = 14;
const ALPHA: u8 = 15;
/// Channel of BC1 whose blocks have alpha.
const WITH_ALPHA: u8 = 1;

/// Qualifiers of a channel.
const IS_LINEAR: u8 = 0x10;
const IS_SIGNED: u8 = 0x40;
const IS_FLOAT: u8 = 0x80;

/// Some bits of a texel or block.
struct Sample {
    first_bit: u16,
    bits: u8,
    channel: u8,
    range: [u32; 2],
}

impl Sample {
    /// Bits of a number from 0 to 1.
    fn unorm(first_bit: u16, bits: u8, channel: u8) -> Self {
        Self { first_bit, bits, channel, range: [0, u32::MAX >> (32 - u32::from(bits.min(32)))] }
    }
}

/// Writes a texture.
pub(super) fn write(image: &TextureImage, into: &mut dyn Write) -> Result<(), PictureFileError> {
    let shape = image.shape();
    let descriptor = descriptor(shape.format)?;
    let keys = keys(shape.format);
    let descriptor_at = HEADER_BYTES + LEVEL_BYTES * u64::from(shape.mips);
    let keys_at = descriptor_at + descriptor.len() as u64;
    let mut end = keys_at + keys.len() as u64;
    let alignment = u64::from(shape.format.block().1.max(4));
    let mut levels = Vec::new();
    for mip in (0..shape.mips).rev() {
        let start = end.next_multiple_of(alignment);
        let length = shape.part_bytes(mip).saturating_mul(u64::from(shape.layers));
        levels.push((mip, start - end, start, length));
        end = start.saturating_add(length);
    }
    into.write_all(&header(shape, [descriptor_at, descriptor.len() as u64], [keys_at, keys.len() as u64]))?;
    for (_, _, start, length) in levels.iter().rev() {
        [start, length, length].iter().try_for_each(|number| into.write_all(&number.to_le_bytes()))?;
    }
    into.write_all(&descriptor)?;
    into.write_all(&keys)?;
    for (mip, padding, ..) in levels {
        into.write_all(&vec![0; padding as usize])?;
        (0..shape.layers).try_for_each(|layer| into.write_all(image.part(mip, layer)))?;
    }
    Ok(())
}

fn header(shape: TextureShape, descriptor: [u64; 2], keys: [u64; 2]) -> Vec<u8> {
    let TextureShape { format, size, mips, layers, is_cube } = shape;
    let type_bytes = match format.layout {
        TexelLayout::B5g6r5 | TexelLayout::B5g5r5a1 => 2,
        TexelLayout::Float32 => 4,
        _ => 1,
    };
    let faces = if is_cube { FACES } else { 1 };
    // One layer is written as none: the texture is no array.
    let elements = layers / faces;
    let elements = if elements == 1 { 0 } else { elements };
    let numbers = [format.vulkan, type_bytes, size.width_px, size.height_px, 0, elements, faces, mips, 0];
    let index = [descriptor, keys].into_iter().flatten().map(|number| number as u32);
    let mut header = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
    header.extend(numbers.into_iter().chain(index).flat_map(u32::to_le_bytes));
    // No global data of a compression.
    header.extend([0; 16]);
    header
}

/// Keys in the order of their bytes, each with its value.
fn keys(format: TexelFormat) -> Vec<u8> {
    let swizzle = format.is_opaque.then_some((SWIZZLE, OPAQUE));
    let writer = ("KTXwriter", concat!("trace-base ", env!("CARGO_PKG_VERSION")));
    let mut bytes = Vec::new();
    for (key, value) in swizzle.into_iter().chain([writer]) {
        let entry = format!("{key}\0{value}\0");
        bytes.extend((entry.len() as u32).to_le_bytes());
        bytes.extend(entry.bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    bytes
}

/// The data format descriptor: one basic block.
fn descriptor(format: TexelFormat) -> Result<Vec<u8>, PictureFileError> {
    let (model, samples) = model_of(format)
        .ok_or_else(|| PictureFileError::TexelFormat { name: "KTX2", format: format.name.to_owned() })?;
    let block_bytes = 24 + 16 * samples.len() as u16;
    let mut bytes = (u32::from(block_bytes) + 4).to_le_bytes().to_vec();
    // Vendor and type of a basic block, and the version of its layout.
    bytes.extend([0, 0, 0, 0, 2, 0]);
    bytes.extend(block_bytes.to_le_bytes());
    let (side, texel_bytes) = format.block();
    let transfer = if format.is_srgb { 2 } else { 1 };
    let side = side as u8 - 1;
    // Primaries of BT.709, straight alpha.
    bytes.extend([model, 1, transfer, 0, side, side, 0, 0]);
    bytes.extend([texel_bytes as u8, 0, 0, 0, 0, 0, 0, 0]);
    for Sample { first_bit, bits, channel, range } in samples {
        bytes.extend(first_bit.to_le_bytes());
        // Alpha has no curve.
        let linear = if format.is_srgb && channel == ALPHA { IS_LINEAR } else { 0 };
        bytes.extend([bits - 1, channel | linear, 0, 0, 0, 0]);
        bytes.extend(range.into_iter().flat_map(u32::to_le_bytes));
    }
    Ok(bytes)
}

/// The colour model of a format, and the bits of its channels.
fn model_of(format: TexelFormat) -> Option<(u8, Vec<Sample>)> {
    const RGB: u8 = 1;
    let block = |first_bit, bits, channel| Sample { first_bit, bits, channel, range: [0, u32::MAX] };
    let eight = |channels: [u8; 4]| (0..).step_by(8).zip(channels).map(|(bit, channel)| Sample::unorm(bit, 8, channel));
    Some(match format.layout {
        TexelLayout::Rgba8 => (RGB, eight([RED, GREEN, BLUE, ALPHA]).collect()),
        TexelLayout::Bgra8 => (RGB, eight([BLUE, GREEN, RED, ALPHA]).collect()),
        TexelLayout::B5g6r5 => {
            (RGB, vec![Sample::unorm(0, 5, BLUE), Sample::unorm(5, 6, GREEN), Sample::unorm(11, 5, RED)])
        }
        TexelLayout::B5g5r5a1 => {
            let colors = [(0, 5, BLUE), (5, 5, GREEN), (10, 5, RED), (15, 1, ALPHA)];
            (RGB, colors.map(|(bit, bits, channel)| Sample::unorm(bit, bits, channel)).into())
        }
        TexelLayout::Float32 => {
            let channel = if format.is_depth { DEPTH } else { RED } | IS_SIGNED | IS_FLOAT;
            let range = [-1.0_f32, 1.0].map(f32::to_bits);
            (RGB, vec![Sample { first_bit: 0, bits: 32, channel, range }])
        }
        TexelLayout::Blocks(1) => (128, vec![block(0, 64, WITH_ALPHA)]),
        TexelLayout::Blocks(kind @ (2 | 3)) => (127 + kind, vec![block(0, 64, ALPHA), block(64, 64, RED)]),
        TexelLayout::Blocks(7) => (134, vec![block(0, 128, RED)]),
        // They are read alone.
        TexelLayout::Blocks(_) | TexelLayout::FloatBlocks { .. } => return None,
    })
}
