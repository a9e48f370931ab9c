//! The dependency graph of A3A0 streams: `cargo bench --no-default-features --bench graph`.
//!
//! | work | bar |
//! |---|---|
//! | making the graph | ≥ 0.5 × the speed of decoding the same commands |
//! | memory of it | ≤ 24 bytes an edge |
//! | 10,000 random slices | no memory kept |
//!
//! A scene of Direct3D 9: every frame draws to a texture, samples it while drawing to the back buffer, uploads vertices and
//! sets textures and constants between draws; one target is never cleared. Figures are medians of rounds in which both
//! sides take turns, since others' work on the machine lengthens both.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::print_stdout)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aerogpu_replay::abi::a3a0::bindings::SetRenderState;
use aerogpu_replay::abi::a3a0::calls::{B8G8R8A8, PIXEL, Stream, VERTEX};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::replay::{CommandStream, Executor, Flow, ReplayError, TraceIndex};
use dev_traces::streams::{DECLARATION_9, PIXEL_SHADER_9, StreamOfTests, VERTEX_SHADER_9, recording};

const FRAMES: u32 = 2000;
const DRAWS: u32 = 50;
const ROUNDS: usize = 9;
const SLICES: u32 = 10_000;

fn begin(stream: &mut Stream) {
    for handle in 1..=8 {
        stream.texture(handle, B8G8R8A8, [64, 64], [1, 1]);
    }
    stream.empty_buffer(20, 65536).tokens(30, VERTEX, &VERTEX_SHADER_9).tokens(31, PIXEL, &PIXEL_SHADER_9);
    stream.layout_of(32, &DECLARATION_9).use_layout(32).shaders(30, 31).vertex_buffer(0, 20, 12, 0);
    for state in 0..210 {
        // D3DRS_COLORWRITEENABLE and its siblings; without them nothing would be drawn.
        let is_write_mask = matches!(state, 168 | 190..=192);
        stream.put(SetRenderState { state, value: if is_write_mask { 0xf } else { 0 } });
    }
}

fn frame(stream: &mut Stream, number: u32) {
    for (target, sampled) in [(1, 3), (2, 1)] {
        stream.targets(&[target], 0);
        if target == 1 {
            stream.clear(1, [0.0, 0.0, 0.0, 1.0], 1.0);
        }
        stream.read(0, sampled);
        for draw in 0..DRAWS / 2 {
            if draw % 4 == 0 {
                stream.upload(20, u64::from(number * 31 + draw) % 1000 * 48, &[draw as u8; 48]);
                stream.put(SetRenderState { state: 27, value: draw % 8 / 4 });
            }
            stream.draw((number * 31 + draw / 4 * 4) % 1000 * 4, 3);
        }
    }
    stream.present();
}

fn trace() -> Arc<Trace> {
    let stream = |number| {
        let mut stream = Stream::new();
        if number == 0 {
            begin(&mut stream);
        }
        frame(&mut stream, number);
        stream.finish()
    };
    let streams: Vec<Vec<u8>> = (0..FRAMES).map(stream).collect();
    let source = Arc::new(MemorySource::from(recording(streams.iter().map(Vec::as_slice))));
    Arc::new(Trace::from_source(source, &mut Diagnostics::new()).unwrap())
}

fn decode(trace: &Arc<Trace>) -> u64 {
    let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
    let mut commands = 0;
    for frame in trace.frame_indices() {
        let each = |_: &_, _: &mut _| {
            commands += 1;
            Ok::<_, ReplayError>(Flow::Continue)
        };
        stream.read_frame(frame, &mut executor, each).unwrap();
    }
    commands
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    status.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let done = work();
    (started.elapsed(), done)
}

fn median(mut ratios: Vec<f64>) -> f64 {
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn main() {
    let trace = trace();
    let commands = decode(&trace);
    let (mut ratios, mut best) = (Vec::new(), [Duration::MAX; 2]);
    for _ in 0..ROUNDS {
        let (decoding, _) = timed(|| black_box(decode(&trace)));
        let (making, _) = timed(|| black_box(TraceIndex::build(&trace, |_| ())));
        ratios.push(decoding.as_secs_f64() / making.as_secs_f64());
        best = [best[0].min(decoding), best[1].min(making)];
    }
    let rate = |time: Duration| commands as f64 / time.as_secs_f64() / 1e6;
    println!("{commands} commands: decoding {:.1} M/s, graph {:.1} M/s", rate(best[0]), rate(best[1]));
    println!("graph beside decoding: {:.2} × (bar 0.5)", median(ratios));
    let index = TraceIndex::build(&trace, |_| ());
    assert!(index.stop().is_none() && index.faults().0.is_empty(), "{:?}", index.faults());
    let (edges, bytes) = index.edges().unwrap();
    println!("{edges} edges, {:.1} bytes each (bar 24)", bytes as f64 / edges as f64);
    let slice = |number: u32| {
        let frame = FrameIndex(number);
        let end = index.commands_of(frame).unwrap().end;
        index.slice(frame, end, None).unwrap().unwrap().earlier.len()
    };
    for number in [10, FRAMES / 2, FRAMES - 1] {
        let (time, length) = timed(|| slice(number));
        println!("slice of frame {number}: {length} commands, {time:.1?}");
    }
    let mut random = 1u64;
    let mut some = |count: u32| {
        (0..count)
            .map(|_| {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                slice(((random >> 33) % 200) as u32)
            })
            .sum::<usize>()
    };
    some(500);
    let before = resident_bytes();
    let (time, total) = timed(|| some(SLICES));
    let grown = resident_bytes().saturating_sub(before);
    println!("{SLICES} random slices: {total} commands, {time:.1?}, memory grew by {} KiB", grown >> 10);
}
