//! The program as a user runs it.

mod analysis_cli;
mod bisect_input;
#[cfg(unix)]
mod book;
mod compare;
mod completions;
#[cfg(unix)]
mod compressed;
mod conformance;
mod doctor;
#[cfg(target_os = "linux")]
mod every_verb;
mod faults;
#[cfg(unix)]
mod first_contact;
mod first_questions;
mod frame_budget;
#[cfg(unix)]
mod help_examples;
mod info_dump;
#[cfg(target_os = "linux")]
mod interrupted_outputs;
#[cfg(unix)]
mod irregular_files;
mod json_lines;
pub mod keep_going;
mod mcp;
mod mixed_abis;
mod mixed_file;
mod mutants;
#[cfg(target_os = "linux")]
mod output_nodes;
mod own_input;
mod picture_formats;
mod probe_verbs;
mod programs;
#[cfg(unix)]
mod prompt;
mod random_questions;
mod render_cli;
mod resource_names;
mod serve;
mod served_questions;
mod shader_stages;
#[cfg(target_os = "linux")]
mod slow_traces;
mod targets;
mod timeline_cli;
mod timeline_data_cli;
mod trace_verbs;
mod verbs;
mod worker;

use crate::support::harness::{Trial, modules, trials_in};

pub fn trials() -> Vec<Trial> {
    trials_in(modules![
        completions,
        #[cfg(unix)]
        compressed,
        conformance,
        doctor,
        #[cfg(target_os = "linux")]
        every_verb,
        faults,
        #[cfg(unix)]
        first_contact,
        first_questions,
        frame_budget,
        info_dump,
        analysis_cli,
        bisect_input,
        compare,
        #[cfg(unix)]
        book,
        #[cfg(unix)]
        help_examples,
        #[cfg(unix)]
        irregular_files,
        json_lines,
        keep_going,
        mcp,
        #[cfg(target_os = "linux")]
        interrupted_outputs,
        mixed_abis,
        mixed_file,
        mutants,
        #[cfg(target_os = "linux")]
        output_nodes,
        own_input,
        picture_formats,
        probe_verbs,
        programs,
        #[cfg(unix)]
        prompt,
        random_questions,
        render_cli,
        resource_names,
        serve,
        served_questions,
        shader_stages,
        #[cfg(target_os = "linux")]
        slow_traces,
        targets,
        timeline_cli,
        timeline_data_cli,
        trace_verbs,
        worker,
    ])
}
