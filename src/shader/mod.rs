//! Shader text in, something naga can take out. Knows no wgpu.
//!
//! * [`glsl`] translates a pair of GLSL ES 3.00 texts to WGSL.

pub mod glsl;
