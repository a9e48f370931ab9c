//! Conformance tables that were kept, and what of a trace fails by them.

use std::path::Path;
#[cfg(feature = "gpu")]
use std::path::PathBuf;
use std::sync::Arc;

use super::exit::Failure;
#[cfg(feature = "gpu")]
use super::folders::state_folder;
use crate::bytes::read_input_text;
use crate::conformance::{ConformanceTable, FailingUse, failing_uses};
use crate::error::ErrorKind;
use crate::format::aerogpu::Trace;
use crate::text::counted;

/// The table that `doctor --conformance` keeps; `None` where no home folder is known.
#[cfg(feature = "gpu")]
pub(super) fn kept_table_path() -> Option<PathBuf> {
    Some(state_folder()?.join("conformance.jsonl"))
}

/// Reads a table.
pub(super) fn read_table(path: &Path) -> Result<ConformanceTable, Failure> {
    let text = read_input_text(path).map_err(|error| {
        // Bytes that are no text are no table.
        let kind = match error.kind() {
            std::io::ErrorKind::InvalidData => ErrorKind::Malformed,
            _ => ErrorKind::ReadFailed,
        };
        Failure::new(kind, error).context(format!("cannot read {}", path.display()))
    })?;
    ConformanceTable::parse(&text).map_err(|error| Failure::from(error).context(path.display().to_string()))
}

/// Uses in a trace that fail by a table on other APIs than `except`.
pub(super) fn uses_that_fail(
    trace: &Arc<Trace>,
    table: &ConformanceTable,
    except: Option<&str>,
) -> Result<Vec<FailingUse>, Failure> {
    Ok(failing_uses(trace, &table.devices, except)?)
}

/// A use in a sentence.
#[cfg(feature = "gpu")]
pub(super) fn sentence(fails: &FailingUse) -> String {
    let FailingUse { condition, commands, .. } = fails;
    let commands = counted(*commands, "command");
    format!("{commands} with {condition}, the first one here: {}", verdict(fails))
}

/// Verdict of the table on a use.
pub(super) fn verdict(FailingUse { api, rows, outcome, .. }: &FailingUse) -> String {
    let rows = if *rows == 1 { "the row fails".to_owned() } else { format!("all {} fail", counted(*rows, "row")) };
    format!("{rows} on {api} ({outcome})")
}
