//! `verify TRACE`: whether a trace is sound, and whether this build shows it the same way every time.

use std::io::Write;
use std::path::PathBuf;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::open::{completeness, open_trace, report};
use super::output::{print_json, stdout};
use super::progress::{Printing, Waiting};
use crate::bytes::Diagnostics;
use crate::bytes::limits::MAX_FINDINGS;
use crate::error::Classified;
use crate::replay::{CheckDepth, Checked, ReplayError, check_trace, compare_presents, compare_toc_with_stream};
use crate::text::json_line;

#[derive(Debug, clap::Args)]
pub(super) struct VerifyArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Compile shaders, check the bounds of draws, and read every blob too
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
    let mut wrong = WrongSubmissions { name: &name, common, count: 0, first: None };
    let waiting = Waiting::on("checking", Printing::WhenDone, common);
    let checked = check_trace(&trace, depth, &mut diagnostics, |checked| match checked {
        Checked::Command(_) => commands += 1,
        Checked::Wrong(error) => wrong.tell(&error),
    });
    compare_toc_with_stream(&trace, &mut diagnostics);
    if checked.is_ok() {
        compare_presents(&trace, &mut diagnostics)?;
    }
    drop(waiting);
    report(&mut diagnostics, common)?;
    wrong.finish();
    let WrongSubmissions { count, first, .. } = wrong;
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
            "wrong": count,
        });
        print_json(&mut out, &line)?;
    } else {
        let what = if args.deep { "commands, shaders and blobs are sound" } else { "commands are sound" };
        let wrong = if count > 0 { format!(", {count} are wrong") } else { String::new() };
        writeln!(out, "{name}: {frames} frames, {commands} {what}{wrong}")?;
    }
    out.flush()?;
    if let Some(exit) = first {
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
    Ok(completeness(&trace))
}

/// Tells what is wrong with submissions.
struct WrongSubmissions<'a> {
    name: &'a str,
    common: &'a CommonArgs,
    count: u64,
    /// The code of the first.
    first: Option<Exit>,
}

impl WrongSubmissions<'_> {
    fn tell(&mut self, error: &ReplayError) {
        let exit = Exit::from(error.kind());
        self.first = self.first.or(Some(exit));
        self.count += 1;
        if self.count <= MAX_FINDINGS as u64 {
            let message = format!("{}: {error}", self.name);
            self.common.messages().error(error.kind(), exit, message, error.offset());
        }
    }

    fn finish(&self) {
        if let Some(more) = self.count.checked_sub(MAX_FINDINGS as u64).filter(|more| *more > 0) {
            self.common.messages().note(format!("and {more} more errors"), None);
        }
    }
}
