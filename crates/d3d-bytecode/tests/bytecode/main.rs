//! Direct3D bytecode: what is read of it, and what it says.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]
#![allow(unreachable_pub, reason = "modules of one program")]

mod corpus;
mod legacy;
mod sm4;
mod stored_textures;
mod translate;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use dev_trials::{modules, root, run};

fn main() -> ExitCode {
    run(modules![corpus, legacy, sm4, stored_textures, translate])
}

/// A committed shader.
pub fn fixture(name: &str) -> Vec<u8> {
    let path = root().join("fixtures/d3d").join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A folder of what lies beside the checkout, where it does.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = root().join("../shared/data").join(folder);
    path.is_dir().then_some(path)
}
