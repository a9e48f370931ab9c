//! A3A0 streams that mean harm: as long as a stream can be, of the shortest packets, of one packet, run thousands of times.

mod library;
mod slices;
mod traces;
mod verbs;

use crate::support::harness::{Trial, modules, trials_in};

pub fn trials() -> Vec<Trial> {
    trials_in(modules![library, slices, verbs,])
}
