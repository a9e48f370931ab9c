//! Translated pairs of shaders, drawn with wgpu and described for the judge.

pub mod gpu;
pub mod twin;
