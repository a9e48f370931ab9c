//! The inspector without a window, and the window itself.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod inspector;
mod inspector_timeline;
#[path = "../support/mod.rs"]
mod support;
mod window;

use std::process::ExitCode;

use support::harness::{modules, run_in_processes};

fn main() -> ExitCode {
    run_in_processes(modules![inspector, inspector_timeline, window,])
}
