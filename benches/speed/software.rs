//! Processor time of a draw and of a frame on software Vulkan, the kernel's included. A ratio does not show a cost that both
//! contenders pay. Frames of 500 draws with another texture each, and of a single one, in
//! fresh processes: as they are, with glibc told by hand to keep freed memory, and with glibc's own ways.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aerogpu_replay::bytes::{Diagnostics, FileSource};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::player::Player;
use anyhow::{Context, Result, ensure};
use tempfile::NamedTempFile;

use crate::Effort;
use crate::measure::{median, milliseconds, minimum};
use crate::scene::SIZE;
use crate::submissions;

/// The argument that makes this program a [`child`].
pub(crate) const CHILD: &str = "--child-software";
const DRAWS: u32 = 500;
/// Processor time of a draw, and of a frame without its draws.
const DRAW_BAR_US: f64 = 25.0;
const FRAME_BAR_MS: f64 = 1.0;
/// Longest time beside the best settings by hand, as a ratio.
const BY_HAND_BAR: f64 = 1.1;

/// Contenders, each with the variable that tells glibc what to do.
const CONTENDERS: [(&str, Option<(&str, &str)>); 3] = [
    ("replay", None),
    ("replay, MALLOC_TRIM_THRESHOLD_ by hand", Some(("MALLOC_TRIM_THRESHOLD_", "67108864"))),
    // The value that it has, by which glibc changes no threshold any more.
    ("replay, freed memory given back", Some(("MALLOC_MMAP_MAX_", "65536"))),
];

/// Times of a child for its frames, and its peak of memory.
#[derive(Clone, Copy, Debug)]
struct Taken {
    wall_ms: f64,
    user_ms: f64,
    system_ms: f64,
    peak_mib: f64,
}

impl Taken {
    fn processors_ms(self) -> f64 {
        self.user_ms + self.system_ms
    }
}

/// Compares them, and holds the costs of a draw and a frame to their bars.
pub(crate) fn on_cpu(effort: Effort) -> Result<bool> {
    let frames = effort.frames * 5;
    let many = write_trace(frames, DRAWS)?;
    let single = write_trace(frames, 1)?;
    let mut rounds: [Vec<Taken>; CONTENDERS.len()] = Default::default();
    let mut single_draws = Vec::new();
    for _ in 0..effort.rounds.div_ceil(3) {
        for ((_, setting), taken) in CONTENDERS.into_iter().zip(&mut rounds) {
            taken.push(run_child(many.path(), setting)?);
        }
        single_draws.push(run_child(single.path(), None)?);
    }
    println!("  {frames} frames of {DRAWS} draws, {SIZE}");
    println!("  {:<40} {:>9} {:>9} {:>9} {:>9}", "", "wall ms", "user ms", "kernel ms", "peak MiB");
    let of = |taken: &[Taken], what: fn(Taken) -> f64| taken.iter().copied().map(what).collect::<Vec<f64>>();
    for ((name, _), taken) in CONTENDERS.iter().zip(&rounds) {
        let middle = |what| median(&of(taken, what));
        let (wall, user) = (middle(|taken| taken.wall_ms), middle(|taken| taken.user_ms));
        let (system, peak) = (middle(|taken| taken.system_ms), middle(|taken| taken.peak_mib));
        println!("  {name:<40} {wall:>9.0} {user:>9.0} {system:>9.0} {peak:>9.0}");
    }
    let [ours, by_hand, _] = &rounds;
    let ratios: Vec<f64> = ours.iter().zip(by_hand).map(|(ours, by_hand)| ours.wall_ms / by_hand.wall_ms).collect();
    let ratio = median(&ratios);
    let (of_many, of_single) = (of(ours, Taken::processors_ms), of(&single_draws, Taken::processors_ms));
    let frame_ms = minimum(&of_single) / f64::from(frames);
    let draw_us = (minimum(&of_many) - minimum(&of_single)) * 1e3 / f64::from(frames * (DRAWS - 1));
    println!("  bar: {ratio:.2} (median) of at most {BY_HAND_BAR} × the same by hand");
    println!("  bar: {draw_us:.1} µs of processors a draw, of at most {DRAW_BAR_US}");
    println!("  bar: {frame_ms:.2} ms of processors a frame of one draw, of at most {FRAME_BAR_MS}");
    Ok(ratio <= BY_HAND_BAR && draw_us <= DRAW_BAR_US && frame_ms <= FRAME_BAR_MS)
}

fn write_trace(frames: u32, draws: u32) -> Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    file.write_all(&submissions::trace_of_draws(frames, draws)?)?;
    Ok(file)
}

fn run_child(trace: &Path, setting: Option<(&str, &str)>) -> Result<Taken> {
    let mut child = Command::new(std::env::current_exe()?);
    let output = child.arg(CHILD).arg(trace).envs(setting).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the child ended with {}: {said}", output.status);
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let [wall_ms, user_ms, system_ms, peak_mib] = numbers[..] else { anyhow::bail!("the child printed {text:?}") };
    Ok(Taken { wall_ms, user_ms, system_ms, peak_mib })
}

/// Plays all frames but the first on software Vulkan, which makes everything; says what that took.
pub(crate) fn child(trace: &Path) -> Result<()> {
    let trace = Arc::new(Trace::from_source(Arc::new(FileSource::open(trace)?), &mut Diagnostics::new())?);
    let llvmpipe = AdapterChoice::Name("llvmpipe".to_owned());
    let gpu = Arc::new(Gpu::open(BackendChoice::Vulkan, &llvmpipe, Duration::from_secs(60))?);
    let mut player = Player::new(trace.clone(), gpu.clone(), SIZE)?;
    player.seek(FrameIndex(0))?;
    gpu.wait(None)?;
    let (start, [user_before, system_before]) = (Instant::now(), processor_times_ms()?);
    for frame in trace.frame_indices().skip(1) {
        player.seek(frame)?;
    }
    gpu.wait(None)?;
    let (wall, [user, system]) = (start.elapsed(), processor_times_ms()?);
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    let peak_mib = peak.context("the system tells no peak")?.parse::<f64>()? / 1024.0;
    println!("{} {} {} {peak_mib}", milliseconds(wall), user - user_before, system - system_before);
    Ok(())
}

/// Time of all threads of this process, the user's and the kernel's: hundredths of a second, the twelfth and thirteenth field
/// behind the name, which ends with the last parenthesis.
fn processor_times_ms() -> Result<[f64; 2]> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = text.rsplit_once(')').context("/proc/self/stat has no name")?;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<f64>);
    let mut time = || -> Result<f64> { Ok(times.next().context("/proc/self/stat is short")?? * 10.0) };
    Ok([time()?, time()?])
}
