//! `serve --stdio`: JSON-RPC over stdin and stdout, on one warm device.

use std::io::{self, BufReader};

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::golden::DeviceArgs;
use super::output::stdout;
use super::worker;
use crate::error::ErrorKind;
use crate::serve::{ServeOptions, serve};
use crate::worker::Program;

#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Read requests from stdin and write answers to stdout: JSON-RPC 2.0, each message after a Content-Length header
    /// or on a line of its own
    #[arg(long, required = true)]
    pub stdio: bool,
    #[command(flatten)]
    pub device: DeviceArgs,
}

pub(super) fn run(args: &ServeArgs, _common: &CommonArgs) -> Result<Exit, Failure> {
    let worker = worker::command(Program::Own, args.device.arguments(), &args.device);
    serve(BufReader::new(io::stdin()), stdout().into_bytes(), ServeOptions { worker, exit_code })?;
    Ok(Exit::Done)
}

fn exit_code(kind: ErrorKind) -> u8 {
    Exit::from(kind) as u8
}
