//! The command lines that `--help` shows: every one of them is run, in a folder with the files that it names.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::harness::Trial;
use crate::support::program::run;
use crate::support::{fixture, root};

pub fn trials() -> Vec<Trial> {
    let test = |name: &str, run: fn()| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    };
    vec![
        test("every example does what it says", run_all),
        test("a verb that was meant is named", misspell),
        test("a draw may be counted from the end", count_draws_from_the_end),
        test("stdin and stdout are files", pipe),
    ]
}

/// Examples that may end with 1: what they compare differs.
const MAY_DIFFER: [&str; 5] = ["diff ", "bisect ", "compare ", "golden review ", "timeline diff "];

fn run_all() {
    let folder = tempfile::tempdir().unwrap();
    files_in(folder.path());
    let mut count = 0;
    for words in verbs(&help(&[])) {
        let mut all = vec![vec![words.clone()]];
        all.extend(verbs(&help(&[&words])).into_iter().map(|verb| vec![words.clone(), verb]));
        for words in all {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            for line in examples(&help(&words)) {
                run_example(&line, folder.path());
                count += 1;
            }
        }
    }
    for line in examples(&help(&[])) {
        run_example(&line, folder.path());
        count += 1;
    }
    assert!(count > 50, "{count} examples are no help");
}

fn misspell() {
    let folder = tempfile::tempdir().unwrap();
    let message = "\"frmaes\" is neither a verb nor a file: did you mean the verb frames?";
    run(&["frmaes", "trace.bin"], folder.path()).expect(2, "", &format!("error: {message}\n"));
    // A file of that name is meant.
    fs::write(folder.path().join("frmaes"), b"no trace").unwrap();
    let read = run(&["frmaes", "--frames", "all", "--hash"], folder.path());
    assert!(read.code != 2 && read.stderr.starts_with("error: frmaes: file too short"), "{read:?}");
}

fn count_draws_from_the_end() {
    let folder = tempfile::tempdir().unwrap();
    files_in(folder.path());
    let drawn = |draw: &str| {
        let arguments = ["state", "trace.bin", "--frame", "0", "--draw", draw, "--json"];
        let output = Command::new(program()).args(arguments).current_dir(folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let draws = run(&["draws", "trace.bin", "--frames", "0"], folder.path()).stdout.lines().count();
    assert!(draws > 0);
    assert_eq!(drawn("last"), drawn(&(draws - 1).to_string()));
    assert_eq!(drawn(&format!("-{draws}")), drawn("0"));
    let (code, _, error) = drawn(&format!("-{}", draws + 1));
    assert_eq!(code, Some(2));
    assert!(error.contains(&format!("draw -{} does not exist: frame 0 has {draws} draw", draws + 1)), "{error}");
}

/// A trace that comes in is the trace of a file, and one that goes out is whole or nothing.
fn pipe() {
    let folder = tempfile::tempdir().unwrap();
    files_in(folder.path());
    let shell = |line: &str| {
        let program = program().display().to_string();
        let line = line.replace("aerogpu-replay", &program);
        Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output().unwrap()
    };
    run(&["trim", "trace.bin", "one.bin", "--frames", "1-"], folder.path());
    let piped = shell("aerogpu-replay trim - - --frames 1- < trace.bin");
    assert_eq!((piped.status.code(), piped.stderr), (Some(0), Vec::new()));
    assert_eq!(piped.stdout, fs::read(folder.path().join("one.bin")).unwrap());
    let chained = shell("aerogpu-replay trim - - --frames 1- < trace.bin | aerogpu-replay frames - --json");
    let plain = run(&["frames", "one.bin", "--json"], folder.path());
    assert_eq!(String::from_utf8(chained.stdout).unwrap(), plain.stdout);
    run(&["repair", "torn.bin", "whole.bin"], folder.path());
    let repaired = shell("aerogpu-replay repair - - < torn.bin");
    assert_eq!(repaired.stdout, fs::read(folder.path().join("whole.bin")).unwrap());
    assert_eq!(run(&["trace.bin", "--frame", "0", "--out", "other.png"], folder.path()).code, 0);
    // Whatever a verb reads more than once of a file, it has of stdin.
    for (verb, file) in [
        ("lint - --json", "torn.bin"),
        ("info --deep - --json", "trace.bin"),
        ("shaders - --json", "trace.bin"),
        ("extract - --blobs blobs --json", "trace.bin"),
        ("extract - --blobs blobs --json", "calls.trace"),
        ("timeline info - --json", "calls.trace"),
        ("timeline info - --json", "trace.bin"),
        ("timeline dump - --json", "annotations.wtf-trace"),
        ("timeline stats - --json", "trace.bin"),
        ("diff - other.png", "expected.png"),
        ("diff other.png -", "expected.png"),
        ("filmstrip - --frame 0 --out strip.png", "trace.bin"),
    ] {
        let words = verb.split(' ').map(|word| if word == "-" { file } else { word });
        let named = shell(&format!("aerogpu-replay {}", words.collect::<Vec<_>>().join(" ")));
        let piped = shell(&format!("aerogpu-replay {verb} < {file}"));
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let (expected, found) = (text(&named.stdout), text(&piped.stdout));
        assert!(!expected.is_empty(), "{verb}: {named:?}");
        assert_eq!(piped.status, named.status, "{verb} < {file}: {piped:?}");
        // It is called by what was given, or by what it is.
        let named = format!(" {file}");
        let names = [named.as_str(), file, "stdin", " -", "\"-\""];
        let unnamed = |text: &str| names.iter().fold(text.to_owned(), |text, name| text.replace(name, ""));
        assert_eq!(unnamed(&found).replace("\"\"", ""), unnamed(&expected).replace("\"\"", ""), "{verb} < {file}");
    }
    // A picture goes to stdout alone.
    for (file, line) in
        [("strip.png", "filmstrip trace.bin --frame 0 --out"), ("difference.png", "diff expected.png other.png --out")]
    {
        let written = shell(&format!("aerogpu-replay {line} {file}"));
        let piped = shell(&format!("aerogpu-replay {line} -"));
        assert_eq!((piped.status, piped.stderr), (written.status, written.stderr), "{line}");
        assert!(piped.stdout == fs::read(folder.path().join(file)).unwrap(), "{line}");
        let refused = shell(&format!("aerogpu-replay {line} - --json"));
        assert_eq!(refused.status.code(), Some(2), "{line}");
        assert!(refused.stdout.is_empty(), "{line}");
    }
    for (line, message) in [
        ("aerogpu-replay diff - - < expected.png", "stdin holds one picture"),
        ("aerogpu-replay diff . . --out -", "--out - is for one picture: expected a folder"),
        ("printf x | aerogpu-replay info -", "error: stdin: file too short for a trace"),
        ("aerogpu-replay trim - --in-place --frames 0 < trace.bin", "stdin cannot be replaced: expected OUT"),
        (
            "aerogpu-replay timeline export trace.bin --out -",
            "--out -: expected a name that ends in .json, .perfetto-trace or .pftrace",
        ),
    ] {
        let refused = shell(line);
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(error.contains(message), "{line}: {error}");
    }
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| name != "-"));
}

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_aerogpu-replay"))
}

fn help(words: &[&str]) -> String {
    let output = Command::new(program()).args(words).arg("--help").output().unwrap();
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The verbs that a help lists, but for the help itself: two spaces, a word, and what it does.
fn verbs(help: &str) -> Vec<String> {
    let listed = help.split("\nArguments:").next().unwrap_or_default().split("\nOptions:").next().unwrap_or_default();
    let lines = listed.lines().filter_map(|line| line.strip_prefix("  "));
    let words = lines.filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()));
    let words = words.filter_map(|line| line.split_once("  ").map(|(word, _)| word.trim().to_owned()));
    words.filter(|word| word != "help" && !word.contains(' ')).collect()
}

fn examples(help: &str) -> Vec<String> {
    let behind = help.split_once("Examples:\n").map_or("", |(_, behind)| behind);
    let lines = behind.lines().take_while(|line| line.starts_with("  "));
    lines.filter_map(|line| line.strip_prefix("  aerogpu-replay ")).map(str::to_owned).collect()
}

/// Runs a line as a shell reads it.
pub fn run_example(line: &str, folder: &Path) {
    let folders = env::var_os("PATH").unwrap_or_default();
    let folders = [program().parent().unwrap().to_owned()].into_iter().chain(env::split_paths(&folders));
    let output = Command::new("sh")
        .args(["-c", &format!("aerogpu-replay {line}")])
        .env("PATH", env::join_paths(folders).unwrap())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let may_differ = MAY_DIFFER.iter().any(|start| line.starts_with(start));
    let code = output.status.code();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(code == Some(0) || may_differ && code == Some(1), "{line}: {code:?}, {errors}");
}

pub fn files_in(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let frames = fixture("frames").display().to_string();
    // The last one is blank, which no golden may be.
    let trimmed = run(&["trim", &frames, "trace.bin", "--frames", "0-2", "--quiet"], folder);
    assert_eq!(trimmed.code, 0, "{trimmed:?}");
    let trace = fs::read(folder.join("trace.bin")).unwrap();
    write("other.bin", &fs::read(fixture("clears")).unwrap());
    write("torn.bin", &trace[..trace.len() - 4]);
    write("stream.bin", &fs::read(fixture("a3a0/scene")).unwrap());
    write("annotations.wtf-trace", &fs::read(root().join("fixtures/wtf/v3/seed_basic.wtf-trace")).unwrap());
    write("calls.trace", &fs::read(root().join("fixtures/wip15/synth/all_types.trace")).unwrap());
    let courtyard = root().join("fixtures/examples/courtyard.aerogputrace");
    write("courtyard.aerogputrace", &fs::read(courtyard).unwrap());
    for (name, from) in [("expected.png", "triangle"), ("found.png", "interpolated")] {
        write(name, &fs::read(root().join(format!("golden/{from}/frame0000.png"))).unwrap());
    }
}
