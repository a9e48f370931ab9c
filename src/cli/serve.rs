//! `serve --stdio`: JSON-RPC over stdin and stdout, on one warm device; `serve --mcp`: the same for agents.

use std::io::{self, BufReader};

use super::args::CommonArgs;
use super::exit::{Exit, Failure};
use super::golden::DeviceArgs;
use super::output::stdout;
use super::worker;
use crate::error::ErrorKind;
use crate::serve::{ServeOptions, serve, serve_mcp};
use crate::session::{METHODS, Method};
use crate::worker::Program;

#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Read requests from stdin and write answers to stdout: JSON-RPC 2.0, each message after a Content-Length header
    /// or on a line of its own
    #[arg(long, required_unless_present = "mcp")]
    pub stdio: bool,
    /// Speak the Model Context Protocol on stdin and stdout instead: methods are tools for an agent
    #[arg(long, conflicts_with = "stdio")]
    pub mcp: bool,
    #[command(flatten)]
    pub device: DeviceArgs,
}

/// Methods with their parameters, and a conversation that lists the draws of a frame.
pub(super) fn after_help() -> String {
    let requests = [
        r#"{"jsonrpc":"2.0","id":1,"method":"open","params":{"path":"trace.bin"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"events","params":{"trace":1,"frame":0,"filter":"DRAW"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"image","params":{"trace":1,"frame":0,"path":"frame.png"}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"shutdown"}"#,
    ];
    let methods = METHODS.map(|Method { name, parameters, .. }| format!("\n  {name:<11} {}", parameters.join(", ")));
    format!(
        "Methods and their parameters; ? marks what may be left out, place is frame, draw and packet in one:{}\n\n\
         The draws of a frame, and its picture. The first trace that is opened is trace 1:\n  {}",
        methods.map(|line| line.trim_end().to_owned()).concat(),
        requests.join("\n  ")
    )
}

pub(super) fn run(args: &ServeArgs, _common: &CommonArgs) -> Result<Exit, Failure> {
    let worker = worker::command(Program::Own, args.device.arguments(), &args.device);
    let (input, options) = (BufReader::new(io::stdin()), ServeOptions { worker, exit_code });
    match args.mcp {
        true => serve_mcp(input, stdout().into_bytes(), options)?,
        false => serve(input, stdout().into_bytes(), options)?,
    }
    Ok(Exit::Done)
}

fn exit_code(kind: ErrorKind) -> u8 {
    Exit::from(kind) as u8
}
