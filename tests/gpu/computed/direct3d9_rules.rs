//! Rules of Direct3D 9 that its states switch: where pixels lie, curves, factors, stencil, bias, masks, mips; and what
//! vertices are made of.

use aerogpu_replay::abi::a3a0::bindings::{SetRenderState, SetSamplerState};
use aerogpu_replay::abi::a3a0::state::SetScissor;

use super::{Frame, unorm};
use crate::support::streams::*;

type Rgba = [u8; 4];

const TARGET: u32 = 1;
const D24S8: u32 = 32;
const DEPTH: u32 = 2;
const ROW: [u32; 2] = [8, 1];

// Shaders: positions of vertices that are shifted already, those that are not, and texture coordinates of -1 to 1 as 0
// to 1; the coordinate as a colour, in one target and in four; a texel.
const SHIFTED: u32 = 1;
const PASSED: u32 = 2;
const SIGNED: u32 = 3;
const COORDINATE: u32 = 4;
const FOUR_TARGETS: u32 = 5;
const TEXEL: u32 = 6;

/// The frames made so far, and the stream of the next one.
pub(super) struct Frames {
    pub made: Vec<Frame>,
    pub stream: Stream,
    /// The next handle of vertices.
    pub next: u32,
}

impl Frames {
    pub fn set(&mut self, states: &[(u32, u32)]) -> &mut Self {
        states.iter().for_each(|(state, value)| {
            self.stream.put(SetRenderState { state: *state, value: *value });
        });
        self
    }

    pub fn set_sampler(&mut self, states: &[(u32, u32)]) -> &mut Self {
        states.iter().for_each(|(state, value)| {
            self.stream.put(SetSamplerState { stage: PIXEL, slot: 0, state: *state, value: *value });
        });
        self
    }

    /// Draws a rectangle with a colour, or with coordinates at its corners.
    pub fn rectangle(&mut self, place: [f32; 4], depth: f32, corners: [[f32; 4]; 4]) -> &mut Self {
        self.next += 1;
        self.stream.vertices(self.next, &rectangle(place, depth, corners)).draw(0, 6);
        self
    }

    pub fn plain(&mut self, color: Rgba) -> &mut Self {
        self.rectangle(WHOLE, 0.5, [color.map(|channel| f32::from(channel) / 255.0); 4])
    }

    pub fn add(&mut self, about: &str, size: [u32; 2], tolerance: u8, color: impl Fn(u32) -> Rgba) {
        self.stream.present();
        let stream = std::mem::replace(&mut self.stream, Stream::new()).finish();
        let rgba = (0..size[0] * size[1]).map(color).collect();
        self.made.push(Frame { about: about.to_owned(), stream, size, rgba, tolerance });
    }
}

/// A declaration of four floats of position and a texture coordinate of a type.
pub(super) fn declaration(kind: u8) -> [u8; 24] {
    [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 16, 0, kind, 0, 5, 0, 0xff, 0, 0, 0, 17, 0, 0, 0]
}

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    stream
        .tokens(SHIFTED, VERTEX, &VERTEX_SHADER_9)
        .bytecode(PASSED, VERTEX, "pass.vs.d3dbc")
        .bytecode(SIGNED, VERTEX, "signed.vs.d3dbc")
        .bytecode(COORDINATE, PIXEL, "coordinate.ps.d3dbc")
        .bytecode(FOUR_TARGETS, PIXEL, "four_targets.ps.d3dbc")
        .bytecode(TEXEL, PIXEL, "texel.ps.d3dbc")
        .shaders(PASSED, COORDINATE)
        .layout_of(1, &declaration(3))
        .use_layout(1)
        .topology(TRIANGLE_LIST)
        .texture(TARGET, R8G8B8A8, ROW, [1, 1])
        .targets(&[TARGET], 0)
        .viewport([0.0, 0.0, ROW[0] as f32, ROW[1] as f32]);
    let mut frames = Frames { made: Vec::new(), stream, next: 100 };
    // D3DRS_CULLMODE = NONE.
    frames.set(&[(22, 1)]);
    half_pixel(&mut frames);
    curves(&mut frames);
    factors(&mut frames);
    stencil(&mut frames);
    bias(&mut frames);
    masks(&mut frames);
    scissored_clear(&mut frames);
    mips(&mut frames);
    mirrored_once(&mut frames);
    types(&mut frames);
    frames.made
}

/// A coordinate from 0 at the left edge to 1 at the right one.
fn half_pixel(frames: &mut Frames) {
    let across = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
    let red = |at: f64| [unorm(at / 8.0), 0, 0, 255];
    frames.rectangle(WHOLE, 0.5, across);
    frames.add("pixels have their centres on whole numbers", ROW, 1, |x| red(f64::from(x)));
    frames.stream.shaders(SHIFTED, COORDINATE);
    frames.rectangle(WHOLE, 0.5, across);
    frames.add("positions that are shifted already", ROW, 1, |x| red(f64::from(x) + 0.5));
    frames.stream.shaders(PASSED, COORDINATE).clear(1, [0.0; 4], 1.0);
    // From a quarter of a pixel behind the second pixel's left edge to a quarter in front of the fifth's right one.
    frames.rectangle([-0.6875, 1.0, 0.1875, -1.0], 0.5, [[0.0, 1.0, 0.0, 1.0]; 4]);
    let is_in = |x: u32| (2..5).contains(&x);
    frames.add("edges between centres", ROW, 0, |x| if is_in(x) { [0, 255, 0, 255] } else { [0; 4] });
}

fn linear(byte: u8) -> f64 {
    let value = f64::from(byte) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn encoded(value: f64) -> f64 {
    if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
}

/// D3DSAMP_SRGBTEXTURE and D3DRS_SRGBWRITEENABLE.
fn curves(frames: &mut Frames) {
    const TEXTURE: u32 = 10;
    let texel: Rgba = [200, 100, 20, 100];
    frames.stream.texture(TEXTURE, R8G8B8A8, [1, 1], [1, 1]).upload(TEXTURE, 0, &texel).read(0, TEXTURE);
    let through = |curve: &dyn Fn(u8) -> f64| {
        let [red, green, blue, alpha] = texel;
        [unorm(curve(red)), unorm(curve(green)), unorm(curve(blue)), alpha]
    };
    let plain = |byte: u8| f64::from(byte) / 255.0;
    frames.stream.shaders(PASSED, TEXEL);
    for (reads, writes, about) in [
        (0, 0, "no curve"),
        (1, 0, "texels are decoded"),
        (0, 1, "colours are encoded"),
        (1, 1, "one curve takes the other back"),
        (0, 0, "no curve again"),
    ] {
        frames.set_sampler(&[(11, reads)]).set(&[(194, writes)]).plain([0; 4]);
        let curve = move |byte: u8| {
            let value = if reads == 1 { linear(byte) } else { plain(byte) };
            if writes == 1 { encoded(value) } else { value }
        };
        let expected = through(&curve);
        frames.add(about, ROW, 1, |_| expected);
    }
    frames.stream.shaders(PASSED, COORDINATE);
}

/// Factors and operations of alpha of their own, and a factor that is a colour.
fn factors(frames: &mut Frames) {
    let [below, above]: [Rgba; 2] = [[40, 80, 120, 160], [100, 100, 50, 200]];
    let sum = |at: usize, of_above: f64, of_below: f64| {
        unorm((f64::from(above[at]) * of_above + f64::from(below[at]) * of_below) / 255.0)
    };
    let mut draw = |states: &[(u32, u32)], about: &str, expected: Rgba| {
        frames.set(&[(27, 0)]).plain(below).set(&[(27, 1)]).set(states).plain(above);
        frames.add(about, ROW, 1, |_| expected);
    };
    let alpha = f64::from(above[3]) / 255.0;
    let color = |at: usize| sum(at, alpha, 1.0 - alpha);
    // SRCBLEND = SRCALPHA, DESTBLEND = INVSRCALPHA; for alpha ONE, ZERO, ADD.
    let both = [(19, 5), (20, 6), (207, 2), (208, 1), (209, 1)];
    draw(&both, "alpha is blended like the colours", [color(0), color(1), color(2), color(3)]);
    draw(&[(206, 1)], "alpha has factors of its own", [color(0), color(1), color(2), above[3]]);
    draw(&[(208, 2), (209, 3)], "and an operation", [color(0), color(1), color(2), 0]);
    draw(&[(209, 5)], "the larger alpha", [color(0), color(1), color(2), above[3]]);
    let factor = [51_u8, 102, 255, 0];
    let [red, green, blue, _] = factor.map(u32::from);
    let part = |at: usize| f64::from(factor[at]) / 255.0;
    let mixed = |at: usize| sum(at, part(at), 1.0 - part(at));
    // SRCBLEND = BLENDFACTOR, DESTBLEND = INVBLENDFACTOR, BLENDFACTOR without alpha.
    let states = [(206, 0), (19, 14), (20, 15), (193, red << 16 | green << 8 | blue)];
    draw(&states, "a factor that is a colour", [mixed(0), mixed(1), mixed(2), mixed(3)]);
    frames.set(&[(27, 0)]);
}

/// The left half is drawn clockwise, the right half the other way round.
fn stencil(frames: &mut Frames) {
    frames.stream.texture(DEPTH, D24S8, ROW, [1, 1]);
    let halves = [[-1.0, 1.0, 0.0, -1.0], [1.0, 1.0, 0.0, -1.0]];
    let green = [[0.0, 1.0, 0.0, 1.0]; 4];
    // STENCILPASS = INCRSAT, FUNC = ALWAYS; CCW_STENCILPASS = INVERT.
    for (two_sided, right) in [(0, 1), (1, 0xff)] {
        frames.stream.targets(&[TARGET], DEPTH).clear(7, [0.0; 4], 1.0);
        frames.set(&[(52, 1), (185, two_sided), (55, 4), (56, 8), (188, 6), (189, 8), (168, 0)]);
        halves.iter().for_each(|half| {
            frames.rectangle(*half, 0.5, green);
        });
        // STENCILPASS = KEEP, FUNC = EQUAL: what the right half has by now.
        frames.set(&[(55, 1), (56, 3), (185, 0), (57, right), (168, 0xf)]).plain([0, 0, 255, 255]);
        let is_met = |x: u32| x >= 4 || right == 1;
        let about = format!("stencil of {} sides", 1 + two_sided);
        frames.add(&about, ROW, 0, |x| if is_met(x) { [0, 0, 255, 255] } else { [0; 4] });
    }
    frames.set(&[(52, 0)]);
    frames.stream.targets(&[TARGET], 0);
}

/// A rectangle at a depth of a half, and another one that is further by a sixteenth, or slants away.
fn bias(frames: &mut Frames) {
    let [red, green] = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]].map(|color: [f32; 4]| [color; 4]);
    let mut draw = |states: &[(u32, f32)], about: &str, passes: bool| {
        frames.stream.targets(&[TARGET], DEPTH).clear(3, [0.0; 4], 1.0);
        frames.rectangle(WHOLE, 0.5, red);
        states.iter().for_each(|(state, value)| {
            frames.set(&[(*state, value.to_bits())]);
        });
        frames.rectangle(WHOLE, 0.5625, green);
        frames.set(&[(195, 0), (175, 0)]);
        let expected = if passes { [0, 255, 0, 255] } else { [255, 0, 0, 255] };
        frames.add(about, ROW, 0, |_| expected);
    };
    draw(&[], "what is further is hidden", false);
    // A sixteenth more or less a little.
    draw(&[(195, -0.0624)], "a bias that is too small", false);
    draw(&[(195, -0.0626)], "a bias that is just large enough", true);
    draw(&[(195, -0.125)], "a bias brings it nearer", true);
    draw(&[(175, -4.0)], "a slope says nothing of what does not slant", false);
    // From 0.5 to 1 over eight pixels: a sixteenth a pixel, so that one slope of it is enough for all of them.
    frames.stream.targets(&[TARGET], DEPTH).clear(3, [0.0; 4], 1.0);
    for slope in [0.0_f32, -10.0] {
        frames.set(&[(175, slope.to_bits())]);
        frames.next += 1;
        let slanted = [
            ([-1.0, 1.0], 0.5),
            ([1.0, 1.0], 1.0),
            ([-1.0, -1.0], 0.5),
            ([-1.0, -1.0], 0.5),
            ([1.0, 1.0], 1.0),
            ([1.0, -1.0], 1.0),
        ];
        let color = if slope == 0.0 { [1.0, 0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0, 1.0] };
        let vertex = |([x, y], z): &([f32; 2], f32)| {
            let further = if slope == 0.0 { *z } else { z + 0.0625 };
            floats(&[&[*x, *y, further.min(1.0), 1.0], &color[..]].concat())
        };
        let bytes: Vec<u8> = slanted.iter().flat_map(vertex).collect();
        frames.stream.vertices(frames.next, &bytes).draw(0, 6);
    }
    frames.set(&[(175, 0)]);
    frames.add("a slope brings what slants nearer", ROW, 0, |_| [0, 255, 0, 255]);
    frames.stream.targets(&[TARGET], 0);
}

/// D3DRS_COLORWRITEENABLE and those of three more targets.
fn masks(frames: &mut Frames) {
    const OTHERS: [u32; 3] = [20, 21, 22];
    for other in OTHERS {
        frames.stream.texture(other, R8G8B8A8, ROW, [1, 1]);
    }
    let all = [TARGET, OTHERS[0], OTHERS[1], OTHERS[2]];
    let masks = [(168, 0b0001), (190, 0b0010), (191, 0b0100), (192, 0b1000)];
    frames.stream.shaders(PASSED, FOUR_TARGETS).targets(&all, 0).clear(1, [0.0; 4], 1.0);
    frames.set(&masks).plain([255; 4]);
    frames.set(&masks.map(|(state, _)| (state, 0xf)));
    for (number, target) in all.into_iter().enumerate() {
        frames.stream.targets(&[target], 0);
        let expected = std::array::from_fn(|channel| if channel == number { 255 } else { 0 });
        frames.add(&format!("the mask of target {number}"), ROW, 0, |_| expected);
    }
    frames.stream.targets(&[TARGET], 0).shaders(PASSED, COORDINATE);
}

fn scissored_clear(frames: &mut Frames) {
    frames.stream.clear(1, [1.0, 0.0, 0.0, 1.0], 1.0).put(SetScissor { x: 2, y: 0, width: 3, height: 1 });
    frames.set(&[(174, 1)]).stream.clear(1, [0.0, 0.0, 1.0, 1.0], 1.0);
    frames.set(&[(174, 0)]);
    let is_in = |x: u32| (2..5).contains(&x);
    frames.add("a clear within the scissor", ROW, 0, |x| if is_in(x) { [0, 0, 255, 255] } else { [255, 0, 0, 255] });
}

/// A texture of one texel a pixel, with a colour for each of its mips.
fn mips(frames: &mut Frames) {
    const TEXTURE: u32 = 11;
    let colors: [Rgba; 4] = [[10, 0, 0, 255], [20, 0, 0, 255], [30, 0, 0, 255], [40, 0, 0, 255]];
    let texels: Vec<u8> = (0..4).flat_map(|mip| colors[mip].repeat((8 >> mip) * (8 >> mip))).collect();
    frames.stream.texture(TEXTURE, R8G8B8A8, [8, 8], [4, 1]).upload(TEXTURE, 0, &texels).read(0, TEXTURE);
    frames.stream.shaders(PASSED, TEXEL);
    // D3DSAMP_MIPFILTER, MIPMAPLODBIAS, MAXMIPLEVEL.
    for (filter, bias, largest, mip) in [
        (1, 0.0_f32, 0, 0),
        (1, 1.0, 0, 1),
        (1, 2.0, 0, 2),
        (1, 9.0, 0, 3),
        (1, -3.0, 0, 0),
        (1, 0.0, 2, 2),
        (1, 1.0, 1, 1),
        (0, 2.0, 0, 0),
        (0, 0.0, 3, 3),
    ] {
        frames.set_sampler(&[(7, filter), (8, bias.to_bits()), (9, largest)]);
        let across = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 0.125, 0.0, 1.0], [1.0, 0.125, 0.0, 1.0]];
        frames.rectangle(WHOLE, 0.5, across);
        let about = format!("mip filter {filter}, bias {bias}, largest mip {largest}");
        frames.add(&about, ROW, 0, |_| colors[mip]);
    }
    frames.set_sampler(&[(7, 0), (8, 0), (9, 0)]).stream.shaders(PASSED, COORDINATE);
}

/// Two texels of a row lie between a pixel and the next one, so that the second mip is read, beside the mirror too: the
/// pixels on its sides have the same coordinate but for the sign.
fn mirrored_once(frames: &mut Frames) {
    const TEXTURE: u32 = 12;
    const OTHER: Rgba = [200, 0, 0, 255];
    let second: [Rgba; 4] = [[10, 0, 0, 255], [20, 0, 0, 255], [30, 0, 0, 255], [40, 0, 0, 255]];
    let third: [Rgba; 2] = [[50, 0, 0, 255], [60, 0, 0, 255]];
    let texels = [&[OTHER; 8][..], &second, &third, &[OTHER]].concat().concat();
    frames.stream.texture(TEXTURE, R8G8B8A8, [8, 1], [4, 1]).upload(TEXTURE, 0, &texels).read(0, TEXTURE);
    frames.stream.shaders(PASSED, TEXEL);
    let (left, right) = (-1.125, 0.875);
    let across = [[left, 0.5, 0.0, 1.0], [right, 0.5, 0.0, 1.0], [left, 0.5, 0.0, 1.0], [right, 0.5, 0.0, 1.0]];
    let mirrored = |at: f64| at.abs().min(0.999);
    let clamped = |at: f64| at.clamp(0.0, 0.999);
    let repeated = |at: f64| at.rem_euclid(1.0);
    // D3DSAMP_ADDRESSU, ADDRESSV, MIPMAPLODBIAS: WRAP is 1, CLAMP 3, MIRRORONCE 5.
    let cases: [Addressed<'_>; 5] = [
        ("mirrored once", [5, 1], 0.0, &second, &mirrored),
        ("repeated after it was mirrored", [1, 1], 0.0, &second, &repeated),
        ("mirrored once from top to bottom alone", [3, 5], 0.0, &second, &clamped),
        ("mirrored once, and a bias", [5, 5], 1.0, &third, &mirrored),
        ("mirrored once again", [5, 3], 0.0, &second, &mirrored),
    ];
    for (about, [u, v], bias, texels, addressed) in cases {
        frames.set_sampler(&[(7, 1), (1, u), (2, v), (8, bias.to_bits())]);
        frames.rectangle(WHOLE, 0.5, across);
        let texel = |x: u32| (addressed(f64::from(left) + f64::from(x) / 4.0) * texels.len() as f64) as usize;
        frames.add(about, ROW, 0, |x| texels[texel(x)]);
    }
    frames.set_sampler(&[(7, 0), (1, 1), (2, 1), (8, 0)]).stream.shaders(PASSED, COORDINATE);
}

/// A frame: what it is about, the modes by axis, the bias, the texels of the mip that is read, and which of them.
type Addressed<'a> = (&'static str, [u32; 2], f32, &'a [Rgba], &'a dyn Fn(f64) -> f64);

/// A D3DDECLTYPE, its bytes, and what is read.
struct Kind(u8, &'static [u8], [f64; 4]);

const KINDS: [Kind; 17] = [
    Kind(0, &[0, 0, 0x80, 0xbf], [-1.0, 0.0, 0.0, 1.0]),
    Kind(1, &[0, 0, 0, 0x3f, 0, 0, 0x80, 0x3e], [0.5, 0.25, 0.0, 1.0]),
    Kind(2, &[0, 0, 0, 0x3f, 0, 0, 0x80, 0x3e, 0, 0, 0x40, 0x3f], [0.5, 0.25, 0.75, 1.0]),
    Kind(3, &[0, 0, 0, 0x3f, 0, 0, 0x80, 0x3e, 0, 0, 0x40, 0x3f, 0, 0, 0x80, 0x3e], [0.5, 0.25, 0.75, 0.25]),
    // D3DCOLOR: blue first.
    Kind(4, &[51, 102, 153, 204], [153.0 / 255.0, 102.0 / 255.0, 51.0 / 255.0, 204.0 / 255.0]),
    Kind(5, &[0, 1, 0, 1], [0.0, 1.0, 0.0, 1.0]),
    Kind(6, &[0xff, 0xff, 1, 0], [-1.0, 1.0, 0.0, 1.0]),
    Kind(7, &[0xff, 0xff, 1, 0, 0, 0, 0xff, 0xff], [-1.0, 1.0, 0.0, -1.0]),
    Kind(8, &[51, 102, 153, 204], [51.0 / 255.0, 102.0 / 255.0, 153.0 / 255.0, 204.0 / 255.0]),
    Kind(9, &[0xff, 0x7f, 0, 0x80], [1.0, -1.0, 0.0, 1.0]),
    Kind(10, &[0xff, 0x7f, 0, 0x80, 0, 0x40, 0, 0x20], [1.0, -1.0, 16384.0 / 32767.0, 8192.0 / 32767.0]),
    Kind(11, &[0, 0x80, 0xff, 0xff], [32768.0 / 65535.0, 1.0, 0.0, 1.0]),
    Kind(12, &[0, 0x80, 0xff, 0xff, 0, 0, 0, 0x40], [32768.0 / 65535.0, 1.0, 0.0, 16384.0 / 65535.0]),
    // Ten bits of 1, 0 and 1, and two bits that nobody reads.
    Kind(13, &[0x01, 0x00, 0x10, 0xc0], [1.0, 0.0, 1.0, 1.0]),
    // Of 511, -511 and -256.
    Kind(14, &[0xff, 0x05, 0x08, 0x30], [1.0, -1.0, -256.0 / 511.0, 1.0]),
    Kind(15, &[0, 0x38, 0, 0xb4], [0.5, -0.25, 0.0, 1.0]),
    Kind(16, &[0, 0x38, 0, 0xb4, 0, 0x3a, 0, 0x34], [0.5, -0.25, 0.75, 0.25]),
];

/// A pixel for each type, behind one that is not drawn to.
fn types(frames: &mut Frames) {
    const WIDE: u32 = 30;
    let size = [KINDS.len() as u32 + 1, 1];
    frames
        .stream
        .texture(WIDE, R8G8B8A8, size, [1, 1])
        .targets(&[WIDE], 0)
        .viewport([0.0, 0.0, size[0] as f32, 1.0])
        .shaders(SIGNED, COORDINATE);
    for (number, Kind(kind, bytes, _)) in (1..).zip(&KINDS) {
        // A quarter of a pixel around the centre of pixels that have it on whole numbers.
        let x = |at: f32| at / size[0] as f32 * 2.0 - 1.0;
        let (left, right) = (x(number as f32 - 0.25), x(number as f32 + 0.25));
        let vertices = rectangle([left, 1.0, right, -1.0], 0.5, [[0.0; 4]; 4]);
        let vertex = |vertex: &[u8; 32]| [&vertex[..16], bytes].concat();
        let vertices: Vec<u8> = vertices.as_chunks::<32>().0.iter().flat_map(vertex).collect();
        let (layout, buffer) = (10 + number, 200 + number);
        frames
            .stream
            .layout_of(layout, &declaration(*kind))
            .use_layout(layout)
            .buffer(buffer, &vertices)
            .vertex_buffer(0, buffer, 16 + bytes.len() as u32, 0)
            .draw(0, 6);
    }
    frames.add("every type of a declaration", size, 1, |x| match x.checked_sub(1) {
        None => [0; 4],
        Some(number) => KINDS[number as usize].2.map(|value| unorm(value * 0.5 + 0.5)),
    });
}
