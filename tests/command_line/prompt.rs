//! Output at the prompt: colours on a terminal, options that would do nothing, tables that can be read.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::support::harness::Trial;
use crate::support::program::run;
use crate::support::{fixture, is_ci};

/// Output of a command on a terminal, stdout and stderr together.
fn on_a_terminal(arguments: &str, variables: &[(&str, &str)]) -> String {
    let line = format!("{} {arguments}", env!("CARGO_BIN_EXE_aerogpu-replay"));
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").env_remove("NO_COLOR");
    // CI services show colours without a terminal.
    command.env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR").env_remove("CI").envs(variables.iter().copied());
    String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
}

fn colours_are_for_terminals() {
    let (red, error) = ("\u{1b}[31merror:", "nothing.trace: No such file");
    let colored = on_a_terminal("info nothing.trace", &[]);
    assert!(colored.contains(red) && colored.contains(error), "{colored:?}");
    // The name is another's, and can do nothing.
    let hostile = on_a_terminal("info $'no\\x1b[2Jthing'", &[("SHELL", "/bin/bash")]);
    assert!(!hostile.contains("\u{1b}[2J"), "{hostile:?}");
    for variables in [[("NO_COLOR", "1")], [("TERM", "dumb")]] {
        let plain = on_a_terminal("info nothing.trace", &variables);
        assert!(plain.contains(error) && !plain.contains('\u{1b}'), "{plain:?}");
    }
    let piped = run(&["info", "nothing.trace"], &std::env::temp_dir());
    assert!(piped.stderr.contains(error) && !piped.stderr.contains('\u{1b}'), "{}", piped.stderr);
    let picture = crate::support::root().join("golden/triangle/frame0000.png").display().to_string();
    let same = on_a_terminal(&format!("diff {picture} {picture}"), &[]);
    assert!(same.contains("\u{1b}[32msame\u{1b}[0m: "), "{same:?}");
}

fn options_that_do_nothing_are_refused() {
    let trace = fixture("triangle").display().to_string();
    for (arguments, words) in [
        (
            &["--frame", "0", "--hash", "--fps", "30"][..],
            "--fps is for the window: expected no --out and no --hash with it",
        ),
        (&["--frame", "0", "--out", "a.png", "--bare"], "--bare is for the window"),
        (&["--frame", "0", "--hash", "--annotate", "b"], "--annotate is for the window"),
        (&["--frame", "0", "--hash", "--png-info"], "--png-info does nothing by itself: expected --out with it"),
    ] {
        let ended = run(&[&[trace.as_str()], arguments].concat(), &std::env::temp_dir());
        ended.expect(2, "", words);
    }
    let verify = |arguments: &[&str]| run(&[&["verify", trace.as_str()], arguments].concat(), &std::env::temp_dir());
    verify(&["--backend", "gl"]).expect(
        2,
        "",
        "--backend does nothing by itself: expected --seek, --determinism or --shaders with it",
    );
    verify(&["--seek", "--glsl-clip", "gl"]).expect(
        2,
        "",
        "--glsl-clip does nothing by itself: expected --shaders with it",
    );
    let json = verify(&["--size", "8x8", "--json"]);
    assert!(
        json.stderr.contains("\"kind\":\"usage\"") && json.stderr.contains("--size does nothing"),
        "{}",
        json.stderr
    );
}

fn state_of_submissions_is_a_table() {
    let trace = crate::support::root().join("fixtures/aerogpu/a3a0/scene.aerogputrace").display().to_string();
    let told = run(&["state", &trace, "--frame", "0", "--draw", "last"], &std::env::temp_dir());
    assert_eq!(told.code, 0, "{}", told.stderr);
    let lines: Vec<&str> = told.stdout.lines().collect();
    let section = |name: &str| {
        let start =
            lines.iter().position(|line| *line == name).unwrap_or_else(|| panic!("no {name} in {}", told.stdout));
        lines[start + 1..].iter().take_while(|line| !line.is_empty()).copied().collect::<Vec<_>>()
    };
    // Who set it stands below each other.
    for name in ["vertices", "shaders"] {
        let rows = section(name);
        let places: Vec<_> = rows.iter().filter_map(|row| row.rfind("  set 0x")).collect();
        assert!(!places.is_empty() && places.iter().all(|place| *place == places[0]), "{rows:?}");
    }
    let fixed = section("fixed-function state");
    assert!(fixed.len() > 2 && fixed.iter().all(|line| line.len() <= 100), "{fixed:?}");
    assert!(fixed.concat().contains("cull ") && !section("alive").is_empty());
}

/// Pictures come again as often as something is written, and only then.
fn what_is_watched_is_rendered_again() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.bin");
    let hash = |name: &str| {
        let shown = run(&[&fixture(name).display().to_string(), "--frame", "0", "--hash"], folder.path());
        assert_eq!(shown.code, 0, "{}", shown.stderr);
        shown.stdout
    };
    fs::copy(fixture("triangle"), &trace).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"))
        .args(["trace.bin", "--frame", "0", "--hash", "--watch"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut out, mut err) =
        (BufReader::new(child.stdout.take().unwrap()), BufReader::new(child.stderr.take().unwrap()));
    let line = |from: &mut dyn BufRead| {
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        line
    };
    let waits = |err: &mut dyn BufRead| {
        let mut said = String::new();
        while !said.contains("waiting for trace.bin to change") {
            said = line(err);
            assert!(!said.is_empty(), "it has ended");
        }
    };
    assert_eq!(line(&mut out), hash("triangle"));
    waits(&mut err);
    for name in ["clears", "triangle"] {
        // As a program writes that replaces whole files.
        fs::copy(fixture(name), folder.path().join("new.bin")).unwrap();
        fs::rename(folder.path().join("new.bin"), &trace).unwrap();
        assert_eq!(line(&mut out), hash(name), "{name}");
        waits(&mut err);
    }
    // What is broken is told, and what comes next is shown.
    fs::write(&trace, "none").unwrap();
    let mut said = String::new();
    while !said.starts_with("error: ") {
        said = line(&mut err);
    }
    assert!(said.contains("trace.bin: file too short for a trace"), "{said}");
    waits(&mut err);
    fs::copy(fixture("clears"), &trace).unwrap();
    assert_eq!(line(&mut out), hash("clears"));
    waits(&mut err);
    // Several times as long as it takes to notice something.
    sleep(Duration::from_secs(2));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(line(&mut out), "", "nothing has changed");
    fs::create_dir(folder.path().join("shaders")).unwrap();
    let refused = |arguments: &[&str], words: &str| {
        run(&[arguments, &["--frame", "0", "--watch"]].concat(), folder.path()).expect(2, "", words);
    };
    refused(
        &["trace.bin", "--out", "shaders/a.png", "--replace-shaders", "shaders"],
        "--out writes into the --replace-shaders folder",
    );
    refused(&["-", "--hash"], "--watch rereads the trace: expected a file, not stdin");
    refused(&["trace.bin", "--hash", "--out", "a.jpg"], "error: ");
}

pub fn trials() -> Vec<Trial> {
    let folders =
        std::env::var_os("PATH").into_iter().flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>());
    let has_script = folders.map(|folder| folder.join("script")).any(|path| path.is_file());
    let colours = Trial::test("colours_are_for_terminals", || {
        colours_are_for_terminals();
        Ok(())
    });
    let test = |name: &'static str, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    vec![
        colours.with_ignored_flag(!has_script && !is_ci()),
        test("options_that_do_nothing_are_refused", options_that_do_nothing_are_refused),
        test("state_of_submissions_is_a_table", state_of_submissions_is_a_table),
        test("what_is_watched_is_rendered_again", what_is_watched_is_rendered_again),
    ]
}
