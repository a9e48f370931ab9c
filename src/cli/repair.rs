//! `repair IN OUT`: a trace with a TOC and a footer again.
//!
//! The frame that the recorder did not finish is kept, as far as its records are whole: what kills a host is in it. A
//! record that was written in part is dropped, and told.
//!
//! With `--strict`, too, a trace that was cut or has a damaged end is repaired and the code is 0: that is what was asked.
//! Whatever else is odd about it is then an error (3).

use std::io::Write;
use std::path::PathBuf;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::open::{open_tolerantly, records_of};
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use super::whole_file::{Inputs, NewTraceArgs, Written};
use crate::bytes::output::{Disk, SystemDisk};
use crate::format::aerogpu::{
    DamageTolerance, FormatError, FrameEntry, FrameSource, Trace, TraceFooter, TraceToc, UnfinishedFrame,
};
use crate::text::{JsonLine, counted, json_line};

/// Bytes copied at once.
const CHUNK_BYTES: u64 = 256 << 10;

#[derive(Debug, clap::Args)]
pub(super) struct RepairArgs {
    /// The damaged trace; - for stdin
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    #[command(flatten)]
    pub output: NewTraceArgs,
}

pub(super) fn run(args: &RepairArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let trace = open_tolerantly(&args.input, DamageTolerance::KeepUnfinishedFrame, common)?;
    let is_whole = matches!(trace.frame_source(), FrameSource::Toc { .. });
    // Nothing to repair is nothing to replace.
    if !(is_whole && args.output.in_place) {
        let _waiting = Waiting::on("writing the trace", Printing::WhenDone, common);
        write_on(&SystemDisk, args, &trace)?;
    }
    if args.output.is_stdout() {
        return Ok(Exit::Done);
    }
    let mut out = stdout();
    let mended = Mended::of(&trace)?;
    if common.json {
        print_json(&mut out, &mended.json_line())?;
    } else {
        writeln!(out, "{}: {}", args.input.display(), mended.sentence())?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn write_on(disk: &impl Disk, args: &RepairArgs, trace: &Trace) -> Result<Written, Failure> {
    args.output.write_on(disk, &args.input, &Inputs::of([&args.input]), |into| write_repaired(trace, into))
}

/// Outcome of a repair.
struct Mended<'t> {
    frames: usize,
    /// Absolute file offset of the first byte that was not kept.
    lost_from: u64,
    lost_bytes: u64,
    /// The error in the file's end; `None` if the file is whole.
    cause: Option<String>,
    /// The last frame, if the recorder did not finish it.
    unfinished: Option<&'t UnfinishedFrame>,
    /// Absolute file offset of the record that was written in part.
    cut_record: Option<u64>,
}

impl<'t> Mended<'t> {
    fn of(trace: &'t Trace) -> Result<Self, Failure> {
        let (frames, lost_from) = (trace.frames().len(), trace.stream().end);
        Ok(match trace.frame_source() {
            FrameSource::Toc { .. } => {
                Self { frames, lost_from, lost_bytes: 0, cause: None, unfinished: None, cut_record: None }
            }
            FrameSource::Scan { cause, stopped_by, unfinished } => Self {
                frames,
                lost_from,
                lost_bytes: trace.size_bytes() - lost_from,
                cause: Some(cause.to_string()),
                unfinished: unfinished.as_ref(),
                cut_record: cut_record(trace, stopped_by.as_ref())?,
            },
        })
    }

    fn sentence(&self) -> String {
        let Self { frames, lost_from, lost_bytes, .. } = *self;
        let frames_kept = counted(frames, "frame");
        if self.cause.is_none() {
            return format!("nothing to repair, {frames_kept}");
        }
        let unfinished = self.unfinished.map_or_else(String::new, |frame| {
            format!("; frame {} is incomplete: {} kept", frames - 1, records_of(frame))
        });
        let cut = self
            .cut_record
            .map_or_else(String::new, |at| format!("; the record at {at:#x} is incomplete and was dropped"));
        let lost = counted(lost_bytes as usize, "byte");
        format!("{frames_kept} kept, TOC and footer rebuilt{unfinished}{cut}; lost {lost} from {lost_from:#x} on")
    }

    fn json_line(&self) -> JsonLine {
        json_line!("repair", {
            "frames": self.frames, "lost_offset": self.lost_from, "lost_bytes": self.lost_bytes, "cause": self.cause,
            "unfinished_frame": self.unfinished.map(|_| self.frames - 1),
            "kept_submissions": self.unfinished.map(|frame| frame.submissions),
            "kept_packets": self.unfinished.map(|frame| frame.packets),
            "dropped_record_offset": self.cut_record,
        })
    }
}

/// Offset of the record that the file ends within, if that is what ended the scan.
fn cut_record(trace: &Trace, stopped_by: Option<&FormatError>) -> Result<Option<u64>, Failure> {
    // silent: no record was written in part
    let Some(FormatError::OutOfBounds { what: "record", offset, .. }) = stopped_by else { return Ok(None) };
    // A TOC that no footer leads to looks like the beginning of a long record of a type that there is none of.
    let mut record_type = [0];
    trace.read_into(*offset, &mut record_type)?;
    Ok((1..=5).contains(&record_type[0]).then_some(*offset))
}

/// Header, meta JSON and records as they are; TOC and footer from the frames that were found.
fn write_repaired(trace: &Trace, into: &mut dyn Write) -> Result<(), anyhow::Error> {
    let end = trace.stream().end;
    let mut at = 0;
    while at < end {
        let next = (at + CHUNK_BYTES).min(end);
        into.write_all(&trace.read(at..next)?)?;
        at = next;
    }
    let entry = |(frame_index, span): (u32, &crate::format::aerogpu::FrameSpan)| FrameEntry {
        frame_index,
        flags: 0,
        start_offset: span.bytes.start,
        present_offset: span.present_offset.unwrap_or(0),
        end_offset: span.bytes.end,
    };
    let toc = TraceToc { entries: (0..).zip(trace.frames()).map(entry).collect() }.to_bytes();
    into.write_all(&toc)?;
    let container_version = trace.header().container_version;
    let footer = TraceFooter { container_version, toc_offset: end, toc_len: toc.len() as u64 };
    Ok(into.write_all(&footer.to_bytes())?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use crate::bytes::output::lossy::{LossyDisk, cut_at_random};
    use crate::bytes::{Diagnostics, FileSource};

    #[test]
    fn in_place_is_the_old_trace_or_the_new_one_after_a_power_cut() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let whole = fs::read(root.join("fixtures/d3d/driver_scenes/d11_many_frames.aerogputrace")).unwrap();
        let torn = &whole[..whole.len() - 9];
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("torn"), torn).unwrap();
        let open = |path: &Path| {
            let source = FileSource::open(path).unwrap();
            Trace::open_or_recover(Arc::new(source), DamageTolerance::AnyDamagedEnd, &mut Diagnostics::new()).unwrap()
        };
        let trace = open(&folder.path().join("torn"));
        let act = |disk: &LossyDisk, folder: &Path| {
            let output = NewTraceArgs { output: None, in_place: true, out: None };
            write_on(disk, &RepairArgs { input: folder.join("trace"), output }, &trace).is_ok()
        };
        let read = |folder: &Path| {
            let found = open(&folder.join("trace"));
            (matches!(found.frame_source(), FrameSource::Toc { .. }), found.frames().len(), found.size_bytes())
        };
        cut_at_random(1000, |folder| fs::write(folder.join("trace"), torn).unwrap(), act, read);
    }
}
