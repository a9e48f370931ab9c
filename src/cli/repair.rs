//! `repair IN OUT`: a trace with a TOC and a footer again.
//!
//! With `--strict`, too, a trace that was cut or has a damaged end is repaired and the code is 0: that is what was asked.
//! Whatever else is odd about it is then an error (3).

use std::io::Write;
use std::path::PathBuf;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::open::open_tolerantly;
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use super::whole_file::{Inputs, NewTraceArgs, Written};
use crate::bytes::output::{Disk, SystemDisk};
use crate::format::aerogpu::{DamageTolerance, FrameEntry, FrameSource, Trace, TraceFooter, TraceToc};
use crate::text::{JsonLine, json_line};

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
    let trace = open_tolerantly(&args.input, DamageTolerance::AnyDamagedEnd, common)?;
    let kept = trace.stream();
    let lost = match trace.frame_source() {
        FrameSource::Toc { .. } => 0,
        FrameSource::Scan { .. } => trace.size_bytes() - kept.end,
    };
    let is_whole = matches!(trace.frame_source(), FrameSource::Toc { .. });
    let frames = trace.frames().len();
    // Nothing to repair is nothing to replace.
    if !(is_whole && args.output.in_place) {
        let _waiting = Waiting::on("writing the trace", Printing::WhenDone, common);
        write_on(&SystemDisk, args, &trace)?;
    }
    if args.output.is_stdout() {
        return Ok(Exit::Done);
    }
    let mut out = stdout();
    if common.json {
        let line = json_line(&trace, frames, lost);
        print_json(&mut out, &line)?;
    } else if is_whole {
        writeln!(out, "{}: nothing to repair, {frames} frames", args.input.display())?;
    } else {
        let (name, end) = (args.input.display(), kept.end);
        writeln!(out, "{name}: {frames} frames kept, TOC and footer made anew; lost {lost} bytes from {end:#x} on")?;
    }
    out.flush()?;
    Ok(Exit::Done)
}

fn write_on(disk: &impl Disk, args: &RepairArgs, trace: &Trace) -> Result<Written, Failure> {
    args.output.write_on(disk, &args.input, &Inputs::of([&args.input]), |into| write_repaired(trace, into))
}

fn json_line(trace: &Trace, frames: usize, lost: u64) -> JsonLine {
    let cause = match trace.frame_source() {
        FrameSource::Toc { .. } => None,
        FrameSource::Scan { cause, .. } => Some(cause.to_string()),
    };
    json_line!("repair", { "frames": frames, "lost_from": trace.stream().end,
        "lost_bytes": lost, "cause": cause,
    })
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
            let output = NewTraceArgs { output: None, in_place: true };
            write_on(disk, &RepairArgs { input: folder.join("trace"), output }, &trace).is_ok()
        };
        let read = |folder: &Path| {
            let found = open(&folder.join("trace"));
            (matches!(found.frame_source(), FrameSource::Toc { .. }), found.frames().len(), found.size_bytes())
        };
        cut_at_random(1000, |folder| fs::write(folder.join("trace"), torn).unwrap(), act, read);
    }
}
