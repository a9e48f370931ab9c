//! Mips, layers and views of textures, as what is read and as what is drawn to; several targets; clears; viewports and
//! scissors.

use aerogpu_replay::abi::a3a0::state::{SetBlendState, SetRasterizerState, SetScissor};

use super::Frame;
use crate::support::streams::*;

type Rgba = [u8; 4];

const TARGET: u32 = 1;
const PYRAMID: u32 = 10;
const SIZE: [u32; 2] = [4, 4];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
const MIPS: u32 = 3;
const LAYERS: u32 = 2;

fn bytes(color: [f32; 4]) -> Rgba {
    color.map(|channel| (channel * 255.0).round() as u8)
}

/// Contents of every texel of a mip and layer.
fn held(mip: u32, layer: u32) -> Rgba {
    [(mip * 60) as u8, (layer * 200) as u8, 100, 255]
}

/// The frames made so far, and the stream of the next one.
struct Frames {
    made: Vec<Frame>,
    stream: Stream,
}

impl Frames {
    fn add(&mut self, about: &str, size: [u32; 2], rgba: Vec<Rgba>) {
        self.add_near(about, size, rgba, 0);
    }

    fn add_near(&mut self, about: &str, size: [u32; 2], rgba: Vec<Rgba>, tolerance: u8) {
        self.stream.present();
        let stream = std::mem::replace(&mut self.stream, Stream::new()).finish();
        self.made.push(Frame { about: about.to_owned(), stream, size, rgba, tolerance });
    }

    fn add_plain(&mut self, about: &str, size: [u32; 2], rgba: Rgba) {
        self.add(about, size, vec![rgba; (size[0] * size[1]) as usize]);
    }
}

pub fn frames() -> Vec<Frame> {
    let mut stream = Stream::new();
    // A rectangle for each level that is sampled, then some of one colour.
    let levels = [0.0, 1.0, 2.0, 9.0, 0.5, 0.25].map(|level| rectangle(WHOLE, 0.5, whole_texture(level))).concat();
    let colors = [RED, GREEN, BLUE].map(|color| rectangle(WHOLE, 0.5, [color; 4])).concat();
    stream
        .shader(1, VERTEX, "quad.vs")
        .shader(2, PIXEL, "sample.ps")
        .shader(3, PIXEL, "color.ps")
        .shader(4, PIXEL, "targets.ps")
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .vertices(2, &[levels, colors].concat())
        .topology(TRIANGLE_LIST)
        .viewport([0.0, 0.0, 4.0, 4.0])
        .sampler(0, 1, 0, 0)
        .texture(TARGET, R8G8B8A8, SIZE, [1, 1])
        .targets(&[TARGET], 0)
        .shaders(1, 2);
    let mut frames = Frames { made: Vec::new(), stream };
    read_levels(&mut frames);
    draw_to_views(&mut frames);
    make_mips(&mut frames);
    several_targets(&mut frames);
    curves(&mut frames);
    clears(&mut frames);
    viewports(&mut frames);
    back_buffer(&mut frames);
    frames.made
}

const LEVEL_0: u32 = 0;
const LEVEL_1: u32 = 6;
const LEVEL_2: u32 = 12;
const LEVEL_9: u32 = 18;
const LEVEL_HALF: u32 = 24;
const LEVEL_QUARTER: u32 = 30;
const RED_ONE: u32 = 36;
const GREEN_ONE: u32 = 42;
const BLUE_ONE: u32 = 48;

/// Each mip and layer, by the shader's level and by views; levels between two.
fn read_levels(frames: &mut Frames) {
    frames.stream.texture(PYRAMID, R8G8B8A8, SIZE, [MIPS, LAYERS]);
    let contents = (0..LAYERS)
        .flat_map(|layer| (0..MIPS).map(move |mip| held(mip, layer).repeat(((4 >> mip) * (4 >> mip)) as usize)));
    let contents: Vec<u8> = contents.collect::<Vec<_>>().concat();
    frames.stream.upload(PYRAMID, 0, &contents).view(20, PYRAMID, R8G8B8A8, [0, MIPS], [1, 1]);
    frames.stream.view(21, PYRAMID, R8G8B8A8, [1, 2], [0, 1]).view(22, PYRAMID, R8G8B8A8, [2, 1], [1, 1]);
    frames.stream.view(23, PYRAMID, 9, [0, 1], [0, 1]);
    let reads = [
        ("level 0", PYRAMID, LEVEL_0, held(0, 0)),
        ("level 1", PYRAMID, LEVEL_1, held(1, 0)),
        ("level 2", PYRAMID, LEVEL_2, held(2, 0)),
        ("a level behind the last", PYRAMID, LEVEL_9, held(2, 0)),
        ("a level a quarter behind the first, to the nearest", PYRAMID, LEVEL_QUARTER, held(0, 0)),
        ("level 1 of layer 1 by a view", 20, LEVEL_1, held(1, 1)),
        ("level 0 of a view that begins with mip 1", 21, LEVEL_0, held(1, 0)),
        ("level 1 of a view that begins with mip 1", 21, LEVEL_1, held(2, 0)),
        ("a view of the last mip of layer 1", 22, LEVEL_9, held(2, 1)),
    ];
    for (about, texture, first, rgba) in reads {
        frames.stream.read(0, texture).draw(first, 6);
        frames.add_plain(about, SIZE, rgba);
    }
    // 100 of 255 is 0.1274 by the curve of sRGB.
    frames.stream.read(0, 23).draw(LEVEL_0, 6);
    frames.add_near("a view with the curve of sRGB", SIZE, vec![[0, 0, 32, 255]; 16], 1);
    frames.stream.read(0, PYRAMID).sampler(0, 2, 1, 0).draw(LEVEL_HALF, 6);
    frames.add_near("half of a level, filtered", SIZE, vec![[30, 0, 100, 255]; 16], 1);
    frames.stream.sampler(0, 1, 0, 0);
}

/// A mip of a layer is drawn to and cleared; all the others stay.
fn draw_to_views(frames: &mut Frames) {
    frames.stream.shaders(1, 3).view(24, PYRAMID, R8G8B8A8, [1, 1], [1, 1]).view(25, PYRAMID, R8G8B8A8, [2, 1], [0, 1]);
    frames.stream.targets(&[24], 0).viewport([0.0, 0.0, 1.0, 2.0]).draw(RED_ONE, 6);
    let (red, kept) = (bytes(RED), held(1, 1));
    frames.add("a mip of a layer is drawn to and shown", [2, 2], vec![red, kept, red, kept]);
    frames.stream.targets(&[25], 0).clear(1, GREEN, 0.0);
    frames.add_plain("a mip is cleared and shown", [1, 1], bytes(GREEN));
    frames.stream.targets(&[TARGET], 0).viewport([0.0, 0.0, 4.0, 4.0]).shaders(1, 2).read(0, 20).draw(LEVEL_1, 6);
    let row = [red, red, kept, kept];
    frames.add("what was drawn to a mip of a layer", SIZE, row.repeat(4));
    let others = [
        ("mip 0 has stayed", PYRAMID, LEVEL_0, held(0, 0)),
        ("mip 1 of the other layer has stayed", PYRAMID, LEVEL_1, held(1, 0)),
        ("what was cleared", PYRAMID, LEVEL_2, bytes(GREEN)),
        ("the last mip of the other layer has stayed", 20, LEVEL_2, held(2, 1)),
    ];
    for (about, texture, first, rgba) in others {
        frames.stream.read(0, texture).draw(first, 6);
        frames.add_plain(about, SIZE, rgba);
    }
}

/// Each mip is drawn with the one before it, as mips are made.
fn make_mips(frames: &mut Frames) {
    const MADE: u32 = 30;
    let texel = |number: u32| [(number * 16) as u8, 0, (255 - number * 16) as u8, 255];
    let top: Vec<Rgba> = (0..16).map(texel).collect();
    frames.stream.texture(MADE, R8G8B8A8, SIZE, [MIPS, 1]).upload(MADE, 0, &top.concat()).sampler(0, 2, 1, 0);
    (0..MIPS).for_each(|mip| {
        frames.stream.view(31 + mip, MADE, R8G8B8A8, [mip, 1], [0, 1]);
    });
    for mip in 1..MIPS {
        let side = (4 >> mip) as f32;
        frames.stream.targets(&[31 + mip], 0).viewport([0.0, 0.0, side, side]).read(0, 30 + mip).draw(LEVEL_0, 6);
    }
    let mean = |texels: &[u32]| {
        let sum = texels
            .iter()
            .fold([0_u32; 4], |sum, texel| std::array::from_fn(|at| sum[at] + u32::from(top[*texel as usize][at])));
        sum.map(|sum| (f64::from(sum) / texels.len() as f64).round() as u8)
    };
    let all: Vec<u32> = (0..16).collect();
    frames.add_near("the last of the mips that were made", [1, 1], vec![mean(&all)], 1);
    frames.stream.targets(&[32], 0);
    let quarters = [0, 2, 8, 10].map(|first| mean(&[first, first + 1, first + 4, first + 5]));
    frames.add_near("the first of the mips that were made", [2, 2], quarters.to_vec(), 1);
    frames.stream.sampler(0, 1, 0, 0).viewport([0.0, 0.0, 4.0, 4.0]);
}

/// Each target has its own output; one that the shader doesn't write keeps what it has.
fn several_targets(frames: &mut Frames) {
    let constants = [RED, GREEN, BLUE].concat();
    frames.stream.buffer(40, &floats(&constants)).constants(40, 0, 0);
    (41..45).for_each(|target| {
        frames.stream.texture(target, R8G8B8A8, SIZE, [1, 1]);
    });
    frames.stream.targets(&[41, 42, 43, 44], 0).clear(1, [1.0; 4], 0.0).shaders(1, 4);
    frames.stream.viewport([0.0, 0.0, 4.0, 2.0]).draw(LEVEL_0, 6).viewport([0.0, 0.0, 4.0, 4.0]);
    let picture = |drawn: [f32; 4]| [vec![bytes(drawn); 8], vec![[255; 4]; 8]].concat();
    frames.add("the first of four targets", SIZE, picture(RED));
    for (target, drawn) in [(42, GREEN), (43, BLUE), (44, [1.0; 4])] {
        frames.stream.targets(&[target], 0);
        frames.add("another of four targets", SIZE, picture(drawn));
    }
    // The second output has no target.
    frames.stream.targets(&[41, 0, 43], 0).draw(LEVEL_0, 6).targets(&[42], 0);
    frames.add("a target in whose stead there was none", SIZE, picture(GREEN));
    frames.stream.targets(&[43], 0);
    frames.add_plain("the target behind the gap", SIZE, bytes(BLUE));
}

/// Textures that are drawn to by views with the other curve, blended too.
fn curves(frames: &mut Frames) {
    let half = [0.5, 0.5, 0.5, 0.5];
    let grey = |value: u8| [value, value, value, 128];
    frames.stream.shaders(1, 3).vertices(80, &rectangle(WHOLE, 0.5, [[1.0, 1.0, 1.0, 0.5]; 4]));
    // As it is stored and as it is seen; a half as it is stored then; three quarters.
    for (texture, view, formats, cleared, blended) in
        [(81, 82, [3, 9], 188, 225), (83, 84, [9, 3], 128, 191), (85, 86, [1, 7], 188, 225)]
    {
        let [stored, seen] = formats;
        frames.stream.texture(texture, stored, SIZE, [2, 1]).view(view, texture, seen, [0, 1], [0, 1]);
        frames.stream.targets(&[view], 0).clear(1, half, 0.0);
        frames.add_near(&format!("format {stored} is cleared as {seen}"), SIZE, vec![grey(cleared); 16], 1);
        // Half of white and half of what is there, in the left half.
        frames.stream.put(SetBlendState { enable: 1, src: 2, dst: 3, write_mask: 0x7, ..unblended() });
        frames.stream.viewport([0.0, 0.0, 2.0, 4.0]).draw(0, 6).viewport([0.0, 0.0, 4.0, 4.0]);
        let row = [grey(blended), grey(blended), grey(cleared), grey(cleared)];
        frames.add_near(&format!("format {stored} is blended as {seen}"), SIZE, row.repeat(4), 1);
        frames.stream.targets(&[texture], 0);
        frames.add_near(&format!("format {stored} that was blended as {seen}"), SIZE, row.repeat(4), 1);
        frames.stream.put(unblended());
    }
    frames.stream.vertex_buffer(0, 2, VERTEX_BYTES, 0).targets(&[TARGET], 0);
}

/// A clear writes the parts that it names, and no more.
fn clears(frames: &mut Frames) {
    const DEPTH: u32 = 50;
    frames.stream.shaders(1, 3).texture(DEPTH, 32, SIZE, [1, 1]).targets(&[TARGET], DEPTH);
    frames.stream.clear(7, BLUE, 0.6).draw(RED_ONE, 6);
    frames.add_plain("nearer than the cleared depth", SIZE, bytes(RED));
    // At 0.5 already: the next one is no nearer.
    frames.stream.draw(GREEN_ONE, 6);
    frames.add_plain("as near as what is there", SIZE, bytes(RED));
    frames.stream.clear(1, BLUE, 0.9).draw(GREEN_ONE, 6);
    frames.add_plain("a clear of colour leaves depth", SIZE, bytes(BLUE));
    frames.stream.clear(2, GREEN, 0.9).draw(RED_ONE, 6).clear(2, GREEN, 0.4).draw(GREEN_ONE, 6);
    frames.add_plain("a clear of depth leaves colour", SIZE, bytes(RED));
    frames.stream.clear(4, BLUE, 0.9).draw(GREEN_ONE, 6);
    frames.add_plain("a clear of stencil leaves both", SIZE, bytes(RED));
    frames.stream.targets(&[TARGET], 0);
}

/// Viewports that hang out of their target, and scissors.
fn viewports(frames: &mut Frames) {
    let (red, blue) = (bytes(RED), bytes(BLUE));
    frames.stream.clear(1, BLUE, 0.0).viewport([-2.0, 1.0, 4.0, 2.0]).draw(RED_ONE, 6);
    let at = |is_red: fn(u32, u32) -> bool| {
        (0..16).map(|texel| if is_red(texel % 4, texel / 4) { red } else { blue }).collect::<Vec<_>>()
    };
    frames.add("a viewport that hangs out on the left", SIZE, at(|x, y| x < 2 && (1..3).contains(&y)));
    // Its texture is moved with it, not squeezed: the right half of the mip's columns is seen.
    frames.stream.shaders(1, 2).texture(60, R8G8B8A8, [4, 1], [1, 1]);
    let columns: Vec<Rgba> = (0..4).map(|x| [x * 50, 0, 0, 255]).collect();
    frames
        .stream
        .upload(60, 0, &columns.concat())
        .read(0, 60)
        .viewport([-2.0, 0.0, 4.0, 4.0])
        .clear(1, BLUE, 0.0)
        .draw(LEVEL_0, 6);
    frames.add("what is drawn there is not squeezed", SIZE, [columns[2], columns[3], blue, blue].repeat(4));
    frames.stream.viewport([2.0, 0.0, 4.0, 4.0]).clear(1, BLUE, 0.0).draw(LEVEL_0, 6);
    frames.add("a viewport that hangs out on the right", SIZE, [blue, blue, columns[0], columns[1]].repeat(4));
    frames.stream.shaders(1, 3).viewport([0.0, 0.0, 4.0, 4.0]);
    for (about, [x, y, width, height], is_red) in [
        ("a scissor", [1, 2, 2, 1], (|x, y| (1..3).contains(&x) && y == 2) as fn(u32, u32) -> bool),
        ("a scissor that hangs out", [-3, -1, 5, 3], |x, y| x < 2 && y < 2),
        ("a scissor beside the target", [4, 0, 4, 4], |_, _| false),
    ] {
        scissor(&mut frames.stream, 1);
        // In this world a clear doesn't honour it.
        frames.stream.put(SetScissor { x, y, width, height }).clear(1, BLUE, 0.0).draw(RED_ONE, 6);
        frames.add(about, SIZE, at(is_red));
    }
    scissor(&mut frames.stream, 0);
    frames.stream.draw(RED_ONE, 6);
    frames.add_plain("a scissor that is off", SIZE, red);
}

fn scissor(stream: &mut Stream, scissor_enable: u32) {
    stream.put(SetRasterizerState { fill: 0, cull: 2, front_ccw: 0, scissor_enable, depth_bias: 0, flags: 0 });
}

/// Nothing is bound: the context's own target, of the size that the player was told.
fn back_buffer(frames: &mut Frames) {
    frames.stream.targets(&[], 0).clear(1, GREEN, 0.0).viewport([0.0, 0.0, 16.0, 4.0]).draw(BLUE_ONE, 6);
    let rgba = [vec![bytes(BLUE); 64], vec![bytes(GREEN); 192]].concat();
    frames.add("the back buffer", [16, 16], rgba);
    frames.stream.targets(&[TARGET], 0);
    frames.add_plain("the target that was there before", SIZE, bytes(RED));
}
