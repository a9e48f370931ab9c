//! The project's goldens, and the verbs that compare, approve and report. Needs software Vulkan.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod frame_pictures;
mod golden;
mod golden_report;
mod golden_verbs;
#[path = "../support/mod.rs"]
mod support;
mod triage;

use std::process::ExitCode;

use support::harness::{modules, run_in_processes};

fn main() -> ExitCode {
    run_in_processes(modules![frame_pictures, golden, golden_report, golden_verbs, triage,])
}
