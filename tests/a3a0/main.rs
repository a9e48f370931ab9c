//! A3A0 command streams. Small traces of our own lie in `fixtures/aerogpu/a3a0`; others are looked for in
//! `../shared/data/a3a0`, and what is not there is *ignored*, never passed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod corpus;
mod hostile;
mod made;
mod recording;
mod round_trip;
#[path = "../support/mod.rs"]
mod support;
mod verbs;

use std::process::ExitCode;

use support::harness::{modules, run};

fn main() -> ExitCode {
    run(modules![corpus, hostile, recording, round_trip, verbs])
}
