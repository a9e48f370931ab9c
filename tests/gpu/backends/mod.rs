//! Vulkan and GL beside each other: what holds on one holds on the other.
//!
//! Needs software Vulkan and software GL.

mod draws;
mod language;
mod mutants;
mod pictures;
mod resources;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use crate::gpu::kept::opened;
use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::command::Place;
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};
use dev_glsl_cases as glsl;
use serde_json::{Value, json};
use support::harness::Trial;
use support::program::{program, run};
use support::scene::{BLACK, BLUE, FRAGMENT_WGSL, GREEN, RED, Scene, VERTEX_WGSL, rectangle, vertices};
use support::software::{BACKENDS, Backend};

/// Fault after a draw of a frame, the exit code, and the words of the one sentence.
type Fault = (&'static str, fn(&mut Scene), i32, &'static str);

const FAULTS: &[Fault] = &[
    ("a DRAW past its buffer", past_the_buffer, 6, "reads 216 bytes of buffer 1, which has 144"),
    ("a shader that doesn't compile", broken_wgsl, 6, "no definition in scope for identifier: `nothing`"),
    ("GLSL that doesn't compile", broken_glsl, 6, "'nothing'"),
    ("a pipeline that is not there", |scene| set_pipeline(scene, 9), 6, "pipeline 9 does not exist"),
    ("an upload to nowhere", upload_to_nowhere, 6, "buffer 7 does not exist"),
    ("a buffer that is too large", too_large, 10, "this build's limit is 268435456"),
    ("a viewport that is too large", wide_viewport, 10, "the device's limit is"),
];

fn past_the_buffer(scene: &mut Scene) {
    scene.draw(0, 9);
}

fn broken_wgsl(scene: &mut Scene) {
    let fragment = "@fragment fn f() -> @location(0) vec4f { return nothing; }";
    scene.shader(3, 1, fragment).pipeline(2, 1, 3);
    set_pipeline(scene, 2);
    scene.draw(0, 6);
}

fn broken_glsl(scene: &mut Scene) {
    let vertex = "#version 300 es\nin vec2 position; void main() { gl_Position = vec4(nothing); }\n";
    let fragment = "#version 300 es\nout highp vec4 o; void main() { o = vec4(1.0); }\n";
    scene.glsl_shader(3, 0, vertex).glsl_shader(4, 1, fragment).pipeline(2, 3, 4);
    set_pipeline(scene, 2);
    scene.draw(0, 6);
}

fn upload_to_nowhere(scene: &mut Scene) {
    scene.upload(7, 0, &[0; 4]);
}

fn wide_viewport(scene: &mut Scene) {
    scene.viewport(1 << 30, 1).draw(0, 6);
}

fn too_large(scene: &mut Scene) {
    scene.packet(Packet::CreateBuffer { buffer_id: 2, size_bytes: u32::MAX, usage: 0 });
}

fn set_pipeline(scene: &mut Scene, pipeline_id: u32) {
    scene.packet(Packet::SetPipeline { pipeline_id });
}

/// One frame: a CLEAR, a DRAW, and then the fault.
fn faulty(fault: fn(&mut Scene)) -> Vec<u8> {
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, VERTEX_WGSL, FRAGMENT_WGSL).pipeline(1, 1, 2);
    set_pipeline(&mut scene, 1);
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).clear(BLACK).draw(0, 6);
    fault(&mut scene);
    scene.end_and_finish()
}

/// Verbs that draw, for a trace `T` on the backend `B`, and the exit code of each when its frame has a fault.
const DRAWING_VERBS: &[(&str, i32)] = &[
    ("T --frame 0 --hash", 6),
    ("T --frames all --out . --json", 6),
    ("T --frame 0 --only-draws 1 --hash", 6),
    ("filmstrip T --frame 0 --out strip.png", 6),
    ("pixel T --frame 0 --at 3,3", 8),
    ("overlay T --frame 0 --kind wireframe --out overlay.png", 6),
    ("mesh T --frame 0 --draw 1", 6),
    ("verify T --seek", 6),
    ("verify T --determinism 2", 6),
    ("bisect T --frame 0 --a B --b B", 6),
    ("bisect T --frame 0 --a B --b T", 6),
    ("golden new T", 6),
];

fn write(folder: &Path, trace: &[u8]) -> String {
    fs::write(folder.join("t.aerogputrace"), trace).unwrap();
    "t.aerogputrace".to_owned()
}

fn player(backend: Backend, trace: Vec<u8>) -> Player {
    let trace = opened(trace).unwrap();
    Player::new(Arc::new(trace), backend.open_fresh(), DEFAULT_SIZE).unwrap()
}

fn an_error_in_mid_frame_is_a_sentence(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    for (what, fault, code, sentence) in FAULTS {
        let trace = write(folder.path(), &faulty(*fault));
        let done = run(&[&[trace.as_str(), "--frame", "0", "--hash"], backend.arguments()].concat(), folder.path());
        assert_eq!(done.code, *code, "{what}: {}", done.stderr);
        assert!(done.stderr.contains(sentence), "{what}: expected {sentence:?} in {}", done.stderr);
        assert!(!done.stderr.contains("panicked"), "{what}: {}", done.stderr);
    }
}

fn every_verb_ends_with_the_sentence(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let (_, fault, _, sentence) = FAULTS[0];
    let trace = write(folder.path(), &faulty(fault));
    for (line, code) in DRAWING_VERBS {
        let words = line.split(' ').map(|word| match word {
            "T" => trace.as_str(),
            "B" => backend.name(),
            word => word,
        });
        let words: Vec<&str> = words.chain(backend.arguments().iter().copied()).collect();
        let done = run(&words, folder.path());
        assert_eq!(done.code, *code, "{words:?}: {}", done.stderr);
        assert!(done.stderr.contains(sentence) && !done.stderr.contains("panicked"), "{words:?}: {}", done.stderr);
    }
}

/// A session answers with the error, goes on, and ends while its player stands in the middle of a frame.
fn serve_outlives_the_error(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let (_, fault, _, sentence) = FAULTS[0];
    let trace = write(folder.path(), &faulty(fault));
    let mut command = program();
    command.args(["serve", "--stdio"]).args(backend.arguments()).current_dir(folder.path());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let requests = [
        ("open", json!({ "path": trace })),
        ("hash", json!({ "trace": 1, "frame": 0 })),
        ("hash", json!({ "trace": 1, "frame": 0, "draw": 0 })),
        ("hash", json!({ "trace": 1, "frame": 0 })),
    ];
    let mut input = child.stdin.take().unwrap();
    for (id, (method, params)) in requests.iter().enumerate() {
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    let (answers, words) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((output.status.code(), words.as_str()), (Some(0), ""), "{answers}");
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), requests.len(), "{answers:?}");
    for failed in [&answers[1], &answers[3]] {
        assert!(failed["error"]["message"].as_str().unwrap().contains(sentence), "{failed}");
    }
    assert!(answers[2]["result"]["sha256"].is_string(), "{}", answers[2]);
}

/// Nothing keeps a device but its player, which goes while a pass is open on it.
fn a_player_may_go_in_mid_frame(backend: Backend) {
    let mut stopped = player(backend, faulty(|_| ()));
    stopped.seek(Place::at_draw(FrameIndex(0), 0)).unwrap();
    drop(stopped);
    let mut failed = player(backend, faulty(FAULTS[0].1));
    let error = failed.seek(FrameIndex(0)).unwrap_err();
    drop(failed);
    assert!(error.to_string().contains(FAULTS[0].3), "{error}");
}

/// Later draws would read a buffer that a shader writes, and a picture would depend on what was drawn before.
fn a_buffer_for_writing_is_refused(backend: Backend) {
    let fragment = "@group(0) @binding(0) var<storage, read_write> drawn: array<atomic<u32>, 4>;
        @fragment fn f() -> @location(0) vec4f { return vec4f(f32(atomicAdd(&drawn[0], 1u)) / 9000.0); }";
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, VERTEX_WGSL, fragment).pipeline(1, 1, 2);
    set_pipeline(&mut scene, 1);
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).clear(BLACK).draw(0, 6);
    scene.end().begin().clear(BLACK).draw(0, 6);
    let trace = scene.end_and_finish();
    let found = [vec![1], vec![0, 1]].map(|frames| {
        let mut player = player(backend, trace.clone());
        let pictures = frames.iter().map(|frame| player.render(FrameIndex(*frame)));
        pictures.map(|picture| picture.map(|picture| picture.hash()).map_err(|error| error.to_string())).last().unwrap()
    });
    let told = "the fragment shader uses writable storage buffer drawn at @group(0) @binding(0)";
    for of_frame_1 in &found {
        assert!(of_frame_1.as_ref().is_err_and(|error| error.contains(told)), "{found:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), &trace);
    run(&[&[path.as_str(), "--frame", "1", "--hash"], backend.arguments()].concat(), folder.path()).expect(4, "", told);
}

fn picture(gpu: &Arc<Gpu>, trace: &[u8], size: Size) -> Result<Picture, String> {
    let trace = opened(trace.to_vec()).unwrap();
    let mut player = Player::new(Arc::new(trace), gpu.clone(), size).unwrap();
    player.render(FrameIndex(0)).map_err(|error| error.to_string())
}

const FILL_WGSL: &str =
    "@vertex fn v(@location(0) at: vec2f) -> @builtin(position) vec4f { return vec4f(at, 0.0, 1.0); }";

/// Two devices, which draw the same.
struct Both {
    vulkan: Arc<Gpu>,
    gl: Arc<Gpu>,
    wrong: Vec<String>,
}

impl Both {
    fn open() -> Self {
        Self { vulkan: Backend::Vulkan.open_fresh(), gl: Backend::Gl.open_fresh(), wrong: Vec::new() }
    }

    /// Has both draw the trace, and notes where they differ by a bit.
    fn compare(&mut self, name: &str, trace: &[u8], size: Size) {
        let refused = resources::REFUSED_BY_GL.iter().find(|(refused, _)| *refused == name);
        let pictures = [&self.vulkan, &self.gl].map(|gpu| picture(gpu, trace, size));
        match pictures {
            [Ok(of_vulkan), Ok(of_gl)] => {
                let pairs = of_vulkan.rgba().chunks(4).zip(of_gl.rgba().chunks(4));
                let differing: Vec<_> = (0..size.width_px).cycle().zip(pairs).filter(|(_, (a, b))| a != b).collect();
                if let Some((x, (a, b))) = differing.first() {
                    let count = differing.len();
                    self.wrong.push(format!("{name}: {count} pixels, column {x}: {a:?} on Vulkan, {b:?} on GL"));
                }
            }
            [Ok(_), Err(error)] if refused.is_some_and(|(_, words)| error.contains(words)) => return,
            [of_vulkan, of_gl] => {
                self.wrong.push(format!("{name}: {:?} on Vulkan, {:?} on GL", of_vulkan.err(), of_gl.err()));
            }
        }
        if refused.is_some() {
            self.wrong.push(format!("{name}: GL is said to refuse it"));
        }
    }

    /// Compares the body of a function `f(p: vec2i) -> u32` that gives each pixel's bytes.
    fn compare_function(&mut self, name: &str, declarations: &str, body: &str) {
        let fragment = format!(
            "{}{declarations}\nfn f(p: vec2i) -> u32 {{ let q = p - 8; {body} }}\n\
             @fragment fn m(@builtin(position) at: vec4f) -> @location(0) vec4f {{ \
             return unpack4x8unorm(f(vec2i(at.xy))); }}",
            language::PRELUDE
        );
        let mut scene = Scene::new();
        scene.begin().shaders(1, 2, FILL_WGSL, &fragment).pipeline(1, 1, 2);
        set_pipeline(&mut scene, 1);
        scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).draw(0, 6);
        self.compare(name, &scene.end_and_finish(), Size { width_px: 16, height_px: 16 });
    }

    fn finish(self) {
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
    }
}

fn the_language_is_the_same() {
    let mut both = Both::open();
    for (name, body) in language::CASES {
        both.compare_function(name, "", body);
    }
    both.finish();
}

fn what_is_not_bound_is_the_same() {
    let mut both = Both::open();
    for (name, declarations, body) in resources::CASES {
        let declarations = declarations.replace("SAMPLER", resources::SAMPLER).replace("COMPARER", resources::COMPARER);
        both.compare_function(name, &format!("{}{declarations}", resources::PRELUDE), body);
    }
    both.finish();
}

/// Triangles of both windings, whose corners have colours of their own.
fn fragment_stages_are_the_same() {
    let mut both = Both::open();
    for (name, fragment) in resources::STAGES {
        let corners = [([-0.9, -0.9], RED), ([0.9, -0.8], GREEN), ([0.1, 0.9], BLUE)];
        let turned = [([-0.9, 0.9], BLUE), ([-0.2, 0.9], RED), ([-0.9, -0.5], GREEN)];
        let all = corners.iter().chain(&turned);
        let bytes: Vec<u8> = all.flat_map(|(position, color)| vertices(&[*position], *color)).collect();
        let mut scene = Scene::new();
        scene.begin().shaders(1, 2, VERTEX_WGSL, fragment).pipeline(1, 1, 2);
        set_pipeline(&mut scene, 1);
        scene.buffer(1, &bytes).bind(1).clear([0.2, 0.4, 0.6, 1.0]).draw(0, 6);
        both.compare(name, &scene.end_and_finish(), Size { width_px: 64, height_px: 48 });
    }
    both.finish();
}

/// A test of one backend.
type BackendTest = (&'static str, fn(Backend));

pub fn trials() -> Vec<Trial> {
    let of_each: &[BackendTest] = &[
        ("an_error_in_mid_frame_is_a_sentence", an_error_in_mid_frame_is_a_sentence),
        ("every_verb_ends_with_the_sentence", every_verb_ends_with_the_sentence),
        ("serve_outlives_the_error", serve_outlives_the_error),
        ("a_player_may_go_in_mid_frame", a_player_may_go_in_mid_frame),
        ("flat_values_come_from_the_vertex_asked_for", draws::flat_values_come_from_the_vertex_asked_for),
        ("vertices_keep_their_numbers", draws::vertices_keep_their_numbers),
        ("a_point_at_the_end_of_a_long_draw", draws::a_point_at_the_end_of_a_long_draw),
        ("questions_see_the_triangles_beside_a_point", draws::questions_see_the_triangles_beside_a_point),
        ("a_buffer_for_writing_is_refused", a_buffer_for_writing_is_refused),
        ("division_is_as_wgsl_says", draws::division_is_as_wgsl_says),
        ("a_point_takes_no_triangle_with_it", draws::a_point_takes_no_triangle_with_it),
    ];
    let mut trials = Vec::new();
    for backend in BACKENDS {
        let trial = |(name, test): &BackendTest| -> Trial {
            let test = *test;
            backend.trial(format!("{}::{name}", backend.name()), move || test(backend))
        };
        trials.extend(of_each.iter().map(trial));
    }
    let both = |name: &str, test: fn()| Backend::Vulkan.trial(format!("both::{name}"), test);
    trials.push(both("the_language_is_the_same", the_language_is_the_same));
    trials.push(both("what_is_not_bound_is_the_same", what_is_not_bound_is_the_same));
    trials.push(both("fragment_stages_are_the_same", fragment_stages_are_the_same));
    trials.push(both("fixtures_are_the_same", pictures::fixtures_are_the_same));
    trials.push(both("random_traces_are_the_same", pictures::random_traces_are_the_same));
    trials.push(both("only_values_between_two_steps_differ", pictures::only_values_between_two_steps_differ));
    trials.push(both("pairs_are_the_same", pictures::pairs_are_the_same));
    trials.push(both("features_are_the_same", pictures::features_are_the_same));
    trials.push(both("damaged_traces_are_the_same", mutants::damaged_traces_are_the_same));
    trials.push(both("random_programs_are_the_same", pictures::random_programs_are_the_same));
    trials
}
