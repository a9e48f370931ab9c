//! The parent's side: child processes that take cases one after the other.
//!
//! **Isolation.** Opening a device costs far more than a small case, so one process with one device takes many
//! cases. What keeps them apart:
//!
//! * A crash, a hang or a lost device ends the worker, and is the result of the case it was at; the next case gets a
//!   fresh one. A hang is ended by killing it after the case's time.
//! * A case can pass only by giving a picture that is accepted, and no earlier case can lend it one: target, buffers
//!   and programs are its own. So a pass on a shared device counts.
//! * A failure on a shared device may be an earlier case's fault. So every failure is repeated in a fresh process,
//!   and what passes there is neither passed nor failed but flaky.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::worker::{Answer, Job};
use crate::bytes::limits::MAX_WORKER_STDERR_BYTES;

/// How workers are started and how long they may take.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The longest a job may take.
    pub timeout: Duration,
    /// Set when everything is to stop.
    pub interrupted: Arc<AtomicBool>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerEnd {
    /// The process could not be started.
    NotStarted(String),
    /// The process died; how, and its last words.
    Crashed(String),
    /// The process took too long and was killed.
    TimedOut,
    /// Everything is to stop.
    Interrupted,
}

/// How often a waiting parent looks whether everything is to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// A running child process. Dropping it kills it.
pub struct Worker {
    child: Child,
    stdin: ChildStdin,
    answers: Receiver<Answer>,
    stderr: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
}

impl WorkerCommand {
    /// Whether everything is to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Starts a worker.
    pub fn start(&self) -> Result<Worker, WorkerEnd> {
        let not_started = |error: &dyn std::fmt::Display| {
            WorkerEnd::NotStarted(format!("cannot start {}: {error}", self.program.display()))
        };
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            // Ctrl-C on a terminal reaches the parent alone, which then ends its workers in order.
            use std::os::unix::process::CommandExt;
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(|error| not_started(&error))?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(not_started(&"it has no pipes"));
        };
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // Drivers print too; what is no answer is none.
                if let Ok(answer) = serde_json::from_str(&line)
                    && sender.send(answer).is_err()
                {
                    return;
                }
            }
        });
        let words = Arc::new(Mutex::new(Vec::new()));
        let kept = words.clone();
        let listener = std::thread::spawn(move || keep_last_words(stderr, &kept));
        Ok(Worker { child, stdin, answers, stderr: words, listener })
    }
}

fn keep_last_words(mut stderr: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut chunk) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let too_many = kept.len().saturating_sub(MAX_WORKER_STDERR_BYTES);
        kept.drain(..too_many);
    }
}

impl Worker {
    /// Gives it a job and waits for the answer. After an error the worker is of no more use.
    pub fn ask(&mut self, job: &Job, command: &WorkerCommand) -> Result<Answer, WorkerEnd> {
        let line = serde_json::to_string(job).map_err(|error| WorkerEnd::NotStarted(error.to_string()))?;
        let deadline = Instant::now() + command.timeout;
        if writeln!(self.stdin, "{line}").and_then(|()| self.stdin.flush()).is_err() {
            return Err(self.crashed());
        }
        loop {
            if command.is_interrupted() {
                return Err(WorkerEnd::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.answers.recv_timeout(left.min(GLANCE)) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => return Err(self.crashed()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(WorkerEnd::TimedOut),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn crashed(&mut self) -> WorkerEnd {
        // Its pipes are closed; it may still be on its way out.
        let deadline = Instant::now() + Duration::from_secs(2);
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
                _ => break "closed its output".to_owned(),
            }
        };
        // Its last words may still be in the pipe. A process that it started may hold the pipe open for long.
        let deadline = Instant::now() + Duration::from_millis(500);
        while !self.listener.is_finished() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        let words = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(&words);
        let last: Vec<&str> = words.lines().rev().take(3).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        let said = if last.is_empty() { String::new() } else { format!("; its last words: {}", last.join(" | ")) };
        WorkerEnd::Crashed(format!("the process that rendered it ended with {status}{said}"))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
