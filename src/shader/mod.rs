//! Shader text → linked naga modules, and Direct3D bytecode → programs ([`d3d`]), without a GPU.
//!
//! ```
//! use aerogpu_replay::command::ShaderStage;
//! use aerogpu_replay::shader::{ShaderText, parse_wgsl};
//!
//! let text = b"@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(); }";
//! let stage = parse_wgsl(ShaderText { bytes: text, offset: 0 }, ShaderStage::Fragment)?;
//! assert!(stage.inputs.is_empty());
//! # Ok::<(), aerogpu_replay::shader::ShaderError>(())
//! ```
//!
//! ```text
//!  WGSL blob ──[parse_wgsl]──► StageModule ──[link]──► Program
//!  GLSL blobs ─[glsl::link]──► WGSL of both stages ────┘
//! ```
//!
//! [`parse_wgsl`] turns one text into a validated [`StageModule`]; [`link`] joins a vertex and a fragment stage into a
//! [`Program`] and says what it reads: which of the ABI's two vertex attributes, and which resources, to which the ABI
//! can bind nothing. [`link_glsl`] does all of it for a pair of GLSL ES 3.00 texts.
//! [`ShaderLanguage`] lists the languages, for all who need not know which one it is.

mod api_dependent;
mod binding;
mod endless;
mod error;
mod expressions;
mod fragment_override;
mod front_end_error;
mod gl_form;
mod gl_loops;
mod glsl_issues;
mod language;
mod program;
mod renumber;
mod stage;
mod translate;
mod vertex_capture;
mod vertex_values;
mod web_form;
mod wgsl;

pub use api_dependent::{ApiDependence, api_dependences};
pub use binding::{Binding, BindingKind};
pub use error::{ShaderError, ShaderText};
pub use fragment_override::{FragmentOverride, Paint, surviving_paint};
pub use front_end_error::{FrontEnd, FrontEndError, IssueRange, RelatedIssue, ShaderIssue, ShaderRemark};
pub use gl_form::{gl_form, webgl_form};
pub use glsl::{EndlessLoop, ProvokingVertex};
pub use language::{Compiler, LanguageChoice, LanguageFacts, NoSuchChoice, Rewrite, ShaderLanguage};
pub use naga_gate::{Broken, COMPILER_THREAD, guarded};
pub use program::{Program, VertexInputs, link};
pub use stage::{IoType, StageModule, Varying};
pub use translate::link_glsl;
pub use vertex_capture::{CAPTURE_ENTRY, INPUT_WORDS, VertexCapture, WORKGROUP_VERTICES, capture_of_vertex_stage};
pub use vertex_values::{POINTS_ENTRY, PointGrid, StageValue, VertexInterface, vertex_interface, vertices_as_points};
pub use web_form::web_form;
pub use wgsl::parse_wgsl;
pub use {d3d_bytecode as d3d, glsl_es as glsl};

#[cfg(test)]
mod tests;
