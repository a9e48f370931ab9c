//! Lists and runs tests: many modules in one binary, each with a list of its trials.
//!
//! The built-in harness cannot report a test as ignored once it runs, which is when adapters, displays and files are
//! found to be missing. So every module lists its trials, and a test that is in no list is code that nobody uses, which
//! clippy refuses.

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::Arguments;
pub use libtest_mimic::Failed;

use self::process::WORKER;

mod process;

/// A test by its name within its module, and whether this machine can run it.
pub struct Trial {
    name: String,
    kind: &'static str,
    is_ignored: bool,
    run: Box<dyn FnOnce() -> Result<(), Failed> + Send>,
}

impl Trial {
    pub fn test(name: impl Into<String>, run: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Self {
        Self { name: name.into(), kind: "", is_ignored: false, run: Box::new(run) }
    }

    /// Printed before the name, where several tests are called after the same file.
    pub fn with_kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Run by `--ignored` alone.
    pub fn with_ignored_flag(self, is_ignored: bool) -> Self {
        Self { is_ignored, ..self }
    }
}

/// The trials of functions, called after them.
macro_rules! trials_of {
    ($($(#[$attribute:meta])* $test:ident),* $(,)?) => {
        [$($(#[$attribute])* (stringify!($test), $test as fn())),*].map(|(name, test)| {
            $crate::support::harness::Trial::test(name, move || {
                test();
                Ok(())
            })
        }).into()
    };
}
pub(crate) use trials_of;

/// A module's name and what lists its trials.
pub type Module = (&'static str, fn() -> Vec<Trial>);

/// Modules by their names.
macro_rules! modules {
    ($($(#[$attribute:meta])* $module:ident),* $(,)?) => {
        &[$($(#[$attribute])* (stringify!($module), $module::trials)),*]
    };
}
pub(crate) use modules;

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
/// `--test-threads=1` runs them all in this process.
pub fn run_in_processes(modules: &[Module]) -> ExitCode {
    api_messages::collect();
    let checked = || trials_in(modules).into_iter().map(api_messages::checked);
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

/// Messages of graphics APIs, which come to the log of a process: here one trial runs at a time.
mod api_messages {
    use super::Trial;

    /// Has them kept.
    pub fn collect() {
        #[cfg(feature = "gpu")]
        aerogpu_replay::gpu::install_log(None, log::LevelFilter::Off).expect("a process of tests has no other log");
    }

    /// A trial that fails where an API told an error that became none of a command.
    #[cfg(feature = "gpu")]
    pub fn checked(trial: Trial) -> Trial {
        let run = move || {
            // Of devices that are looked for.
            aerogpu_replay::gpu::take_errors();
            (trial.run)()?;
            match aerogpu_replay::gpu::take_errors() {
                errors if errors.is_empty() => Ok(()),
                errors => Err(format!("the graphics API tells errors: {errors:#?}").into()),
            }
        };
        Trial { run: Box::new(run), ..trial }
    }

    #[cfg(not(feature = "gpu"))]
    pub fn checked(trial: Trial) -> Trial {
        trial
    }
}

fn run_trials(arguments: &Arguments, trials: impl Iterator<Item = Trial>) -> ExitCode {
    let mut names = HashSet::new();
    let trials =
        trials.inspect(|trial| assert!(names.insert((trial.kind, trial.name.clone())), "two trials: {}", trial.name));
    let trial = |trial: Trial| {
        let of_libtest = libtest_mimic::Trial::test(trial.name, trial.run);
        of_libtest.with_kind(trial.kind).with_ignored_flag(trial.is_ignored)
    };
    libtest_mimic::run(arguments, trials.map(trial).collect()).exit_code()
}
