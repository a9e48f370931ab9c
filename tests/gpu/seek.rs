//! Any order of visits to any frames and draws gives the pictures of playing front to back, on random traces.
//!
//! `tests/no_gpu/slices.rs` shows that the right commands are carried out, on thousands of traces; this shows that what
//! stays on the GPU between visits is what it has to be.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::gpu::kept::opened;
use crate::support;
use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{PictureHash, Size};
use aerogpu_replay::player::Player;
use support::harness::Trial;
use support::random::{Random, SIDE_PX, random_trace};
use support::scene::{BLACK, BLUE, GREEN, Scene, rectangle, vertices};
use support::software;

const TRACES: u64 = 60;
const VISITS: u32 = 40;

fn open(bytes: Vec<u8>) -> Arc<Trace> {
    Arc::new(opened(bytes).unwrap())
}

fn player(gpu: &Arc<Gpu>, trace: &Arc<Trace>) -> Player {
    Player::new(trace.clone(), gpu.clone(), Size { width_px: SIDE_PX, height_px: SIDE_PX }).unwrap()
}

/// The pictures of every frame and of one prefix of each, by playing everything before.
fn play(gpu: &Arc<Gpu>, trace: &Arc<Trace>, random: &mut Random) -> HashMap<(u32, Option<u32>), PictureHash> {
    let mut pictures = HashMap::new();
    let mut all = player(gpu, trace);
    let index = player(gpu, trace).index();
    for frame in 0..trace.frames().len() as u32 {
        let draws = index.draws_of(FrameIndex(frame)).count() as u32;
        if draws > 0 {
            let draw = random.below(draws);
            let mut prefix = player(gpu, trace);
            for before in 0..frame {
                prefix.seek(FrameIndex(before)).unwrap();
            }
            let picture = prefix.render(Place::at_draw(FrameIndex(frame), draw)).unwrap();
            pictures.insert((frame, Some(draw)), picture.hash());
        }
        let picture = all.render(FrameIndex(frame)).unwrap();
        pictures.insert((frame, None), picture.hash());
    }
    pictures
}

fn seeking_is_playing(gpu: Arc<Gpu>) {
    for seed in 0..TRACES {
        let trace = open(random_trace(seed + 50_000));
        let mut random = Random::new(seed);
        let pictures = play(&gpu, &trace, &mut random);
        let mut places: Vec<(u32, Option<u32>)> = pictures.keys().copied().collect();
        places.sort_unstable();
        let mut player = player(&gpu, &trace);
        let mut last = None;
        for visit in 0..VISITS {
            let (mut frame, mut draw) = random.pick(&places);
            // Often the next frame after where the last visit was: playing on from a seek.
            if let Some(next) = last.filter(|next| random.one_in(2) && pictures.contains_key(&(*next, None))) {
                (frame, draw) = (next, None);
            }
            last = draw.is_none().then_some(frame + 1);
            let place = Place { frame: FrameIndex(frame), point: Point::after_draw(draw) };
            let picture = player.render(place).unwrap();
            let expected = pictures[&(frame, draw)];
            assert_eq!(picture.hash(), expected, "seed {seed}, visit {visit}: frame {frame}, draw {draw:?}");
        }
    }
}

/// Pictures that are on their way together, from frames that share submissions, are those of single frames.
fn pictures_in_a_row_are_single_pictures(gpu: Arc<Gpu>) {
    for seed in 0..TRACES / 2 {
        let trace = open(random_trace(seed + 90_000));
        let mut random = Random::new(seed);
        let pictures = play(&gpu, &trace, &mut random);
        let frames = trace.frames().len() as u32;
        let mut order: Vec<u32> = (0..frames).collect();
        order.extend((0..12).map(|_| random.below(frames)));
        let mut player = player(&gpu, &trace);
        let mut pending = VecDeque::new();
        for frame in order {
            pending.push_back((frame, player.start(FrameIndex(frame)).unwrap()));
            if pending.len() > 10 || random.one_in(6) {
                let (frame, picture) = pending.pop_front().unwrap();
                assert_eq!(player.finish(picture).unwrap().hash(), pictures[&(frame, None)], "seed {seed}, {frame}");
            }
        }
        for (frame, picture) in pending {
            assert_eq!(player.finish(picture).unwrap().hash(), pictures[&(frame, None)], "seed {seed}, {frame}");
        }
    }
}

/// A frame of many draws over each other, without a CLEAR, visited backwards: the kept pictures are used and right.
fn scrubbing_backwards_is_playing(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    scene.clear(BLACK);
    let draws = 200;
    for draw in 0..draws {
        let left = (draw % 16) as f32 / 8.0 - 1.0;
        let color = [draw as f32 / draws as f32, (draw % 7) as f32 / 7.0, 0.5, 1.0];
        let bytes = vertices(&rectangle(left, -1.0, left + 0.5, 1.0 - left), color);
        if draw == 0 {
            scene.buffer(1, &bytes).bind(1)
        } else {
            scene.upload(1, 0, &bytes)
        };
        scene.draw(0, 6);
    }
    scene.end();
    let trace = open(scene.finish());
    let mut forward = player(&gpu, &trace);
    let pictures: Vec<_> =
        (0..draws).map(|draw| forward.render(Place::at_draw(FrameIndex(0), draw)).unwrap().hash()).collect();
    let mut backward = player(&gpu, &trace);
    for draw in (0..draws).rev() {
        let picture = backward.render(Place::at_draw(FrameIndex(0), draw)).unwrap();
        assert_eq!(picture.hash(), pictures[draw as usize], "draw {draw}");
    }
    assert_ne!(pictures[0], pictures[1]);
}

/// A fault of a frame is said when it, or a later one, is asked for, and frames before it still show.
fn errors_stay_where_they_are(gpu: Arc<Gpu>) {
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), GREEN)).bind(1).clear(BLACK).draw(0, 6).end();
    scene.begin().clear(BLUE).draw(0, 3).end();
    scene.begin().upload(9, 0, &[0; 4]).end();
    scene.begin().clear(BLUE).end();
    let trace = open(scene.finish());
    let mut player = player(&gpu, &trace);
    for frame in [3, 2, 3] {
        let error = player.render(FrameIndex(frame)).unwrap_err().to_string();
        assert!(error.contains("(frame 2, packet 0): buffer 9 does not exist"), "{error}");
        let first = player.render(FrameIndex(0)).unwrap();
        assert_eq!(first.pixel(0, 0), Some([0, 255, 0, 255]));
        let second = player.render(FrameIndex(1)).unwrap();
        assert_eq!(second.pixel(0, 0), Some([0, 0, 255, 255]));
    }
    let error = player.render(Place::at_draw(FrameIndex(1), 1)).unwrap_err().to_string();
    assert_eq!(error, "draw 1 does not exist: frame 1 has 1 draw (0)");
}

pub fn trials() -> Vec<Trial> {
    vec![
        software::trial("seeking_is_playing", seeking_is_playing),
        software::trial("pictures_in_a_row_are_single_pictures", pictures_in_a_row_are_single_pictures),
        software::trial("scrubbing_backwards_is_playing", scrubbing_backwards_is_playing),
        software::trial("errors_stay_where_they_are", errors_stay_where_they_are),
    ]
}
