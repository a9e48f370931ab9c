//! Opening the trace that a verb was given.

use std::path::Path;
use std::sync::Arc;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::file_kind::refuse_annotation;
use super::whole_file::STDIO;
use crate::bytes::limits::MAX_SPOOLED_BYTES;
use crate::bytes::{Diagnostics, FileSource, FindingKind};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{DamageTolerance, FrameSource, Trace};

/// Opens a trace, - for stdin; one that was cut is opened as far as it goes.
pub(super) fn open_trace(path: &Path, common: &CommonArgs) -> Result<Arc<Trace>, Failure> {
    open_tolerantly(path, DamageTolerance::Truncation, common)
}

/// Opens a trace in spite of the damage that `tolerance` accepts.
pub(super) fn open_tolerantly(
    path: &Path,
    tolerance: DamageTolerance,
    common: &CommonArgs,
) -> Result<Arc<Trace>, Failure> {
    Ok(open_with_warnings(path, tolerance, common)?.0)
}

/// Opens a trace; with it comes what has been printed as warnings, one sentence each, for those who show it elsewhere.
pub(super) fn open_with_warnings(
    path: &Path,
    tolerance: DamageTolerance,
    common: &CommonArgs,
) -> Result<(Arc<Trace>, Vec<String>), Failure> {
    let (source, name) = open_source(path)?;
    refuse_annotation(Path::new(&name), &source)?;
    let mut diagnostics = Diagnostics::new();
    let trace = Trace::open_or_recover(Arc::new(source), tolerance, &mut diagnostics)
        .map_err(|error| Failure::from(error).context(name.clone()))?;
    if let FrameSource::Scan { cause, .. } = trace.frame_source()
        && common.strict
        // Who repairs a trace knows that it is damaged.
        && tolerance != DamageTolerance::AnyDamagedEnd
    {
        return Err(Failure::say(ErrorKind::Malformed, format!("{name}: {cause} (--strict)")).at(cause.offset()));
    }
    let mut warnings = damage(&trace);
    let messages = common.messages();
    warnings.iter().for_each(|warning| messages.warning(format!("{name}: {warning}"), None));
    warnings.extend(diagnostics.findings().iter().map(|finding| finding.to_string()));
    report(&mut diagnostics, common)?;
    Ok((Arc::new(trace), warnings))
}

/// A file, or what comes in on stdin, and what to call it.
fn open_source(path: &Path) -> Result<(FileSource, String), Failure> {
    let (opened, name) = match path == Path::new(STDIO) {
        true => (FileSource::spooled(std::io::stdin().lock(), MAX_SPOOLED_BYTES), "stdin".to_owned()),
        false => (FileSource::open(path).map(Some), path.display().to_string()),
    };
    let failed = |error| Failure::new(ErrorKind::ReadFailed, error).context(format!("cannot open {name}"));
    let too_long = || format!("{name} is longer than {MAX_SPOOLED_BYTES} bytes, this build's limit: expected a file");
    match opened.map_err(failed)? {
        Some(source) => Ok((source, name)),
        None => Err(Failure::say(ErrorKind::OverLimit, too_long())),
    }
}

/// What was survived when the trace was opened.
fn damage(trace: &Trace) -> Vec<String> {
    match trace.frame_source() {
        FrameSource::Toc { .. } => Vec::new(),
        FrameSource::Scan { cause, stopped_by } => {
            let count = trace.frames().len();
            let recovered = format!("{cause}; recovered {count} whole frames from the records");
            let ended = stopped_by.as_ref().map(|error| format!("the records end early: {error}"));
            [Some(recovered), ended].into_iter().flatten().collect()
        }
    }
}

/// How a verb ends that has done its work on `trace`.
pub(super) fn completeness(trace: &Trace) -> Exit {
    match trace.frame_source() {
        FrameSource::Toc { .. } => Exit::Done,
        FrameSource::Scan { cause, .. } if cause.is_truncation() => Exit::Partial,
        FrameSource::Scan { .. } => Exit::Unreadable,
    }
}

/// Prints findings as warnings; under --strict the first of them is an error.
pub(super) fn report(diagnostics: &mut Diagnostics, common: &CommonArgs) -> Result<(), Failure> {
    let diagnostics = diagnostics.take();
    if common.strict
        && let Some(finding) = diagnostics.first_oddity()
    {
        return Err(Failure::say(ErrorKind::Malformed, format!("{finding} (--strict)")).at(Some(finding.offset)));
    }
    let messages = common.messages();
    for finding in diagnostics.findings() {
        match finding.kind {
            FindingKind::Oddity => messages.warning(finding, Some(finding.offset)),
            FindingKind::Remark => messages.note(finding, Some(finding.offset)),
        }
    }
    if diagnostics.dropped() > 0 {
        messages.warning(format!("and {} more", diagnostics.dropped()), None);
    }
    Ok(())
}
