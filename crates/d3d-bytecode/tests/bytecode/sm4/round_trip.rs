//! A program's text says all of it: assembled again, it is the same program.

use std::fs;
use std::path::Path;

use crate::corpus::{FOLDERS, shaders};
use d3d_bytecode::{assemble, decode, disassemble};
use dev_d3d_assembler::same_when_assembled;
use dev_trials::root;
use dev_trials::{Failed, Trial};

pub fn trials() -> Vec<Trial> {
    FOLDERS
        .map(|folder| {
            let path = root().join(folder);
            let is_absent = !path.is_dir();
            Trial::test(format!("round_trip/{folder}"), move || round_trip(&path)).with_ignored_flag(is_absent)
        })
        .into()
}

fn round_trip(folder: &Path) -> Result<(), Failed> {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for path in shaders(folder) {
        let Ok(program) = decode(&fs::read(&path)?, 0) else { continue };
        if program.version().is_d3d9() {
            continue;
        }
        count += 1;
        if let Err(difference) = same_when_assembled(&program) {
            wrong.push(format!("{}: {difference}", path.display()));
        }
        if let Err(difference) = same_by_our_assembler(&disassemble(&program)) {
            wrong.push(format!("{}: {difference}", path.display()));
        }
    }
    assert!(count > 6, "only {count} programs in {}", folder.display());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The library's assembler, whose bytecode is Microsoft's whichever the shader had.
fn same_by_our_assembler(text: &str) -> Result<(), String> {
    let (bytes, program) = assemble(text).map_err(|error| format!("{error}\n{text}"))?;
    let without_dialect = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with(".dialect ")).map(str::to_owned).collect()
    };
    let again = disassemble(&program);
    if without_dialect(text) != without_dialect(&again) {
        let (old, new) = (without_dialect(text), without_dialect(&again));
        let line = old.iter().zip(&new).find(|(old, new)| old != new);
        return Err(format!("{line:?}\n{text}"));
    }
    let decoded = decode(&bytes, 0).map_err(|error| error.to_string())?;
    if decoded.is_same_code(&program) { Ok(()) } else { Err(format!("it tells of another program\n{text}")) }
}
