//! `dump TRACE --canonical packets`: one text for one file, over which digests are taken.

use std::io::Write;

use crate::abi::canonical::{CanonicalError, CanonicalSummary, write_canonical};
use crate::cli::exit::{Exit, Failure};
use crate::cli::open::completeness;
use crate::cli::output::stdout;
use crate::format::aerogpu::Trace;

pub(super) fn run(trace: &Trace) -> Result<Exit, Failure> {
    let mut lines = stdout();
    // The digests are of these very bytes.
    let mut out = lines.as_bytes();
    let summary = write_canonical(trace, &mut out).map_err(|error| match error {
        CanonicalError::Write(error) => Failure::from(error),
        CanonicalError::Format(error) => Failure::from(error),
    })?;
    out.flush()?;
    Ok(exit_of(&summary, completeness(trace)))
}

/// Errors of the bytes come first; a file that was cut is complete otherwise as far as it goes.
fn exit_of(summary: &CanonicalSummary, complete: Exit) -> Exit {
    match summary.errors {
        0 => complete,
        // Opcodes that a later version of Appendix A may have are all that is wrong.
        errors if errors == summary.unknown_reference_opcodes => Exit::Unsupported,
        _ => Exit::Unreadable,
    }
}
