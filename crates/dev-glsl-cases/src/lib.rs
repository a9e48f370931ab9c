//! Pairs of shaders in GLSL ES that the tests of several crates translate, and the judgement of naga on what becomes of them.
//! Never part of what is shipped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]

pub mod cases;
pub mod corpus;
pub mod es100;
pub mod es310;
pub mod language;
pub mod mutate;
pub mod random;
pub mod wide;

use glsl_es::{self as glsl, GlslError, GlslOptions, GlslSource, Linked};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga_gate::guarded;
use trace_base::bytes::FindingKind;

pub const VERTEX: &str = "#version 300 es\nin vec4 a_position;\nvoid main() { gl_Position = a_position; }\n";
pub const FRAGMENT: &str = "#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() { o = vec4(1.0); }\n";

pub fn link(vertex: &str, fragment: &str) -> Result<Linked, GlslError> {
    glsl::link(
        GlslSource { text: vertex.as_bytes(), offset: 0 },
        GlslSource { text: fragment.as_bytes(), offset: 0 },
        &GlslOptions::default(),
    )
}

/// Remarks on what a sound pair has and may not have.
pub fn oddities(vertex: &str, fragment: &str) -> Vec<String> {
    let linked = glsl::link(
        GlslSource { text: vertex.as_bytes(), offset: 0 },
        GlslSource { text: fragment.as_bytes(), offset: 0 },
        &GlslOptions::default(),
    )
    .unwrap_or_else(|error| panic!("{error}\n{vertex}\n{fragment}"));
    let odd = linked.remarks.into_iter().filter(|remark| remark.kind == FindingKind::Oddity);
    odd.map(|remark| remark.what).collect()
}

/// A fragment shader: declarations, then statements of `main`.
pub fn fragment(declarations: &str, body: &str) -> String {
    format!(
        "#version 300 es\nprecision highp float;\nprecision highp int;\nout vec4 o;\n{declarations}\nvoid main() {{\n{body}\n}}\n"
    )
}

/// A vertex shader: declarations, then statements of `main`.
pub fn vertex(declarations: &str, body: &str) -> String {
    format!(
        "#version 300 es\nin vec4 a_position;\n{declarations}\nvoid main() {{\ngl_Position = a_position;\n{body}\n}}\n"
    )
}

/// Parses and validates WGSL as the program does: on a thread with a deep stack, with everything naga checks, and what every WebGPU can do.
pub fn validate(wgsl: &str) -> Result<(naga::Module, ModuleInfo), String> {
    guarded(|| validate_here(wgsl))?
}

fn validate_here(wgsl: &str) -> Result<(naga::Module, ModuleInfo), String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
    let capabilities = Capabilities::default() | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|error| error.emit_to_string(wgsl))?;
    Ok((module, info))
}

/// Translates a pair and has naga take both modules.
pub fn accepted(name: &str, vertex: &str, fragment: &str) -> Linked {
    let linked = link(vertex, fragment).unwrap_or_else(|error| panic!("{name}: {error}"));
    for wgsl in [&linked.vertex_wgsl, &linked.fragment_wgsl] {
        if let Err(error) = validate(wgsl) {
            panic!("{name}: {error}\n{vertex}\n{fragment}\n{wgsl}");
        }
    }
    linked
}
