//! Reads of textures in Direct3D 9: colours outside of them, textures of vertex shaders, which texture a sampler reads; and
//! factors of blending that are colours, a second one among them.

use aerogpu_replay::abi::a3a0::bindings::{SetSamplerState, SetTexture};

use super::direct3d9_rules::{Frames, declaration};
use super::{Frame, unorm};
use crate::support::streams::*;
use dev_d3d_assembler::legacy::{Lengths, assemble};

type Rgba = [u8; 4];

const TARGET: u32 = 1;
const SIZE: [u32; 2] = [8, 8];
const PASSED: u32 = 1;
const TEXEL: u32 = 2;
const COORDINATE: u32 = 3;

// Sampler states, and values of them.
const ADDRESSU: u32 = 1;
const ADDRESSV: u32 = 2;
const BORDERCOLOR: u32 = 4;
const MAGFILTER: u32 = 5;
const MINFILTER: u32 = 6;
const MIPFILTER: u32 = 7;
const MIPMAPLODBIAS: u32 = 8;
const WRAP: u32 = 1;
const CLAMP: u32 = 3;
const BORDER: u32 = 4;
const POINT: u32 = 1;
const LINEAR: u32 = 2;

pub fn tokens(text: &str) -> Vec<u32> {
    let bytes = assemble(text, Lengths::Microsoft);
    bytes.as_chunks().0.iter().map(|token| u32::from_le_bytes(*token)).collect()
}

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    stream
        .bytecode(PASSED, VERTEX, "pass.vs.d3dbc")
        .bytecode(TEXEL, PIXEL, "texel.ps.d3dbc")
        .bytecode(COORDINATE, PIXEL, "coordinate.ps.d3dbc")
        .shaders(PASSED, TEXEL)
        .layout_of(1, &declaration(3))
        .use_layout(1)
        .topology(TRIANGLE_LIST)
        .texture(TARGET, R8G8B8A8, SIZE, [1, 1])
        .targets(&[TARGET], 0)
        .viewport([0.0, 0.0, SIZE[0] as f32, SIZE[1] as f32]);
    let mut frames = Frames { made: Vec::new(), stream, next: 100 };
    frames.set(&[(22, 1), (7, 0)]);
    borders(&mut frames);
    borders_of_mips(&mut frames);
    units(&mut frames);
    vertex_textures(&mut frames);
    first_models(&mut frames);
    usages(&mut frames);
    factors(&mut frames);
    frames.made
}

const OUTSIDE: Rgba = [10, 200, 30, 40];

fn argb([red, green, blue, alpha]: Rgba) -> u32 {
    u32::from_le_bytes([blue, green, red, alpha])
}

/// Draws a texture over the whole target, from one corner of it to another.
fn draw(frames: &mut Frames, [left, top, right, bottom]: [f32; 4]) {
    let corner = |x, y| [x, y, 0.0, 1.0];
    let corners = [corner(left, top), corner(right, top), corner(left, bottom), corner(right, bottom)];
    frames.stream.clear(1, [0.0; 4], 1.0);
    frames.rectangle(WHOLE, 0.5, corners);
}

/// Colour that is read of a texture of 2 × 2 texels at a coordinate, by the modes of its axes.
fn read(texels: &[Rgba; 4], modes: [u32; 2], is_linear: bool, at: [f64; 2]) -> Rgba {
    let texel = |[x, y]: [i32; 2]| {
        let inside = |at: i32, mode: u32| match mode {
            WRAP => Some(at.rem_euclid(2)),
            CLAMP => Some(at.clamp(0, 1)),
            _ => (0..2).contains(&at).then_some(at),
        };
        let found = inside(x, modes[0]).zip(inside(y, modes[1]));
        found.map_or(OUTSIDE, |(x, y)| texels[(y * 2 + x) as usize])
    };
    if !is_linear {
        return texel(at.map(|at| (at * 2.0).floor() as i32));
    }
    let [x, y] = at.map(|at| at * 2.0 - 0.5);
    let mut sums = [0.0; 4];
    for (right, down) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let weight = |at: f64, side: i32| if side == 1 { at - at.floor() } else { 1.0 - (at - at.floor()) };
        let of = texel([x.floor() as i32 + right, y.floor() as i32 + down]);
        for (sum, channel) in sums.iter_mut().zip(of) {
            *sum += weight(x, right) * weight(y, down) * f64::from(channel);
        }
    }
    sums.map(|sum| unorm(sum / 255.0))
}

fn borders(frames: &mut Frames) {
    const TEXTURE: u32 = 10;
    let texels: [Rgba; 4] = [[255, 0, 0, 255], [0, 0, 255, 255], [0, 0, 0, 255], [255, 255, 255, 0]];
    frames.stream.texture(TEXTURE, R8G8B8A8, [2, 2], [1, 1]).upload(TEXTURE, 0, texels.as_flattened());
    frames.stream.read(0, TEXTURE);
    frames.set_sampler(&[(BORDERCOLOR, argb(OUTSIDE))]);
    for (filter, is_linear) in [(POINT, false), (LINEAR, true)] {
        for (modes, about) in [
            ([BORDER, BORDER], "a colour outside"),
            ([BORDER, CLAMP], "a colour left and right"),
            ([WRAP, BORDER], "a colour above and below"),
            ([WRAP, CLAMP], "no colour outside"),
        ] {
            frames.set_sampler(&[(ADDRESSU, modes[0]), (ADDRESSV, modes[1])]);
            frames.set_sampler(&[(MAGFILTER, filter), (MINFILTER, filter)]);
            // No texel's edge lies in the middle of a pixel.
            let (start, end) = (-0.46875_f32, 1.53125_f32);
            draw(frames, [start, start, end, end]);
            let at = |pixel: u32| f64::from(start) + f64::from(pixel) / 8.0 * f64::from(end - start);
            let about = format!("{about}, texels joined: {is_linear}");
            frames.add(&about, SIZE, 1, |pixel| read(&texels, modes, is_linear, [at(pixel % 8), at(pixel / 8)]));
        }
    }
    frames.set_sampler(&[(MAGFILTER, POINT), (MINFILTER, LINEAR), (ADDRESSU, BORDER), (ADDRESSV, BORDER)]);
    draw(frames, [-0.46875, -0.46875, 1.53125, 1.53125]);
    let at = |pixel: u32| -0.46875 + f64::from(pixel) / 4.0;
    let modes = [BORDER, BORDER];
    frames.add("a colour outside of what is made larger", SIZE, 1, |pixel| {
        read(&texels, modes, false, [at(pixel % 8), at(pixel / 8)])
    });
    // One texel from pixel to pixel and a little more.
    frames.set_sampler(&[(MAGFILTER, LINEAR), (MINFILTER, POINT)]);
    draw(frames, [-1.96875, -1.96875, 2.53125, 2.53125]);
    let at = |pixel: u32| -1.96875 + f64::from(pixel) * 4.5 / 8.0;
    frames.add("a colour outside of what is made smaller", SIZE, 1, |pixel| {
        read(&texels, modes, false, [at(pixel % 8), at(pixel / 8)])
    });
    frames.set_sampler(&[(MAGFILTER, POINT), (MINFILTER, POINT), (ADDRESSU, WRAP), (ADDRESSV, WRAP)]);
}

/// A texture with a colour for each mip, two texels from pixel to pixel.
fn borders_of_mips(frames: &mut Frames) {
    const TEXTURE: u32 = 11;
    let colors: [Rgba; 4] = [[10, 0, 0, 255], [90, 0, 0, 255], [170, 0, 0, 255], [250, 0, 0, 255]];
    let texels: Vec<u8> = (0..4).flat_map(|mip| colors[mip].repeat((8 >> mip) * (8 >> mip))).collect();
    frames.stream.texture(TEXTURE, R8G8B8A8, [8, 8], [4, 1]).upload(TEXTURE, 0, &texels).read(0, TEXTURE);
    frames.set_sampler(&[(ADDRESSU, BORDER), (ADDRESSV, BORDER)]);
    let blend =
        |one: Rgba, other: Rgba| std::array::from_fn(|at| ((u32::from(one[at]) + u32::from(other[at])) / 2) as u8);
    for (filter, bias, inside, about) in [
        (POINT, 0.0_f32, colors[1], "the nearest mip"),
        (POINT, 1.0, colors[2], "the nearest mip, and a bias"),
        (POINT, 9.0, colors[3], "the last mip"),
        (POINT, -9.0, colors[0], "the first mip"),
        (LINEAR, 0.5, blend(colors[1], colors[2]), "between two mips"),
        (0, 1.0, colors[0], "no mips"),
    ] {
        frames.set_sampler(&[(MIPFILTER, filter), (MIPMAPLODBIAS, bias.to_bits())]);
        draw(frames, [-0.46875, -0.46875, 1.53125, 1.53125]);
        let is_in = |pixel: u32| (0.0..1.0).contains(&(-0.46875 + f64::from(pixel) / 4.0));
        frames.add(&format!("a colour outside of {about}"), SIZE, 2, |pixel| {
            if is_in(pixel % 8) && is_in(pixel / 8) { inside } else { OUTSIDE }
        });
    }
    frames.set_sampler(&[(MIPFILTER, 0), (MIPMAPLODBIAS, 0), (ADDRESSU, WRAP), (ADDRESSV, WRAP), (BORDERCOLOR, 0)]);
}

/// A texture of one texel in a slot.
fn plain_texture(frames: &mut Frames, handle: u32, texel: Rgba) {
    frames.stream.texture(handle, R8G8B8A8, [1, 1], [1, 1]).upload(handle, 0, &texel);
}

/// Each sampler of a shader reads the texture of its own number.
fn units(frames: &mut Frames) {
    const SHADER: u32 = 20;
    let all: Vec<u32> = (0..16).collect();
    for number in &all {
        plain_texture(frames, 200 + number, [(number * 10 + 5) as u8, 255 - *number as u8, 0, 255]);
        frames.stream.read(*number, 200 + number);
    }
    let third = "ps_3_0\ndcl_texcoord v0\ndcl_2d s";
    for number in &all {
        let text = format!("{third}{number}\ntexld r0, v0, s{number}\nmov oC0, r0");
        let vertex =
            "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, v1";
        frames.stream.tokens(SHADER, PIXEL, &tokens(&text)).tokens(SHADER + 1, VERTEX, &tokens(vertex));
        frames.stream.shaders(SHADER + 1, SHADER);
        draw(frames, [0.25; 4]);
        let expected = [(number * 10 + 5) as u8, 255 - *number as u8, 0, 255];
        frames.add(&format!("sampler {number}"), SIZE, 0, |_| expected);
    }
    frames.stream.shaders(PASSED, TEXEL);
}

/// By the numbers that Direct3D 9 gives the samplers of vertex shaders, and by the stage.
fn vertex_textures(frames: &mut Frames) {
    let vertex = |sampler: u32| {
        format!(
            "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_2d s{sampler}\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\n\
             texldl r0, v1, s{sampler}\nmov o1, r0"
        )
    };
    let (first, pixel) = (40, 44);
    frames.stream.tokens(pixel, PIXEL, &tokens("ps_3_0\ndcl_texcoord v0\nmov oC0, v0"));
    for sampler in 0..4 {
        let (texture, texels): (u32, [Rgba; 2]) = (300 + sampler, [[20 + sampler as u8, 0, 0, 255], [0, 99, 0, 255]]);
        frames.stream.texture(texture, R8G8B8A8, [2, 1], [1, 1]).upload(texture, 0, texels.as_flattened());
        frames.stream.tokens(first + sampler, VERTEX, &tokens(&vertex(sampler)));
        frames.stream.shaders(first + sampler, pixel);
        // The last by its stage, the others by their numbers; those of the pixel shader are other ones.
        let (stage, slot) = if sampler == 3 { (VERTEX, 3) } else { (PIXEL, 257 + sampler) };
        frames.stream.put(SetTexture { stage, slot, texture, stage_ex: 0 });
        draw(frames, [0.25; 4]);
        frames.add(&format!("texture {sampler} of a vertex shader"), SIZE, 0, |_| texels[0]);
        frames.stream.put(SetSamplerState { stage, slot, state: ADDRESSU, value: BORDER });
        frames.stream.put(SetSamplerState { stage, slot, state: BORDERCOLOR, value: argb(OUTSIDE) });
        draw(frames, [1.25; 4]);
        frames.add(&format!("a colour outside of texture {sampler} of a vertex shader"), SIZE, 1, |_| OUTSIDE);
        frames.stream.put(SetSamplerState { stage, slot, state: ADDRESSU, value: WRAP });
    }
    frames.stream.shaders(PASSED, TEXEL);
}

/// Textures of shaders that do not say what they read, and matrices that no packet sets.
fn first_models(frames: &mut Frames) {
    const CUBE: u32 = 310;
    let vertex = "vs_1_1\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\nmov oT1, v1\nmov oD0, v1";
    let faces: Vec<u8> = (1..=6).flat_map(|face| [face * 40, 0, 0, 255]).collect();
    frames.stream.texture(CUBE, R8G8B8A8, [1, 1], [1, 6]).upload(CUBE, 0, &faces);
    frames.stream.tokens(50, VERTEX, &tokens(vertex));
    let mut shader = 51;
    let mut with = |frames: &mut Frames, text: &str| {
        frames.stream.tokens(shader, PIXEL, &tokens(text)).shaders(50, shader);
        shader += 1;
    };
    with(frames, "ps_1_1\ntex t0\nmov r0, t0");
    frames.stream.read(0, CUBE);
    let at = |direction: [f32; 3]| [[direction[0], direction[1], direction[2], 1.0]; 4];
    for (direction, face) in [([1.0, 0.0, 0.0], 1), ([0.0, -1.0, 0.0], 4), ([0.0, 0.0, 1.0], 5)] {
        frames.rectangle(WHOLE, 0.5, at(direction));
        frames.add(&format!("face {face} of a cube"), SIZE, 0, |_| [face * 40, 0, 0, 255]);
    }
    plain_texture(frames, 311, [50, 60, 70, 80]);
    plain_texture(frames, 312, [90, 100, 110, 120]);
    frames.stream.read(0, 311).read(1, 312);
    frames.rectangle(WHOLE, 0.5, at([0.5, 0.5, 0.0]));
    frames.add("no cube any more", SIZE, 0, |_| [50, 60, 70, 80]);
    for (text, expected, about) in [
        ("ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1", [90, 100, 110, 120], "bumps of no height"),
        ("ps_1_1\ntex t0\ntexbeml t1, t0\nmov r0, t1", [0; 4], "bumps without brightness"),
        ("ps_1_4\ndef c0, 0.2, 0.4, 0.0, 0.0\ntexld r1, t0\nmov r0, c0\nbem r0.xy, c0, r1", [51, 102, 0, 0], "bem"),
    ] {
        with(frames, text);
        frames.rectangle(WHOLE, 0.5, at([0.5, 0.5, 0.0]));
        frames.add(about, SIZE, 1, |_| expected);
    }
    frames.stream.shaders(PASSED, TEXEL);
}

/// Elements are matched with inputs by what they mean, wherever they lie.
fn usages(frames: &mut Frames) {
    // Texture coordinate 1 of two floats, another one that nobody reads, and a position, in this order.
    let elements: [[u8; 8]; 4] =
        [[0, 0, 0, 0, 1, 0, 5, 1], [0, 0, 8, 0, 1, 0, 5, 0], [0, 0, 16, 0, 3, 0, 0, 0], [0xff, 0, 0, 0, 17, 0, 0, 0]];
    let text =
        "vs_2_0\ndcl_position v5\ndcl_texcoord1 v2\ndcl_color v1\nmov oPos, v5\nmov oT0, v2\nadd oT0.z, v1.x, v1.y";
    frames.stream.tokens(60, VERTEX, &tokens(text)).layout_of(60, elements.as_flattened()).use_layout(60);
    frames.stream.shaders(60, COORDINATE);
    let corners = [[-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [-1.0, -1.0], [1.0, 1.0], [1.0, -1.0_f32]];
    let vertices = corners.iter().flat_map(|[x, y]| floats(&[0.2, 0.4, 0.9, 0.9, *x, *y, 0.5, 1.0]));
    let bytes: Vec<u8> = vertices.collect();
    frames.next += 1;
    frames.stream.vertices(frames.next, &bytes).draw(0, 6);
    frames.add("inputs by what they mean", SIZE, 1, |_| [51, 102, 0, 255]);
    frames.stream.use_layout(1).shaders(PASSED, COORDINATE);
}

/// Factors that are colours: of what is drawn, of what is there, and of the pixel shader's second colour.
fn factors(frames: &mut Frames) {
    let [below, above, second]: [Rgba; 3] = [[40, 80, 120, 160], [200, 100, 50, 150], [51, 102, 204, 255]];
    let text = "ps_2_0\ndcl t0\ndef c0, 0.2, 0.4, 0.8, 1.0\nmov oC0, t0\nmov oC1, c0";
    frames.stream.tokens(70, PIXEL, &tokens(text));
    let part = |byte: u8| f64::from(byte) / 255.0;
    type Factor = fn([f64; 3], [f64; 3], [f64; 3]) -> f64;
    // Of the color drawn, the color there and the second one: each with the channel itself, the alpha, the other's alpha.
    let of: [(u32, &str, Factor); 13] = [
        (1, "zero", |_, _, _| 0.0),
        (2, "one", |_, _, _| 1.0),
        (3, "the colour drawn", |above, _, _| above[0]),
        (4, "the rest of the colour drawn", |above, _, _| 1.0 - above[0]),
        (5, "the alpha drawn", |above, _, _| above[1]),
        (6, "the rest of the alpha drawn", |above, _, _| 1.0 - above[1]),
        (7, "the alpha there", |_, below, _| below[1]),
        (8, "the rest of the alpha there", |_, below, _| 1.0 - below[1]),
        (9, "the colour there", |_, below, _| below[0]),
        (10, "the rest of the colour there", |_, below, _| 1.0 - below[0]),
        (11, "the alpha that is left", |above, below, _| above[1].min(1.0 - below[1])),
        (16, "the second colour", |_, _, second| second[0]),
        (17, "the rest of the second colour", |_, _, second| 1.0 - second[0]),
    ];
    for (number, name, factor) in of {
        let pixel = if number > 15 { 70 } else { COORDINATE };
        frames.stream.shaders(PASSED, COORDINATE);
        frames.set(&[(27, 0)]).plain(below).stream.shaders(PASSED, pixel);
        frames.set(&[(27, 1), (19, number), (20, 2)]).plain(above);
        let expected: Rgba = std::array::from_fn(|at| {
            let both = |color: Rgba| [part(color[at]), part(color[3]), 0.0];
            // The factor of what is left is 1 for alpha.
            let factor = if number == 11 && at == 3 { 1.0 } else { factor(both(above), both(below), both(second)) };
            unorm(part(above[at]) * factor + part(below[at]))
        });
        frames.add(&format!("times {name}"), SIZE, 1, |_| expected);
    }
    for (number, name, of_above) in [(12, "alpha sets both", 0), (13, "the rest of alpha sets both", 1)] {
        frames.stream.shaders(PASSED, COORDINATE);
        frames.set(&[(27, 0)]).plain(below).set(&[(27, 1), (19, number), (20, 2)]).plain(above);
        let alpha = part(above[3]);
        let (one, other) = if of_above == 0 { (alpha, 1.0 - alpha) } else { (1.0 - alpha, alpha) };
        let expected = std::array::from_fn(|at| unorm(part(above[at]) * one + part(below[at]) * other));
        frames.add(name, SIZE, 1, |_| expected);
    }
    frames.set(&[(27, 0)]);
}
