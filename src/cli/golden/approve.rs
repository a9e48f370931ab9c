//! `golden approve`: what the frames look like now becomes the goldens.

use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::open::open_trace;
use super::super::output::{print_json, stdout};
use super::super::progress::{Printing, Progress};
use super::args::ApproveArgs;
use super::session::{named, root, worker_command};
use crate::command::FramePicture;
use crate::golden::approve::{Approved, Approver, Chosen};
use crate::golden::case::Case;
use crate::golden::decisions::{Decision, Decisions};
use crate::golden::pictures::hash_trace;
use crate::golden::suite::{FoundCase, find_cases};
use crate::golden::{SuiteLock, heal};
use crate::text::JsonLine;

pub(super) fn run(args: &ApproveArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let decisions = args.decisions.as_deref().map(Decisions::read).transpose()?;
    let root = root(&args.paths)?;
    let worker = worker_command(&args.process)?;
    let approver = Approver { worker: &worker, allowances: (&args.allow).into() };
    let mut out = stdout();
    let mut ended = Exit::Done;
    // Whoever has decided has named the cases.
    let paths = decisions.as_ref().map_or_else(|| args.paths.paths.clone(), Decisions::folders);
    let cases = find_cases(&paths)?;
    let lock = SuiteLock::take(&paths)?;
    if let Some(decisions) = &decisions {
        return Decided { approver: &approver, lock: &lock, root: &root, common }.run(decisions, &cases);
    }
    let mut progress = Progress::of("approving cases", cases.len(), Printing::AsItGoes, common);
    for found in cases {
        let approved = (|| -> Result<(), Failure> {
            heal(&found.folder, &lock)?;
            let case = Case::read(&found.folder, &root)?;
            let only = chosen_pictures(args, &case)?;
            // Whoever approves its pictures is to know what is odd about the trace; with --strict nobody approves them.
            open_trace(&case.trace, common)?;
            let chosen = only.as_deref().map_or(Chosen::All, Chosen::Only);
            let approved = approver.approve(&lock, &case, chosen)?;
            print_approved(&found.folder, &approved, common, &mut out)
        })();
        // One case that is refused does not hold up the others.
        if let Err(failure) = approved {
            ended = ended.worse(common.messages().failure(&named(failure, &found.folder)));
            if ended == Exit::Interrupted {
                break;
            }
        }
        progress.step();
    }
    out.flush()?;
    Ok(ended)
}

/// Follows what somebody has decided with the report's page.
struct Decided<'a> {
    approver: &'a Approver<'a>,
    lock: &'a SuiteLock,
    root: &'a Path,
    common: &'a CommonArgs,
}

impl Decided<'_> {
    /// Looks at everything that was accepted once more, and changes something only if all of it is as it was.
    fn run(&self, decisions: &Decisions, cases: &[FoundCase]) -> Result<Exit, Failure> {
        let mut out = stdout();
        if let Some(stray) = decisions.stray(cases.iter().map(|found| found.folder.as_path())) {
            return Err(stray.into());
        }
        let mut accepted = Vec::new();
        let mut progress = Progress::of("checking again", cases.len(), Printing::WhenDone, self.common);
        for FoundCase { folder, .. } in cases {
            let checked = (|| -> Result<(), Failure> {
                heal(folder, self.lock)?;
                let case = Case::read(folder, self.root)?;
                let about = decisions.about(&case, &hash_trace(&case.trace)?)?;
                self.tell_rejected(&case, &about, &mut out)?;
                let about = about.into_iter().filter(|decision| decision.is_accepted);
                let pictures: Vec<_> = about.map(|decision| (decision.of, decision.picture)).collect();
                if pictures.is_empty() {
                    return Ok(());
                }
                open_trace(&case.trace, self.common)?;
                self.approver.check(&case, Chosen::Accepted(&pictures))?;
                accepted.push((case, pictures));
                Ok(())
            })();
            checked.map_err(|failure| named(failure, folder).context("nothing was approved"))?;
            progress.step();
        }
        drop(progress);
        let mut progress = Progress::of("approving cases", accepted.len(), Printing::AsItGoes, self.common);
        for (case, pictures) in &accepted {
            let approved = self.approver.approve(self.lock, case, Chosen::Accepted(pictures));
            let approved = approved.map_err(|error| named(error.into(), &case.folder))?;
            print_approved(&case.folder, &approved, self.common, &mut out)?;
            progress.step();
        }
        out.flush()?;
        Ok(Exit::Done)
    }

    /// What was rejected stays as it is, for whoever is to look into it.
    fn tell_rejected(&self, case: &Case, about: &[&Decision], out: &mut impl Write) -> Result<(), Failure> {
        let folder = case.folder.display();
        for Decision { of, .. } in about.iter().filter(|decision| !decision.is_accepted) {
            match self.common.json {
                true => {
                    let line = RejectedLine { folder: folder.to_string(), of: *of };
                    print_json(out, &JsonLine::of("rejected", &line)?)?;
                }
                false => writeln!(out, "rejected: {folder}: frame {of}")?,
            }
        }
        Ok(())
    }
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

/// A picture that somebody has rejected, as JSON has it.
#[derive(Serialize)]
struct RejectedLine {
    folder: String,
    #[serde(flatten)]
    of: FramePicture,
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
