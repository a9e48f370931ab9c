//! The `aerogpu-replay` binary: hands the command line to the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    aerogpu_replay::cli::run(std::env::args_os())
}
