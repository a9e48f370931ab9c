//! `bisect TRACE --by input --b OTHER`: the first frame, and command, that two traces are not drawn from the same by.
//! Needs no GPU.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::frame_set::FrameSet;
use super::index::make_index;
use super::open::open_trace;
use super::output::{print_json, stdout};
use super::progress::{Printing, Progress};
use crate::analysis::{InputDifference, InputSide, SideCommand, first_input_difference};
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::replay::TraceIndex;
use crate::text::{JsonLine, counted, json_line};

/// Basis of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum By {
    /// Pictures, draw by draw
    #[cfg(feature = "gpu")]
    Picture,
    /// Inputs: the packets that a picture depends on, with the shaders and bytes that they use. Needs no GPU
    Input,
}

#[cfg(not(feature = "gpu"))]
#[derive(Debug, clap::Args)]
pub(super) struct BisectArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: std::path::PathBuf,
    /// Basis of the comparison
    #[arg(long, value_enum, default_value = "input")]
    pub by: By,
    /// Only this frame
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub frame: Option<FrameSet>,
    /// The other trace
    #[arg(long, value_name = "TRACE")]
    pub b: std::path::PathBuf,
}

#[cfg(not(feature = "gpu"))]
pub(super) fn run_verb(args: &BisectArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let By::Input = args.by;
    run([&args.trace, &args.b], args.frame.as_ref(), common)
}

/// A side that is compared.
pub(super) struct Side<'a> {
    pub path: &'a Path,
    pub trace: Arc<Trace>,
    pub index: Arc<TraceIndex>,
}

impl<'a> Side<'a> {
    pub(crate) fn open(path: &'a Path, common: &CommonArgs) -> Result<Self, Failure> {
        let trace = open_trace(path, common)?;
        let index = make_index(&trace, common);
        Ok(Self { path, trace, index })
    }

    /// Number of frames that are compared: those before something wrong outside of submissions, unless the user keeps going.
    fn comparable_frames(&self, common: &CommonArgs) -> usize {
        let ends = self.index.first_unsubmitted_fault().filter(|_| !common.keep_going);
        ends.map_or(self.index.frame_count(), FrameIndex::as_usize)
    }

    /// Refuses a trace that is damaged where frames are compared.
    fn check(&self, last: FrameIndex, common: &CommonArgs) -> Result<(), Failure> {
        let (faults, _) = self.index.faults();
        let first = faults.iter().find(|fault| fault.at.submission.is_none() && fault.at.frame <= last);
        if let Some(fault) = first.filter(|_| !common.keep_going) {
            let message = format!("{}: frame {}: {}", self.path.display(), fault.at.frame, fault.message);
            return Err(Failure::say(fault.kind, message).at(fault.offset));
        }
        match self.index.stop() {
            Some(stop) if stop.frame <= last => {
                let message = format!("{}: frame {}: {}", self.path.display(), stop.frame, stop.message);
                Err(Failure::say(stop.kind, message).at(stop.offset))
            }
            _ => Ok(()),
        }
    }
}

/// Compares the frames of two traces, or the one frame.
pub(super) fn run(paths: [&Path; 2], frame: Option<&FrameSet>, common: &CommonArgs) -> Result<Exit, Failure> {
    let [path_a, path_b] = paths;
    let (a, b) = (Side::open(path_a, common)?, Side::open(path_b, common)?);
    let counts = [&a, &b].map(|side| side.trace.frames().len() as u32);
    let [count_a, count_b] = counts;
    let shared = count_a.min(count_b);
    let set = frame.cloned().unwrap_or_else(FrameSet::all);
    let frames = match frame {
        None => (0..shared).map(FrameIndex).collect(),
        Some(_) => set.resolve(shared).map_err(Failure::usage)?,
    };
    if frame.is_some() && frames.len() != 1 {
        return Err(Failure::usage(format!("--frame {set}: expected one frame")));
    }
    let ended = [&a, &b].map(|side| side.comparable_frames(common));
    let reached = |frame: &FrameIndex| ended.iter().all(|count| frame.as_usize() < *count);
    let found = {
        let [mut a, mut b] = [&a, &b].map(|side| InputSide::new(side.trace.clone(), side.index.clone()));
        let mut progress = Progress::of("comparing frames", frames.len(), Printing::WhenDone, common);
        let compared = frames.iter().copied().filter(reached).inspect(|_| progress.step());
        first_input_difference([&mut a, &mut b], compared)?
    };
    if found.is_none()
        && let Some(last) = frames.last()
    {
        a.check(*last, common)?;
        b.check(*last, common)?;
    }
    let is_longer = frame.is_none() && count_a != count_b;
    let mut out = stdout();
    let exit = match &found {
        Some(difference) => tell(difference, common, &mut out)?,
        None if is_longer => tell_counts(counts, common, &mut out)?,
        None => {
            match common.json {
                true => print_json(&mut out, &json_line!("bisect-identical", { "compared": frames.len() }))?,
                false => {
                    let frames = counted(frames.len(), "frame");
                    writeln!(out, "the sides have identical inputs ({frames} compared)")?;
                }
            }
            Exit::Done
        }
    };
    out.flush()?;
    Ok(exit)
}

fn tell_counts([a, b]: [u32; 2], common: &CommonArgs, out: &mut impl Write) -> Result<Exit, Failure> {
    match common.json {
        true => print_json(out, &json_line!("bisect-more-frames", { "a": a, "b": b }))?,
        false => writeln!(
            out,
            "side a has {a_frames}, side b has {b}; the common frames have identical inputs",
            a_frames = counted(a, "frame")
        )?,
    }
    Ok(Exit::Different)
}

fn tell(difference: &InputDifference, common: &CommonArgs, out: &mut impl Write) -> Result<Exit, Failure> {
    if common.json {
        print_json(out, &to_json(difference))?;
        return Ok(Exit::Different);
    }
    writeln!(out, "frame {} is the first whose inputs differ", difference.place.frame)?;
    write_first(difference, out)?;
    Ok(Exit::Different)
}

/// Writes the first draw, and command, that frames differ in.
pub(super) fn write_first(difference: &InputDifference, out: &mut impl Write) -> std::io::Result<()> {
    match difference.draw() {
        Some(draw) => writeln!(out, "  the first draw whose inputs differ: draw {draw}")?,
        None => writeln!(out, "  the inputs of each draw are identical")?,
    }
    if difference.commands.is_empty() {
        return writeln!(out, "  the commands are identical, but the sides present the picture by different ones");
    }
    writeln!(out, "  the commands that these frames depend on and that differ:")?;
    for command in &difference.commands {
        match &command.sides {
            [None, None] => {}
            [Some(a), None] => writeln!(out, "    only side a: {}", sentence(a))?,
            [None, Some(b)] => writeln!(out, "    only side b: {}", sentence(b))?,
            [Some(a), Some(b)] => {
                writeln!(out, "    side a: {}", sentence(a))?;
                writeln!(out, "    side b: {}", sentence(b))?;
                writeln!(out, "      differing in: {}", command.in_words())?;
            }
        }
    }
    if difference.has_more_commands {
        writeln!(out, "    and more")?;
    }
    Ok(())
}

fn sentence(command: &SideCommand) -> String {
    let SideCommand { name, at, draw, .. } = command;
    let arguments = command.arguments_in_words();
    let space = if arguments.is_empty() { "" } else { " " };
    match draw {
        Some(draw) => format!("{name}{space}{arguments} {at}, draw {draw}"),
        None => format!("{name}{space}{arguments} {at}"),
    }
}

fn to_json(difference: &InputDifference) -> JsonLine {
    json_line!("bisect-input", {
        "frame": difference.place.frame.0, "draw": difference.draw(), "commands": difference.commands,
        "has_more_commands": difference.has_more_commands,
    })
}
