//! The asking side: one running worker.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::command::{Running, WorkerCommand};
use super::error::WorkerError;
use super::group::{end_group, has_ended};
use super::lines::{NextLine, OutputLines};
use super::message::{Answered, Job, Progress, SentJob};
use crate::limits::MAX_WORKER_STDERR_BYTES;

/// How often whoever waits looks whether the answer is still wanted, and the process still there.
const GLANCE: Duration = Duration::from_millis(50);
/// How long a process that was killed, or that has closed its output, is waited for.
const PARTING: Duration = Duration::from_secs(2);
/// A pipe takes so many bytes at once, whether or not anybody reads.
const SURE_TO_FIT: usize = 4096;
/// Longest job that is sent while another is under way: two of them and what is under way fit together.
const SURE_TO_FIT_AHEAD: usize = 1024;

/// The pipe to a worker, through which any thread can send a job.
#[derive(Clone)]
pub(super) struct WorkerInput(Arc<Mutex<ChildStdin>>);

impl WorkerInput {
    /// Sends a job behind what is under way, if that is sure not to wait for the worker. Whether it was sent.
    pub(super) fn send_ahead<J: Job>(&self, job: &J) -> bool {
        job_line(job).is_ok_and(|line| line.len() <= SURE_TO_FIT_AHEAD && self.write(&line).is_ok())
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut stdin = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stdin.write_all(line).and_then(|()| stdin.flush())
    }

    /// Sends a line. A long one may have to wait for the worker, which is nothing to wait for.
    fn send(&self, line: Vec<u8>) -> io::Result<()> {
        if line.len() <= SURE_TO_FIT {
            return self.write(&line);
        }
        let input = self.clone();
        // Where it can't be written the worker has ended, which whoever waits for the answer finds.
        let write = move || drop(input.write(&line));
        thread::Builder::new().name("job".to_owned()).spawn(write).map(drop)
    }
}

fn job_line<J: Job>(job: &J) -> Result<Vec<u8>, WorkerError> {
    let mut line = serde_json::to_vec(&SentJob { kind: J::KIND, job }).map_err(WorkerError::OtherVersion)?;
    line.push(b'\n');
    Ok(line)
}

/// A running worker. Dropping it kills it and its group.
pub struct Worker {
    child: Child,
    input: WorkerInput,
    lines: OutputLines,
    stderr: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
    running: Running,
    /// What it is at, if it has told.
    doing: Option<String>,
}

impl Worker {
    pub(super) fn new(mut child: Child, running: Running) -> io::Result<Self> {
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("it has no pipes"));
        };
        let lines = OutputLines::new(stdout)?;
        let words = Arc::new(Mutex::new(Vec::new()));
        let kept = words.clone();
        let listener = thread::Builder::new().name("stderr".to_owned()).spawn(move || keep_stderr(stderr, &kept))?;
        running.add(child.id());
        let input = WorkerInput(Arc::new(Mutex::new(stdin)));
        Ok(Self { child, input, lines, stderr: words, listener, running, doing: None })
    }

    /// Whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        has_ended(&mut self.child)
    }

    /// Where jobs can be sent to it from other threads.
    pub(super) fn input(&self) -> &WorkerInput {
        &self.input
    }

    /// Gives it a job and waits for the answer, until `deadline`, which is `limit` from when the job was asked for, and as
    /// long as it is not given up. After an error the worker is of no more use.
    pub fn ask<J: Job>(
        &mut self,
        job: &J,
        deadline: Instant,
        limit: Duration,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Answered<J::Answer>, WorkerError> {
        let line = job_line(job)?;
        if self.input.send(line).is_err() {
            return Err(self.crashed());
        }
        self.receive::<J>(deadline, limit, is_given_up)
    }

    /// Waits for the answer to the first job that was sent and has none, until `deadline`, which is `limit` from when the
    /// job was its turn, and as long as it is not given up. After an error the worker is of no more use.
    pub(super) fn receive<J: Job>(
        &mut self,
        deadline: Instant,
        limit: Duration,
        is_given_up: &dyn Fn() -> bool,
    ) -> Result<Answered<J::Answer>, WorkerError> {
        self.doing = None;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.next(left.min(GLANCE)) {
                NextLine::Line(line) => {
                    // Drivers print too; what is no answer is none.
                    if let Some(answer) = read_answer::<J>(&line)? {
                        return Ok(answer);
                    }
                    if let Ok(Progress { doing }) = serde_json::from_slice(&line) {
                        self.doing = Some(doing);
                    }
                }
                NextLine::End => return Err(self.crashed()),
                // Something that it has started may hold its output open.
                NextLine::Nothing if !left.is_zero() && has_ended(&mut self.child) => return Err(self.crashed()),
                NextLine::Nothing => {}
            }
            if is_given_up() {
                return Err(WorkerError::Interrupted);
            }
            if left.is_zero() {
                return Err(WorkerError::TimedOut { limit, doing: self.doing.take() });
            }
        }
    }

    /// Gives it a job of `command`'s, which may take as long as that says, and is given up when that is interrupted.
    pub fn ask_within<J: Job>(&mut self, job: &J, command: &WorkerCommand) -> Result<Answered<J::Answer>, WorkerError> {
        let limit = command.timeout();
        self.ask(job, Instant::now() + limit, limit, &|| command.is_interrupted())
    }

    fn crashed(&mut self) -> WorkerError {
        // Its pipes are closed; it may still be exiting.
        let ended = wait_until(PARTING, || has_ended(&mut self.child));
        // What it wrote last may still be in the pipe. A process that it started may hold the pipe open for long.
        wait_until(Duration::from_millis(500), || self.listener.is_finished());
        self.running.remove(self.child.id());
        end_group(&mut self.child);
        let status = if ended { self.child.try_wait().ok().flatten() } else { None };
        let how = status.map_or_else(|| "closed its output".to_owned(), |status| status.to_string());
        let words = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let words = String::from_utf8_lossy(&words);
        let last: Vec<String> = words.lines().rev().take(3).map(str::to_owned).collect();
        WorkerError::Crashed { doing: self.doing.take(), how, last_lines: last.into_iter().rev().collect() }
    }
}

/// The answer that a line holds, if it holds one.
fn read_answer<J: Job>(line: &[u8]) -> Result<Option<Answered<J::Answer>>, WorkerError> {
    match serde_json::from_slice(line) {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if line.starts_with(b"{\"answer\"") => Err(WorkerError::OtherVersion(error)),
        Err(_) => Ok(None),
    }
}

fn keep_stderr(mut stderr: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut chunk) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
        let too_many = kept.len().saturating_sub(MAX_WORKER_STDERR_BYTES);
        kept.drain(..too_many);
    }
}

/// Whether `is_so` becomes true in time.
fn wait_until(time: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + time;
    loop {
        if is_so() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // One that has crashed was killed and waited for then: its number may be another's.
        if !self.running.remove(self.child.id()) {
            return;
        }
        end_group(&mut self.child);
        // A process in the middle of a driver call may take a while to go. Nobody waits for long.
        wait_until(PARTING, || !matches!(self.child.try_wait(), Ok(None)));
    }
}
