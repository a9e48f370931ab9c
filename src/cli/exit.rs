//! Exit codes, and how an error becomes one.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | compared, and different |
//! | 2 | usage |
//! | 3 | trace unreadable |
//! | 4 | content this build can't replay |
//! | 5 | no usable adapter |
//! | 6 | replay failed |
//! | 7 | golden missing |
//! | 8 | truncated, partial result produced |
//! | 9 | non-deterministic |
//! | 10 | limit exceeded |
//! | 124 | timeout |
//! | 125 | can't be tested (`golden test --git-bisect`) |
//! | 130 | interrupted |
//!
//! Where several files fail, each in its way, the code is the most severe ([`Exit::worse`]).

use std::io;
use std::process::ExitCode;

use crate::format::aerogpu::{FormatError, Severity};
#[cfg(feature = "gpu")]
use crate::gpu::GpuError;
use crate::inquiry::{Fault, InquiryError};
#[cfg(feature = "gpu")]
use crate::player::PlayerError;
use crate::replay::{ReplayError, Verdict};
use crate::say;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "some codes belong to verbs that render"))]
pub(super) enum Exit {
    Done = 0,
    Different = 1,
    Usage = 2,
    Unreadable = 3,
    Unsupported = 4,
    NoAdapter = 5,
    ReplayFailed = 6,
    GoldenMissing = 7,
    Partial = 8,
    Nondeterministic = 9,
    OverLimit = 10,
    Timeout = 124,
    CannotTest = 125,
    Interrupted = 130,
}

/// From the mildest to the most severe: what stands in the way of everything comes last, what one file or picture is
/// alone in comes first.
#[cfg(feature = "gpu")]
const SEVERITY: [Exit; 14] = [
    Exit::Done,
    Exit::Partial,
    Exit::CannotTest,
    Exit::Different,
    Exit::Nondeterministic,
    Exit::GoldenMissing,
    Exit::Usage,
    Exit::Unreadable,
    Exit::Unsupported,
    Exit::OverLimit,
    Exit::ReplayFailed,
    Exit::Timeout,
    Exit::NoAdapter,
    Exit::Interrupted,
];

#[cfg(feature = "gpu")]
impl Exit {
    /// The more severe of two: 130 before 5, 124, 6, 10, 4, 3, 2, 7, 9, 1, 125, 8, and 0 last.
    pub fn worse(self, other: Self) -> Self {
        let severity = |exit| SEVERITY.iter().position(|known| *known == exit);
        if severity(other) > severity(self) { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// An error with the code it ends in.
#[derive(Debug)]
pub(super) struct Failure {
    exit: Exit,
    error: anyhow::Error,
}

impl Failure {
    pub fn new(exit: Exit, error: impl Into<anyhow::Error>) -> Self {
        Self { exit, error: error.into() }
    }

    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self { exit: Exit::Usage, error: anyhow::anyhow!("{message}") }
    }

    /// The code.
    #[cfg(feature = "gpu")]
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// Puts `context` before the message.
    pub fn context(self, context: impl std::fmt::Display + Send + Sync + 'static) -> Self {
        Self { exit: self.exit, error: self.error.context(context) }
    }

    /// Prints the message and gives back the code, where one bad file of several does not end the work.
    pub fn print(&self, quiet: bool) -> Exit {
        if !quiet {
            say!("error: {self}");
        }
        self.exit
    }

    fn is_closed_pipe(&self) -> bool {
        let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
        self.error.chain().filter_map(|cause| cause.downcast_ref()).any(broken)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#}", self.error)
    }
}

/// An output that cannot be written ends like a replay that cannot be finished.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(Exit::ReplayFailed, error)
    }
}

impl From<FormatError> for Failure {
    fn from(error: FormatError) -> Self {
        let exit = match error.severity() {
            Severity::Unreadable => Exit::Unreadable,
            Severity::OverLimit => Exit::OverLimit,
        };
        Self::new(exit, error)
    }
}

impl Exit {
    fn of_replay(error: &ReplayError) -> Self {
        Self::of_verdict(error.verdict())
    }

    /// The code for a kind of trouble with a trace.
    pub fn of_verdict(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Unreadable => Self::Unreadable,
            Verdict::Unsupported => Self::Unsupported,
            Verdict::Failed => Self::ReplayFailed,
            Verdict::OverLimit => Self::OverLimit,
        }
    }

    #[cfg(feature = "gpu")]
    fn of_gpu(error: &GpuError) -> Self {
        match error {
            GpuError::NoAdapter { .. } | GpuError::NoDevice { .. } => Self::NoAdapter,
            GpuError::Refused { .. } | GpuError::DeviceLost(_) => Self::ReplayFailed,
            GpuError::OverDeviceLimit { .. } | GpuError::ViewportTooLarge { .. } => Self::OverLimit,
            GpuError::Timeout(_) => Self::Timeout,
            GpuError::Read(_) => Self::Unreadable,
        }
    }

    /// The code for a frame that cannot be shown.
    #[cfg(feature = "gpu")]
    pub fn of_player(error: &PlayerError) -> Self {
        match error {
            PlayerError::Replay(error) => Self::of_replay(error),
            PlayerError::Gpu(error) => Self::of_gpu(error),
            PlayerError::Internal(_) => Self::ReplayFailed,
            PlayerError::NoSuchFrame { .. } | PlayerError::NoSuchDraw { .. } | PlayerError::NoSuchPixel { .. } => {
                Self::Usage
            }
        }
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        Self::new(Exit::of_replay(&error), error)
    }
}

impl From<InquiryError> for Failure {
    fn from(error: InquiryError) -> Self {
        match error {
            InquiryError::Replay(error) => error.into(),
            #[cfg(feature = "gpu")]
            InquiryError::Gpu(error) => error.into(),
            error => {
                let exit = match error.fault() {
                    Fault::Trace(verdict) => Exit::of_verdict(verdict),
                    Fault::Gpu => Exit::ReplayFailed,
                    Fault::Question => Exit::Usage,
                };
                Self::new(exit, error)
            }
        }
    }
}

#[cfg(feature = "gpu")]
impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        Self::new(Exit::of_gpu(&error), error)
    }
}

#[cfg(feature = "gpu")]
impl From<PlayerError> for Failure {
    fn from(error: PlayerError) -> Self {
        Self::new(Exit::of_player(&error), error)
    }
}

/// Prints what is to print and gives the process its code.
pub(super) fn finish(result: Result<Exit, Failure>, quiet: bool) -> ExitCode {
    outcome(result, quiet).into()
}

/// Prints what is to print, and says how the program ends.
pub(super) fn outcome(result: Result<Exit, Failure>, quiet: bool) -> Exit {
    match result {
        Ok(exit) => exit,
        // Whoever closed the pipe has seen what they wanted.
        Err(failure) if failure.is_closed_pipe() => Exit::Done,
        Err(failure) => failure.print(quiet),
    }
}

/// Ends the process from any thread, whatever the others are doing.
#[cfg(feature = "gpu")]
pub(super) fn exit_now(exit: Exit) -> ! {
    std::process::exit(i32::from(exit as u8))
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;

    #[test]
    fn of_two_ends_the_more_severe_counts_whichever_came_first() {
        for (place, mild) in SEVERITY.iter().enumerate() {
            for severe in &SEVERITY[place..] {
                assert_eq!((mild.worse(*severe), severe.worse(*mild)), (*severe, *severe));
            }
        }
        let codes: Vec<u8> = SEVERITY.iter().rev().map(|exit| *exit as u8).collect();
        assert_eq!(codes, [130, 5, 124, 6, 10, 4, 3, 2, 7, 9, 1, 125, 8, 0], "as documented");
    }
}
