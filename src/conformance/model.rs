//! Computed texels: what rows fill textures with, and what sampling makes of them.

use super::axes::{AddressAxis, FilterAxis, FormatAxis, TextureMips, TextureRow, TextureSides};

/// Red, green, blue and alpha of 0 to 1.
pub(super) type Color = [f64; 4];

/// One texel's place.
#[derive(Clone, Copy, Debug)]
pub(super) struct TexelAt {
    pub mip: u32,
    pub layer: u32,
    pub x: u32,
    pub y: u32,
}

/// Width and height of the first mip.
pub(super) const fn size_of(row: &TextureRow) -> [u32; 2] {
    match row.sides {
        TextureSides::Square => [8, 8],
        TextureSides::Oblong => [8, 4],
    }
}

/// Number of mips.
pub(super) const fn mips_of(row: &TextureRow) -> u32 {
    match row.mips {
        TextureMips::One => 1,
        TextureMips::All => 4,
    }
}

/// Width and height of a mip.
pub(super) fn mip_size_of(row: &TextureRow, mip: u32) -> [u32; 2] {
    size_of(row).map(|side| (side >> mip).max(1))
}

/// Bytes of the texel that a row asks for; formats keep of it what they can.
fn raw(TexelAt { mip, layer, x, y }: TexelAt) -> [u8; 4] {
    let red = 24 * x + 8 * mip + 3;
    let green = 28 * y + 3 * layer;
    let blue = 12 * layer + 9 * mip;
    let alpha = 255 - 5 * layer - mip;
    [red, green, blue, alpha].map(|channel| channel as u8)
}

/// Depth of a mip of a layer, in steps of 255.
fn depth_steps(mip: u32, layer: u32) -> u8 {
    (40 + 9 * layer + 3 * mip) as u8
}

/// Depth that a mip of a layer is cleared to.
pub(super) fn depth_of(mip: u32, layer: u32) -> f32 {
    f32::from(depth_steps(mip, layer)) / 255.0
}

fn packed_565([red, green, blue, _]: [u8; 4]) -> u16 {
    u16::from(red >> 3) << 11 | u16::from(green >> 2) << 5 | u16::from(blue >> 3)
}

fn from_565(packed: u16) -> Color {
    let [red, green, blue] = [packed >> 11, packed >> 5 & 0x3f, packed & 0x1f].map(f64::from);
    [red / 31.0, green / 63.0, blue / 31.0, 1.0]
}

fn packed_5551([red, green, blue, alpha]: [u8; 4]) -> u16 {
    let [red, green, blue, alpha] = [red >> 3, green >> 3, blue >> 3, alpha >> 7].map(u16::from);
    alpha << 15 | red << 10 | green << 5 | blue
}

/// The two colours of a texel's block, packed.
fn block_colors(at: TexelAt) -> [u16; 2] {
    let (x, y) = (at.x / 4 * 4, at.y / 4 * 4);
    [TexelAt { x, y, ..at }, TexelAt { x: x + 3, y: y + 3, ..at }].map(|corner| packed_565(raw(corner)))
}

/// Bytes of a mip of a layer, rows tight.
pub(super) fn bytes_of(row: &TextureRow, mip: u32, layer: u32) -> Vec<u8> {
    let [width, height] = mip_size_of(row, mip);
    if row.format == FormatAxis::Bc1 {
        let blocks = (0..height.div_ceil(4)).flat_map(|y| (0..width.div_ceil(4)).map(move |x| (x * 4, y * 4)));
        let block = |(x, y)| {
            let [first, second] = block_colors(TexelAt { mip, layer, x, y }).map(u16::to_le_bytes);
            // Two bits a texel, by turns the first and the second colour.
            [first.as_slice(), &second, &[0x44, 0x11, 0x44, 0x11]].concat()
        };
        return blocks.flat_map(block).collect();
    }
    let texels = (0..height).flat_map(|y| (0..width).map(move |x| TexelAt { mip, layer, x, y }));
    let bytes = texels.flat_map(|at| {
        let color = raw(at);
        let [red, green, blue, alpha] = color;
        match row.format {
            FormatAxis::Bgra8 => vec![blue, green, red, alpha],
            FormatAxis::B5g6r5 => packed_565(color).to_le_bytes().to_vec(),
            FormatAxis::B5g5r5a1 => packed_5551(color).to_le_bytes().to_vec(),
            _ => color.to_vec(),
        }
    });
    bytes.collect()
}

/// Four floats that a shader reads of a texel.
pub(super) fn texel(row: &TextureRow, at: TexelAt) -> Color {
    let color = raw(at);
    match row.format {
        FormatAxis::Rgba8 | FormatAxis::Bgra8 => color.map(|channel| f64::from(channel) / 255.0),
        FormatAxis::Rgba8Srgb => {
            let [red, green, blue, alpha] = color.map(|channel| f64::from(channel) / 255.0);
            [linear(red), linear(green), linear(blue), alpha]
        }
        FormatAxis::B5g6r5 => from_565(packed_565(color)),
        FormatAxis::B5g5r5a1 => {
            let packed = packed_5551(color);
            let [red, green, blue] = [packed >> 10 & 0x1f, packed >> 5 & 0x1f, packed & 0x1f].map(f64::from);
            [red / 31.0, green / 31.0, blue / 31.0, f64::from(packed >> 15)]
        }
        FormatAxis::Bc1 => {
            let [first, second] = block_colors(at);
            from_565(if (at.x + at.y).is_multiple_of(2) { first } else { second })
        }
        FormatAxis::D24S8 | FormatAxis::D32 => [f64::from(depth_steps(at.mip, at.layer)) / 255.0, 0.0, 0.0, 1.0],
    }
}

/// Bytes of a texel as a picture of the texture shows it.
pub(super) fn shown_texel(row: &TextureRow, at: TexelAt) -> [u8; 4] {
    match row.format {
        FormatAxis::Rgba8Srgb => raw(at),
        _ => to_bytes(texel(row, at)),
    }
}

fn linear(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

/// The nearest bytes.
pub(super) fn to_bytes(color: Color) -> [u8; 4] {
    color.map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8)
}

/// A texel's number along a side for one that may lie outside.
fn addressed(number: i64, side: u32, address: AddressAxis) -> u32 {
    let side = i64::from(side);
    let inside = match address {
        AddressAxis::Clamp => number.clamp(0, side - 1),
        AddressAxis::Wrap => number.rem_euclid(side),
        AddressAxis::Mirror => {
            let place = number.rem_euclid(2 * side);
            if place < side { place } else { 2 * side - 1 - place }
        }
    };
    inside as u32
}

/// Texels around a place of a mip of a layer, in texels: the four, and how far the place is from the first.
fn around(row: &TextureRow, (mip, layer): (u32, u32), place: [f64; 2]) -> ([[Color; 2]; 2], [f64; 2]) {
    let [width, height] = mip_size_of(row, mip);
    let [left, top] = place.map(|place| (place - 0.5).floor());
    let at = |x: i64, y: i64| {
        let (x, y) = (addressed(left as i64 + x, width, row.address), addressed(top as i64 + y, height, row.address));
        texel(row, TexelAt { mip, layer, x, y })
    };
    let [x, y] = place;
    ([[at(0, 0), at(1, 0)], [at(0, 1), at(1, 1)]], [x - 0.5 - left, y - 0.5 - top])
}

/// Colour that sampling gives at a place from 0 to 1.
pub(super) fn sampled(row: &TextureRow, (mip, layer): (u32, u32), [u, v]: [f64; 2]) -> Color {
    let [width, height] = mip_size_of(row, mip);
    let (x, y) = (u * f64::from(width), v * f64::from(height));
    match row.filter {
        FilterAxis::Point => {
            let x = addressed(x.floor() as i64, width, row.address);
            let y = addressed(y.floor() as i64, height, row.address);
            texel(row, TexelAt { mip, layer, x, y })
        }
        FilterAxis::Linear => {
            let ([upper, lower], [right, down]) = around(row, (mip, layer), [x, y]);
            let mix = |a: Color, b: Color, part: f64| {
                std::array::from_fn(|channel| {
                    let [a, b] = [a, b].map(|color| color.get(channel).copied().unwrap_or(0.0));
                    a + (b - a) * part
                })
            };
            let [upper, lower] = [upper, lower].map(|[a, b]| mix(a, b, right));
            mix(upper, lower, down)
        }
    }
}

/// Four texels that a gather of the first channel gives at a place from 0 to 1.
pub(super) fn gathered(row: &TextureRow, (mip, layer): (u32, u32), [u, v]: [f64; 2]) -> Color {
    let [width, height] = mip_size_of(row, mip);
    let ([[a, b], [c, d]], _) = around(row, (mip, layer), [u * f64::from(width), v * f64::from(height)]);
    // Counter-clockwise from the left lower one.
    [c, d, b, a].map(|[red, ..]| red)
}

/// The face that a direction points to, and the place on it, from 0 to 1.
pub(super) fn face_of([x, y, z]: [f64; 3]) -> (u32, [f64; 2]) {
    let (face, s, t, major) = if x.abs() >= y.abs() && x.abs() >= z.abs() {
        if x > 0.0 { (0, -z, -y, x) } else { (1, z, -y, -x) }
    } else if y.abs() >= z.abs() {
        if y > 0.0 { (2, x, z, y) } else { (3, x, -z, -y) }
    } else if z > 0.0 {
        (4, x, -y, z)
    } else {
        (5, -x, -y, -z)
    };
    (face, [s, t].map(|place| (place / major + 1.0) / 2.0))
}

/// The direction to a place on a face, which may lie outside of it.
pub(super) fn direction_to(face: u32, place: [f64; 2]) -> [f64; 3] {
    let [s, t] = place.map(|place| place * 2.0 - 1.0);
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}
