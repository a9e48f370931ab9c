//! Runs the trials of those binaries that draw: what graphics APIs tell on the way must be an error of a command.

use std::process::ExitCode;

pub use dev_trials::{Failed, Module, Trial, modules, run, trials_in, trials_of};

/// Runs trials in a process for each thread, and fails those during which a graphics API told an error that became none of a
/// command.
pub fn run_in_processes(modules: &[Module]) -> ExitCode {
    api_messages::collect();
    dev_trials::run_in_processes(modules, api_messages::checked)
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
        trial.within(|run| {
            // Of devices that are looked for.
            aerogpu_replay::gpu::take_errors();
            run()?;
            match aerogpu_replay::gpu::take_errors() {
                errors if errors.is_empty() => Ok(()),
                errors => Err(format!("the graphics API tells errors: {errors:#?}").into()),
            }
        })
    }

    #[cfg(not(feature = "gpu"))]
    pub fn checked(trial: Trial) -> Trial {
        trial
    }
}
