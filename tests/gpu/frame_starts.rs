//! Pixels at the start of a frame: as in the trace played from its first command, and from the command that wrote them last,
//! also where the frame clears what it shows, so that nothing of its picture depends on what was there before.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::analysis::{Effect, Origin, PixelHistory, pixel_history};
use aerogpu_replay::command::{Place, Point, ResourceName, Shown};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::golden::film::{Change, film};
use aerogpu_replay::pixels::Picture;
use aerogpu_replay::player::{PixelWriteKind, Player, PlayerError, TexturePart, Writer};
use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};

use crate::gpu::kept::opened;
use crate::gpu::random_streams::generated_file;
use crate::support::clearing_frames::{BLUE, COLOR, GREEN, RED, cleared, clearing_frames, target_and_left_half};
use crate::support::harness::Trial;
use crate::support::random::Random;
use crate::support::root;
use crate::support::scene::{BLUE as BLUE_FLOATS, RED as RED_FLOATS, Scene, rectangle, vertices};
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::{Stream, StreamOfTests, recording};

/// Frames of a trace that are asked about.
const FRAMES: u32 = 4;
/// Parts of textures of a frame that are asked about.
const PARTS: usize = 3;
/// Random submissions on each backend.
const SEEDS: u64 = 6;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for backend in BACKENDS {
        let named = |name: &str| format!("{}::{name}", backend.name());
        for path in traces(backend) {
            let folder = path.parent().and_then(Path::file_name).unwrap().display();
            let name = named(&format!("as_played::{folder}/{}", path.file_stem().unwrap().display()));
            trials.push(backend.trial(name, move || {
                start_as_played(backend, &Arc::new(Trace::open(&path).unwrap()), &[Shown::default()]);
            }));
        }
        for seed in 0..SEEDS {
            let name = named(&format!("as_played::random_stream_{seed}"));
            // They present what has lost its handle to another texture.
            trials.push(backend.trial(name, move || start_as_played(backend, &trace_of(generated_file(seed)), &[])));
        }
        type NamedCheck = (&'static str, fn(Backend));
        let checks: [NamedCheck; 3] = [
            ("a_clear_follows_what_the_last_frame_left", a_clear_follows_what_the_last_frame_left),
            ("a_clear_of_appendix_a_follows_the_last_frame", a_clear_of_appendix_a_follows_the_last_frame),
            ("what_cannot_be_drawn_is_unknown_before_a_clear", what_cannot_be_drawn_is_unknown_before_a_clear),
        ];
        trials.extend(checks.map(|(name, check)| backend.trial(named(name), move || check(backend))));
    }
    trials
}

/// All traces of more than one frame that lie with the project, and some of those beside the checkout; a sample of them on GL.
fn traces(backend: Backend) -> Vec<PathBuf> {
    let of_folder = |folder: &str| {
        let mut traces = Vec::new();
        add_traces(&root().join(folder), &mut traces);
        traces.sort();
        traces.retain(|path| Trace::open(path).is_ok_and(|trace| trace.frames().len() > 1));
        traces
    };
    let mut traces = of_folder("fixtures/aerogpu");
    traces.extend(of_folder("fixtures/d3d/driver_scenes"));
    assert!(traces.len() > 20, "{} traces are no test", traces.len());
    traces.extend(of_folder("../shared/data/a3a0/scenes").into_iter().step_by(4));
    match backend {
        Backend::Vulkan => traces,
        _ => traces.into_iter().step_by(5).collect(),
    }
}

fn add_traces(folder: &Path, traces: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        match path.extension() {
            _ if path.is_dir() => add_traces(&path, traces),
            Some(end) if end == "aerogputrace" => traces.push(path),
            _ => {}
        }
    }
}

fn trace_of(bytes: Vec<u8>) -> Arc<Trace> {
    Arc::new(opened(bytes).unwrap())
}

fn player(backend: Backend, trace: &Arc<Trace>) -> Player {
    let size = largest_viewport(trace).unwrap_or(DEFAULT_SIZE);
    Player::new(trace.clone(), backend.open_fresh(), size).unwrap()
}

fn start_of(frame: u32) -> Place {
    Place { frame: FrameIndex(frame), point: Point::Start }
}

/// The first colour of a pixel's history is the one at the frame's start, which is the one that playing has left there.
fn start_as_played(backend: Backend, trace: &Arc<Trace>, screens: &[Shown]) {
    let (mut asked, mut sought, mut played) = (player(backend, trace), player(backend, trace), player(backend, trace));
    let (mut random, mut compared) = (Random::new(31), 0);
    let frames = (trace.frames().len() as u32).min(FRAMES);
    for frame in 1..frames {
        for shown in pictures(&mut sought, frame, screens) {
            compared +=
                u32::from(picture_starts_as_played(&mut asked, &mut sought, &mut played, frame, shown, &mut random));
        }
    }
    let is_refused = asked.render(FrameIndex(frames - 1)).is_err();
    assert!(compared > 0 || is_refused, "no pixel was compared");
}

/// Pictures of a frame on `screens`, and parts of textures that are there at its end.
fn pictures(player: &mut Player, frame: u32, screens: &[Shown]) -> Vec<Shown> {
    if player.index().first_submission().is_none() {
        return vec![Shown::default()];
    }
    let names =
        (1..300).flat_map(|handle| [(0, 0), (1, 0), (0, 1)].map(|(mip, layer)| ResourceName { handle, mip, layer }));
    let exists = |name: &ResourceName| {
        player.set_shown(Shown::Target(*name));
        player.seek(FrameIndex(frame)).is_ok()
    };
    let targets: Vec<_> = names.filter(exists).take(PARTS).map(Shown::Target).collect();
    screens.iter().copied().chain(targets).collect()
}

/// Compares pixels of a picture at a frame's start; says whether there were any to compare.
fn picture_starts_as_played(
    asked: &mut Player,
    sought: &mut Player,
    played: &mut Player,
    frame: u32,
    shown: Shown,
    random: &mut Random,
) -> bool {
    asked.set_shown(shown);
    let what = format!("frame {frame}{}", shown.in_words());
    let Ok(end) = asked.render(FrameIndex(frame)) else { return false };
    let mut any = false;
    let pixels = if matches!(shown, Shown::Target(_)) { 1 } else { 3 };
    for _ in 0..pixels {
        let size = end.size();
        let [x, y] = [random.below(size.width_px), random.below(size.height_px)];
        let history = match pixel_history(asked, FrameIndex(frame), x, y) {
            Err(PlayerError::NotOfColor { .. }) => {
                assert!(start_is_as_played(sought, played, frame, shown), "{what}: depth");
                return true;
            }
            history => history.unwrap(),
        };
        assert_eq!(history.end.unwrap().0, end.pixel(x, y).unwrap(), "{what} {x},{y}: {history:?}");
        if let Origin::Created { at } = history.origin {
            assert_eq!(at.frame, FrameIndex(frame), "{what}: {history:?}");
            continue;
        }
        let is_of_back_buffer = history.part.is_none() && asked.index().first_submission().is_some();
        if is_of_back_buffer {
            // No name shows it at the start.
            continue;
        }
        // A screen shows another texture at the start than the one that the frame presents.
        let followed = history.part.map(|part| Shown::Target(name_of(part)));
        sought.set_shown(followed.unwrap_or(shown));
        let start = match sought.render(start_of(frame)) {
            Ok(picture) => picture.pixel(x, y).unwrap(),
            // Its handle is another's by now, or it has none.
            Err(PlayerError::NoTarget { .. }) if followed != Some(shown) => continue,
            Err(error) => panic!("{what}: {error}"),
        };
        let left = left_by_playing(played, frame, followed.unwrap_or(shown)).pixel(x, y).unwrap();
        assert_eq!((history.start.unwrap().0, start), (left, left), "{what} {x},{y}: {history:?}");
        origin_is_the_last_writer(sought, frame, &history, &what);
        any = true;
    }
    any
}

fn name_of(TexturePart { texture, mip, layer }: TexturePart) -> ResourceName {
    ResourceName { handle: texture.number(), mip, layer }
}

/// Contents of a picture after playing every frame before one.
fn left_by_playing(played: &mut Player, frame: u32, shown: Shown) -> Picture {
    played.set_shown(Shown::default());
    for earlier in 0..frame {
        played.render(FrameIndex(earlier)).unwrap();
    }
    played.set_shown(shown);
    played.render(FrameIndex(frame - 1)).unwrap()
}

fn start_is_as_played(sought: &mut Player, played: &mut Player, frame: u32, shown: Shown) -> bool {
    [&mut *sought, &mut *played].into_iter().for_each(|player| player.set_shown(shown));
    match (sought.render_surface(start_of(frame)), played.render_surface(FrameIndex(frame - 1))) {
        (Ok(start), Ok(left)) => start == left,
        (Err(PlayerError::NoTarget { .. }), Err(PlayerError::NoTarget { .. })) => true,
        _ => false,
    }
}

/// The command that a history names wrote the pixel last before the frame, and left the colour that the frame begins with.
fn origin_is_the_last_writer(player: &mut Player, frame: u32, history: &PixelHistory, what: &str) {
    let PixelHistory { x_px, y_px, start, .. } = *history;
    let last = player.map_writers(FrameIndex(frame - 1)).unwrap().at(x_px, y_px).unwrap();
    match history.origin {
        Origin::Command { number, at, .. } => {
            assert_eq!(last, Writer::Command(number), "{what}: {history:?}");
            let then = pixel_history(player, Place::after_packet(at.frame, at.packet), x_px, y_px).unwrap();
            assert_eq!((then.end, then.events.last().unwrap().number), (start, number), "{what}: {then:?}");
        }
        Origin::Nothing => assert_eq!(last, Writer::Nothing, "{what}: {history:?}"),
        Origin::Created { .. } | Origin::Unknown { .. } => panic!("{what}: {history:?}"),
    }
}

/// A writer before a frame: its frame, and of a draw its number.
type EarlierWriter = Option<(u32, Option<u32>)>;

fn writer_of(origin: &Origin) -> EarlierWriter {
    match origin {
        Origin::Command { at, kind: PixelWriteKind::Draw(draw), .. } => Some((at.frame.0, Some(*draw))),
        Origin::Command { at, kind: PixelWriteKind::Clear, .. } => Some((at.frame.0, None)),
        _ => None,
    }
}

fn a_clear_follows_what_the_last_frame_left(backend: Backend) {
    let trace = trace_of(clearing_frames());
    let mut player = player(backend, &trace);
    for of in [Shown::default(), Shown::Target(ResourceName::of(COLOR))] {
        player.set_shown(of);
        for (frame, x, start, writer) in [
            (1, 0, BLUE, Some((0, None))),
            (1, 3, BLUE, Some((0, None))),
            (2, 0, RED, Some((1, Some(0)))),
            (2, 3, GREEN, Some((1, None))),
        ] {
            let history = pixel_history(&mut player, FrameIndex(frame), x, 1).unwrap();
            assert_eq!(history.start.unwrap().0, start, "{frame} {x}: {history:?}");
            assert_eq!(writer_of(&history.origin), writer, "{frame} {x}: {history:?}");
            assert_eq!(history.part.map(name_of), Some(ResourceName::of(COLOR)));
            let Effect::Wrote { before, .. } = history.events[0].effect else { panic!("{history:?}") };
            assert_eq!(before.unwrap().0, start, "what the CLEAR takes the place of: {history:?}");
        }
        for frame in [0, 3] {
            let history = pixel_history(&mut player, FrameIndex(frame), 0, 0).unwrap();
            assert!(matches!(history.origin, Origin::Created { at } if at.frame.0 == frame), "{history:?}");
            assert_eq!(history.start.unwrap().0, [0; 4]);
        }
        // From all blue to half red and half green.
        assert_eq!(changed_by_first_draw(&mut player, 1), Some(16));
        // At the start of a frame, its history is nothing but what it begins with.
        let history = pixel_history(&mut player, start_of(2), 0, 1).unwrap();
        assert_eq!((history.start.unwrap().0, history.end.unwrap().0, history.events.len()), (RED, RED, 0));
    }
}

/// The pixels that the first draw of a film has changed since its frame's start.
fn changed_by_first_draw(player: &mut Player, frame: u32) -> Option<u64> {
    let mut changed = None;
    film(player, FrameIndex(frame), |shot| -> Result<(), PlayerError> {
        match &shot.change {
            Change::SinceStart(difference) => changed = Some(difference.differing),
            other => panic!("{other:?}"),
        }
        Ok(())
    })
    .unwrap();
    changed
}

fn a_clear_of_appendix_a_follows_the_last_frame(backend: Backend) {
    let mut scene = Scene::with_pipeline();
    scene
        .buffer(1, &vertices(&rectangle(-1.0, -1.0, 0.0, 1.0), RED_FLOATS))
        .bind(1)
        .clear(BLUE_FLOATS)
        .draw(0, 6)
        .end();
    scene.begin().clear(BLUE_FLOATS).draw(0, 3).end();
    let trace = trace_of(scene.finish());
    let mut player = player(backend, &trace);
    for (x, start, writer) in [(0, RED, (0, Some(0))), (63, BLUE, (0, None))] {
        let history = pixel_history(&mut player, FrameIndex(1), x, 9).unwrap();
        assert_eq!((history.start.unwrap().0, writer_of(&history.origin)), (start, Some(writer)), "{history:?}");
        assert_eq!(history.part, None);
    }
    // One triangle of two is missing after the first draw.
    let changed = changed_by_first_draw(&mut player, 1).unwrap();
    assert!((900..1100).contains(&changed), "{changed} of 2048 are half of the half");
}

/// An earlier draw that no GPU carries out hides what was there before a CLEAR, and nothing else.
fn what_cannot_be_drawn_is_unknown_before_a_clear(backend: Backend) {
    let (mut first, mut second) = (Stream::new(), Stream::new());
    target_and_left_half(&mut first).draw(0, 3_000_000_000).present();
    cleared(&mut second, GREEN).draw(0, 6).present();
    let frames = [first, second].map(Stream::finish);
    let mut player = player(backend, &trace_of(recording(frames.iter().map(Vec::as_slice))));
    assert!(player.render(FrameIndex(0)).is_err());
    let history = pixel_history(&mut player, FrameIndex(1), 0, 0).unwrap();
    assert_eq!((history.start, history.end.unwrap().0, history.writers().count()), (None, RED, 2));
    assert_eq!(history.error, None);
    assert!(matches!(&history.origin, Origin::Unknown { error } if error.contains("3000000000")), "{history:?}");
}
