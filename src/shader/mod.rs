//! Shader text → linked naga modules, without a GPU.
//!
//! [`parse_wgsl`] turns one blob into a validated [`StageModule`]; [`link`] joins a vertex and a fragment stage into a
//! [`Program`] and says what it reads: which of the ABI's two vertex attributes, and which resources, to which the ABI
//! can bind nothing.

mod binding;
mod complexity;
mod error;
mod guard;
mod program;
mod stage;
mod wgsl;

pub use binding::{Binding, BindingKind};
pub use error::{ShaderError, ShaderText};
pub use guard::{COMPILER_THREAD, guarded};
pub use program::{Program, VertexInputs, link};
pub use stage::{IoType, StageModule, Varying};
pub use wgsl::parse_wgsl;
