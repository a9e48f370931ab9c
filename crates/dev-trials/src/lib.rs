//! Lists and runs the tests of all crates here, and what they share. Never part of what is shipped.
//!
//! Many modules stand in one binary, each with a list of its trials.
//!
//! The built-in harness cannot report a test as ignored once it runs, which is when adapters, displays and files are
//! found to be missing. So every module lists its trials, and a test that is in no list is code that nobody uses, which
//! clippy refuses.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests panic")]

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use libtest_mimic::Arguments;
pub use libtest_mimic::Failed;
pub use trace_base::testing::{mutate, random};

use self::process::WORKER;

pub mod counting;
mod process;

/// A test by its name within its module, and whether this machine can run it.
pub struct Trial {
    name: String,
    kind: &'static str,
    is_ignored: bool,
    run: TrialRun,
}

/// A trial at work: an error, or a panic, if it fails.
pub type TrialRun = Box<dyn FnOnce() -> Result<(), Failed> + Send>;

impl Trial {
    /// A trial that is called `name`.
    pub fn test(name: impl Into<String>, run: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Self {
        Self { name: name.into(), kind: "", is_ignored: false, run: Box::new(run) }
    }

    /// Printed before the name, where several tests are called after the same file.
    pub fn with_kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }

    /// A trial that is run within `around`.
    pub fn within(self, around: fn(TrialRun) -> Result<(), Failed>) -> Self {
        let Self { name, kind, is_ignored, run } = self;
        Self { name, kind, is_ignored, run: Box::new(move || around(run)) }
    }

    /// Its name within its module.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Run by `--ignored` alone.
    pub fn with_ignored_flag(self, is_ignored: bool) -> Self {
        Self { is_ignored, ..self }
    }
}

/// The trials of functions, called after them.
#[macro_export]
macro_rules! trials_of {
    ($($(#[$attribute:meta])* $test:ident),* $(,)?) => {
        [$($(#[$attribute])* (stringify!($test), $test as fn())),*].map(|(name, test)| {
            $crate::Trial::test(name, move || {
                test();
                Ok(())
            })
        }).into()
    };
}

/// A module's name and what lists its trials.
pub type Module = (&'static str, fn() -> Vec<Trial>);

/// Modules by their names.
#[macro_export]
macro_rules! modules {
    ($($(#[$attribute:meta])* $module:ident),* $(,)?) => {
        &[$($(#[$attribute])* (stringify!($module), $module::trials)),*]
    };
}

/// The trials of modules of a module, each called `module::name`.
pub fn trials_in(modules: &[Module]) -> Vec<Trial> {
    let of_module = |(module, trials): &Module| {
        let named = |trial: Trial| Trial { name: format!("{module}::{}", trial.name), ..trial };
        trials().into_iter().map(named).collect::<Vec<_>>()
    };
    modules.iter().flat_map(of_module).collect()
}

/// Runs the trials of all modules that the command line asks for, each called `module::name`.
pub fn run(modules: &[Module]) -> ExitCode {
    run_trials(&Arguments::from_args(), trials_in(modules).into_iter())
}

/// Runs trials in a process for each thread, one trial after another: for those that measure what a whole
/// process uses, and for drivers that two threads cannot share. A driver that crashes takes one trial with it.
/// `--test-threads=1` runs them all in this process. Each trial is as `checked` makes it.
pub fn run_in_processes(modules: &[Module], checked: fn(Trial) -> Trial) -> ExitCode {
    let checked = || trials_in(modules).into_iter().map(checked);
    if std::env::var_os(WORKER).is_some() {
        return process::work(checked().collect());
    }
    let given = Arguments::from_args();
    if given.test_threads == Some(1) {
        return run_trials(&given, checked());
    }
    // Drivers, displays and programs are waited for, so one more trial than there are cores keeps all of them at work.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let arguments = Arguments { test_threads: given.test_threads.or(Some(cores + 1)), ..given };
    let workers = Arc::new(process::Workers::default());
    let in_process = |trial: Trial| {
        let (workers, name) = (workers.clone(), trial.name.clone());
        Trial { run: Box::new(move || workers.run(&name)), ..trial }
    };
    let exit = run_trials(&arguments, trials_in(modules).into_iter().map(in_process));
    if workers.end() { exit } else { ExitCode::FAILURE }
}

fn run_trials(arguments: &Arguments, trials: impl Iterator<Item = Trial>) -> ExitCode {
    let mut names = HashSet::new();
    let trials =
        trials.inspect(|trial| assert!(names.insert((trial.kind, trial.name.clone())), "two trials: {}", trial.name));
    let times = Arc::new(Mutex::new(Vec::new()));
    let trial = |trial: Trial| {
        let (times, name, run) = (times.clone(), trial.name.clone(), trial.run);
        let timed = move || {
            let start = Instant::now();
            let outcome = run();
            times.lock().unwrap_or_else(PoisonError::into_inner).push((start.elapsed(), name));
            outcome
        };
        let of_libtest = libtest_mimic::Trial::test(trial.name, timed);
        of_libtest.with_kind(trial.kind).with_ignored_flag(trial.is_ignored)
    };
    let conclusion = libtest_mimic::run(arguments, trials.map(trial).collect());
    tell_slowest(&mut times.lock().unwrap_or_else(PoisonError::into_inner));
    conclusion.exit_code()
}

/// Tells which trials took longest, where some took long: so much of CI's time can be saved there at most.
fn tell_slowest(times: &mut [(Duration, String)]) {
    const TOLD: usize = 12;
    const LONG: Duration = Duration::from_secs(5);
    times.sort_unstable_by(|a, b| b.cmp(a));
    for (time, name) in times.iter().take(TOLD).filter(|(time, _)| *time >= LONG) {
        println!("{:6.1} s: {name}", time.as_secs_f64());
    }
}

/// The repository's root.
pub fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> =
        LazyLock::new(|| Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned());
    &ROOT
}

/// Whether a missing adapter or display is a failure rather than a reason to ignore a test.
pub fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false")
}

/// Whether expected files are to be written instead of compared.
pub fn is_blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}
