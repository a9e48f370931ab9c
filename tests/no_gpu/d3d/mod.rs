//! Direct3D bytecode in traces and on the command line; what is read of it is tested where it is read.

#[cfg(feature = "cli")]
mod command_line;
mod driver_scenes;
mod streams;

use std::path::PathBuf;

use crate::support::harness::{Trial, modules, trials_in};
use crate::support::root;

pub fn trials() -> Vec<Trial> {
    trials_in(modules![
        #[cfg(feature = "cli")]
        command_line,
        driver_scenes,
        streams
    ])
}

/// A folder of what lies beside the checkout, where it does.
pub fn shared(folder: &str) -> Option<PathBuf> {
    let path = root().join("../shared/data").join(folder);
    path.is_dir().then_some(path)
}
