//! How long a trace takes to open, and to show its first frame, whatever its size: a trace of 500 MB (120 uploads of
//! 4 MiB, one per frame) beside the small fixture.

use std::collections::VecDeque;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::bytes::{ByteSource, Diagnostics, FileSource, ReadError};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace, TraceWriter};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};
use anyhow::{Context, Result, anyhow, ensure};
use tempfile::NamedTempFile;

use crate::Effort;
use crate::measure::{Contender, Cost, cost_of, interleave, median, milliseconds, minimum, print_table};
use crate::scene::{make_shader, set_vertex_buffer, write_buffer, write_packet, write_pipeline};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/aerogpu/triangle.aerogputrace");
const PROGRAM: &str = env!("CARGO_BIN_EXE_aerogpu-replay");
const UPLOAD_BYTES: usize = 4 << 20;
/// The argument that makes this program a [`memory_child`].
pub(crate) const MEMORY_CHILD: &str = "--child-memory";
/// How many times as much memory a trace a hundred times as large may take.
const MEMORY_BAR: f64 = 1.3;
/// The argument that makes this program a [`child`].
pub(crate) const CHILD: &str = "--child-first-frame";
/// What a child measures, in its order.
const STAGES: [&str; 4] = ["open and size", "device", "player", "frame 0"];
/// What `info` may read of any trace with few frames.
const INFO_BYTES_BAR: u64 = 64 << 10;

/// `info`: opening alone, and the whole process; both must not care how large the trace is.
pub(crate) fn info(effort: Effort) -> Result<bool> {
    let large = write_large_trace(effort.uploads)?;
    let source = Arc::new(Counting::open(large.path())?);
    Trace::from_source(source.clone(), &mut Diagnostics::new())?;
    let (reads, bytes) = (source.reads.load(Ordering::Relaxed), source.bytes.load(Ordering::Relaxed));
    println!("  Trace::open of {} bytes: {reads} reads, {bytes} bytes", source.size_bytes());
    let samples = interleave(
        effort.rounds * 4,
        vec![
            Contender::new("Trace::open, fixture", || open_trace(Path::new(FIXTURE))),
            Contender::new("Trace::open, large", || open_trace(large.path())),
        ],
    )?;
    print_table(&samples);
    let samples = interleave(
        effort.rounds * 4,
        vec![
            Contender::new("process --version", || process(&["--version".as_ref()])),
            Contender::new("process info, fixture", || process(&["info".as_ref(), FIXTURE.as_ref()])),
            Contender::new("process info, large", || process(&["info".as_ref(), large.path().as_ref()])),
        ],
    )?;
    print_table(&samples);
    println!("  bar: {bytes} of at most {INFO_BYTES_BAR} bytes read");
    Ok(bytes <= INFO_BYTES_BAR)
}

/// Frame 0 in a fresh process each time: the device must be the larger part of it.
pub(crate) fn first_frame(effort: Effort) -> Result<bool> {
    let large = write_large_trace(effort.uploads)?;
    let traces = [("fixture", Path::new(FIXTURE)), ("large", large.path())];
    let mut times = traces.map(|_| Vec::new());
    for round in 0..=effort.rounds {
        for ((_, trace), times) in traces.iter().zip(&mut times) {
            let stages = run_child(trace)?;
            if round > 0 {
                times.push(stages);
            }
        }
    }
    let mut within = true;
    for ((name, _), times) in traces.iter().zip(&times) {
        let of_stage = |stage: usize| -> Vec<f64> { times.iter().filter_map(|t| t.get(stage).copied()).collect() };
        for (number, stage) in STAGES.iter().enumerate() {
            let times = of_stage(number);
            println!("  {name:<8} {stage:<14} min {:>8.3} ms, median {:>8.3} ms", minimum(&times), median(&times));
        }
        let shares: Vec<f64> =
            times.iter().filter_map(|times| Some(times.get(1)? / times.iter().sum::<f64>())).collect();
        let share = median(&shares);
        println!("  {name:<8} bar: the device takes {:.0} % (median) of at least 50 %", share * 100.0);
        within &= share >= 0.5;
    }
    Ok(within)
}

/// What a user waits for with `TRACE --frame 0`, stage by stage in microseconds, in a process that has done nothing
/// before.
pub(crate) fn child(trace: &Path) -> Result<()> {
    let mut ends = vec![Instant::now()];
    let trace = Arc::new(Trace::from_source(Arc::new(FileSource::open(trace)?), &mut Diagnostics::new())?);
    let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
    ends.push(Instant::now());
    let gpu = Arc::new(Gpu::open(BackendChoice::Auto, &AdapterChoice::Best, Duration::from_secs(60))?);
    ends.push(Instant::now());
    let mut player = Player::new(trace, gpu, size)?;
    ends.push(Instant::now());
    player.render(FrameIndex(0))?;
    ends.push(Instant::now());
    let stages = ends.iter().zip(ends.iter().skip(1));
    let micros: Vec<String> = stages.map(|(start, end)| (*end - *start).as_micros().to_string()).collect();
    println!("{}", micros.join(" "));
    Ok(())
}

/// Peak memory of processes that play every frame of the large trace, and of its first upload alone.
pub(crate) fn memory(effort: Effort) -> Result<bool> {
    let (large, small) = (write_large_trace(effort.uploads)?, write_large_trace(1)?);
    let peak = |trace: &NamedTempFile| -> Result<Option<f64>> {
        let output = Command::new(std::env::current_exe()?).arg(MEMORY_CHILD).arg(trace.path()).output()?;
        ensure!(output.status.success(), "the child ended with {}", output.status);
        Ok(String::from_utf8(output.stdout)?.trim().parse().ok())
    };
    let (Some(large), Some(small)) = (peak(&large)?, peak(&small)?) else {
        println!("  this system does not tell");
        return Ok(true);
    };
    let ratio = large / small;
    println!(
        "  {} uploads: {large:.0} KiB, one: {small:.0} KiB; bar: {ratio:.2} of at most {MEMORY_BAR}",
        effort.uploads
    );
    Ok(ratio <= MEMORY_BAR)
}

/// Plays every frame as `--frames all --hash` does; says how much memory the process had at most, in KiB.
pub(crate) fn memory_child(trace: &Path) -> Result<()> {
    let trace = Arc::new(Trace::from_source(Arc::new(FileSource::open(trace)?), &mut Diagnostics::new())?);
    let gpu = Arc::new(Gpu::open(BackendChoice::Vulkan, &AdapterChoice::Best, Duration::from_secs(60))?);
    let mut player = Player::new(trace.clone(), gpu, DEFAULT_SIZE)?;
    let mut pending = VecDeque::new();
    for frame in (0..trace.frames().len() as u32).map(FrameIndex) {
        pending.push_back(player.start(frame)?);
        if pending.len() >= player.most_pending()
            && let Some(picture) = pending.pop_front()
        {
            std::hint::black_box(player.finish(picture)?.hash());
        }
    }
    for picture in pending {
        std::hint::black_box(player.finish(picture)?.hash());
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    println!("{}", peak.unwrap_or("-"));
    Ok(())
}

fn run_child(trace: &Path) -> Result<Vec<f64>> {
    let output = Command::new(std::env::current_exe()?).arg(CHILD).arg(trace).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the child ended with {}: {said}", output.status);
    let text = String::from_utf8(output.stdout)?;
    let micros = text.split_whitespace().map(|word| word.parse().map(Duration::from_micros));
    let stages: Vec<f64> = micros.map(|stage| stage.map(milliseconds)).collect::<Result<_, _>>()?;
    ensure!(stages.len() == STAGES.len(), "the child printed {text:?}");
    Ok(stages)
}

/// One pipeline, one buffer of 4 MiB; each frame uploads it anew and draws from it.
fn write_large_trace(uploads: u32) -> Result<NamedTempFile> {
    let file = NamedTempFile::new()?;
    let mut trace =
        TraceWriter::new(BufWriter::new(file.as_file()), 1, r#"{"emulator_version":"bench","command_abi_version":1}"#)?;
    let mut bytes = vec![0; UPLOAD_BYTES];
    for frame in 0..uploads {
        bytes.iter_mut().zip(frame..).for_each(|(byte, value)| *byte = value as u8 & 0x3f);
        trace.begin_frame()?;
        if frame == 0 {
            write_pipeline(&mut trace, 0, &make_shader("color"))?;
            write_packet(&mut trace, Packet::SetPipeline { pipeline_id: 0 })?;
        }
        write_packet(&mut trace, Packet::SetViewport { width_px: 64, height_px: 64 })?;
        write_packet(&mut trace, Packet::Clear { r: 0.0, g: 0.0, b: 0.0, a: 1.0 })?;
        write_buffer(&mut trace, 0, &bytes)?;
        write_packet(&mut trace, set_vertex_buffer(0, 0))?;
        write_packet(&mut trace, Packet::Draw { vertex_count: 30, first_vertex: 0 })?;
        write_packet(&mut trace, Packet::Present {})?;
        trace.present()?;
    }
    trace.finish()?.flush()?;
    Ok(file)
}

fn open_trace(path: &Path) -> Result<Cost> {
    cost_of(|| Ok(Trace::from_source(Arc::new(FileSource::open(path)?), &mut Diagnostics::new())?))
}

fn process(arguments: &[&std::ffi::OsStr]) -> Result<Cost> {
    cost_of(|| {
        let mut command = Command::new(PROGRAM);
        let status = command.args(arguments).stdout(Stdio::null()).status().context("cannot start aerogpu-replay")?;
        status.success().then_some(()).ok_or_else(|| anyhow!("aerogpu-replay ended with {status}"))
    })
}

/// A file that counts what is read of it.
struct Counting {
    file: FileSource,
    reads: AtomicU64,
    bytes: AtomicU64,
}

impl Counting {
    fn open(path: &Path) -> Result<Self> {
        Ok(Self { file: FileSource::open(path)?, reads: AtomicU64::new(0), bytes: AtomicU64::new(0) })
    }
}

impl ByteSource for Counting {
    fn size_bytes(&self) -> u64 {
        self.file.size_bytes()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<(), ReadError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(into.len() as u64, Ordering::Relaxed);
        self.file.read_at(offset, into)
    }
}
