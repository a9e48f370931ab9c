//! Tests that need no GPU: formats, timelines, shader text, and what is known about a frame before it is drawn.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

#[cfg(feature = "cli")]
mod a3a0;
mod analysis;
mod architecture;
mod conformance;
mod container;
mod d3d;
mod device_rules;
mod fixed_state;
mod fixtures;
#[path = "../glsl/mod.rs"]
mod glsl;
mod glsl_bad_input;
mod glsl_es100;
mod glsl_limits;
mod glsl_mutations;
mod glsl_naga;
mod glsl_pairs;
mod glsl_translate;
mod sentences;
mod slices;
#[path = "../support/mod.rs"]
mod support;
mod timeline_aerogpu;
mod timeline_export;
mod timeline_lod;
mod timeline_rules;
mod timeline_wip15;
mod wip15_damage;
mod wip15_data;
mod wtf_data;
mod wtf_orders;

use std::process::ExitCode;

use support::harness::{modules, run};

fn main() -> ExitCode {
    run(modules![
        #[cfg(feature = "cli")]
        a3a0,
        architecture,
        conformance,
        container,
        d3d,
        device_rules,
        fixed_state,
        fixtures,
        glsl_bad_input,
        glsl_es100,
        glsl_limits,
        glsl_mutations,
        glsl_naga,
        glsl_pairs,
        glsl_translate,
        analysis,
        sentences,
        slices,
        timeline_aerogpu,
        timeline_export,
        timeline_lod,
        timeline_rules,
        timeline_wip15,
        wip15_damage,
        wip15_data,
        wtf_data,
        wtf_orders,
    ])
}
