//! Whole pictures: GL's have the coverage of Vulkan's, and differ by one step in at most 0.1 % of the pixels.
//!
//! `BACKEND_PROGRAMS` says how many random programs and traces there are, and has every case of the language drawn, of
//! which else some are picked. `BACKEND_SEED` says where random ones begin.

use super::glsl::cases::{self, Case};
use super::glsl::{corpus, language, random, wide};
use super::support::random::{Random, random_trace};
use super::support::{fixture, fixtures, root};
use super::*;
use crate::gpu::kept::opened;
use aerogpu_replay::bytes::Diagnostics;
use aerogpu_replay::replay::{LintRule, ShaderOptions, TraceIndex, lint_trace};

/// Colour that no program paints, so that pixels which a program leaves out show.
const GROUND: [f32; 4] = [3.0 / 255.0, 7.0 / 255.0, 11.0 / 255.0, 19.0 / 255.0];
const GROUND_PIXEL: [u8; 4] = [3, 7, 11, 19];
/// Pixels of a thousand that may differ by a step.
pub const DIFFERING_PER_MILLE: usize = 1;
/// Changes of a varying that must not show: where they do, a step of the program lies, or an expression that makes a
/// last bit large.
const NUDGES: [f32; 4] = [1.000_002, 0.999_998, 1.000_000_5, 0.999_999_5];

pub fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

fn seeds(usual: u64) -> std::ops::Range<u64> {
    let first = number("BACKEND_SEED").unwrap_or(1);
    first..first + number("BACKEND_PROGRAMS").unwrap_or(usual)
}

/// Difference of `found`, `None` if little enough. Pixels of which `is_open` says so are left out.
pub fn difference(
    expected: &Picture,
    found: &Picture,
    per_mille: usize,
    is_open: impl Fn(usize) -> bool,
) -> Option<String> {
    assert_eq!(expected.size(), found.size());
    let (mut differing, mut largest, mut uncovered) = (0, 0, 0);
    let pairs = expected.rgba().chunks(4).zip(found.rgba().chunks(4));
    for (_, (a, b)) in pairs.enumerate().filter(|(at, _)| !is_open(*at)) {
        uncovered += usize::from((a == GROUND_PIXEL) != (b == GROUND_PIXEL));
        let distance = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        differing += usize::from(distance > 0);
        largest = largest.max(distance);
    }
    let pixels = expected.size().pixels() as usize;
    let is_alike = largest <= 1 && uncovered == 0 && differing * 1000 <= pixels * per_mille;
    (!is_alike).then(|| format!("{differing} pixels differ, by up to {largest}, {uncovered} in coverage"))
}

/// Whether a pixel is another one in a picture whose varyings are a last bit larger or smaller.
fn steps(picture: &Picture, nudged: &[Picture], at: usize) -> bool {
    let pixel = |picture: &Picture| -> [u8; 4] { picture.rgba()[at * 4..at * 4 + 4].try_into().unwrap() };
    nudged.iter().any(|nudged| pixel(nudged) != pixel(picture))
}

/// A frame of a trace, whose fragment shaders that paint a varying paint it times `nudge`.
///
/// A colour that lies half-way between two steps of a channel is where rounding steps: random corners on a coarse grid
/// have whole rows of pixels there.
fn nudged(gpu: &Arc<Gpu>, trace: &Arc<Trace>, size: Size, frame: FrameIndex, nudge: f32) -> Picture {
    let index = TraceIndex::build(trace, |_| ());
    let times = FRAGMENT_WGSL.replace("return color", &format!("return color * {nudge:?}"));
    let texts = index.catalog().definitions().into_iter().filter(|(_, blob)| {
        blob.size_bytes() == FRAGMENT_WGSL.len() as u64
            && trace.read(blob.bytes.clone()).unwrap() == FRAGMENT_WGSL.as_bytes()
    });
    let replacements = Arc::new(texts.map(|(_, blob)| (blob.record_offset, times.clone().into_bytes())).collect());
    let mut player = Player::new(trace.clone(), gpu.clone(), size).unwrap();
    player.set_shader_options(ShaderOptions { replacements, ..ShaderOptions::default() });
    player.render(frame).unwrap()
}

/// Differences between the pictures of a frame, but for pixels that step on `gpu`, the one that the first is of.
pub fn difference_of_frame(
    gpu: &Arc<Gpu>,
    trace: &Arc<Trace>,
    frame: FrameIndex,
    [of_vulkan, of_gl]: [&Picture; 2],
) -> Option<String> {
    difference(of_vulkan, of_gl, DIFFERING_PER_MILLE, |_| false)?;
    let nudged = NUDGES.map(|nudge| nudged(gpu, trace, of_vulkan.size(), frame, nudge));
    difference(of_vulkan, of_gl, DIFFERING_PER_MILLE, |at| steps(of_vulkan, &nudged, at))
}

impl Both {
    /// Compares every frame of a trace, but for pixels that step.
    fn compare_frames(&mut self, name: &str, bytes: Vec<u8>, size: Option<Size>) {
        let trace = opened(bytes).unwrap();
        let trace = Arc::new(trace);
        let size = size.or_else(|| largest_viewport(&trace)).unwrap_or(DEFAULT_SIZE);
        let mut players = [&self.vulkan, &self.gl].map(|gpu| Player::new(trace.clone(), gpu.clone(), size).unwrap());
        for frame in 0..trace.frames().len() as u32 {
            let [of_vulkan, of_gl] =
                players.each_mut().map(|player| player.render(FrameIndex(frame)).map_err(|error| error.to_string()));
            let differs = match (&of_vulkan, &of_gl) {
                (Ok(of_vulkan), Ok(of_gl)) => {
                    difference_of_frame(&self.vulkan, &trace, FrameIndex(frame), [of_vulkan, of_gl])
                }
                (of_vulkan, of_gl) => {
                    (of_vulkan.as_ref().err() != of_gl.as_ref().err()).then(|| format!("{of_vulkan:?}, {of_gl:?}"))
                }
            };
            self.wrong.extend(differs.map(|words| format!("{name}, frame {frame}: {words}")));
        }
    }

    /// Compares a pair of GLSL texts where the program does not step. Gives whether it was drawn.
    fn compare_pair(&mut self, case: &Case) -> bool {
        let trace = |nudge| pair_trace(case, nudge);
        let of_vulkan = picture(&self.vulkan, &trace(1.0), DEFAULT_SIZE);
        let of_gl = picture(&self.gl, &trace(1.0), DEFAULT_SIZE);
        let name = &case.name;
        // Only what `lint` names may differ by a step everywhere.
        let per_mille = if uses_inverse_sines(&trace(1.0)) { 1000 } else { DIFFERING_PER_MILLE };
        match (of_vulkan, of_gl) {
            (Ok(of_vulkan), Ok(of_gl)) => {
                if difference(&of_vulkan, &of_gl, per_mille, |_| false).is_some() {
                    let nudged = NUDGES.map(|nudge| picture(&self.vulkan, &trace(nudge), DEFAULT_SIZE).unwrap());
                    let differs = difference(&of_vulkan, &of_gl, per_mille, |at| steps(&of_vulkan, &nudged, at));
                    self.wrong.extend(differs.map(|words| format!("{name}: {words}")));
                }
                true
            }
            (Err(of_vulkan), Err(of_gl)) if of_vulkan == of_gl => false,
            (of_vulkan, of_gl) => {
                self.wrong.push(format!("{name}: {:?} on Vulkan, {:?} on GL", of_vulkan.err(), of_gl.err()));
                false
            }
        }
    }

    fn compare_pairs(mut self, cases: &[Case]) {
        let drawn = cases.iter().filter(|case| self.compare_pair(case)).count();
        println!("{drawn} of {} pairs drawn", cases.len());
        assert!(drawn * 4 >= cases.len() * 3, "only {drawn} of {} pairs are drawn", cases.len());
        self.finish();
    }
}

/// Whether `lint` says of a trace that its shaders compute what each API approximates in its own way.
fn uses_inverse_sines(trace: &[u8]) -> bool {
    let trace = Arc::new(opened(trace.to_vec()).unwrap());
    let index = TraceIndex::build(&trace, |_| ());
    let found = lint_trace(&trace, &index, Diagnostics::new()).unwrap();
    found
        .findings
        .iter()
        .any(|suspicion| suspicion.rule == LintRule::ApiDependent && suspicion.message.contains("asin or acos"))
}

/// Two triangles that overlap, with colours that differ at each corner. The ABI has two attributes; a third is made of the
/// second.
fn pair_trace(case: &Case, nudge: f32) -> Vec<u8> {
    let vertex = case.vertex.replace("in vec4 a_extra;", "").replace("a_extra", "a_color.wzyx");
    let corners = [
        ([-0.95, -0.9], [0.13, 0.97, 0.41, 0.66]),
        ([0.93, -0.7], [0.89, 0.08, 0.77, 0.29]),
        ([-0.6, 0.94], [0.37, 0.52, 0.05, 0.91]),
        ([0.9, 0.95], [0.71, 0.19, 0.98, 0.44]),
        ([-0.2, 0.85], [0.02, 0.83, 0.33, 0.57]),
        ([0.95, -0.35], [0.61, 0.35, 0.22, 0.03]),
    ];
    let bytes = corners.map(|(at, color): (_, [f32; 4])| vertices(&[at], color.map(|value| value * nudge))).concat();
    let mut scene = Scene::new();
    scene.begin().glsl_shader(1, 0, &vertex).glsl_shader(2, 1, &case.fragment).pipeline(1, 1, 2);
    set_pipeline(&mut scene, 1);
    scene.buffer(1, &bytes).bind(1).clear(GROUND).draw(0, 6);
    scene.end_and_finish()
}

/// Every trace of the repository that replays.
pub fn fixtures_are_the_same() {
    let mut both = Both::open();
    both.compare_frames("triangle", fs::read(fixture("triangle")).unwrap(), None);
    for (name, make) in fixtures::REPLAYABLE {
        both.compare_frames(name, make(), None);
    }
    both.finish();
}

pub fn random_traces_are_the_same() {
    let mut both = Both::open();
    for seed in seeds(12) {
        both.compare_frames(&format!("random trace {seed}"), random_trace(seed), Some(DEFAULT_SIZE));
    }
    both.finish();
}

/// Largest error of a channel's exact value in either API, in steps.
const INTERPOLATION_ERROR_STEPS: f64 = 1.0 / 1024.0;

/// Where the APIs differ in a gradient, its exact value lies half-way between two steps, and both are right.
///
/// Corners lie on whole pixels and colours on quarters, so a model in doubles is exact but for its last bits.
pub fn only_values_between_two_steps_differ() {
    let both = Both::open();
    let mut random = Random::new(118);
    let mut differing = 0;
    for _ in 0..80 {
        let at: [[f64; 2]; 3] = [0; 3].map(|_| [0; 2].map(|_: u8| f64::from(random.below(9)) * 0.25 - 1.0));
        let colors: [[f64; 4]; 3] = [0; 3].map(|_| [0; 4].map(|_: u8| f64::from(random.below(13)) * 0.25 - 1.5));
        let bytes = [0, 1, 2].map(|corner: usize| {
            vertices(&[at[corner].map(|value| value as f32)], colors[corner].map(|value| value as f32))
        });
        let mut scene = Scene::new();
        scene.begin().shaders(1, 2, VERTEX_WGSL, FRAGMENT_WGSL).pipeline(1, 1, 2);
        set_pipeline(&mut scene, 1);
        scene.buffer(1, &bytes.concat()).bind(1).clear(GROUND).draw(0, 3);
        let trace = scene.end_and_finish();
        let [of_vulkan, of_gl] = [&both.vulkan, &both.gl].map(|gpu| picture(gpu, &trace, DEFAULT_SIZE).unwrap());
        assert_eq!(difference(&of_vulkan, &of_gl, 1000, |_| false), None, "{at:?} {colors:?}");
        let pairs = of_vulkan.rgba().chunks(4).zip(of_gl.rgba().chunks(4));
        for (pixel, (a, b)) in pairs.enumerate().filter(|(_, (a, _))| **a != GROUND_PIXEL) {
            let exact = gradient(at, colors, pixel).map(|value| value.clamp(0.0, 1.0) * 255.0);
            for (channel, exact) in exact.into_iter().enumerate() {
                for found in [a[channel], b[channel]] {
                    let off = (f64::from(found) - exact).abs();
                    assert!(off <= 0.5 + INTERPOLATION_ERROR_STEPS, "{found}, expected {exact}: {at:?} {colors:?}");
                }
                differing += usize::from(a[channel] != b[channel]);
            }
        }
    }
    println!("{differing} channels differ");
    assert!(differing > 0, "no value lies between two steps: this shows nothing");
}

/// The colour at the centre of a pixel.
fn gradient(at: [[f64; 2]; 3], colors: [[f64; 4]; 3], pixel: usize) -> [f64; 4] {
    let side = f64::from(DEFAULT_SIZE.width_px);
    let (column, row) = (pixel % DEFAULT_SIZE.width_px as usize, pixel / DEFAULT_SIZE.width_px as usize);
    let centre = [(column as f64 + 0.5) / side * 2.0 - 1.0, 1.0 - (row as f64 + 0.5) / side * 2.0];
    let area = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let [a, b, c] = at;
    let shares = [area(centre, b, c), area(a, centre, c), area(a, b, centre)].map(|part| part / area(a, b, c));
    [0, 1, 2, 3].map(|channel: usize| (0..3).map(|corner| shares[corner] * colors[corner][channel]).sum())
}

/// The pairs of the fixtures.
fn pairs() -> Vec<Case> {
    let mut cases = Vec::new();
    for folder in ["pairs", "styles"] {
        for entry in fs::read_dir(root().join("fixtures/glsl").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "vert") {
                let read = |extension| fs::read_to_string(path.with_extension(extension)).unwrap();
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                cases.push(Case { name, vertex: read("vert"), fragment: read("frag") });
            }
        }
    }
    cases
}

pub fn pairs_are_the_same() {
    let both = Both::open();
    let mut cases = pairs();
    cases.extend(corpus::written_by_naga());
    // What reads more attributes than the ABI has is drawn by neither.
    cases.retain(|case| !case.vertex.contains("normal") && !case.vertex.contains("uv"));
    both.compare_pairs(&cases);
}

/// A feature of the language each; GLSL leaves some of them undefined.
pub fn features_are_the_same() {
    let lists = [
        language::language(),
        language::uniforms(),
        language::interfaces(),
        language::textures(),
        cases::builtin_functions(),
        cases::operators(),
        cases::constructors(),
        cases::matrix_functions(),
    ];
    let step = if number("BACKEND_PROGRAMS").is_some() { 1 } else { 41 };
    let defined = lists.into_iter().flatten().filter(|case| !case.name.starts_with("undefined"));
    let cases: Vec<Case> = defined.step_by(step).collect();
    Both::open().compare_pairs(&cases);
}

pub fn random_programs_are_the_same() {
    let make = |seed: u64| if seed.is_multiple_of(4) { random::random(seed) } else { wide::wide(seed) };
    let cases: Vec<Case> = seeds(12).map(make).collect();
    Both::open().compare_pairs(&cases);
}
