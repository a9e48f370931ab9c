//! `golden approve`: what the frames look like now becomes the goldens.

use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::open::open_trace;
use super::super::output::{print_json, stdout};
use super::args::ApproveArgs;
use super::session::{named, root, worker_command};
use crate::command::FramePicture;
use crate::golden::approve::{Approved, Approver};
use crate::golden::case::Case;
use crate::golden::suite::find_cases;
use crate::golden::{SuiteLock, heal};
use crate::text::JsonLine;

pub(super) fn run(args: &ApproveArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let root = root(&args.paths)?;
    let worker = worker_command(&args.process)?;
    let approver = Approver { worker: &worker, allowances: (&args.allow).into() };
    let mut out = stdout();
    let mut ended = Exit::Done;
    let cases = find_cases(&args.paths.paths)?;
    let lock = SuiteLock::take(&args.paths.paths)?;
    for found in cases {
        let approved = (|| -> Result<(), Failure> {
            heal(&found.folder, &lock)?;
            let case = Case::read(&found.folder, &root)?;
            let only = chosen_pictures(args, &case)?;
            // Whoever approves its pictures is to know what is odd about the trace; with --strict nobody approves them.
            open_trace(&case.trace, common)?;
            let approved = approver.approve(&lock, &case, only.as_deref())?;
            print_approved(&found.folder, &approved, common, &mut out)
        })();
        // One case that is refused does not hold up the others.
        if let Err(failure) = approved {
            ended = ended.worse(common.messages().failure(&named(failure, &found.folder)));
            if ended == Exit::Interrupted {
                break;
            }
        }
    }
    out.flush()?;
    Ok(ended)
}

/// The pictures that are asked for, if not all are.
fn chosen_pictures(args: &ApproveArgs, case: &Case) -> Result<Option<Vec<FramePicture>>, Failure> {
    let count = case.pictures.last().map_or(0, |golden| golden.of.frame.0 + 1);
    let frames = args.frames.as_ref().map(|set| set.resolve(count).map_err(Failure::usage)).transpose()?;
    let shown = args.shown.are_given().then(|| args.shown.shown());
    if frames.is_none() && shown.is_none() {
        return Ok(None);
    }
    let pictures = case.pictures.iter().map(|golden| golden.of);
    let of_frames = pictures.filter(|of| frames.as_ref().is_none_or(|frames| frames.contains(&of.frame)));
    let chosen: Vec<_> = of_frames.filter(|of| shown.is_none_or(|shown| shown == of.shown)).collect();
    match shown {
        Some(shown) if chosen.is_empty() => {
            Err(Failure::usage(format!("golden.toml has no such golden{}", shown.in_words())))
        }
        _ => Ok(Some(chosen)),
    }
}

/// What became of a golden, as JSON has it.
#[derive(Serialize)]
struct ApprovedLine {
    folder: String,
    #[serde(flatten)]
    of: FramePicture,
    changed: bool,
    sha256: Option<String>,
}

/// Prints what became of each golden.
pub(super) fn print_approved(
    folder: &Path,
    approved: &[Approved],
    common: &CommonArgs,
    out: &mut impl Write,
) -> Result<(), Failure> {
    for golden in approved {
        let (of, hash) = match golden {
            Approved::Unchanged(of) => (*of, None),
            Approved::Changed(of, hash) => (*of, Some(hash.to_string())),
        };
        if common.json {
            let (folder, changed) = (folder.display().to_string(), hash.is_some());
            let line = ApprovedLine { folder, of, changed, sha256: hash };
            print_json(out, &JsonLine::of("approved", &line)?)?;
        } else if let Some(hash) = hash {
            writeln!(out, "approved: {}: frame {of}: sha256={hash}", folder.display())?;
        } else {
            writeln!(out, "unchanged: {}: frame {of}", folder.display())?;
        }
    }
    Ok(out.flush()?)
}
