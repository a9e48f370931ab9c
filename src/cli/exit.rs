//! Exit codes, and how an error becomes one.
//!
//! [`Exit`] is the table of them, from which `--help` is made, and against which that of docs/exit-codes.md is held. Where several
//! files fail, each in its way, the code is the most severe ([`Exit::worse`]).

use std::io;
use std::process::ExitCode;

use super::messages::Messages;
use crate::error::{Classified, ErrorKind};
use crate::timeline::ExportError;

/// Makes the enum, and the table of what its codes mean.
macro_rules! exits {
    ($($exit:ident = $code:literal $meaning:literal)*) => {
        /// How the program ends.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(dead_code, reason = "some codes belong to verbs that render")]
        pub(super) enum Exit {
            $($exit = $code,)*
        }

        impl Exit {
            /// All of them, with what they mean, as `--help` and docs/exit-codes.md say it.
            const ALL: &[(Self, &str)] = &[$((Self::$exit, $meaning)),*];
        }
    };
}

exits! {
    Done = 0 "done"
    Different = 1 "compared and different; or a denied finding"
    Usage = 2 "usage"
    Unreadable = 3 "trace unreadable"
    Unsupported = 4 "content that this build cannot replay"
    NoAdapter = 5 "no usable adapter"
    ReplayFailed = 6 "replay failed"
    GoldenMissing = 7 "golden missing or unusable"
    Partial = 8 "truncated: a partial result was produced"
    Nondeterministic = 9 "non-deterministic"
    OverLimit = 10 "limit exceeded"
    Unwritten = 11 "output cannot be written"
    Broken = 70 "a bug of aerogpu-replay: please report it"
    Timeout = 124 "timeout"
    CannotTest = 125 "cannot be tested (`golden test --git-bisect`)"
    Interrupted = 130 "interrupted"
}

/// From the most severe to the mildest: what stands in the way of everything comes first, what one file or picture is
/// alone in comes last.
const SEVERITY: [Exit; 16] = [
    Exit::Interrupted,
    Exit::Broken,
    Exit::NoAdapter,
    Exit::Timeout,
    Exit::ReplayFailed,
    Exit::Unwritten,
    Exit::OverLimit,
    Exit::Unsupported,
    Exit::Unreadable,
    Exit::Usage,
    Exit::GoldenMissing,
    Exit::Nondeterministic,
    Exit::Different,
    Exit::CannotTest,
    Exit::Partial,
    Exit::Done,
];

impl Exit {
    /// The more severe of two: 130 before 70, 5, 124, 6, 11, 10, 4, 3, 2, 7, 9, 1, 125, 8, and 0 last.
    pub(crate) fn worse(self, other: Self) -> Self {
        let place = |exit| SEVERITY.iter().position(|known| *known == exit);
        if place(other) < place(self) { other } else { self }
    }

    /// The codes and their order, for --help.
    pub(crate) fn help() -> String {
        let meanings: Vec<String> =
            Self::ALL.iter().map(|(exit, meaning)| format!("{} {meaning}", *exit as u8)).collect();
        let order: Vec<String> = SEVERITY.iter().map(|exit| (*exit as u8).to_string()).collect();
        format!(
            "Exit codes: {}. If several apply, the most severe one counts: {}.",
            meanings.join("; "),
            order.join(", ")
        )
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// An error that ends the program, or the work on one of several files.
#[derive(Debug)]
pub(super) struct Failure {
    kind: ErrorKind,
    /// Absolute file offset of what is wrong, if it has a place.
    offset: Option<u64>,
    /// The code, where it is not the one of the kind.
    exit: Option<Exit>,
    error: anyhow::Error,
}

impl Failure {
    pub(crate) fn new(kind: ErrorKind, error: impl Into<anyhow::Error>) -> Self {
        Self { kind, offset: None, exit: None, error: error.into() }
    }

    /// An error that is said only here.
    pub(crate) fn say(kind: ErrorKind, message: impl std::fmt::Display) -> Self {
        Self::new(kind, anyhow::anyhow!("{message}"))
    }

    pub(crate) fn usage(message: impl std::fmt::Display) -> Self {
        Self::say(ErrorKind::Usage, message)
    }

    /// The failure with a place in the file.
    pub(crate) fn at(self, offset: Option<u64>) -> Self {
        Self { offset, ..self }
    }

    /// The failure of a verb that ends in a code of its own, whatever its kind.
    pub(crate) fn ending_in(self, exit: Exit) -> Self {
        Self { exit: Some(exit), ..self }
    }

    /// The code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit.unwrap_or(self.kind.into())
    }

    /// Puts `context` before the message.
    pub(crate) fn context(self, context: impl std::fmt::Display + Send + Sync + 'static) -> Self {
        Self { error: self.error.context(context), ..self }
    }

    /// What kind of trouble it is.
    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Absolute file offset of what is wrong, if it has a place.
    pub(crate) fn offset(&self) -> Option<u64> {
        self.offset
    }

    fn is_closed_pipe(&self) -> bool {
        // An export's error is its cause, which is then no cause of its own in the chain.
        let written = |cause: &'_ (dyn std::error::Error + 'static)| match cause.downcast_ref() {
            Some(ExportError::Write(error)) => Some(error.kind()),
            _ => cause.downcast_ref().map(io::Error::kind),
        };
        self.error.chain().filter_map(written).any(|kind| kind == io::ErrorKind::BrokenPipe)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#}", self.error)
    }
}

/// Whatever a layer below says is wrong.
impl<E: Classified + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let (kind, offset) = (error.kind(), error.offset());
        let is_unexplained = (&error as &(dyn std::error::Error + 'static)).is::<io::Error>();
        let failure = Self::new(kind, error).at(offset);
        if is_unexplained { failure.context("cannot write the results") } else { failure }
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Different => Self::Different,
            ErrorKind::Usage => Self::Usage,
            ErrorKind::ReadFailed | ErrorKind::Malformed | ErrorKind::CutShort => Self::Unreadable,
            ErrorKind::Unsupported => Self::Unsupported,
            ErrorKind::NoAdapter => Self::NoAdapter,
            ErrorKind::ReplayFailed => Self::ReplayFailed,
            ErrorKind::GoldenUnusable => Self::GoldenMissing,
            ErrorKind::NonDeterministic => Self::Nondeterministic,
            ErrorKind::OverLimit => Self::OverLimit,
            ErrorKind::WriteFailed => Self::Unwritten,
            ErrorKind::Internal => Self::Broken,
            ErrorKind::Timeout => Self::Timeout,
            ErrorKind::Interrupted => Self::Interrupted,
        }
    }
}

/// Prints what is to print and gives the process its code.
pub(super) fn finish(result: Result<Exit, Failure>, messages: Messages, strict: bool) -> ExitCode {
    let has_failed = result.is_err();
    let exit = match outcome(result, messages) {
        // The damage was told, and under --strict it counts.
        Exit::Partial if strict => Exit::Unreadable,
        exit => exit,
    };
    // Threads that make shaders may still be at work, and a driver that does not answer is.
    if has_failed {
        exit_now(exit);
    }
    exit.into()
}

/// Prints what is to print, and says how the program ends.
pub(super) fn outcome(result: Result<Exit, Failure>, messages: Messages) -> Exit {
    match result {
        Ok(exit) => exit,
        // Whoever closed the pipe has seen what they wanted.
        Err(failure) if failure.is_closed_pipe() => Exit::Done,
        Err(failure) => messages.failure(&failure),
    }
}

/// Ends the process from any thread, whatever the others are doing. Files that are not finished are removed.
///
/// Not as `main` ends it: drivers have left work for that end, which takes away what their own threads still use. Such a
/// process crashes, or never ends.
pub(super) fn exit_now(exit: Exit) -> ! {
    crate::bytes::remove_unfinished();
    let code = i32::from(exit as u8);
    #[cfg(unix)]
    signal_hook::low_level::exit(code);
    #[cfg(not(unix))]
    std::process::exit(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::AnalysisError;
    use crate::error::Internal;
    #[cfg(feature = "gpu")]
    use crate::gpu::GpuError;
    #[cfg(feature = "gpu")]
    use crate::player::PlayerError;
    use crate::replay::ReplayError;

    #[test]
    fn of_two_ends_the_more_severe_counts_whichever_came_first() {
        for (place, severe) in SEVERITY.iter().enumerate() {
            for mild in &SEVERITY[place..] {
                assert_eq!((mild.worse(*severe), severe.worse(*mild)), (*severe, *severe));
            }
        }
        let codes: Vec<u8> = SEVERITY.iter().map(|exit| *exit as u8).collect();
        assert_eq!(codes, [130, 70, 5, 124, 6, 11, 10, 4, 3, 2, 7, 9, 1, 125, 8, 0], "as documented");
        assert!(Exit::ALL.iter().all(|(exit, _)| SEVERITY.contains(exit)));
    }

    /// Whichever layer finds an invariant broken, and whichever hands the error on.
    #[test]
    fn a_broken_invariant_ends_in_70() {
        let broken = Internal::at("a draw's program is not in the library", 0x583);
        let line = "this is a bug: please report it with this line: \
            a draw's program is not in the library, at 0x583";
        let at_command = || ReplayError::Command {
            command: "DRAW",
            at: crate::command::Location::default(),
            problem: crate::replay::Problem::from(broken),
        };
        #[allow(unused_mut, reason = "without a GPU there are no others")]
        let mut failures = vec![
            Failure::from(broken),
            ReplayError::from(broken).into(),
            at_command().into(),
            AnalysisError::from(broken).into(),
            crate::replay::TrimError::from(broken).into(),
        ];
        #[cfg(feature = "gpu")]
        failures.extend([
            Failure::from(GpuError::from(broken)),
            PlayerError::from(broken).into(),
            PlayerError::from(GpuError::from(broken)).into(),
            PlayerError::from(at_command()).into(),
            AnalysisError::from(GpuError::from(broken)).into(),
        ]);
        for failure in failures {
            assert_eq!(failure.exit(), Exit::Broken, "{failure}");
            assert!(failure.to_string().ends_with(line), "{failure}");
        }
    }

    #[test]
    fn every_kind_of_error_has_its_code() {
        let codes = ErrorKind::ALL.map(|kind| (Exit::from(kind) as u8, kind));
        // Usage, three that can't be read, …, as `ErrorKind` lists them.
        assert_eq!(codes.map(|(code, _)| code), [2, 3, 3, 3, 4, 10, 6, 5, 124, 7, 1, 9, 11, 130, 70]);
        let kinds: std::collections::BTreeSet<ErrorKind> = codes.iter().map(|(_, kind)| *kind).collect();
        assert_eq!(kinds.len(), codes.len(), "each kind once");
    }

    #[test]
    fn the_book_has_the_same_table() {
        let page = include_str!("../../docs/exit-codes.md");
        let (_, table) = page.split_once("| code |").expect("the page's table of exit codes");
        let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
        let mut found: Vec<(u8, &str)> = Vec::new();
        for row in rows {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            found.push((cells[0].parse().unwrap(), cells[1]));
        }
        found.sort();
        let expected: Vec<(u8, &str)> = Exit::ALL.iter().map(|(exit, meaning)| (*exit as u8, *meaning)).collect();
        assert_eq!(found, expected);
        let order = Exit::help();
        let (_, order) = order.split_once("If several apply, the most severe one counts: ").unwrap();
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(order.trim_end_matches(", 0.")), "the page's order is not {order}");
    }
}
