//! Mistakes of our own: a panic is one sentence, and ends in 70.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};

use super::exit::{Exit, Failure};
use super::messages::Messages;
use crate::error::ErrorKind;
use crate::text::say;

/// Runs the program; a panic in it is a failure of it.
pub(super) fn without_panics(messages: Messages, run: impl FnOnce() -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    set_hook(Box::new(move |panic| tell(messages, panic)));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(Ok(Exit::Broken))
}

fn tell(messages: Messages, panic: &PanicHookInfo<'_>) {
    let what = panic.payload_as_str().unwrap_or("it panicked");
    let place = panic.location().map(|at| format!(", at {}:{}", source_name(at.file()), at.line()));
    let place = place.unwrap_or_default();
    let message = format!("{what}{place}: this is a bug of aerogpu-replay, please report it");
    messages.error(ErrorKind::Internal, Exit::Broken, message, None);
    let backtrace = std::backtrace::Backtrace::capture();
    if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
        backtrace.to_string().lines().for_each(|line| say!("{line}"));
    }
}

/// A source file without the folders of the machine that the program was built on: `wgpu-30.0.1/src/lib.rs`.
fn source_name(file: &str) -> &str {
    let after = |mark: &str| file.rfind(mark).and_then(|at| file.get(at + mark.len()..));
    // A registry has a folder a server below that one.
    let of_registry = after("/registry/src/").and_then(|rest| rest.split_once('/')).map(|(_, rest)| rest);
    of_registry.or_else(|| after("/checkouts/")).or_else(|| after("/library/")).unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_named_without_the_build_machine() {
        let registry = "/home/a/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/wgpu-30.0.1/src/lib.rs";
        assert_eq!(source_name(registry), "wgpu-30.0.1/src/lib.rs");
        assert_eq!(source_name("/rustc/59807616e1fa/library/core/src/option.rs"), "core/src/option.rs");
        assert_eq!(source_name("src/cli/mod.rs"), "src/cli/mod.rs");
    }
}
