//! All formats of the protocol: what their texels are when they are sampled, drawn to and shown.

use super::{Frame, unorm};
use crate::support::streams::*;

const TARGET: u32 = 1;
const SIZE: [u32; 2] = [8, 4];
const TEXELS: u32 = SIZE[0] * SIZE[1];

type Rgba = [u8; 4];

/// A format that is sampled: its number, its texels' bytes, and what they are.
struct Sampled(u32, Vec<u8>, Vec<Rgba>);

pub fn frames() -> Vec<Frame> {
    let mut first = Stream::new();
    let vertices = [rectangle(WHOLE, 0.5, whole_texture(0.0)), halves().concat(), at_depths().concat()].concat();
    first
        .shader(1, VERTEX, "quad.vs")
        .shader(2, PIXEL, "sample.ps")
        .shader(3, PIXEL, "color.ps")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .vertices(2, &vertices)
        .topology(TRIANGLE_LIST)
        .viewport([0.0, 0.0, SIZE[0] as f32, SIZE[1] as f32])
        .sampler(0, 1, 0, 0)
        .texture(TARGET, R8G8B8A8, SIZE, [1, 1])
        .targets(&[TARGET], 0)
        .shaders(1, 2);
    let mut frames = Vec::new();
    let mut stream = first;
    for Sampled(format, bytes, rgba) in sampled() {
        let texture = 100 + format;
        stream.texture(texture, format, SIZE, [1, 1]).upload(texture, 0, &bytes).read(0, texture).draw(0, 6).present();
        let about = format!("format {format} is sampled");
        frames.push(Frame { about, stream: stream.finish(), size: SIZE, rgba, tolerance: 1 });
        stream = Stream::new();
    }
    stream.shaders(1, 3);
    for format in 1..=10 {
        let target = 200 + format;
        stream.texture(target, format, SIZE, [1, 1]).targets(&[target], 0).clear(1, [1.0, 0.0, 1.0, 0.0], 0.0);
        stream.draw(6, 12).present();
        let about = format!("format {format} is drawn to");
        let [left, right] = COLORS.map(|color| shown(format, color));
        let rgba = (0..TEXELS).map(|texel| if texel % SIZE[0] < SIZE[0] / 2 { left } else { right }).collect();
        frames.push(Frame { about, stream: stream.finish(), size: SIZE, rgba, tolerance: 1 });
        stream = Stream::new();
    }
    for format in [32, 33] {
        let depth = 200 + format;
        stream.texture(depth, format, SIZE, [1, 1]).targets(&[TARGET], depth);
        stream.clear(3, [0.0, 0.0, 1.0, 1.0], 0.5).draw(18, 12).present();
        let rgba = (0..TEXELS).map(|texel| if texel % SIZE[0] < 4 { RED } else { BLUE }).collect();
        let about = format!("format {format} is tested against");
        frames.push(Frame { about, stream: stream.finish(), size: SIZE, rgba, tolerance: 0 });
        stream = Stream::new();
    }
    assert_eq!(frames.len(), 18 + 10 + 2);
    frames
}

/// Channels that 5 and 6 bits hold exactly once they are widened, which sRGB curves differently.
const COLORS: [[f32; 4]; 2] = [[132.0 / 255.0, 130.0 / 255.0, 33.0 / 255.0, 1.0], [1.0, 0.0, 222.0 / 255.0, 0.0]];
const RED: Rgba = [255, 0, 0, 255];
const BLUE: Rgba = [0, 0, 255, 255];

fn halves() -> [Vec<u8>; 2] {
    [[-1.0, 1.0, 0.0, -1.0], [0.0, 1.0, 1.0, -1.0]]
        .into_iter()
        .zip(COLORS)
        .map(|(place, color)| rectangle(place, 0.5, [color; 4]))
        .collect::<Vec<_>>()
        .try_into()
        .unwrap()
}

/// A red half before the depth that is cleared to, and a green one behind it.
fn at_depths() -> [Vec<u8>; 2] {
    let (red, green) = ([1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]);
    [rectangle([-1.0, 1.0, 0.0, -1.0], 0.25, [red; 4]), rectangle([0.0, 1.0, 1.0, -1.0], 0.75, [green; 4])]
}

/// A colour that a target of a format was given: the bytes as they are stored, channels of few bits widened.
fn shown(format: u32, color: [f32; 4]) -> Rgba {
    let [red, green, blue, alpha] = color.map(f64::from);
    let is_srgb = format >= 7;
    let stored = |value: f64| unorm(if is_srgb { to_srgb(value) } else { value });
    let alpha = match format {
        2 | 4 | 5 | 8 | 10 => 255,
        _ => unorm(alpha),
    };
    [stored(red), stored(green), stored(blue), alpha]
}

fn to_srgb(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

fn from_srgb(byte: u8) -> u8 {
    let value = f64::from(byte) / 255.0;
    unorm(if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) })
}

/// The 18 formats that are no depth.
fn sampled() -> Vec<Sampled> {
    let bytes: Vec<Rgba> =
        (0..TEXELS as u8).map(|number| [number * 8 + 1, 255 - number * 7, number * 3 + 40, number * 5]).collect();
    let (bgra, flat) = (|[b, g, r, a]: Rgba| [r, g, b, a], bytes.concat());
    let mut formats = Vec::new();
    for (format, swizzle, has_alpha) in [(1, true, true), (2, true, false), (3, false, true), (4, false, false)] {
        let texel = |texel: Rgba| {
            let [r, g, b, a] = if swizzle { bgra(texel) } else { texel };
            [r, g, b, if has_alpha { a } else { 255 }]
        };
        let texels: Vec<Rgba> = bytes.iter().map(|bytes| texel(*bytes)).collect();
        formats.push(Sampled(format, flat.clone(), texels.clone()));
        formats.push(Sampled(format + 6, flat.clone(), texels.iter().map(linear).collect()));
    }
    let words: Vec<u16> = (0..TEXELS as u16).map(|number| number.wrapping_mul(2111).wrapping_add(0x1234)).collect();
    let packed: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let bits = |word: u16, first: u32, count: u32| u32::from(word) >> first & ((1 << count) - 1);
    let five = |value: u32| (value << 3 | value >> 2) as u8;
    let six = |value: u32| (value << 2 | value >> 4) as u8;
    let rgb565 = |word: &u16| [five(bits(*word, 11, 5)), six(bits(*word, 5, 6)), five(bits(*word, 0, 5)), 255];
    let rgb5551 = |word: &u16| {
        let alpha = if bits(*word, 15, 1) == 1 { 255 } else { 0 };
        [five(bits(*word, 10, 5)), five(bits(*word, 5, 5)), five(bits(*word, 0, 5)), alpha]
    };
    formats.push(Sampled(5, packed.clone(), words.iter().map(rgb565).collect()));
    formats.push(Sampled(6, packed, words.iter().map(rgb5551).collect()));
    for (format, block) in [(64, bc1 as fn(bool) -> Block), (66, bc2), (68, bc3), (70, bc7)] {
        let [left, right] = [block(false), block(true)];
        let row = |block: &Block, row: usize| block.texels[row * 4..][..4].to_vec();
        let texels: Vec<Rgba> = (0..4).flat_map(|y| [row(&left, y), row(&right, y)].concat()).collect();
        let bytes = [left.bytes, right.bytes].concat();
        formats.push(Sampled(format, bytes.clone(), texels.clone()));
        formats.push(Sampled(format + 1, bytes, texels.iter().map(linear).collect()));
    }
    formats
}

fn linear(rgba: &Rgba) -> Rgba {
    let [r, g, b, a] = *rgba;
    [from_srgb(r), from_srgb(g), from_srgb(b), a]
}

/// The bytes of 4 × 4 texels, and what they are.
struct Block {
    bytes: Vec<u8>,
    texels: Vec<Rgba>,
}

const RED_565: u16 = 0xf800;
const BLUE_565: u16 = 0x001f;

/// The colours of two endpoints, red and blue, by index: in order they have thirds between them, else a half and nothing.
fn colors(in_order: bool) -> ([u8; 8], [Rgba; 4]) {
    let indices = [0b1110_0100, 0b0001_1011, 0b1110_0100, 0b0001_1011];
    let (first, second) = if in_order { (RED_565, BLUE_565) } else { (BLUE_565, RED_565) };
    let ([a, b], [c, d], [e, f, g, h]) = (first.to_le_bytes(), second.to_le_bytes(), indices);
    let palette = if in_order {
        [RED, BLUE, [170, 0, 85, 255], [85, 0, 170, 255]]
    } else {
        [BLUE, RED, [128, 0, 128, 255], [0, 0, 0, 0]]
    };
    ([a, b, c, d, e, f, g, h], palette)
}

/// The indices of [`colors`] are 0 to 3 in even rows, and 3 to 0 in odd ones.
fn color_index(texel: usize) -> usize {
    if (texel / 4).is_multiple_of(2) { texel % 4 } else { 3 - texel % 4 }
}

fn bc1(right: bool) -> Block {
    let (bytes, palette) = colors(!right);
    Block { bytes: bytes.to_vec(), texels: (0..16).map(|texel| palette[color_index(texel)]).collect() }
}

/// Four bits of alpha a texel. Colours have thirds between them in any order.
fn bc2(right: bool) -> Block {
    let alpha = |texel: usize| if right { 15 - texel as u8 } else { texel as u8 };
    let mut bytes: Vec<u8> = (0..8).map(|byte| alpha(byte * 2) | alpha(byte * 2 + 1) << 4).collect();
    let (colors, palette) = colors(true);
    bytes.extend(colors);
    let texel = |texel: usize| {
        let [r, g, b, _] = palette[color_index(texel)];
        [r, g, b, alpha(texel) * 17]
    };
    Block { bytes, texels: (0..16).map(texel).collect() }
}

/// Eight alphas by three bits a texel: six between the endpoints, or four and the two ends of the range.
fn bc3(right: bool) -> Block {
    let (first, second) = if right { (20, 220) } else { (220, 20) };
    let index = |texel: usize| texel % 8;
    let bits = (0..16).fold(0_u64, |bits, texel| bits | (index(texel) as u64) << (3 * texel));
    let mut bytes = vec![first, second];
    bytes.extend(&bits.to_le_bytes()[..6]);
    let (colors, palette) = colors(true);
    bytes.extend(colors);
    let between = |part: usize, parts: usize| {
        let (first, second) = (f64::from(first), f64::from(second));
        (first + (second - first) * part as f64 / parts as f64).round() as u8
    };
    let alpha = |index: usize| match (index, right) {
        (0, _) => first,
        (1, _) => second,
        (6, true) => 0,
        (7, true) => 255,
        (index, true) => between(index - 1, 5),
        (index, false) => between(index - 1, 7),
    };
    let texel = |texel: usize| {
        let [r, g, b, _] = palette[color_index(texel)];
        [r, g, b, alpha(index(texel))]
    };
    Block { bytes, texels: (0..16).map(texel).collect() }
}

/// Mode 6: two endpoints of seven bits a channel and one that they share, sixteen steps between them.
fn bc7(right: bool) -> Block {
    const WEIGHTS: [u32; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    let endpoints: [[u32; 4]; 2] =
        if right { [[10, 60, 127, 0], [90, 5, 64, 127]] } else { [[0, 127, 3, 127], [127, 0, 99, 127]] };
    let shared = [u32::from(right), 1];
    let (mut bits, mut used) = (1_u128 << 6, 7);
    let mut add = |value: u32, count: u32| {
        bits |= u128::from(value) << used;
        used += count;
    };
    (0..4).for_each(|channel| endpoints.iter().for_each(|endpoint| add(endpoint[channel], 7)));
    shared.iter().for_each(|bit| add(*bit, 1));
    // The first index has no highest bit.
    (0..16).for_each(|index| add(index, if index == 0 { 3 } else { 4 }));
    assert_eq!(used, 128);
    let channel = |texel: usize, channel: usize| {
        let [first, second] = [0, 1].map(|end| endpoints[end][channel] << 1 | shared[end]);
        let weight = WEIGHTS[texel];
        (((64 - weight) * first + weight * second + 32) >> 6) as u8
    };
    let texels = (0..16).map(|texel| std::array::from_fn(|at| channel(texel, at))).collect();
    Block { bytes: bits.to_le_bytes().to_vec(), texels }
}
