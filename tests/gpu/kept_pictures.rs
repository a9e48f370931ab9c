//! Pictures kept on the GPU for the way back, and pictures too large to be read back at once.
//!
//! Bars of whole pixels, each in a colour of its own, so that a row, a column or a picture in the wrong place is seen.

use std::sync::Arc;

use crate::gpu::kept::opened;
use crate::support;
use aerogpu_replay::command::Place;
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::limits::{MAX_PENDING_PICTURE_BYTES, MAX_TARGET_COPIES};
use aerogpu_replay::pixels::Size;
use aerogpu_replay::player::Player;
use support::harness::Trial;
use support::scene::{BLACK, Scene, rectangle, vertices};
use support::software::{BACKENDS, Backend};

fn player(gpu: Arc<Gpu>, bytes: Vec<u8>, size: Size) -> Player {
    let trace = opened(bytes).unwrap();
    Player::new(Arc::new(trace), gpu, size).unwrap()
}

/// The colour of a bar, as bytes.
fn color(frame: u32, bar: u32) -> [u8; 4] {
    [(bar * 3 + 1) as u8, (frame * 16 + 5) as u8, (255 - bar) as u8, 255]
}

fn as_floats(bytes: [u8; 4]) -> [f32; 4] {
    bytes.map(|byte| f32::from(byte) / 255.0)
}

/// Two whole strips, and one of the rest.
fn a_picture_in_strips_is_whole(backend: Backend) {
    const BAR_ROWS: u32 = 64;
    let size = Size { width_px: 4096, height_px: 9 * 1024 };
    let strip_rows = MAX_PENDING_PICTURE_BYTES / (4 * u64::from(size.width_px));
    let strips = u64::from(size.height_px) as f64 / strip_rows as f64;
    assert!(strips > 2.0 && strips.fract() > 0.0, "{strips} strips");
    let bars = size.height_px / BAR_ROWS;
    let edge = |bar: u32| 1.0 - 2.0 * bar as f32 / bars as f32;
    let all = (0..bars)
        .flat_map(|bar| vertices(&rectangle(-1.0, edge(bar + 1), 1.0, edge(bar)), as_floats(color(bar % 7, bar % 80))));
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &all.collect::<Vec<u8>>()).bind(1).clear(BLACK).draw(0, bars * 6);
    let picture = player(backend.open_fresh(), scene.end_and_finish(), size).render(FrameIndex(0));
    let picture = picture.unwrap();
    let row_bytes = size.width_px as usize * 4;
    assert_eq!(picture.rgba().len(), row_bytes * size.height_px as usize);
    for (row, pixels) in (0..).zip(picture.rgba().chunks(row_bytes)) {
        let bar = row / BAR_ROWS;
        let expected = color(bar % 7, bar % 80).repeat(size.width_px as usize);
        assert!(pixels == expected, "row {row}: found {:?}, expected {:?}", &pixels[..4], &expected[..4]);
    }
}

const FRAMES: u32 = 10;
const DRAWS: u32 = 64;

/// After draw `n`, the columns up to `n` have their colours.
fn columns() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    for frame in 0..FRAMES {
        if frame > 0 {
            scene.end().begin();
        }
        let edge = |column: u32| 2.0 * column as f32 / DRAWS as f32 - 1.0;
        let all = (0..DRAWS).flat_map(|draw| {
            vertices(&rectangle(edge(draw), -1.0, edge(draw + 1), 1.0), as_floats(color(frame, draw)))
        });
        scene.buffer(1, &all.collect::<Vec<u8>>()).bind(1).clear(BLACK);
        for draw in 0..DRAWS {
            scene.draw(draw * 6, 6);
        }
    }
    scene.end_and_finish()
}

/// More pictures are kept than there is room for, so that later ones take the places of earlier ones.
fn pictures_take_the_places_of_others(backend: Backend) {
    // Large beside the buffers of all frames.
    let size = Size { width_px: DRAWS, height_px: 4096 };
    let mut player = player(backend.open_fresh(), columns(), size);
    let look = |player: &mut Player, frame: u32, draw: u32| {
        let picture = player.render(Place::at_draw(FrameIndex(frame), draw)).unwrap();
        for column in 0..DRAWS {
            let expected = if column <= draw { color(frame, column) } else { [0, 0, 0, 255] };
            assert_eq!(picture.pixel(column, 2), Some(expected), "frame {frame}, draw {draw}, column {column}");
        }
    };
    let mut most_bytes = 0;
    for round in 0..3 {
        for frame in (0..FRAMES).rev() {
            // To the end, where pictures on the way are kept, and back to what they are for.
            for draw in [DRAWS - 1, 62, 59, 50, 40, 33 - round] {
                look(&mut player, frame, draw);
                most_bytes = most_bytes.max(player.kept_bytes());
            }
        }
    }
    let pictures = most_bytes / size.rgba_bytes();
    assert!(pictures > MAX_TARGET_COPIES, "too few are kept for any to be replaced: {pictures}");
    // The target, those that are kept, and the one on its way back.
    assert!(pictures <= 1 + MAX_TARGET_COPIES + 1, "the GPU holds {pictures} pictures");
}

/// A test of one backend.
type BackendTest = (&'static str, fn(Backend));

pub fn trials() -> Vec<Trial> {
    let tests: [BackendTest; 2] = [
        ("a_picture_in_strips_is_whole", a_picture_in_strips_is_whole),
        ("pictures_take_the_places_of_others", pictures_take_the_places_of_others),
    ];
    let trial = |backend: Backend| {
        tests.map(|(name, test)| backend.trial(format!("{}::{name}", backend.name()), move || test(backend)))
    };
    BACKENDS.into_iter().flat_map(trial).collect()
}
