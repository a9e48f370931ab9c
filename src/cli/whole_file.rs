//! Results as files, which appear whole or not at all.

use std::io::Write;
use std::path::Path;

use super::exit::{Exit, Failure};
use crate::bytes::write_whole;

/// Writes a file under a temporary name beside it and renames it when it is whole.
pub(super) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), anyhow::Error>,
) -> Result<(), Failure> {
    write_whole(path, write)
        .map_err(|error| Failure::new(Exit::ReplayFailed, error).context(format!("cannot write {}", path.display())))
}
