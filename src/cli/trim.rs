//! `trim IN OUT --frames SET`: a trace of some frames, and what they depend on.

use std::path::PathBuf;

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::frame_set::FrameSet;
use super::index::make_index;
use super::open::{completeness, open_trace};
use super::whole_file::write_file;
use crate::replay::{TrimError, write_trimmed};

#[derive(Debug, clap::Args)]
pub(super) struct TrimArgs {
    /// The trace
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The trace to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// The frames to keep
    #[arg(long, value_name = "SET", allow_hyphen_values = true)]
    pub frames: FrameSet,
}

pub(super) fn run(args: &TrimArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let trace = open_trace(&args.input, common)?;
    let frames = args.frames.resolve(trace.frames().len() as u32).map_err(Failure::usage)?;
    let index = make_index(&trace, common);
    let mut error = None;
    let written = write_file(&args.output, |into| match write_trimmed(&trace, &index, &frames, into) {
        Ok(_) => Ok(()),
        Err(TrimError::Write(error)) => Err(error.into()),
        Err(of_the_trace) => {
            error = Some(of_the_trace);
            Err(anyhow::anyhow!("the trace cannot be trimmed"))
        }
    });
    if let Some(error) = error {
        return Err(Failure::from(error).context(args.input.display().to_string()));
    }
    written?;
    log::info!("{}: {} of {} frames", args.output.display(), frames.len(), trace.frames().len());
    Ok(completeness(&trace))
}

impl From<TrimError> for Failure {
    fn from(error: TrimError) -> Self {
        match error {
            TrimError::Replay(error) => error.into(),
            TrimError::Format(error) => error.into(),
            TrimError::NotIndexed { verdict, .. } => Self::new(Exit::of_verdict(verdict), error),
            TrimError::Write(_) => Self::new(Exit::ReplayFailed, error),
            TrimError::Read(_) | TrimError::Abi(_) => Self::new(Exit::Unreadable, error),
        }
    }
}
