//! `golden mutate`: which faults the cases would not notice.

use std::io::Write;
use std::path::Path;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::output::{print_json, stdout};
use super::super::progress::{Printing, Progress};
use super::args::MutateArgs;
use super::session::{named, root, worker_command};
use crate::error::ErrorKind;
use crate::golden::heal_to_read;
use crate::golden::jobs::{Answer, Job};
use crate::golden::mutate::{CaseMutants, PictureMutants};
use crate::golden::outcome::Status;
use crate::golden::suite::find_cases;
use crate::text::{JsonLine, counted};
use crate::worker::{WorkerCommand, WorkerError};

pub(super) fn run(args: &MutateArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let root = root(&args.paths)?;
    let worker = worker_command(&args.process)?;
    let mut out = stdout();
    let mut ended = Exit::Done;
    let cases = find_cases(&args.paths.paths)?;
    let mut progress = Progress::of("trying mutants", cases.len(), Printing::AsItGoes, common);
    for found in cases {
        let mutated = heal_to_read(&found.folder)
            .map_err(Failure::from)
            .and_then(|()| mutate(&worker, &found.folder, &root, args.draws));
        match mutated {
            Ok(mutants) => {
                print(&mutants, common, &mut out)?;
                if mutants.pictures.iter().any(|picture| !picture.survived.is_empty()) {
                    ended = ended.worse(Exit::Different);
                }
            }
            // The others are looked at all the same.
            Err(failure) => {
                ended = ended.worse(common.messages().failure(&named(failure, &found.folder)));
                if ended == Exit::Interrupted {
                    break;
                }
            }
        }
        out.flush()?;
        progress.step();
    }
    Ok(ended)
}

/// Asks a worker of its own: what a mutant does to a device is no other case's trouble.
fn mutate(worker: &WorkerCommand, folder: &Path, root: &Path, draws: usize) -> Result<CaseMutants, Failure> {
    let job = Job::Mutate { folder: folder.to_owned(), root: root.to_owned(), draws };
    let answered = worker.start().and_then(|mut started| started.ask_within(&job, worker));
    match answered.map(|answered| answered.answer) {
        Ok(Answer::Mutated(mutants)) => Ok(*mutants),
        Ok(Answer::Failed { status, kind, message }) => {
            let of_status = if status == Status::NoAdapter { ErrorKind::NoAdapter } else { ErrorKind::ReplayFailed };
            Err(Failure::say(kind.unwrap_or(of_status), message))
        }
        Ok(_) => Err(Failure::say(ErrorKind::Internal, "the worker answered a different question")),
        Err(WorkerError::Interrupted) => Err(Failure::say(ErrorKind::Interrupted, "interrupted")),
        Err(error @ WorkerError::TimedOut { .. }) => Err(Failure::say(ErrorKind::Timeout, error)),
        Err(error) => Err(Failure::say(ErrorKind::ReplayFailed, error)),
    }
}

fn print(mutants: &CaseMutants, common: &CommonArgs, out: &mut impl Write) -> Result<(), Failure> {
    if common.json {
        return Ok(print_json(out, &JsonLine::of("mutants", mutants)?)?);
    }
    for picture in &mutants.pictures {
        let PictureMutants { of, mutants: count, survived, equivalent, untested_draws } = picture;
        let noticed = count - survived.len();
        writeln!(out, "{}, frame {of}: {noticed} of {count} mutants detected", mutants.folder)?;
        for one in survived {
            let (pixels, step) = (counted(one.differing as usize, "pixel"), one.largest_step);
            writeln!(
                out,
                "  missed: {}: {pixels}, off by at most {step} of 255, passes by {}",
                one.mutant, one.criterion
            )?;
        }
        if !equivalent.is_empty() {
            writeln!(out, "  changes nothing: {}", equivalent.join(", "))?;
        }
        if *untested_draws > 0 {
            let draws = counted(*untested_draws, "draw");
            writeln!(out, "  not tried: {draws} (--draws)")?;
        }
    }
    Ok(())
}
