//! `aerogpu-replay` alone: the start page, or eight lines where no window can be shown.

use super::args::Args;
use super::exit::{Exit, Failure};
use crate::text::say;

/// Opens the start page; without a window, prints what to type, and ends as a command line that lacks something.
pub(super) fn run(args: Args) -> Result<Exit, Failure> {
    let reason = match why_no_window() {
        #[cfg(feature = "window")]
        None => return super::show::run_start_page(args.play, args.common),
        #[cfg(not(feature = "window"))]
        None => "",
        Some(reason) => reason,
    };
    if !args.common.quiet {
        print_lines(reason);
    }
    Ok(Exit::Usage)
}

/// Why a window is not even tried, as a sentence.
fn why_no_window() -> Option<&'static str> {
    #[cfg(not(feature = "window"))]
    return Some("This build has no window. With one, aerogpu-replay alone opens a start page.");
    #[cfg(all(feature = "window", unix, not(target_os = "macos")))]
    {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
            return Some("The start page needs a display: neither DISPLAY nor WAYLAND_DISPLAY is set.");
        }
    }
    #[cfg(all(feature = "window", unix))]
    return is_captured()
        .then_some("The start page opens in a terminal or on a desktop: here stdout is a pipe or a file.");
    #[cfg(all(feature = "window", not(unix)))]
    return None;
}

/// Whether stdout is a pipe or a file: a script has called, not a person. A desktop starts programs with neither.
#[cfg(all(feature = "window", unix))]
fn is_captured() -> bool {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileTypeExt as _;
    let stdout = std::io::stdout().as_fd().try_clone_to_owned();
    let kind = stdout.and_then(|stdout| std::fs::File::from(stdout).metadata()).map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_file())
}

/// The commonest command lines, and what they do.
#[cfg(feature = "gpu")]
const COMMANDS: [[&str; 2]; 3] = [
    ["TRACE", "open the trace in a window"],
    ["TRACE --frame 7 --out frame.png", "write a frame as a picture"],
    ["info TRACE", "say what is in the trace"],
];
#[cfg(not(feature = "gpu"))]
const COMMANDS: [[&str; 2]; 3] = [
    ["info TRACE", "say what is in the trace"],
    ["frames TRACE", "list its frames"],
    ["events TRACE --frame 7", "list the packets of a frame"],
];

fn print_lines(reason: &str) {
    say!("aerogpu-replay {} shows any frame of an AeroGPU trace as it was drawn.", env!("CARGO_PKG_VERSION"));
    say!("");
    for [line, purpose] in COMMANDS {
        say!("  aerogpu-replay {line:<33}{purpose}");
    }
    say!("");
    say!("aerogpu-replay --help lists all verbs, and aerogpu-replay VERB --help has examples of each.");
    say!("{reason}");
}
