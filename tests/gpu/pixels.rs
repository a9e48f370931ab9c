//! Every fixture's pictures: single pixels that the semantics demand. Whole pictures that must not change are the
//! business of `tests/goldens/golden.rs`.
//!
//! Needs software Vulkan.

use std::fs;
use std::sync::Arc;

use crate::gpu::kept::opened;
use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::command::Place;
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};
use support::harness::Trial;
use support::scene::{Scene, rectangle, vertices};
use support::{fixture, fixtures, software};

const BLACK: [u8; 4] = [0, 0, 0, 255];
const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const WHITE: [u8; 4] = [255; 4];

/// Fixture, frame, column, row, and what the format says must be there.
#[rustfmt::skip]
const PIXELS: &[(&str, u32, u32, u32, [u8; 4])] = &[
    ("triangle", 0, 0, 0, RED),
    ("triangle", 0, 63, 63, RED),
    ("interpolated", 0, 0, 0, [64, 128, 191, 128]),
    ("frames", 0, 10, 32, RED),
    ("frames", 0, 50, 32, BLACK),
    ("frames", 1, 10, 32, RED),
    ("frames", 1, 50, 50, GREEN),
    ("frames", 1, 50, 10, BLACK),
    ("frames", 2, 50, 10, BLUE),
    ("frames", 2, 50, 50, GREEN),
    ("frames", 3, 10, 32, [255, 255, 255, 0]),
    ("layouts", 0, 16, 16, RED),
    ("layouts", 0, 48, 16, GREEN),
    ("layouts", 0, 16, 48, [0; 4]),
    ("layouts", 0, 48, 48, BLUE),
    ("clears", 0, 8, 8, RED),
    ("clears", 0, 8, 40, GREEN),
    ("clears", 1, 8, 4, [0, 0, 255, 64]),
    ("clears", 1, 8, 12, GREEN),
    ("clears", 1, 40, 40, [0, 0, 255, 64]),
    ("clears", 2, 8, 12, [255, 0, 128, 255]),
    ("clears", 2, 63, 63, [255, 0, 128, 255]),
    ("upload_between_draws", 0, 16, 16, RED),
    ("upload_between_draws", 0, 16, 48, RED),
    ("upload_between_draws", 0, 48, 16, GREEN),
    ("upload_between_draws", 0, 48, 48, [0, 0, 64, 255]),
    ("redefinition", 0, 16, 16, RED),
    ("redefinition", 0, 48, 16, GREEN),
    ("redefinition", 0, 16, 48, BLUE),
    ("redefinition", 0, 48, 48, WHITE),
    ("viewport", 0, 0, 0, GREEN),
    ("viewport", 0, 31, 15, GREEN),
    ("viewport", 0, 32, 15, RED),
    ("viewport", 0, 31, 16, RED),
    ("viewport", 0, 95, 47, RED),
    ("viewport", 0, 47, 24, BLUE),
    ("viewport", 0, 48, 24, RED),
    ("loose_records", 0, 16, 16, RED),
    ("loose_records", 0, 48, 16, BLACK),
    ("loose_records", 1, 48, 16, GREEN),
    ("loose_records", 2, 48, 16, GREEN),
    ("loose_records", 3, 48, 48, BLUE),
    ("loose_records", 3, 16, 16, RED),
    ("entry_points", 0, 32, 32, BLUE),
    ("entry_points", 0, 2, 2, BLACK),
    ("vertex_index", 0, 60, 1, BLACK),
    ("vertex_index", 0, 8, 31, GREEN),
    ("vertex_index", 0, 20, 50, BLUE),
    ("neutral_resources", 0, 32, 32, [255, 128, 0, 255]),
    ("neutral_resources", 0, 2, 2, BLACK),
    ("glsl_only", 0, 32, 20, RED),
    ("glsl_only", 0, 32, 47, RED),
    ("glsl_only", 0, 32, 48, GREEN),
];

fn player(gpu: Arc<Gpu>, name: &str) -> Player {
    player_of(gpu, fs::read(fixture(name)).unwrap())
}

fn player_of(gpu: Arc<Gpu>, bytes: Vec<u8>) -> Player {
    let trace = opened(bytes).unwrap();
    let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
    Player::new(Arc::new(trace), gpu, size).unwrap()
}

fn names() -> impl Iterator<Item = &'static str> {
    std::iter::once("triangle").chain(fixtures::REPLAYABLE.iter().map(|(name, _)| *name))
}

fn pixels_are_as_the_format_says(gpu: Arc<Gpu>, name: &str) {
    let mut player = player(gpu, name);
    let wanted: Vec<_> = PIXELS.iter().filter(|pixel| pixel.0 == name).collect();
    assert!(!wanted.is_empty(), "no pixel of {name} is checked");
    for (_, frame, x, y, expected) in wanted {
        let picture = player.render(FrameIndex(*frame)).unwrap();
        assert_eq!(picture.pixel(*x, *y), Some(*expected), "{name}, frame {frame}, column {x}, row {y}");
    }
}

fn the_public_triangle_has_its_hash(gpu: Arc<Gpu>) {
    let picture = player(gpu, "triangle").render(FrameIndex(0)).unwrap();
    let expected = "1171a4a562614d26797113802f81afae784773e173235286c4f65e4aa1f43816";
    assert_eq!(picture.hash().to_string(), expected);
}

/// Any order of visits gives the pictures of playing front to back.
fn seeking_is_playing(gpu: Arc<Gpu>, name: &str) {
    let frame_count = player(gpu.clone(), name).trace().frames().len() as u32;
    let played: Vec<_> =
        (0..frame_count).map(|frame| player(gpu.clone(), name).render(FrameIndex(frame)).unwrap().hash()).collect();
    let mut player = player(gpu, name);
    let (forward, backward) = (0..frame_count, (0..frame_count).rev());
    for frame in forward.clone().chain(backward).chain(forward.step_by(2)) {
        let picture = player.render(FrameIndex(frame)).unwrap();
        assert_eq!(picture.hash(), played[frame as usize], "{name}, frame {frame}");
    }
}

/// The prefixes of a frame end in the frame, and each draw of this fixture changes the picture.
fn draws_add_up(gpu: Arc<Gpu>) {
    let mut player = player(gpu, "redefinition");
    let frame = FrameIndex(0);
    let prefixes: Vec<_> = (0..4).map(|draw| player.render(Place::at_draw(frame, draw)).unwrap()).collect();
    assert_eq!(prefixes[0].pixel(16, 16), Some(RED));
    assert_eq!(prefixes[0].pixel(48, 16), Some(BLACK));
    for (earlier, later) in prefixes.iter().zip(&prefixes[1..]) {
        assert_ne!(earlier.hash(), later.hash());
    }
    assert_eq!(player.render(frame).unwrap().hash(), prefixes[3].hash());
    let error = player.render(Place::at_draw(frame, 4)).unwrap_err();
    assert_eq!(error.to_string(), "draw 4 does not exist: frame 0 has 4 draws (0 to 3)");
}

/// A buffer so large that its versions don't fit in one batch: the draws before are submitted, and nothing is lost.
fn large_buffers_change_between_draws(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    scene.packet(Packet::CreateBuffer { buffer_id: 1, size_bytes: 40 << 20, usage: 0 });
    scene.bind(1).clear([0.0, 0.0, 0.0, 1.0]);
    let quarters = [(-1.0, 0.0), (0.0, 0.0), (-1.0, -1.0), (0.0, -1.0)];
    let colors = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [1.0; 4]];
    for ((left, bottom), color) in quarters.into_iter().zip(colors) {
        scene.upload(1, 0, &vertices(&rectangle(left, bottom, left + 1.0, bottom + 1.0), color)).draw(0, 6);
    }
    let picture = player_of(gpu, scene.end_and_finish()).render(FrameIndex(0)).unwrap();
    for ((x, y), expected) in [((16, 16), RED), ((48, 16), GREEN), ((16, 48), BLUE), ((48, 48), WHITE)] {
        assert_eq!(picture.pixel(x, y), Some(expected), "column {x}, row {y}");
    }
}

/// More bytes in one frame than transfers may stage at a time, through one small part of the file at a time.
fn large_uploads_arrive_whole(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    let mut bytes = vec![0; 48 << 20];
    let triangle = vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), [0.0, 1.0, 0.0, 1.0]);
    let last = bytes.len() / 24 * 24 - triangle.len();
    bytes[last..last + triangle.len()].copy_from_slice(&triangle);
    scene.clear([0.0, 0.0, 0.0, 1.0]).buffer(1, &bytes).bind(1).draw(last as u32 / 24, 6);
    let picture = player_of(gpu, scene.end_and_finish()).render(FrameIndex(0)).unwrap();
    assert!(picture.rgba().chunks(4).all(|pixel| pixel == GREEN));
}

/// A test of one fixture.
type FixtureTest = (&'static str, fn(Arc<Gpu>, &str));

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        software::trial("the_public_triangle_has_its_hash", the_public_triangle_has_its_hash),
        software::trial("draws_add_up", draws_add_up),
        software::trial("large_buffers_change_between_draws", large_buffers_change_between_draws),
        software::trial("large_uploads_arrive_whole", large_uploads_arrive_whole),
    ];
    for name in names() {
        let of_each: [FixtureTest; 2] = [
            ("pixels_are_as_the_format_says", pixels_are_as_the_format_says),
            ("seeking_is_playing", seeking_is_playing),
        ];
        let trial = |(test, run): FixtureTest| -> Trial {
            software::trial(format!("{test}::{name}"), move |gpu| run(gpu, name))
        };
        trials.extend(of_each.map(trial));
    }
    trials
}
