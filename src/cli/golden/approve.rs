//! `golden approve`: what the frames look like now becomes the goldens.

use std::io::Write;
use std::path::Path;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::open::open_trace;
use super::super::output::{print_json, stdout};
use super::args::ApproveArgs;
use super::session::{named, root, worker_command};
use crate::format::aerogpu::FrameIndex;
use crate::golden::approve::{Approved, Approver};
use crate::golden::case::Case;
use crate::golden::suite::find_cases;
use crate::golden::{SuiteLock, heal};
use crate::text::json_line;

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
            let only = chosen_frames(args, &case)?;
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

fn chosen_frames(args: &ApproveArgs, case: &Case) -> Result<Option<Vec<FrameIndex>>, Failure> {
    let Some(set) = &args.frames else { return Ok(None) };
    let count = case.frames.last().map_or(0, |frame| frame.index.0 + 1);
    Ok(Some(set.resolve(count).map_err(Failure::usage)?))
}

/// Prints what became of each frame.
pub(super) fn print_approved(
    folder: &Path,
    approved: &[Approved],
    common: &CommonArgs,
    out: &mut impl Write,
) -> Result<(), Failure> {
    for frame in approved {
        let (frame, hash) = match frame {
            Approved::Unchanged(frame) => (frame, None),
            Approved::Changed(frame, hash) => (frame, Some(hash.to_string())),
        };
        if common.json {
            let line = json_line!("approved", { "folder": folder.display().to_string(),
                "frame": frame.0, "changed": hash.is_some(), "sha256": hash,
            });
            print_json(out, &line)?;
        } else if let Some(hash) = hash {
            writeln!(out, "approved: {}: frame {frame}: sha256={hash}", folder.display())?;
        } else {
            writeln!(out, "unchanged: {}: frame {frame}", folder.display())?;
        }
    }
    Ok(out.flush()?)
}
