//! A second assembler of Direct3D bytecode, of all models: tests assemble with it what the first one disassembles. Never part of
//! what is shipped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]

pub mod legacy;
pub mod sm4;

use d3d_bytecode::{Program, decode, disassemble};

use crate::legacy::Lengths;

/// The bytes of a text as the disassembler writes it, of any model and dialect.
pub fn assemble(text: &str) -> Vec<u8> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("//")).collect();
    let text = lines.join("\n");
    let is_old = ["vs_", "ps_"].iter().any(|stage| text.starts_with(stage)) && text.as_bytes()[3] < b'4';
    let lengths = if text.contains("\n.dialect total-length\n") { Lengths::Total } else { Lengths::Microsoft };
    if is_old { legacy::assemble(&text, lengths) } else { sm4::assemble::assemble(&text) }
}

/// Assembles a program's text, and says what is different then.
pub fn same_when_assembled(program: &Program) -> Result<(), String> {
    let text = disassemble(program);
    let again = decode(&assemble(&text), 0).map_err(|error| format!("{error}\n{text}"))?;
    if again.is_same_code(program) {
        return Ok(());
    }
    let text_again = disassemble(&again);
    let line = text.lines().zip(text_again.lines()).find(|(line, again)| line != again);
    Err(format!("{line:?}\n{text}"))
}
