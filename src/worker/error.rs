//! Why a worker gave no answer.

use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::error::{Classified, ErrorKind};

/// A job without an answer. The worker that it was given to is of no more use.
#[derive(Debug, Error)]
pub enum WorkerError {
    /// The process could not be started.
    #[error("cannot start {program}: {error}")]
    NotStarted {
        /// The program.
        program: String,
        /// What the operating system said.
        error: io::Error,
    },
    /// The process died.
    #[error("the rendering process ended with {how}{}{}", describe_doing(doing), describe_last_lines(last_lines))]
    Crashed {
        /// What it was at, if it had told.
        doing: Option<String>,
        /// How it ended: "signal: 11 (SIGSEGV)", say.
        how: String,
        /// The last lines that it wrote to stderr.
        last_lines: Vec<String>,
    },
    /// The process took too long and was killed.
    #[error("it did not finish within {} s and was killed (--timeout){}", limit.as_secs(), describe_doing(doing))]
    TimedOut {
        /// How long it might take.
        limit: Duration,
        /// What it was at, if it had told.
        doing: Option<String>,
    },
    /// Nobody wants the answer any more, and the process was killed.
    #[error("interrupted")]
    Interrupted,
    /// A job that cannot be sent, or an answer that is none to it.
    #[error("the rendering process is a different version: {0}")]
    OtherVersion(serde_json::Error),
}

impl Classified for WorkerError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotStarted { .. } | Self::Crashed { .. } | Self::OtherVersion(_) => ErrorKind::ReplayFailed,
            Self::TimedOut { .. } => ErrorKind::Timeout,
            Self::Interrupted => ErrorKind::Interrupted,
        }
    }

    fn offset(&self) -> Option<u64> {
        None
    }
}

fn describe_doing(doing: &Option<String>) -> String {
    doing.as_ref().map_or(String::new(), |doing| format!(" before it finished {doing}"))
}

fn describe_last_lines(words: &[String]) -> String {
    if words.is_empty() { String::new() } else { format!("; its last output: {}", words.join(" | ")) }
}
