//! `golden new`: cases for traces.

use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use super::super::args::CommonArgs;
use super::super::exit::{Exit, Failure};
use super::super::open::open_trace;
use super::super::output::stdout;
use super::super::whole_file::Inputs;
use super::approve::print_approved;
use super::args::NewArgs;
use super::session::{default_root, make_folder, named, worker_command};
use crate::error::ErrorKind;
use crate::format::aerogpu::FrameSource;
use crate::golden::approve::{Allowances, Approver, NewCase};
use crate::golden::case::Case;
use crate::golden::{SuiteLock, heal};
use crate::text::say;

pub(super) fn run(args: &NewArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let worker = worker_command(&args.process)?;
    let approver =
        Approver { worker: &worker, allowances: Allowances { blank: args.allow_blank, ..Allowances::default() } };
    let root = default_root()?;
    make_folder(&args.into)?;
    let lock = SuiteLock::take(&[&args.into])?;
    let mut out = stdout();
    let mut ended = Exit::Done;
    for trace in &args.traces {
        let made = new_case(args, trace, common).and_then(|new| {
            heal(&new.folder, &lock)?;
            if is_case_of(&new, &root) {
                // Traces are added to a folder, and the whole folder is named again.
                if !common.quiet {
                    say!("{} is there already: `golden approve` changes it", new.folder.display());
                }
                return Ok(());
            }
            let approved = approver.create(&lock, &new)?;
            print_approved(&new.folder, &approved, common, &mut out)
        });
        if let Err(failure) = made {
            ended = ended.worse(common.messages().failure(&named(failure, trace)));
            if ended == Exit::Interrupted {
                break;
            }
        }
    }
    out.flush()?;
    Ok(ended)
}

/// Whether the case is there, made of this very trace. One of another trace of the same name is in the way.
fn is_case_of(new: &NewCase, root: &Path) -> bool {
    let is_it = |case: Case| matches!((fs::canonicalize(case.trace), fs::canonicalize(&new.trace)), (Ok(there), Ok(here)) if there == here);
    Case::read(&new.folder, root).is_ok_and(is_it)
}

fn new_case(args: &NewArgs, path: &Path, common: &CommonArgs) -> Result<NewCase, Failure> {
    let trace = open_trace(path, common)?;
    if let FrameSource::Scan { cause, .. } = trace.frame_source() {
        return Err(Failure::new(
            ErrorKind::ReadFailed,
            anyhow::anyhow!("{cause}: a damaged trace is no ground for goldens"),
        ));
    }
    let frames = args.frames.resolve(trace.frames().len() as u32).map_err(Failure::usage)?;
    if frames.is_empty() {
        return Err(Failure::usage("it has no frames: there would be nothing to compare"));
    }
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let stem = stem.ok_or_else(|| Failure::usage("its name is not UTF-8: golden.toml could not name it"))?;
    let folder = args.into.join(stem);
    Inputs::of(&args.traces).refuse_folder(&folder)?;
    // The folder itself need not exist yet; its parent does.
    let from = canonical(&args.into)?.join(stem);
    let trace_from_folder = path_between(&from, &canonical(path)?)
        .ok_or_else(|| Failure::usage("there is no path from the case to it that golden.toml could hold"))?;
    let size = args.size.choose(&trace);
    Ok(NewCase { folder, trace: path.to_owned(), trace_from_folder, size, frames })
}

fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    fs::canonicalize(path)
        .map_err(|error| Failure::new(ErrorKind::ReadFailed, error).context(format!("cannot find {}", path.display())))
}

/// The path from the folder `from` to `to`, with slashes; both are absolute.
fn path_between(from: &Path, to: &Path) -> Option<String> {
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| Some(".."));
    let down = to.components().skip(shared).map(|component| match component {
        Component::Normal(name) => name.to_str(),
        // Another drive.
        _ => None,
    });
    let parts: Vec<&str> = up.chain(down).collect::<Option<_>>()?;
    Some(PathBuf::from_iter(parts).to_str()?.replace('\\', "/"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_between_folders() {
        let between = |from: &str, to: &str| path_between(Path::new(from), Path::new(to)).unwrap();
        assert_eq!(between("/a/golden/x", "/a/traces/x.t"), "../../traces/x.t");
        assert_eq!(between("/a/golden/x", "/a/golden/x/x.t"), "x.t");
    }
}
