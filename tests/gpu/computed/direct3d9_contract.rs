//! Contract with the guest's Direct3D 9 driver, and rules of Direct3D 9 that are easily missed: alpha in eight bits, faces of
//! cubes, mips beyond all, swizzles of samplers, textures that are not there, fog of shaders, and clears by the curve.

use aerogpu_replay::abi::a3a0::Elements;
use aerogpu_replay::abi::a3a0::shaders::SetShaderConstantsF;

use super::direct3d9_rules::{Frames, declaration};
use super::direct3d9_sampling::tokens;
use super::{Frame, unorm};
use crate::support::streams::*;
use dev_d3d_assembler::legacy::{Lengths, assemble};

type Rgba = [u8; 4];

const TARGET: u32 = 1;
const ROW: [u32; 2] = [8, 1];
const VERTEX_ID: u32 = 20;
const LAYOUT: u32 = 1;

// States.
const ALPHATESTENABLE: u32 = 15;
const ALPHAREF: u32 = 24;
const ALPHAFUNC: u32 = 25;
const FOGENABLE: u32 = 28;
const FOGCOLOR: u32 = 34;
const FOGTABLEMODE: u32 = 35;
const SRGBWRITEENABLE: u32 = 194;
const ADDRESSU: u32 = 1;
const BORDERCOLOR: u32 = 4;
const MAGFILTER: u32 = 5;
const MINFILTER: u32 = 6;
const MIPFILTER: u32 = 7;
const MIPMAPLODBIAS: u32 = 8;

/// Whether an alpha passes beside a reference, both of 255.
type AlphaFunction = fn(f64, f64) -> bool;

/// The frames made so far, and the last shader's handle.
struct Contract {
    frames: Frames,
    shader: u32,
}

impl Contract {
    fn with_pixel(&mut self, text: &str) {
        self.with_tokens(tokens(text));
    }

    /// A pixel shader as the driver makes it: no operand has bit 31.
    fn with_drivers(&mut self, text: &str, lengths: Lengths) {
        let text = text.replacen('\n', "\n.producer driver\n", 1);
        let bytes = assemble(&text, lengths);
        self.with_tokens(bytes.as_chunks().0.iter().map(|token| u32::from_le_bytes(*token)).collect());
    }

    fn with_tokens(&mut self, tokens: Vec<u32>) {
        self.shader += 1;
        self.frames.stream.tokens(self.shader, PIXEL, &tokens).shaders(VERTEX_ID, self.shader);
    }

    /// Draws the row with coordinates that change from the left edge to the right one; says them of each pixel.
    fn across(&mut self, left: [f32; 4], right: [f32; 4]) {
        self.frames.stream.clear(1, [0.0; 4], 1.0);
        self.frames.rectangle(WHOLE, 0.5, [left, right, left, right]);
    }
}

/// The value in the middle of a pixel of the row: pixels have their centres on whole numbers.
fn at(left: f32, right: f32, x: u32) -> f64 {
    f64::from(left) + (f64::from(right) - f64::from(left)) * f64::from(x) / 8.0
}

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    let vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1";
    stream
        .tokens(VERTEX_ID, VERTEX, &tokens(vertex))
        .layout_of(LAYOUT, &declaration(3))
        .use_layout(LAYOUT)
        .topology(TRIANGLE_LIST)
        .texture(TARGET, R8G8B8A8, ROW, [1, 1])
        .targets(&[TARGET], 0)
        .viewport([0.0, 0.0, ROW[0] as f32, ROW[1] as f32]);
    let mut contract = Contract { frames: Frames { made: Vec::new(), stream, next: 400 }, shader: 20 };
    contract.frames.set(&[(22, 1), (7, 0)]);
    alpha_in_eight_bits(&mut contract);
    unbound_textures(&mut contract);
    swizzles_of_samplers(&mut contract);
    faces_of_cubes(&mut contract);
    mips_beyond_all(&mut contract);
    fog(&mut contract);
    clears_by_the_curve(&mut contract);
    contract.frames.made
}

/// Alpha is compared as the eight bits that the target would get: rounded to nearest and clamped.
fn alpha_in_eight_bits(contract: &mut Contract) {
    contract.with_pixel("ps_2_0\ndcl t0\nmov oC0, t0");
    let passes: [(u32, AlphaFunction); 6] = [
        (2, |alpha, reference| alpha < reference),
        (3, |alpha, reference| alpha == reference),
        (4, |alpha, reference| alpha <= reference),
        (5, |alpha, reference| alpha > reference),
        (6, |alpha, reference| alpha != reference),
        (7, |alpha, reference| alpha >= reference),
    ];
    for (function, passes) in passes {
        for (reference, first, step) in [(128_u8, 126.2_f32, 0.45_f32), (0, -20.0, 3.1), (255, 250.3, 1.3)] {
            contract.frames.set(&[(ALPHATESTENABLE, 1), (ALPHAREF, reference.into()), (ALPHAFUNC, function)]);
            let (left, right) = (first / 255.0, (first + 8.0 * step) / 255.0);
            contract.across([1.0, 0.0, 0.0, left], [1.0, 0.0, 0.0, right]);
            contract.frames.add(&format!("alpha function {function} of {reference}"), ROW, 1, |x| {
                let alpha = (at(left, right, x).clamp(0.0, 1.0) * 255.0 + 0.5).floor();
                if passes(alpha, reference.into()) { [255, 0, 0, alpha as u8] } else { [0; 4] }
            });
        }
    }
    contract.frames.set(&[(ALPHATESTENABLE, 0)]);
}

/// The driver fills surfaces by its copy shader with no texture bound.
fn unbound_textures(contract: &mut Contract) {
    let color: Rgba = [51, 102, 204, 255];
    let values = floats(&color.map(|channel| f32::from(channel) / 255.0));
    let values = Elements::new(&values).unwrap();
    let set = SetShaderConstantsF { stage: PIXEL, start_register: 0, vec4_count: 1, stage_ex: 0, values };
    contract.frames.stream.put(set);
    let copy = "ps_2_0\ntexld r0, t0, s0\nmul r0, r0, c0\nmov oC0, r0";
    contract.with_drivers(copy, Lengths::Microsoft);
    contract.across([0.5; 4], [0.5; 4]);
    contract.frames.add("the driver's shader reads white where nothing is bound", ROW, 0, |_| color);
    contract.frames.set_sampler(&[(ADDRESSU, 4), (BORDERCOLOR, 0x1122_3344)]);
    contract.with_drivers(copy, Lengths::Total);
    contract.across([-2.0; 4], [3.0; 4]);
    contract.frames.add("nothing has no border either", ROW, 0, |_| color);
    contract.frames.set_sampler(&[(ADDRESSU, 1), (BORDERCOLOR, 0)]);
    contract.with_pixel("ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, c0\nmov oC0, r0");
    contract.across([0.5; 4], [0.5; 4]);
    contract.frames.add("an application's reads opaque black", ROW, 0, |_| [0, 0, 0, 255]);
}

/// A swizzle behind a sampler is of what is sampled, before the mask.
fn swizzles_of_samplers(contract: &mut Contract) {
    const TEXTURE: u32 = 10;
    let texel: Rgba = [10, 20, 30, 40];
    contract.frames.stream.texture(TEXTURE, R8G8B8A8, [1, 1], [1, 1]).upload(TEXTURE, 0, &texel).read(0, TEXTURE);
    let [red, green, blue, alpha] = texel;
    for (lanes, expected) in [
        ("", texel),
        (".wzyx", [alpha, blue, green, red]),
        (".x", [red; 4]),
        (".yyzw", [green, green, blue, alpha]),
        (".zx", [blue, red, red, red]),
    ] {
        for (head, lookup) in [
            ("ps_2_0\ndcl t0\ndcl_2d s0", "texld r0, t0, s0"),
            ("ps_2_0\ndcl t0\ndcl_2d s0", "texldb r0, t0, s0"),
            ("ps_2_x\ndcl t0\ndcl_2d s0", "texldd r0, t0, s0, c1, c1"),
            ("ps_3_0\ndcl_texcoord v0\ndcl_2d s0", "texldl r0, v0, s0"),
        ] {
            let lookup = lookup.replacen("s0", &format!("s0{lanes}"), 1);
            contract.with_pixel(&format!("{head}\n{lookup}\nmov oC0, r0"));
            contract.across([0.5, 0.5, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0]);
            contract.frames.add(&lookup, ROW, 0, |_| expected);
        }
    }
    contract.with_pixel(
        "ps_2_0\ndcl t0\ndcl_2d s0\ndef c1, 1.0, 1.0, 1.0, 1.0\nmov r0, c1\ntexld r0.xy, t0, s0.zwxy\nmov oC0, r0",
    );
    contract.across([0.5; 4], [0.5; 4]);
    contract.frames.add("the mask comes behind the swizzle", ROW, 0, |_| [blue, alpha, 255, 255]);
}

/// Texels are joined within a face: one whose texels are alike is alike up to its edges.
fn faces_of_cubes(contract: &mut Contract) {
    const CUBE: u32 = 11;
    let mut texels = Vec::new();
    for face in 1..=6_u8 {
        // Mips of 4, 2 and 1 texels, each of a green of its own.
        for (mip, count) in [(0, 16), (1, 4), (2, 1)] {
            texels.extend([face * 40, mip * 100, 0, 255].repeat(count));
        }
    }
    contract.frames.stream.texture(CUBE, R8G8B8A8, [4, 4], [3, 6]).upload(CUBE, 0, &texels).read(0, CUBE);
    for (filters, about) in [
        ([2, 2, 0], "no mips"),
        ([2, 2, 1], "the nearest mip"),
        ([2, 2, 2], "joined mips"),
        ([1, 2, 0], "linear when made smaller"),
    ] {
        let [mag, min, mip] = filters;
        contract.frames.set_sampler(&[(MAGFILTER, mag), (MINFILTER, min), (MIPFILTER, mip)]);
        for (pixel, about_pixel) in [
            ("ps_2_0\ndcl t0\ndcl_cube s0\ntexld r0, t0, s0\nmov oC0, r0", "texld"),
            ("ps_1_1\ntex t0\nmov r0, t0", "tex"),
        ] {
            contract.with_pixel(pixel);
            // From +x to +z.
            let (left, right) = ([1.0, 0.2, 0.1, 0.0], [1.0, 0.2, 1.8, 0.0]);
            contract.across(left, right);
            contract.frames.add(&format!("faces, {about}, {about_pixel}"), ROW, 0, |x| {
                let face = if at(0.1, 1.8, x) < 1.0 { 1 } else { 5 };
                [face * 40, 0, 0, 255]
            });
        }
        // Half-way between two mips of a face, and at its edge.
        contract.with_pixel("ps_3_0\ndcl_texcoord v0\ndcl_cube s0\ntexldl r0, v0, s0\nmov oC0, r0");
        let level = 0.5;
        contract.across([1.0, 0.99, 0.1, level], [1.0, 0.99, 0.1, level]);
        let green = match mip {
            0 => 0,
            1 => 100,
            _ => 50,
        };
        contract.frames.add(&format!("faces, {about}, half a level down"), ROW, 1, |_| [40, green, 0, 255]);
    }
    contract.frames.set_sampler(&[(MAGFILTER, 1), (MINFILTER, 1), (MIPFILTER, 0)]);
}

/// A bias beyond all mips ends at the last one, or at the first.
fn mips_beyond_all(contract: &mut Contract) {
    const TEXTURE: u32 = 12;
    let mut texels = Vec::new();
    for (mip, count) in [(0_u8, 64), (1, 16), (2, 4), (3, 1)] {
        texels.extend([mip * 60 + 10, 0, 0, 255].repeat(count));
    }
    contract.frames.stream.texture(TEXTURE, R8G8B8A8, [8, 8], [4, 1]).upload(TEXTURE, 0, &texels).read(0, TEXTURE);
    for (bias, mip) in [(20.0_f32, 3), (1000.0, 3), (1e30, 3), (f32::INFINITY, 3), (-20.0, 0), (-1000.0, 0), (-1e30, 0)]
    {
        for filter in [1, 2] {
            contract.frames.set_sampler(&[(MIPFILTER, filter), (MIPMAPLODBIAS, bias.to_bits())]);
            for (head, lookup) in [
                ("ps_2_0\ndcl t0\ndcl_2d s0", "texld r0, t0, s0"),
                ("ps_2_0\ndcl t0\ndcl_2d s0", "texldb r0, t0, s0"),
                (
                    "ps_2_x\ndcl t0\ndcl_2d s0\ndef c1, 0.125, 0.0, 0.0, 0.0\ndef c2, 0.0, 0.125, 0.0, 0.0",
                    "texldd r0, t0, s0, c1, c2",
                ),
                ("ps_3_0\ndcl_texcoord v0\ndcl_2d s0", "texldl r0, v0, s0"),
            ] {
                contract.with_pixel(&format!("{head}\n{lookup}\nmov oC0, r0"));
                // One texel a pixel across.
                contract.across([0.0, 0.5, 0.0, 0.0], [1.0, 0.5, 0.0, 0.0]);
                contract
                    .frames
                    .add(&format!("{lookup}, bias {bias}, filter {filter}"), ROW, 0, |_| [mip * 60 + 10, 0, 0, 255]);
            }
        }
    }
    // What a shader adds goes beyond all mips as well.
    contract.frames.set_sampler(&[(MIPFILTER, 2), (MIPMAPLODBIAS, 0)]);
    for (bias, mip) in [(40.0_f32, 3), (1e20, 3), (-40.0, 0)] {
        contract.with_pixel("ps_2_0\ndcl t0\ndcl_2d s0\ntexldb r0, t0, s0\nmov oC0, r0");
        contract.across([0.0, 0.5, 0.0, bias], [1.0, 0.5, 0.0, bias]);
        contract.frames.add(&format!("texldb by {bias}"), ROW, 0, |_| [mip * 60 + 10, 0, 0, 255]);
    }
    contract.frames.set_sampler(&[(MIPFILTER, 0)]);
}

/// Fog of an application's shaders without `oFog` is the alpha of the second colour; the driver's own shaders get none.
fn fog(contract: &mut Contract) {
    const VERTEX_OF_FOG: u32 = 1000;
    let fog: Rgba = [0, 0, 255, 255];
    contract.frames.set(&[(FOGENABLE, 1), (FOGCOLOR, 0xff00_00ff), (FOGTABLEMODE, 0)]);
    for (number, (text, left)) in [
        ("mov oD1, v1", 0.25),
        ("mov oD1.w, v1.w", 0.25),
        ("mov oD1.xyz, v1", 0.0),
        ("nop", 0.0),
        ("mov oD1, v1\nmov oFog, v1.x", 1.0),
    ]
    .into_iter()
    .enumerate()
    {
        for (model, part) in [("vs_1_1", 0), ("vs_2_0", 1)] {
            let vertex = VERTEX_OF_FOG + 2 * number as u32 + part;
            let source = format!("{model}\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n{text}");
            contract.frames.stream.tokens(vertex, VERTEX, &tokens(&source));
            contract.with_pixel("ps_2_0\ndef c1, 1.0, 0.0, 0.0, 1.0\nmov oC0, c1");
            contract.frames.stream.shaders(vertex, contract.shader);
            contract.across([1.0, 0.0, 0.0, 0.25], [1.0, 0.0, 0.0, 0.25]);
            let expected = [unorm(left), 0, unorm(1.0 - left), fog[3]];
            contract.frames.add(&format!("fog of {model} by {}", text.replace('\n', ", ")), ROW, 1, |_| expected);
        }
    }
    for lengths in [Lengths::Microsoft, Lengths::Total] {
        for curve in [0, 3] {
            contract.frames.set(&[(FOGTABLEMODE, curve)]);
            contract.with_drivers("ps_2_0\ndef c1, 1.0, 0.0, 0.0, 1.0\nmov oC0, c1", lengths);
            contract.across([0.0; 4], [0.0; 4]);
            contract.frames.add("no fog behind the driver's shader", ROW, 0, |_| [255, 0, 0, 255]);
        }
    }
    contract.frames.set(&[(FOGENABLE, 0), (FOGTABLEMODE, 0)]);
}

/// A CLEAR is a write, by the curve where writes are.
fn clears_by_the_curve(contract: &mut Contract) {
    let linear = [0.214_f32, 1.0, 0.0, 0.5];
    contract.frames.set(&[(SRGBWRITEENABLE, 1)]);
    contract.frames.stream.clear(1, linear, 1.0);
    contract.frames.add("a clear by the curve", ROW, 1, |_| [127, 255, 0, 128]);
    contract.frames.set(&[(SRGBWRITEENABLE, 0)]);
    contract.frames.stream.clear(1, linear, 1.0);
    contract.frames.add("a clear without it", ROW, 1, |_| [55, 255, 0, 128]);
}
