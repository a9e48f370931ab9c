//! Traces that are written, read, damaged and encoded again. Small ones of our own lie in `fixtures/aerogpu`; others are
//! looked for in `../shared/data/a3a0`, and those that are not there are *ignored*, never passed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod container;
mod hostile;
mod lowering;
mod recording;
mod round_trip;

use std::process::ExitCode;

use dev_trials::{modules, run};

fn main() -> ExitCode {
    run(modules![container, hostile, lowering, recording, round_trip])
}
