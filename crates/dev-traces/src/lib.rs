//! Writes traces that the tests and benches of this workspace draw, read and damage, and reads what is said of them. Never
//! part of what is shipped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(clippy::new_without_default, reason = "tests make them by hand")]

pub mod a3a0;
pub mod browser;
pub mod clearing_frames;
pub mod compress;
pub mod fixtures;
pub mod growth;
pub mod json_schema;
pub mod made;
pub mod mixed;
pub mod packet_mutate;
pub mod plain_contents;
pub mod plain_subjects;
pub mod plain_trace;
pub mod random;
pub mod raw;
pub mod reading;
pub mod recording;
pub mod rectangles;
pub mod rewrite;
pub mod scene;
pub mod streams;

use std::path::{Path, PathBuf};

use trace_base::testing::mutate;

/// The repository's root.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// A file of `fixtures/aerogpu`.
pub fn fixture(name: &str) -> PathBuf {
    root().join("fixtures/aerogpu").join(format!("{name}.aerogputrace"))
}
