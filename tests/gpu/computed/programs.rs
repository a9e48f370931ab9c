//! Inputs and outputs of shaders besides numbers that are interpolated, and buffers that are written and read.

use aerogpu_replay::abi::a3a0::bindings::{SetShaderResourceBuffers, SetTexture};
use aerogpu_replay::abi::a3a0::shaders::BindShaders;
use aerogpu_replay::abi::a3a0::work::{Dispatch, Draw};
use aerogpu_replay::abi::a3a0::{BufferBinding, Elements};

use super::written_by_draws::written_by_draws;
use super::{Frame, unorm};
use crate::support::streams::*;

pub(super) type Rgba = [u8; 4];

pub(super) const TARGET: u32 = 1;
/// Pixels of the target, which has one row.
pub(super) const ROW: u32 = 12;
pub(super) const BLUE: Rgba = [0, 0, 255, 255];
/// Buffer that `constant.ps` shows from byte 16 on, where the compute shader writes.
pub(super) const BUFFER: u32 = 20;
const SHADER_RESOURCE: u32 = 21;

/// The frames made so far, and the stream of the next one.
pub(super) struct Frames {
    made: Vec<Frame>,
    pub stream: Stream,
}

impl Frames {
    pub fn add(&mut self, about: &str, color: impl Fn(u32) -> Rgba) {
        self.stream.present();
        let stream = std::mem::replace(&mut self.stream, Stream::new()).finish();
        let rgba = (0..ROW).map(color).collect();
        self.made.push(Frame { about: about.to_owned(), stream, size: [ROW, 1], rgba, tolerance: 1 });
        self.stream.clear(1, [0.0, 0.0, 1.0, 1.0], 0.0);
    }

    fn read_by_compute(&mut self, buffer: u32) -> &mut Stream {
        let values = Elements::to_bytes(&[BufferBinding { buffer, offset_bytes: 0, size_bytes: 0, reserved: 0 }]);
        let values = Elements::new(&values).unwrap();
        self.stream.put(SetShaderResourceBuffers {
            stage: COMPUTE,
            start_slot: 0,
            buffer_count: 1,
            stage_ex: 0,
            values,
        })
    }

    /// One thread, and then the four floats at byte 16 of the buffer.
    fn compute_and_show(&mut self) -> &mut Stream {
        self.stream
            .put(BindShaders { vs: 0, ps: 0, cs: 6, reserved: 0, appended: None })
            .put(Dispatch { x: 1, y: 1, z: 1, stage_ex: 0 })
            .shaders(1, 5)
            .constants(BUFFER, 0, 0)
            .draw(0, 6)
    }
}

pub fn frames() -> Vec<Frame> {
    let row = ROW as f32;
    let pixels = [[0.0, 0.5, 0.0, 0.0], [row, 0.5, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0], [row, 0.5, 0.0, 0.0]];
    let points = |number: u32| {
        let [left, _, right, _] = cell([number, 0], [ROW, 1]);
        floats(&[f32::midpoint(left, right), 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0])
    };
    let vertices = [rectangle(WHOLE, 0.5, pixels), (0..ROW).flat_map(points).collect()].concat();
    let mut stream = Stream::new();
    stream
        .shader(1, VERTEX, "quad.vs")
        .shader(2, PIXEL, "mask.ps")
        .shader(3, PIXEL, "coverage.ps")
        .shader(4, PIXEL, "primitive.ps")
        .shader(5, PIXEL, "constant.ps")
        .shader(6, COMPUTE, "half_of.cs")
        .shader(7, PIXEL, "calls.ps")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .vertices(2, &vertices)
        .topology(TRIANGLE_LIST)
        .viewport([0.0, 0.0, ROW as f32, 1.0])
        .texture(TARGET, R8G8B8A8, [ROW, 1], [1, 1])
        .targets(&[TARGET], 0)
        .clear(1, [0.0, 0.0, 1.0, 1.0], 0.0);
    let mut frames = Frames { made: Vec::new(), stream };
    samples(&mut frames);
    calls(&mut frames);
    primitives(&mut frames);
    written_and_read(&mut frames);
    written_by_draws(&mut frames);
    frames.made
}

fn samples(frames: &mut Frames) {
    frames.stream.shaders(1, 2).draw(0, 6);
    let is_written = |x: u32| if x % 2 == 1 { [255, 255, 0, 255] } else { BLUE };
    frames.add("a mask without the only sample leaves the pixel as it is", is_written);
    frames.stream.shaders(1, 3).draw(0, 6);
    frames.add("the only sample is covered", |_| [128, 255, 64, 255]);
}

/// A function that returns out of a loop and out of a switch in it, called by `main` and by another function.
fn calls(frames: &mut Frames) {
    let counted = |number: u32, from: u32| {
        let mut count = from;
        loop {
            count += 1;
            match count {
                _ if count >= number => return count,
                5 if number < 8 => return count,
                7 => count += 20,
                _ => {}
            }
        }
    };
    frames.stream.shaders(1, 7).draw(0, 6);
    frames.add("functions", |x| {
        let first = counted(x, 0);
        let count = if x == 0 { first } else { counted(x, first + 16) + 1 };
        [unorm(f64::from(count) / 128.0); 4]
    });
}

/// Points, each a primitive of its own, which have numbers of their own in each instance.
fn primitives(frames: &mut Frames) {
    let number = |x: u32| [unorm(f64::from(x) / 16.0); 4];
    frames.stream.shaders(1, 4).topology(1).draw(6, ROW);
    frames.add("primitives are counted from 0", number);
    frames.stream.put(Draw { vertex_count: ROW, instance_count: 3, first_vertex: 6, first_instance: 2 });
    frames.add("in each instance again", number);
    frames.stream.draw(6 + 4, ROW - 4).topology(TRIANGLE_LIST);
    frames.add("whatever the first vertex", |x| if x < 4 { BLUE } else { number(x - 4) });
}

/// The shader writes what it reads at byte 0, with the bits of 0.5, at byte 16: 0.25 gives 1.0.
fn written_and_read(frames: &mut Frames) {
    let shown = |red: u8| move |_| [red, 0, 255, 255];
    let start = floats(&[0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
    frames.stream.buffer(BUFFER, &start).buffer(SHADER_RESOURCE, &floats(&[0.25]));
    frames.read_by_compute(SHADER_RESOURCE);
    frames.stream.writes(COMPUTE, 0, BUFFER);
    frames.compute_and_show();
    frames.add("one buffer is read and another written", shown(255));
    frames.read_by_compute(BUFFER).upload(BUFFER, 0, &start);
    frames.compute_and_show();
    frames.add("what is read now is written no more", shown(0));
    frames.stream.writes(COMPUTE, 0, BUFFER);
    frames.compute_and_show();
    frames.add("what is written now is read no more", shown(128));
    frames.stream.upload(BUFFER, 0, &start).put(SetTexture { stage: PIXEL, slot: 3, texture: BUFFER, stage_ex: 0 });
    frames.compute_and_show();
    frames.add("wherever it is read, as a texture too", shown(0));
}
