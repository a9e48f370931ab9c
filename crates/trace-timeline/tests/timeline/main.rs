//! Recordings that are read, damaged, measured and exported.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod export;
mod lod;
mod rules;
mod wip15;
mod wip15_damage;
mod wip15_data;
mod wtf_data;
mod wtf_orders;

use std::process::ExitCode;

use dev_trials::{modules, run};

fn main() -> ExitCode {
    run(modules![export, lod, rules, wip15, wip15_damage, wip15_data, wtf_data, wtf_orders])
}
