//! Outputs of vertex shaders: against numbers worked out by hand, and against the pixels that are drawn.
//!
//! Needs software Vulkan.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use crate::gpu::kept::opened;
use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::analysis::{Analysis, Facing, Mesh, ObjectKind, OutputValue, TriangleOutcome};
use aerogpu_replay::command::Place;
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{DEFAULT_SIZE, ShaderOptions, ShaderReplacements, TraceIndex, largest_viewport};
use aerogpu_replay::shader::{LanguageChoice, ShaderLanguage};
use aerogpu_replay::text::Real;
use support::harness::Trial;
use support::program::run;
use support::random::{SIDE_PX, random_trace};
use support::scene::{BLACK, BLUE, GREEN, RED, Scene, vertices};
use support::{fixture, fixtures, root, software};

const RANDOM_TRACES: u64 = 30;
/// Pixel centres nearer to an edge than this are the rasteriser's to decide.
const EDGE_PX: f64 = 1.0 / 64.0;

fn ask(bytes: Vec<u8>) -> Analysis {
    let trace = Arc::new(opened(bytes).unwrap());
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    Analysis::new(trace, index)
}

fn size_of(analysis: &Analysis) -> Size {
    largest_viewport(analysis.trace()).unwrap_or(DEFAULT_SIZE)
}

fn mesh(analysis: &Analysis, gpu: &Arc<Gpu>, draw: u32) -> Mesh {
    analysis.mesh(Place::at_draw(FrameIndex(0), draw), gpu, size_of(analysis)).unwrap()
}

fn reals<const N: usize>(values: [f32; N]) -> [Real; N] {
    values.map(Real)
}

fn floats(values: &[f32]) -> OutputValue {
    OutputValue::Floats(values.iter().copied().map(Real).collect())
}

fn position_and_colour_pass_through(gpu: Arc<Gpu>) {
    let found = mesh(&ask(fixtures::interpolated()), &gpu, 0);
    let corners = [([-0.9, -0.9], RED), ([0.9, -0.9], GREEN), ([0.0, 0.9], BLUE)];
    for (vertex, ([x, y], color)) in found.vertices.iter().zip(corners) {
        assert_eq!(vertex.position, Some(reals([x, y])));
        assert_eq!(vertex.clip, reals([x, y, 0.0, 1.0]));
        let window = [(x + 1.0) * 48.0, (1.0 - y) * 48.0];
        assert!((0..2).all(|side| (vertex.window[side].0 - window[side]).abs() < 1e-4), "{vertex:?}");
        assert_eq!(vertex.outputs, [floats(&color)]);
    }
    let area = found.triangles[0].area_px.unwrap();
    assert!((area - 0.9 * 48.0 * 1.8 * 48.0).abs() < 1e-2, "{area}");
    assert_eq!((found.triangles[0].facing, found.triangles[0].outcome), (Some(Facing::Front), TriangleOutcome::Drawn));
    assert_eq!((found.outputs[0].location, found.outputs[0].type_name.as_str()), (0, "vec4<f32>"));
}

fn odd_layouts_and_vertex_numbers_are_fed_as_drawn(gpu: Arc<Gpu>) {
    let layouts = ask(fixtures::layouts());
    let positions = |draw| -> Vec<[f32; 2]> {
        let found = mesh(&layouts, &gpu, draw);
        found.vertices.iter().map(|vertex| [vertex.clip[0].0, vertex.clip[1].0]).collect()
    };
    assert_eq!(positions(0), support::scene::rectangle(-1.0, 0.0, 0.0, 1.0));
    assert_eq!(positions(1), support::scene::rectangle(0.0, 0.0, 1.0, 1.0));
    assert_eq!(positions(2), support::scene::rectangle(-1.0, -1.0, 0.0, 0.0));
    let own = [[0.0, -0.0], [1.0, -0.0], [0.0, -1.0], [0.0, -1.0], [1.0, -1.0], [1.0, -0.0]];
    assert_eq!(positions(3), own);
    let numbers = mesh(&ask(fixtures::vertex_index()), &gpu, 1);
    assert_eq!(numbers.vertices.iter().map(|vertex| vertex.index).collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8]);
    assert!(numbers.vertices.iter().all(|vertex| vertex.outputs == [floats(&BLUE)]), "{numbers:?}");
    let swizzled = mesh(&ask(fixtures::entry_points()), &gpu, 0);
    assert_eq!(swizzled.vertices[0].clip, reals([-0.5, -0.5, 0.0, 1.0]), "a vec4 position ends in 0, 1");
    assert_eq!(swizzled.vertices[0].outputs, [floats(&[0.0, 0.0, 1.0])], "gbr of red");
}

const ODD_WGSL: &str = "
struct In { @location(1) tint: vec3f, @builtin(vertex_index) n: u32, @location(0) at: vec3f }
struct Out {
  @location(4) @interpolate(flat) number: vec2<i32>,
  @builtin(position) at: vec4f,
  @location(0) half: f32,
  @location(7) @interpolate(flat) bits: u32,
}
@group(1) @binding(3) var<uniform> offset: vec4f;
@group(0) @binding(0) var picture: texture_2d<f32>;
var<private> calls: i32 = 5;
fn twice(x: f32) -> f32 { calls += 1; return x * 2.0; }
@vertex fn v(in: In, @builtin(instance_index) instance: u32) -> Out {
  var out: Out;
  out.half = in.tint.b * 0.5;
  out.bits = in.n ^ 0xff00u;
  if in.n == 4u { out.at = vec4f(9.0); return out; }
  let texel = textureLoad(picture, vec2(0), 0);
  out.at = vec4f(twice(in.at.x) + offset.x, in.at.y, in.at.z + texel.x, 2.0 + f32(instance) + texel.a);
  out.number = vec2<i32>(-i32(in.n), calls);
  return out;
}";

/// Integers, an early return, private state, resources that stay neutral, attributes of other sizes; w is not 1.
fn an_odd_shader_gives_what_is_worked_out_by_hand(gpu: Arc<Gpu>) {
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, ODD_WGSL, "@fragment fn f() -> @location(0) vec4f { return vec4f(1.0); }");
    scene.pipeline(1, 1, 2).packet(Packet::SetPipeline { pipeline_id: 1 });
    let corners = [[0.25, 0.5], [0.5, -0.5], [-1.5, 1.0], [0.75, 0.75]];
    scene.buffer(1, &[vertices(&[[9.0; 2]; 2], RED), vertices(&corners, BLUE)].concat()).bind(1);
    scene.viewport(32, 16).clear(BLACK).draw(2, 4).end();
    let found = mesh(&ask(scene.finish()), &gpu, 0);
    assert_eq!((found.vertices.len(), found.triangles.len()), (4, 1));
    let first = &found.vertices[0];
    assert_eq!((first.index, first.clip), (2, reals([0.5, 0.5, 0.0, 3.0])));
    assert_eq!(first.ndc[0], Real(0.5 / 3.0));
    assert_eq!(first.window[1], Real(((0.5 - 0.5 / 3.0 / 2.0) * 16.0) as f32));
    let expected = [OutputValue::Signed(vec![-2, 6]), floats(&[0.5]), OutputValue::Unsigned(vec![0xff02])];
    assert_eq!(first.outputs, expected);
    assert_eq!(found.vertices[2].clip, reals([9.0; 4]), "vertex 4 returns early");
    assert_eq!(found.vertices[2].outputs[0], OutputValue::Signed(vec![0, 0]));
    let names: Vec<_> = found.outputs.iter().map(|output| (output.location, output.type_name.as_str())).collect();
    assert_eq!(names, [(4, "vec2<i32>"), (0, "f32"), (7, "u32")]);
}

fn what_cannot_be_drawn_has_no_mesh(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&[[0.0; 2]; 3], RED)).bind(1).clear(BLACK).draw(1, 3).draw(0, 2).draw(0, 0).end();
    let analysis = ask(scene.finish());
    let at = |draw| analysis.mesh(Place::at_draw(FrameIndex(0), draw), &gpu, DEFAULT_SIZE);
    let past = at(0).unwrap_err().to_string();
    assert!(past.contains("reads 96 bytes of buffer 1, which has 72"), "{past}");
    assert_eq!((at(1).unwrap().vertices.len(), at(1).unwrap().triangles.len()), (2, 0));
    assert_eq!(at(2).unwrap().vertices.len(), 0);
    let none = analysis.mesh(Place::end_of(FrameIndex(0)), &gpu, DEFAULT_SIZE).unwrap_err().to_string();
    assert_eq!(none, "expected a draw, found no draw at this point");
}

/// More vertices than are run at a time.
fn many_vertices_are_all_run(gpu: Arc<Gpu>) {
    let count = 300_000u32;
    let text = "@vertex fn v(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f { return vec4f(f32(n)); }";
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, text, "@fragment fn f() {}").pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 }).draw(7, count).end();
    let found = mesh(&ask(scene.finish()), &gpu, 0);
    assert_eq!(found.vertices.len(), count as usize);
    for (number, vertex) in (7..).zip(&found.vertices) {
        assert_eq!((vertex.index, vertex.clip[3].0), (number, number as f32));
    }
}

/// Corners that are nowhere keep their numbers, and no face has them.
fn an_obj_file_holds_the_triangles(_gpu: Arc<Gpu>) {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::with_pipeline();
    let corners = [[-0.5, 0.25], [f32::NAN, 0.0], [0.5, 0.5], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    scene.buffer(1, &vertices(&corners, RED)).bind(1).clear(BLACK).draw(0, 6).end();
    std::fs::write(folder.path().join("a.aerogputrace"), scene.finish()).unwrap();
    let arguments = ["mesh", "a.aerogputrace", "--frame", "0", "--draw", "0", "--obj", "a.obj"];
    run(&[&arguments[..], &["--adapter", "llvmpipe"]].concat(), folder.path()).expect(0, "", "");
    let obj = std::fs::read_to_string(folder.path().join("a.obj")).unwrap();
    let lines: Vec<&str> = obj.lines().collect();
    assert!(lines[0].starts_with("# draw at 0x"), "{obj}");
    assert_eq!(lines[1..3], ["v -0.5 0.25 0", "v 0 0 0"]);
    assert_eq!((lines.len(), lines[7]), (8, "f 4 5 6"));
}

/// Whether a pixel is covered, as far as the triangles say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    No,
    Yes,
    /// Too near to an edge.
    Perhaps,
}

/// Whether a triangle covers the centre of a pixel: only if it does so a little to either side too.
pub fn covers(found: &Mesh, corners: [u32; 3], x: u32, y: u32) -> Covered {
    let corners = corners.map(|corner| found.vertices[corner as usize].clip.map(|real| f64::from(real.0)));
    if corners.as_flattened().iter().any(|coordinate| !coordinate.is_finite()) {
        return Covered::No;
    }
    let centre = [f64::from(x) + 0.5, f64::from(y) + 0.5];
    let [left, top] = found.viewport.origin_px.map(|at| f64::from(at.0));
    let [width, height] = found.viewport.size_px.map(|side| f64::from(side.0));
    if !(left..=left + width).contains(&centre[0]) || !(top..=top + height).contains(&centre[1]) {
        return Covered::No;
    }
    let around = [[0.0, 0.0], [EDGE_PX, 0.0], [-EDGE_PX, 0.0], [0.0, EDGE_PX], [0.0, -EDGE_PX]];
    let ndc =
        |[dx, dy]: [f64; 2]| [(centre[0] + dx - left) / width * 2.0 - 1.0, 1.0 - (centre[1] + dy - top) / height * 2.0];
    let mut decided: Vec<Covered> = around.map(|offset| covers_point(corners, ndc(offset))).into();
    decided.dedup();
    if let [one] = decided[..] { one } else { Covered::Perhaps }
}

/// In homogeneous coordinates, so that corners behind the viewer need no clipping.
fn covers_point(corners: [[f64; 4]; 3], [x, y]: [f64; 2]) -> Covered {
    let flat = corners.map(|[x, y, _, w]| [x, y, w]);
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let volume = dot(flat[0], cross(flat[1], flat[2]));
    if volume == 0.0 {
        return Covered::No;
    }
    // The point, of w 1, is this much of each corner.
    let shares = [(1, 2), (2, 0), (0, 1)].map(|(a, b)| dot(cross(flat[a], flat[b]), [x, y, 1.0]) / volume);
    if shares.iter().any(|share| *share < 0.0) {
        return Covered::No;
    }
    let depth: f64 = shares.iter().zip(corners).map(|(share, [_, _, z, _])| share * z).sum();
    let is_all_seen = corners.iter().all(|[_, _, z, w]| (0.0..=*w).contains(z));
    match depth {
        _ if is_all_seen => Covered::Yes,
        depth if (1e-4..=1.0 - 1e-4).contains(&depth) => Covered::Yes,
        depth if !(-1e-4..=1.0 + 1e-4).contains(&depth) => Covered::No,
        _ => Covered::Perhaps,
    }
}

/// Replaces every fragment text by one that paints one shade.
fn painting(analysis: &Analysis, options: &ShaderOptions, shade: f32) -> ShaderOptions {
    let wgsl = format!("@fragment fn fs_main() -> @location(0) vec4f {{ return vec4f(vec3f({shade:?}), 1.0); }}");
    let glsl = format!(
        "#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() {{ o = vec4(vec3({shade:?}), 1.0); }}\n"
    );
    let mut replacements = ShaderReplacements::new();
    let objects = analysis.objects().unwrap();
    for pipeline in objects.all().iter().filter(|object| object.kind == ObjectKind::Pipeline) {
        let shaders = analysis.shaders_of_pipeline(pipeline.creation).unwrap();
        for text in &shaders.fragment.texts {
            let holds_both = shaders.vertex.texts.iter().any(|other| other.record_offset == text.record_offset);
            let replaced = match text.language {
                "wgsl" if holds_both => format!("{}\n{wgsl}", text.text.as_ref().unwrap()),
                "wgsl" => wgsl.clone(),
                _ => glsl.clone(),
            };
            replacements.insert(text.record_offset, replaced.into_bytes());
        }
    }
    ShaderOptions { replacements: Arc::new(replacements), ..options.clone() }
}

/// Draws every frame in white and in black: what differs is what was drawn since the last CLEAR.
fn triangles_cover_what_is_drawn(gpu: &Arc<Gpu>, name: &str, analysis: &Analysis, options: &ShaderOptions, size: Size) {
    let analysis = analysis.with_shader_options(options.clone());
    let player = |shade| {
        let mut player = Player::new(analysis.trace().clone(), gpu.clone(), size).unwrap();
        player.set_shader_options(painting(&analysis, options, shade));
        player
    };
    let (mut white, mut black) = (player(1.0), player(0.0));
    let mut covered = vec![Covered::No; size.pixels() as usize];
    for frame in (0..analysis.trace().frames().len() as u32).map(FrameIndex) {
        let mut draws = 0;
        for row in analysis.events(frame).unwrap().rows {
            match row.kind.name() {
                "CLEAR" => covered.fill(Covered::No),
                "DRAW" => {
                    let found = analysis.mesh(Place::at_draw(frame, draws), gpu, size);
                    draws += 1;
                    let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
                    take_in(&found, size, &mut covered);
                }
                _ => {}
            }
        }
        let [white, black] = [&mut white, &mut black].map(|player| player.render(frame).unwrap());
        check(&white, &black, &covered, &format!("{name}, frame {frame}"));
    }
}

fn take_in(found: &Mesh, size: Size, covered: &mut [Covered]) {
    for triangle in &found.triangles {
        for (place, pixel) in (0..).zip(covered.iter_mut()).filter(|(_, pixel)| **pixel != Covered::Yes) {
            let (x, y) = (place % size.width_px, place / size.width_px);
            let by_this = covers(found, triangle.vertices, x, y);
            let is_told_away = matches!(
                triangle.outcome,
                TriangleOutcome::Outside(_) | TriangleOutcome::OutsideTarget | TriangleOutcome::BetweenPixels
            );
            assert!(!(is_told_away && by_this == Covered::Yes), "{triangle:?} covers {x}, {y}");
            if by_this != Covered::No {
                *pixel = by_this;
            }
        }
    }
}

fn check(white: &Picture, black: &Picture, covered: &[Covered], context: &str) {
    let pixels = white.rgba().as_chunks::<4>().0.iter().zip(black.rgba().as_chunks::<4>().0);
    let mut undecided = 0;
    for (place, ((white, black), covered)) in pixels.zip(covered).enumerate() {
        match covered {
            Covered::Perhaps => undecided += 1,
            covered => assert_eq!(white != black, *covered == Covered::Yes, "{context}, pixel {place}"),
        }
    }
    assert!(undecided * 4 <= covered.len(), "{context}: {undecided} pixels are undecided");
}

fn fixtures_are_covered(gpu: Arc<Gpu>) {
    let made = fixtures::REPLAYABLE.iter().map(|(name, make)| (*name, make()));
    let public = ("triangle", std::fs::read(fixture("triangle")).unwrap());
    for (name, bytes) in made.chain([public]) {
        let analysis = ask(bytes);
        triangles_cover_what_is_drawn(&gpu, name, &analysis, &ShaderOptions::default(), size_of(&analysis));
    }
}

fn random_traces_are_covered(gpu: Arc<Gpu>) {
    let size = Size { width_px: SIDE_PX, height_px: SIDE_PX };
    for seed in 0..RANDOM_TRACES {
        let analysis = ask(random_trace(seed + 7_000));
        triangles_cover_what_is_drawn(&gpu, &format!("seed {seed}"), &analysis, &ShaderOptions::default(), size);
    }
}

/// Every pair of the fixtures whose attributes the ABI has, in both languages; both give the same vertices.
fn pairs_in_either_language_are_covered(gpu: Arc<Gpu>) {
    let folder = root().join("fixtures/glsl/pairs");
    let mut names = HashSet::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        names.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
    }
    let mut meshes = 0;
    for name in names {
        let read = |extension| std::fs::read_to_string(folder.join(Path::new(&name)).with_extension(extension));
        let (Ok(vertex), Ok(fragment), Ok(wgsl)) = (read("vert"), read("frag"), read("wgsl")) else { continue };
        let mut scene = Scene::new();
        scene.begin().twin_shader(1, 0, &wgsl, &vertex).twin_shader(2, 1, &wgsl, &fragment).pipeline(1, 1, 2);
        scene.packet(Packet::SetPipeline { pipeline_id: 1 });
        let corners = [([-0.9, -0.9], RED), ([0.9, -0.8], GREEN), ([0.1, 0.9], BLUE)];
        let bytes: Vec<u8> = corners.iter().flat_map(|(at, color)| vertices(&[*at], *color)).collect();
        scene.buffer(1, &bytes).bind(1).clear(BLACK).draw(0, 3).end();
        let analysis = ask(scene.finish());
        let mut both = Vec::new();
        for language in ShaderLanguage::ALL.map(LanguageChoice::Only) {
            let options = ShaderOptions { language, ..ShaderOptions::default() };
            let asked = analysis.with_shader_options(options.clone());
            // Pairs with other attributes than the ABI's are refused by player and mesh alike.
            let Ok(found) = asked.mesh(Place::at_draw(FrameIndex(0), 0), &gpu, DEFAULT_SIZE) else { continue };
            meshes += 1;
            triangles_cover_what_is_drawn(&gpu, &name, &analysis, &options, DEFAULT_SIZE);
            both.push(found.vertices.iter().map(|vertex| vertex.clip.map(|real| real.0)).collect::<Vec<_>>());
        }
        if let [wgsl, glsl] = &both[..] {
            let pairs = wgsl.iter().flatten().zip(glsl.iter().flatten());
            let is_far = |(a, b): (&f32, &f32)| (a - b).abs() > 1e-5 || a.is_nan() != b.is_nan();
            assert!(!pairs.clone().any(is_far), "{name}: {wgsl:?} {glsl:?}");
        }
    }
    assert!(meshes >= 8, "only {meshes} meshes");
}

/// Coverage tells: with the corners in other places it does not agree.
fn the_check_of_coverage_can_fail(gpu: Arc<Gpu>) {
    let analysis = ask(fixtures::interpolated());
    let size = size_of(&analysis);
    let mut found = mesh(&analysis, &gpu, 0);
    found.vertices[0].clip[0] = Real(-0.5);
    let mut covered = vec![Covered::No; size.pixels() as usize];
    take_in(&found, size, &mut covered);
    let render = |shade| {
        let mut player = Player::new(analysis.trace().clone(), gpu.clone(), size).unwrap();
        player.set_shader_options(painting(&analysis, &ShaderOptions::default(), shade));
        player.render(FrameIndex(0)).unwrap()
    };
    let (white, black) = (render(1.0), render(0.0));
    let checked = std::panic::catch_unwind(|| check(&white, &black, &covered, "moved"));
    assert!(checked.is_err());
}

pub fn trials() -> Vec<Trial> {
    let tests = [
        software::trial("position_and_colour_pass_through", position_and_colour_pass_through),
        software::trial(
            "odd_layouts_and_vertex_numbers_are_fed_as_drawn",
            odd_layouts_and_vertex_numbers_are_fed_as_drawn,
        ),
        software::trial(
            "an_odd_shader_gives_what_is_worked_out_by_hand",
            an_odd_shader_gives_what_is_worked_out_by_hand,
        ),
        software::trial("what_cannot_be_drawn_has_no_mesh", what_cannot_be_drawn_has_no_mesh),
        software::trial("many_vertices_are_all_run", many_vertices_are_all_run),
        software::trial("an_obj_file_holds_the_triangles", an_obj_file_holds_the_triangles),
        software::trial("fixtures_are_covered", fixtures_are_covered),
        software::trial("random_traces_are_covered", random_traces_are_covered),
        software::trial("pairs_in_either_language_are_covered", pairs_in_either_language_are_covered),
        software::trial("the_check_of_coverage_can_fail", the_check_of_coverage_can_fail),
    ];
    tests.into()
}
