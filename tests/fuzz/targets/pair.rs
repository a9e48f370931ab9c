//! Questions that both targets ask of a pair of texts.

use aerogpu_replay::shader::glsl::{ClipConvention, GlslOptions};
use aerogpu_replay::shader::{ShaderError, ShaderText, link_glsl};

pub const VERTEX: &[u8] = b"#version 300 es\nin vec4 a_position; in vec4 a_color; out vec4 v_a; out vec4 v_b;\n\
    void main() { v_a = a_color; v_b = a_color.wzyx; gl_Position = a_position; }\n";
#[allow(dead_code, reason = "only one target needs it")]
pub const FRAGMENT: &[u8] = b"#version 300 es\nprecision highp float;\nout vec4 o;\nvoid main() { o = vec4(1.0); }\n";

/// A pair is a program that naga takes, or a typed error; libFuzzer's hook makes a crash of any panic on the way.
pub fn check(vertex: &[u8], fragment: &[u8]) {
    for clip in [ClipConvention::Auto, ClipConvention::Naga] {
        let options = GlslOptions { clip, ..GlslOptions::default() };
        let text = |bytes| ShaderText { bytes, offset: 0x10 };
        match link_glsl(text(vertex), text(fragment), &options) {
            Err(error @ ShaderError::CompilerBroke { .. }) => panic!("naga refuses the translation: {error}"),
            Err(error) => drop(error.to_string()),
            Ok(_) => {}
        }
    }
}
