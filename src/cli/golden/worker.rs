//! `golden worker`: the child's side of the others. Not for people.

use std::io::BufReader;

use super::super::exit::{Exit, Failure};
use super::device::DeviceArgs;
use crate::golden::worker::serve;

pub(super) fn run(args: &DeviceArgs) -> Result<Exit, Failure> {
    serve(BufReader::new(std::io::stdin()), std::io::stdout(), || args.open())?;
    Ok(Exit::Done)
}
