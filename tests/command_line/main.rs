//! The program as a user runs it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod analysis_cli;
mod bisect_input;
#[cfg(all(feature = "gpu", unix))]
mod book;
mod compare;
mod completions;
#[cfg(all(feature = "gpu", unix))]
mod compressed;
mod conformance;
mod doctor;
#[cfg(all(feature = "gpu", target_os = "linux"))]
mod every_verb;
#[cfg(feature = "gpu")]
mod faults;
#[cfg(all(feature = "window", unix))]
mod first_contact;
mod first_questions;
#[cfg(feature = "gpu")]
mod frame_budget;
#[cfg(all(feature = "gpu", unix))]
mod help_examples;
mod info_dump;
#[cfg(all(feature = "gpu", target_os = "linux"))]
mod interrupted_outputs;
#[cfg(all(feature = "gpu", unix))]
mod irregular_files;
#[cfg(feature = "gpu")]
mod json_lines;
#[cfg(feature = "gpu")]
mod keep_going;
#[cfg(feature = "gpu")]
mod mixed_abis;
#[cfg(feature = "gpu")]
mod mixed_file;
mod mutants;
#[cfg(all(feature = "gpu", target_os = "linux"))]
mod output_nodes;
#[cfg(feature = "gpu")]
mod own_input;
#[cfg(feature = "gpu")]
mod picture_formats;
#[cfg(feature = "gpu")]
mod probe_verbs;
mod programs;
#[cfg(all(feature = "window", unix))]
mod prompt;
#[cfg(feature = "gpu")]
mod random_questions;
#[cfg(feature = "gpu")]
mod render_cli;
#[cfg(feature = "gpu")]
mod resource_names;
#[cfg(feature = "gpu")]
mod serve;
#[cfg(feature = "gpu")]
mod shader_stages;
#[cfg(all(feature = "gpu", target_os = "linux"))]
mod slow_traces;
#[path = "../support/mod.rs"]
mod support;
#[cfg(feature = "gpu")]
mod targets;
mod timeline_cli;
mod timeline_data_cli;
mod trace_verbs;
#[cfg(feature = "gpu")]
mod verbs;
#[cfg(feature = "gpu")]
mod worker;

use std::process::ExitCode;

use support::harness::{modules, run};

fn main() -> ExitCode {
    run(modules![
        completions,
        #[cfg(all(feature = "gpu", unix))]
        compressed,
        conformance,
        doctor,
        #[cfg(all(feature = "gpu", target_os = "linux"))]
        every_verb,
        #[cfg(feature = "gpu")]
        faults,
        #[cfg(all(feature = "window", unix))]
        first_contact,
        first_questions,
        #[cfg(feature = "gpu")]
        frame_budget,
        info_dump,
        analysis_cli,
        bisect_input,
        compare,
        #[cfg(all(feature = "gpu", unix))]
        book,
        #[cfg(all(feature = "gpu", unix))]
        help_examples,
        #[cfg(all(feature = "gpu", unix))]
        irregular_files,
        #[cfg(feature = "gpu")]
        json_lines,
        #[cfg(feature = "gpu")]
        keep_going,
        #[cfg(all(feature = "gpu", target_os = "linux"))]
        interrupted_outputs,
        #[cfg(feature = "gpu")]
        mixed_abis,
        #[cfg(feature = "gpu")]
        mixed_file,
        mutants,
        #[cfg(all(feature = "gpu", target_os = "linux"))]
        output_nodes,
        #[cfg(feature = "gpu")]
        own_input,
        #[cfg(feature = "gpu")]
        picture_formats,
        #[cfg(feature = "gpu")]
        probe_verbs,
        programs,
        #[cfg(all(feature = "window", unix))]
        prompt,
        #[cfg(feature = "gpu")]
        random_questions,
        #[cfg(feature = "gpu")]
        render_cli,
        #[cfg(feature = "gpu")]
        resource_names,
        #[cfg(feature = "gpu")]
        serve,
        #[cfg(feature = "gpu")]
        shader_stages,
        #[cfg(all(feature = "gpu", target_os = "linux"))]
        slow_traces,
        #[cfg(feature = "gpu")]
        targets,
        timeline_cli,
        timeline_data_cli,
        trace_verbs,
        #[cfg(feature = "gpu")]
        worker,
    ])
}
