//! `serve --stdio`: JSON-RPC over stdin and stdout, on one warm device.

use std::io::{self, BufReader};

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::golden::DeviceArgs;
use super::output::stdout;
use crate::serve::{ServeError, ServeOptions, serve};

#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Take requests from stdin and answer on stdout: JSON-RPC 2.0, each message after a Content-Length header or on a
    /// line of its own
    #[arg(long, required = true)]
    pub stdio: bool,
    #[command(flatten)]
    pub device: DeviceArgs,
}

pub(super) fn run(args: &ServeArgs, _common: &CommonArgs) -> Result<Exit, Failure> {
    let device = args.device.clone();
    let options = ServeOptions { open_gpu: Box::new(move || device.open()), exit_code };
    serve(BufReader::new(io::stdin()), &mut stdout().as_bytes(), options)?;
    Ok(Exit::Done)
}

fn exit_code(error: ServeError) -> u8 {
    let exit = match error {
        ServeError::Player(error) => Failure::from(error).exit(),
        ServeError::Inquiry(error) => Failure::from(error).exit(),
        ServeError::Gpu(error) => Failure::from(error).exit(),
        ServeError::Trace { source, .. } => Failure::from(source).exit(),
        ServeError::File { .. } => Exit::Unreadable,
        ServeError::Picture { .. } => Exit::ReplayFailed,
        ServeError::TooLarge { .. } | ServeError::TooManyTraces(_) => Exit::OverLimit,
        ServeError::Cancelled => Exit::Interrupted,
        ServeError::Params { .. } | ServeError::NoSuchMethod(_) | ServeError::NotOpen(_) | ServeError::Filter(_) => {
            Exit::Usage
        }
    };
    exit as u8
}
