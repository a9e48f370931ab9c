//! Files that are not regular are refused at once by every reader: nobody waits for a writer, and no device is read.
//!
//! The verbs and their paths come from the argument parser: one that no row of [`ROWS`] tells about fails the test.

use std::collections::BTreeSet;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support;
use support::harness::{Trial, trials_of};
use support::parser::path_arguments;
use support::program::program;
use support::{fixture, root};

pub fn trials() -> Vec<Trial> {
    trials_of![every_path_is_known, pipes_sockets_devices_and_folders_are_refused_at_once,]
}

/// Longer than any of them takes; a verb that waits for a writer would wait for ever.
const PATIENCE: Duration = Duration::from_secs(20);

/// Verb and argument, its words with IN for what is no regular file, and the exit code.
const ROWS: &[(&str, &str, i32)] = &[
    ("trace", "IN --frame 0 --hash", 3),
    ("info trace", "info IN", 3),
    ("dump trace", "dump IN", 3),
    ("diff a", "diff IN picture.png", 2),
    ("diff b", "diff picture.png IN", 2),
    ("bisect trace", "bisect IN --frame 0 --a wgsl --b glsl", 3),
    ("bisect by input", "bisect IN --by input --b b.bin", 3),
    ("compare a", "compare IN b.bin --by input", 3),
    ("compare b", "compare trace IN --by input", 3),
    ("filmstrip trace", "filmstrip IN --frame 0 --out out.png", 3),
    ("pixel trace", "pixel IN --frame 0 --at 0,0", 3),
    ("overlay trace", "overlay IN --frame 0 --kind overdraw --out out.png", 3),
    ("frames trace", "frames IN", 3),
    ("draws trace", "draws IN", 3),
    ("passes trace", "passes IN", 3),
    ("events trace", "events IN --frame 0", 3),
    ("state trace", "state IN --frame 0", 3),
    ("buffer trace", "buffer IN --frame 0", 3),
    ("texture trace", "texture IN --frame 0 1", 3),
    ("mesh trace", "mesh IN --frame 0 --draw 0", 3),
    ("verify trace", "verify IN", 3),
    ("lint trace", "lint IN", 3),
    ("lint conformance", "lint trace --conformance IN", 3),
    ("trim input", "trim IN out --frames 0", 3),
    ("extract trace", "extract IN --blobs out", 3),
    ("repair input", "repair IN out", 3),
    ("shaders trace", "shaders IN", 3),
    ("timeline info files", "timeline info IN", 3),
    ("timeline dump file", "timeline dump IN", 3),
    ("timeline dump recordings", "timeline dump trace IN", 3),
    ("timeline dump annotate", "timeline dump trace --annotate IN", 3),
    ("timeline stats file", "timeline stats IN", 3),
    ("timeline align trace", "timeline align IN --annotate trace", 3),
    ("timeline align recordings", "timeline align trace IN", 3),
    ("timeline align annotate", "timeline align trace --annotate IN", 3),
    ("timeline blame trace", "timeline blame IN", 3),
    ("timeline blame recordings", "timeline blame trace IN", 3),
    ("timeline blame annotate", "timeline blame trace --annotate IN", 3),
    ("timeline tree file", "timeline tree IN", 3),
    ("timeline diff a", "timeline diff IN a.trace", 3),
    ("timeline diff b", "timeline diff trace IN", 3),
    ("timeline export trace", "timeline export IN --out out.json", 3),
    ("timeline export recordings", "timeline export trace IN --out out.json", 3),
    ("timeline export annotate", "timeline export --annotate IN --out out.json", 3),
    ("timeline verify-export export", "timeline verify-export IN trace", 3),
    ("timeline verify-export trace", "timeline verify-export b.json IN", 3),
    ("timeline verify-export recordings", "timeline verify-export b.json trace IN", 3),
    ("timeline verify-export annotate", "timeline verify-export b.json --annotate IN", 3),
    ("golden new traces", "golden new IN", 3),
    ("golden approve decisions", "golden approve --decisions IN", 2),
    ("golden test page", "golden test --report out --page IN", 2),
    ("golden review page", "golden review --report out --page IN", 2),
    ("golden merge folders", "golden merge IN", 2),
    // Not paths to the parser, and files all the same.
    ("", "frames trace --frames @IN", 2),
    ("", "trace --frame @IN --hash", 2),
];

/// Outputs, a folder in which files are found, a program, or inputs that only the window reads.
const OTHERS: [&str; 14] = [
    "out",
    "obj",
    "output",
    "into",
    "report",
    "junit",
    "shaders",
    "blobs",
    "paths",
    "root",
    "worker",
    "replace_shaders",
    "annotate",
    // The window says what is wrong with it.
    "compare",
];

fn every_path_is_known() {
    let found = path_arguments();
    let known: BTreeSet<String> = ROWS.iter().map(|row| row.0.to_owned()).collect();
    let is_other = |path: &&String| path.rsplit(' ').next().is_some_and(|argument| OTHERS.contains(&argument));
    let unknown: Vec<_> = found.difference(&known).filter(|path| !is_other(path)).collect();
    assert!(unknown.is_empty(), "paths without a row: {unknown:?}");
}

/// Exit code and stderr; a program that does not end is ended.
fn ended(words: &str, folder: &Path) -> (Option<i32>, String) {
    let mut command = program();
    command.args(words.split_whitespace()).current_dir(folder);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn pipes_sockets_devices_and_folders_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(fixture("triangle"), folder.path().join("trace")).unwrap();
    std::fs::copy(root().join("golden/triangle/frame0000.png"), folder.path().join("picture.png")).unwrap();
    std::fs::write(folder.path().join("b.json"), "{}").unwrap();
    let case = folder.path().join("golden/triangle");
    std::fs::create_dir_all(&case).unwrap();
    std::fs::copy(root().join("golden/triangle/golden.toml"), case.join("golden.toml")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap().success());
    let _listener = UnixListener::bind(folder.path().join("socket")).unwrap();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let mut wrong = Vec::new();
    for (_, words, code) in ROWS {
        for (name, what) in [("pipe", "is a pipe"), ("socket", "is a socket"), ("/dev/zero", "is a device")] {
            let words = words.replace("IN", name);
            let (found, said) = ended(&words, folder.path());
            if found != Some(*code) || !said.contains(what) {
                wrong.push(format!("`{words}`: {found:?}, {said}"));
            }
        }
    }
    for words in ["info folder", "frames trace --frames @folder"] {
        let (found, said) = ended(words, folder.path());
        if !said.contains("is a directory: expected a regular file") {
            wrong.push(format!("`{words}`: {found:?}, {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
