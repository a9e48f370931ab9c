//! Direct3D bytecode: what is read of it, and what it says.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod corpus;
mod legacy;
mod sm4;
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;

use support::harness::{modules, run};

fn main() -> ExitCode {
    run(modules![corpus, legacy, sm4])
}
