//! The gate that shaders of every front end pass before a compiler can take time or memory without end.
//!
//! ```
//! let text = "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }";
//! naga_gate::check_text(text).expect("a text that naga may read");
//! let module = naga_gate::guarded(|| naga::front::wgsl::parse_str(text)).unwrap().unwrap();
//! naga_gate::check_module(&module).expect("a module that may be validated");
//! ```
//!
//! ```text
//!  WGSL ────────────────────────┐
//!  GLSL ──[glsl]──► WGSL ───────┴─[check_text]──► naga's parser ──┐
//!  bytecode ──[d3d::translate]────────────────────────────────────┴─► module ──[check_module]──► validator, backends
//! ```
//!
//! naga's parser recurses, evaluates constants, and takes time with the square of what it reads. [`check_text`] decides by
//! tokens alone whether a text is one for it. Whatever made a module, [`check_module`] decides whether it is one for the
//! validator, the backends and drivers. The limits stand in [`crate::limits`], each with its reason.

#![forbid(unsafe_code)]
// The example of the README is tried.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod depth;
mod expansion;
mod guard;
mod length;
pub mod limits;
mod numbers;
mod sizes;
mod tokens;

use naga::{Module, Span};

pub use expansion::check_expressions;
pub use guard::{Broken, COMPILER_THREAD, guarded};

/// A limit that a shader goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Name of the size that is over its limit, for "the shader's … is".
    pub what: &'static str,
    /// Its value, or the first value over the limit.
    pub found: u64,
    /// The cap.
    pub limit: u64,
    /// Where, as a byte of the text or bytecode, if that is known.
    pub place: Option<usize>,
}

impl Exceeded {
    /// An error if there is more than the limit.
    fn above(what: &'static str, found: u64, limit: u64, place: Option<usize>) -> Result<(), Self> {
        if found > limit { Err(Self { what, found, limit, place }) } else { Ok(()) }
    }
}

/// Checks a text in WGSL, valid or not, before it is parsed.
pub fn check_text(text: &str) -> Result<(), Exceeded> {
    depth::check(text)?;
    length::check(text)
}

/// Checks a module, valid or not, before it is validated.
pub fn check_module(module: &Module) -> Result<(), Exceeded> {
    numbers::check(module)?;
    let sizes = sizes::check(module)?;
    expansion::check(module, &sizes)
}

/// The first byte of a span.
fn start_of(span: Span) -> Option<usize> {
    span.to_range().map(|range| range.start)
}
