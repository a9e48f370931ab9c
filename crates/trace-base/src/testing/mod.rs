//! Random numbers and damage to files, both reproducible, for the tests of several crates. Not for programs.
//!
//! ```
//! use trace_base::testing::{mutate::mutant, random::Random};
//!
//! let whole = [7; 64];
//! assert_eq!(mutant(&whole, &mut Random::new(3)), mutant(&whole, &mut Random::new(3)));
//! ```

#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "tests panic")]

pub mod mutate;
pub mod random;
