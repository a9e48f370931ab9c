//! Tests that draw, run the built program, show its window, or measure what a process uses. Those of drawn pixels need
//! software Vulkan, and software OpenGL for some.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod browser;
mod command_line;
mod glsl;
mod goldens;
mod gpu;
mod judge;
mod memory;
mod support;
mod window;

use std::process::ExitCode;

use peak_alloc::PeakAlloc;
use support::harness::{modules, run_in_processes};

/// Counts what a process uses, for [`memory`].
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn main() -> ExitCode {
    if let Some(measured) = memory::floods::measured() {
        return measured;
    }
    run_in_processes(modules![gpu, browser, command_line, window, memory, goldens, judge])
}
