//! `golden worker`: the child's side of the others. Not for people.

use std::io::BufReader;

use super::super::exit::{Exit, Failure};
use super::args::WorkerArgs;
use crate::golden::worker::serve;

pub(super) fn run(args: &WorkerArgs) -> Result<Exit, Failure> {
    let shaders = args.shaders.into();
    serve(BufReader::new(std::io::stdin()), std::io::stdout(), &shaders, || args.device.open())?;
    Ok(Exit::Done)
}
