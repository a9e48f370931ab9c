//! Direct3D bytecode: what is read of it, and what it says.

mod corpus;
mod driver_scenes;
mod legacy;
mod sm4;
mod stored_textures;
mod streams;
mod translate;

use std::fs;
use std::path::PathBuf;

use crate::support::harness::{Trial, modules, trials_in};
use crate::support::root;
use aerogpu_replay::shader::d3d::{Program, decode, disassemble};
use legacy::Lengths;

pub fn trials() -> Vec<Trial> {
    trials_in(modules![corpus, driver_scenes, legacy, sm4, stored_textures, streams, translate])
}

/// A committed shader.
pub fn fixture(name: &str) -> Vec<u8> {
    let path = root().join("fixtures/d3d").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A folder of what lies beside the checkout, where it does.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = root().join("../shared/data").join(folder);
    path.is_dir().then_some(path)
}

/// The bytes of a text as the disassembler writes it, of any model and dialect.
pub fn assemble(text: &str) -> Vec<u8> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("//")).collect();
    let text = lines.join("\n");
    let is_old = ["vs_", "ps_"].iter().any(|stage| text.starts_with(stage)) && text.as_bytes()[3] < b'4';
    let lengths = if text.contains("\n.dialect total-length\n") { Lengths::Total } else { Lengths::Microsoft };
    if is_old { legacy::assemble::assemble(&text, lengths) } else { sm4::assemble::assemble(&text) }
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
