//! `verify TRACE`: whether a trace is sound, and whether this build shows it the same way every time.

use std::io::Write;
use std::path::PathBuf;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::open::{completeness, open_trace, report};
use super::output::{print_json, stdout};
use crate::bytes::Diagnostics;
use crate::replay::{CheckDepth, check_trace, compare_presents, compare_toc_with_stream};
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
    let checked = check_trace(&trace, depth, &mut diagnostics, |_| commands += 1);
    compare_toc_with_stream(&trace, &mut diagnostics);
    if checked.is_ok() {
        compare_presents(&trace, &mut diagnostics)?;
    }
    report(&mut diagnostics, common)?;
    checked.map_err(|error| Failure::from(error).context(name.clone()))?;
    let frames = trace.frames().len();
    let mut out = stdout();
    if common.json {
        let line = json_line!("verify", { "frames": frames, "commands": commands, "deep": args.deep,
        });
        print_json(&mut out, &line)?;
    } else {
        let what = if args.deep { "commands, shaders and blobs are sound" } else { "commands are sound" };
        writeln!(out, "{name}: {frames} frames, {commands} {what}")?;
    }
    out.flush()?;
    #[cfg(feature = "gpu")]
    {
        let exit = super::verify_gpu::run(&args.gpu, &trace, common, &mut out)?;
        out.flush()?;
        if exit != Exit::Done {
            return Ok(exit);
        }
    }
    Ok(completeness(&trace))
}
