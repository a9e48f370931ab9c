//! Limits for files that mean harm: the peak of a process's memory is measured, so none runs two trials at a time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod a3a0;
mod compressed;
#[cfg(feature = "gpu")]
mod floods;
#[cfg(feature = "gpu")]
mod hostile;
mod hostile_shaders;
mod hostile_slices;
#[path = "../support/mod.rs"]
mod support;
mod wtf_hostile;

use std::process::ExitCode;

use peak_alloc::PeakAlloc;
use support::harness::{modules, run_in_processes};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes beyond what was in use before that `work` takes at its peak.
fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let done = work();
    (done, MEMORY.peak_usage() - before)
}

/// Bytes that are in use after `work` and were not before.
fn kept<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = MEMORY.current_usage();
    let done = work();
    (done, MEMORY.current_usage().saturating_sub(before))
}

fn main() -> ExitCode {
    #[cfg(feature = "gpu")]
    if let Some(measured) = floods::measured() {
        return measured;
    }
    run_in_processes(modules![
        a3a0,
        compressed,
        #[cfg(feature = "gpu")]
        hostile,
        #[cfg(feature = "gpu")]
        floods,
        hostile_shaders,
        hostile_slices,
        wtf_hostile,
    ])
}
