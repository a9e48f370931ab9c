//! What the verbs that render share: the root, workers, Ctrl-C, and how errors end.

use std::path::{Path, PathBuf};

use super::super::exit::exit_now;
use super::super::exit::{Exit, Failure};
use super::super::{interrupt, worker};
use super::args::{AllowArgs, PathsArgs, ProcessArgs};
use crate::error::ErrorKind;
use crate::golden::approve::Allowances;
use crate::worker::{Program, WorkerCommand};

/// The folder that traces must lie in: the one given, the checkout that this is, or else the folder nearest to the current
/// directory that holds it and all paths that are given.
pub(crate) fn root(paths: &PathsArgs) -> Result<PathBuf, Failure> {
    match &paths.root {
        Some(root) => Ok(root.clone()),
        None => {
            let here = current_directory()?;
            Ok(checkout_of(&here).unwrap_or_else(|| folder_around(&here, &paths.paths)).to_owned())
        }
    }
}

pub(crate) fn default_root() -> Result<PathBuf, Failure> {
    let here = current_directory()?;
    Ok(checkout_of(&here).unwrap_or(&here).to_owned())
}

fn current_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir()
        .map_err(|error| Failure::new(ErrorKind::Usage, error).context("cannot find the current directory"))
}

fn checkout_of(here: &Path) -> Option<&Path> {
    here.ancestors().find(|folder| folder.join(".git").exists())
}

/// The folder nearest to `here` that holds it and all of `paths`. Where that would be the whole file system, it is `here`.
fn folder_around<'h>(here: &'h Path, paths: &[PathBuf]) -> &'h Path {
    // A path that is not there is told of when it is read.
    let given: Vec<PathBuf> = paths.iter().filter_map(|path| std::fs::canonicalize(here.join(path)).ok()).collect();
    let holds_all = |folder: &&Path| given.iter().all(|path| path.starts_with(folder));
    here.ancestors().find(holds_all).filter(|folder| folder.parent().is_some()).unwrap_or(here)
}

/// How workers are started, with Ctrl-C listened for from here on: the first one ends in order, the second at once.
pub(crate) fn worker_command(process: &ProcessArgs) -> Result<WorkerCommand, Failure> {
    let program = process.worker.clone().map_or(Program::Own, Program::Other);
    let command = worker::command(program, process.arguments(), &process.device);
    let interrupted = command.clone();
    interrupt::handle(move || {
        if interrupted.interrupt() {
            interrupted.end_all();
            exit_now(Exit::Interrupted);
        }
    });
    Ok(command)
}

/// The failure with its file's name before it, if it does not say that name itself.
pub(crate) fn named(failure: Failure, path: &Path) -> Failure {
    let name = path.display().to_string();
    if failure.to_string().contains(&name) { failure } else { failure.context(name) }
}

impl ProcessArgs {
    /// The flags that decide about pictures again, for a child process or for people who want to repeat it.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = self.device.arguments();
        arguments.extend(self.shaders.arguments());
        arguments
    }
}

impl From<&AllowArgs> for Allowances {
    fn from(args: &AllowArgs) -> Self {
        let (blank, adapter_change, trace_change) =
            (args.allow_blank, args.allow_adapter_change, args.allow_trace_change);
        Self { blank, adapter_change, trace_change, add: args.add }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_around_holds_what_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let base = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(base.join("work/deep")).unwrap();
        std::fs::create_dir_all(base.join("suite/cases")).unwrap();
        let around = |here: &str, paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            folder_around(&base.join(here), &paths).to_owned()
        };
        assert_eq!(around("work", &[]), base.join("work"));
        assert_eq!(around("work", &["deep", "missing"]), base.join("work"));
        assert_eq!(around("work", &["../suite/cases"]), base);
        assert_eq!(around("work/deep", &["..", "../deep"]), base.join("work"));
        // Not everything is to be read because of one path.
        assert_eq!(around("work", &["/"]), base.join("work"));
    }
}
