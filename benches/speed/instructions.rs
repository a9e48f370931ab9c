//! Instructions of a draw, of a frame and of an indexed draw, as callgrind counts them on wgpu's noop backend: what both
//! contenders pay is counted as well, and no other work on the machine is. Each is counted twice, once with more frames, so
//! that opening and making everything falls out. What ends and begins a frame is counted with its draws.

use std::process::{Command, Stdio};
use std::sync::Arc;

use aerogpu_replay::format::aerogpu::Trace;
use aerogpu_replay::gpu::BackendChoice;
use anyhow::{Context, Result, ensure};
use tempfile::NamedTempFile;

use crate::{Effort, draws, submissions};

/// The argument that makes this program a [`child`].
pub(crate) const CHILD: &str = "--child-instructions";

/// Frames of a child, and of one with more.
const FRAMES: [u32; 2] = [1, 4];
const DRAWS: u32 = 400;

/// A contender, and the most instructions that one of its draws or frames may have.
struct Counted {
    name: &'static str,
    work: Work,
    draws: u32,
    bar: Option<f64>,
}

/// Writes a trace of so many frames of so many draws.
type Write = fn(frames: u32, draws: u32) -> Result<Vec<u8>>;

/// Plays a trace, or makes its index.
type Play = fn(&Arc<Trace>) -> Result<()>;

/// Work of a contender.
enum Work {
    /// It draws so many frames of so many draws of a scene in memory.
    Scene(fn(frames: u32, draws: u32) -> Result<()>),
    /// It plays a trace, which is written before anything is counted.
    Trace { write: Write, play: Play },
}

const BY_DRAW: [Counted; 8] = [
    Counted::by_hand("draws-by-hand", submissions::plain_by_hand, DRAWS),
    Counted::of_trace("draws-constants-set", (submissions::plain_registers, submissions::play), DRAWS, 4800.0),
    Counted::of_trace("draws-constants-uploaded", (submissions::plain_uploads, submissions::play), DRAWS, 4800.0),
    Counted::by_hand("shaders-by-hand", submissions::shaders_by_hand, DRAWS),
    Counted::of_trace("shaders", (submissions::shaders_registers, submissions::play), DRAWS, 6200.0),
    Counted::by_hand("appendix-a-by-hand", draws::by_hand, DRAWS),
    Counted::of_trace("appendix-a", (draws::trace, draws::play), DRAWS, 2132.0),
    Counted::of_trace("graph", (submissions::plain_registers, submissions::graph), DRAWS, 3100.0),
];
const BY_FRAME: [Counted; 2] = [
    Counted::by_hand("targets-by-hand", submissions::targets_by_hand, 1),
    Counted::of_trace("targets", (submissions::trace_of_targets, submissions::play), 1, 66_000.0),
];

impl Counted {
    const fn by_hand(name: &'static str, draw: fn(u32, u32) -> Result<()>, draws: u32) -> Self {
        Self { name, work: Work::Scene(draw), draws, bar: None }
    }

    const fn of_trace(name: &'static str, (write, play): (Write, Play), draws: u32, bar: f64) -> Self {
        Self { name, work: Work::Trace { write, play }, draws, bar: Some(bar) }
    }
}

/// Backend of everything that is counted.
pub(crate) const BACKEND: BackendChoice = BackendChoice::Noop;

/// Counts them, and holds the replay's to their bars.
pub(crate) fn counted(effort: Effort) -> Result<bool> {
    if effort.rounds == 1 {
        // Without callgrind: that each of them runs.
        for counted in all() {
            let draws = counted.draws.min(10);
            match counted.work {
                Work::Scene(draw) => draw(1, draws)?,
                Work::Trace { write, play } => play(&Arc::new(Trace::open(written(write(1, draws)?)?.path())?))?,
            }
        }
        return Ok(true);
    }
    if !has_valgrind() {
        println!("  valgrind is not installed: nothing is counted");
        return Ok(true);
    }
    println!("  {:<28} {:>14}", "", "instructions");
    let mut within = true;
    for counted in all() {
        let [few, many] = FRAMES.map(|frames| count(counted, frames));
        let each = (many? - few?) as f64 / f64::from((FRAMES[1] - FRAMES[0]) * counted.draws);
        let bar = counted.bar.map_or(String::new(), |bar| format!("   bar {bar:.0}"));
        println!("  {:<28} {each:>14.0}{bar}", counted.name);
        within &= counted.bar.is_none_or(|bar| each <= bar);
    }
    Ok(within)
}

fn all() -> impl Iterator<Item = &'static Counted> {
    BY_DRAW.iter().chain(&BY_FRAME)
}

fn has_valgrind() -> bool {
    let mut valgrind = Command::new("valgrind");
    valgrind.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    valgrind.status().is_ok_and(|status| status.success())
}

/// A trace as a file.
fn written(trace: Vec<u8>) -> Result<NamedTempFile> {
    let file = NamedTempFile::new()?;
    std::fs::write(file.path(), trace)?;
    Ok(file)
}

/// Instructions of a child.
fn count(counted: &Counted, frames: u32) -> Result<u64> {
    let trace = match counted.work {
        Work::Scene(_) => None,
        Work::Trace { write, .. } => Some(written(write(frames, counted.draws)?)?),
    };
    let argument = match &trace {
        Some(trace) => trace.path().as_os_str().to_owned(),
        None => frames.to_string().into(),
    };
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe()?);
    let output = valgrind.args([CHILD, counted.name]).arg(argument).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} ended with {}: {said}", counted.name, output.status);
    let collected = said.lines().find_map(|line| line.split_once("Collected : "));
    let (_, count) = collected.context("callgrind has counted nothing")?;
    Ok(count.trim().parse()?)
}

/// Carries out what is counted: `argument` is the number of frames, or the trace.
pub(crate) fn child(name: &str, argument: &str) -> Result<()> {
    let counted = all().find(|counted| counted.name == name).context("nothing of this name is counted")?;
    match counted.work {
        Work::Scene(draw) => draw(argument.parse()?, counted.draws),
        Work::Trace { play, .. } => play(&Arc::new(Trace::open(argument)?)),
    }
}
