//! Opening the files that a verb was given.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::file_kind::{refuse_other_kind, start_of};
use super::progress::{Printing, Progress};
use super::whole_file::STDIO;
use crate::bytes::{DecodedFrom, Diagnostics, FileSource, FindingKind};
use crate::error::{Classified, ErrorKind};
use crate::format::aerogpu::{DamageTolerance, FrameSource, Trace, UnfinishedFrame};
use crate::limits::MAX_SPOOLED_BYTES;
use crate::text::counted;

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
    open_file(path, common)?.trace_with_warnings(tolerance, common)
}

/// A file that is open, or what came in on stdin. Each is opened once: stdin cannot be read again.
pub(super) struct OpenedFile {
    pub source: Arc<FileSource>,
    /// Name in results.
    pub name: String,
    /// Name in messages, whose offsets are of what a compressed file holds.
    pub label: String,
    /// The bytes that it is told by.
    pub start: Vec<u8>,
}

impl OpenedFile {
    /// Warnings about the compressed file that it comes from.
    fn trailing(&self) -> Option<String> {
        self.source.decoded_from().and_then(DecodedFrom::trailing)
    }

    /// The name that tells what a damaged file was meant to be: a compressed one's without its last ending.
    pub(crate) fn meant_path(&self, path: &Path) -> PathBuf {
        match self.source.decoded_from() {
            Some(_) => path.with_extension(""),
            None => path.to_owned(),
        }
    }

    /// As a trace; one that was cut is opened as far as it goes.
    pub(crate) fn trace(&self, common: &CommonArgs) -> Result<Arc<Trace>, Failure> {
        Ok(self.trace_with_warnings(DamageTolerance::Truncation, common)?.0)
    }

    fn trace_with_warnings(
        &self,
        tolerance: DamageTolerance,
        common: &CommonArgs,
    ) -> Result<(Arc<Trace>, Vec<String>), Failure> {
        let name = &self.label;
        refuse_other_kind(&self.name, &self.start)?;
        let mut diagnostics = Diagnostics::new();
        let trace = Trace::open_or_recover(self.source.clone(), tolerance, &mut diagnostics)
            .map_err(|error| Failure::from(error).context(name.clone()))?;
        if let FrameSource::Scan { cause, .. } = trace.frame_source()
            && common.strict
            // Who looks at a damaged trace, or repairs it, knows that it is.
            && tolerance == DamageTolerance::Truncation
        {
            return Err(Failure::say(ErrorKind::Malformed, format!("{name}: {cause} (--strict)")).at(cause.offset()));
        }
        let mut warnings = damage(&trace, tolerance);
        let messages = common.messages();
        warnings.iter().for_each(|warning| messages.warning(format!("{name}: {warning}"), None));
        warnings.extend(self.trailing());
        warnings.extend(diagnostics.findings().iter().map(|finding| finding.to_string()));
        report(&mut diagnostics, common)?;
        Ok((Arc::new(trace), warnings))
    }
}

/// Opens a file for reading, whatever it is; - is what comes in on stdin. What is compressed is decoded first.
pub(super) fn open_file(path: &Path, common: &CommonArgs) -> Result<OpenedFile, Failure> {
    let is_stdin = path == Path::new(STDIO);
    let name = if is_stdin { "stdin".to_owned() } else { path.display().to_string() };
    let mut decoding = Decoding::of(path, common);
    let mut watch = |done| decoding.reach(done);
    let opened = match is_stdin {
        true => FileSource::spooled(std::io::stdin().lock(), MAX_SPOOLED_BYTES, &mut watch),
        false => FileSource::open_watched(path, &mut watch).map(Some),
    };
    drop(decoding);
    let cannot_open = format!("cannot open {name}");
    let too_long = || format!("{name} is longer than {MAX_SPOOLED_BYTES} bytes, this build's limit: expected a file");
    let source = opened.map_err(|error| Failure::from(error).context(cannot_open.clone()))?;
    let source = source.ok_or_else(|| Failure::say(ErrorKind::OverLimit, too_long()))?;
    let start = start_of(&source)
        .map_err(|error| Failure::new(ErrorKind::ReadFailed, anyhow::Error::from(error)).context(cannot_open))?;
    let label = if source.decoded_from().is_some() { format!("{name} (decoded)") } else { name.clone() };
    let file = OpenedFile { source: Arc::new(source), name, label, start };
    match file.trailing() {
        Some(trailing) if common.strict => {
            let offset = file.source.decoded_from().and_then(|from| from.trailing_offset);
            Err(Failure::say(ErrorKind::Malformed, format!("{}: {trailing} (--strict)", file.name)).at(offset))
        }
        Some(trailing) => {
            common.messages().warning(format!("{}: {trailing}", file.name), None);
            Ok(file)
        }
        None => Ok(file),
    }
}

/// Progress of the decoding of a file.
struct Decoding {
    progress: Option<Progress>,
}

impl Decoding {
    fn of(path: &Path, common: &CommonArgs) -> Self {
        // How long stdin is shows only when it has ended.
        let stored_bytes = std::fs::metadata(path).ok().filter(|found| found.is_file()).map(|found| found.len());
        let of = |total| Progress::of("decoding", total as usize, Printing::WhenDone, common);
        Self { progress: stored_bytes.map(of) }
    }

    fn reach(&mut self, done: u64) -> ControlFlow<()> {
        self.progress.iter_mut().for_each(|progress| progress.reach(done));
        ControlFlow::Continue(())
    }
}

/// Damage in spite of which the trace was opened.
fn damage(trace: &Trace, tolerance: DamageTolerance) -> Vec<String> {
    match trace.frame_source() {
        FrameSource::Toc { .. } => Vec::new(),
        FrameSource::Scan { cause, stopped_by, unfinished } => {
            let repairs = tolerance == DamageTolerance::KeepUnfinishedFrame;
            let count = trace.frames().len() - usize::from(repairs && unfinished.is_some());
            let recovered = format!(
                "{cause}; recovered {count_frames} from the records",
                count_frames = counted(count, "complete frame")
            );
            let ended = stopped_by.as_ref().map(|error| format!("the records end early: {error}"));
            // `repair` says itself what it keeps.
            let left_out = unfinished.as_ref().filter(|_| !repairs).map(|frame| {
                format!("frame {count} is incomplete and ignored: `repair` keeps its {}", records_of(frame))
            });
            [Some(recovered), ended, left_out].into_iter().flatten().collect()
        }
    }
}

/// The command records of an unfinished frame, in words: `3 submissions`.
pub(super) fn records_of(frame: &UnfinishedFrame) -> String {
    let counts = [(frame.submissions, "submission"), (frame.packets, "Packet record")];
    let said = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what));
    said.collect::<Vec<_>>().join(" and ")
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
