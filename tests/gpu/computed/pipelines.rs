//! Fixed state: blending, masks, culling, depth; what vertices form, where they come from, and their formats.

use aerogpu_replay::abi::a3a0::bindings::SetIndexBuffer;
use aerogpu_replay::abi::a3a0::state::{SetBlendState, SetDepthStencilState, SetRasterizerState};
use aerogpu_replay::abi::a3a0::work::{Draw, DrawIndexed};

use super::{Frame, unorm};
use crate::support::streams::*;

type Rgba = [u8; 4];

const TARGET: u32 = 1;
const DEPTH: u32 = 2;
const SIZE: [u32; 2] = [8, 8];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
const BLACK: Rgba = [0; 4];

/// The frames made so far, and the stream of the next one.
struct Frames {
    made: Vec<Frame>,
    stream: Stream,
}

impl Frames {
    fn add(&mut self, about: &str, tolerance: u8, texel: impl Fn(u32, u32) -> Rgba) {
        self.stream.present();
        let stream = std::mem::replace(&mut self.stream, Stream::new()).finish();
        let rgba = (0..SIZE[0] * SIZE[1]).map(|number| texel(number % SIZE[0], number / SIZE[0])).collect();
        self.made.push(Frame { about: about.to_owned(), stream, size: SIZE, rgba, tolerance });
    }

    /// Where the picture has a color, and black around.
    fn add_where(&mut self, about: &str, color: [f32; 4], is_there: impl Fn(u32, u32) -> bool) {
        self.add(about, 0, |x, y| if is_there(x, y) { bytes(color) } else { BLACK });
    }
}

fn bytes(color: [f32; 4]) -> Rgba {
    color.map(|channel| unorm(f64::from(channel)))
}

const LAYOUT: [Element; 2] = [Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)];

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    stream
        .shader(1, VERTEX, "quad.vs")
        .shader(2, VERTEX, "half.vs")
        .shader(3, VERTEX, "half_uint.vs")
        .shader(5, VERTEX, "half_sint.vs")
        .shader(4, PIXEL, "color.ps")
        .shaders(1, 4)
        .layout(1, &LAYOUT)
        .topology(TRIANGLE_LIST)
        .viewport([0.0, 0.0, 8.0, 8.0])
        .texture(TARGET, R8G8B8A8, SIZE, [1, 1])
        .targets(&[TARGET], 0);
    let mut frames = Frames { made: Vec::new(), stream };
    blending(&mut frames);
    write_masks(&mut frames);
    culling(&mut frames);
    depth(&mut frames);
    topologies(&mut frames);
    indices(&mut frames);
    instances(&mut frames);
    vertex_formats(&mut frames);
    frames.made
}

const CONSTANT: [f32; 4] = [0.25, 0.5, 0.75, 0.375];
const SOURCE: [f32; 4] = [0.8, 0.4, 0.6, 0.7];
const HELD: [f32; 4] = [0.2, 0.6, 0.4, 0.298];

/// Value of a protocol's blend factor for a channel.
fn factor(number: u32, channel: usize, held_alpha: f64) -> f64 {
    let (source_alpha, constant) = (f64::from(SOURCE[3]), f64::from(CONSTANT[channel]));
    [0.0, 1.0, source_alpha, 1.0 - source_alpha, held_alpha, 1.0 - held_alpha, constant, 1.0 - constant]
        [number as usize]
}

/// All pairs of factors with all operations: a cell for each pair. Alpha has them the other way round, with the next
/// operation.
fn blending(frames: &mut Frames) {
    let cells: Vec<u8> =
        (0..64).flat_map(|number| rectangle(cell([number % 8, number / 8], SIZE), 0.5, [SOURCE; 4])).collect();
    frames.stream.vertices(10, &cells);
    for operation in 0..5 {
        frames.stream.clear(1, HELD, 0.0);
        for number in 0..64 {
            let (src, dst) = (number % 8, number / 8);
            frames.stream.put(SetBlendState {
                enable: 1,
                src,
                dst,
                op: operation,
                src_alpha: Some(dst),
                dst_alpha: Some(src),
                op_alpha: Some((operation + 1) % 5),
                constant_r: Some(CONSTANT[0]),
                constant_g: Some(CONSTANT[1]),
                constant_b: Some(CONSTANT[2]),
                constant_a: Some(CONSTANT[3]),
                ..unblended()
            });
            frames.stream.draw(number * 6, 6);
        }
        let held = HELD.map(|channel| f64::from(unorm(f64::from(channel))) / 255.0);
        let blended = |channel: usize, [src, dst]: [u32; 2], operation: u32| {
            let source = f64::from(SOURCE[channel]);
            let (held, held_alpha) = (held[channel], held[3]);
            let [from_source, from_held] =
                [source * factor(src, channel, held_alpha), held * factor(dst, channel, held_alpha)];
            unorm(match operation {
                0 => from_source + from_held,
                1 => from_source - from_held,
                2 => from_held - from_source,
                3 => source.min(held),
                _ => source.max(held),
            })
        };
        // Software adapters blend in eight bits.
        frames.add(&format!("operation {operation} with all factors"), 2, |src, dst| {
            let color = |channel: usize| blended(channel, [src, dst], operation);
            [color(0), color(1), color(2), blended(3, [dst, src], (operation + 1) % 5)]
        });
    }
    frames.stream.put(unblended());
}

fn write_masks(frames: &mut Frames) {
    frames.stream.clear(1, HELD, 0.0);
    for mask in 0..16 {
        frames.stream.put(SetBlendState { write_mask: mask, ..unblended() }).draw(u32::from(mask) * 6, 6);
    }
    // A sample mask without the first sample leaves everything as it is.
    frames.stream.put(SetBlendState { sample_mask: Some(!1), ..unblended() }).draw(16 * 6, 6).put(unblended());
    frames.add("write masks and a sample mask", 0, |x, y| {
        let mask = if y < 2 { y * 8 + x } else { 0 };
        std::array::from_fn(|at| bytes(if mask >> at & 1 == 1 { SOURCE } else { HELD })[at])
    });
}

/// Rectangles in both windings, in all ways to cull.
fn culling(frames: &mut Frames) {
    let clockwise = rectangle([-1.0, 1.0, 0.0, -1.0], 0.5, [RED; 4]);
    let other: Vec<u8> = rectangle([0.0, 1.0, 1.0, -1.0], 0.5, [RED; 4]).chunks(32).rev().flatten().copied().collect();
    frames.stream.vertices(11, &[clockwise, other].concat());
    for front_ccw in [0, 1] {
        for (cull, name) in [(0, "nothing"), (1, "the front"), (2, "the back")] {
            let state = SetRasterizerState { fill: 0, cull, front_ccw, scissor_enable: 0, depth_bias: 0, flags: 0 };
            frames.stream.put(state).clear(1, [0.0; 4], 0.0).draw(0, 12);
            let is_front = move |x: u32| (x < 4) == (front_ccw == 0);
            let about = format!("{name} is culled, front_ccw {front_ccw}");
            frames.add_where(&about, RED, |x, _| match cull {
                0 => true,
                1 => !is_front(x),
                _ => is_front(x),
            });
        }
    }
    frames.stream.put(SetRasterizerState {
        fill: 0,
        cull: 0,
        front_ccw: 0,
        scissor_enable: 0,
        depth_bias: 0,
        flags: 0,
    });
}

/// Three columns before, at and behind what is there, by all comparisons; with depth written or not.
fn depth(frames: &mut Frames) {
    let column = |number: u32, depth: f32| rectangle(cell([number, 0], [4, 1]), depth, [RED; 4]);
    let columns = [column(0, 0.25), column(1, 0.5), column(2, 0.75)].concat();
    let behind = [0, 1, 2].map(|number| rectangle(cell([number, 0], [4, 1]), 0.6, [GREEN; 4])).concat();
    frames.stream.texture(DEPTH, 33, SIZE, [1, 1]).targets(&[TARGET], DEPTH).vertices(12, &[columns, behind].concat());
    let state = |depth_enable: u32, depth_write: u32, depth_func: u32| SetDepthStencilState {
        depth_enable,
        depth_write,
        depth_func,
        stencil_enable: 0,
        stencil_read_mask: 0xff,
        stencil_write_mask: 0xff,
        pad: [0; 2],
    };
    for (compare, [before, at, behind]) in [
        [false; 3],
        [true, false, false],
        [false, true, false],
        [true, true, false],
        [false, false, true],
        [true, false, true],
        [false, true, true],
        [true; 3],
    ]
    .into_iter()
    .enumerate()
    {
        frames.stream.put(state(1, 1, compare as u32)).clear(3, [0.0; 4], 0.5).draw(0, 18);
        let about = format!("comparison {compare}");
        frames.add_where(&about, RED, |x, _| [before, at, behind, false][x as usize / 2]);
    }
    // At 0.6 what is green is before all depths but the ones at 0.25 and 0.5 that were written.
    for (about, enable, write, green) in [
        ("depth is written", 1, 1, [false, false, true, false]),
        ("depth is not written", 1, 0, [true, true, true, false]),
        ("no depth test writes no depth", 0, 1, [true, true, true, false]),
    ] {
        frames.stream.clear(3, [0.0; 4], 1.0).put(state(enable, write, 1)).draw(0, 18).put(state(1, 1, 1)).draw(18, 18);
        frames.add(about, 0, |x, _| match (x / 2, green[x as usize / 2]) {
            (3, _) => BLACK,
            (_, true) => bytes(GREEN),
            _ => bytes(RED),
        });
    }
    frames.stream.targets(&[TARGET], 0);
}

/// A vertex in the middle of a pixel, or in pixels from the left upper corner.
fn vertex([x, y]: [f32; 2], color: [f32; 4]) -> Vec<u8> {
    let [red, green, blue, alpha] = color;
    floats(&[x / 4.0 - 1.0, 1.0 - y / 4.0, 0.5, 1.0, red, green, blue, alpha])
}

fn red(places: &[[f32; 2]]) -> Vec<u8> {
    places.iter().flat_map(|place| vertex(*place, RED)).collect()
}

fn topologies(frames: &mut Frames) {
    let mut handle = 20;
    let mut add =
        |frames: &mut Frames, about: &str, topology: u32, places: &[[f32; 2]], is_there: &dyn Fn(u32, u32) -> bool| {
            handle += 1;
            frames.stream.clear(1, [0.0; 4], 0.0).vertices(handle, &red(places)).topology(topology);
            frames.stream.draw(0, places.len() as u32);
            frames.add_where(about, RED, is_there);
        };
    let points = [[0.5, 0.5], [3.5, 6.5], [7.5, 2.5]];
    add(frames, "points", 1, &points, &|x, y| [(0, 0), (3, 6), (7, 2)].contains(&(x, y)));
    // Lines go over both edges, so that it doesn't matter which of their ends is drawn.
    let lines = [[-1.0, 1.5], [9.0, 1.5], [4.5, 9.0], [4.5, -1.0]];
    add(frames, "lines", 2, &lines, &|x, y| y == 1 || x == 4);
    let strip = [[-1.0, 1.5], [9.0, 1.5], [9.0, 6.5], [-1.0, 6.5]];
    add(frames, "a strip of lines", 3, &strip, &|_, y| y == 1 || y == 6);
    let list = [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0], [8.0, 8.0], [8.0, 0.0]];
    // The last two form nothing. A pixel whose middle is on the edge is in what lies to the right of its left edge.
    add(frames, "a list of triangles and two vertices", 4, &list, &|x, y| x + y < 7);
    let strip = [[0.0, 0.0], [2.0, 0.0], [0.0, 8.0], [2.0, 8.0], [8.0, 8.0], [8.0, 4.0]];
    let below = |x: u32, y: u32| (f64::from(x) - 1.5) * 2.0 / 3.0 + f64::from(y) + 0.5 > 8.0;
    add(frames, "a strip of triangles", 5, &strip, &|x, y| x < 2 || below(x, y));
    let fan = [[0.0, 0.0], [8.0, 0.0], [8.0, 8.0], [0.0, 8.0]];
    add(frames, "a fan", 6, &fan, &|_, _| true);
    let fan = [[0.0, 0.0], [8.0, 0.0], [8.0, 4.0]];
    add(frames, "a fan of one triangle", 6, &fan, &|x, y| f64::from(y) + 0.5 < (f64::from(x) + 0.5) / 2.0);
    frames.stream.topology(TRIANGLE_LIST);
}

/// Indices of 16 and 32 bits, at odd offsets, with a base, past their end, and with the one that begins a strip anew.
fn indices(frames: &mut Frames) {
    let columns: Vec<u8> = (0..4)
        .flat_map(|number| {
            let [left, right] = [number * 2, number * 2 + 2].map(|x| x as f32);
            let color = [RED, GREEN, BLUE, [1.0; 4]][number as usize];
            [[left, 0.0], [right, 0.0], [left, 8.0], [right, 8.0]].map(|place| vertex(place, color)).concat()
        })
        .collect();
    let color = |column: u32| bytes([RED, GREEN, BLUE, [1.0; 4]][column as usize]);
    frames.stream.vertices(40, &columns);
    let draw = |index_count: u32, first_index: u32, base_vertex: i32| DrawIndexed {
        index_count,
        instance_count: 1,
        first_index,
        base_vertex,
        first_instance: 0,
    };
    let of_column = |column: u32| [0, 1, 2, 2, 1, 3].map(|corner| column * 4 + corner);
    let indices: Vec<u32> = [0, 2].into_iter().flat_map(of_column).collect();
    for (format, name) in [(0, "16 bits"), (1, "32 bits")] {
        let packed = |indices: &[u32]| -> Vec<u8> {
            let bytes = |index: &u32| index.to_le_bytes()[..if format == 0 { 2 } else { 4 }].to_vec();
            indices.iter().flat_map(bytes).collect()
        };
        let handle = 41 + format * 10;
        for (number, offset) in [0, 3, 6].into_iter().enumerate() {
            let buffer = handle + number as u32;
            frames.stream.buffer(buffer, &[vec![0xff; offset as usize], packed(&indices)].concat());
            frames.stream.put(SetIndexBuffer { buffer, format, offset, reserved: 0 }).clear(1, [0.0; 4], 0.0);
            frames.stream.put(draw(12, 0, 0));
            let about = format!("indices of {name} behind {offset} bytes");
            frames.add(&about, 0, |x, _| if x / 2 % 2 == 0 { color(x / 2) } else { BLACK });
            frames.stream.clear(1, [0.0; 4], 0.0).put(draw(6, 6, -4));
            frames.add(&format!("{about}, with a base"), 0, |x, _| if x / 2 == 1 { color(1) } else { BLACK });
        }
        // What the buffer doesn't hold is vertex 0, so that the triangles are nothing.
        frames.stream.clear(1, [0.0; 4], 0.0).put(draw(30, 6, 0));
        frames.add(&format!("indices of {name} past their end"), 0, |x, _| if x / 2 == 2 { color(2) } else { BLACK });
        let buffer = handle + 5;
        let anew = if format == 0 { 0xffff } else { u32::MAX };
        frames.stream.buffer(buffer, &packed(&[0, 1, 2, 3, anew, 12, 13, 14, 15])).topology(5);
        frames.stream.put(SetIndexBuffer { buffer, format, offset: 0, reserved: 0 }).clear(1, [0.0; 4], 0.0);
        frames.stream.put(draw(9, 0, 0));
        let about = format!("a strip of {name} that begins anew");
        frames.add(&about, 0, |x, _| if x / 2 % 3 == 0 { color(x / 2) } else { BLACK });
        frames.stream.topology(TRIANGLE_LIST);
    }
}

/// Positions a vertex, colours and shifts an instance; by their steps and their first.
fn instances(frames: &mut Frames) {
    let levels: Vec<u8> = (0..8).flat_map(|number| floats(&[number as f32 / 8.0, 1.0, 0.0, 1.0])).collect();
    let places: Vec<u8> = (0..8).flat_map(|number| vertex([number as f32 + 0.5, 3.5], RED)[..16].to_vec()).collect();
    frames.stream.buffer(60, &places).buffer(61, &levels).topology(1);
    let level = |number: u32| [unorm(f64::from(number) / 8.0), 255, 0, 255];
    // Each instance is a point: its place steps once an instance, its colour as is said.
    for (step, first_instance) in [(1, 0), (1, 2), (2, 0), (3, 0), (2, 4)] {
        let layout = [Element("POSITION", FLOAT4, 0, 0, 1), Element("TEXCOORD", FLOAT4, 1, 0, step)];
        frames.stream.layout(70, &layout).vertex_buffer(0, 60, 16, 0).vertex_buffer(1, 61, 16, 0);
        let instance_count = 8 - first_instance;
        frames.stream.clear(1, [0.0; 4], 0.0);
        frames.stream.put(Draw { vertex_count: 1, instance_count, first_vertex: 0, first_instance });
        let about = format!("instances from {first_instance} on, a value for {step}");
        frames.add(&about, 0, |x, y| {
            if y != 3 || x < first_instance {
                return BLACK;
            }
            // The first instance moves where values begin, not how often they step.
            level(first_instance + (x - first_instance) / step)
        });
    }
    let layout = [Element("POSITION", FLOAT4, 0, 0, 0), Element("TEXCOORD", FLOAT4, 1, 0, 1)];
    frames.stream.layout(70, &layout).clear(1, [0.0; 4], 0.0);
    frames.stream.put(Draw { vertex_count: 3, instance_count: 2, first_vertex: 1, first_instance: 3 });
    frames.add("vertices of two instances, the second over the first", 0, |x, y| match (x, y) {
        (1..4, 3) => level(4),
        _ => BLACK,
    });
    // Eight strides in a buffer that is too short: what it lacks are zeros.
    let layout = [Element("POSITION", FLOAT4, 0, 0, 0), Element("TEXCOORD", FLOAT4, 1, 0, 0)];
    frames.stream.layout(70, &layout).vertex_buffer(1, 61, 16, 80).clear(1, [0.5, 0.0, 0.0, 1.0], 0.0).draw(0, 8);
    frames.add("a vertex buffer that is too short", 0, |x, y| match (x, y) {
        (0..3, 3) => level(5 + x),
        (_, 3) => [0; 4],
        _ => [128, 0, 0, 255],
    });
    frames.stream.topology(TRIANGLE_LIST).layout(1, &LAYOUT);
}

/// An attribute's DXGI format, the shader that shows it, its stored bytes, and what is read.
struct Attribute(u32, u32, &'static [u8], [f64; 4]);

/// Shaders for floats, for numbers without a sign, for numbers with one: each shows -1 to 1 as 0 to 1.
const FLOATS: u32 = 2;
const UNSIGNED: u32 = 3;
const SIGNED: u32 = 5;

fn attributes() -> Vec<Attribute> {
    vec![
        Attribute(
            2,
            FLOATS,
            &[0, 0, 0, 0x3f, 0, 0, 0x80, 0x3e, 0, 0, 0x40, 0x3f, 0, 0, 0x80, 0x3e],
            [0.5, 0.25, 0.75, 0.25],
        ),
        Attribute(3, UNSIGNED, &[1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], [1.0, 0.0, 1.0, 0.0]),
        Attribute(4, SIGNED, &[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0], [1.0, -1.0, 1.0, 0.0]),
        Attribute(6, FLOATS, &[0, 0, 0, 0x3f, 0, 0, 0x80, 0x3e, 0, 0, 0x40, 0x3f], [0.5, 0.25, 0.75, 1.0]),
        Attribute(7, UNSIGNED, &[1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], [1.0, 0.0, 1.0, 1.0]),
        Attribute(8, SIGNED, &[0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0], [-1.0, 1.0, 0.0, 1.0]),
        // 0x3800 is a half, 0x3400 a quarter, 0x3a00 three quarters.
        Attribute(10, FLOATS, &[0, 0x38, 0, 0x34, 0, 0x3a, 0, 0x34], [0.5, 0.25, 0.75, 0.25]),
        Attribute(11, FLOATS, &[0, 0x80, 0xff, 0xff, 0, 0, 0, 0x40], [32768.0 / 65535.0, 1.0, 0.0, 16384.0 / 65535.0]),
        Attribute(12, UNSIGNED, &[1, 0, 0, 0, 1, 0, 1, 0], [1.0, 0.0, 1.0, 1.0]),
        Attribute(
            13,
            FLOATS,
            &[0xff, 0x7f, 0, 0x80, 0, 0x40, 0, 0x20],
            [1.0, -1.0, 16384.0 / 32767.0, 8192.0 / 32767.0],
        ),
        Attribute(14, SIGNED, &[1, 0, 0xff, 0xff, 0, 0, 1, 0], [1.0, -1.0, 0.0, 1.0]),
        Attribute(16, FLOATS, &[0, 0, 0, 0x3f, 0, 0, 0x80, 0x3e], [0.5, 0.25, 0.0, 1.0]),
        Attribute(17, UNSIGNED, &[0, 0, 0, 0, 1, 0, 0, 0], [0.0, 1.0, 0.0, 1.0]),
        Attribute(18, SIGNED, &[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], [1.0, -1.0, 0.0, 1.0]),
        // Ten bits of 1023, 512 and 0, and two bits of 2.
        Attribute(24, FLOATS, &[0xff, 0x03, 0x08, 0x80], [1.0, 512.0 / 1023.0, 0.0, 2.0 / 3.0]),
        Attribute(28, FLOATS, &[10, 20, 30, 40], [10.0 / 255.0, 20.0 / 255.0, 30.0 / 255.0, 40.0 / 255.0]),
        Attribute(30, UNSIGNED, &[1, 0, 0, 1], [1.0, 0.0, 0.0, 1.0]),
        Attribute(31, FLOATS, &[127, 0x80, 64, 0], [1.0, -1.0, 64.0 / 127.0, 0.0]),
        Attribute(32, SIGNED, &[1, 0xff, 0, 1], [1.0, -1.0, 0.0, 1.0]),
        Attribute(34, FLOATS, &[0, 0x38, 0, 0x34], [0.5, 0.25, 0.0, 1.0]),
        Attribute(35, FLOATS, &[0, 0x80, 0xff, 0xff], [32768.0 / 65535.0, 1.0, 0.0, 1.0]),
        Attribute(36, UNSIGNED, &[1, 0, 0, 0], [1.0, 0.0, 0.0, 1.0]),
        Attribute(37, FLOATS, &[0, 0x40, 0xff, 0x7f], [16384.0 / 32767.0, 1.0, 0.0, 1.0]),
        Attribute(38, SIGNED, &[0xff, 0xff, 1, 0], [-1.0, 1.0, 0.0, 1.0]),
        Attribute(41, FLOATS, &[0, 0, 0x40, 0x3f], [0.75, 0.0, 0.0, 1.0]),
        Attribute(42, UNSIGNED, &[1, 0, 0, 0], [1.0, 0.0, 0.0, 1.0]),
        Attribute(43, SIGNED, &[0xff, 0xff, 0xff, 0xff], [-1.0, 0.0, 0.0, 1.0]),
        Attribute(49, FLOATS, &[10, 200], [10.0 / 255.0, 200.0 / 255.0, 0.0, 1.0]),
        Attribute(50, UNSIGNED, &[0, 1], [0.0, 1.0, 0.0, 1.0]),
        Attribute(51, FLOATS, &[0x40, 127], [64.0 / 127.0, 1.0, 0.0, 1.0]),
        Attribute(52, SIGNED, &[1, 0xff], [1.0, -1.0, 0.0, 1.0]),
        Attribute(54, FLOATS, &[0, 0x3a], [0.75, 0.0, 0.0, 1.0]),
        Attribute(56, FLOATS, &[0, 0x40], [16384.0 / 65535.0, 0.0, 0.0, 1.0]),
        Attribute(57, UNSIGNED, &[1, 0], [1.0, 0.0, 0.0, 1.0]),
        Attribute(58, FLOATS, &[0, 0x20], [8192.0 / 32767.0, 0.0, 0.0, 1.0]),
        Attribute(59, SIGNED, &[1, 0], [1.0, 0.0, 0.0, 1.0]),
        Attribute(87, FLOATS, &[10, 20, 30, 40], [30.0 / 255.0, 20.0 / 255.0, 10.0 / 255.0, 40.0 / 255.0]),
    ]
}

/// A cell for each format, at offsets and strides that are no multiples of four where the format's size is none.
fn vertex_formats(frames: &mut Frames) {
    let attributes = attributes();
    assert!(attributes.len() <= 64);
    frames.stream.clear(1, [1.0; 4], 0.0);
    for (number, Attribute(format, shader, stored, _)) in (0..).zip(&attributes) {
        let positions = rectangle(cell([number % 8, number / 8], SIZE), 0.5, [[0.0; 4]; 4]);
        let offset = if stored.len() % 4 == 0 { 4 } else { stored.len() };
        let stride = offset + stored.len();
        let vertex = [vec![0x77; offset], stored.to_vec()].concat();
        frames.stream.shaders(*shader, 4).buffer(100 + number, &positions).buffer(200 + number, &vertex.repeat(6));
        let layout = [Element("POSITION", FLOAT4, 0, 0, 0), Element("TEXCOORD", *format, 1, offset as u32, 0)];
        frames.stream.layout(80, &layout).vertex_buffer(0, 100 + number, VERTEX_BYTES, 0);
        frames.stream.vertex_buffer(1, 200 + number, stride as u32, 0).draw(0, 6);
    }
    frames.add("all formats of vertices", 1, |x, y| match attributes.get((y * 8 + x) as usize) {
        Some(Attribute(.., read)) => read.map(|read| unorm(read / 2.0 + 0.5)),
        None => [255; 4],
    });
}
