//! `golden new`: cases for traces.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::super::args::{Backend, CommonArgs};
use super::super::conformance_file::{kept_table_path, read_table, sentence, uses_that_fail};
use super::super::exit::{Exit, Failure};
use super::super::index::make_index_up_to;
use super::super::open::open_trace;
use super::super::output::stdout;
use super::super::whole_file::{Inputs, make_folder};
use super::approve::print_approved;
use super::args::NewArgs;
use super::session::{default_root, named, worker_command};
use crate::command::{FramePicture, ResourceName, Shown};
use crate::error::ErrorKind;
use crate::format::aerogpu::{FrameIndex, FrameSource, Trace};
use crate::golden::approve::{Allowances, Approver, NewCase};
use crate::golden::case::Case;
use crate::golden::{SuiteLock, heal};
use crate::replay::{NoPicture, picture_at_end, presented_pictures};
use crate::text::say;

pub(super) fn run(args: &NewArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let worker = worker_command(&args.process)?;
    let approver =
        Approver { worker: &worker, allowances: Allowances { blank: args.allow_blank, ..Allowances::default() } };
    let root = default_root()?;
    let has_folder = args.into.exists();
    make_folder(&args.into)?;
    let lock = SuiteLock::take(&[&args.into])?;
    let mut out = stdout();
    let mut ended = Exit::Done;
    for trace in &args.traces {
        let opened = open_trace(trace, common).and_then(|opened| Ok((new_case(args, trace, &opened, common)?, opened)));
        let made = opened.and_then(|(new, opened)| {
            heal(&new.folder, &lock)?;
            if is_case_of(&new, &root) {
                // Traces are added to a folder, and the whole folder is named again.
                if !common.quiet {
                    say!("{} already exists: `golden approve` changes it", new.folder.display());
                }
                return Ok(());
            }
            let approved = approver.create(&lock, &new)?;
            warn_of_other_apis(args, (trace, &opened), common)?;
            print_approved(&new.folder, &approved, common, &mut out)
        });
        if let Err(failure) = made {
            ended = ended.worse(common.messages().failure(&named(failure, trace)));
            if ended == Exit::Interrupted {
                break;
            }
        }
    }
    if !has_folder {
        // With a case in it, it stays.
        let _ = fs::remove_dir(&args.into);
    }
    out.flush()?;
    Ok(ended)
}

/// Warns of what the trace uses and other APIs draw otherwise, by the table that `doctor --conformance` keeps.
fn warn_of_other_apis(args: &NewArgs, (path, trace): (&Path, &Arc<Trace>), common: &CommonArgs) -> Result<(), Failure> {
    let Some(kept) = kept_table_path().filter(|kept| kept.exists()) else { return Ok(()) };
    let table = match read_table(&kept) {
        Ok(table) => table,
        Err(failure) => {
            common.messages().warning(format_args!("{failure:#}"), None);
            return Ok(());
        }
    };
    // Without a choice the first adapter is taken, which is none of OpenGL where there is another.
    let recorded_on = match args.process.device.backend {
        Backend::Gl => "gl",
        Backend::Metal => "metal",
        Backend::Dx12 => "dx12",
        Backend::Auto | Backend::Vulkan | Backend::Noop => "vulkan",
    };
    for fails in uses_that_fail(trace, &table, Some(recorded_on))? {
        let what = format!("{}: frame {}: {}", path.display(), fails.at.frame, sentence(&fails));
        common.messages().warning(what, Some(fails.at.offset));
    }
    Ok(())
}

/// Whether the case is there, made of this very trace. One of another trace of the same name is in the way.
fn is_case_of(new: &NewCase, root: &Path) -> bool {
    let is_it = |case: Case| matches!((fs::canonicalize(case.trace), fs::canonicalize(&new.trace)), (Ok(there), Ok(here)) if there == here);
    Case::read(&new.folder, root).is_ok_and(is_it)
}

fn new_case(args: &NewArgs, path: &Path, trace: &Arc<Trace>, common: &CommonArgs) -> Result<NewCase, Failure> {
    if let FrameSource::Scan { cause, .. } = trace.frame_source() {
        return Err(Failure::new(ErrorKind::ReadFailed, anyhow::anyhow!("{cause}: goldens need an undamaged trace")));
    }
    let frames = args.frames.resolve(trace.frames().len() as u32).map_err(Failure::usage)?;
    if frames.is_empty() {
        return Err(Failure::usage("it has no frames to compare"));
    }
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let stem = stem.ok_or_else(|| Failure::usage("its name is not UTF-8, as golden.toml requires"))?;
    let folder = args.into.join(stem);
    Inputs::of(&args.traces).refuse_folder(&folder)?;
    // The folder itself need not exist yet; its parent does.
    let from = canonical(&args.into)?.join(stem);
    let trace_from_folder = path_between(&from, &canonical(path)?)
        .ok_or_else(|| Failure::usage("golden.toml cannot express a path from the case to it"))?;
    let size = args.size.choose(trace);
    let pictures = pictures(trace, &frames, &args.targets, common)?;
    Ok(NewCase { folder, trace: path.to_owned(), trace_from_folder, size, pictures })
}

/// The pictures that the frames present, and those of `targets`.
fn pictures(
    trace: &Arc<Trace>,
    frames: &[FrameIndex],
    targets: &[ResourceName],
    common: &CommonArgs,
) -> Result<Vec<FramePicture>, Failure> {
    let last = frames.last().map_or(0, |last| last.as_usize() + 1);
    let index = make_index_up_to(trace, last, common);
    let mut pictures = Vec::new();
    let mut missing: BTreeMap<ResourceName, NoPicture> = BTreeMap::new();
    let mut found: BTreeSet<ResourceName> = BTreeSet::new();
    for frame in frames.iter().copied() {
        if frame.as_usize() >= index.frame_count() {
            // Rendering says what is wrong with it.
            pictures.push(frame.into());
            continue;
        }
        pictures.extend(presented_pictures(&index, frame)?.into_iter().map(|shown| FramePicture { frame, shown }));
        for name in targets {
            match picture_at_end(trace, &index, frame, Shown::Target(*name))? {
                Ok(_) => {
                    found.insert(*name);
                    pictures.push(FramePicture { frame, shown: Shown::Target(*name) });
                }
                Err(none) => drop(missing.insert(*name, none)),
            }
        }
    }
    // Of some frames it may be missing, but not of all.
    if let Some((_, none)) = missing.into_iter().find(|(name, _)| !found.contains(name)) {
        return Err(Failure::usage(none));
    }
    pictures.sort_unstable();
    pictures.dedup();
    Ok(pictures)
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
