//! Programs of SM1 to SM3.

mod assembled;
mod cases;
mod corpus;
mod coverage;
mod errors;
mod flow;
mod hostile;
mod lengths;
mod real;

use crate::shared;
use d3d_bytecode::{BytecodeError, Program, decode, disassemble};
use dev_d3d_assembler::legacy::{Lengths, assemble};
use dev_trials::Trial;

pub fn trials() -> Vec<Trial> {
    let lists = [
        assembled::trials(),
        cases::trials(),
        corpus::trials(),
        coverage::trials(),
        errors::trials(),
        flow::trials(),
        hostile::trials(),
        lengths::trials(),
        real::trials(),
    ];
    lists.into_iter().flatten().collect()
}

/// The committed programs: one a model, made of text by another assembler, and what vkd3d 2.1 makes of each.
const MODELS: [&str; 11] =
    ["vs_1_1", "vs_2_0", "vs_2_x", "vs_3_0", "ps_1_1", "ps_1_2", "ps_1_3", "ps_1_4", "ps_2_0", "ps_2_x", "ps_3_0"];

fn fixture(name: &str) -> Vec<u8> {
    crate::fixture(&format!("legacy/{name}"))
}

/// A program at some offset of a file.
fn decode_at(offset: u64, bytes: &[u8]) -> Result<Program, BytecodeError> {
    decode(bytes, offset)
}

/// A program that lies at the start of a file.
fn decoded(bytes: &[u8]) -> Program {
    decode_at(0, bytes).unwrap_or_else(|error| panic!("{error}"))
}

/// The bytes of a program without its comments and without what follows it.
fn without_comments(bytes: &[u8], program: &Program) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut from = 0;
    for comment in program.comments() {
        let at = comment.offset.0 as usize;
        kept.extend(&bytes[from..at]);
        from = at + 4 + comment.size_bytes as usize;
    }
    kept.extend(&bytes[from..program.size_bytes() as usize]);
    kept
}

/// Holds that a program's text assembles to the same program.
fn assert_symmetric(name: &str, bytes: &[u8], lengths: Lengths) {
    let program = decoded(&without_comments(bytes, &decoded(bytes)));
    let text = disassemble(&program);
    let again = decoded(&assemble(&text, lengths));
    assert!(program == again, "{name}:\n{text}\nassembles to\n{}", disassemble(&again));
}
