//! The list of sentences: one file for each module of `src` and for each crate, one heading for each of its files, one line for each
//! sentence, sorted. Nothing in it moves but by words that change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Sentences by the file that says them.
pub type Sentences = BTreeMap<String, BTreeSet<String>>;

const HEADING: &str = "§ ";

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sentences")
}

/// The file of the list that holds the sentences of a source file: `src/gpu/device.rs` is in `gpu.txt`, those of
/// `crates/glsl-es` are in `glsl-es.txt`.
fn page_of(file: &str) -> String {
    let module = file.split('/').nth(1).unwrap();
    format!("{}.txt", module.split('.').next().unwrap())
}

/// The files of a list, by name.
pub fn to_pages(sentences: &Sentences) -> BTreeMap<String, String> {
    let mut pages = BTreeMap::<String, String>::new();
    for (file, lines) in sentences.iter().filter(|(_, lines)| !lines.is_empty()) {
        let page = pages.entry(page_of(file)).or_default();
        let blank = if page.is_empty() { "" } else { "\n" };
        page.push_str(&format!("{blank}{HEADING}{file}\n"));
        lines.iter().for_each(|line| page.push_str(&format!("{line}\n")));
    }
    pages
}

/// The list as it is kept.
pub fn read() -> Sentences {
    let mut sentences = Sentences::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let mut of = None;
        for line in text.lines().filter(|line| !line.is_empty()) {
            match (line.strip_prefix(HEADING), &of) {
                (Some(file), _) => of = Some(file.to_owned()),
                (None, Some(file)) => drop(sentences.entry(file.clone()).or_default().insert(line.to_owned())),
                (None, None) => panic!("{line:?} is under no heading"),
            }
        }
    }
    sentences
}

/// Puts a list in the place of the one that is kept.
pub fn write(sentences: &Sentences) {
    fs::create_dir_all(folder()).unwrap();
    let pages = to_pages(sentences);
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if !pages.contains_key(path.file_name().unwrap().to_str().unwrap()) {
            fs::remove_file(path).unwrap();
        }
    }
    pages.iter().for_each(|(name, text)| fs::write(folder().join(name), text).unwrap());
}

/// The sentences of `a` that `b` does not have, each behind its file.
pub fn only_in(a: &Sentences, b: &Sentences) -> Vec<String> {
    let none = BTreeSet::new();
    let of_file = |(file, lines): (&String, &BTreeSet<String>)| {
        let others = b.get(file).unwrap_or(&none);
        lines.difference(others).map(|line| format!("{file}: {line}")).collect::<Vec<_>>()
    };
    a.iter().flat_map(of_file).collect()
}
