//! How fast it is: `cargo bench --bench speed [-- SECTION…]`.
//!
//! | section | measures | bar |
//! |---|---|---|
//! | `info` | `Trace::open` and `aerogpu-replay info` on a 500 MB trace and on the small fixture | reads at most 64 KiB |
//! | `first-frame` | opening and rendering frame 0 of both, in fresh processes, stage by stage | at least half of it is device creation |
//! | `memory` | peak memory of playing the 500 MB trace whole, over a trace of one of its uploads | at most 1.3 × |
//! | `draws` | 60 frames of 5,000 draws, submitted only and with their pictures in a row, beside a hand-written wgpu program that issues them from memory ([`baseline`]) | at most 1.05 × as long |
//! | `noop` | the same on wgpu's noop backend, where only the CPU's work is left, layer by layer | at most 2 × as long |
//! | `submissions` | 60 frames of 5,000 draws of submissions, each with another texture and other constants, set in registers or uploaded, beside a hand-written program | at most 1.1 × as long |
//! | `submissions-noop` | the same on wgpu's noop backend | at most 2 × as long |
//! | `shaders`, `shaders-noop` | as both, with another pixel shader in each draw | at most 1.1 ×, 2 × |
//! | `targets` | 1,000 frames that draw to a texture, copy it, draw with the copy and present | at most 1.1 × as long |
//! | `targets-noop` | the same on the noop backend | at most 2 × as long |
//! | `instructions` | instructions of a draw, by callgrind on the noop backend, beside the hand-written program's | 4,800 of a submission's, 6,200 with another shader, 2,132 of a packet's; 66,000 of a frame with targets; 3,100 to index a draw |
//! | `software` | 300 frames of 500 draws on software Vulkan: time of all processors, the kernel's included (Linux) | 25 µs a draw, 1 ms a frame; 1.1 × the best settings of glibc by hand |
//!
//! Wall times of one machine on one day say little, and less if others work on it. So everything is measured as a
//! ratio of things that ran in turns in this one process, many times; printed are the least times, the medians, and
//! both kinds of ratio. That is also why this is no criterion bench: criterion measures one function after another,
//! minutes apart. A bar that is missed makes the exit code 1.
//!
//! Without `--bench`, as `cargo test --benches` runs it, everything is done once, small, to see that it works.

#[path = "../baseline/mod.rs"]
mod baseline;
mod by_hand;
mod draws;
mod instructions;
mod measure;
mod opening;
mod scene;
#[cfg(target_os = "linux")]
mod software;
mod submissions;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many times each thing runs.
    pub rounds: usize,
    /// Frames that are replayed, beside the one that sets up.
    pub frames: u32,
    /// Draws in each.
    pub draws: u32,
    /// Uploads of 4 MiB in the large trace.
    pub uploads: u32,
}

const FULL: Effort = Effort { rounds: 15, frames: 60, draws: 5000, uploads: 120 };
const TRIAL: Effort = Effort { rounds: 1, frames: 2, draws: 100, uploads: 2 };

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, trace] = arguments.as_slice()
        && flag == opening::CHILD
    {
        opening::child(Path::new(trace))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let [flag, trace] = arguments.as_slice()
        && flag == opening::MEMORY_CHILD
    {
        opening::memory_child(Path::new(trace))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let [flag, name, frames] = arguments.as_slice()
        && flag == instructions::CHILD
    {
        instructions::child(name, frames)?;
        return Ok(ExitCode::SUCCESS);
    }
    #[cfg(target_os = "linux")]
    if let [flag, trace] = arguments.as_slice()
        && flag == software::CHILD
    {
        software::child(Path::new(trace))?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let effort = if is_bench { FULL } else { TRIAL };
    let mut sections = arguments.iter().filter(|argument| !argument.starts_with("--")).peekable();
    let is_all = sections.peek().is_none();
    let wanted: Vec<&String> = sections.collect();
    let mut within = true;
    for (name, run) in SECTIONS {
        if is_all || wanted.iter().any(|wanted| *wanted == name) {
            println!("{name}");
            within &= run(effort)?;
        }
    }
    // A trial is too short to judge.
    Ok(if within || !is_bench { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs a section; says whether its bar was kept.
type Section = fn(Effort) -> Result<bool>;

const SECTIONS: &[(&str, Section)] = &[
    ("info", opening::info),
    ("first-frame", opening::first_frame),
    ("memory", opening::memory),
    ("draws", draws::on_gpu),
    ("noop", draws::on_noop),
    ("submissions", submissions::on_gpu),
    ("submissions-noop", submissions::on_noop),
    ("shaders", submissions::shaders_on_gpu),
    ("shaders-noop", submissions::shaders_on_noop),
    ("targets", submissions::targets),
    ("targets-noop", submissions::targets_on_noop),
    ("instructions", instructions::counted),
    #[cfg(target_os = "linux")]
    ("software", software::on_cpu),
];
