//! `--watch`: pictures and hashes again, whenever what they are made from has changed on the disk.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::{CommonArgs, PlayArgs};
use super::exit::{Exit, Failure};
use super::render::{self, trace_path};
use super::whole_file::STDIO;
use crate::bytes::PathState;
use crate::text::say;

/// How often to look.
const INTERVAL: Duration = Duration::from_millis(250);

/// Renders until the program is interrupted. What goes wrong is said, and may be mended on the disk.
pub(super) fn run(args: &PlayArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let trace = trace_path(args)?;
    if trace == Path::new(STDIO) {
        return Err(Failure::usage("--watch rereads the trace: expected a file, not stdin"));
    }
    let folder = args.render.drawn.replace_shaders.as_deref();
    refuse_own_output(args.render.out.as_deref(), folder)?;
    let watched: Vec<&Path> = [Some(trace), folder].into_iter().flatten().collect();
    let messages = common.messages();
    let mut has_begun = false;
    loop {
        let before = states(&watched);
        match render::run(args, common) {
            Ok(Exit::Done) => {}
            Ok(exit) => messages.note(format!("without --watch the exit code would be {}", exit as u8), None),
            Err(failure) => {
                // Nothing on the disk mends a command line; one that was right once waits for what is missing now.
                if messages.failure(&failure) == Exit::Usage && !has_begun {
                    return Ok(Exit::Usage);
                }
            }
        }
        has_begun = true;
        if !common.quiet {
            say!("waiting for {} to change; Ctrl C quits", names(&watched));
        }
        wait_for_change(&watched, &before);
    }
}

/// Whoever wrote into the folder that is watched would wake itself for ever.
fn refuse_own_output(out: Option<&Path>, folder: Option<&Path>) -> Result<(), Failure> {
    let (Some(out), Some(folder)) = (out, folder) else { return Ok(()) };
    let beside = if out.is_dir() {
        out
    } else {
        out.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
    };
    let places: Vec<PathBuf> = [beside, folder].iter().filter_map(|path| path.canonicalize().ok()).collect();
    match places.as_slice() {
        [beside, folder] if beside == folder => {
            let message =
                "--out writes into the --replace-shaders folder, which --watch watches: expected another folder";
            Err(Failure::usage(message))
        }
        _ => Ok(()),
    }
}

/// What is away for a moment is being replaced, and counts as unchanged.
fn wait_for_change(watched: &[&Path], before: &[Option<PathState>]) {
    loop {
        std::thread::sleep(INTERVAL);
        let now = states(watched);
        let has_changed = now.iter().zip(before).any(|(now, before)| now.is_some() && now != before);
        // Who writes a file writes it in several goes.
        if has_changed {
            std::thread::sleep(INTERVAL / 2);
            if states(watched) == now {
                return;
            }
        }
    }
}

fn states(watched: &[&Path]) -> Vec<Option<PathState>> {
    watched.iter().map(|path| PathState::of(path).ok()).collect()
}

fn names(watched: &[&Path]) -> String {
    let names: Vec<String> = watched.iter().map(|path| path.display().to_string()).collect();
    names.join(" or ")
}
