//! Values that the pipeline gives pixels: where they are, and which side of a triangle they see.

use aerogpu_replay::abi::a3a0::Bytes;
use aerogpu_replay::abi::a3a0::shaders::CreateShaderDxbc;
use aerogpu_replay::abi::a3a0::state::SetRasterizerState;

use super::{Frame, unorm};
use crate::gpu::d3d_programs::assemble;
use crate::support::streams::*;

const TARGET: u32 = 1;
/// Pixels of the target, which has one row.
const ROW: u32 = 12;
/// A rectangle is two triangles.
const CORNERS: u32 = 6;

const VERTICES: u32 = 2;
const W: u32 = 2;
const PLACE: u32 = 3;
const SIDE: u32 = 4;

/// A pixel shader whose result is what `line` leaves in `r0`.
fn pixel_shader(line: &str) -> Vec<u8> {
    let text = format!(
        "ps_5_0\ndcl_input_ps_position v0.xyzw\ndcl_input_ps_front_face v2.x\ndcl_output o0.xyzw\ndcl_temps 1\n\
         {line}\nmov o0.xyzw, r0.xyzw\nret"
    );
    let inputs = [("SV_Position", 0, 15, 3, 1), ("SV_IsFrontFace", 2, 1, 1, 9)];
    assemble(&text, &inputs, &[("SV_Target", 0, 15, 3, 0)])
}

/// A rectangle over all pixels, at a depth of 0.5, whose corners at the left and at the right have these w.
fn rectangle_of(left_w: f32, right_w: f32) -> Vec<u8> {
    let corner = |x: f32, y: f32| {
        let w = if x < 0.0 { left_w } else { right_w };
        floats(&[x * w, y * w, 0.5 * w, w, 0.0, 0.0, 0.0, 0.0])
    };
    [(-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, -1.0), (1.0, 1.0), (1.0, -1.0)]
        .into_iter()
        .flat_map(|(x, y)| corner(x, y))
        .collect()
}

struct Frames {
    made: Vec<Frame>,
    stream: Stream,
}

impl Frames {
    fn add(&mut self, about: &str, color: impl Fn(u32) -> [f64; 4]) {
        self.stream.present();
        let stream = std::mem::replace(&mut self.stream, Stream::new()).finish();
        let rgba = (0..ROW).map(|x| color(x).map(unorm)).collect();
        self.made.push(Frame { about: about.to_owned(), stream, size: [ROW, 1], rgba, tolerance: 1 });
    }

    fn front_is(&mut self, front_ccw: u32) -> &mut Stream {
        let state = SetRasterizerState { fill: 0, cull: 0, front_ccw, scissor_enable: 0, depth_bias: 0, flags: 0 };
        self.stream.put(state)
    }
}

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    stream
        .shader(1, VERTEX, "quad.vs")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .vertices(VERTICES, &[rectangle_of(2.0, 2.0), rectangle_of(1.0, 4.0)].concat())
        .topology(TRIANGLE_LIST)
        .viewport([0.0, 0.0, ROW as f32, 1.0])
        .texture(TARGET, R8G8B8A8, [ROW, 1], [1, 1])
        .targets(&[TARGET], 0);
    let [share, sixteenth, half] = [0.125_f32, 0.0625, 0.5].map(f32::to_bits);
    let one = 1.0_f32.to_bits();
    for (handle, line) in [
        (W, format!("mul r0, v0.wwww, l({share},{share},{share},{share})")),
        (PLACE, format!("mul r0, v0.xyzz, l({sixteenth},{half},{one},0)")),
        // All bits are set, not one.
        (SIDE, format!("and r0, v2.xxxx, l({one},{one},{one},{one})")),
    ] {
        let code = pixel_shader(&line);
        let size_bytes = code.len() as u32;
        stream.put(CreateShaderDxbc { handle, stage: PIXEL, size_bytes, stage_ex: 0, code: Bytes::new(&code) });
    }
    let mut frames = Frames { made: Vec::new(), stream };
    let middle = |x: u32| (f64::from(x) + 0.5) / f64::from(ROW);

    frames.stream.shaders(1, W).draw(0, CORNERS);
    frames.add("SV_Position.w is w", |_| [2.0 / 8.0; 4]);
    frames.stream.draw(CORNERS, CORNERS);
    frames.add("also where it differs from corner to corner", |x| {
        let reciprocal = 1.0 + middle(x) * (0.25 - 1.0);
        [1.0 / reciprocal / 8.0; 4]
    });
    frames.stream.shaders(1, PLACE).draw(0, CORNERS);
    frames.add("x and y are of the pixel's middle, z is its depth", |x| [(f64::from(x) + 0.5) / 16.0, 0.25, 0.5, 0.0]);
    for (front_ccw, about, seen) in [(0, "clockwise is the front", 1.0), (1, "and the back if it is said so", 0.0)] {
        frames.front_is(front_ccw).shaders(1, SIDE).draw(0, CORNERS);
        frames.add(about, |_| [seen; 4]);
    }
    frames.made
}
