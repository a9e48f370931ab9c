//! How the texels of each format of the protocol live on a GPU, and how they get there and back.
//!
//! | format | stored as | written |
//! |---|---|---|
//! | `B8G8R8A8`, `R8G8B8A8`, sRGB or not | the same; on WebGL2, which has no blue before red, `Rgba8Unorm`, sRGB or not | as it is; there red and blue change places |
//! | `B8G8R8X8`, `R8G8B8X8`, sRGB or not | the same with alpha | alpha is 1, and no draw writes it |
//! | `B5G6R5`, `B5G5R5A1` | `Rgba8Unorm` | each channel widened by repeating its highest bits |
//! | `BC1`, `BC2`, `BC3`, `BC7`, sRGB or not | `Rgba8Unorm`, sRGB or not | decoded: WebGPU has blocks only for sides that are multiples of four |
//! | `D24_UNORM_S8_UINT` | `Depth24PlusStencil8` | by draws and clears alone; some GPUs keep depth as 32-bit float |
//! | `D32_FLOAT` | `Depth32Float` | by draws and clears alone |

use crate::command::TextureFormat;
use crate::replay::device_rules::Device;

/// What the bytes of a texel are in guest memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texels {
    /// Four bytes, stored as they are.
    Plain,
    /// Four bytes, of which the last counts as 255.
    Opaque,
    /// 5, 6 and 5 bits.
    Packed565,
    /// 5, 5, 5 and 1 bits.
    Packed5551,
    /// Blocks of 4 × 4.
    Blocks(Blocks),
    /// Depth, and stencil.
    Depth,
}

/// What blocks of 4 × 4 texels are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocks {
    Bc1,
    Bc2,
    Bc3,
    Bc7,
}

/// Bytes of a stored texel that is no depth.
pub(super) const STORED_TEXEL_BYTES: u32 = 4;

/// Format in which a device stores texels of the guest's.
pub(super) const fn stored_format(device: &Device, format: TextureFormat) -> wgpu::TextureFormat {
    use TextureFormat as Guest;
    use wgpu::TextureFormat as Stored;
    match format {
        Guest::B8g8r8a8Unorm | Guest::B8g8r8x8Unorm if !device.features.blue_first => Stored::Rgba8Unorm,
        Guest::B8g8r8a8UnormSrgb | Guest::B8g8r8x8UnormSrgb if !device.features.blue_first => Stored::Rgba8UnormSrgb,
        Guest::B8g8r8a8Unorm | Guest::B8g8r8x8Unorm => Stored::Bgra8Unorm,
        Guest::B8g8r8a8UnormSrgb | Guest::B8g8r8x8UnormSrgb => Stored::Bgra8UnormSrgb,
        Guest::R8g8b8a8Unorm | Guest::R8g8b8x8Unorm | Guest::B5g6r5Unorm | Guest::B5g5r5a1Unorm => Stored::Rgba8Unorm,
        Guest::Bc1Unorm | Guest::Bc2Unorm | Guest::Bc3Unorm | Guest::Bc7Unorm => Stored::Rgba8Unorm,
        Guest::R8g8b8a8UnormSrgb | Guest::R8g8b8x8UnormSrgb => Stored::Rgba8UnormSrgb,
        Guest::Bc1UnormSrgb | Guest::Bc2UnormSrgb | Guest::Bc3UnormSrgb | Guest::Bc7UnormSrgb => Stored::Rgba8UnormSrgb,
        Guest::D24UnormS8Uint => Stored::Depth24PlusStencil8,
        Guest::D32Float => Stored::Depth32Float,
    }
}

/// Way of texels to a device and back; of formats without blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct TexelRow {
    texels: Texels,
    /// Whether red and blue change places.
    is_swapped: bool,
}

impl TexelRow {
    pub(super) fn new(device: &Device, format: TextureFormat) -> Self {
        let is_swapped = stored_format(device, format) != stored_format(&Device::WEBGPU, format);
        Self { texels: texels(format), is_swapped }
    }

    /// Adds the stored bytes of texels of guest memory.
    pub(super) fn store(self, guest: &[u8], stored: &mut Vec<u8>) {
        if !self.is_swapped {
            return store_row(self.texels, guest, stored);
        }
        let mut row = Vec::with_capacity(guest.len());
        store_row(self.texels, guest, &mut row);
        row.as_chunks_mut::<4>().0.iter_mut().for_each(|texel| texel.swap(0, 2));
        stored.append(&mut row);
    }

    /// Adds the bytes that stored texels have in guest memory.
    pub(super) fn load(self, stored: &[u8], guest: &mut Vec<u8>) {
        if !self.is_swapped {
            return load_row(self.texels, stored, guest);
        }
        let mut row = stored.to_vec();
        row.as_chunks_mut::<4>().0.iter_mut().for_each(|texel| texel.swap(0, 2));
        load_row(self.texels, &row, guest);
    }
}

/// What a format's texels are in guest memory.
pub(super) const fn texels(format: TextureFormat) -> Texels {
    use TextureFormat as Guest;
    match format {
        Guest::B8g8r8a8Unorm | Guest::R8g8b8a8Unorm | Guest::B8g8r8a8UnormSrgb | Guest::R8g8b8a8UnormSrgb => {
            Texels::Plain
        }
        Guest::B8g8r8x8Unorm | Guest::R8g8b8x8Unorm | Guest::B8g8r8x8UnormSrgb | Guest::R8g8b8x8UnormSrgb => {
            Texels::Opaque
        }
        Guest::B5g6r5Unorm => Texels::Packed565,
        Guest::B5g5r5a1Unorm => Texels::Packed5551,
        Guest::Bc1Unorm | Guest::Bc1UnormSrgb => Texels::Blocks(Blocks::Bc1),
        Guest::Bc2Unorm | Guest::Bc2UnormSrgb => Texels::Blocks(Blocks::Bc2),
        Guest::Bc3Unorm | Guest::Bc3UnormSrgb => Texels::Blocks(Blocks::Bc3),
        Guest::Bc7Unorm | Guest::Bc7UnormSrgb => Texels::Blocks(Blocks::Bc7),
        Guest::D24UnormS8Uint | Guest::D32Float => Texels::Depth,
    }
}

/// Whether a format has alpha that draws can write.
pub(super) const fn writes_alpha(format: TextureFormat) -> bool {
    !matches!(texels(format), Texels::Opaque | Texels::Packed565)
}

/// The format with the curve of sRGB, where there is one.
pub(super) const fn srgb_of(format: TextureFormat) -> TextureFormat {
    use TextureFormat as Guest;
    match format {
        Guest::B8g8r8a8Unorm => Guest::B8g8r8a8UnormSrgb,
        Guest::B8g8r8x8Unorm => Guest::B8g8r8x8UnormSrgb,
        Guest::R8g8b8a8Unorm => Guest::R8g8b8a8UnormSrgb,
        Guest::R8g8b8x8Unorm => Guest::R8g8b8x8UnormSrgb,
        other => other,
    }
}

/// The format that stores the same bytes and means them by the other curve; of depth, which has none, itself.
pub(super) const fn other_curve(format: TextureFormat) -> TextureFormat {
    use TextureFormat as Guest;
    match format {
        Guest::B8g8r8a8Unorm => Guest::B8g8r8a8UnormSrgb,
        Guest::B8g8r8x8Unorm => Guest::B8g8r8x8UnormSrgb,
        Guest::R8g8b8a8Unorm | Guest::B5g5r5a1Unorm => Guest::R8g8b8a8UnormSrgb,
        Guest::R8g8b8x8Unorm | Guest::B5g6r5Unorm => Guest::R8g8b8x8UnormSrgb,
        Guest::Bc1Unorm | Guest::Bc2Unorm | Guest::Bc3Unorm | Guest::Bc7Unorm => Guest::R8g8b8a8UnormSrgb,
        Guest::B8g8r8a8UnormSrgb => Guest::B8g8r8a8Unorm,
        Guest::B8g8r8x8UnormSrgb => Guest::B8g8r8x8Unorm,
        Guest::R8g8b8a8UnormSrgb => Guest::R8g8b8a8Unorm,
        Guest::R8g8b8x8UnormSrgb => Guest::R8g8b8x8Unorm,
        Guest::Bc1UnormSrgb | Guest::Bc2UnormSrgb | Guest::Bc3UnormSrgb | Guest::Bc7UnormSrgb => Guest::R8g8b8a8Unorm,
        Guest::D24UnormS8Uint | Guest::D32Float => format,
    }
}

/// Whether a format's texels are depth.
pub(super) const fn is_depth(format: TextureFormat) -> bool {
    matches!(texels(format), Texels::Depth)
}

/// Adds the stored bytes of a row of texels of guest memory; of formats without blocks.
fn store_row(texels: Texels, guest: &[u8], stored: &mut Vec<u8>) {
    match texels {
        Texels::Plain | Texels::Blocks(_) | Texels::Depth => stored.extend_from_slice(guest),
        Texels::Opaque => {
            for texel in guest.chunks_exact(4) {
                stored.extend(texel.iter().take(3).copied().chain([255]));
            }
        }
        Texels::Packed565 => words(guest).for_each(|word| {
            let [red, green, blue] = [five(word >> 11), six(word >> 5), five(word)];
            stored.extend([red, green, blue, 255]);
        }),
        Texels::Packed5551 => words(guest).for_each(|word| {
            let alpha = if word & 0x8000 == 0 { 0 } else { 255 };
            stored.extend([five(word >> 10), five(word >> 5), five(word), alpha]);
        }),
    }
}

/// Adds the bytes that stored texels have in guest memory; of formats without blocks. What was widened is narrowed to
/// the nearest value.
fn load_row(texels: Texels, stored: &[u8], guest: &mut Vec<u8>) {
    let narrow = |byte: u8, most: u32| (u32::from(byte) * most + 127) / 255;
    match texels {
        Texels::Plain | Texels::Opaque | Texels::Blocks(_) | Texels::Depth => guest.extend_from_slice(stored),
        Texels::Packed565 => texels_of(stored).for_each(|[red, green, blue, _]| {
            let word = narrow(red, 31) << 11 | narrow(green, 63) << 5 | narrow(blue, 31);
            guest.extend((word as u16).to_le_bytes());
        }),
        Texels::Packed5551 => texels_of(stored).for_each(|[red, green, blue, alpha]| {
            let word = narrow(alpha, 1) << 15 | narrow(red, 31) << 10 | narrow(green, 31) << 5 | narrow(blue, 31);
            guest.extend((word as u16).to_le_bytes());
        }),
    }
}

/// The 64 stored bytes of a block, row by row. `block` has as many bytes as the format's blocks have.
pub(super) fn store_block(blocks: Blocks, block: &[u8]) -> [u8; 64] {
    let mut stored = [0; 64];
    let decode = match blocks {
        Blocks::Bc1 => bcdec_rs::bc1,
        Blocks::Bc2 => bcdec_rs::bc2,
        Blocks::Bc3 => bcdec_rs::bc3,
        Blocks::Bc7 => bcdec_rs::bc7,
    };
    decode(block, &mut stored, 16);
    stored
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks().0.iter().map(|word| u16::from_le_bytes(*word))
}

fn texels_of(bytes: &[u8]) -> impl Iterator<Item = [u8; 4]> {
    bytes.as_chunks().0.iter().copied()
}

const fn five(word: u16) -> u8 {
    let bits = (word & 0x1f) as u8;
    bits << 3 | bits >> 2
}

const fn six(word: u16) -> u8 {
    let bits = (word & 0x3f) as u8;
    bits << 2 | bits >> 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_texels_come_back_as_they_were() {
        for texels in [Texels::Packed565, Texels::Packed5551] {
            let guest: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
            let (mut stored, mut back) = (Vec::new(), Vec::new());
            store_row(texels, &guest, &mut stored);
            assert_eq!(stored.len(), 4 << 16);
            load_row(texels, &stored, &mut back);
            assert!(back == guest, "{texels:?}");
        }
        let mut white = Vec::new();
        store_row(Texels::Packed565, &[0xff, 0xff], &mut white);
        assert_eq!(white, [255; 4]);
    }

    #[test]
    fn what_has_no_alpha_is_opaque() {
        let mut stored = Vec::new();
        store_row(Texels::Opaque, &[1, 2, 3, 4, 5, 6, 7, 8], &mut stored);
        assert_eq!(stored, [1, 2, 3, 255, 5, 6, 7, 255]);
    }

    #[test]
    fn a_block_of_one_colour_has_it_everywhere() {
        let red = [0x00, 0xf8, 0x00, 0x00, 0, 0, 0, 0];
        let stored = store_block(Blocks::Bc1, &red);
        assert!(stored.as_chunks::<4>().0.iter().all(|texel| *texel == [255, 0, 0, 255]));
    }
}
