//! Digest of the canonical text, diagnostics and exit code of every trace that has known ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::harness::{Failed, Trial, trials_of};
use crate::support::root;

/// A file, and what is known of it.
struct Known {
    name: String,
    path: PathBuf,
    sha256: String,
    exit: i32,
    /// Severity, class and offset of each; for damaged files the one that they were made for.
    diagnostics: Vec<Value>,
    /// Number of packets and presents, where it is known.
    counts: Option<(u64, u64)>,
}

fn shared() -> PathBuf {
    root().join("../shared/data/a3a0")
}

fn read_json(path: &Path) -> Option<Value> {
    Some(serde_json::from_slice(&fs::read(path).ok()?).unwrap())
}

fn whole_files(root: &Path) -> Vec<Known> {
    let expected = read_json(&root.join("expected.json")).unwrap_or_default();
    let known = |(name, expected): (&String, &Value)| Known {
        name: name.clone(),
        path: root.join(name),
        sha256: expected["canonical_sha256"].as_str().unwrap().to_owned(),
        exit: expected["exit"].as_i64().unwrap() as i32,
        diagnostics: expected["diagnostics"].as_array().unwrap().clone(),
        counts: Some((expected["packets"].as_u64().unwrap(), expected["presents"].as_u64().unwrap())),
    };
    expected.as_object().into_iter().flatten().map(known).collect()
}

fn damaged_files(root: &Path) -> Vec<Known> {
    let manifest = read_json(&root.join("bad/manifest.json")).unwrap_or_default();
    let known = |entry: &Value| {
        let file = entry["file"].as_str().unwrap();
        let diagnostic = json!([entry["severity"], entry["class"], entry["offset"]]);
        Known {
            name: format!("bad/{file}"),
            path: root.join("bad").join(file),
            sha256: entry["canonical_sha256"].as_str().unwrap().to_owned(),
            exit: entry["dump_exit"].as_i64().unwrap() as i32,
            diagnostics: if entry["class"].is_null() { Vec::new() } else { vec![diagnostic] },
            counts: None,
        }
    };
    manifest["files"].as_array().into_iter().flatten().map(known).collect()
}

pub fn trials() -> Vec<Trial> {
    let root = shared();
    let known: Vec<Known> = whole_files(&root).into_iter().chain(damaged_files(&root)).collect();
    let mut trials: Vec<Trial> = trials_of![a_listing_is_refused_beside_a_text];
    if known.is_empty() {
        trials.push(Trial::test("shared", || Err("../shared/data/a3a0 is missing".into())).with_ignored_flag(true));
    }
    trials.extend(known.into_iter().map(|known| Trial::test(known.name.clone(), move || check(&known))));
    trials
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_aerogpu-replay")).args(arguments).output().unwrap()
}

fn check(known: &Known) -> Result<(), Failed> {
    let output = run(&["dump", known.path.to_str().unwrap(), "--canonical", "packets"]);
    let text = String::from_utf8(output.stdout.clone())?;
    let found: Vec<Value> = text.lines().filter_map(diagnostic).collect();
    let is_expected = match known.counts {
        Some(_) => found == known.diagnostics,
        // A damaged file's one fault, and what follows from it.
        None => known.diagnostics.iter().all(|expected| found.contains(expected)),
    };
    if !is_expected {
        return Err(format!("diagnostics {found:?}, expected {:?}", known.diagnostics).into());
    }
    check_listing(&known.path, &text)?;
    if let Some(counts) = known.counts {
        let last = text.lines().last().unwrap_or_default();
        let count =
            |name: &str| last.split(' ').find_map(|token| token.strip_prefix(name)?.strip_prefix('=')?.parse().ok());
        if (count("packets"), count("presents")) != (Some(counts.0), Some(counts.1)) {
            return Err(format!("{last}, expected {counts:?} packets and presents").into());
        }
    }
    let sha256 = format!("{:x}", Sha256::digest(&output.stdout));
    if (&sha256, output.status.code()) != (&known.sha256, Some(known.exit)) {
        let found = format!("{sha256}, exit {:?}", output.status.code());
        return Err(format!("{found}, expected {}, exit {}:\n{text}", known.sha256, known.exit).into());
    }
    Ok(())
}

/// The plain listing accounts for every byte, and has a line for every packet of the text.
fn check_listing(path: &Path, text: &str) -> Result<(), Failed> {
    let output = run(&["dump", path.to_str().unwrap()]);
    let listing = String::from_utf8(output.stdout)?;
    let size = fs::metadata(path)?.len();
    let last = listing.lines().last().unwrap_or_default();
    if last != format!("{size} of {size} bytes accounted for") {
        return Err(format!("the listing of {size} bytes ends with {last:?}").into());
    }
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let offset = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        Some((offset, words.nth(1)?.to_owned()))
    };
    let rows: BTreeSet<(u64, String)> = listing.lines().filter_map(row).collect();
    for line in text.lines().filter(|line| line.starts_with("cmd ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let offset = u64::from_str_radix(words[1].trim_start_matches("@0x"), 16)?;
        if !rows.contains(&(offset, words[2].to_owned())) {
            return Err(format!("the listing lacks {line}").into());
        }
    }
    Ok(())
}

/// Severity, class and offset, if the line is a diagnostic.
fn diagnostic(line: &str) -> Option<Value> {
    match line.split(' ').collect::<Vec<_>>()[..] {
        [severity @ ("note" | "fault" | "error"), offset, class] => {
            Some(json!([severity, class, offset.trim_start_matches('@')]))
        }
        _ => None,
    }
}

/// Options that shape a listing do nothing to a text that is the same for everybody.
fn a_listing_is_refused_beside_a_text() {
    let trace = root().join("fixtures/aerogpu/triangle.aerogputrace");
    let trace = trace.to_str().unwrap();
    for option in [&["--hex"][..], &["--json"], &["--frames", "0"], &["--filter", "draw"]] {
        let output = run(&[&["dump", trace, "--canonical", "packets"], option].concat());
        assert_eq!(output.status.code(), Some(2), "{option:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{option:?}");
    }
}
