//! Writes texts to begin from: `seeds FOLDER`.

#![allow(dead_code, reason = "the tests use the rest")]

#[path = "../../glsl/mod.rs"]
mod glsl;

use std::path::{Path, PathBuf};

fn main() {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("usage: seeds FOLDER"));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let mut cases = glsl::language::all();
    cases.extend((0..200).map(glsl::random::random));
    cases.extend((0..200).map(glsl::wide::wide));
    let mut pairs: Vec<(String, String)> = cases.into_iter().map(|case| (case.vertex, case.fragment)).collect();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/glsl/pairs");
    for entry in std::fs::read_dir(fixtures).expect("the fixtures") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "vert") {
            let read = |extension| std::fs::read_to_string(path.with_extension(extension)).expect("a text");
            pairs.push((read("vert"), read("frag")));
        }
    }
    for (number, (vertex, fragment)) in pairs.iter().enumerate() {
        std::fs::write(folder.join(format!("{number:04}")), format!("{vertex}\x1e{fragment}")).expect("a file");
    }
    println!("{} seeds in {}", pairs.len(), folder.display());
}
