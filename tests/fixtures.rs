//! The fixtures on disk are what the generator makes. `BLESS=1` writes them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
mod support;

use std::fs;

use support::fixtures::all;
use support::{fixture, is_blessing};

#[test]
fn fixtures_on_disk_are_the_generated_ones() {
    let stale: Vec<&str> = all()
        .into_iter()
        .filter(|(name, make)| {
            let (path, bytes) = (fixture(name), make());
            if is_blessing() {
                fs::write(&path, &bytes).unwrap();
            }
            fs::read(&path).ok() != Some(bytes)
        })
        .map(|(name, _)| name)
        .collect();
    assert!(stale.is_empty(), "missing or stale: {stale:?}; BLESS=1 cargo test --test fixtures writes them");
}
