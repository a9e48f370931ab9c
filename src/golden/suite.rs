//! A suite: the cases under some folders, in one order everywhere, split into shards, tested in parallel.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::case::{GOLDEN_FILE, name_of};
use super::error::GoldenError;
use super::jobs::{Answer, Job};
use super::outcome::{CaseOutcome, Status};
pub use super::run_case::WarningPolicy;
use super::transaction::{PENDING, PREPARING, heal_to_read};
use crate::worker::{Answered, Worker, WorkerCommand, WorkerError};

/// A case that was found but not read yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundCase {
    /// Its folder.
    pub folder: PathBuf,
    /// Its number in the whole suite.
    pub number: usize,
}

/// Finds the cases at and under `paths`, sorted by folder, each once.
pub fn find_cases(paths: &[PathBuf]) -> Result<Vec<FoundCase>, GoldenError> {
    let mut folders = BTreeSet::new();
    for path in paths {
        // A golden.toml means its folder.
        let is_file = path.file_name().is_some_and(|name| name == GOLDEN_FILE);
        let start = if is_file { path.parent().unwrap_or(Path::new(".")) } else { path };
        collect(start, &mut folders)?;
    }
    // Two spellings of one folder are one case.
    let mut real: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for folder in folders {
        let key = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        real.entry(key).or_insert(folder);
    }
    if real.is_empty() {
        return Err(GoldenError::NoCases { paths: paths.to_vec() });
    }
    Ok(real.into_values().enumerate().map(|(number, folder)| FoundCase { folder, number }).collect())
}

fn collect(folder: &Path, into: &mut BTreeSet<PathBuf>) -> Result<(), GoldenError> {
    let read = |source| GoldenError::Read { path: folder.to_owned(), source };
    // A case that is being made is one as soon as that counts.
    if folder.join(GOLDEN_FILE).is_file() || folder.join(PENDING).is_dir() {
        into.insert(folder.to_owned());
    }
    for entry in fs::read_dir(folder).map_err(read)? {
        let entry = entry.map_err(read)?;
        let is_ours = [PREPARING, PENDING].iter().any(|name| entry.file_name() == *name);
        // Links are not followed: they could lead in circles.
        if !is_ours && entry.file_type().map_err(read)?.is_dir() {
            collect(&entry.path(), into)?;
        }
    }
    Ok(())
}

/// How a suite is tested.
#[derive(Clone, Debug)]
pub struct SuiteOptions {
    /// How workers are started.
    pub worker: WorkerCommand,
    /// How many there are at a time.
    pub jobs: usize,
    /// How often a failure is repeated.
    pub retries: u32,
    /// The folder that traces must lie in.
    pub root: PathBuf,
    /// What becomes of a trace that is not as the format says.
    pub warning_policy: WarningPolicy,
    /// A folder in which the pictures of failures are kept.
    pub keep: Option<PathBuf>,
}

/// Tests cases. `each` gets the outcomes in the order of `cases`, as soon as all before are there; an interrupted
/// run ends early, with the outcomes that there are.
pub fn test_cases(cases: &[FoundCase], options: &SuiteOptions, mut each: impl FnMut(&CaseOutcome)) -> Vec<CaseOutcome> {
    let next = AtomicUsize::new(0);
    let (sender, outcomes) = mpsc::channel();
    let mut done = Vec::new();
    std::thread::scope(|scope| {
        let mut threads = 0;
        for _ in 0..options.jobs.clamp(1, cases.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            let started =
                std::thread::Builder::new().spawn_scoped(scope, move || test_next(cases, next, options, &sender));
            threads += usize::from(started.is_ok());
        }
        // Without memory for a thread this one does the work, and the outcomes are told at the end.
        if threads == 0 {
            test_next(cases, &next, options, &sender);
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        for (place, outcome) in outcomes {
            waiting.insert(place, outcome);
            while let Some(outcome) = waiting.remove(&done.len()) {
                each(&outcome);
                done.push(outcome);
            }
        }
        // After an interruption there may be gaps.
        for outcome in waiting.into_values() {
            each(&outcome);
            done.push(outcome);
        }
    });
    done
}

/// Tests one case after the other, as long as somebody listens.
fn test_next(
    cases: &[FoundCase],
    next: &AtomicUsize,
    options: &SuiteOptions,
    outcomes: &mpsc::Sender<(usize, CaseOutcome)>,
) {
    let mut tester = Tester { options, worker: None };
    while let Some((place, case)) = take(cases, next) {
        // silent: the run was interrupted, and its end is told
        let Some(outcome) = tester.test(case) else { return };
        if outcomes.send((place, outcome)).is_err() {
            return;
        }
    }
}

fn take<'a>(cases: &'a [FoundCase], next: &AtomicUsize) -> Option<(usize, &'a FoundCase)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    Some((place, cases.get(place)?))
}

/// Tests one case after the other, with one worker as long as it lasts.
struct Tester<'a> {
    options: &'a SuiteOptions,
    worker: Option<Worker>,
}

impl Tester<'_> {
    /// Tests a case, and repeats a failure in a fresh process. `None`: everything is to stop.
    fn test(&mut self, case: &FoundCase) -> Option<CaseOutcome> {
        let mut outcome = self.attempt(case)?;
        let mut earlier = Vec::new();
        for _ in 0..self.options.retries {
            // A trace that has changed is no other one in the next attempt.
            if !outcome.status.is_worth_repeating() || outcome.is_trace_changed {
                break;
            }
            earlier.push(format!("{}: {}", outcome.status.word(), outcome.summary()));
            self.worker = None;
            let again = self.attempt(case)?;
            if again.status.is_good() {
                outcome = flaky(outcome, &again);
                break;
            }
            outcome = again;
        }
        outcome.number = case.number;
        outcome.earlier_attempts = earlier;
        Some(outcome)
    }

    fn attempt(&mut self, case: &FoundCase) -> Option<CaseOutcome> {
        let options = self.options;
        let name = name_of(&case.folder);
        let (folder, root, keep) = (case.folder.clone(), options.root.clone(), options.keep.clone());
        let job = Job::Test { folder, root, warning_policy: options.warning_policy, keep };
        let started = std::time::Instant::now();
        if let Err(error) = heal_to_read(&case.folder) {
            let folder = case.folder.display().to_string();
            return Some(CaseOutcome::ended(name, folder, Status::Error, error.to_string()));
        }
        let end = match self.ask(&job) {
            Ok(Answered { answer: Answer::Tested(outcome), ends }) => {
                if ends {
                    self.worker = None;
                }
                return Some(*outcome);
            }
            Ok(Answered { answer: Answer::Failed { status, message, .. }, .. }) => (status, message),
            Ok(Answered { answer: Answer::Rendered { .. } | Answer::Repeated { .. } | Answer::Mutated(_), .. }) => {
                (Status::Error, "the worker answered a different question".to_owned())
            }
            Err(WorkerError::Interrupted) => return None,
            Err(error) => (Status::of_worker(&error), error.to_string()),
        };
        self.worker = None;
        let mut outcome = CaseOutcome::ended(name, case.folder.display().to_string(), end.0, end.1);
        outcome.seconds = started.elapsed().as_secs_f64();
        Some(outcome)
    }

    fn ask(&mut self, job: &Job) -> Result<Answered<Answer>, WorkerError> {
        let command = &self.options.worker;
        if command.is_interrupted() {
            return Err(WorkerError::Interrupted);
        }
        let worker = match &mut self.worker {
            Some(worker) => worker,
            None => self.worker.insert(command.start()?),
        };
        worker.ask_within(job, command)
    }
}

/// A failure that passed when repeated: the failure is what is worth looking at.
fn flaky(mut failure: CaseOutcome, again: &CaseOutcome) -> CaseOutcome {
    failure.message = Some(format!(
        "{} at first ({}), {} on a repeat",
        failure.status.word(),
        failure.summary(),
        again.status.word()
    ));
    failure.status = Status::Flaky;
    // A worker that died has told nothing of the trace.
    failure.warnings.clone_from(&again.warnings);
    failure
}
