//! Texts that are translated, refused, cut and changed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod bad_input;
mod es100;
mod limits;
mod mutations;
mod naga;
mod pairs;
mod translate;

use std::process::ExitCode;

use dev_trials::{modules, run};

fn main() -> ExitCode {
    run(modules![bad_input, es100, limits, mutations, naga, pairs, translate])
}
