//! How fast any frame is there: `cargo bench --bench seek [-- SECTION…]`.
//!
//! | section | measures | bar |
//! |---|---|---|
//! | `seek` | going to frame 9,999 of 10,000, over going to frame 0: device up, index there | ≤ 1.2 × |
//! | `cold` | device, open, index and frame 9,999 of the same 2 MB trace, over device, open and frame 0 | ≤ 1.5 × |
//! | `index` | bytes that the index of a 500 MB trace of 120 uploads reads | < 1 % |
//! | `walk` | resident memory over 10,000 random seeks | flat after the first 100 |
//! | `all` | 10,000 pictures with hashes, over a hand-written wgpu program with pipelined readback ([`baseline`]): in a row in one process, sharing submissions, | < 1 × |
//! | | and `aerogpu-replay --frames all --hash` as a whole, over device and hand-written program | ≤ 1.1 × |
//! | `programs` | drawing once with each of 96 pairs of shaders: made ahead on other threads, over one by one | ≤ 1.1 × |
//! | `bytecode` | drawing once with each of 1,000 pixel shaders of Direct3D, device up: made ahead, over one by one | ≤ 0.8 × |
//!
//! What is compared runs in turns; printed are least times and the ratio of the least. Without `--bench` everything is
//! done once, small, to see that it works.

#[path = "../baseline/mod.rs"]
mod baseline;
mod by_hand;
mod bytecode;
mod programs;

use std::io::Write;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::bytes::{ByteSource, Diagnostics, FileSource, MemorySource, ReadError};
use aerogpu_replay::format::aerogpu::{BlobKind, FrameIndex, Trace, TraceWriter};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::pixels::Size;
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{CommandStream, Executor, Flow, TraceIndex};
use anyhow::{Result, ensure};

const SIZE: Size = Size { width_px: 256, height_px: 256 };
const META: &str = r#"{"emulator_version":"bench","command_abi_version":1}"#;
const SHADERS: &str = "struct Out { @builtin(position) at: vec4f, @location(0) tint: vec4f }
@vertex fn v(@location(0) at: vec2f, @location(1) tint: vec4f) -> Out { return Out(vec4f(at, 0.0, 1.0), tint); }
@fragment fn f(@location(0) tint: vec4f) -> @location(0) vec4f { return tint; }";

/// How much is done.
#[derive(Clone, Copy)]
struct Effort {
    rounds: usize,
    frames: u32,
    seeks: u32,
    uploads: u32,
}

const FULL: Effort = Effort { rounds: 15, frames: 10_000, seeks: 10_000, uploads: 120 };
const TRIAL: Effort = Effort { rounds: 1, frames: 20, seeks: 20, uploads: 2 };

type Section = fn(Effort) -> Result<bool>;

const SECTIONS: [(&str, Section); 7] = [
    ("seek", seek),
    ("cold", cold),
    ("index", index),
    ("walk", walk),
    ("all", all),
    ("programs", programs::ahead),
    ("bytecode", bytecode::ahead),
];

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with("--")).collect();
    let mut within = true;
    for (name, run) in SECTIONS {
        if wanted.is_empty() || wanted.iter().any(|wanted| *wanted == name) {
            println!("{name}");
            within &= run(if is_bench { FULL } else { TRIAL })?;
        }
    }
    // A trial is too short to judge.
    Ok(if within || !is_bench { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The vertices of a frame's triangle.
fn triangle(frame: u32) -> Vec<u8> {
    let turn = (frame % 100) as f32 / 100.0;
    let corners = [[-turn, -0.9], [0.9, turn], [0.0, 0.9]];
    let floats = corners.iter().flat_map(|[x, y]| [*x, *y, turn, 1.0 - turn, 0.5, 1.0]);
    floats.flat_map(f32::to_le_bytes).collect()
}

/// Frames of a CLEAR, an upload and a triangle: 230 bytes each.
fn frames(count: u32) -> Result<Vec<u8>> {
    let mut trace = TraceWriter::new(Vec::new(), 1, META)?;
    let text = trace.blob(BlobKind::ShaderWgsl, SHADERS.as_bytes())?.0;
    for frame in 0..count {
        trace.begin_frame()?;
        if frame == 0 {
            for (shader_id, stage) in [(1, 0), (2, 1)] {
                let packet =
                    Packet::CreateShader { shader_id, stage, glsl_blob_id: 0, wgsl_blob_id: text, dxbc_blob_id: 0 };
                write(&mut trace, &[packet])?;
            }
            let (vs_shader_id, fs_shader_id) = (1, 2);
            write(
                &mut trace,
                &[
                    Packet::CreatePipeline { pipeline_id: 1, vs_shader_id, fs_shader_id },
                    Packet::SetPipeline { pipeline_id: 1 },
                    Packet::CreateBuffer { buffer_id: 1, size_bytes: 72, usage: 0 },
                    Packet::SetVertexBuffer {
                        buffer_id: 1,
                        stride_bytes: 24,
                        position_offset_bytes: 0,
                        color_offset_bytes: 8,
                    },
                ],
            )?;
        }
        let bytes = triangle(frame);
        let blob_id = trace.blob(BlobKind::BufferData, &bytes)?.0;
        write(
            &mut trace,
            &[
                Packet::UploadBuffer { buffer_id: 1, offset_bytes: 0, data_len_bytes: 72, blob_id },
                Packet::Clear { r: 0.0, g: 0.0, b: 0.0, a: 1.0 },
                Packet::Draw { vertex_count: 3, first_vertex: 0 },
            ],
        )?;
        trace.present()?;
    }
    Ok(trace.finish()?)
}

fn write<W: Write>(trace: &mut TraceWriter<W>, packets: &[Packet]) -> Result<()> {
    for packet in packets {
        let mut payload = Vec::new();
        packet.write(&mut payload);
        trace.packet(&payload)?;
    }
    Ok(())
}

fn open(source: Arc<dyn ByteSource>) -> Result<Arc<Trace>> {
    Ok(Arc::new(Trace::from_source(source, &mut Diagnostics::new())?))
}

fn device() -> Result<Arc<Gpu>> {
    Ok(Arc::new(Gpu::open(BackendChoice::Vulkan, &AdapterChoice::Best, Duration::from_secs(60))?))
}

fn time(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed().as_secs_f64() * 1e3)
}

/// Runs both in turns; prints the least times, and says whether the ratio is within the bar.
fn compare(
    rounds: usize,
    [base_name, name]: [&str; 2],
    bar: Option<f64>,
    mut base: impl FnMut() -> Result<f64>,
    mut work: impl FnMut() -> Result<f64>,
) -> Result<bool> {
    let (mut least_base, mut least) = (f64::INFINITY, f64::INFINITY);
    base()?;
    work()?;
    for _ in 0..rounds {
        least_base = least_base.min(base()?);
        least = least.min(work()?);
    }
    let ratio = least / least_base;
    let bar_text = bar.map_or("no bar".to_owned(), |bar| format!("bar {bar}"));
    println!("  {base_name}: {least_base:.3} ms, {name}: {least:.3} ms, ratio {ratio:.2} ({bar_text})");
    Ok(bar.is_none_or(|bar| ratio <= bar))
}

fn seek(effort: Effort) -> Result<bool> {
    let trace = open(Arc::new(MemorySource::from(frames(effort.frames)?)))?;
    let gpu = device()?;
    println!("  {}, {} frames, {} bytes", gpu.summary(), effort.frames, trace.size_bytes());
    let index = Arc::new(TraceIndex::build(&trace, |_| ()));
    let player = std::cell::RefCell::new(Player::new(trace, gpu, SIZE)?);
    player.borrow_mut().set_index(index);
    let last = FrameIndex(effort.frames - 1);
    let middle = FrameIndex(effort.frames / 2);
    let go = |frame: FrameIndex| {
        let mut player = player.borrow_mut();
        player.render(middle)?;
        time(|| Ok(player.render(frame).map(drop)?))
    };
    compare(effort.rounds * 20, ["frame 0", "last frame"], Some(1.2), || go(FrameIndex(0)), || go(last))
}

fn cold(effort: Effort) -> Result<bool> {
    let source: Arc<dyn ByteSource> = Arc::new(MemorySource::from(frames(effort.frames)?));
    let last = FrameIndex(effort.frames - 1);
    let go = |frame: FrameIndex| {
        time(|| {
            let mut player = Player::new(open(source.clone())?, device()?, SIZE)?;
            Ok(player.render(frame).map(drop)?)
        })
    };
    let trace = open(source.clone())?;
    let alone = least(effort.rounds, || {
        std::hint::black_box(TraceIndex::build(&trace, |_| ()));
        Ok(())
    })?;
    let decoding = least(effort.rounds, || decode_all(&trace))?;
    println!(
        "  the index alone: {alone:.3} ms; reading and decoding, all that threads could share of it: {decoding:.3} ms"
    );
    compare(effort.rounds, ["frame 0", "last frame"], Some(1.5), || go(FrameIndex(0)), || go(last))
}

/// The least time of several.
fn least(rounds: usize, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    (0..rounds).try_fold(f64::INFINITY, |least, _| Ok(time(&mut work)?.min(least)))
}

/// The part of making an index that needs nothing of the frames before.
fn decode_all(trace: &Arc<Trace>) -> Result<()> {
    let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
    trace.frame_indices().try_for_each(|frame| {
        stream.read_frame(frame, &mut executor, |command, _| {
            std::hint::black_box(command);
            Ok(Flow::Continue)
        })
    })
}

/// Counts what is read.
struct Counting {
    source: FileSource,
    bytes: AtomicU64,
}

impl ByteSource for Counting {
    fn size_bytes(&self) -> u64 {
        self.source.size_bytes()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        self.bytes.fetch_add(into.len() as u64, Ordering::Relaxed);
        self.source.read_at(offset, into)
    }
}

fn index(effort: Effort) -> Result<bool> {
    let file = tempfile::NamedTempFile::new()?;
    let mut trace = TraceWriter::new(std::io::BufWriter::new(file.as_file()), 1, META)?;
    let bytes = vec![7; 4 << 20];
    for buffer_id in 0..effort.uploads {
        trace.begin_frame()?;
        let blob_id = trace.blob(BlobKind::BufferData, &bytes)?.0;
        let data_len_bytes = bytes.len() as u32;
        write(
            &mut trace,
            &[
                Packet::CreateBuffer { buffer_id, size_bytes: data_len_bytes, usage: 0 },
                Packet::UploadBuffer { buffer_id, offset_bytes: 0, data_len_bytes, blob_id },
            ],
        )?;
        trace.present()?;
    }
    trace.finish()?;
    let source = Arc::new(Counting { source: FileSource::open(file.path())?, bytes: AtomicU64::new(0) });
    let trace = open(source.clone())?;
    let took = time(|| {
        std::hint::black_box(TraceIndex::build(&trace, |_| ()));
        Ok(())
    })?;
    let (read, size) = (source.bytes.load(Ordering::Relaxed), trace.size_bytes());
    let share = 100.0 * read as f64 / size as f64;
    println!("  {size} bytes, {read} read ({share:.3} %) in {took:.3} ms (bar 1 %)");
    Ok(share < 1.0)
}

/// Resident memory in MiB, where the system tells.
fn resident_mib() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: f64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096.0 / f64::from(1 << 20))
}

fn walk(effort: Effort) -> Result<bool> {
    let trace = open(Arc::new(MemorySource::from(frames(effort.frames)?)))?;
    let mut player = Player::new(trace, device()?, SIZE)?;
    let mut seed = 1u64;
    let mut early = None;
    for number in 0..effort.seeks {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let frame = FrameIndex((seed >> 33) as u32 % effort.frames);
        player.render(frame)?;
        if number == effort.seeks / 100 {
            early = resident_mib();
        }
    }
    let (Some(early), Some(late)) = (early, resident_mib()) else {
        println!("  this system does not tell");
        return Ok(true);
    };
    println!("  {early:.1} MiB after {} seeks, {late:.1} MiB after {}", effort.seeks / 100, effort.seeks);
    Ok(late <= early * 1.05 + 2.0)
}

/// Pictures of small frames, which share submissions, and the whole program that makes them, over the baseline.
fn all(effort: Effort) -> Result<bool> {
    let bytes = frames(effort.frames)?;
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), &bytes)?;
    let trace = open(Arc::new(MemorySource::from(bytes)))?;
    let gpu = device()?;
    let in_a_row = || {
        let mut player = Player::new(trace.clone(), gpu.clone(), SIZE)?;
        time(|| baseline::play_in_a_row(&mut player, 0..=effort.frames - 1))
    };
    let rounds = effort.rounds.div_ceil(5);
    let names = ["hand-written", "in a row"];
    let shared = compare(rounds, names, Some(1.0), || by_hand::play(&gpu, effort.frames), in_a_row)?;
    // The program opens the device and the trace, makes the scene, and prints ten thousand lines besides.
    let process = || {
        let mut program = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"));
        program.arg(file.path()).args(["--frames", "all", "--hash", "--size", "256x256"]);
        time(|| {
            let output = program.output()?;
            ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Ok(())
        })
    };
    let names = ["device and hand-written", "--frames all --hash"];
    let with_device = || {
        let opened = Instant::now();
        let gpu = device()?;
        let opening_ms = opened.elapsed().as_secs_f64() * 1e3;
        Ok(opening_ms + by_hand::play(&gpu, effort.frames)?)
    };
    Ok(shared & compare(rounds, names, Some(1.1), with_device, process)?)
}
