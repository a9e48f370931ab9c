//! Every shader of the corpora is decoded.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::harness::{Failed, Trial};
use crate::support::root;
use aerogpu_replay::shader::d3d::decode;

/// Where shaders lie: ours, and those beside the checkout.
pub const FOLDERS: [&str; 2] = ["fixtures/d3d/sm4", "../shared/data/dxbc"];

pub fn trials() -> Vec<Trial> {
    FOLDERS
        .iter()
        .map(|folder| {
            let folder = root().join(folder);
            let is_absent = !folder.is_dir();
            Trial::test(format!("decodes/{}", folder.display()), move || decodes_all(&folder))
                .with_ignored_flag(is_absent)
        })
        .collect()
}

pub fn shaders(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let is_shader = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "dxbc");
    files.retain(is_shader);
    files.sort();
    files
}

fn decodes_all(folder: &Path) -> Result<(), Failed> {
    let mut failed = Vec::new();
    let files = shaders(folder);
    for path in &files {
        if let Err(error) = decode(&fs::read(path)?, 0) {
            failed.push(format!("{}: {error}", path.display()));
        }
    }
    assert!(!files.is_empty());
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n").into()) }
}
