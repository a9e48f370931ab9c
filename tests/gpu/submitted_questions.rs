//! Questions about draws of submissions: what a frame looks like without some of them, and draw by draw.
//!
//! Most answers have an oracle in the file's bytes: a trace in which a draw draws nothing is one without it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::analysis::{Effect, Origin, OverlayKind, PixelHistory, overlay, pixel_history};
use aerogpu_replay::command::{Place, Point, ResourceName, Shown};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::golden::bisect::{Found, bisect_played};
use aerogpu_replay::golden::film::{Change, film};
use aerogpu_replay::golden::{SearchBudget, blame};
use aerogpu_replay::gpu::{DrawTest, Gpu};
use aerogpu_replay::pixels::{Picture, PictureHash, Tolerance};
use aerogpu_replay::player::{
    AskedPicture, DrawSelection, FaultPolicy, Miss, PixelWriteKind, Player, PlayerError, Variant, Writer,
};
use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};

use crate::gpu::kept::opened;
use crate::support::harness::Trial;
use crate::support::random::Random;
use crate::support::root;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::{R8G8B8A8, Stream, StreamOfTests, Texels, recording};

/// Frames of a scene that are asked about.
const FRAMES: u32 = 4;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for backend in BACKENDS {
        for path in traces() {
            let name = path.file_stem().unwrap().display().to_string();
            let name = |question: &str| format!("{}::{question}::{name}", backend.name());
            let of = |ask: fn(&Asked)| {
                let path = path.clone();
                move || ask(&Asked::open(backend, &path))
            };
            trials.push(backend.trial(name("left_out"), of(leave_draws_out)));
            trials.push(backend.trial(name("film"), of(film_frames)));
            trials.push(backend.trial(name("bisect"), of(bisect_against_left_out)));
            trials.push(backend.trial(name("pixel"), of(follow_pixels)));
            trials.push(backend.trial(name("writers"), of(compare_writers)));
            trials.push(backend.trial(name("overlay"), of(lay_over)));
            trials.push(backend.trial(name("other_pictures"), of(ask_about_other_pictures)));
            if backend != BACKENDS[0] {
                trials.push(backend.trial(name("draws_are_as_on_vulkan"), of(draw_as_on_vulkan)));
            }
        }
        for (about, wanted) in MISSES {
            let path = root().join(format!("fixtures/aerogpu/public/aerogpu_cmd_{about}.aerogputrace"));
            let name = format!("{}::misses::{about}", backend.name());
            trials.push(backend.trial(name, move || look_for_miss(&Asked::open(backend, &path), wanted)));
        }
        let name = format!("{}::a_slice_goes_on_behind_earlier_draws_that_are_refused", backend.name());
        trials.push(backend.trial(name, move || slice_past_refused_draws(backend)));
        let path = root().join("fixtures/aerogpu/public/aerogpu_cmd_triangle.aerogputrace");
        let name = format!("{}::a_draw_is_blamed", backend.name());
        trials.push(backend.trial(name, move || blame_draw(&Asked::open(backend, &path))));
        let path = root().join("fixtures/examples/courtyard.aerogputrace");
        let name = format!("{}::a_closed_shape_shows_one_side", backend.name());
        trials.push(backend.trial(name, move || look_at_sphere(&Asked::open(backend, &path))));
    }
    trials
}

/// A reason by its name.
type NamedMiss = (&'static str, fn(&Miss) -> bool);

/// Subject of each public trace, by the miss at one of its pixels.
const MISSES: [NamedMiss; 2] = [
    ("depth_test", |miss| matches!(miss, Miss::DepthFailed)),
    ("scissor_test", |miss| matches!(miss, Miss::OutsideScissor { .. })),
];

/// Some scenes of each level of difficulty, and public traces.
fn traces() -> Vec<PathBuf> {
    let shared = root().join("../shared/data/a3a0/scenes");
    let levels = ["1-emulator-dialect", "2-real-dxbc", "3-with-d3d9", "4-views"];
    let mut traces = traces_in(&root().join("fixtures/aerogpu/scenes"), usize::MAX);
    // One of them may live with the project.
    let here: BTreeSet<_> = traces.iter().map(|path| path.file_name().map(ToOwned::to_owned)).collect();
    let beside = levels.iter().flat_map(|level| traces_in(&shared.join(level), 2));
    traces.extend(beside.filter(|path| !here.contains(&path.file_name().map(ToOwned::to_owned))));
    let public = ["depth_test", "copy_texture2d", "scissor_test", "indexed_triangle_base_vertex"];
    let public = public.map(|name| root().join(format!("fixtures/aerogpu/public/aerogpu_cmd_{name}.aerogputrace")));
    traces.extend(public);
    traces
}

pub fn traces_in(folder: &Path, most: usize) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut traces: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "aerogputrace")).collect();
    traces.sort();
    traces.truncate(most);
    traces
}

/// A trace that is asked about.
struct Asked {
    gpu: Arc<Gpu>,
    bytes: Vec<u8>,
    trace: Arc<Trace>,
}

impl Asked {
    fn open(backend: Backend, path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        Self { gpu: backend.open_fresh(), trace: trace_of(bytes.clone()), bytes }
    }

    fn player(&self) -> Player {
        self.player_of(&self.trace)
    }

    fn player_of(&self, trace: &Arc<Trace>) -> Player {
        Player::new(trace.clone(), self.gpu.clone(), largest_viewport(trace).unwrap_or(DEFAULT_SIZE)).unwrap()
    }

    fn frames(&self) -> impl Iterator<Item = FrameIndex> {
        (0..(self.trace.frames().len() as u32).min(FRAMES)).map(FrameIndex)
    }

    /// The trace with draws of a frame that draw nothing: their first number says how many vertices or indices there are.
    fn without(&self, player: &mut Player, frame: FrameIndex, draws: &BTreeSet<u32>) -> Arc<Trace> {
        let (index, mut bytes) = (player.index(), self.bytes.clone());
        for (draw, number) in (0..).zip(index.draws_of(frame)) {
            if draws.contains(&draw) {
                let at = index.location(number).unwrap().offset as usize + 8;
                bytes[at..at + 4].fill(0);
            }
        }
        trace_of(bytes)
    }
}

fn trace_of(bytes: Vec<u8>) -> Arc<Trace> {
    Arc::new(opened(bytes).unwrap())
}

/// A frame without draws is that of a trace in which they draw nothing, at its end and behind each of its draws; the player
/// that is asked stands where it stood.
fn leave_draws_out(asked: &Asked) {
    let (mut player, mut random) = (asked.player(), Random::new(7));
    let index = player.index();
    let mut differing = 0;
    for frame in asked.frames() {
        let shown = player.render(frame).unwrap().hash();
        let draw_count = index.draws_of(frame).count() as u32;
        let all = Variant::default();
        assert_eq!(player.render_variant(frame, &all).unwrap().hash(), shown, "{frame}: all draws");
        for round in 0..3 {
            let left_out: BTreeSet<u32> = (0..draw_count).filter(|_| round == 0 || random.below(2) == 0).collect();
            let point = match round {
                0 => Point::End,
                _ if draw_count == 0 => Point::End,
                _ => Point::Draw(random.below(draw_count)),
            };
            let (place, draws) = (Place { frame, point }, DrawSelection::Without(left_out.clone()));
            let variant = player.render_variant(place, &Variant { draws, ..Variant::default() }).unwrap();
            let patched = asked.without(&mut player, frame, &left_out);
            let expected = asked.player_of(&patched).render(place).unwrap();
            assert_eq!(variant.hash(), expected.hash(), "{place:?} without {left_out:?}");
            differing += u32::from(point == Point::End && variant.hash() != shown);
        }
        assert_eq!(player.read_back().unwrap().hash(), shown, "{frame}: the player stands where it stood");
    }
    assert!(differing > 0 || index.draws_of(FrameIndex(0)).count() == 0, "no draw that is left out is missed");
}

/// The picture behind each draw, of the first frames.
fn draw_by_draw(asked: &Asked) -> Vec<Vec<PictureHash>> {
    let mut playing = asked.player();
    let index = playing.index();
    let played = asked.frames().map(|frame| {
        let draws = (0..index.draws_of(frame).count() as u32).collect();
        playing.play_with_draws(frame, &draws).unwrap()
    });
    played.collect()
}

/// A target in the middle of a frame, some mip and layer of a texture, is the same on both.
fn draw_as_on_vulkan(asked: &Asked) {
    let vulkan = Asked { gpu: BACKENDS[0].open_fresh(), bytes: Vec::new(), trace: asked.trace.clone() };
    assert_eq!(draw_by_draw(asked), draw_by_draw(&vulkan));
}

/// Draw by draw, each picture is that which playing shows behind the draw, of the size of what it draws to.
fn film_frames(asked: &Asked) {
    let (mut player, mut playing) = (asked.player(), asked.player());
    for frame in asked.frames() {
        let draw_count = playing.index().draws_of(frame).count() as u32;
        let played = playing.play_with_draws(frame, &(0..draw_count).collect()).unwrap();
        let mut shots: Vec<(PictureHash, Picture)> = Vec::new();
        film(&mut player, frame, |shot| -> Result<(), PlayerError> {
            if let Change::SinceDraw { is_interrupted: false, difference, .. } = &shot.change {
                let before = &shots.last().unwrap().1;
                assert_eq!(before.size(), shot.picture.size());
                assert_eq!(difference.differing > 0, before.hash() != shot.picture.hash());
            }
            shots.push((shot.picture.hash(), shot.picture.clone()));
            Ok(())
        })
        .unwrap();
        assert_eq!(shots.into_iter().map(|(hash, _)| hash).collect::<Vec<_>>(), played, "{frame}");
    }
}

/// A pixel of the picture, at random.
fn some_pixel(picture: &Picture, random: &mut Random) -> [u32; 2] {
    let size = picture.size();
    [random.below(size.width_px), random.below(size.height_px)]
}

/// The history of a pixel ends with the colour that the picture has there, behind every draw and at the frame's end.
fn follow_pixels(asked: &Asked) {
    let (mut player, mut random) = (asked.player(), Random::new(3));
    let index = player.index();
    let mut wrote = 0;
    for frame in asked.frames().take(2) {
        let draws = (0..index.draws_of(frame).count() as u32).map(Point::Draw);
        for point in draws.chain([Point::End]) {
            let place = Place { frame, point };
            let picture = player.render(place).unwrap();
            for _ in 0..2 {
                let [x, y] = some_pixel(&picture, &mut random);
                let history = pixel_history(&mut player, place, x, y).unwrap();
                let (end, expected) = (history.end.unwrap().0, picture.pixel(x, y).unwrap());
                assert_eq!(end, expected, "{place:?} {x},{y}: {history:?}");
                assert_eq!(history.error, None);
                wrote += history.writers().count();
            }
            assert_eq!(
                player.read_back().unwrap().hash(),
                picture.hash(),
                "{place:?}: the player stands where it stood"
            );
        }
        let size = player.render(frame).unwrap().size();
        assert!(
            pixel_history(&mut player, frame, size.width_px, 0).unwrap_err().to_string().contains("does not exist")
        );
    }
    assert!(wrote > 0);
}

/// Who wrote a pixel last, and how often draws did, agree with the history of the pixel.
fn compare_writers(asked: &Asked) {
    let (mut player, mut random) = (asked.player(), Random::new(5));
    for frame in asked.frames().take(2) {
        let picture = player.render(frame).unwrap();
        let writers = player.map_writers(frame).unwrap();
        let counts = player.count_writes(frame, &DrawSelection::All).unwrap();
        assert_eq!((writers.size(), counts.size()), (picture.size(), picture.size()));
        for _ in 0..6 {
            let [x, y] = some_pixel(&picture, &mut random);
            let history = pixel_history(&mut player, frame, x, y).unwrap();
            assert_eq!(writers.at(x, y), Some(last_writer(&history)), "{frame} {x},{y}: {history:?}");
            let draws: Vec<u32> = history.writers().filter_map(|event| draw_of(event.kind)).collect();
            let count = counts.at(x, y).unwrap() as usize;
            assert!(count >= draws.len() && (count > 0) != draws.is_empty(), "{frame} {x},{y}: {count} and {draws:?}");
            for draw in draws {
                let (place, of_draw) = (Place::end_of(frame), AskedPicture::Shown);
                let mask = player.mask_draws_of(place, of_draw, &DrawSelection::one(draw)).unwrap();
                assert_eq!(mask.at(x, y), Some(true), "{frame} {x},{y}: draw {draw}");
            }
            let drawn = history.events.iter().filter_map(|event| Some((draw_of(event.kind)?, &event.effect)));
            for (draw, effect) in drawn {
                let tests = player.map_tests_of(Place::end_of(frame), AskedPicture::Shown, draw).unwrap();
                let expected = last_test(effect);
                assert_eq!(tests.at(x, y), Some(expected), "{frame} {x},{y}: draw {draw}: {effect:?}");
                let sides = player.map_sides_of(Place::end_of(frame), AskedPicture::Shown, draw).unwrap();
                let is_seen = expected == Some(DrawTest::Depth);
                assert!(!is_seen || sides.at(x, y).unwrap().is_some(), "{frame} {x},{y}: draw {draw} shows a side");
            }
        }
    }
}

/// The last test that a pixel of a draw passes, by what its history says.
fn last_test(effect: &Effect) -> Option<DrawTest> {
    let Effect::Missed(miss) = effect else { return Some(DrawTest::Depth) };
    match miss {
        Miss::DepthFailed => Some(DrawTest::Stencil),
        Miss::StencilFailed => Some(DrawTest::Discard),
        Miss::Discarded | Miss::AlphaTestFailed => Some(DrawTest::Culling),
        Miss::Culled => Some(DrawTest::Coverage),
        _ => None,
    }
}

/// Every present of the frame, and textures that need not be presented.
fn other_pictures(player: &mut Player, frame: FrameIndex) -> Vec<Shown> {
    let index = player.index();
    let presents = index.scanouts().iter().flat_map(|scanout| {
        let presents = index.presents_of(frame, *scanout).unwrap().len() as u32;
        (0..presents).map(|present| Shown::Screen { scanout: Some(*scanout), present: Some(present) })
    });
    let names =
        (1..48).flat_map(|handle| [(0, 0), (1, 0), (0, 1)].map(|(mip, layer)| ResourceName { handle, mip, layer }));
    let mut exists = |name: &ResourceName| {
        player.set_shown(Shown::Target(*name));
        match player.seek(frame) {
            Ok(()) => true,
            Err(PlayerError::NoTarget { .. }) => false,
            Err(error) => panic!("{name}: {error}"),
        }
    };
    let targets: Vec<Shown> = names.filter(|name| exists(name)).take(12).map(Shown::Target).collect();
    presents.chain(targets).collect()
}

/// Whichever picture of a frame is asked about: the history of a pixel ends with its colour, who wrote it last is who the
/// history ends with, and without draws it is as in a trace in which they draw nothing.
fn ask_about_other_pictures(asked: &Asked) {
    let (mut player, mut random) = (asked.player(), Random::new(13));
    let (mut colored, mut refused) = (0, 0);
    for frame in asked.frames().take(2) {
        for shown in other_pictures(&mut player, frame) {
            player.set_shown(shown);
            let picture = player.render(frame).unwrap();
            let what = format!("{frame}{}", shown.in_words());
            let draw_count = player.index().draws_of(frame).count() as u32;
            let left_out: BTreeSet<u32> = (0..draw_count).filter(|_| random.below(2) == 0).collect();
            let draws = DrawSelection::Without(left_out.clone());
            let variant = player.render_variant(frame, &Variant { draws, ..Variant::default() }).unwrap();
            let mut patched = asked.player_of(&asked.without(&mut player, frame, &left_out));
            patched.set_shown(shown);
            assert_eq!(variant.hash(), patched.render(frame).unwrap().hash(), "{what} without {left_out:?}");
            let writers = match player.map_writers(frame) {
                Err(PlayerError::NotOfColor { format, .. }) => {
                    assert!(format.to_string().contains('D'), "{what}: {format}");
                    refused += 1;
                    continue;
                }
                writers => writers.unwrap(),
            };
            assert_eq!(writers.size(), picture.size(), "{what}");
            for _ in 0..3 {
                let [x, y] = some_pixel(&picture, &mut random);
                let history = pixel_history(&mut player, frame, x, y).unwrap();
                assert_eq!(history.end.unwrap().0, picture.pixel(x, y).unwrap(), "{what} {x},{y}: {history:?}");
                assert_eq!(history.error, None);
                assert_eq!(writers.at(x, y), Some(last_writer(&history)), "{what} {x},{y}: {history:?}");
            }
            let made = overlay(&mut player, frame, OverlayKind::Age).unwrap();
            let pixels: u64 = made.legend.iter().map(|entry| entry.pixels).sum();
            assert_eq!((made.picture.size(), pixels), (picture.size(), picture.size().pixels()), "{what}");
            assert_eq!(player.read_back().unwrap().hash(), picture.hash(), "{what}: the player stands where it stood");
            colored += 1;
        }
    }
    assert!(colored > 0 && colored + refused > 1, "{colored} {refused}");
}

pub fn last_writer(history: &PixelHistory) -> Writer {
    let of_origin = match history.origin {
        Origin::Command { number, .. } => Writer::Command(number),
        _ => Writer::Nothing,
    };
    history.writers().next_back().map_or(of_origin, |event| Writer::Command(event.number))
}

fn draw_of(kind: PixelWriteKind) -> Option<u32> {
    match kind {
        PixelWriteKind::Draw(draw) => Some(draw),
        _ => None,
    }
}

/// Every overlay is of the size of its picture and says of each of its pixels what it is; the player stands where it stood.
fn lay_over(asked: &Asked) {
    let mut player = asked.player();
    let index = player.index();
    for frame in asked.frames().take(2) {
        let shown = player.render(frame).unwrap();
        for kind in [OverlayKind::Overdraw, OverlayKind::Age, OverlayKind::Wireframe { draw: None }] {
            let made = overlay(&mut player, frame, kind).unwrap();
            assert_eq!(made.picture.size(), shown.size(), "{frame} {kind:?}");
            let pixels: u64 = made.legend.iter().map(|entry| entry.pixels).sum();
            assert!(pixels <= shown.size().pixels(), "{frame} {kind:?}");
            assert!(kind != OverlayKind::Age || pixels == shown.size().pixels(), "{frame}: every pixel has an age");
        }
        for draw in 0..index.draws_of(frame).count().min(3) as u32 {
            let made = overlay(&mut player, frame, OverlayKind::Highlight { draw }).unwrap();
            let edges = overlay(&mut player, frame, OverlayKind::Wireframe { draw: Some(draw) }).unwrap();
            let tests = overlay(&mut player, frame, OverlayKind::Tests { draw }).unwrap();
            let sides = overlay(&mut player, frame, OverlayKind::Sides { draw }).unwrap();
            let target = player.render(Place::at_draw(frame, draw)).unwrap().size();
            assert_eq!((made.picture.size(), edges.picture.size()), (target, target), "{frame}, draw {draw}");
            let written: u64 = made.legend.iter().map(|entry| entry.pixels).sum();
            let passed = tests.legend.iter().find(|entry| entry.meaning.starts_with("written by"));
            assert_eq!(passed.map_or(0, |entry| entry.pixels), written, "{frame}, draw {draw}: {:?}", tests.legend);
            let seen: u64 = sides.legend.iter().map(|entry| entry.pixels).sum();
            assert!(seen >= written, "{frame}, draw {draw}: {seen} of {written}");
        }
        assert_eq!(player.render(frame).unwrap().hash(), shown.hash(), "{frame}");
    }
}

/// Some pixel is left alone by a draw for the reason that the trace is about.
fn look_for_miss(asked: &Asked, wanted: fn(&Miss) -> bool) {
    let mut player = asked.player();
    let size = player.render(FrameIndex(0)).unwrap().size();
    let pixels = (0..8).flat_map(|row| (0..8).map(move |column| [column, row]));
    let found = pixels.into_iter().any(|[column, row]| {
        let (x, y) = ((2 * column + 1) * size.width_px / 16, (2 * row + 1) * size.height_px / 16);
        let history = pixel_history(&mut player, FrameIndex(0), x, y).unwrap();
        history.events.iter().any(|event| matches!(&event.effect, Effect::Missed(miss) if wanted(miss)))
    });
    assert!(found);
}

/// The lamp's sphere has as many triangles behind as before, and shows those before alone.
fn look_at_sphere(asked: &Asked) {
    let (mut player, frame, draw) = (asked.player(), FrameIndex(42), 10);
    let [tests, sides] = [OverlayKind::Tests { draw }, OverlayKind::Sides { draw }]
        .map(|kind| overlay(&mut player, frame, kind).unwrap().legend);
    let ([tests], [sides]) = (&tests[..], &sides[..]) else { panic!("{tests:?} {sides:?}") };
    assert_eq!(tests.meaning, "written by draw 10");
    assert_eq!((sides.meaning.as_str(), sides.pixels), ("draw 10 shows its front", tests.pixels));
    assert!(sides.pixels > 100, "{sides:?}");
}

/// Where a picture without a draw is expected, the draw is to blame.
fn blame_draw(asked: &Asked) {
    let mut player = asked.player();
    let frame = FrameIndex(0);
    let patched = asked.without(&mut player, frame, &BTreeSet::from([0]));
    let (expected, found) = (asked.player_of(&patched).render(frame).unwrap(), player.render(frame).unwrap());
    let blamed = blame(&mut player, frame, &expected, &found, SearchBudget::UNLIMITED).unwrap().unwrap();
    assert_eq!(blamed.draw().map(|draw| draw.draw), Some(0), "{blamed}");
    let differing = found.rgba().as_chunks::<4>().0.iter().zip(expected.rgba().as_chunks::<4>().0);
    let differing = differing.filter(|(found, expected)| found != expected).count() as u64;
    assert_eq!((blamed.pixels, blamed.differing), (differing, differing));
}

/// Between a trace and the same without a draw, what is found is a draw behind which the pictures differ and before which they
/// do not; nothing is found only where they end alike.
fn bisect_against_left_out(asked: &Asked) {
    let (mut player, mut random) = (asked.player(), Random::new(11));
    let index = player.index();
    let mut found_draws = 0;
    // Some draws change nothing.
    for frame in asked.frames().flat_map(|frame| [frame; 3]) {
        if found_draws == 2 {
            break;
        }
        let draw_count = index.draws_of(frame).count() as u32;
        let whole = behind_draws(&mut player, frame, draw_count);
        if draw_count > 0 {
            let left_out = random.below(draw_count);
            let patched = asked.without(&mut player, frame, &BTreeSet::from([left_out]));
            let mut other = asked.player_of(&patched);
            let without = behind_draws(&mut other, frame, draw_count);
            match bisect_played(&mut player, &mut other, [frame; 2], Tolerance::EXACT).unwrap() {
                Found::Same { .. } => assert_eq!(whole.last(), without.last(), "{frame} without draw {left_out}"),
                Found::Draw(first) => {
                    let draw = first.draw.draw as usize;
                    assert!(draw >= left_out as usize, "{frame} without draw {left_out}: draw {draw}");
                    assert_ne!(whole[draw], without[draw], "{frame} without draw {left_out}: draw {draw}");
                    assert_eq!(whole[..draw].last(), without[..draw].last(), "{frame} without draw {left_out}");
                    assert!(!first.previous_frame_differs);
                    found_draws += 1;
                }
                found => panic!("{frame} without draw {left_out}: {found:?}"),
            }
        }
    }
    assert!(found_draws > 0 || index.draws_of(FrameIndex(0)).count() == 0, "no draw that is left out is found");
}

/// The picture behind each draw of a frame.
fn behind_draws(player: &mut Player, frame: FrameIndex, draw_count: u32) -> Vec<PictureHash> {
    (0..draw_count).map(|draw| player.render(Place::at_draw(frame, draw)).unwrap().hash()).collect()
}

const GREEN: [u8; 4] = [0, 255, 0, 255];
const RED: [u8; 4] = [255, 0, 0, 255];

/// D3D11_PRIMITIVE_TOPOLOGY_LINELIST_ADJ, which no GPU takes without a geometry stage.
const LINE_LIST_ADJACENCY: u32 = 10;

/// Three frames of 8 × 8 pixels: green, then red in the left half, then nothing new. The first two draw lines with
/// neighbours before they go on.
fn trace_with_refused_draws() -> Arc<Trace> {
    let [shown, red] = [2, 3];
    let mut first = Stream::new();
    first.texture(shown, R8G8B8A8, [8, 8], [1, 1]).texture(red, R8G8B8A8, [8, 8], [1, 1]);
    first.targets(&[red], 0).clear(1, [1.0, 0.0, 0.0, 1.0], 1.0);
    first.targets(&[shown], 0).clear(1, [0.0, 1.0, 0.0, 1.0], 1.0).viewport([0.0, 0.0, 8.0, 8.0]);
    first.empty_buffer(1, 96).vertex_buffer(0, 1, 24, 0).topology(LINE_LIST_ADJACENCY).draw(0, 4).present();
    let mut second = Stream::new();
    let at = |texture| Texels { texture, mip: 0, layer: 0, at: [0, 0] };
    second.draw(0, 4).copy_texels(at(shown), at(red), [4, 8]).present();
    let mut third = Stream::new();
    third.present();
    let frames = [first, second, third].map(Stream::finish);
    trace_of(recording(frames.iter().map(Vec::as_slice)))
}

/// Commands before a frame are gone through as when it is played: behind each draw that is refused, which is told once.
fn slice_past_refused_draws(backend: Backend) {
    let (gpu, trace) = (backend.open_fresh(), trace_with_refused_draws());
    let player = || Player::new(trace.clone(), gpu.clone(), DEFAULT_SIZE).unwrap();
    let last = FrameIndex(2);
    let refused = player().render(last).unwrap_err();
    assert!(refused.to_string().contains("LINELIST_ADJ"), "{refused}");
    let going_on = || {
        let mut player = player();
        player.set_fault_policy(FaultPolicy::KeepGoing);
        player
    };
    let told = |player: &mut Player| {
        let faults = player.take_faults();
        assert_eq!(faults.dropped, 0);
        faults.errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let (mut playing, mut seeking) = (going_on(), going_on());
    for frame in 0..=last.0 {
        playing.play_with_draws(FrameIndex(frame), &BTreeSet::new()).unwrap();
    }
    let picture = seeking.render(last).unwrap();
    for (pixel, found) in (0..).zip(picture.rgba().as_chunks::<4>().0) {
        assert_eq!(*found, if pixel % 8 < 4 { RED } else { GREEN }, "pixel {pixel}");
    }
    assert_eq!(playing.read_back().unwrap().hash(), picture.hash());
    let told_of_slice = told(&mut seeking);
    assert_eq!(told_of_slice.len(), 2, "{told_of_slice:?}");
    assert_eq!(told_of_slice[0], refused.to_string());
    assert_eq!(told_of_slice, told(&mut playing));
}
