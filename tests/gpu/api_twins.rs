//! Small streams that OpenGL draws as Vulkan does, or refuses before anything of the draw is recorded: bindings of both stages
//! together, points, viewports that begin within a pixel, and depth textures that nothing is bound for.

use std::sync::Arc;

use aerogpu_replay::abi::a3a0::Elements;
use aerogpu_replay::abi::a3a0::bindings::SetSamplers;
use aerogpu_replay::abi::a3a0::{BoundHandle, work::Draw};
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::{FaultPolicy, Player};

use crate::gpu::kept::opened;
use crate::gpu::mismatched::shaders;
use crate::support::harness::Trial;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::*;

const SIDE: u32 = 16;
const SCREEN: u32 = 10;
const FIRST_TEXTURE: u32 = 100;
const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// Textures and samplers that wgpu gives OpenGL for all stages of a draw together.
const MOST_OF_OPENGL: u32 = 16;

pub fn trials() -> Vec<Trial> {
    type NamedTest = (&'static str, fn(Backend));
    let tests: [NamedTest; 4] = [
        ("lines_lie_along_their_ends", lines_lie_along_their_ends),
        ("textures_of_both_stages_count_together", textures_of_both_stages_count_together),
        ("samplers_of_both_stages_count_together", samplers_of_both_stages_count_together),
        ("frames_behind_a_refused_draw_are_drawn", frames_behind_a_refused_draw_are_drawn),
    ];
    let of = |backend: Backend| {
        tests.map(|(name, test)| backend.trial(format!("{}::{name}", backend.name()), move || test(backend)))
    };
    let alike: [(&str, fn()); 3] = [
        ("points", points),
        ("viewports_within_pixels", viewports_within_pixels),
        ("depth_textures_without_a_texture", depth_textures_without_a_texture),
    ];
    let alike = alike.map(|(name, test)| Backend::Gl.trial(format!("gl::{name}_are_those_of_vulkan"), test));
    BACKENDS.iter().flat_map(|backend| of(*backend)).chain(alike).collect()
}

fn started() -> Stream {
    let mut stream = Stream::new();
    stream.texture(SCREEN, R8G8B8A8, [SIDE, SIDE], [1, 1]);
    stream.layout_of(3, &layout_of(&[Element("POSITION", FLOAT4, 0, 0, 0), Element("TEXCOORD", FLOAT4, 0, 16, 0)]));
    stream.buffer(4, &rectangle(WHOLE, 0.5, [[0.0, 1.0, 0.0, 1.0]; 4]));
    stream.targets(&[SCREEN], 0).viewport([0.0, 0.0, SIDE as f32, SIDE as f32]).use_layout(3);
    stream.vertex_buffer(0, 4, VERTEX_BYTES, 0).topology(TRIANGLE_LIST).put(unblended());
    stream.clear(1, BLACK, 1.0);
    stream
}

fn player_of(backend: Backend, frames: &[Vec<u8>]) -> Player {
    let trace = Arc::new(opened(recording(frames.iter().map(Vec::as_slice))).unwrap());
    let size = Size { width_px: SIDE, height_px: SIDE };
    let mut player = Player::new(trace, backend.open_fresh(), size).unwrap();
    player.set_fault_policy(FaultPolicy::KeepGoing);
    player
}

fn only_color(picture: &Picture) -> [u8; 4] {
    let texels = picture.rgba().as_chunks::<4>().0;
    assert!(texels.iter().all(|texel| texel == &texels[0]), "{texels:?}");
    texels[0]
}

/// A stage that adds the first texel of `count` textures to `r0`, through a sampler for each if it is to.
fn adding(count: u32, has_samplers: bool) -> (Vec<String>, Vec<String>) {
    let texture = |slot| format!("dcl_resource_texture2d (float,float,float,float) t{slot}");
    let sampler = |slot| format!("dcl_sampler s{slot}, mode_default");
    let samplers = if has_samplers { count } else { 0 };
    let declarations = (0..samplers).map(sampler).chain((0..count).map(texture)).collect();
    let read = |slot| match has_samplers {
        true => format!("sample_l r1.xyzw, l(0.5, 0.5, 0.5, 0.5), t{slot}.xyzw, s{slot}, l(0.0)"),
        false => format!("ld r1.xyzw, l(0, 0, 0, 0), t{slot}.xyzw"),
    };
    let lines = (0..count).flat_map(|slot| [read(slot), "add r0.xyzw, r0.xyzw, r1.xyzw".to_owned()]);
    (declarations, ["mov r0.xyzw, l(0, 0, 0, 0)".to_owned()].into_iter().chain(lines).collect())
}

/// A frame that draws the sum of the textures of both stages.
fn sum_of_textures([in_vertex, in_pixel]: [u32; 2], has_samplers: bool) -> Vec<u8> {
    let mut stream = started();
    let (declarations, mut lines) = adding(in_vertex, has_samplers);
    lines.push("mov o1.xyzw, r0.xyzw".to_owned());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    stream.container(1, VERTEX, &shaders::bytecode(&shaders::vertex_text(&[], &declarations, &lines)));
    let (declarations, mut lines) = adding(in_pixel, has_samplers);
    lines.push("add o0.xyzw, r0.xyzw, v1.xyzw".to_owned());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    stream.container(2, PIXEL, &shaders::pixel(&[], &declarations, &lines)).shaders(1, 2);
    for (stage, count) in [(VERTEX, in_vertex), (PIXEL, in_pixel)] {
        for slot in 0..count {
            let handle = FIRST_TEXTURE + stage * 50 + slot;
            stream.texture(handle, R8G8B8A8, [1, 1], [1, 1]);
            let [red, green] = if stage == VERTEX { [1 + slot as u8, 0] } else { [0, 1 + slot as u8] };
            stream.upload(handle, 0, &[red, green, 0, 0]).read_in(stage, slot, handle);
            if has_samplers {
                let values = Elements::to_bytes(&[BoundHandle { handle: 0 }]);
                let values = Elements::new(&values).unwrap();
                stream.put(SetSamplers { stage, start_slot: slot, sampler_count: 1, stage_ex: 0, values });
            }
        }
    }
    stream.draw(0, 6).present();
    stream.finish()
}

fn sum(count: u32) -> u8 {
    (count * (count + 1) / 2) as u8
}

fn counts_are_drawn_or_refused(backend: Backend, has_samplers: bool, counts: &[[u32; 2]]) {
    for &[in_vertex, in_pixel] in counts {
        let mut player = player_of(backend, &[sum_of_textures([in_vertex, in_pixel], has_samplers)]);
        let picture = player.render(FrameIndex(0)).unwrap();
        let errors = player.take_faults().errors;
        let about = format!("{in_vertex} and {in_pixel}: {errors:?}");
        if backend == Backend::Gl && in_vertex + in_pixel > MOST_OF_OPENGL {
            let [error] = &errors[..] else { panic!("{about}") };
            assert_eq!(error.kind(), ErrorKind::OverLimit, "{about}");
            assert!(error.to_string().contains("the device's limit is 16"), "{error}");
            assert_eq!(only_color(&picture), [0, 0, 0, 255], "{about}");
        } else {
            assert!(errors.is_empty(), "{about}");
            assert_eq!(only_color(&picture), [sum(in_vertex), sum(in_pixel), 0, 0], "{about}");
        }
    }
}

fn textures_of_both_stages_count_together(backend: Backend) {
    counts_are_drawn_or_refused(
        backend,
        false,
        &[[8, 8], [1, 15], [15, 1], [16, 0], [0, 16], [9, 8], [16, 16], [17, 0], [0, 17]],
    );
}

fn samplers_of_both_stages_count_together(backend: Backend) {
    counts_are_drawn_or_refused(backend, true, &[[8, 8], [1, 15], [15, 1], [9, 8], [16, 16], [0, 16]]);
}

fn frames_behind_a_refused_draw_are_drawn(backend: Backend) {
    let mut behind = Stream::new();
    behind.container(5, VERTEX, &shaders::vertex(&[])).container(6, PIXEL, &shaders::pixel_of_color());
    behind.shaders(5, 6).draw(0, 6).present();
    let mut player = player_of(backend, &[sum_of_textures([16, 16], true), behind.finish()]);
    player.render(FrameIndex(0)).unwrap();
    assert_eq!(player.take_faults().errors.len(), usize::from(backend == Backend::Gl));
    assert_eq!(only_color(&player.render(FrameIndex(1)).unwrap()), [0, 255, 0, 255]);
    assert!(player.take_faults().errors.is_empty());
}

/// Pixels in which the APIs differ, in what each of these streams draws.
fn differences(streams: Vec<(String, Vec<u8>)>) -> Vec<String> {
    let mut told = Vec::new();
    for (about, stream) in streams {
        let [vulkan, gl] = BACKENDS.map(|backend| {
            let mut player = player_of(backend, std::slice::from_ref(&stream));
            let picture = player.render(FrameIndex(0)).unwrap();
            (picture.rgba().to_vec(), player.take_faults().errors)
        });
        let pairs = vulkan.0.as_chunks::<4>().0.iter().zip(gl.0.as_chunks::<4>().0).enumerate();
        let drawn = vulkan.0.as_chunks::<4>().0.iter().filter(|texel| texel[1] > 0).count();
        let pixels: Vec<String> = pairs
            .filter(|(_, (vulkan, gl))| vulkan != gl)
            .map(|(at, (vulkan, gl))| format!("{},{}: {vulkan:?} {gl:?}", at % SIDE as usize, at / SIDE as usize))
            .collect();
        if !pixels.is_empty() || drawn == 0 || !vulkan.1.is_empty() || !gl.1.is_empty() {
            told.push(format!("{about} ({drawn} drawn): {pixels:?}; {:?} {:?}", vulkan.1, gl.1));
        }
    }
    told
}

fn draws(stream: &mut Stream, count: u32) {
    stream.container(1, VERTEX, &shaders::vertex(&[])).container(2, PIXEL, &shaders::pixel_of_color()).shaders(1, 2);
    stream.put(Draw { vertex_count: count, instance_count: 1, first_vertex: 0, first_instance: 0 }).present();
}

/// Vertices at these places of the screen, in pixels.
fn vertices(places: &[[f32; 2]]) -> Vec<u8> {
    let side = SIDE as f32;
    let of = |[x, y]: &[f32; 2]| floats(&[x / side * 2.0 - 1.0, 1.0 - y / side * 2.0, 0.5, 1.0, 0.0, 1.0, 0.0, 1.0]);
    places.iter().flat_map(of).collect()
}

/// A frame that draws these vertices as points or lines.
fn drawn_as(topology: u32, places: &[[f32; 2]]) -> Vec<u8> {
    let mut stream = started();
    stream.buffer(7, &vertices(places)).vertex_buffer(0, 7, VERTEX_BYTES, 0).topology(topology);
    draws(&mut stream, places.len() as u32);
    stream.finish()
}

/// Places within a pixel, in quarters of it.
fn quarters() -> impl Iterator<Item = [f32; 2]> {
    (0..16u8).map(|number| [f32::from(number % 4) / 4.0, f32::from(number / 4) / 4.0])
}

fn points() {
    const POINT_LIST: u32 = 1;
    let of = |[x, y]: [f32; 2]| (format!("a point at {x},{y}"), drawn_as(POINT_LIST, &[[5.0 + x, 6.0 + y]]));
    let told = differences(quarters().map(of).collect());
    assert!(told.is_empty(), "{} differ:\n{}", told.len(), told.join("\n"));
}

/// Vulkan covers the pixels whose centres lie in a rectangle of one pixel's width, OpenGL those whose diamond the line leaves. Both
/// cover one pixel or two of every column or row that a line crosses from one side to the other, and none a pixel away from it.
fn lines_lie_along_their_ends(backend: Backend) {
    const LINE_LIST: u32 = 2;
    let ends =
        [[12.0, 6.0], [12.5, 6.5], [5.0, 12.0], [5.25, 1.75], [11.5, 12.25], [2.0, 2.5], [12.0, 2.0], [1.0, 9.0]];
    for (start, end) in quarters().flat_map(|[x, y]| ends.map(|end| ([5.0 + x, 6.0 + y], end))) {
        let about = format!("a line from {start:?} to {end:?}");
        let mut player = player_of(backend, &[drawn_as(LINE_LIST, &[start, end])]);
        let picture = player.render(FrameIndex(0)).unwrap();
        let texels = picture.rgba().as_chunks::<4>().0.iter().enumerate();
        let centre = |at: usize| [at % SIDE as usize, at / SIDE as usize].map(|place| place as f32 + 0.5);
        let covered: Vec<[f32; 2]> =
            texels.filter(|(_, texel)| **texel == [0, 255, 0, 255]).map(|(at, _)| centre(at)).collect();
        let far = covered.iter().find(|place| distance(**place, start, end) > 1.0);
        assert!(far.is_none(), "{about} covers {far:?}");
        let long = usize::from((end[1] - start[1]).abs() > (end[0] - start[0]).abs());
        let (first, last) = (start[long].min(end[long]), start[long].max(end[long]));
        for at in first.ceil() as u32..last.floor() as u32 {
            let count = covered.iter().filter(|place| place[long].floor() as u32 == at).count();
            assert!((1..=2).contains(&count), "{about} covers {count} pixels at {at}");
        }
    }
}

/// Distance of a place from a line between two others.
fn distance([x, y]: [f32; 2], [x0, y0]: [f32; 2], [x1, y1]: [f32; 2]) -> f32 {
    let (dx, dy) = (x1 - x0, y1 - y0);
    let along = (((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
    (x - x0 - along * dx).hypot(y - y0 - along * dy)
}

fn viewports_within_pixels() {
    let of = |viewport: [f32; 4]| {
        let mut stream = started();
        stream.viewport(viewport);
        draws(&mut stream, 6);
        (format!("{viewport:?}"), stream.finish())
    };
    let steps = [0.0, 0.25, 0.5, 0.75];
    let viewports =
        steps.iter().flat_map(|x| steps.map(|y| [[2.0 + x, 3.0 + y, 8.0, 7.0], [1.0, 2.0, 7.0 + x, 9.0 + y]]));
    let told = differences(viewports.flatten().map(of).collect());
    assert!(told.is_empty(), "{} differ:\n{}", told.len(), told.join("\n"));
}

fn depth_textures_without_a_texture() {
    let of = |about: &str, declaration: &str, mode: &str, read: &str| {
        let mut stream = started();
        let declarations = [format!("dcl_sampler s0, {mode}"), format!("{declaration} (float,float,float,float) t0")];
        let lines = [read, "mov o0.x, r0.x", "mov o0.yzw, l(0.0, 1.0, 0.5, 1.0)"];
        stream.container(1, VERTEX, &shaders::vertex(&[]));
        stream.container(2, PIXEL, &shaders::pixel(&[], &declarations, &lines)).shaders(1, 2);
        stream.draw(0, 6).present();
        (about.to_owned(), stream.finish())
    };
    let compared = "sample_c_lz r0.xyzw, v1.xyzw, t0.xxxx, s0, l(0.25)";
    let streams = vec![
        of("compared", "dcl_resource_texture2d", "mode_comparison", compared),
        of("compared in an array", "dcl_resource_texture2darray", "mode_comparison", compared),
        of("compared in a cube", "dcl_resource_texturecube", "mode_comparison", compared),
        of("sampled", "dcl_resource_texture2d", "mode_default", "sample r0.xyzw, v1.xyzw, t0.xyzw, s0"),
        of("loaded", "dcl_resource_texture2d", "mode_default", "ld r0.xyzw, l(0, 0, 0, 0), t0.xyzw"),
    ];
    let told = differences(streams);
    assert!(told.is_empty(), "{} differ:\n{}", told.len(), told.join("\n"));
}
