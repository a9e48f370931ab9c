//! Processes that carry out trials: one name a line comes in, and after what the trial prints one line tells its outcome.

use std::any::Any;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write, stdin};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Failed, Trial};

/// Set in the environment of such a process.
pub const WORKER: &str = "AEROGPU_REPLAY_TEST_WORKER";

const PASSED: &str = "the trial has passed";
const FAILED: &str = "the trial has failed";

/// Carries out the trials that are asked for, until there are no more.
pub fn work(trials: Vec<Trial>) -> ExitCode {
    let mut trials: HashMap<String, Trial> = trials.into_iter().map(|trial| (trial.name.clone(), trial)).collect();
    for name in stdin().lines().map_while(Result::ok) {
        let trial = trials.remove(&name).unwrap_or_else(|| panic!("there is no trial {name}, or it was run already"));
        let outcome = catch_unwind(AssertUnwindSafe(trial.run));
        let outcome = outcome.unwrap_or_else(|panic| Err(format!("test panicked: {}", message(&*panic)).into()));
        match outcome {
            Ok(()) => println!("\n{PASSED}"),
            Err(failed) => println!("\n{}\n{FAILED}", failed.message().unwrap_or_default()),
        }
    }
    ExitCode::SUCCESS
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("with something that is no text")
}

/// Processes that wait for a trial, by what they run. What some trials leave in a process, such as memory that a driver keeps,
/// is nothing to the others.
#[derive(Default)]
pub struct Workers {
    waiting: Mutex<HashMap<Kind, Vec<Worker>>>,
}

/// The trials that share processes: those of a module, and of these those of OpenGL apart.
#[derive(PartialEq, Eq, Hash)]
struct Kind {
    module: String,
    is_gl: bool,
}

impl Kind {
    fn of(name: &str) -> Self {
        let module = name.split("::").next().unwrap_or(name).to_owned();
        Self { module, is_gl: name.split("::").any(|part| part == "gl") }
    }
}

struct Worker {
    process: Child,
    asked: ChildStdin,
    told: BufReader<ChildStdout>,
}

impl Workers {
    /// Has a trial carried out.
    pub fn run(&self, name: &str) -> Result<(), Failed> {
        let kind = Kind::of(name);
        let waiting = self.waiting().get_mut(&kind).and_then(Vec::pop);
        let mut worker = waiting.map_or_else(Worker::start, Ok)?;
        let outcome = worker.run(name)?;
        self.waiting().entry(kind).or_default().push(worker);
        outcome.map_err(Failed::from)
    }

    /// Ends the processes; says whether all have ended well.
    pub fn end(&self) -> bool {
        let workers: Vec<Worker> = self.waiting().drain().flat_map(|(_, workers)| workers).collect();
        let ended = workers.into_iter().map(|Worker { mut process, asked, told }| {
            drop((asked, told));
            let status = process.wait();
            if !status.as_ref().is_ok_and(|status| status.success()) {
                eprintln!("a process that had run trials ended badly: {status:?}");
            }
            status.is_ok_and(|status| status.success())
        });
        // All are waited for.
        ended.fold(true, |well, ended| well & ended)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Kind, Vec<Worker>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Worker {
    fn start() -> std::io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut process = command.env(WORKER, "1").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (asked, told) = (process.stdin.take(), process.stdout.take());
        let lost = || std::io::Error::other("a process without pipes");
        Ok(Self { asked: asked.ok_or_else(lost)?, told: BufReader::new(told.ok_or_else(lost)?), process })
    }

    /// Outcome of a trial; an error if the process has not lived to tell.
    fn run(&mut self, name: &str) -> Result<Result<(), String>, Failed> {
        writeln!(self.asked, "{name}")?;
        let mut told = Vec::new();
        loop {
            let start = told.len();
            if self.told.read_until(b'\n', &mut told)? == 0 {
                let (status, told) = (self.process.wait()?, String::from_utf8_lossy(&told));
                return Err(format!("its process ended with {status}\n{told}").into());
            }
            let line = told[start..].trim_ascii_end();
            let before = || String::from_utf8_lossy(&told[..start]).trim().to_owned();
            if line == PASSED.as_bytes() {
                print!("{}", before());
                return Ok(Ok(()));
            }
            if line == FAILED.as_bytes() {
                return Ok(Err(before()));
            }
        }
    }
}
