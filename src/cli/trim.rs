//! `trim IN OUT --frames SET`: a trace of some frames, and what they depend on.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::faults::end_of_reading;
use super::frame_set::FrameSet;
use super::index::make_index;
use super::open::{completeness, open_trace};
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use super::shown::ShownArgs;
use super::whole_file::{Inputs, NewTraceArgs, Written};
use crate::bytes::output::{Disk, SystemDisk};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{TraceFault, TraceIndex, TrimError, describe_frames, write_trimmed};
use crate::text::{counted, json_line};

#[derive(Debug, clap::Args)]
pub(super) struct TrimArgs {
    /// The trace; - for stdin
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    #[command(flatten)]
    pub output: NewTraceArgs,
    /// The frames to keep
    #[arg(long, value_name = "SET", allow_hyphen_values = true)]
    pub frames: FrameSet,
    #[command(flatten)]
    pub shown: ShownArgs,
}

pub(super) fn run(args: &TrimArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let trace = open_trace(&args.input, common)?;
    let frames = args.frames.resolve(trace.frames().len() as u32).map_err(Failure::usage)?;
    let index = make_index(&trace, common);
    let inputs = Inputs::of([&args.input]).and_set(&args.frames);
    // silent: of no frames nothing is trimmed
    let last = frames.iter().max().copied().unwrap_or_default();
    let (faults, _) = index.faults();
    let ends = faults.iter().find(|fault| fault.at.submission.is_none() && fault.at.frame <= last);
    if let Some(TraceFault { message, kind, offset, .. }) = ends.filter(|_| !common.keep_going) {
        let message = format!("{}: {message}: --keep-going trims the trace without it", args.input.display());
        return Err(Failure::say(*kind, message).at(*offset));
    }
    let waiting = Waiting::on("writing the trace", Printing::WhenDone, common);
    let (written, earlier_commands) = write_on(&SystemDisk, args, &trace, &index, &frames, &inputs)?;
    drop(waiting);
    if !args.output.is_stdout() {
        tell((&written, earlier_commands), &frames, &trace, common)?;
    }
    Ok(match common.keep_going {
        true => end_of_reading(&index, last, (&args.input, &trace), common),
        false => completeness(&trace),
    })
}

fn write_on(
    disk: &impl Disk,
    args: &TrimArgs,
    trace: &Arc<Trace>,
    index: &Arc<TraceIndex>,
    frames: &[FrameIndex],
    inputs: &Inputs,
) -> Result<(Written, u64), Failure> {
    let mut error = None;
    let mut earlier_commands = 0;
    let shown = args.shown.shown();
    let written = args.output.write_on(disk, &args.input, inputs, |into| {
        match write_trimmed(trace, index, frames, shown, into) {
            Ok(trimmed) => {
                earlier_commands = trimmed.earlier_commands;
                Ok(())
            }
            Err(TrimError::Write(error)) => Err(error.into()),
            Err(of_the_trace) => {
                error = Some(of_the_trace);
                Err(anyhow::anyhow!("the trace cannot be trimmed"))
            }
        }
    });
    match error {
        Some(error) => Err(Failure::from(error).context(args.input.display().to_string())),
        None => written.map(|written| (written, earlier_commands)),
    }
}

/// Says what was written.
fn tell(
    (written, earlier_commands): (&Written, u64),
    frames: &[FrameIndex],
    trace: &Trace,
    common: &CommonArgs,
) -> Result<(), Failure> {
    let Written { path, size_bytes } = written;
    let (name, kept, frame_count) = (path.display().to_string(), describe_frames(frames), trace.frames().len());
    let mut out = stdout();
    if common.json {
        let line = json_line!("trim", { "out": name, "frames": frames, "frame_count": frame_count,
            "size_bytes": size_bytes, "source_size_bytes": trace.size_bytes(), "earlier_commands": earlier_commands,
        });
        print_json(&mut out, &line)?;
    } else {
        let noun = if frames.len() == 1 { "frame" } else { "frames" };
        let source_bytes = trace.size_bytes();
        let earlier = match earlier_commands {
            0 => String::new(),
            count => {
                let need = if frames.len() == 1 { "it needs" } else { "they need" };
                format!(", with {} that {need}", counted(count, "earlier command"))
            }
        };
        writeln!(
            out,
            "{name}: {noun} {kept} of {frame_count}{renumbered}{earlier}, {size} of {source_bytes}",
            renumbered = renumbered(frames),
            size = counted(size_bytes, "byte")
        )?;
    }
    Ok(out.flush()?)
}

/// Numbers of the kept frames in the new trace, if they differ: `, now frame 0`.
fn renumbered(frames: &[FrameIndex]) -> String {
    let last = frames.len().saturating_sub(1);
    match frames.last() {
        None => String::new(),
        Some(kept) if kept.as_usize() == last => String::new(),
        Some(_) if last == 0 => ", now frame 0".to_owned(),
        Some(_) => format!(", now frames 0 to {last}"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::bytes::output::lossy::{LossyDisk, cut_at_random};

    #[test]
    fn in_place_is_the_old_trace_or_the_new_one_after_a_power_cut() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read(root.join("fixtures/d3d/driver_scenes/d11_many_frames.aerogputrace")).unwrap();
        let trace =
            Arc::new(Trace::open(root.join("fixtures/d3d/driver_scenes/d11_many_frames.aerogputrace")).unwrap());
        let index = Arc::new(TraceIndex::build(&trace, |_| ()));
        let act = |disk: &LossyDisk, folder: &Path| {
            let output = NewTraceArgs { output: None, in_place: true, out: None };
            let frames = FrameSet::all();
            let args = TrimArgs { input: folder.join("trace"), output, frames, shown: ShownArgs::default() };
            write_on(disk, &args, &trace, &index, &[FrameIndex(2), FrameIndex(5)], &Inputs::default()).is_ok()
        };
        let read = |folder: &Path| Trace::open(folder.join("trace")).unwrap().frames().len();
        cut_at_random(1000, |folder| std::fs::write(folder.join("trace"), &source).unwrap(), act, read);
    }
}
