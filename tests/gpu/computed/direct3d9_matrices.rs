//! The texture instructions of the first pixel shaders that multiply by a matrix: directions into a cube, reflections, and
//! depths.

use super::Frame;
use super::direct3d9_rules::{Frames, declaration};
use super::direct3d9_sampling::tokens;
use crate::support::streams::*;

const TARGET: u32 = 1;
const DEPTH: u32 = 2;
const CUBE: u32 = 3;
const SIZE: [u32; 2] = [8, 8];
const ROWS: u32 = 1;
const D24S8: u32 = 32;

/// Where the eye is, for a shader that takes it from the last lanes of coordinates.
const EYE: [f32; 3] = [0.9, 0.0, 0.3];

pub fn frames() -> Vec<Frame> {
    let [x, y, z] = EYE;
    // The rows turn x, y, z into y, z, x.
    let rows = format!(
        "vs_1_1\ndef c10, 0.0, 1.0, 0.0, {x}\ndef c11, 0.0, 0.0, 1.0, {y}\ndef c12, 1.0, 0.0, 0.0, {z}\ndcl_position v0\n\
         dcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\nmov oT1, c10\nmov oT2, c11\nmov oT3, c12"
    );
    let faces: Vec<u8> = (1..=6).flat_map(|face| [face * 40, 0, 0, 255]).collect();
    let mut stream = Stream::new();
    stream
        .tokens(ROWS, VERTEX, &tokens(&rows))
        .layout_of(1, &declaration(3))
        .use_layout(1)
        .topology(TRIANGLE_LIST)
        .texture(TARGET, R8G8B8A8, SIZE, [1, 1])
        .texture(DEPTH, D24S8, SIZE, [1, 1])
        .texture(CUBE, R8G8B8A8, [1, 1], [1, 6])
        .upload(CUBE, 0, &faces)
        .read(3, CUBE)
        .targets(&[TARGET], DEPTH)
        .viewport([0.0, 0.0, SIZE[0] as f32, SIZE[1] as f32]);
    let mut frames = Frames { made: Vec::new(), stream, next: 100 };
    // Both sides are drawn, and depth does not count.
    frames.set(&[(22, 1), (7, 0)]);
    let mut shader = 10;
    directions(&mut frames, &mut shader);
    depths(&mut frames, &mut shader);
    frames.made
}

fn with(frames: &mut Frames, shader: &mut u32, text: &str) {
    *shader += 1;
    frames.stream.tokens(*shader, PIXEL, &tokens(text)).shaders(ROWS, *shader);
}

/// A value from -1 to 1 as the first coordinate has it.
fn packed(value: [f32; 3]) -> [[f32; 4]; 4] {
    let [x, y, z] = value.map(|lane| lane / 2.0 + 0.5);
    [[x, y, z, 1.0]; 4]
}

/// The face of a cube that a direction meets.
fn face([x, y, z]: [f32; 3]) -> u8 {
    let side = |lane: f32, first: u8| if lane > 0.0 { first } else { first + 1 };
    match [x, y, z].map(f32::abs) {
        [a, b, c] if a > b && a > c => side(x, 1),
        [_, b, c] if b > c => side(y, 3),
        _ => side(z, 5),
    }
}

fn turned([x, y, z]: [f32; 3]) -> [f32; 3] {
    [y, z, x]
}

/// 2 · (N · E) / (N · N) · N − E
fn reflected(normal: [f32; 3], eye: [f32; 3]) -> [f32; 3] {
    let dot = |a: [f32; 3], b: [f32; 3]| (0..3).map(|at| a[at] * b[at]).sum::<f32>();
    let factor = 2.0 * dot(normal, eye) / dot(normal, normal);
    std::array::from_fn(|at| factor * normal[at] - eye[at])
}

fn directions(frames: &mut Frames, shader: &mut u32) {
    let rows = "ps_1_1\ntexcoord t0\ntexm3x3pad t1, t0_bx2\ntexm3x3pad t2, t0_bx2\n";
    let values = [
        [1.0, 0.0, 0.0],
        [-1.0, 0.2, 0.1],
        [0.0, 1.0, 0.25],
        [0.1, -0.75, 0.0],
        [0.0, 0.25, 0.5],
        [0.25, 0.0, -1.0],
        [0.6, 0.5, -0.4],
    ];
    with(frames, shader, &format!("{rows}texm3x3tex t3, t0_bx2\nmov r0, t3"));
    for value in values {
        frames.rectangle(WHOLE, 0.5, packed(value));
        let color = [face(turned(value)) * 40, 0, 0, 255];
        frames.add(&format!("the direction of {value:?}"), SIZE, 0, |_| color);
    }
    for (text, eye, about) in
        [("def c0, -0.2, 0.8, 0.3, 0.0", [-0.2, 0.8, 0.3], "an eye in a constant"), ("", EYE, "an eye in coordinates")]
    {
        let rows = rows.replace("ps_1_1\n", &format!("ps_1_1\n{text}\n"));
        let last = if text.is_empty() { "texm3x3vspec t3, t0_bx2" } else { "texm3x3spec t3, t0_bx2, c0" };
        with(frames, shader, &format!("{rows}{last}\nmov r0, t3"));
        for value in values {
            frames.rectangle(WHOLE, 0.5, packed(value));
            let color = [face(reflected(turned(value), eye)) * 40, 0, 0, 255];
            frames.add(&format!("the reflection at {value:?} of {about}"), SIZE, 0, |_| color);
        }
    }
}

/// A depth that a shader divides lies between what is drawn in front of it and behind it.
fn depths(frames: &mut Frames, shader: &mut u32) {
    const COLORS: [[u8; 4]; 2] = [[51, 0, 0, 255], [0, 102, 0, 255]];
    let color = |[red, green, blue, _]: [u8; 4]| {
        let [red, green, blue] = [red, green, blue].map(|channel| f32::from(channel) / 255.0);
        format!("def c1, {red}, {green}, {blue}, 1.0\n")
    };
    let plain = |color: [u8; 4]| color.map(|channel| f32::from(channel) / 255.0);
    let by_quotient = format!("ps_1_4\n{}texcrd r5.xyz, t0\nphase\ntexdepth r5\nmov r0, c1", color(COLORS[0]));
    // Of rows (0, 1, 0) and (0, 0, 1): the quotient of y and z.
    let by_rows =
        format!("ps_1_3\n{}texcoord t0\ntexm3x2pad t1, t0\ntexm3x2depth t2, t0\nmov r0, c1", color(COLORS[0]));
    for (text, coordinate, depth, about) in [
        (&by_quotient, [0.3, 0.6, 0.0], 0.5, "a quotient"),
        (&by_quotient, [0.75, 1.0, 0.0], 0.75, "another quotient"),
        (&by_quotient, [0.25, 0.0, 0.0], 1.0, "a quotient of 0"),
        (&by_rows, [1.0, 0.2, 0.8], 0.25, "a quotient of rows"),
        (&by_rows, [1.0, 0.2, 0.0], 1.0, "a quotient of a row that is 0"),
    ] {
        for (behind, is_seen) in [(-0.0625, true), (0.0625_f32, false)] {
            let test = depth + behind;
            if !(0.0..=1.0).contains(&test) {
                continue;
            }
            frames.stream.clear(3, [0.0; 4], 1.0);
            // Whatever is there before.
            frames.set(&[(7, 1), (14, 1), (23, 8)]);
            with(frames, shader, text);
            let [x, y, z] = coordinate;
            frames.rectangle(WHOLE, 0.125, [[x, y, z, 1.0]; 4]);
            frames.set(&[(23, 2)]);
            with(frames, shader, "ps_1_1\ntexcoord t0\nmov r0, t0");
            frames.rectangle(WHOLE, test, [plain(COLORS[1]); 4]);
            let seen = if is_seen { COLORS[1] } else { COLORS[0] };
            frames.add(&format!("{about}, with something at {test}"), SIZE, 1, |_| seen);
        }
    }
    frames.set(&[(7, 0)]);
}
