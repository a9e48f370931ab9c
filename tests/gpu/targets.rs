//! Pictures of single presents, of other screens, and of textures: computed by hand for a trace made here, and sought as
//! they are played for scenes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::abi::a3a0::resources::DestroyResource;
use aerogpu_replay::abi::a3a0::work::{Clear, Present};
use aerogpu_replay::analysis::{OverlayKind, overlay, pixel_history};
use aerogpu_replay::command::{Place, ResourceName, Shown};
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Picture, Size, Surface};
use aerogpu_replay::player::{Player, Writer};
use aerogpu_replay::replay::{CommandReader, DEFAULT_SIZE, DrawnTo, TraceIndex, largest_viewport};

use crate::gpu::kept::opened;
use crate::gpu::submitted_questions::last_writer;
use crate::support::harness::Trial;
use crate::support::random::Random;
use crate::support::root;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::{R8G8B8A8, Stream, StreamOfTests, TRIANGLE_LIST, Texels, recording};

/// Scenes of each folder that lies beside the checkout.
const SCENES: usize = 3;

pub fn trials() -> Vec<Trial> {
    type NamedCheck = (&'static str, fn(Backend));
    let checks: [NamedCheck; 8] = [
        ("each_present_has_its_picture", each_present_has_its_picture),
        ("each_picture_is_asked_about", each_picture_is_asked_about),
        ("depth_is_read_to_the_last_bit", depth_is_read_to_the_last_bit),
        ("mips_layers_and_packed_formats_are_shown", mips_layers_and_packed_formats_are_shown),
        ("what_is_copied_and_presented_is_the_target", what_is_copied_and_presented_is_the_target),
        ("what_there_is_not_is_refused_in_words", what_there_is_not_is_refused_in_words),
        ("a_player_shows_one_after_the_other", a_player_shows_one_after_the_other),
        ("a_back_buffer_that_is_not_used_takes_no_memory", a_back_buffer_that_is_not_used_takes_no_memory),
    ];
    let mut trials = Vec::new();
    for backend in BACKENDS {
        let named = |name: &str| format!("{}::{name}", backend.name());
        trials.extend(checks.map(|(name, check)| backend.trial(named(name), move || check(backend))));
        let folders = ["2-real-dxbc", "3-with-d3d9", "4-views"];
        let shared = root().join("../shared/data/a3a0/scenes");
        let scenes = folders.iter().flat_map(|folder| scenes(&shared.join(folder)).into_iter().take(SCENES));
        // One of them may live with the project.
        let here = scenes_here();
        let is_here = |scene: &PathBuf| here.iter().any(|here| here.file_name() == scene.file_name());
        let beside: Vec<_> = scenes.filter(|scene| !is_here(scene)).collect();
        for scene in here.into_iter().chain(beside) {
            let name = named(&format!("sought_as_played::{}", scene.file_stem().unwrap().display()));
            trials.push(backend.trial(name, move || sought_as_played(backend, &scene)));
        }
    }
    trials
}

fn scenes_here() -> Vec<PathBuf> {
    let found = scenes(&root().join("fixtures/aerogpu/scenes"));
    assert!(found.len() >= 2);
    found
}

fn scenes(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut scenes: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "aerogputrace")).collect();
    scenes.sort();
    scenes.dedup_by_key(|path| path.file_stem().map(ToOwned::to_owned));
    scenes
}

// A trace whose pictures are known.

const SIDE: u32 = 4;
const COLOR: u32 = 1;
const DEPTH: u32 = 2;
const DEPTH_STENCIL: u32 = 3;
const PACKED: u32 = 5;
const CUBES: u32 = 6;
const COPY: u32 = 7;
const BLOCKS: u32 = 8;
const VERTICES: u32 = 10;

const B8G8R8A8: u32 = 1;
const B5G6R5: u32 = 5;
const D24S8: u32 = 32;
const D32F: u32 = 33;
const BC1: u32 = 64;

/// A comparison of depth that always passes.
const ALWAYS: u32 = 7;

// GL maps depth to -1..1 and back, which this one stands.
const LEFT_DEPTH: f32 = 0.125;
const CLEARED_DEPTH: f32 = 0.7;
const CLEARED_STENCIL: u8 = 200;

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];

/// Packets of these pictures alone.
trait OfPictures {
    fn cleared(&mut self, flags: u32, rgba: [u8; 4]) -> &mut Self;
    fn shown_on(&mut self, scanout_id: u32) -> &mut Self;
}

impl OfPictures for Stream {
    /// Clears what `flags` name, with a stencil of [`CLEARED_STENCIL`].
    fn cleared(&mut self, flags: u32, rgba: [u8; 4]) -> &mut Self {
        let [r, g, b, a] = rgba.map(|channel| f32::from(channel) / 255.0);
        self.put(Clear { flags, r, g, b, a, depth: CLEARED_DEPTH, stencil: u32::from(CLEARED_STENCIL) })
    }

    /// Shows the first target on a screen.
    fn shown_on(&mut self, scanout_id: u32) -> &mut Self {
        self.put(Present { scanout_id, flags: 0 })
    }
}

/// Two triangles that cover the left half, red, at one depth.
fn left_half() -> Vec<u8> {
    let corners = [[-1.0, -1.0], [-1.0, 1.0], [0.0, -1.0], [0.0, -1.0], [-1.0, 1.0], [0.0, 1.0]];
    let vertices = corners.iter().flat_map(|[x, y]| [*x, *y, LEFT_DEPTH, 1.0, 0.0, 0.0, 1.0]);
    vertices.flat_map(f32::to_le_bytes).collect()
}

fn computed_trace() -> Arc<Trace> {
    let mut first = Stream::new();
    let whole = [SIDE, SIDE];
    first
        .texture(COLOR, B8G8R8A8, whole, [1, 1])
        .texture(DEPTH, D32F, whole, [1, 1])
        .texture(DEPTH_STENCIL, D24S8, whole, [1, 1])
        .texture(COPY, B8G8R8A8, whole, [1, 1])
        .texture(PACKED, B5G6R5, [2, 1], [1, 1])
        .texture(CUBES, R8G8B8A8, [2, 2], [2, 2])
        .texture(BLOCKS, BC1, whole, [1, 1])
        .upload(PACKED, 0, &[0x00, 0xf8, 0xe0, 0x07])
        .upload(CUBES, 0, &(0..40).collect::<Vec<u8>>())
        .upload(BLOCKS, 0, &[0x00, 0xf8, 0x00, 0x00, 0, 0, 0, 0])
        .buffer(VERTICES, &left_half())
        .vertex_buffer(0, VERTICES, 28, 0)
        .topology(TRIANGLE_LIST)
        .depth_test(Some(ALWAYS))
        .targets(&[COLOR], DEPTH_STENCIL)
        .cleared(7, BLUE)
        .draw(0, 6)
        .targets(&[COLOR], DEPTH)
        .cleared(3, BLUE)
        .shown_on(0)
        .draw(0, 6)
        .shown_on(0)
        .cleared(1, GREEN)
        .shown_on(2)
        .cleared(1, RED);
    let mut second = Stream::new();
    let of = |texture| Texels { texture, mip: 0, layer: 0, at: [0, 0] };
    second
        .copy_texels(of(COPY), of(COLOR), whole)
        .put(DestroyResource { handle: PACKED, reserved: 0 })
        .targets(&[COPY], 0)
        .shown_on(0);
    let (first, second) = (first.finish(), second.finish());
    Arc::new(opened(recording([&first[..], &second[..]])).unwrap())
}

fn player(gpu: &Arc<Gpu>, trace: &Arc<Trace>) -> Player {
    Player::new(trace.clone(), gpu.clone(), largest_viewport(trace).unwrap_or(DEFAULT_SIZE)).unwrap()
}

fn target(text: &str) -> Shown {
    Shown::Target(text.parse().unwrap())
}

fn screen(scanout: Option<u32>, present: Option<u32>) -> Shown {
    Shown::Screen { scanout, present }
}

fn shown(player: &mut Player, place: impl Into<Place>, shown: Shown) -> Picture {
    player.set_shown(shown);
    player.render(place).unwrap()
}

/// A picture by its columns.
fn columns<const N: usize>(colors: [[u8; 4]; N]) -> Picture {
    let size = Size { width_px: N as u32, height_px: SIDE };
    Picture::new(size, [colors; SIDE as usize].concat().concat()).unwrap()
}

fn each_present_has_its_picture(backend: Backend) {
    let (gpu, trace) = (backend.open_fresh(), computed_trace());
    let all = |color| columns([color; 4]);
    let half = columns([RED, RED, BLUE, BLUE]);
    for (of, expected) in [
        (screen(None, Some(0)), all(BLUE)),
        (screen(None, Some(1)), half.clone()),
        (screen(Some(0), Some(1)), half.clone()),
        (screen(None, None), half.clone()),
        (screen(Some(0), None), half),
        (screen(Some(2), None), all(GREEN)),
        (screen(Some(2), Some(0)), all(GREEN)),
        (target("1"), all(RED)),
    ] {
        assert_eq!(shown(&mut player(&gpu, &trace), 0, of), expected, "{of:?}");
    }
    // What was presented to the other screen stays there.
    assert_eq!(shown(&mut player(&gpu, &trace), 1, screen(Some(2), None)), all(GREEN));
}

/// The history of each pixel ends with its colour, and with who wrote it last: whichever picture it is of.
fn each_picture_is_asked_about(backend: Backend) {
    let mut player = player_of(&backend.open_fresh());
    let screens = [(None, Some(0)), (None, Some(1)), (Some(0), None), (Some(2), Some(0)), (Some(2), None)];
    let screens = screens.map(|(scanout, present)| (0, screen(scanout, present)));
    let later = [(1, screen(None, None)), (1, screen(Some(2), None)), (1, target("7"))];
    let targets = ["1", "5", "6", "6:1", "6:0:1", "6:1:1", "8"].map(|name| (0, target(name)));
    for (frame, of) in screens.into_iter().chain(later).chain(targets) {
        let what = format!("{}{}", backend.name(), of.in_words());
        let picture = shown(&mut player, frame, of);
        let writers = player.map_writers(frame).unwrap();
        assert_eq!(writers.size(), picture.size(), "{what}");
        let Size { width_px, height_px } = picture.size();
        for (x, y) in [(0, 0), (width_px - 1, height_px - 1)] {
            let history = pixel_history(&mut player, FrameIndex(frame), x, y).unwrap();
            assert_eq!(history.end.unwrap().0, picture.pixel(x, y).unwrap(), "{what} {x},{y}: {history:?}");
            assert_eq!(writers.at(x, y), Some(last_writer(&history)), "{what} {x},{y}: {history:?}");
            assert_ne!(writers.at(x, y), Some(Writer::Nothing), "{what} {x},{y}");
        }
        let made = overlay(&mut player, FrameIndex(frame), OverlayKind::Overdraw).unwrap();
        assert_eq!(made.picture.size(), picture.size(), "{what}");
    }
}

fn depth_is_read_to_the_last_bit(backend: Backend) {
    let (gpu, trace) = (backend.open_fresh(), computed_trace());
    let mut player = player(&gpu, &trace);
    let mut depth = |name: &str| {
        player.set_shown(target(name));
        let surface = player.render_surface(0).unwrap();
        assert_eq!(player.render(0).unwrap(), surface.picture(), "the GPU makes the same grey of it");
        match surface {
            Surface::Depth(map) => map,
            Surface::Color(_) => panic!("{name} is depth"),
        }
    };
    let row = [LEFT_DEPTH, LEFT_DEPTH, CLEARED_DEPTH, CLEARED_DEPTH];
    let float = depth("2");
    assert_eq!((float.depth(), float.stencil()), ([row; 4].concat().as_slice(), None));
    let joint = depth("3");
    assert_eq!(joint.stencil(), Some([CLEARED_STENCIL; 16].as_slice()));
    for (found, expected) in joint.depth().iter().zip([row; 4].concat()) {
        // Half a step of 24 bits; some adapters keep more.
        assert!((found - expected).abs() <= 0.5 / 16_777_215.0 + f32::EPSILON / 2.0, "{found}, expected {expected}");
    }
    let grey = shown(&mut player_of(&gpu), 0, target("2"));
    let [left, right] = [32, 179].map(|shade| [shade, shade, shade, 255]);
    assert_eq!(grey, columns([left, left, right, right]));
}

fn player_of(gpu: &Arc<Gpu>) -> Player {
    player(gpu, &computed_trace())
}

fn mips_layers_and_packed_formats_are_shown(backend: Backend) {
    let mut player = player_of(&backend.open_fresh());
    let mut bytes = |name: &str| shown(&mut player, 0, target(name)).rgba().to_vec();
    assert_eq!(bytes("5"), [RED, GREEN].concat());
    // Layer after layer, each with its mips.
    assert_eq!(bytes("6"), (0..16).collect::<Vec<u8>>());
    assert_eq!(bytes("6:1"), [16, 17, 18, 19]);
    assert_eq!(bytes("6:0:1"), (20..36).collect::<Vec<u8>>());
    assert_eq!(bytes("6:1:1"), [36, 37, 38, 39]);
    assert_eq!(bytes("8"), [RED; 16].concat());
}

fn what_is_copied_and_presented_is_the_target(backend: Backend) {
    let (gpu, trace) = (backend.open_fresh(), computed_trace());
    let presented = player(&gpu, &trace).render(1).unwrap();
    assert_eq!(presented, columns([RED; 4]));
    assert_eq!(shown(&mut player(&gpu, &trace), 0, target("1")), presented);
    assert_eq!(shown(&mut player(&gpu, &trace), 1, target("7")), presented);
    // In mid-frame too: the first draw is of the other depth.
    let drawn = columns([RED, RED, BLUE, BLUE]);
    let place = Place::at_draw(FrameIndex(0), 0);
    assert_eq!(shown(&mut player(&gpu, &trace), place, target("1")), drawn);
    let untouched = shown(&mut player(&gpu, &trace), place, target("2"));
    assert_eq!(untouched, columns([[0, 0, 0, 255]; 4]), "nothing was drawn there yet");
}

fn what_there_is_not_is_refused_in_words(backend: Backend) {
    let (gpu, trace) = (backend.open_fresh(), computed_trace());
    let mut player = player(&gpu, &trace);
    let mut refusal = |place: Place, of: Shown| {
        player.set_shown(of);
        let error = player.render(place).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        // Nothing of it is taken for an answer later.
        assert_eq!(player.render(place).unwrap_err().to_string(), error.to_string());
        error.to_string()
    };
    let [first, second] = [0, 1].map(Place::from);
    for (place, of, expected) in [
        (first, screen(None, Some(2)), "present 2 does not exist: frame 0 has 2 presents (0 to 1) to screen 0"),
        (second, screen(Some(2), Some(0)), "present 0 does not exist: frame 1 has no presents to screen 2"),
        (first, screen(Some(1), None), "nothing is presented to screen 1: the trace presents to 0 and 2"),
        (first, target("9"), "frame 0: texture 9 does not exist at this point: there are 1, 2, 3, 5, 6, 7, 8"),
        (first, target("10"), "frame 0: resource 10 is a buffer at this point: expected a texture or a view"),
        (first, target("6:2"), "frame 0: 6:2:0 does not exist at this point: texture 6 has 2 mips and 2 layers"),
        (first, target("6:0:2"), "frame 0: 6:0:2 does not exist at this point: texture 6 has 2 mips and 2 layers"),
        (
            Place::at_draw(FrameIndex(0), 0),
            screen(None, Some(1)),
            "present 1 of frame 0 names a place by itself: expected no draw or packet with it",
        ),
    ] {
        assert_eq!(refusal(place, of), expected);
    }
    let destroyed = refusal(second, target("5"));
    assert!(
        destroyed.starts_with("frame 1: texture 5 does not exist at this point: it was destroyed at 0x"),
        "{destroyed}"
    );
    // Before that it is there, and packets say where that is.
    let before = Place::after_packet(FrameIndex(1), 0);
    assert_eq!(shown(&mut player, before, target("5")).rgba(), [RED, GREEN].concat());
    let old = Arc::new(Trace::open(root().join("fixtures/aerogpu/triangle.aerogputrace")).unwrap());
    for of in [target("1"), screen(Some(0), None), screen(None, Some(0))] {
        let mut player = Player::new(old.clone(), gpu.clone(), DEFAULT_SIZE).unwrap();
        player.set_shown(of);
        let error = player.render(0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert!(error.to_string().starts_with("frame 0 has a single target"), "{error}");
    }
}

/// One player, asked for everything in any order, answers as fresh ones do.
fn a_player_shows_one_after_the_other(backend: Backend) {
    let (gpu, trace) = (backend.open_fresh(), computed_trace());
    let asked: Vec<(u32, Shown)> = [
        Shown::default(),
        screen(None, Some(0)),
        screen(Some(2), None),
        target("1"),
        target("2"),
        target("3"),
        target("6:1:1"),
    ]
    .into_iter()
    .flat_map(|of| [0, 1].map(|frame| (frame, of)))
    .collect();
    let fresh: Vec<Picture> = asked.iter().map(|(frame, of)| shown(&mut player(&gpu, &trace), *frame, *of)).collect();
    let (mut long_lived, mut random) = (player(&gpu, &trace), Random::new(17));
    for _ in 0..100 {
        let which = random.below(asked.len() as u32) as usize;
        let (frame, of) = asked[which];
        assert_eq!(shown(&mut long_lived, frame, of), fresh[which], "{of:?} of frame {frame}");
    }
}

/// The textures that any draw of a trace draws to.
fn drawn_to(trace: &Arc<Trace>, index: &TraceIndex) -> BTreeSet<ResourceName> {
    let mut reader = CommandReader::new(trace.clone());
    let mut names = BTreeSet::new();
    for frame in (0..index.frame_count() as u32).map(FrameIndex) {
        for draw in index.draws_of(frame) {
            for part in index.drawn_to(draw, &mut reader).unwrap() {
                if let DrawnTo::Texture { id, mip, layer, .. } = part {
                    names.insert(ResourceName { handle: id.number(), mip, layer });
                }
            }
        }
    }
    names
}

fn sought_as_played(backend: Backend, path: &Path) {
    let (gpu, trace) = (backend.open_fresh(), Arc::new(Trace::open(path).unwrap()));
    let mut seeking = player(&gpu, &trace);
    let index = seeking.index();
    let names = drawn_to(&trace, &index);
    assert!(!names.is_empty());
    let (mut found, mut random) = (0, Random::new(names.len() as u64));
    for name in names {
        let look = |player: &mut Player, frame: u32| player.render_surface(frame).map_err(|error| error.to_string());
        let mut playing = player(&gpu, &trace);
        playing.set_shown(Shown::Target(name));
        let played: Vec<_> = (0..index.frame_count() as u32).map(|frame| look(&mut playing, frame)).collect();
        found += played.iter().filter(|surface| surface.is_ok()).count();
        seeking.set_shown(Shown::Target(name));
        for _ in 0..played.len() {
            let frame = random.below(played.len() as u32);
            assert_eq!(look(&mut seeking, frame), played[frame as usize], "{name}, frame {frame}");
        }
    }
    assert!(found > 0, "no target was shown");
}

/// The largest viewport of a trace says how large the implicit back buffer is, which a texture stands in for here.
fn a_back_buffer_that_is_not_used_takes_no_memory(backend: Backend) {
    const SIDE: u32 = 16;
    // Of four bytes a pixel: a gigabyte; and more than any device has.
    for viewport_px in [16384.0, 40_000.0] {
        let mut stream = Stream::new();
        stream.texture(1, R8G8B8A8, [SIDE, SIDE], [1, 1]).targets(&[1], 0);
        stream.viewport([0.0, 0.0, viewport_px, viewport_px]).clear(1, [0.0, 1.0, 0.0, 1.0], 1.0).present();
        let stream = stream.finish();
        let trace = Arc::new(opened(recording([&stream[..]])).unwrap());
        let size = largest_viewport(&trace).unwrap();
        assert_eq!(size, Size { width_px: viewport_px as u32, height_px: viewport_px as u32 });
        let gpu = backend.open_fresh();
        // Resets the peak.
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let before_mib = most_resident_mib();
        let picture = Player::new(trace, gpu, size).unwrap().render(FrameIndex(0)).unwrap();
        let taken_mib = most_resident_mib().saturating_sub(before_mib);
        assert_eq!(picture.size(), Size { width_px: SIDE, height_px: SIDE });
        assert!(picture.rgba().as_chunks::<4>().0.iter().all(|texel| *texel == [0, 255, 0, 255]));
        assert!(taken_mib < 256, "{taken_mib} MiB for a viewport of {viewport_px}");
    }
}

/// Peak of this process's memory in MiB, since it was last reset.
fn most_resident_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
}
