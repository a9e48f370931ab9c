//! Limits for files that mean harm: the peak of a process's memory is measured, so none runs two trials at a time.

mod a3a0;
mod compressed;
pub mod floods;
mod hostile;
mod hostile_shaders;
mod hostile_slices;
mod wtf_hostile;

use crate::MEMORY;
use crate::support::harness::{Trial, modules, trials_in};

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

pub fn trials() -> Vec<Trial> {
    trials_in(modules![a3a0, compressed, hostile, floods, hostile_shaders, hostile_slices, wtf_hostile,])
}
