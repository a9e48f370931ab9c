//! A program's text says all of it: assembled again, it is the same program.

use std::fs;
use std::path::Path;

use crate::d3d::corpus::{FOLDERS, shaders};
use crate::d3d::same_when_assembled;
use crate::support::harness::{Failed, Trial};
use crate::support::root;
use aerogpu_replay::shader::d3d::decode;

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
    }
    assert!(count > 6, "only {count} programs in {}", folder.display());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
