//! Fields of a draw's state, each with two values that differ in it alone, drawn one after the other: no cache takes the one
//! draw for the other.
//!
//! A picture has two halves with a draw each. Its frames have the values in all four orders, and the first value beside the
//! second has to look as it does beside itself. Then another player shows a frame whose caches know nothing. The fields are
//! those of the structs in the source, so that a new one has to have two values here, or a reason why it has none.

mod eleven;
mod nine;

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::Player;

use crate::gpu::kept::opened;
use crate::support::harness::Trial;
use crate::support::root;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::{
    PIXEL, R8G8B8A8, Stream, StreamOfTests, TRIANGLE_LIST, VERTEX_BYTES, WHOLE, floats, recording, rectangle,
    whole_texture,
};

const SIZE: Size = Size { width_px: 32, height_px: 8 };

/// Handles of what every frame has.
const TARGET: u32 = 20;
const DEPTH: u32 = 21;
const OTHER_TARGET: u32 = 22;
/// A target of two layers and one of two mips, and a view of each.
const TARGET_LAYERS: u32 = 23;
const TARGET_LAYER: [u32; 2] = [24, 25];
const TARGET_MIPS: u32 = 26;
const TARGET_MIP: [u32; 2] = [27, 28];
/// [`TARGET`], written by the curve of sRGB.
const TARGET_DECODED: u32 = 29;
/// Four colours.
const COLORS: u32 = 30;
const WHITE: u32 = 31;
/// Two mips of one colour each, and a view of either.
const MIPS: u32 = 32;
const MIP: [u32; 2] = [33, 34];
/// Two layers of one colour each, and a view of either.
const LAYERS: u32 = 35;
const LAYER: [u32; 2] = [36, 37];
/// Sixteen by sixteen texels, black and white by turns.
const FINE: u32 = 38;
/// [`COLORS`], decoded from sRGB.
const DECODED: u32 = 39;
/// Both halves, and both again with other texture coordinates.
const VERTICES: u32 = 40;
const OTHER_VERTICES: u32 = 41;
/// Both halves, from near to far.
const SLOPES: u32 = 42;
const INDICES: u32 = 43;
const OTHER_INDICES: u32 = 44;
/// Blocks of constants of Direct3D 11.
const CONSTANTS: u32 = 45;
const OTHER_CONSTANTS: u32 = 46;
/// Both halves, from before the nearest depth there is.
const TOO_NEAR: u32 = 47;
/// A whole texture on the whole target.
const EVERYWHERE: u32 = 48;
/// Vertices of a half.
const IN_A_HALF: u32 = 6;

/// Two values of a field, or of several that nothing can set apart.
struct Variation {
    fields: &'static [&'static str],
    /// Sets what the field needs to be seen.
    context: fn(&mut Stream),
    set: fn(&mut Stream, usize),
    /// Draws a half.
    draw: fn(&mut Stream, u32),
    /// Makes it be seen on the target.
    show: fn(&mut Stream),
    /// OpenGL has neither lines instead of triangles nor depths that are not cut off.
    is_of_vulkan: bool,
}

impl Variation {
    const fn new(fields: &'static [&'static str], context: fn(&mut Stream), set: fn(&mut Stream, usize)) -> Self {
        Self { fields, context, set, draw: draw_half, show: |_| (), is_of_vulkan: false }
    }

    const fn drawn_by(self, draw: fn(&mut Stream, u32)) -> Self {
        Self { draw, ..self }
    }

    const fn shown_by(self, show: fn(&mut Stream)) -> Self {
        Self { show, ..self }
    }

    const fn of_vulkan(self) -> Self {
        Self { is_of_vulkan: true, ..self }
    }
}

fn draw_half(stream: &mut Stream, half: u32) {
    stream.draw(half * IN_A_HALF, IN_A_HALF);
}

/// Fields without two values here, and why.
const NOT_VARIED: [(&str, &str); 31] = [
    ("DrawState.outline", "follows from the others"),
    ("DrawState.parts", "follows from the others"),
    ("DrawState.world", "is the vertex shader's"),
    ("DrawState.other_stage", "is refused"),
    ("DrawState.fixed", "has fields of its own"),
    ("DrawState.dynamic", "has fields of its own"),
    ("DrawState.targets", "has fields of its own"),
    ("DrawState.indices", "has fields of its own"),
    ("DrawState.vertex_bindings", "has fields of its own"),
    ("DrawState.pixel_bindings", "has fields of its own"),
    ("FixedState.raster", "has fields of its own"),
    ("FixedState.legacy", "has fields of its own"),
    ("DynamicState.fog", "has fields of its own"),
    ("DynamicState.points", "has fields of its own"),
    ("StencilTest.front", "has fields of its own"),
    ("StageBindings.slots", "has fields of its own"),
    ("StageBindings.shapes", "follows from the slots"),
    ("StageBindings.registers", "has fields of its own"),
    ("LegacyRules.points", "has fields of its own"),
    ("LegacyConstants.integers", "only loops read them"),
    ("LegacyConstants.booleans", "only branches read them"),
    ("Fog.vertex", "says nothing where there is a vertex shader"),
    ("Fog.is_by_range", "says nothing where there is a vertex shader"),
    ("SlotBindings.written", "has a pass of its own, with nothing kept"),
    ("SlotBindings.unbound", "is the shader's"),
    ("Sampler.anisotropy", "may be passed over by a driver"),
    ("VertexInput.register", "is the shader's"),
    ("VertexInput.size_bytes", "follows from what the value is"),
    ("TargetView.size_px", "follows from the texture and the mip"),
    ("TextureBinding.all_layers", "is the texture's"),
    ("TextureBinding.is_square", "is the texture's"),
];

/// Where the structs stand whose fields are varied.
const STRUCTS: [(&str, &[&str]); 8] = [
    ("d3d/resolve/draw_state.rs", &["DrawState", "DrawTargets", "TargetView", "IndexSource"]),
    ("d3d/resolve/stage_bindings.rs", &["StageBindings", "SlotBindings", "TextureBinding", "BufferRange"]),
    ("d3d/resolve/vertex_input.rs", &["VertexInput"]),
    ("d3d/resolve/legacy_constants.rs", &["LegacyConstants"]),
    ("fixed_state/resolved.rs", &["FixedState", "DynamicState", "DepthTest", "StencilTest", "StencilFace", "Raster"]),
    ("fixed_state/blend.rs", &["BlendEquations"]),
    ("fixed_state/sampler.rs", &["Sampler"]),
    ("fixed_state/legacy.rs", &["LegacyRules", "Fog", "FogNumbers", "PointRules", "PointNumbers"]),
];

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![Trial::test("each_field_has_two_values", || {
        each_field_has_two_values();
        Ok(())
    })];
    trials.extend(BACKENDS.map(|backend| {
        backend.trial(format!("{}::a_value_is_never_drawn_as_the_other", backend.name()), move || drawn_apart(backend))
    }));
    trials
}

/// Fields of the structs, as the source has them.
fn fields() -> BTreeSet<String> {
    let mut fields = BTreeSet::new();
    for (file, structs) in STRUCTS {
        let source = syn::parse_file(&fs::read_to_string(root().join("src/replay").join(file)).unwrap()).unwrap();
        for name in structs {
            let found = source.items.iter().find_map(|item| match item {
                syn::Item::Struct(item) if item.ident == name => Some(item),
                _ => None,
            });
            let found = found.unwrap_or_else(|| panic!("{file} has no struct {name}"));
            fields.extend(found.fields.iter().map(|field| format!("{name}.{}", field.ident.as_ref().unwrap())));
        }
    }
    fields
}

fn each_field_has_two_values() {
    let varied = || nine::VARIATIONS.iter().chain(&eleven::VARIATIONS).flat_map(|variation| variation.fields);
    let excused = NOT_VARIED.iter().map(|(field, _)| field);
    let known: BTreeSet<String> = varied().chain(excused.clone()).map(|field| (*field).to_owned()).collect();
    let missing: Vec<_> = fields().difference(&known).cloned().collect();
    assert!(missing.is_empty(), "fields that need two values, or a reason for none: {missing:?}");
    let mut of_none = excused.filter(|field| !fields().contains(**field) || varied().any(|varied| varied == *field));
    assert_eq!(of_none.next(), None, "a reason for a field that is varied, or is none");
}

fn drawn_apart(backend: Backend) {
    let of_nine = nine::VARIATIONS.iter().map(|variation| (nine::begin as fn(&mut Stream), variation));
    let of_eleven = eleven::VARIATIONS.iter().map(|variation| (eleven::begin as fn(&mut Stream), variation));
    let can_be_drawn = |variation: &Variation| backend == Backend::Vulkan || !variation.is_of_vulkan;
    let varied = of_nine.chain(of_eleven).filter(|(_, variation)| can_be_drawn(variation));
    let wrong: Vec<String> = varied
        .filter_map(|(begin, variation)| {
            let why = confused(backend, begin, variation)?;
            Some(format!("{}: {why}", variation.fields.join(", ")))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Why the values of a field are not drawn as they are alone.
fn confused(backend: Backend, begin: fn(&mut Stream), variation: &Variation) -> Option<String> {
    let orders = [[0, 0], [0, 1], [1, 0], [1, 1]];
    let frames: Vec<Vec<u8>> = orders.iter().map(|order| frame(begin, variation, *order)).collect();
    let trace = trace(&frames);
    let mut player = Player::new(trace.clone(), backend.open_fresh(), SIZE).unwrap();
    let mut pictures = Vec::new();
    for number in 0..orders.len() as u32 {
        match player.render(FrameIndex(number)) {
            Ok(picture) => pictures.push(picture),
            Err(error) => return Some(error.to_string()),
        }
    }
    let halves: Vec<[Vec<[u8; 4]>; 2]> = pictures.iter().map(halves).collect();
    let [first, first_second, second_first, second] = halves.as_slice() else { unreachable!("four frames") };
    if first[0] == second[0] || first[1] == second[1] {
        return Some("both values look alike".to_owned());
    }
    if *first_second != [first[0].clone(), second[1].clone()] {
        return Some("the second value behind the first".to_owned());
    }
    if *second_first != [second[0].clone(), first[1].clone()] {
        return Some("the first value behind the second".to_owned());
    }
    let mut fresh = Player::new(trace, backend.open_fresh(), SIZE).unwrap();
    let mut differs =
        |number: &usize| fresh.render(FrameIndex(*number as u32)).unwrap().hash() != pictures[*number].hash();
    [3, 0].iter().find(|number| differs(number)).map(|number| format!("frame {number}, sought"))
}

/// A frame whose halves have these values. It makes all that it needs, and lets go of it.
fn frame(begin: fn(&mut Stream), variation: &Variation, order: [usize; 2]) -> Vec<u8> {
    let mut stream = Stream::new();
    resources(&mut stream);
    begin(&mut stream);
    stream.targets(&[OTHER_TARGET], 0).clear(1, [0.25; 4], 0.0);
    stream.targets(&[TARGET], DEPTH).clear(7, [0.25; 4], 0.5);
    (variation.context)(&mut stream);
    for (half, value) in (0..).zip(order) {
        (variation.set)(&mut stream, value);
        (variation.draw)(&mut stream, half);
    }
    begin(&mut stream);
    stream.targets(&[TARGET], DEPTH);
    (variation.show)(&mut stream);
    stream.targets(&[TARGET], 0).present();
    stream.finish()
}

fn trace(frames: &[Vec<u8>]) -> Arc<Trace> {
    let bytes = recording(frames.iter().map(Vec::as_slice));
    Arc::new(opened(bytes).unwrap())
}

/// The left and the right half, row by row.
fn halves(picture: &Picture) -> [Vec<[u8; 4]>; 2] {
    let rows = || picture.rgba().as_chunks::<4>().0.chunks_exact(SIZE.width_px as usize);
    let half = |half: usize| rows().flat_map(move |row| row.chunks_exact(row.len() / 2).nth(half).unwrap()).copied();
    [half(0).collect(), half(1).collect()]
}

/// Halves from a depth to another, with these texture coordinates at their corners. Around each is room for what is drawn
/// beyond its edges.
fn both_halves(depths: [f32; 2], corners: [[f32; 4]; 4]) -> Vec<u8> {
    let mut bytes: Vec<u8> = [[-0.75, 1.0, -0.25, -1.0], [0.25, 1.0, 0.75, -1.0]]
        .iter()
        .flat_map(|rectangle_of| rectangle(*rectangle_of, depths[0], corners))
        .collect();
    // The lower corners are at the other depth.
    for vertex in bytes.chunks_exact_mut(VERTEX_BYTES as usize) {
        if vertex[4..8] == (-1.0_f32).to_le_bytes() {
            vertex[8..12].copy_from_slice(&depths[1].to_le_bytes());
        }
    }
    bytes
}

/// Makes all that any frame names, and lets go of the resources that a frame before has made under these handles.
fn resources(stream: &mut Stream) {
    for view in [MIP, LAYER, TARGET_LAYER, TARGET_MIP, [DECODED, TARGET_DECODED]].concat() {
        stream.put(aerogpu_replay::abi::a3a0::resources::DestroyTextureView { view, reserved: 0 });
    }
    for handle in
        (TARGET..=TARGET_LAYERS).chain([TARGET_MIPS, COLORS, WHITE, MIPS, LAYERS, FINE]).chain(VERTICES..=EVERYWHERE)
    {
        stream.put(aerogpu_replay::abi::a3a0::resources::DestroyResource { handle, reserved: 0 });
    }
    const SIDES: [u32; 2] = [SIZE.width_px, SIZE.height_px];
    stream.texture(TARGET, R8G8B8A8, SIDES, [1, 1]).texture(OTHER_TARGET, R8G8B8A8, SIDES, [1, 1]);
    stream.texture(TARGET_LAYERS, R8G8B8A8, SIDES, [1, 2]).texture(
        TARGET_MIPS,
        R8G8B8A8,
        SIDES.map(|side| 2 * side),
        [2, 1],
    );
    // R8G8B8A8_UNORM_SRGB.
    stream.view(TARGET_DECODED, TARGET, 9, [0, 1], [0, 1]);
    // D24_UNORM_S8_UINT.
    stream.texture(DEPTH, 32, SIDES, [1, 1]);
    let colors = [[255, 64, 0, 255], [0, 128, 64, 192], [64, 0, 255, 128], [192, 192, 32, 64]];
    stream.texture(COLORS, R8G8B8A8, [2, 2], [1, 1]).upload(COLORS, 0, colors.as_flattened());
    // R8G8B8A8_UNORM_SRGB.
    stream.view(DECODED, COLORS, 9, [0, 1], [0, 1]);
    stream.texture(WHITE, R8G8B8A8, [1, 1], [1, 1]).upload(WHITE, 0, &[255; 4]);
    let (blue, gold) = ([0, 32, 255, 255], [255, 192, 0, 255]);
    let mips: Vec<u8> = [[blue; 4].as_flattened(), [gold; 1].as_flattened()].concat();
    stream.texture(MIPS, R8G8B8A8, [2, 2], [2, 1]).upload(MIPS, 0, &mips);
    stream.texture(LAYERS, R8G8B8A8, [1, 1], [1, 2]).upload(LAYERS, 0, &[blue, gold].concat());
    for number in 0..2 {
        stream.view(MIP[number as usize], MIPS, R8G8B8A8, [number, 1], [0, 1]);
        stream.view(TARGET_MIP[number as usize], TARGET_MIPS, R8G8B8A8, [number, 1], [0, 1]);
        stream.view(TARGET_LAYER[number as usize], TARGET_LAYERS, R8G8B8A8, [0, 1], [number, 1]);
        stream.view(LAYER[number as usize], LAYERS, R8G8B8A8, [0, 1], [number, 1]);
    }
    let fine: Vec<u8> = (0..256_u32).flat_map(|texel| [(texel + texel / 16) as u8 % 2 * 255; 4]).collect();
    stream.texture(FINE, R8G8B8A8, [16, 16], [1, 1]).upload(FINE, 0, &fine);
    let upright = [[0.0, 0.0, 0.0, 1.0], [2.0, 0.0, 0.0, 1.0], [0.0, 1.5, 0.0, 1.0], [2.0, 1.5, 0.0, 1.0]];
    let turned = upright.map(|[u, v, z, w]| [v, u, z, w]);
    let vertices = [both_halves([0.25; 2], upright), both_halves([0.25; 2], turned)].concat();
    stream.buffer(VERTICES, &vertices).buffer(OTHER_VERTICES, &both_halves([0.25; 2], turned));
    stream.buffer(SLOPES, &both_halves([0.1, 0.45], upright)).buffer(TOO_NEAR, &both_halves([-0.5, 0.5], upright));
    stream.buffer(EVERYWHERE, &rectangle(WHOLE, 0.25, whole_texture(0.0)));
    let halves = 2 * IN_A_HALF as u16;
    let indices: Vec<u8> = (0..2 * halves).flat_map(u16::to_le_bytes).collect();
    let others: Vec<u8> = (halves..2 * halves).flat_map(u16::to_le_bytes).collect();
    stream.buffer(INDICES, &indices).buffer(OTHER_INDICES, &others);
    let block = |color: [f32; 4]| floats([color; 16].as_flattened());
    let blocks = [block([1.0, 0.5, 0.25, 1.0]), block([0.25, 1.0, 0.5, 0.5])].concat();
    stream.buffer(CONSTANTS, &blocks).buffer(OTHER_CONSTANTS, &block([0.5, 0.25, 1.0, 1.0]));
    nine::shaders(stream);
    eleven::shaders(stream);
    stream.topology(TRIANGLE_LIST).viewport([0.0, 0.0, SIZE.width_px as f32, SIZE.height_px as f32]);
    stream.scissor([0, 0, SIZE.width_px as i32, SIZE.height_px as i32]);
    stream.vertex_buffer(0, VERTICES, VERTEX_BYTES, 0).read_in(PIXEL, 0, COLORS);
}
