//! One frame: shadow map, scene, bloom, overlay.

use std::f32::consts::TAU;
use std::ops::Range;

use aerogpu_replay::abi::a3a0::BufferBinding;
use aerogpu_replay::abi::a3a0::calls::{COMPUTE, PIXEL, Stream, VERTEX};
use aerogpu_replay::abi::a3a0::state::SetBlendState;
use aerogpu_replay::abi::a3a0::work::DrawIndexed;

use super::super::matrix::{Matrix, Vector, View, along, bytes, turned};
use super::super::mesh::{VERTEX_BYTES, vertex};
use super::FRAMES;
use super::assets::*;

/// Where the matrix of an object lies among those of all.
#[derive(Clone, Copy)]
enum Object {
    AtRest,
    Crate,
    Lamp,
}

/// Depth test of what is drawn behind the halo.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum DepthTest {
    /// It is turned on again.
    OnAgain,
    /// It is left off: the fault.
    LeftOff,
}

/// Records a frame.
pub(crate) fn record(stream: &mut Stream, assets: &Assets, number: u32, behind_halo: DepthTest) {
    let time = number as f32 / FRAMES as f32;
    let angle = TAU * (0.05 + 0.184 * time);
    let camera = View::new([13.5 * angle.cos(), 4.6, 13.5 * angle.sin()], [0.0, 2.4, 0.0]);
    let lamp_angle = TAU * (0.35 - 0.8 * time);
    let lamp = [3.6 * lamp_angle.cos(), 2.1 + 0.5 * (3.0 * lamp_angle).sin(), 3.6 * lamp_angle.sin()];
    constants(stream, &camera, lamp, time);
    shadow_map(stream, assets);
    scene(stream, assets, &camera, lamp, behind_halo);
    bloom(stream, assets);
    overlay(stream, assets, number);
    stream.present();
}

fn constants(stream: &mut Stream, camera: &View, lamp: Vector, time: f32) {
    let aspect = PICTURE[0] as f32 / PICTURE[1] as f32;
    stream.upload(CAMERA, 0, &bytes(&camera.perspective(1.9, aspect, 1.0, 60.0)));
    let moved = |object: Object, matrix: Matrix| (u64::from(object as u32 * OBJECT_BYTES), bytes(&matrix));
    let spin = turned(TAU * time, [3.4, 0.35 + 0.3 * (TAU * 2.0 * time).sin().abs(), 2.2]);
    for (offset, matrix) in [moved(Object::Crate, spin), moved(Object::Lamp, turned(0.0, lamp))] {
        stream.upload(OBJECTS, offset, &matrix);
    }
}

/// Draws instances of an object from the buffer of all meshes.
fn draw(stream: &mut Stream, indices: &Range<u32>, instances: Range<u32>) {
    stream.put(DrawIndexed {
        index_count: indices.end - indices.start,
        instance_count: instances.end - instances.start,
        first_index: indices.start,
        base_vertex: 0,
        first_instance: instances.start,
    });
}

/// Draws an object once; the first offset is zero.
fn draw_one(stream: &mut Stream, indices: &Range<u32>) {
    draw(stream, indices, 0..1);
}

fn constants_of(stream: &mut Stream, object: Object) {
    let bound =
        BufferBinding { buffer: OBJECTS, offset_bytes: object as u32 * OBJECT_BYTES, size_bytes: 64, reserved: 0 };
    stream.constants_in(VERTEX, 1, bound);
}

/// The triangle that covers a target, with nothing that it is tested against.
fn cover(stream: &mut Stream, assets: &Assets, pixel_shader: u32) {
    stream.shaders(FLAT_VS, pixel_shader);
    draw_one(stream, &assets.whole);
}

fn shadow_map(stream: &mut Stream, assets: &Assets) {
    marker(stream, "{ shadow map");
    stream.targets(&[], SHADOW).viewport([0.0, 0.0, SHADOW_SIDE as f32, SHADOW_SIDE as f32]);
    stream.clear(2, [0.0; 4], 1.0).depth_test(Some(LESS));
    stream.shaders(SHADOW_VS, SHADOW_PS).use_layout(MESH_LAYOUT).read(0, MARBLE);
    draw_one(stream, &assets.masonry);
    draw(stream, &assets.pillar, 1..1 + PILLARS);
    draw_one(stream, &assets.trunk);
    stream.read(0, LEAVES);
    draw_one(stream, &assets.crown);
    constants_of(stream, Object::Crate);
    stream.read(0, CRATE);
    draw_one(stream, &assets.crate_box);
    constants_of(stream, Object::AtRest);
    marker(stream, "}");
}

/// The comparison of depth that lets the nearer through.
const LESS: u32 = 1;

fn scene(stream: &mut Stream, assets: &Assets, camera: &View, lamp: Vector, behind_halo: DepthTest) {
    marker(stream, "{ scene");
    let [width, height] = PICTURE.map(|side| side as f32);
    stream.targets(&[SCENE], DEPTH).viewport([0.0, 0.0, width, height]).clear(2, [0.0; 4], 1.0);
    marker(stream, "{ sky");
    stream.depth_test(None).use_layout(FLAT_LAYOUT);
    cover(stream, assets, SKY_PS);
    marker(stream, "}");
    marker(stream, "{ stone");
    stream.depth_test(Some(LESS)).shaders(SCENE_VS, SCENE_PS).read(1, SHADOW);
    stream.use_layout(MESH_LAYOUT).read(0, PAVING);
    draw_one(stream, &assets.ground);
    stream.read(0, BRICK);
    draw_one(stream, &assets.masonry);
    stream.read(0, MARBLE);
    draw(stream, &assets.pillar, 1..1 + PILLARS);
    marker(stream, "}");
    marker(stream, "{ crate");
    stream.read(0, CRATE);
    constants_of(stream, Object::Crate);
    draw_one(stream, &assets.crate_box);
    marker(stream, "}");
    marker(stream, "{ lamp");
    stream.shaders(SCENE_VS, LAMP_PS);
    constants_of(stream, Object::Lamp);
    draw_one(stream, &assets.lamp);
    halo(stream, assets, camera, lamp, behind_halo);
    marker(stream, "}");
    marker(stream, "{ tree");
    stream.shaders(SCENE_VS, SCENE_PS).read(0, BARK);
    draw_one(stream, &assets.trunk);
    stream.read(0, LEAVES);
    draw_one(stream, &assets.crown);
    marker(stream, "}");
    marker(stream, "}");
}

/// Light around the lamp. It is in front of everything, so that depth is neither tested nor written while it is drawn.
fn halo(stream: &mut Stream, assets: &Assets, camera: &View, lamp: Vector, behind_halo: DepthTest) {
    marker(stream, "{ halo");
    let corners = [(-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].into_iter().flat_map(|(x, y)| {
        let at = along(along(lamp, camera.right, 1.5 * x), camera.up, 1.5 * y);
        vertex(at, [0.0; 3], [(x + 1.0) / 2.0, (y + 1.0) / 2.0])
    });
    stream.upload(HALO_VERTICES, 0, &corners.collect::<Vec<u8>>()).vertex_buffer(0, HALO_VERTICES, VERTEX_BYTES, 0);
    stream.shaders(SCENE_VS, HALO_PS).depth_test(None);
    stream.put(blend(Some([ONE, ONE])));
    constants_of(stream, Object::AtRest);
    let one = assets.rectangles.start..assets.rectangles.start + 6;
    draw_one(stream, &one);
    stream.put(blend(None)).vertex_buffer(0, VERTICES, VERTEX_BYTES, 0);
    if behind_halo == DepthTest::OnAgain {
        stream.depth_test(Some(LESS));
    }
    marker(stream, "}");
}

// Blend factors.
const ONE: u32 = 1;
const SOURCE_ALPHA: u32 = 2;
const ONE_MINUS_SOURCE_ALPHA: u32 = 3;

/// Blending by a factor of what is drawn and one of what is there, or none.
fn blend(factors: Option<[u32; 2]>) -> SetBlendState {
    let [src, dst] = factors.unwrap_or([ONE, 0]);
    // The short form of the packet, which has the same factors for alpha.
    let (src_alpha, dst_alpha, op_alpha) = (None, None, None);
    SetBlendState {
        enable: u32::from(factors.is_some()),
        src,
        dst,
        op: 0,
        write_mask: 0xf,
        pad: [0; 3],
        src_alpha,
        dst_alpha,
        op_alpha,
        constant_r: None,
        constant_g: None,
        constant_b: None,
        constant_a: None,
        sample_mask: None,
    }
}

fn bloom(stream: &mut Stream, assets: &Assets) {
    marker(stream, "{ bloom");
    let [width, height] = BLOOM.map(|side| side as f32);
    stream.depth_test(None).targets(&[BRIGHT], 0).viewport([0.0, 0.0, width, height]).read(0, SCENE);
    stream.use_layout(FLAT_LAYOUT);
    cover(stream, assets, BRIGHT_PS);
    let groups = [BLOOM[0] / 10, BLOOM[1] / 10, 1];
    stream.targets(&[], 0).read_in(COMPUTE, 0, BRIGHT).writes(COMPUTE, 0, ROWS);
    stream.dispatch([FLAT_VS, COMPOSE_PS, ROWS_CS], groups).read_in(COMPUTE, 0, 0);
    stream.writes(COMPUTE, 0, BLURRED).read_buffer(COMPUTE, 1, (ROWS, false));
    stream.dispatch([FLAT_VS, COMPOSE_PS, COLUMNS_CS], groups);
    stream.writes(COMPUTE, 0, 0).read_buffer(COMPUTE, 1, (0, false));
    let [width, height] = PICTURE.map(|side| side as f32);
    stream.targets(&[SCREEN], 0).viewport([0.0, 0.0, width, height]);
    stream.read(1, 0).read_buffer(PIXEL, 1, (BLURRED, false));
    cover(stream, assets, COMPOSE_PS);
    stream.read_buffer(PIXEL, 1, (0, false)).read(0, 0);
    marker(stream, "}");
}

fn overlay(stream: &mut Stream, assets: &Assets, number: u32) {
    marker(stream, "{ overlay");
    let title = TITLE.len() as u32;
    let digits = [number / 10, number % 10].map(|digit| char::from(b'0' + digit as u8));
    let shown: Vec<u8> = (title..).zip(digits).flat_map(|(column, of)| letter(column, of)).collect();
    // The first rectangle is the strip.
    stream.upload(OVERLAY, u64::from((1 + title) * RECTANGLE_BYTES), &shown);
    stream.shaders(FLAT_VS, TEXT_PS).vertex_buffer(0, OVERLAY, VERTEX_BYTES, 0).read(0, LETTERS);
    stream.put(blend(Some([SOURCE_ALPHA, ONE_MINUS_SOURCE_ALPHA])));
    draw_one(stream, &(assets.rectangles.start..assets.rectangles.start + 6 * (1 + title + 2)));
    stream.put(blend(None)).read(0, 0).vertex_buffer(0, VERTICES, VERTEX_BYTES, 0);
    marker(stream, "}");
}
