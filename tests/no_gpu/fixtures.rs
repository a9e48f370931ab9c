//! The fixtures on disk are what the generator makes. `BLESS=1` writes them.

use std::fs;

use crate::support;
use support::fixtures::all;
use support::harness::{Trial, trials_of};
use support::{fixture, is_blessing};

pub fn trials() -> Vec<Trial> {
    trials_of![fixtures_on_disk_are_the_generated_ones,]
}

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
    assert!(stale.is_empty(), "missing or stale: {stale:?}; BLESS=1 cargo test --test no_gpu writes them");
}
