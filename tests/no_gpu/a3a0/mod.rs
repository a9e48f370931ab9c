//! A3A0 command streams. Small traces of our own lie in `fixtures/aerogpu/a3a0`; others are looked for in
//! `../shared/data/a3a0`, and what is not there is *ignored*, never passed.

mod checkpoints;
mod contents;
mod contract;
mod corpus;
mod cost;
mod every_byte;
mod input_hashes;
mod lint_rules;
mod markers;
mod passes;
mod repairs;
mod row_identities;
mod scenes;
mod trim;
mod verbs;

use crate::support::harness::{Trial, modules, trials_in};

pub fn trials() -> Vec<Trial> {
    trials_in(modules![
        checkpoints,
        contents,
        contract,
        corpus,
        cost,
        every_byte,
        input_hashes,
        lint_rules,
        markers,
        passes,
        repairs,
        row_identities,
        scenes,
        trim,
        verbs
    ])
}
