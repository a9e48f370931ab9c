//! `TRACE`: the window.

use super::args::{CommonArgs, PlayArgs};
use super::exit::{Exit, Failure};

pub(super) fn run(_args: &PlayArgs, _common: &CommonArgs) -> Result<Exit, Failure> {
    Err(Failure::usage("no window"))
}
