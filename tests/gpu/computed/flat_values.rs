//! Values that a pixel shader reads from one corner of each triangle: of lists, strips and fans, with indices and without.
//!
//! Two rows of corners, a band of four triangles between them: in the middle of it, where the only row of pixels is, each
//! has two pixels.

use aerogpu_replay::abi::a3a0::Bytes;
use aerogpu_replay::abi::a3a0::bindings::SetIndexBuffer;
use aerogpu_replay::abi::a3a0::shaders::CreateShaderDxbc;
use aerogpu_replay::abi::a3a0::state::SetRasterizerState;
use aerogpu_replay::abi::a3a0::work::DrawIndexed;

use super::Frame;
use crate::gpu::d3d_programs::assemble;
use crate::support::streams::*;

type Rgba = [u8; 4];

const TARGET: u32 = 1;
const ROW: u32 = 8;
const TRIANGLES: u32 = 4;
const STRIP: u32 = 5;
const FAN: u32 = 6;

const VERTEX_TEXT: &str =
    "vs_5_0\ndcl_input v0\ndcl_input v1\ndcl_output_position o0\ndcl_output o1\nmov o0, v0\nmov o1, v1\nret\n";
const PIXEL_TEXT: &str = "ps_5_0\ndcl_input_ps_constant v1\ndcl_output o0\nmov o0, v1\nret\n";

/// The number of a corner as a colour.
fn color(corner: u32) -> Rgba {
    [corner as u8 * 20, 255 - corner as u8 * 20, 0, 255]
}

/// Corner `number`, at a column of pixels.
fn corner(number: u32, column: f32, is_above: bool) -> Vec<u8> {
    let [r, g, b, a] = color(number).map(|channel| f32::from(channel) / 255.0);
    let y = if is_above { 1.0 } else { -1.0 };
    floats(&[column * 2.0 / ROW as f32 - 1.0, y, 0.5, 1.0, r, g, b, a])
}

/// Corner `place` of the band, which has the number `number`.
fn of_band(number: u32, place: u32) -> Vec<u8> {
    corner(number, place as f32 * 2.0 - 1.0, place.is_multiple_of(2))
}

/// Corner `number` of a fan around the middle of the lower edge.
fn of_fan(number: u32) -> Vec<u8> {
    match number {
        0 => corner(0, ROW as f32 / 2.0, false),
        _ => corner(number, (number as f32 - 1.0) * 4.0 - ROW as f32 / 2.0, true),
    }
}

fn shader(stream: &mut Stream, handle: u32, stage: u32, code: &[u8]) {
    let size_bytes = code.len() as u32;
    stream.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(code) });
}

/// Back faces are culled by 2, nothing by 0. The triangles of the band turn counterclockwise.
fn culling(cull: u32) -> SetRasterizerState {
    SetRasterizerState { fill: 0, cull, front_ccw: 1, scissor_enable: 0, depth_bias: 0, flags: 0 }
}

pub fn frames() -> Vec<Frame> {
    let between = [("SV_Position", 0, 15, 3, 1), ("TEXCOORD", 1, 15, 3, 0)];
    let vertex = assemble(VERTEX_TEXT, &[("POSITION", 0, 15, 3, 0), ("TEXCOORD", 1, 15, 3, 0)], &between);
    let pixel = assemble(PIXEL_TEXT, &between, &[("SV_Target", 0, 15, 3, 0)]);
    let band = TRIANGLES + 2;
    let list = (0..TRIANGLES * 3).flat_map(|number| of_band(number, number / 3 + number % 3));
    let vertices = (0..band).flat_map(|number| of_band(number, number)).chain((0..band).flat_map(of_fan)).chain(list);
    let mut stream = Stream::new();
    shader(&mut stream, 1, VERTEX, &vertex);
    shader(&mut stream, 2, PIXEL, &pixel);
    stream
        .layout(1, &[Element("POSITION", FLOAT4, 0, APPENDED, 0), Element("TEXCOORD", FLOAT4, 0, APPENDED, 0)])
        .vertices(2, &vertices.collect::<Vec<_>>())
        .shaders(1, 2)
        .viewport([0.0, 0.0, ROW as f32, 1.0])
        .texture(TARGET, R8G8B8A8, [ROW, 1], [1, 1])
        .targets(&[TARGET], 0)
        .put(culling(0));
    let [of_band, of_fan, of_list] = [0, band, 2 * band];
    let turned: Vec<u32> = (0..TRIANGLES).flat_map(|triangle| [triangle + 1, triangle + 2, triangle]).collect();
    let in_order: Vec<u32> = (0..band).collect();
    let cut: Vec<u32> = [0, 1, 2, u32::MAX, 1, 2, 3, u32::MAX, 2, 3, 4, 5].into();
    // A strip that begins at an odd index, and whose triangles with an area begin many indices after the last cut.
    let cuts = [0, 1, 2, u32::MAX].repeat(21);
    let long: Vec<u32> = [&cuts[..], &[u32::MAX], &[0; 1000], &in_order].concat();
    // What is drawn, from which vertex on, by which indices, and the corner that a triangle is coloured by.
    type Case<'i> = (&'static str, u32, u32, &'i [u32], fn(u32) -> u32);
    let cases: [Case<'_>; 8] = [
        ("a list", TRIANGLE_LIST, of_list, &[], |triangle| triangle * 3),
        ("a list by indices", TRIANGLE_LIST, of_band, &turned, |triangle| triangle + 1),
        ("a strip", STRIP, of_band, &[], |triangle| triangle),
        ("a strip by indices", STRIP, of_band, &in_order, |triangle| triangle),
        ("a strip by indices, cut", STRIP, of_band, &cut, |triangle| triangle),
        ("a long strip by indices, cut and culled", STRIP, of_band, &long, |triangle| triangle),
        ("a fan", FAN, of_fan, &[], |triangle| triangle + 1),
        ("a fan by indices", FAN, of_fan, &in_order, |triangle| triangle + 1),
    ];
    let mut frames = Vec::new();
    for (handle, (about, topology, first, indices, corner)) in (10..).zip(cases) {
        stream.clear(1, [0.0, 0.0, 1.0, 1.0], 0.0).topology(topology);
        stream.put(culling(if indices == long { 2 } else { 0 }));
        if indices.is_empty() {
            stream.draw(first, if topology == TRIANGLE_LIST { TRIANGLES * 3 } else { band });
        } else {
            let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
            let (index_count, base_vertex) = (indices.len() as u32, first as i32);
            stream
                .buffer(handle, &bytes)
                .put(SetIndexBuffer { buffer: handle, format: 1, offset: 0, reserved: 0 })
                .put(DrawIndexed { index_count, instance_count: 1, first_index: 0, base_vertex, first_instance: 0 });
        }
        stream.present();
        let stream = std::mem::replace(&mut stream, Stream::new()).finish();
        let rgba = (0..ROW).map(|x| color(corner(x / 2))).collect();
        frames.push(Frame { about: about.to_owned(), stream, size: [ROW, 1], rgba, tolerance: 1 });
    }
    frames
}
