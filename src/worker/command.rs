//! How workers are started.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::error::WorkerError;
use super::group::lead_group;
use super::process::Worker;

/// The program of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// This one.
    Own,
    /// Another one, which starts this one in the end: a wrapper for a debugger, say.
    Other(PathBuf),
}

/// How workers are started and how long a job may take. Clones share what is running.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    program: Program,
    arguments: Vec<String>,
    timeout: Duration,
    interrupted: Arc<AtomicBool>,
    running: Running,
}

/// The processes that run, by number. On Unix each leads a group.
#[derive(Clone, Debug, Default)]
pub(super) struct Running(Arc<Mutex<BTreeSet<u32>>>);

impl Running {
    pub(crate) fn add(&self, id: u32) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
    }

    /// Whether it was there. To be called before the process is waited for, after which its number may be another's.
    pub(crate) fn remove(&self, id: u32) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id)
    }

    fn end(&self) {
        let leaders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        #[cfg(unix)]
        super::group::end_groups(&leaders.iter().copied().collect::<Vec<_>>());
        drop(leaders);
    }
}

impl WorkerCommand {
    /// Workers of `program`, whose verb and flags are `arguments`; a job may take as long as `timeout`.
    pub fn new(program: Program, arguments: Vec<String>, timeout: Duration) -> Self {
        Self { program, arguments, timeout, interrupted: Arc::default(), running: Running::default() }
    }

    /// The longest a job may take.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The same for work that is to be finished whatever interrupts the rest.
    pub fn uninterrupted(&self) -> Self {
        Self { interrupted: Arc::default(), ..self.clone() }
    }

    /// Has everything stop: jobs that run are given up. Says whether that was asked before.
    pub fn interrupt(&self) -> bool {
        self.interrupted.swap(true, Ordering::Relaxed)
    }

    /// Whether everything is to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Ends what runs, for a process that is about to end without letting go of its workers. Where there are no
    /// process groups they end by themselves, when their input does.
    pub fn end_all(&self) {
        self.running.end();
    }

    /// Starts a worker.
    pub fn start(&self) -> Result<Worker, WorkerError> {
        let program = match &self.program {
            Program::Own => own_program(),
            Program::Other(program) => Ok(program.clone()),
        };
        let not_started = |program: String, error| WorkerError::NotStarted { program, error };
        let program = program.map_err(|error| not_started(env!("CARGO_PKG_NAME").to_owned(), error))?;
        let mut command = Command::new(&program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        lead_group(&mut command);
        let started = command.spawn().and_then(|child| Worker::new(child, self.running.clone()));
        started.map_err(|error| not_started(program.display().to_string(), error))
    }
}

/// This program, also after another version was put in its place, which might not understand this one.
fn own_program() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    // What this names on Linux is the running program itself; its path then ends in " (deleted)".
    let running = PathBuf::from("/proc/self/exe");
    Ok(if cfg!(target_os = "linux") && !path.exists() { running } else { path })
}
