//! Tells the program which commit it was built from, for bug reports.
//!
//! Only optimised builds are told: a value that changes with every commit would have each one build anew, and those who
//! build to test know where they are. Without git, or in a source archive, there is none; who packages the program may
//! set `AEROGPU_REPLAY_COMMIT`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=AEROGPU_REPLAY_COMMIT");
    let is_told = std::env::var_os("AEROGPU_REPLAY_COMMIT").is_some();
    let is_optimised = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_told || !is_optimised {
        return;
    }
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=AEROGPU_REPLAY_COMMIT={commit}");
    }
}

/// The commit, and whether files differ from it.
fn commit() -> Option<String> {
    // The archive may lie in a repository of somebody else's.
    let root = std::env::var_os("CARGO_MANIFEST_DIR")?;
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != Path::new(&root).canonicalize().ok()? {
        return None;
    }
    // Grows by a line with every commit and checkout. A path that is missing would have the script run every time.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    for path in [log.as_str(), "src", "Cargo.toml", "Cargo.lock"].into_iter().filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={path}");
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let is_changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if is_changed { format!("{commit}, with changes") } else { commit })
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end().to_owned())
}
