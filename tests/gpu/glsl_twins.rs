//! GLSL ES 3.00 draws what its WGSL twin draws: every pair of the fixtures and everything that naga writes, with the
//! same vertices, uniforms and textures, each in its own binding layout; and through traces that hold both languages.
//!
//! Needs software Vulkan.

use std::path::Path;
use std::sync::Arc;

use crate::glsl::gpu::{self, Content};
use crate::glsl::twin::{Names, twin_of};
use crate::gpu::kept::opened;
use crate::support;
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::ShaderOptions;
use aerogpu_replay::shader::glsl::{ClipConvention, GlslOptions, ProvokingVertex};
use aerogpu_replay::shader::{LanguageChoice, ShaderLanguage};
use dev_glsl_cases as glsl;
use support::harness::Trial;
use support::scene::{BLACK, BLUE, GREEN, RED, Scene, vertices};
use support::software;

/// The twin of this pair counts rows from the lower end of a target of this height.
const TWIN_HEIGHT: &str = "256.0 - v.p.y";

/// Renders both and compares: exact, or within one step of 255.
fn draws_its_twin(name: &str, vertex: &str, fragment: &str, wgsl: &str, names: &Names) {
    let linked = glsl::link(vertex, fragment).unwrap();
    let mut content = Content::new(&linked);
    let (twin, of_twin) = twin_of(&linked, &mut content, wgsl, names);
    let device = gpu::Gpu::new().unwrap();
    let ours = device.render(&linked, &content).unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected = device.render(&twin, &of_twin).unwrap_or_else(|error| panic!("{name}, twin: {error}"));
    assert_eq!(ours.len(), expected.len());
    let distances: Vec<u8> = ours.iter().zip(&expected).map(|(a, b)| a.abs_diff(*b)).collect();
    let (off, largest) = (distances.iter().filter(|d| **d > 0).count(), distances.iter().max().copied().unwrap_or(0));
    println!("{name}: {off} of {} bytes differ, by up to {largest}", ours.len());
    assert!(ours.chunks(4).any(|pixel| pixel != &ours[..4]) || name.contains("position"), "{name}: one flat colour");
    assert!(largest <= 1, "{name}: {off} bytes differ, by up to {largest}");
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn pair(name: &str) -> (String, String, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/glsl/pairs").join(name);
    let read = |extension| read(&path.with_extension(extension));
    (read("vert"), read("frag"), read("wgsl"))
}

fn play(gpu: &Arc<Gpu>, trace: &[u8], options: ShaderOptions) -> Picture {
    let trace = Arc::new(opened(trace.to_vec()).unwrap());
    let mut player = Player::new(trace, gpu.clone(), Size { width_px: 64, height_px: 64 }).unwrap();
    player.set_shader_options(options);
    player.render(FrameIndex(0)).unwrap()
}

fn language(language: ShaderLanguage) -> ShaderOptions {
    ShaderOptions { language: LanguageChoice::Only(language), ..ShaderOptions::default() }
}

/// One triangle with a colour a corner, from a pair that is there in both languages.
fn trace_of(vertex: &str, fragment: &str, wgsl: &str) -> Vec<u8> {
    let mut scene = Scene::new();
    scene.begin().twin_shader(1, 0, wgsl, vertex).twin_shader(2, 1, wgsl, fragment).pipeline(1, 1, 2);
    scene.packet(aerogpu_replay::abi::reference::Packet::SetPipeline { pipeline_id: 1 });
    let corners = [([-0.9, -0.9], RED), ([0.9, -0.8], GREEN), ([0.1, 0.9], BLUE)];
    let bytes: Vec<u8> = corners.iter().flat_map(|(position, color)| vertices(&[*position], *color)).collect();
    scene.buffer(1, &bytes).bind(1).clear([0.2, 0.4, 0.6, 1.0]).draw(0, 3);
    scene.end_and_finish()
}

/// Pairs that the ABI can feed whole: they read position and colour only.
fn a_trace_plays_alike_from_either(gpu: &Arc<Gpu>, name: &str) {
    let (vertex, fragment, wgsl) = pair(name);
    let trace = trace_of(&vertex, &fragment, &wgsl);
    let from_wgsl = play(gpu, &trace, language(ShaderLanguage::Wgsl));
    assert!(from_wgsl.rgba().chunks(4).any(|pixel| pixel != &from_wgsl.rgba()[..4]), "{name}: nothing is drawn");
    assert_eq!(from_wgsl.hash(), play(gpu, &trace, language(ShaderLanguage::Glsl)).hash(), "{name}");
}

/// Text that naga wrote is told by its end; read as GL's, it would stand on its head.
fn naga_s_text_is_recognised_in_a_trace(gpu: &Arc<Gpu>) {
    let case = glsl::corpus::written_by_naga().into_iter().find(|case| case.name == "01_basic").unwrap();
    let trace = trace_of(&case.vertex, &case.fragment, &pair("01_basic").2);
    let expected = play(gpu, &trace, language(ShaderLanguage::Wgsl)).hash();
    let with = |clip| {
        let glsl = GlslOptions { clip, ..GlslOptions::default() };
        play(gpu, &trace, ShaderOptions { glsl, ..language(ShaderLanguage::Glsl) }).hash()
    };
    assert_eq!(with(ClipConvention::Auto), expected);
    assert_eq!(with(ClipConvention::Naga), expected);
    assert_ne!(with(ClipConvention::Gl), expected);
}

/// Every vertex has a flat value of its own, and the draw neither begins at 0 nor ends with a whole triangle.
fn the_provoking_vertex_is_the_one_asked_for(gpu: &Arc<Gpu>) {
    let vertex = "#version 300 es
in vec2 position;
flat out vec4 from_index;
void main() {
  from_index = vec4(float(gl_VertexID) / 255.0, 0.0, 0.0, 1.0);
  gl_Position = vec4(position, 0.0, 1.0);
}
";
    let fragment = "#version 300 es
precision highp float;
flat in vec4 from_index;
out vec4 color;
void main() { color = from_index; }
";
    let mut scene = Scene::new();
    scene.begin().glsl_shader(1, 0, vertex).glsl_shader(2, 1, fragment).pipeline(1, 1, 2);
    scene.packet(aerogpu_replay::abi::reference::Packet::SetPipeline { pipeline_id: 1 });
    // Two vertices that are skipped, a triangle over the left half, one over the right half, two that are too few.
    let left = [[-1.0, -1.0], [0.0, -1.0], [-1.0, 3.0]];
    let right = [[0.0, -1.0], [1.0, -1.0], [1.0, 3.0]];
    let rest = [[-1.0, -1.0], [3.0, -1.0]];
    let all: Vec<[f32; 2]> = rest.iter().chain(&left).chain(&right).chain(&rest).copied().collect();
    scene.buffer(1, &vertices(&all, RED)).bind(1).clear(BLACK).draw(2, 8);
    let trace = scene.end_and_finish();
    let pixels = |provoking| {
        let glsl = GlslOptions { provoking, ..GlslOptions::default() };
        let picture = play(gpu, &trace, ShaderOptions { glsl, ..language(ShaderLanguage::Glsl) });
        [(4, 60), (60, 60)].map(|(x, y)| picture.pixel(x, y).unwrap())
    };
    assert_eq!(pixels(ProvokingVertex::First), [[2, 0, 0, 255], [5, 0, 0, 255]]);
    assert_eq!(pixels(ProvokingVertex::Last), [[4, 0, 0, 255], [7, 0, 0, 255]]);
}

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in glsl::corpus::files().into_iter().filter(|path| path.with_extension("vert").exists()) {
        let name = stem(&path);
        trials.push(software::trial(format!("pair::{name}"), move |_| {
            let (vertex, fragment, wgsl) = pair(&name);
            let wgsl = wgsl.replace(TWIN_HEIGHT, &format!("{:?} - v.p.y", gpu::SIZE as f32));
            draws_its_twin(&name, &vertex, &fragment, &wgsl, &Names::Same);
        }));
    }
    for (case, path) in glsl::corpus::written_by_naga().into_iter().zip(glsl::corpus::files()) {
        trials.push(software::trial(format!("naga::{}", case.name), move |_| {
            draws_its_twin(&case.name, &case.vertex, &case.fragment, &read(&path), &Names::Naga);
        }));
    }
    for name in ["01_basic", "06_control_flow", "09_preprocessor"] {
        let trial: Trial = software::trial(format!("trace::{name}"), move |gpu| {
            a_trace_plays_alike_from_either(&gpu, name);
        });
        trials.push(trial);
    }
    trials.push(software::trial("naga_s_text_is_recognised_in_a_trace", |gpu| {
        naga_s_text_is_recognised_in_a_trace(&gpu);
    }));
    trials.push(software::trial("the_provoking_vertex_is_the_one_asked_for", |gpu| {
        the_provoking_vertex_is_the_one_asked_for(&gpu);
    }));
    trials
}
