//! Mismatched draws, by the part of them that is chosen by chance.

use aerogpu_replay::abi::a3a0::bindings::*;
use aerogpu_replay::abi::a3a0::shaders::BindShaders;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::{Dispatch, Draw, DrawIndexed};
use aerogpu_replay::abi::a3a0::{BoundHandle, BufferBinding, Elements, UnorderedAccessBinding, VertexBufferBinding};

use super::{OTHER, SIDE, shaders};
use crate::support::random::Random;
use crate::support::streams::*;
use dev_d3d_assembler::legacy::{Lengths, assemble};

const B8G8R8A8: u32 = 1;
const B8G8R8X8_SRGB: u32 = 8;
const B5G6R5: u32 = 5;
const D24: u32 = 32;
const D32: u32 = 33;
const BC1: u32 = 64;

pub fn rasterizer(fill: u32, depth_bias: i32) -> SetRasterizerState {
    SetRasterizerState { fill, cull: 0, front_ccw: 0, scissor_enable: 0, depth_bias, flags: 0 }
}

pub fn depth_stencil(depth_enable: u32, stencil_enable: u32) -> SetDepthStencilState {
    SetDepthStencilState {
        depth_enable,
        depth_write: depth_enable,
        depth_func: 7,
        stencil_enable,
        stencil_read_mask: 0xff,
        stencil_write_mask: 0xff,
        pad: [0; 2],
    }
}

/// A draw or dispatch whose parts are chosen by chance, on a target of its own; tells what was chosen.
pub fn mismatched(stream: &mut Stream, random: &mut Random, told: &mut Vec<String>) {
    stream.targets(&[OTHER], 0);
    match random.below(8) {
        0 | 1 => texture_of_another_kind(stream, random, told),
        2 => targets_of_another_size(stream, random, told),
        3 => vertices_that_lie_anywhere(stream, random, told),
        4 => odd_fixed_state(stream, random, told),
        5 => distances(stream, random, told),
        6 => samplers_of_direct3d9(stream, random, told),
        _ => more_than_devices_have(stream, random, told),
    }
}

fn draw(stream: &mut Stream, random: &mut Random) {
    match random.below(6) {
        0 => stream.put(Draw { vertex_count: 6, instance_count: 3, first_vertex: 0, first_instance: 2 }),
        _ => stream.draw(0, 6),
    };
}

/// Makes something that can be bound to be read under a handle; tells what.
fn readable(stream: &mut Stream, random: &mut Random, handle: u32) -> String {
    let format = random.pick(&[R8G8B8A8, B8G8R8A8, B8G8R8X8_SRGB, B5G6R5, BC1, D24, D32]);
    let size = random.pick(&[[4, 4], [8, 4], [1, 1], [5, 3], [16, 16]]);
    let layers = random.pick(&[1, 1, 1, 2, 5, 6, 7, 12, 13]);
    let mips = if size[0] < 4 { 1 } else { random.pick(&[1, 1, 2, 3]) };
    match random.below(8) {
        0 => "nothing".to_owned(),
        1 => {
            stream.buffer(handle, &[0x3f; 64]);
            "a buffer".to_owned()
        }
        2 if layers > 1 => {
            stream.texture(handle + 50, format, size, [mips, layers]);
            let first = random.below(layers);
            stream.view(handle, handle + 50, format, [mips - 1, 1], [first, layers - first]);
            format!("a view of format {format}, {size:?}, {mips} mips, layers {first} to {layers}")
        }
        3 => {
            // Drawn to by the same draw.
            stream.view(handle, OTHER, R8G8B8A8, [0, 1], [0, 1]);
            "the target itself".to_owned()
        }
        _ => {
            stream.texture(handle, format, size, [mips, layers]);
            format!("a texture of format {format}, {size:?}, {mips} mips, {layers} layers")
        }
    }
}

fn texture_of_another_kind(stream: &mut Stream, random: &mut Random, told: &mut Vec<String>) {
    const KINDS: [&str; 9] = [
        "texture1d",
        "texture1darray",
        "texture2d",
        "texture2darray",
        "texture2dms(4)",
        "texture2dmsarray(2)",
        "texture3d",
        "texturecube",
        "texturecubearray",
    ];
    let kind = random.pick(&KINDS);
    let numbers = random.pick(&["float", "unorm", "sint", "uint"]);
    let all = format!("{numbers},{numbers},{numbers},{numbers}");
    let stage = random.pick(&[PIXEL, PIXEL, VERTEX, COMPUTE]);
    let has_samples = kind.contains("2dms");
    let can_load = !kind.contains("cube");
    let is_two_dimensional = matches!(kind, "texture2d" | "texture2darray");
    let mut lines: Vec<&str> = Vec::new();
    if has_samples {
        lines.push(
            random.pick(&["ldms r0.xyzw, l(1, 1, 0, 0), t0.xyzw, l(1)", "ldms r0.xyzw, l(0, 0, 3, 0), t0.xyzw, l(0)"]),
        );
        lines.push("sampleinfo r1.xyzw, t0.xyzw");
    } else {
        if can_load {
            lines.push("ld r0.xyzw, l(1, 1, 1, 0), t0.xyzw");
        }
        lines.push("sample_l r1.xyzw, l(0.5, 0.5, 0.5, 0.5), t0.yzwx, s0, l(0)");
        if stage == PIXEL {
            lines.push(random.pick(&[
                "sample r1.xyzw, v1.xyzw, t0.xyzw, s0",
                "sample_b r1.xyzw, v1.xyzw, t0.xyzw, s0, l(0.5)",
                "sample_d r1.xyzw, v1.xyzw, t0.xyzw, s0, v1.xyzw, v1.yxzw",
            ]));
        }
        if is_two_dimensional && numbers != "sint" || kind.contains("cube") {
            lines.push(random.pick(&[
                "gather4 r2.xyzw, l(0.5, 0.5, 0.5, 0.5), t0.xyzw, s0.x",
                "gather4 r2.xyzw, l(0.5, 0.5, 0.5, 0.5), t0.xyzw, s0.w",
            ]));
        }
        if kind != "texture3d" && random.one_in(3) {
            lines.push("sample_c_lz r2.x, l(0.5, 0.5, 0.5, 0.5), t0.xxxx, s1, l(0.25)");
        }
    }
    lines.push("resinfo r2.xyzw, l(0), t0.xyzw");
    let mut declarations = vec![format!("dcl_resource_{kind} ({all}) t0")];
    if !has_samples {
        declarations.push("dcl_sampler s0, mode_default".to_owned());
        declarations.push("dcl_sampler s1, mode_comparison".to_owned());
    }
    let bound = readable(stream, random, 20);
    told.push(format!("{kind} of {numbers} in stage {stage} over {bound}: {lines:?}"));
    let sum = ["add r0.xyzw, r0.xyzw, r1.xyzw", "add r0.xyzw, r0.xyzw, r2.xyzw"];
    lines.extend(sum);
    match stage {
        COMPUTE => {
            declarations.push("dcl_uav_raw u0".to_owned());
            lines.push("store_raw u0.xyzw, l(0), r0.xyzw");
            stream.container(21, COMPUTE, &shaders::compute([1, 1, 1], &declarations, &lines));
            bind_compute(stream);
        }
        VERTEX => {
            lines.push("mov o1.xyzw, r0.xyzw");
            stream.container(21, VERTEX, &shaders::bytecode(&shaders::vertex_text(&[], &declarations, &lines)));
            stream.shaders(21, 2);
        }
        _ => {
            lines.push("mov o0.xyzw, r0.xyzw");
            stream.container(21, PIXEL, &shaders::pixel(&[], &declarations, &lines)).shaders(1, 21);
        }
    }
    if bound != "nothing" {
        stream.read_in(stage, 0, 20);
    }
    if random.below(2) == 0 {
        for slot in [0, 1] {
            let address = random.pick(&[0, 1, 2]);
            let handle = 30 + slot;
            stream.put(CreateSampler {
                handle,
                filter: random.below(2),
                address_u: address,
                address_v: address,
                address_w: address,
            });
            let values = Elements::to_bytes(&[BoundHandle { handle }]);
            let values = Elements::new(&values).unwrap();
            stream.put(SetSamplers { stage, start_slot: slot, sampler_count: 1, stage_ex: 0, values });
        }
    }
    if stage == COMPUTE {
        stream.put(Dispatch { x: 1, y: 1, z: 1, stage_ex: 0 });
    } else {
        draw(stream, random);
    }
}

/// Binds the compute shader of handle 21, with a buffer to write.
fn bind_compute(stream: &mut Stream) {
    stream.empty_buffer(22, 64).writes(COMPUTE, 0, 22);
    stream.put(BindShaders { vs: 1, ps: 2, cs: 21, reserved: 0, appended: None });
}

/// Shaders of Direct3D 9 that hand on a position and texture coordinates, under handles 24 and 25.
fn legacy_shaders(stream: &mut Stream, vertex: &str, pixel: &str) {
    stream.container(24, VERTEX, &assemble(vertex, Lengths::Microsoft));
    stream.container(25, PIXEL, &assemble(pixel, Lengths::Microsoft));
    stream.declaration_of_floats(26).use_layout(26).shaders(24, 25);
}

const PLAIN_9: &str = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n";

fn targets_of_another_size(stream: &mut Stream, random: &mut Random, told: &mut Vec<String>) {
    let count = random.pick(&[0, 1, 1, 1, 2, 4, 8]);
    let sides = [[16, 16], [16, 16], [16, 16], [8, 8], [32, 16]];
    let same = random.pick(&sides);
    let mut bound = Vec::new();
    for number in 0..count {
        let size = if random.one_in(8) { random.pick(&sides) } else { same };
        let format = random.pick(&[R8G8B8A8, B8G8R8A8, B8G8R8X8_SRGB, B5G6R5, BC1, D32]);
        let format = if random.one_in(4) { format } else { R8G8B8A8 };
        if random.one_in(10) {
            bound.push(random.pick(&[0, OTHER, 99]));
        } else {
            stream.texture(40 + number, format, size, [1, 1]);
            bound.push(40 + number);
        }
        told.push(format!("target {number} is {} of {size:?}, format {format}", bound[number as usize]));
    }
    if count > 1 && random.one_in(6) {
        let last = bound.len() - 1;
        bound[last] = bound[0];
        told.push("the last is the first, too".to_owned());
    }
    let depth = match random.below(4) {
        0 => 0,
        _ => {
            let size = random.pick(&[[16, 16], [64, 64], [8, 8], [16, 8], [33, 17]]);
            let format = random.pick(&[D24, D32, D24, R8G8B8A8]);
            stream.texture(50, format, size, [1, 1]);
            told.push(format!("depth of {size:?}, format {format}"));
            50
        }
    };
    let tests = random.below(2);
    let stencil = random.below(2);
    let gives_depth = random.below(2) == 0;
    told.push(format!("depth test {tests}, stencil {stencil}, shader gives depth: {gives_depth}"));
    if random.below(2) == 0 {
        told.push("Direct3D 9".to_owned());
        let depth_line = if gives_depth { "mov oDepth, r0.x\n" } else { "" };
        let pixel = format!("ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0\n{depth_line}");
        legacy_shaders(stream, PLAIN_9, &pixel);
        for (state, value) in [(7, tests), (14, tests), (23, 4), (52, stencil), (194, random.below(2)), (22, 1)] {
            stream.put(SetRenderState { state, value });
        }
    } else {
        let outputs: Vec<String> = (1..count)
            .map(|number| format!(".param \"SV_Target\"[{number}].xyzw, o{number}.xyzw, float, target"))
            .collect();
        let mut declarations: Vec<String> = (1..count).map(|number| format!("dcl_output o{number}.xyzw")).collect();
        let mut lines: Vec<String> = (0..count.max(1)).map(|number| format!("mov o{number}.xyzw, v1.xyzw")).collect();
        if gives_depth {
            declarations.push("dcl_output oDepth".to_owned());
            lines.push("mov oDepth, l(0.25)".to_owned());
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        stream.container(21, PIXEL, &shaders::pixel(&outputs, &declarations, &lines)).shaders(1, 21);
        stream.put(depth_stencil(tests, stencil));
    }
    stream.targets(&bound, depth);
    if random.below(2) == 0 {
        stream.clear(random.below(8), [0.5; 4], random.pick(&[0.5, 2.0, -1.0, f32::NAN]));
    }
    draw(stream, random);
}

fn vertices_that_lie_anywhere(stream: &mut Stream, random: &mut Random, told: &mut Vec<String>) {
    let of_direct3d9 = random.below(3) == 0;
    if of_direct3d9 {
        legacy_shaders(stream, PLAIN_9, "ps_2_0\ndcl t0\nmov oC0, t0\n");
        stream.put(SetRenderState { state: 22, value: 1 });
        told.push("Direct3D 9".to_owned());
    }
    let formats = [2, 6, 10, 11, 13, 16, 24, 28, 30, 31, 41, 49, 56, 61, 87];
    let elements: Vec<(u32, u32, u32, u32)> = (0..2)
        .map(|number| {
            let format = if random.one_in(3) { random.pick(&formats) } else { FLOAT4 };
            (format, random.pick(&[0, number]), random.pick(&[0, 1, 2, 4, 16, 17, 2044]), random.pick(&[0, 0, 0, 1, 3]))
        })
        .collect();
    if !of_direct3d9 {
        let [(f0, s0, o0, p0), (f1, s1, o1, p1)] = elements[..] else { panic!("two elements") };
        let elements = [Element("POSITION", f0, s0, o0, p0), Element("TEXCOORD", f1, s1, o1, p1)];
        stream.layout_of(27, &layout_of(&elements)).use_layout(27);
        told.push(format!("elements (format, slot, offset, step) {:?}", [(f0, s0, o0, p0), (f1, s1, o1, p1)]));
    }
    for slot in 0..2 {
        let size = random.pick(&[0, 16, 30, 64, 256, 5000]);
        let (stride, offset) =
            (random.pick(&[0, 0, 1, 2, 16, 30, 32, 2048, 2052, 4096, 70_000]), random.pick(&[0, 0, 4, 5, 300]));
        let buffer = match size {
            0 => random.pick(&[0, 99]),
            _ => {
                stream.buffer(60 + slot, &floats(&vec![0.25; size / 4 + 1])[..size]);
                60 + slot
            }
        };
        stream.vertex_buffer(slot, buffer, stride, offset);
        told.push(format!("slot {slot}: buffer {buffer} of {size} bytes, stride {stride}, from {offset}"));
    }
    let topology = random.pick(&[1, 2, 3, 4, 5, 6, 4, 4]);
    stream.topology(topology);
    let count = random.pick(&[0, 1, 3, 4, 6, 7, 100]);
    let (instance_count, first_instance) = (random.pick(&[0, 1, 1, 2, 5]), random.pick(&[0, 0, 3]));
    let first_vertex = random.pick(&[0, 0, 2, 1000]);
    told.push(format!(
        "topology {topology}, {count} vertices from {first_vertex}, {instance_count} instances from {first_instance}"
    ));
    if random.below(2) == 0 {
        stream.put(Draw { vertex_count: count, instance_count, first_vertex, first_instance });
        return;
    }
    let (format, offset) = (random.below(2), random.pick(&[0, 0, 1, 2, 4, 1000]));
    if !random.one_in(8) {
        let bytes: Vec<u8> = (0..random.pick(&[2_u32, 12, 64, 65])).map(|byte| (byte % 5) as u8).collect();
        stream.buffer(64, &bytes);
        stream.put(SetIndexBuffer { buffer: 64, format, offset, reserved: 0 });
    }
    let base_vertex = random.pick(&[0, 0, 7, -2]);
    told.push(format!("by indices of format {format} from {offset}, base {base_vertex}"));
    stream.put(DrawIndexed {
        index_count: count,
        instance_count,
        first_index: first_vertex,
        base_vertex,
        first_instance,
    });
}

fn odd_fixed_state(stream: &mut Stream, random: &mut Random, told: &mut Vec<String>) {
    let number = |random: &mut Random| {
        random.pick(&[
            0.0,
            0.5,
            3.25,
            8.0,
            16.0,
            100.0,
            -5.0,
            16_385.0,
            40_000.0,
            -70_000.0,
            1e30,
            f32::INFINITY,
            f32::NAN,
        ])
    };
    let [x, y, width, height] = [0; 4].map(|_| number(random));
    let [min_depth, max_depth] = [0; 2].map(|_| random.pick(&[0.0, 1.0, 0.5, -1.0, 2.0, f32::NAN]));
    if random.below(2) == 0 {
        stream.put(SetViewport { x, y, width, height, min_depth, max_depth });
        told.push(format!("viewport {x},{y} {width}x{height}, depth {min_depth} to {max_depth}"));
    }
    let scissor = [0; 4].map(|_| random.pick(&[0, 1, 5, 16, 100, -3, i32::MAX, i32::MIN]));
    let [x, y, width, height] = scissor;
    stream.put(SetScissor { x, y, width, height });
    let (fill, bias) = (random.below(2), random.pick(&[0, 1, -1, i32::MAX, i32::MIN]));
    let scissor_enable = random.below(2);
    let flags = random.below(2);
    stream.put(SetRasterizerState { scissor_enable, flags, ..rasterizer(fill, bias) });
    told.push(format!("scissor {scissor:?} {scissor_enable}, fill {fill}, bias {bias}, flags {flags}"));
    let [src, dst, op] = [random.below(8), random.below(8), random.below(5)];
    let blend = SetBlendState {
        enable: 1,
        src,
        dst,
        op,
        write_mask: random.below(16) as u8,
        src_alpha: Some(random.below(8)),
        dst_alpha: Some(random.below(8)),
        op_alpha: Some(random.below(5)),
        sample_mask: Some(random.pick(&[u32::MAX, 1, 2, 0])),
        ..unblended()
    };
    told.push(format!("{blend:?}"));
    stream.put(blend);
    let topology = random.pick(&[1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 33, 36]);
    told.push(format!("topology {topology}"));
    stream.topology(topology);
    if random.below(2) == 0 {
        stream.texture(50, random.pick(&[D24, D32]), [SIDE, SIDE], [1, 1]).targets(&[OTHER], 50);
        stream.put(depth_stencil(1, random.below(2)));
    }
    draw(stream, random);
}

fn distances(stream: &mut Stream, random: &mut Random, told: &mut Vec<String>) {
    let counts = [random.below(9), random.below(9)];
    told.push(format!("clip and cull distances {counts:?}"));
    let (mut outputs, mut declarations, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    let mut register = 2;
    for (name, value, count) in
        [("SV_ClipDistance", "clip_distance", counts[0]), ("SV_CullDistance", "cull_distance", counts[1])]
    {
        for index in 0..count.div_ceil(4) {
            let lanes = &"xyzw"[..(count - index * 4).min(4) as usize];
            outputs.push(format!(".param \"{name}\"[{index}].{lanes}, o{register}.{lanes}, float, {value}"));
            declarations.push(format!("dcl_output_siv o{register}.{lanes}, {value}"));
            lines.push(format!("mov o{register}.{lanes}, v0.xyxy"));
            register += 1;
        }
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    stream.container(21, VERTEX, &shaders::bytecode(&shaders::vertex_text(&outputs, &declarations, &lines)));
    let pixel = random.pick(&[0, 2]);
    told.push(format!("pixel shader {pixel}"));
    stream.shaders(21, pixel);
    if random.below(2) == 0 {
        stream.texture(50, D32, [SIDE, SIDE], [1, 1]).targets(&[OTHER], 50).put(depth_stencil(1, 0));
    }
    stream.topology(random.pick(&[TRIANGLE_LIST, 1, 2, 5]));
    draw(stream, random);
}

fn samplers_of_direct3d9(stream: &mut Stream, random: &mut Random, told: &mut Vec<String>) {
    let kind = random.pick(&["2d", "cube", "volume"]);
    let of_vertex = random.one_in(4);
    let bound = readable(stream, random, 20);
    told.push(format!("dcl_{kind} over {bound}, in a vertex shader: {of_vertex}"));
    let (vertex, pixel) = match of_vertex {
        true => (
            format!(
                "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\ndcl_{kind} s0\n\
                 mov o0, v0\ntexldl o1, v1, s0\n"
            ),
            "ps_3_0\ndcl_texcoord v0\nmov oC0, v0\n".to_owned(),
        ),
        false => {
            let read = random.pick(&["texld r0, t0, s0", "texldp r0, t0, s0", "texldb r0, t0, s0"]);
            (PLAIN_9.to_owned(), format!("ps_2_0\ndcl t0\ndcl_{kind} s0\n{read}\nmov oC0, r0\n"))
        }
    };
    legacy_shaders(stream, &vertex, &pixel);
    let stage = if of_vertex { VERTEX } else { PIXEL };
    if bound != "nothing" {
        stream.read_in(stage, 0, 20);
    }
    for state in 1..=3 {
        let value = random.pick(&[1, 2, 3, 4, 5]);
        stream.put(SetSamplerState { stage, slot: 0, state, value });
    }
    for state in 5..=7 {
        stream.put(SetSamplerState { stage, slot: 0, state, value: random.pick(&[0, 1, 2]) });
    }
    stream.put(SetSamplerState { stage, slot: 0, state: 11, value: random.below(2) });
    stream.put(SetRenderState { state: 22, value: 1 });
    draw(stream, random);
}

fn more_than_devices_have(stream: &mut Stream, random: &mut Random, told: &mut Vec<String>) {
    let mut declarations = Vec::new();
    let mut lines = vec!["mov r0.xyzw, v1.xyzw".to_owned()];
    let count = random.pick(&[1, 8, 15, 16, 17, 36, 37, 38, 60, 128]);
    match random.below(5) {
        0 => {
            told.push(format!("{count} textures"));
            for slot in 0..count {
                declarations.push(format!("dcl_resource_texture2d (float,float,float,float) t{slot}"));
                lines.push(format!("ld r1.xyzw, l(0, 0, 0, 0), t{slot}.xyzw"));
                lines.push("add r0.xyzw, r0.xyzw, r1.xyzw".to_owned());
            }
        }
        1 => {
            told.push(format!("{count} buffers"));
            stream.buffer(70, &[0; 64]);
            for slot in 0..count {
                declarations.push(format!("dcl_resource_raw t{slot}"));
                lines.push(format!("ld_raw r1.x, l(0), t{slot}.xxxx"));
                lines.push("add r0.x, r0.x, r1.x".to_owned());
                let values = [BufferBinding { buffer: 70, offset_bytes: 0, size_bytes: 0, reserved: 0 }];
                let values = Elements::to_bytes(&values);
                let values = Elements::new(&values).unwrap();
                stream.put(SetShaderResourceBuffers {
                    stage: PIXEL,
                    start_slot: slot,
                    buffer_count: 1,
                    stage_ex: 0,
                    values,
                });
            }
        }
        2 => {
            let count = count.min(14);
            told.push(format!("{count} constant buffers"));
            for slot in 0..count {
                declarations.push(format!("dcl_constantbuffer cb{slot}[4096], immediateIndexed"));
                lines.push(format!("add r0.xyzw, r0.xyzw, cb{slot}[4095].xyzw"));
            }
        }
        3 => {
            let threads = random.pick(&[[1, 1, 1], [1024, 1, 1], [32, 32, 1], [16, 16, 4], [1, 1, 64]]);
            let groups = random.pick(&[[1, 1, 1], [0, 5, 5], [65_535, 1, 1], [65_536, 1, 1], [1, 1, 70_000]]);
            let memory = random.pick(&[4, 4096, 16_384, 32_768]);
            told.push(format!("groups {groups:?} of {threads:?} threads with {memory} bytes"));
            let declarations = ["dcl_uav_raw u0".to_owned(), format!("dcl_tgsm_raw g0, {memory}")];
            let lines = [
                "mov r0.x, l(1)",
                "store_raw g0.x, l(0), r0.x",
                "ld_raw r1.x, l(0), g0.xxxx",
                "store_raw u0.x, l(0), r1.x",
            ];
            stream.container(21, COMPUTE, &shaders::compute(threads, &declarations, &lines));
            bind_compute(stream);
            let [x, y, z] = groups;
            stream.put(Dispatch { x, y, z, stage_ex: 0 });
            return;
        }
        _ => {
            told.push("a buffer that is written and read".to_owned());
            stream.buffer(70, &[0; 64]);
            declarations.push("dcl_uav_raw u1".to_owned());
            lines.push("store_raw u1.x, l(0), r0.x".to_owned());
            let bound = UnorderedAccessBinding {
                buffer: 70,
                offset_bytes: random.pick(&[0, 2, 4]),
                size_bytes: 0,
                initial_count: u32::MAX,
            };
            let values = Elements::to_bytes(&[bound]);
            let values = Elements::new(&values).unwrap();
            stream.put(SetUnorderedAccessBuffers { stage: PIXEL, start_slot: 1, uav_count: 1, stage_ex: 0, values });
            if random.below(2) == 0 {
                let values = [VertexBufferBinding { buffer: 70, stride_bytes: 32, offset_bytes: 0, reserved: 0 }];
                let values = Elements::to_bytes(&values);
                stream.put(SetVertexBuffers {
                    start_slot: 0,
                    buffer_count: 1,
                    values: Elements::new(&values).unwrap(),
                });
            }
        }
    }
    lines.push("mov o0.xyzw, r0.xyzw".to_owned());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    stream.container(21, PIXEL, &shaders::pixel(&[], &declarations, &lines)).shaders(1, 21);
    draw(stream, random);
}
