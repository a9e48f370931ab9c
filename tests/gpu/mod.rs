//! Tests of drawn pixels. They need software Vulkan, and software GL for some.

mod api_twins;
mod backends;
mod bad_submissions;
mod computed;
mod conformance;
mod d3d_programs;
mod direct3d_pictures;
mod draw_fields;
mod draw_times;
mod driver_meanings;
mod driver_scenes;
mod dxbc;
mod edges;
mod examples;
mod frame_starts;
mod freed_memory;
mod glsl_twins;
mod group_memory;
mod kept;
mod kept_pictures;
mod lacks;
mod legacy_programs;
mod look_ahead;
mod made_programs;
mod mesh;
mod mismatched;
mod pixels;
mod probe;
mod random_streams;
mod refusals;
mod refused_resources;
mod seek;
mod submission_caches;
mod submissions;
mod submitted_mesh;
mod submitted_questions;
mod targets;
mod vertex_streams;
mod walk;

use crate::support::harness::{Trial, modules, trials_in};

pub fn trials() -> Vec<Trial> {
    trials_in(modules![
        api_twins,
        backends,
        bad_submissions,
        computed,
        conformance,
        d3d_programs,
        direct3d_pictures,
        draw_fields,
        draw_times,
        driver_meanings,
        driver_scenes,
        dxbc,
        edges,
        examples,
        frame_starts,
        freed_memory,
        glsl_twins,
        group_memory,
        kept_pictures,
        lacks,
        legacy_programs,
        look_ahead,
        mesh,
        mismatched,
        pixels,
        probe,
        random_streams,
        refusals,
        refused_resources,
        seek,
        submission_caches,
        submissions,
        submitted_mesh,
        submitted_questions,
        targets,
        vertex_streams,
        walk,
    ])
}
