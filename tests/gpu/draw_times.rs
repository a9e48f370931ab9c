//! Durations of draws: the slow ones are found, whatever else is timed, and nobody's picture changes.

use std::sync::Arc;
use std::time::Duration;

use aerogpu_replay::abi::a3a0::bindings::SetRenderState;
use aerogpu_replay::abi::a3a0::work::Draw;
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu, NO_TIMEOUT};
use aerogpu_replay::pixels::Size;
use aerogpu_replay::player::{DrawTimes, Player};

use crate::gpu::kept::opened;
use crate::support::harness::Trial;
use crate::support::scene::{BLACK, BLUE, GREEN, RED, Scene, VERTEX_WGSL, rectangle, vertices};
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::{
    self, PIXEL_SHADER_9, Stream, StreamOfTests, VERTEX_SHADER_9, WHOLE, cell, recording, whole_texture,
};

const SIDE_PX: u32 = 256;
const SIZE: Size = Size { width_px: SIDE_PX, height_px: SIDE_PX };
const RUNS: u32 = 3;
const PATIENCE: Duration = Duration::from_secs(60);
const FRAMES: u32 = 3;
const TIMED: FrameIndex = FrameIndex(1);

/// A pixel is a few thousand instructions.
const SLOW_WGSL: &str = "\
@fragment fn fs_main(@location(0) color: vec4<f32>) -> @location(0) vec4<f32> {
  var sum = color;
  for (var turn = 0; turn < 400; turn++) { sum = sin(sum) + color; }
  return sum;
}
";
const FAST_WGSL: &str = "\
@fragment fn fs_main(@location(0) color: vec4<f32>) -> @location(0) vec4<f32> {
  return color;
}
";

type Test = fn(Backend);

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, Test); 3] = [
        ("the_slow_draw_of_packets_is_found", of_packets),
        ("the_slow_draws_of_a_stream_are_found", of_a_stream),
        ("more_draws_than_a_set_has_queries_are_timed", many_draws),
    ];
    let on = |backend: Backend| {
        tests.map(|(name, test)| backend.trial(format!("{}::{name}", backend.name()), move || test(backend)))
    };
    let without = Trial::test("a_device_without_a_clock_says_so", || {
        without_a_clock();
        Ok(())
    });
    BACKENDS.into_iter().flat_map(on).chain([without]).collect()
}

fn open(bytes: Vec<u8>) -> Arc<Trace> {
    Arc::new(opened(bytes).unwrap())
}

/// The times of a frame, unless the device has no clock. Pictures are those of a player that has timed nothing, wherever the
/// one that has goes then.
fn times(trace: &Arc<Trace>, backend: Backend) -> Option<DrawTimes> {
    let gpu = backend.open_fresh();
    let expected: Vec<_> = {
        let mut player = Player::new(trace.clone(), gpu.clone(), SIZE).unwrap();
        trace.frame_indices().map(|frame| player.render(frame).unwrap()).collect()
    };
    let mut player = Player::new(trace.clone(), gpu.clone(), SIZE).unwrap();
    let found = player.time_draws(TIMED, RUNS, PATIENCE).unwrap();
    assert_eq!(found.is_some(), gpu.can_time_draws());
    for frame in [1, 2, 0, 1] {
        assert!(player.render(FrameIndex(frame)).unwrap() == expected[frame as usize], "frame {frame}");
    }
    // Nothing is timed any more, and nothing kept.
    gpu.wait(None).unwrap();
    assert_eq!(gpu.object_counts().unwrap().query_sets, 0);
    let again = player.time_draws(TIMED, 9, Duration::ZERO).unwrap();
    assert_eq!(again.map(|again| again.runs), found.as_ref().map(|_| 1), "once, however little time there is");
    let found = found?;
    assert_eq!((found.frame, found.runs), (TIMED, RUNS));
    // Each is a median of its own.
    let is_within = found.sum_nanos() < found.timed_nanos + found.timed_nanos / 4;
    assert!(found.untimed_nanos > 0 && is_within, "{found:?}");
    Some(found)
}

/// The draws that took longest, by packet, and that they took longer than all others by far.
fn assert_slow(found: &DrawTimes, all: &[u32], slow: &[u32]) {
    assert_eq!(found.by_packet.keys().copied().collect::<Vec<_>>(), all);
    let of = |wanted: bool| {
        found.by_packet.iter().filter(move |(packet, _)| slow.contains(packet) == wanted).map(|(_, nanos)| *nanos)
    };
    let (fastest_slow, slowest_fast) = (of(true).min().unwrap(), of(false).max().unwrap());
    assert!(fastest_slow > 3 * slowest_fast, "{found:?}");
}

fn of_packets(backend: Backend) {
    let mut scene = Scene::new();
    scene.begin().shaders(1, 2, VERTEX_WGSL, FAST_WGSL).pipeline(1, 1, 2);
    scene.shader(3, 1, SLOW_WGSL).pipeline(2, 1, 3);
    let colors = [RED, GREEN, BLUE, RED].map(|color| vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), color)).concat();
    scene.buffer(1, &colors).bind(1).viewport(SIDE_PX, SIDE_PX);
    for frame in 0..FRAMES {
        if frame > 0 {
            scene.begin();
        }
        scene.clear(BLACK);
        for (draw, pipeline) in (0..).zip([1, 2, 1, 1]) {
            scene
                .packet(aerogpu_replay::abi::reference::Packet::SetPipeline { pipeline_id: pipeline })
                .draw(draw * 6, 6);
        }
        scene.end();
    }
    if let Some(found) = times(&open(scene.finish()), backend) {
        // After CLEAR each draw comes behind its SET_PIPELINE.
        assert_slow(&found, &[2, 4, 6, 8], &[4]);
    }
}

/// Frames of draws, each of so many instances that cover everything, or of few pixels.
fn stream(draws: &[u32]) -> Vec<u8> {
    let frames: Vec<Vec<u8>> = (0..FRAMES).map(|number| frame(number, draws)).collect();
    recording(frames.iter().map(Vec::as_slice))
}

fn frame(number: u32, draws: &[u32]) -> Vec<u8> {
    let mut stream = Stream::new();
    if number == 0 {
        stream.tokens(1, 0, &VERTEX_SHADER_9).tokens(2, 1, &PIXEL_SHADER_9).shaders(1, 2);
        stream.declaration_9(3).use_layout(3);
        let all = [streams::rectangle(WHOLE, 0.0, whole_texture(0.0)), {
            streams::rectangle(cell([0, 0], [64, 64]), 0.0, whole_texture(0.0))
        }];
        stream.vertices(4, &all.concat()).vertex_buffer(0, 4, 32, 0);
        stream.texture(5, 3, [1, 1], [1, 1]).upload(5, 0, &[255; 4]).read(0, 5);
        stream.texture(6, 3, [SIDE_PX; 2], [1, 1]).targets(&[6], 0);
        stream.viewport([0.0, 0.0, SIDE_PX as f32, SIDE_PX as f32]).topology(4);
        // Nothing is culled.
        stream.put(SetRenderState { state: 22, value: 1 });
    }
    stream.clear(1, [0.0, 0.0, number as f32 / 8.0, 1.0], 1.0);
    for instance_count in draws {
        let first_vertex = if *instance_count > 1 { 0 } else { 6 };
        stream.put(Draw { vertex_count: 6, instance_count: *instance_count, first_vertex, first_instance: 0 });
    }
    stream.present();
    stream.finish()
}

fn of_a_stream(backend: Backend) {
    if let Some(found) = times(&open(stream(&[1, 200, 1, 1, 300])), backend) {
        assert_slow(&found, &[1, 2, 3, 4, 5], &[2, 5]);
    }
}

fn many_draws(backend: Backend) {
    let mut draws = [1; 2500];
    draws[2345] = 200;
    if let Some(found) = times(&open(stream(&draws)), backend) {
        let all: Vec<u32> = (1..=2500).collect();
        let slowest = found.by_packet.iter().max_by_key(|(_, nanos)| **nanos).unwrap();
        assert_eq!((*slowest.0, found.by_packet.keys().copied().collect::<Vec<_>>()), (2346, all));
    }
}

fn without_a_clock() {
    let gpu = Arc::new(Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, NO_TIMEOUT).unwrap());
    assert!(!gpu.can_time_draws());
    let mut player = Player::new(open(stream(&[1, 2])), gpu, SIZE).unwrap();
    assert_eq!(player.time_draws(TIMED, RUNS, PATIENCE).unwrap(), None);
}
