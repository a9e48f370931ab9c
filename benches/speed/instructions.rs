//! Instructions of a draw, of a frame and of an indexed draw, as callgrind counts them on wgpu's noop backend: what both
//! contenders pay is counted as well, and no other work on the machine is. Each is counted twice, once with more frames, so
//! that opening and making everything falls out.

use std::process::{Command, Stdio};

use aerogpu_replay::gpu::BackendChoice;
use anyhow::{Context, Result, ensure};

use crate::{Effort, draws, submissions};

/// The argument that makes this program a [`child`].
pub(crate) const CHILD: &str = "--child-instructions";

/// Frames of a child, and of one with more.
const FRAMES: [u32; 2] = [1, 4];
const DRAWS: u32 = 400;

/// A contender, and the most instructions that one of its draws or frames may have.
struct Counted {
    name: &'static str,
    run: fn(frames: u32, draws: u32) -> Result<()>,
    draws: u32,
    bar: Option<f64>,
}

const BY_DRAW: [Counted; 8] = [
    Counted { name: "draws-by-hand", run: submissions::plain_by_hand, draws: DRAWS, bar: None },
    Counted { name: "draws-constants-set", run: submissions::plain_registers, draws: DRAWS, bar: Some(4800.0) },
    Counted { name: "draws-constants-uploaded", run: submissions::plain_uploads, draws: DRAWS, bar: Some(4800.0) },
    Counted { name: "shaders-by-hand", run: submissions::shaders_by_hand, draws: DRAWS, bar: None },
    Counted { name: "shaders", run: submissions::shaders_registers, draws: DRAWS, bar: Some(6200.0) },
    Counted { name: "appendix-a-by-hand", run: draws::by_hand, draws: DRAWS, bar: None },
    Counted { name: "appendix-a", run: draws::replayed, draws: DRAWS, bar: Some(2132.0) },
    Counted { name: "graph", run: submissions::graph, draws: DRAWS, bar: Some(3100.0) },
];
const BY_FRAME: [Counted; 2] = [
    Counted { name: "targets-by-hand", run: submissions::targets_by_hand, draws: 1, bar: None },
    Counted { name: "targets", run: submissions::targets_replayed, draws: 1, bar: Some(66_000.0) },
];

/// Backend of everything that is counted.
pub(crate) const BACKEND: BackendChoice = BackendChoice::Noop;

/// Counts them, and holds the replay's to their bars.
pub(crate) fn counted(effort: Effort) -> Result<bool> {
    if effort.rounds == 1 {
        // Without callgrind: that each of them runs.
        all().try_for_each(|counted| (counted.run)(1, counted.draws.min(10)))?;
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

/// Instructions of a child.
fn count(counted: &Counted, frames: u32) -> Result<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe()?);
    let output = valgrind.args([CHILD, counted.name, &frames.to_string()]).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} ended with {}: {said}", counted.name, output.status);
    let collected = said.lines().find_map(|line| line.split_once("Collected : "));
    let (_, count) = collected.context("callgrind has counted nothing")?;
    Ok(count.trim().parse()?)
}

/// Carries out what is counted.
pub(crate) fn child(name: &str, frames: &str) -> Result<()> {
    let counted = all().find(|counted| counted.name == name).context("nothing of this name is counted")?;
    (counted.run)(frames.parse()?, counted.draws)
}
