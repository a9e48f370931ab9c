//! `passes TRACE`: a frame by what it draws to, and who reads what each pass writes.

use std::io::Write;
use std::path::PathBuf;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::faults::ListedFaults;
use super::filter::FilterArgs;
use super::frame_set::FrameSet;
use super::index::make_index;
use super::line_width::Fitted;
use super::open::{completeness, open_trace};
use super::output::{print_json, stdout};
use super::progress::{Printing, Progress};
use crate::analysis::{Analysis, FramePass};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::text::{JsonLine, counted};

/// Frames whose passes are linked together, so that their memory has an end.
const AT_ONCE: usize = 4096;

#[derive(Debug, clap::Args)]
pub(super) struct PassesArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Only these frames
    #[arg(long, visible_alias = "frame", value_name = "SET", allow_hyphen_values = true)]
    pub frames: Option<FrameSet>,
    #[command(flatten)]
    pub filter: FilterArgs,
}

pub(super) fn run(args: &PassesArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    args.filter.check(None)?;
    let trace = open_trace(&args.trace, common)?;
    let set = args.frames.clone().unwrap_or_else(FrameSet::all);
    let mut frames = set.resolve(trace.frames().len() as u32).map_err(Failure::usage)?;
    // Passes of later frames read what these write.
    let index = make_index(&trace, common);
    frames.retain(|frame| frame.as_usize() < index.frame_count());
    let analysis = Analysis::new(trace, index);
    let (mut out, mut faults) = (stdout(), ListedFaults::default());
    let mut progress = Progress::of("linking passes", frames.len(), Printing::AsItGoes, common);
    // The trace is gone through once for frames that follow each other.
    for run in frames.chunk_by(|one, next| one.0 + 1 == next.0).flat_map(|run| run.chunks(AT_ONCE)) {
        let [first, end] = [run.first().map_or(0, |first| first.0), run.last().map_or(0, |last| last.0 + 1)];
        let of_frames = analysis.passes_of_frames(first..end, || true)?;
        let of_frames = of_frames.ok_or(Internal::new("a listing of passes was cancelled"))?;
        for (frame, passes) in run.iter().zip(&of_frames) {
            list(passes, *frame, args, common, &mut out)?;
            faults.add(analysis.index(), *frame);
            progress.step();
        }
    }
    drop(progress);
    out.flush()?;
    args.filter.note_if_nothing_matched(common);
    let damage = faults.conclude(analysis.index(), &args.trace.display().to_string(), common)?;
    Ok(damage.unwrap_or_else(|| completeness(analysis.trace())))
}

/// Lists the passes of a frame that the filter accepts.
fn list(
    passes: &[FramePass],
    frame: FrameIndex,
    args: &PassesArgs,
    common: &CommonArgs,
    out: &mut impl Write,
) -> Result<(), Failure> {
    if !common.json && args.filter.filter.is_none() {
        writeln!(out, "frame {frame}: {}", counted(passes.len(), "pass"))?;
    }
    for pass in passes {
        let line = JsonLine::of("pass", pass).map_err(|_| Internal::new("a pass is no JSON object"))?;
        let line = line.and([("frame".to_owned(), frame.0.into())]);
        if !args.filter.accepts_object(pass.kind.name(), &line) {
            continue;
        }
        if common.json {
            print_json(out, &line)?;
            continue;
        }
        let place = if args.filter.filter.is_some() { format!("frame {frame} ") } else { String::new() };
        writeln!(out, "{}", Fitted(&format!("{place}{}", pass.heading())))?;
        for told in pass.details(frame) {
            writeln!(out, "  {}", Fitted(&told))?;
        }
    }
    Ok(())
}
