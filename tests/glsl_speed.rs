//! Translating costs no more than three times what naga takes to read and validate the equivalent WGSL (measured: about
//! as much; with naga's own time on the result, which is two modules instead of one, 3.3 times as much). Counts only in release builds:
//! `cargo test --release --no-default-features --test glsl_speed -- --nocapture`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod glsl;

use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn translating_is_as_fast_as_promised() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/glsl/pairs");
    let mut pairs = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "wgsl") {
            let read = |extension| std::fs::read_to_string(path.with_extension(extension)).unwrap();
            pairs.push((read("vert"), read("frag"), read("wgsl")));
        }
    }
    let rounds = if cfg!(debug_assertions) { 3 } else { 1000 / pairs.len() };
    let (mut linking, mut ours, mut twin) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for _ in 0..rounds {
        for (vertex, fragment, wgsl) in &pairs {
            let start = Instant::now();
            let linked = glsl::link(vertex, fragment).unwrap();
            linking += start.elapsed();
            let start = Instant::now();
            glsl::validate(&linked.vertex_wgsl).unwrap();
            glsl::validate(&linked.fragment_wgsl).unwrap();
            ours += start.elapsed();
            let start = Instant::now();
            glsl::validate(wgsl).unwrap();
            twin += start.elapsed();
        }
    }
    let count = rounds * pairs.len();
    println!("{count} pairs: translating {linking:?}, naga on the result {ours:?}, naga on the twins {twin:?}");
    if !cfg!(debug_assertions) {
        assert!(linking <= twin * 3, "translation is too slow");
    }
}
