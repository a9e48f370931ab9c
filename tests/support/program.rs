//! Runs the built program.

use std::path::Path;
use std::process::Command;

/// Result of a run.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stdout_bytes: Vec<u8>,
    pub stderr: String,
}

impl Run {
    /// Checks exit code and stdout exactly, and that stderr holds `message`; an empty `message` means silence.
    #[track_caller]
    pub fn expect(&self, code: i32, stdout: &str, message: &str) {
        assert_eq!(self.code, code, "stderr: {}", self.stderr);
        assert_eq!(self.stdout, stdout);
        if message.is_empty() {
            assert_eq!(self.stderr, "");
        } else {
            assert!(self.stderr.contains(message), "expected {message:?} in {:?}", self.stderr);
        }
    }
}

/// The program, without a display and without the user's settings.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("RUST_LOG");
    command
}

/// Runs the program in `folder`.
pub fn run(arguments: &[&str], folder: &Path) -> Run {
    let output = program().args(arguments).current_dir(folder).output().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stdout_bytes: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
