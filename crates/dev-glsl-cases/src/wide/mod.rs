//! Random whole programs: structs, arrays, matrices of every shape, functions with `out` and `inout`, loops, switches,
//! uniforms and blocks of any layout, textures, varyings of any type, macros, and work in the vertex stage too.
//!
//! Nothing in them is undefined in GLSL: divisors, shifts, indices and domains are kept in range, an expression has no
//! effects of which the order is open, implicit derivatives stand in uniform control flow. Floats are squeezed into
//! −4..4 wherever they are kept, so that last bits don't grow, and are compared with a distance from where they often
//! are equal.

mod expression;
mod program;
mod statement;
mod types;

use std::sync::Arc;

use glsl_es::{Struct, Type};

use super::cases::Case;
use super::random::Choices;

/// A variable that can be read.
#[derive(Clone)]
struct Var {
    name: String,
    ty: Type,
    /// Whether it can be assigned here.
    writable: bool,
    /// Whether it is a constant expression.
    constant: bool,
}

/// Way in which a parameter is passed.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    In,
    Out,
    InOut,
}

/// A function that can be called.
#[derive(Clone)]
struct Callable {
    name: String,
    returns: Type,
    parameters: Vec<(Type, Way)>,
    /// Whether it changes nothing but its `out` parameters.
    pure: bool,
}

/// Program that is being written.
struct Generator {
    choices: Choices,
    vertex: bool,
    structs: Vec<Arc<Struct>>,
    scopes: Vec<Vec<Var>>,
    functions: Vec<Callable>,
    /// Names of two-dimensional float textures, and of others with their sampler's keyword.
    textures: Vec<(String, &'static str)>,
    next: usize,
    out: String,
    /// Loops around the current statement.
    loops: usize,
    /// `do` loops around it, which all pixels leave together: Mesa goes on writing what is computed in such a loop for
    /// pixels that have left it, as long as others of their group have not.
    do_loops: usize,
    /// Whether the innermost loop is one of those.
    in_do: bool,
    /// Whether all pixels come here together, so that derivatives are defined.
    together: bool,
    /// Whether some pixels may have been discarded.
    left: bool,
    /// Whether only constant expressions may be written.
    constant: bool,
    /// Whether indices are written to a variable before the statement: Mesa reads the index of an `out` argument again
    /// after the call, which may have changed it.
    indices_first: bool,
    /// Type that the current function returns, and whether it may write globals and discard.
    returns: Option<Type>,
    may_write_globals: bool,
    wrote_globals: bool,
    /// Function-like macros: name, parameters.
    macros: Vec<(String, usize)>,
}

/// The random program with this number.
pub fn wide(seed: u64) -> Case {
    program::program(seed)
}
