//! `verify TRACE`: whether a trace is sound, and whether this build shows it the same way every time.

use std::io::Write;
use std::path::PathBuf;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::faults::tell_faults;
use super::open::{completeness, open_trace, report};
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use crate::bytes::Diagnostics;
use crate::command::Location;
use crate::error::{Classified, ErrorKind};
use crate::replay::{
    CheckDepth, Checked, FaultSubject, FaultSummary, check_trace, compare_presents, compare_toc_with_stream,
};
use crate::text::{counted, json_line};

#[derive(Debug, clap::Args)]
pub(super) struct VerifyArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Also compile shaders, check the bounds of draws, and read every blob
    #[arg(long)]
    pub deep: bool,
    #[cfg(feature = "gpu")]
    #[command(flatten)]
    pub gpu: super::verify_gpu::VerifyGpuArgs,
}

pub(super) fn run(args: &VerifyArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let trace = open_trace(&args.trace, common)?;
    let name = args.trace.display().to_string();
    let depth = if args.deep { CheckDepth::Everything } else { CheckDepth::References };
    let mut diagnostics = Diagnostics::new();
    let mut commands = 0u64;
    let mut wrong = FaultSummary::default();
    let waiting = Waiting::on("checking", Printing::WhenDone, common);
    let checked = check_trace(&trace, depth, &mut diagnostics, |checked| match checked {
        Checked::Command(_) => commands += 1,
        Checked::Wrong(error) => {
            let offset = error.offset().unwrap_or_default();
            let at = error.location().unwrap_or(Location { offset, ..Location::default() });
            wrong.add(FaultSubject::of(&error), at, &error);
        }
    });
    compare_toc_with_stream(&trace, &mut diagnostics);
    if checked.is_ok() {
        compare_presents(&trace, &mut diagnostics)?;
    }
    drop(waiting);
    report(&mut diagnostics, common)?;
    let (count, first) = (wrong.count(), tell_faults(&wrong, &name, common));
    if let Ok(missing) = &checked
        && missing.starts_in_the_middle()
    {
        if common.strict {
            return Err(Failure::say(ErrorKind::Malformed, format!("{name}: {missing} (--strict)")));
        }
        common.messages().warning(format!("{name}: {missing}"), None);
    }
    if let Err(error) = checked {
        let failure = Failure::from(error).context(name.clone());
        return Err(match first {
            Some(exit) => failure.ending_in(exit),
            None => failure,
        });
    }
    let frames = trace.frames().len();
    let mut out = stdout();
    if common.json {
        let line = json_line!("verify", { "frames": frames, "commands": commands, "deep": args.deep,
            "invalid": count,
        });
        print_json(&mut out, &line)?;
    } else {
        let wrong = if count > 0 { format!(", {count} invalid") } else { String::new() };
        let deep = if args.deep { "; shaders and blobs checked" } else { "" };
        let (frames, commands) = (counted(frames, "frame"), counted(commands, "valid command"));
        writeln!(out, "{name}: {frames}, {commands}{wrong}{deep}")?;
    }
    out.flush()?;
    if let Some(exit) = first.filter(|_| !common.keep_going) {
        return Ok(exit);
    }
    #[cfg(feature = "gpu")]
    {
        let exit = super::verify_gpu::run(&args.gpu, (&args.trace, &trace), common, &mut out)?;
        out.flush()?;
        if exit != Exit::Done {
            return Ok(exit);
        }
    }
    Ok(first.unwrap_or_else(|| completeness(&trace)))
}
