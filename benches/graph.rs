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

use aerogpu_replay::abi::a3a0::bindings::*;
use aerogpu_replay::abi::a3a0::resources::*;
use aerogpu_replay::abi::a3a0::shaders::*;
use aerogpu_replay::abi::a3a0::state::*;
use aerogpu_replay::abi::a3a0::work::*;
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Bytes, Elements, Packet, StreamWriter, VertexBufferBinding};
use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{FrameIndex, NewSubmission, Trace, TraceWriter};
use aerogpu_replay::replay::{CommandStream, Executor, Flow, ReplayError, TraceIndex};

const FRAMES: u32 = 2000;
const DRAWS: u32 = 50;
const ROUNDS: usize = 9;
const SLICES: u32 = 10_000;

/// `vs_2_0`: `dcl_position v0`, `mov oPos, v0`.
const VERTEX_SHADER: [u32; 8] =
    [0xfffe_0200, 0x0200_001f, 0x8000_0000, 0x900f_0000, 0x0200_0001, 0xc00f_0000, 0x90e4_0000, 0x0000_ffff];
/// `ps_2_0`: `dcl t0`, `dcl_2d s0`, `texld r0, t0, s0`, `mul r0, r0, c0`, `mov oC0, r0`.
const PIXEL_SHADER: [u32; 19] = [
    0xffff_0200,
    0x0200_001f,
    0x8000_0000,
    0xb00f_0000,
    0x0200_001f,
    0x9000_0000,
    0xa00f_0800,
    0x0300_0042,
    0x800f_0000,
    0xb0e4_0000,
    0xa0e4_0800,
    0x0300_0005,
    0x800f_0000,
    0x80e4_0000,
    0xa0e4_0000,
    0x0200_0001,
    0x800f_0800,
    0x80e4_0000,
    0x0000_ffff,
];
const DECLARATION: [u8; 16] = [0, 0, 0, 0, 2, 0, 0, 0, 0xff, 0, 0, 0, 17, 0, 0, 0];

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

struct Stream(StreamWriter);

impl Stream {
    fn put<'a>(&mut self, packet: impl Into<Packet<'a>>) {
        self.0.packet(&packet.into()).unwrap();
    }

    fn targets(&mut self, texture: u32) {
        self.put(SetRenderTargets { color_count: 1, depth_stencil: 0, color: [texture, 0, 0, 0, 0, 0, 0, 0] });
    }

    fn texture(&mut self, handle: u32) {
        self.put(CreateTexture2d {
            handle,
            usage: 0x18,
            format: 1,
            width: 64,
            height: 64,
            mip_levels: 1,
            array_layers: 1,
            row_pitch: 0,
            backing_alloc_id: 0,
            backing_offset: 0,
            reserved: 0,
        });
    }
}

fn begin(stream: &mut Stream) {
    (1..=8).for_each(|handle| stream.texture(handle));
    stream.put(CreateBuffer {
        handle: 20,
        usage: 1,
        size_bytes: 65536,
        backing_alloc_id: 0,
        backing_offset: 0,
        reserved: 0,
    });
    for (handle, stage, code) in [(30, 0, words(&VERTEX_SHADER)), (31, 1, words(&PIXEL_SHADER))] {
        let size_bytes = code.len() as u32;
        stream.put(CreateShaderDxbc { handle, stage, size_bytes, stage_ex: 0, code: Bytes::new(&code) });
    }
    let blob_size = DECLARATION.len() as u32;
    stream.put(CreateInputLayout { handle: 32, blob_size, reserved: 0, blob: Bytes::new(&DECLARATION) });
    stream.put(SetInputLayout { handle: 32, reserved: 0 });
    stream.put(BindShaders { vs: 30, ps: 31, cs: 0, reserved: 0, appended: None });
    let slots =
        Elements::to_bytes(&[VertexBufferBinding { buffer: 20, stride_bytes: 12, offset_bytes: 0, reserved: 0 }]);
    stream.put(SetVertexBuffers { start_slot: 0, buffer_count: 1, values: Elements::new(&slots).unwrap() });
    for state in 0..210 {
        // D3DRS_COLORWRITEENABLE and its siblings; without them nothing would be drawn.
        let is_write_mask = matches!(state, 168 | 190..=192);
        stream.put(SetRenderState { state, value: if is_write_mask { 0xf } else { 0 } });
    }
}

fn frame(stream: &mut Stream, number: u32) {
    for (target, sampled) in [(1, 3), (2, 1)] {
        stream.targets(target);
        if target == 1 {
            stream.put(Clear { flags: 1, r: 0.0, g: 0.0, b: 0.0, a: 1.0, depth: 1.0, stencil: 0 });
        }
        stream.put(SetTexture { stage: 1, slot: 0, texture: sampled, stage_ex: 0 });
        for draw in 0..DRAWS / 2 {
            if draw % 4 == 0 {
                let data = [draw as u8; 48];
                let offset = u64::from(number * 31 + draw) % 1000 * 48;
                let data = Bytes::new(&data);
                stream.put(UploadResource { handle: 20, reserved: 0, offset, size_bytes: 48, data });
                stream.put(SetRenderState { state: 27, value: draw % 8 / 4 });
            }
            let first_vertex = (number * 31 + draw / 4 * 4) % 1000 * 4;
            stream.put(Draw { vertex_count: 3, instance_count: 1, first_vertex, first_instance: 0 });
        }
    }
    stream.put(Present { scanout_id: 0, flags: 0 });
}

fn trace() -> Arc<Trace> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, r#"{"emulator_version":"bench"}"#).unwrap();
    for number in 0..FRAMES {
        let mut stream = Stream(StreamWriter::new(ABI_VERSION));
        if number == 0 {
            begin(&mut stream);
        }
        frame(&mut stream, number);
        writer.begin_frame().unwrap();
        let cmd_stream = &stream.0.finish();
        writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() }).unwrap();
        writer.present().unwrap();
    }
    let source = Arc::new(MemorySource::from(writer.finish().unwrap()));
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
