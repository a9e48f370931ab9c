//! One frame: ground, crates, firs, fireflies, text.

use std::f32::consts::TAU;
use std::ops::Range;

use aerogpu_replay::abi::a3a0::calls::{Stream, TRIANGLE_LIST};
use aerogpu_replay::abi::a3a0::work::DrawIndexed;

use super::super::matrix::{View, rounded};
use super::FRAMES;
use super::load::*;

const POINT_LIST: u32 = 1;

/// Records a frame.
pub(crate) fn record(stream: &mut Stream, objects: &Objects, number: u32) {
    let time = number as f32 / FRAMES as f32;
    let camera = View::new([1.2 * (TAU * time).sin(), 1.9, 11.0 - 3.0 * time], [0.0, 1.3, 0.0]);
    let aspect = PICTURE[0] as f32 / PICTURE[1] as f32;
    constants(stream, 0, &camera.perspective(1.7, aspect, 0.5, 80.0));
    stream.clear(3, FOG, 1.0).vertex_buffer(0, VERTICES, VERTEX_BYTES, 0);
    heath(stream, objects);
    fireflies(stream, objects, time);
    text(stream, objects, number);
    stream.present();
}

fn draw(stream: &mut Stream, indices: &Range<u32>) {
    stream.put(DrawIndexed {
        index_count: indices.end - indices.start,
        instance_count: 1,
        first_index: indices.start,
        base_vertex: 0,
        first_instance: 0,
    });
}

/// Place and size of the objects behind it.
fn place(stream: &mut Stream, [x, y, z]: [f32; 3], size: f32) {
    constants(stream, 8, &[[x, y, z, size]]);
}

fn heath(stream: &mut Stream, objects: &Objects) {
    marker(stream, "{ heath");
    stream.shaders(LIT_VS, TEXTURED_PS).read(0, HEATHER);
    set(stream, state::FOG, 1);
    place(stream, [0.0; 3], 1.0);
    draw(stream, &objects.ground);
    marker(stream, "{ firs");
    stream.read(0, FIR);
    set(stream, state::ALPHA_TEST, 1);
    draw(stream, &objects.firs);
    set(stream, state::ALPHA_TEST, 0);
    marker(stream, "}");
    marker(stream, "{ crates");
    stream.read(0, CRATE);
    for (at, size) in CRATES {
        place(stream, at, size);
        draw(stream, &objects.crate_box);
    }
    marker(stream, "}");
    set(stream, state::FOG, 0);
    marker(stream, "}");
}

/// Point sprites, whose light is added to what is there.
fn fireflies(stream: &mut Stream, objects: &Objects, time: f32) {
    marker(stream, "{ fireflies");
    let (sin, cos) = (TAU * time).sin_cos();
    constants(stream, 10, &[[sin, 0.4 * cos, cos, 90.0].map(rounded)]);
    stream.shaders(FIREFLY_VS, GLOW_PS).read(0, FIREFLY).topology(POINT_LIST);
    set(stream, state::Z_WRITE, 0);
    // One and one.
    for (state, value) in [(state::ALPHA_BLEND, 1), (state::SOURCE_BLEND, 2), (state::DESTINATION_BLEND, 2)] {
        set(stream, state, value);
    }
    set(stream, state::POINT_SPRITE, 1);
    stream.draw(objects.first_firefly, FIREFLIES);
    set(stream, state::POINT_SPRITE, 0);
    set(stream, state::Z_WRITE, 1);
    marker(stream, "}");
}

fn text(stream: &mut Stream, objects: &Objects, number: u32) {
    marker(stream, "{ text");
    let title = TITLE.len() as u32;
    let digits = [number / 10, number % 10].map(|digit| char::from(b'0' + digit as u8));
    let shown: Vec<u8> = (title..).zip(digits).flat_map(|(column, of)| letter(column, of)).collect();
    stream.upload(TEXT, u64::from(title * 4 * VERTEX_BYTES), &widened(&shown));
    stream.shaders(FLAT_VS, GLOW_PS).read(0, LETTERS).topology(TRIANGLE_LIST).vertex_buffer(0, TEXT, VERTEX_BYTES, 0);
    set(stream, state::Z_ENABLE, 0);
    // The source's alpha, and one without it.
    for (state, value) in [(state::SOURCE_BLEND, 5), (state::DESTINATION_BLEND, 6)] {
        set(stream, state, value);
    }
    draw(stream, &objects.letters);
    set(stream, state::ALPHA_BLEND, 0);
    set(stream, state::Z_ENABLE, 1);
    stream.read(0, 0);
    marker(stream, "}");
}
