//! `extract FILE --blobs DIR`: what a recorded program passed along, as files.

use std::path::PathBuf;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::extract_wip15::extract_blobs;
use super::file_kind::{FileKind, open_file};

#[derive(Debug, clap::Args)]
pub(super) struct ExtractArgs {
    /// The file: a WIP15 trace
    #[arg(value_name = "FILE")]
    pub trace: PathBuf,
    /// Write every blob into this directory
    #[arg(long, value_name = "DIR")]
    pub blobs: PathBuf,
}

pub(super) fn run(args: &ExtractArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let (source, start) = open_file(&args.trace)?;
    if FileKind::of_start(&start) == Some(FileKind::Wip15) {
        return extract_blobs(&args.trace, &source, &args.blobs, common);
    }
    let name = args.trace.display();
    Err(Failure::new(Exit::Unreadable, anyhow::anyhow!("{name}: expected a WIP15 trace, which holds blobs")))
}
