//! Our pictures against those of the machine's own GLES driver. GL contexts and software rasterisers don't mix well across
//! threads, so no process runs two trials at a time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod glsl_judge;
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;

use support::harness::{modules, run_in_processes};

fn main() -> ExitCode {
    run_in_processes(modules![glsl_judge,])
}
