//! Tests that need no GPU: formats, timelines, shader text, and what is known about a frame before it is drawn.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

#[cfg(feature = "cli")]
mod a3a0;
mod analysis;
mod architecture;
mod conformance;
mod d3d;
mod device_rules;
mod fixed_state;
mod fixtures;
mod sentences;
mod slices;
#[path = "../support/mod.rs"]
mod support;
mod timeline_aerogpu;

use std::process::ExitCode;

use support::harness::{modules, run};

fn main() -> ExitCode {
    run(modules![
        #[cfg(feature = "cli")]
        a3a0,
        architecture,
        conformance,
        d3d,
        device_rules,
        fixed_state,
        fixtures,
        analysis,
        sentences,
        slices,
        timeline_aerogpu,
    ])
}
