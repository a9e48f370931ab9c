//! Textures, drawn by arithmetic.

/// Sides of a texture of stone.
pub(crate) const SIDE: u32 = 64;
/// Levels down to one texel.
pub(crate) const MIPS: u32 = 7;

/// Red, green and blue, from 0 to 1.
type Color = [f32; 3];
/// The colour of a texel.
pub(crate) type Pattern = fn(u32, u32) -> Color;

/// Paving slabs.
pub(crate) fn paving(x: u32, y: u32) -> Color {
    let (slab_x, slab_y) = (x / 16, y / 16);
    if x.is_multiple_of(16) || y.is_multiple_of(16) {
        return [0.34, 0.33, 0.31];
    }
    let shade = 0.60 + 0.10 * noise(slab_x, slab_y + 9) + 0.07 * noise(x, y);
    [shade, shade * 0.97, shade * 0.90]
}

/// Bricks in courses of eight rows.
pub(crate) fn brick(x: u32, y: u32) -> Color {
    let (course, shifted) = (y / 8, x + 8 * (y / 8 % 2));
    if y.is_multiple_of(8) || shifted.is_multiple_of(16) {
        return [0.62, 0.58, 0.52];
    }
    let shade = 0.75 + 0.2 * noise(shifted / 16 % 4, course) + 0.1 * noise(x, y);
    [0.72 * shade, 0.38 * shade, 0.27 * shade]
}

/// Pale stone with veins.
pub(crate) fn marble(x: u32, y: u32) -> Color {
    let shade = 0.78 + 0.08 * noise(x / 4, y / 4) + 0.06 * noise(x, y);
    let across = x + y / 2 + (8.0 * noise(x / 8, y / 8)) as u32;
    let vein = if across.is_multiple_of(21) { 0.82 } else { 1.0 };
    [shade * vein, shade * vein * 0.98, shade * vein * 0.92]
}

/// Boards, framed and crossed.
pub(crate) fn crate_side(x: u32, y: u32) -> Color {
    let edge = x.min(y).min(SIDE - 1 - x).min(SIDE - 1 - y);
    let on_cross = x.abs_diff(y) < 6 || (x + y).abs_diff(SIDE - 1) < 6;
    let shade = match (edge, on_cross) {
        (0..7, _) => 0.95,
        (7, _) => 0.45,
        (_, true) => 0.85,
        _ if x.is_multiple_of(12) => 0.40,
        _ => 0.65,
    };
    let shade = shade + 0.1 * noise(x, y / 8);
    [0.78 * shade, 0.56 * shade, 0.30 * shade]
}

/// Bark.
pub(crate) fn bark(x: u32, y: u32) -> Color {
    let shade = 0.5 + 0.4 * noise(x / 2, y / 10) + 0.1 * noise(x, y);
    [0.45 * shade, 0.33 * shade, 0.24 * shade]
}

/// Leaves on a sheet of 32 by 32 texels, red, green, blue, and alpha where there is one.
pub(crate) fn leaves() -> Vec<u8> {
    let mut texels = Vec::new();
    for y in 0..32_i32 {
        for x in 0..32_i32 {
            // Four leaves, each a lens along a diagonal of its quarter.
            let (cell_x, cell_y) = (x % 16 - 8, y % 16 - 8);
            let turned = (x / 16 + y / 16) % 2 == 1;
            let (long, wide) =
                if turned { (cell_x + cell_y, cell_x - cell_y) } else { (cell_x - cell_y, cell_x + cell_y) };
            let is_leaf = long * long + 5 * wide * wide < 170;
            let shade = 0.7 + 0.3 * noise(x as u32, y as u32) - if wide == 0 { 0.25 } else { 0.0 };
            let color = [0.36 * shade, 0.62 * shade, 0.20 * shade].map(|part| (part * 255.0) as u8);
            texels.extend(color);
            texels.push(if is_leaf { 255 } else { 0 });
        }
    }
    texels
}

/// A number from 0 to 1 that depends on a place.
fn noise(x: u32, y: u32) -> f32 {
    let mixed = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d);
    ((mixed ^ mixed >> 13) & 0xff) as f32 / 255.0
}

/// All levels of a texture in BC1, the largest first.
pub(crate) fn compressed(color: Pattern) -> Vec<u8> {
    let mut level: Vec<Color> = (0..SIDE * SIDE).map(|texel| color(texel % SIDE, texel / SIDE)).collect();
    let (mut side, mut bytes) = (SIDE as usize, Vec::new());
    loop {
        for y in (0..side).step_by(4) {
            for x in (0..side).step_by(4) {
                bytes.extend(block(|at_x, at_y| level[(y + at_y).min(side - 1) * side + (x + at_x).min(side - 1)]));
            }
        }
        if side == 1 {
            return bytes;
        }
        let half = side / 2;
        let mean = |texel: usize| {
            let first = texel / half * 2 * side + texel % half * 2;
            let of = |channel: usize| {
                [0, 1, side, side + 1].iter().map(|next| level[first + next][channel]).sum::<f32>() / 4.0
            };
            [of(0), of(1), of(2)]
        };
        level = (0..half * half).map(mean).collect();
        side = half;
    }
}

/// A block of BC1: two colours of 16 bits, then two bits a texel that choose one of them or a mixture.
fn block(texel: impl Fn(usize, usize) -> Color) -> [u8; 8] {
    let texels: Vec<Color> = (0..16).map(|number| texel(number % 4, number / 4)).collect();
    let light = |color: &Color| color[0] + color[1] + color[2];
    let mut sorted = texels.clone();
    sorted.sort_by(|a, b| light(a).total_cmp(&light(b)));
    let (dark, bright) = (sorted[0], sorted[15]);
    let (first, second) = (packed(bright), packed(dark));
    let mut bits = 0_u32;
    // Only where the first is the greater number are there two mixtures.
    if first > second {
        let range = light(&bright) - light(&dark);
        for (number, color) in texels.iter().enumerate() {
            let choice = match (3.0 * (light(color) - light(&dark)) / range).round() as u32 {
                0 => 1,
                1 => 3,
                2 => 2,
                _ => 0,
            };
            bits |= choice << (2 * number);
        }
    }
    let mut bytes = [0; 8];
    bytes[..2].copy_from_slice(&first.to_le_bytes());
    bytes[2..4].copy_from_slice(&second.to_le_bytes());
    bytes[4..].copy_from_slice(&bits.to_le_bytes());
    bytes
}

/// Five bits of red, six of green, five of blue.
fn packed(color: Color) -> u16 {
    let [red, green, blue] = color.map(|part| part.clamp(0.0, 1.0));
    ((red * 31.0).round() as u16) << 11 | ((green * 63.0).round() as u16) << 5 | (blue * 31.0).round() as u16
}
