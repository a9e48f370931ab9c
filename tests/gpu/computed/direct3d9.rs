//! Work of Direct3D 9 around the shaders.

use aerogpu_replay::abi::a3a0::Elements;
use aerogpu_replay::abi::a3a0::bindings::SetRenderState;
use aerogpu_replay::abi::a3a0::shaders::SetShaderConstantsF;

use super::{Frame, unorm};
use crate::support::streams::*;

type Rgba = [u8; 4];

const TARGET: u32 = 1;
const TEXTURE: u32 = 2;
/// A cell for each eighth.
const SIZE: [u32; 2] = [8, 1];
const TEXEL: Rgba = [200, 120, 40, 100];
const FOG: Rgba = [10, 250, 90, 255];

// Render states.
const ALPHATESTENABLE: u32 = 15;
const CULLMODE: u32 = 22;
const ALPHAREF: u32 = 24;
const ALPHAFUNC: u32 = 25;
const FOGENABLE: u32 = 28;
const FOGCOLOR: u32 = 34;
const FOGTABLEMODE: u32 = 35;
const FOGSTART: u32 = 36;
const FOGEND: u32 = 37;
const FOGDENSITY: u32 = 38;
const FOGVERTEXMODE: u32 = 140;
const COLORWRITEENABLE: u32 = 168;

/// `DECL`: four floats of position, four of texture coordinates.
const DECLARATION: [u8; 24] = [0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 16, 0, 3, 0, 5, 0, 0xff, 0, 0, 0, 17, 0, 0, 0];

/// The frames made so far, and the stream of the next one.
struct Frames {
    made: Vec<Frame>,
    stream: Stream,
}

impl Frames {
    fn set(&mut self, states: &[(u32, u32)]) {
        states.iter().for_each(|(state, value)| {
            self.stream.put(SetRenderState { state: *state, value: *value });
        });
    }

    /// Draws all cells from a vertex on, and expects a colour for each.
    fn draw(&mut self, about: &str, first_vertex: u32, tolerance: u8, color: impl Fn(u32) -> Rgba) {
        self.stream.clear(1, [0.0; 4], 1.0).draw(first_vertex, 6 * SIZE[0]).present();
        let stream = std::mem::replace(&mut self.stream, Stream::new()).finish();
        let rgba = (0..SIZE[0]).map(color).collect();
        self.made.push(Frame { about: about.to_owned(), stream, size: SIZE, rgba, tolerance });
    }
}

/// Cells in depths of 0 to 7 eighths, whose vertices say that as much is left of their colour; the same in a perspective,
/// with a w of 1 to 8.
fn cells() -> Vec<u8> {
    let part = |number: u32| number as f32 / 8.0;
    let corners = |number: u32| [[0.5, 0.5, part(number), 1.0]; 4];
    let flat = (0..8).flat_map(|number| rectangle(cell([number, 0], SIZE), part(number), corners(number)));
    let deep = (0..8).flat_map(|number| {
        let w = number as f32 + 1.0;
        let vertices = rectangle(cell([number, 0], SIZE), 0.5, corners(number));
        let vertices = vertices.as_chunks::<4>().0.chunks(8).flat_map(move |vertex| {
            (0..).zip(vertex).map(move |(at, bytes)| {
                let value = f32::from_le_bytes(*bytes);
                if at < 4 { value * w } else { value }
            })
        });
        floats(&vertices.collect::<Vec<f32>>())
    });
    flat.chain(deep).collect()
}

const FLAT: u32 = 0;
const DEEP: u32 = 6 * 8;

/// A colour of which so much is left.
fn in_fog(left: f64) -> Rgba {
    let left = left.clamp(0.0, 1.0);
    let mixed = |at: usize| unorm((f64::from(FOG[at]) + (f64::from(TEXEL[at]) - f64::from(FOG[at])) * left) / 255.0);
    [mixed(0), mixed(1), mixed(2), TEXEL[3]]
}

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    let tint = floats(&[1.0; 4]);
    let values = Elements::new(&tint).unwrap();
    stream
        .tokens(1, VERTEX, &VERTEX_SHADER_9)
        .bytecode(2, VERTEX, "fog.vs.d3dbc")
        .tokens(3, PIXEL, &PIXEL_SHADER_9)
        .shaders(1, 3)
        .layout_of(1, &DECLARATION)
        .use_layout(1)
        .vertices(4, &cells())
        .topology(TRIANGLE_LIST)
        .texture(TARGET, R8G8B8A8, SIZE, [1, 1])
        .targets(&[TARGET], 0)
        .viewport([0.0, 0.0, SIZE[0] as f32, SIZE[1] as f32])
        .texture(TEXTURE, R8G8B8A8, [1, 1], [1, 1])
        .upload(TEXTURE, 0, &TEXEL)
        .read(0, TEXTURE)
        .put(SetShaderConstantsF { stage: PIXEL, start_register: 0, vec4_count: 1, stage_ex: 0, values });
    let mut frames = Frames { made: Vec::new(), stream };
    frames.set(&[(CULLMODE, 1)]);
    fog(&mut frames);
    alpha_test(&mut frames);
    write_mask(&mut frames);
    frames.made
}

fn fog(frames: &mut Frames) {
    let [red, green, blue, _] = FOG.map(u32::from);
    let eighths = |number: u32| f64::from(number) / 8.0;
    frames.set(&[(FOGCOLOR, 0xff00_0000 | red << 16 | green << 8 | blue)]);
    frames.draw("fog that is off", FLAT, 0, |_| TEXEL);
    frames.set(&[(FOGENABLE, 1)]);
    // Without a second colour either, fog hides all.
    frames.draw("a vertex shader that says nothing of fog", FLAT, 1, |_| in_fog(0.0));
    frames.stream.shaders(2, 3);
    frames.draw("a vertex shader that says how much is left", FLAT, 1, |number| in_fog(eighths(number)));
    // The curve once per vertex is that of a device without vertex shaders.
    frames.set(&[(FOGVERTEXMODE, 3), (FOGSTART, 0.25_f32.to_bits()), (FOGEND, 0.75_f32.to_bits())]);
    frames.draw("a curve once per vertex beside a vertex shader", FLAT, 1, |number| in_fog(eighths(number)));
    frames.set(&[(FOGTABLEMODE, 3)]);
    frames.draw("linear by depth", FLAT, 1, |number| in_fog((0.75 - eighths(number)) / 0.5));
    frames.set(&[(FOGTABLEMODE, 1), (FOGDENSITY, 2.0_f32.to_bits())]);
    frames.draw("exponential by depth", FLAT, 1, |number| in_fog((-2.0 * eighths(number)).exp()));
    frames.set(&[(FOGTABLEMODE, 2)]);
    frames
        .draw("exponential by the square of depth", FLAT, 1, |number| in_fog((-(2.0 * eighths(number)).powi(2)).exp()));
    frames.set(&[(FOGTABLEMODE, 3), (FOGSTART, 2.0_f32.to_bits()), (FOGEND, 6.0_f32.to_bits())]);
    // Of the cell whose w is 1 the depth counts, which is nearer than where fog starts.
    frames.draw("linear by distance", DEEP, 1, |number| in_fog((6.0 - f64::from(number + 1)) / 4.0));
    frames.set(&[(FOGTABLEMODE, 1), (FOGDENSITY, 0.25_f32.to_bits())]);
    let distance = |number: u32| if number == 0 { 0.5 } else { f64::from(number + 1) };
    frames.draw("exponential by distance", DEEP, 1, |number| in_fog((-0.25 * distance(number)).exp()));
    frames.set(&[(FOGENABLE, 0)]);
    frames.draw("fog that is off again", DEEP, 0, |_| TEXEL);
}

/// The texture has an alpha of 100.
fn alpha_test(frames: &mut Frames) {
    frames.set(&[(ALPHATESTENABLE, 1)]);
    for (function, name, passes) in [
        (1, "never", [false, false, false]),
        (2, "less", [false, false, true]),
        (3, "equal", [false, true, false]),
        (4, "less or equal", [false, true, true]),
        (5, "greater", [true, false, false]),
        (6, "not equal", [true, false, true]),
        (7, "greater or equal", [true, true, false]),
        (8, "always", [true, true, true]),
    ] {
        for (reference, passes) in [99, 100, 101].into_iter().zip(passes) {
            frames.set(&[(ALPHAFUNC, function), (ALPHAREF, reference)]);
            let about = format!("an alpha of 100, {name}, {reference}");
            frames.draw(&about, FLAT, 0, |_| if passes { TEXEL } else { [0; 4] });
        }
    }
    frames.set(&[(ALPHATESTENABLE, 0)]);
}

fn write_mask(frames: &mut Frames) {
    for mask in 0..16 {
        frames.set(&[(COLORWRITEENABLE, mask)]);
        let masked = |_| std::array::from_fn(|at| if mask >> at & 1 == 1 { TEXEL[at] } else { 0 });
        frames.draw(&format!("a write mask of {mask}"), FLAT, 0, masked);
    }
}
