//! Our pictures against those of the machine's own GLES driver. GL contexts and software rasterisers don't mix well across
//! threads, so no process runs two trials at a time.

mod glsl_judge;

use crate::support::harness::{Trial, modules, trials_in};

pub fn trials() -> Vec<Trial> {
    trials_in(modules![glsl_judge,])
}
