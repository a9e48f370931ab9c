//! Points of Direct3D 9 that have a size, sprites among them; and clip planes, which cut nothing off.

use aerogpu_replay::abi::a3a0::bindings::SetIndexBuffer;
use aerogpu_replay::abi::a3a0::work::{Draw, DrawIndexed};

use super::direct3d9_rules::{Frames, declaration};
use super::{Frame, unorm};
use crate::support::streams::*;
use dev_d3d_assembler::legacy::{Lengths, assemble};

type Rgba = [u8; 4];

const TARGET: u32 = 1;
const SIDE: u32 = 8;
const SIZE: [u32; 2] = [SIDE, SIDE];
const BLACK: Rgba = [0; 4];
const RED: Rgba = [255, 0, 0, 255];
const GREEN: Rgba = [0, 255, 0, 255];

// Shaders.
const PASSED: u32 = 1;
const SIZED: u32 = 2;
const PACKED: u32 = 3;
const COORDINATE: u32 = 4;
const COORDINATE_3: u32 = 5;

// Render states.
const FILLMODE: u32 = 8;
const SRCBLEND: u32 = 19;
const DESTBLEND: u32 = 20;
const CULLMODE: u32 = 22;
const ALPHABLENDENABLE: u32 = 27;
const CLIPPLANEENABLE: u32 = 152;
const POINTSIZE: u32 = 154;
const POINTSIZE_MIN: u32 = 155;
const POINTSPRITEENABLE: u32 = 156;
const POINTSCALEENABLE: u32 = 157;
const POINTSCALE_A: u32 = 158;
const POINTSIZE_MAX: u32 = 166;

/// A point: its place in pixels of the target, whose centres are whole numbers, its w, and four floats more.
struct Point([f32; 2], f32, [f32; 4]);

fn bytes(points: &[Point]) -> Vec<u8> {
    let vertex = |Point([x, y], w, more): &Point| {
        let place = [x / SIDE as f32 * 2.0 - 1.0, 1.0 - y / SIDE as f32 * 2.0, 0.5, 1.0];
        floats(&[place.map(|value| value * w), *more].concat())
    };
    points.iter().flat_map(vertex).collect()
}

/// Whether a pixel lies on a point of this size.
fn is_on([x, y]: [f32; 2], size_px: f32, pixel: u32) -> bool {
    let covers = |at: f32, pixel: u32| at - size_px / 2.0 <= pixel as f32 && (pixel as f32) < at + size_px / 2.0;
    covers(x, pixel % SIDE) && covers(y, pixel / SIDE)
}

impl Frames {
    fn points(&mut self, points: &[Point]) -> &mut Self {
        self.next += 1;
        self.stream.vertices(self.next, &bytes(points)).draw(0, points.len() as u32);
        self
    }

    fn fresh(&mut self) -> &mut Self {
        self.stream.clear(1, [0.0; 4], 1.0);
        self
    }

    fn shown(&mut self, about: &str, color: impl Fn(u32) -> Rgba) {
        self.add(about, SIZE, 1, color);
    }
}

const fn px(size: f32) -> u32 {
    size.to_bits()
}

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    let tokens = |text: &str| {
        let bytes = assemble(text, Lengths::Microsoft);
        bytes.as_chunks().0.iter().map(|token| u32::from_le_bytes(*token)).collect::<Vec<u32>>()
    };
    let sized = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\nmov oPts.x, v1.w";
    // The size shares its register, and is not the first of its lanes.
    let packed = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1.xyz\ndcl_psize o1.w\n\
                  mov o0, v0\nmov o1, v1";
    stream
        .bytecode(PASSED, VERTEX, "pass.vs.d3dbc")
        .tokens(SIZED, VERTEX, &tokens(sized))
        .tokens(PACKED, VERTEX, &tokens(packed))
        .bytecode(COORDINATE, PIXEL, "coordinate.ps.d3dbc")
        .tokens(COORDINATE_3, PIXEL, &tokens("ps_3_0\ndcl_texcoord v0.xyz\nmov oC0, v0.xyzz"))
        .shaders(PASSED, COORDINATE)
        .layout_of(1, &declaration(3))
        .use_layout(1)
        .topology(1)
        .texture(TARGET, R8G8B8A8, SIZE, [1, 1])
        .targets(&[TARGET], 0)
        .viewport([0.0, 0.0, SIDE as f32, SIDE as f32]);
    let mut frames = Frames { made: Vec::new(), stream, next: 100 };
    by_state(&mut frames);
    by_shader(&mut frames);
    sprites(&mut frames);
    orders(&mut frames);
    planes(&mut frames);
    frames.made
}

const ONE: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

fn by_state(frames: &mut Frames) {
    let middle = [3.25, 4.25];
    // As the driver's start leaves them: zeros say nothing.
    let sizes = [POINTSIZE, POINTSIZE_MIN, POINTSIZE_MAX];
    frames.set(&sizes.map(|state| (state, 0)));
    for (states, size, about) in [
        (vec![], 1.0, "states that are 0"),
        (vec![(POINTSIZE, px(3.0))], 3.0, "a size"),
        (vec![(POINTSIZE, px(4.0))], 4.0, "an even size"),
        (vec![(POINTSIZE_MIN, px(5.0))], 5.0, "a smallest size"),
        (vec![(POINTSIZE_MIN, 0), (POINTSIZE_MAX, px(2.0))], 2.0, "a largest size"),
        (vec![(POINTSIZE_MAX, 0), (POINTSIZE, px(3.0)), (FILLMODE, 2)], 3.0, "triangles would be lines"),
        (vec![(FILLMODE, 1)], 3.0, "triangles would be points"),
        (vec![(FILLMODE, 3), (CULLMODE, 2)], 3.0, "triangles would be culled"),
        (vec![(CULLMODE, 3)], 3.0, "others would be culled"),
        (vec![(POINTSCALEENABLE, 1), (POINTSCALE_A, px(9.0))], 3.0, "no scale, since there is a vertex shader"),
    ] {
        frames.fresh().set(&states).points(&[Point(middle, 1.0, ONE)]);
        frames.shown(about, |pixel| if is_on(middle, size, pixel) { RED } else { BLACK });
    }
    frames.set(&[(POINTSCALEENABLE, 0), (POINTSIZE, px(4.0))]);
    frames.fresh().points(&[Point(middle, 3.0, ONE)]);
    frames.shown("in a perspective", |pixel| if is_on(middle, 4.0, pixel) { RED } else { BLACK });
    let edge = [-0.25, 7.25];
    frames.fresh().points(&[Point(edge, 1.0, ONE)]);
    frames.shown("half outside", |pixel| if is_on(edge, 4.0, pixel) { RED } else { BLACK });
    frames.set(&[(POINTSIZE, px(3.0))]);
}

/// The fourth float of each vertex is its size.
fn by_shader(frames: &mut Frames) {
    let places = [([1.25, 1.25], 2.0), ([5.25, 2.25], 4.0), ([2.25, 6.25], 1.0), ([6.25, 6.25], 99.0)];
    let points: Vec<Point> = places.iter().map(|(at, size)| Point(*at, 1.0, [1.0, 0.0, 0.0, *size])).collect();
    for (vertex, pixel, about) in
        [(SIZED, COORDINATE, "sizes of a vertex shader"), (PACKED, COORDINATE_3, "sizes in a shared register")]
    {
        frames.stream.shaders(vertex, pixel);
        frames.fresh().set(&[(POINTSIZE_MAX, px(3.0))]).points(&points);
        frames.shown(about, |pixel| {
            let of = |(at, size): &([f32; 2], f32)| is_on(*at, size.min(3.0), pixel).then_some(*size);
            // The later one lies on top; its size is its alpha, but for that of SM3, which is its blue.
            let found = places.iter().filter_map(of).next_back();
            let alpha = if vertex == SIZED { 255 } else { 0 };
            found.map_or(BLACK, |_| [255, 0, 0, alpha])
        });
    }
    frames.set(&[(POINTSIZE_MAX, 0)]).stream.shaders(PASSED, COORDINATE);
}

fn sprites(frames: &mut Frames) {
    let (middle, size) = ([3.25, 4.25], 5.0);
    frames.set(&[(POINTSIZE, px(size)), (POINTSPRITEENABLE, 1)]);
    let sprite = |pixel: u32| {
        let along = |at: f32, pixel: u32| unorm(f64::from((pixel as f32 - (at - size / 2.0)) / size));
        let [x, y] = middle;
        if is_on(middle, size, pixel) { [along(x, pixel % SIDE), along(y, pixel / SIDE), 0, 0] } else { BLACK }
    };
    frames.fresh().points(&[Point(middle, 1.0, ONE)]);
    frames.shown("a sprite", sprite);
    frames.fresh().points(&[Point(middle, 2.0, ONE)]);
    frames.shown("a sprite in a perspective", sprite);
    frames.set(&[(POINTSIZE, px(1.0))]).fresh().points(&[Point(middle, 1.0, ONE)]);
    let quarter = [unorm(0.25), unorm(0.25), 0, 0];
    frames.shown("a sprite of one pixel", |pixel| if is_on(middle, 1.0, pixel) { quarter } else { BLACK });
    frames.set(&[(POINTSPRITEENABLE, 0), (POINTSIZE, px(2.0))]);
    frames.fresh().points(&[Point(middle, 1.0, [0.0, 1.0, 0.0, 1.0])]);
    frames.shown("no sprite any more", |pixel| if is_on(middle, 2.0, pixel) { GREEN } else { BLACK });
}

/// Vertices in the order of indices, from a vertex on, and more than once.
fn orders(frames: &mut Frames) {
    let green = [0.0, 1.0, 0.0, 1.0];
    let places = [[1.25, 1.25], [4.25, 1.25], [5.0, 2.0], [1.25, 6.25]];
    let colors = [ONE, ONE, green, green];
    let all: Vec<Point> = places.iter().zip(colors).map(|(at, color)| Point(*at, 1.0, color)).collect();
    let drawn = |order: &[usize], pixel: u32| {
        let found = order.iter().rfind(|number| is_on(places[**number], 2.0, pixel));
        found.map_or(BLACK, |number| if colors[*number] == green { GREEN } else { RED })
    };
    frames.next += 1;
    let vertices = frames.next;
    frames.stream.vertices(vertices, &bytes(&all));
    frames.fresh().stream.draw(1, 2);
    frames.shown("from the second vertex on", |pixel| drawn(&[1, 2], pixel));
    frames.stream.vertex_buffer(0, vertices, VERTEX_BYTES, VERTEX_BYTES);
    frames.fresh().stream.draw(1, 2);
    frames.shown("from the third vertex on", |pixel| drawn(&[2, 3], pixel));
    // Indices of 16 bits from an odd byte on, and two too many in front.
    let list: Vec<u8> = [9_u16, 9, 2, 1, 3].iter().flat_map(|index| index.to_le_bytes()).collect();
    let buffer = frames.next + 50;
    frames.stream.vertex_buffer(0, vertices, VERTEX_BYTES, 0).buffer(buffer, &[&[0][..], &list].concat());
    frames.stream.put(SetIndexBuffer { buffer, format: 0, offset: 1, reserved: 0 });
    let indexed = |first_index: u32, index_count: u32, base_vertex: i32| DrawIndexed {
        index_count,
        instance_count: 1,
        first_index,
        base_vertex,
        first_instance: 0,
    };
    frames.fresh().stream.put(indexed(2, 3, 0));
    frames.shown("in the order of indices", |pixel| drawn(&[2, 1, 3], pixel));
    frames.fresh().stream.put(indexed(2, 2, 1));
    frames.shown("in the order of indices, and one is added", |pixel| drawn(&[3, 2], pixel));
    frames.set(&[(ALPHABLENDENABLE, 1), (SRCBLEND, 2), (DESTBLEND, 2)]);
    let dim = [0.25, 0.0, 0.0, 0.5];
    frames.next += 100;
    let vertices = frames.next;
    frames.fresh().stream.vertices(vertices, &bytes(&[Point(places[0], 1.0, dim)]));
    let twice = Draw { vertex_count: 1, instance_count: 2, first_vertex: 0, first_instance: 0 };
    frames.stream.put(twice);
    frames.shown("twice", |pixel| if is_on(places[0], 2.0, pixel) { [128, 0, 0, 255] } else { BLACK });
    frames.set(&[(ALPHABLENDENABLE, 0)]);
}

/// No packet says where planes lie, so that they are where Direct3D has them at first: in front of them is everything.
fn planes(frames: &mut Frames) {
    frames.stream.topology(TRIANGLE_LIST);
    frames.fresh().set(&[(CLIPPLANEENABLE, 0x3f)]).plain(GREEN);
    frames.shown("all clip planes", |_| GREEN);
    frames.set(&[(CLIPPLANEENABLE, 0)]);
}
