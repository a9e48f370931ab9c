//! Direct3D bytecode: what is read of it, and what it says.

mod corpus;
mod legacy;
mod sm4;

use crate::support::harness::{Trial, modules, trials_in};

pub fn trials() -> Vec<Trial> {
    trials_in(modules![corpus, legacy, sm4])
}
