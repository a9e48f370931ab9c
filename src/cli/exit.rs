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

use std::io;
use std::process::ExitCode;

use crate::format::aerogpu::{FormatError, Severity};
use crate::replay::{ReplayError, Verdict};

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
            // Messages may quote files; a terminal must not obey them.
            let harmless = |c: char| if c.is_control() && c != '\n' { '\u{fffd}' } else { c };
            eprintln!("error: {}", self.to_string().chars().map(harmless).collect::<String>());
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

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Self {
        Self::new(error.verdict().into(), error)
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Unreadable => Self::Unreadable,
            Verdict::Unsupported => Self::Unsupported,
            Verdict::Failed => Self::ReplayFailed,
            Verdict::OverLimit => Self::OverLimit,
        }
    }
}

#[cfg(feature = "gpu")]
impl From<crate::gpu::GpuError> for Failure {
    fn from(error: crate::gpu::GpuError) -> Self {
        use crate::gpu::GpuError;
        let exit = match &error {
            GpuError::NoAdapter { .. } | GpuError::NoDevice { .. } => Exit::NoAdapter,
            GpuError::Refused { .. } | GpuError::DeviceLost(_) => Exit::ReplayFailed,
            GpuError::OverDeviceLimit { .. } | GpuError::ViewportTooLarge { .. } => Exit::OverLimit,
            GpuError::Timeout(_) => Exit::Timeout,
            GpuError::Read(_) => Exit::Unreadable,
        };
        Self::new(exit, error)
    }
}

#[cfg(feature = "gpu")]
impl From<crate::player::PlayerError> for Failure {
    fn from(error: crate::player::PlayerError) -> Self {
        use crate::player::PlayerError;
        match error {
            PlayerError::Replay(error) => error.into(),
            PlayerError::Gpu(error) => error.into(),
            PlayerError::NoSuchFrame { .. } | PlayerError::NoSuchDraw { .. } => Self::new(Exit::Usage, error),
        }
    }
}

/// Prints what is to print and gives the process its code.
pub(super) fn finish(result: Result<Exit, Failure>, quiet: bool) -> ExitCode {
    match result {
        Ok(exit) => exit.into(),
        // Whoever closed the pipe has seen what they wanted.
        Err(failure) if failure.is_closed_pipe() => Exit::Done.into(),
        Err(failure) => failure.print(quiet).into(),
    }
}

/// Ends the process from any thread, whatever the others are doing.
#[cfg(feature = "gpu")]
pub(super) fn exit_now(exit: Exit) {
    std::process::exit(i32::from(exit as u8))
}

/// Whether a text was printed, or the reader went away, which is as good.
pub(super) fn printed_or_pipe_closed(printed: io::Result<()>) -> bool {
    printed.is_ok() || printed.is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
