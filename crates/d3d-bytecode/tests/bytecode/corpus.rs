//! Every shader of the corpora is decoded.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use d3d_bytecode::decode;
use dev_trials::root;
use dev_trials::{Failed, Trial};

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

/// Texts of vkd3d 2.1 (`-b d3d-asm`) for the shaders of a folder beside the checkout, by file; of those that it has no
/// text for, nothing. `=== FILE` begins each. The driver's shaders it was given with Microsoft's lengths, and bit 31 set
/// in operands: it doesn't know theirs.
pub fn vkd3d_texts(name: &str) -> BTreeMap<String, String> {
    let path = root().join(format!("fixtures/d3d/{name}.vkd3d.txt"));
    let all = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let parts = all.split("=== ").filter(|part| !part.is_empty());
    let texts = parts.map(|part| part.split_once('\n').unwrap());
    texts.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
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
