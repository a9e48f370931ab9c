//! What the verbs that render share: the root, workers, Ctrl-C, and how errors end.

use std::path::{Path, PathBuf};

use super::super::exit::exit_now;
use super::super::exit::{Exit, Failure};
use super::super::{interrupt, worker};
use super::args::{AllowArgs, PathsArgs, ProcessArgs};
use crate::error::ErrorKind;
use crate::golden::approve::Allowances;
use crate::worker::{Program, WorkerCommand};

/// The folder that traces must lie in: the one given, the checkout that this is, or the current directory.
pub(crate) fn root(paths: &PathsArgs) -> Result<PathBuf, Failure> {
    match &paths.root {
        Some(root) => Ok(root.clone()),
        None => default_root(),
    }
}

pub(crate) fn default_root() -> Result<PathBuf, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(ErrorKind::Usage, error).context("cannot find the current directory"))?;
    let checkout = here.ancestors().find(|folder| folder.join(".git").exists());
    Ok(checkout.unwrap_or(&here).to_owned())
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
