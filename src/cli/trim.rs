//! `trim IN OUT --frames SET`: a trace of some frames, and what they depend on.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::frame_set::FrameSet;
use super::index::make_index;
use super::open::{completeness, open_trace};
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use super::shown::ShownArgs;
use super::whole_file::{Inputs, NewTraceArgs};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::{TrimError, describe_frames, write_trimmed};
use crate::text::json_line;

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
    let waiting = Waiting::on("writing the trace", Printing::WhenDone, common);
    let mut error = None;
    let shown = args.shown.shown();
    let written =
        args.output.write(&args.input, &inputs, |into| match write_trimmed(&trace, &index, &frames, shown, into) {
            Ok(_) => Ok(()),
            Err(TrimError::Write(error)) => Err(error.into()),
            Err(of_the_trace) => {
                error = Some(of_the_trace);
                Err(anyhow::anyhow!("the trace cannot be trimmed"))
            }
        });
    drop(waiting);
    if let Some(error) = error {
        return Err(Failure::from(error).context(args.input.display().to_string()));
    }
    let path = written?;
    if !args.output.is_stdout() {
        tell(&path, &frames, &trace, common)?;
    }
    Ok(completeness(&trace))
}

/// Says what was written.
fn tell(path: &Path, frames: &[FrameIndex], trace: &Trace, common: &CommonArgs) -> Result<(), Failure> {
    let size_bytes = std::fs::metadata(path)?.len();
    let (name, kept, frame_count) = (path.display().to_string(), describe_frames(frames), trace.frames().len());
    let mut out = stdout();
    if common.json {
        let line = json_line!("trim", { "out": name, "frames": frames, "frame_count": frame_count,
            "size_bytes": size_bytes, "source_size_bytes": trace.size_bytes(),
        });
        print_json(&mut out, &line)?;
    } else {
        let noun = if frames.len() == 1 { "frame" } else { "frames" };
        let source_bytes = trace.size_bytes();
        writeln!(out, "{name}: {noun} {kept} of {frame_count}, {size_bytes} bytes of {source_bytes}")?;
    }
    Ok(out.flush()?)
}
