//! Output for someone who does not know the program yet, where it can show no window.

use std::fs;

use crate::support;
use support::fixture;
use support::harness::{Trial, trials_of};
use support::program::{program, run};

pub fn trials() -> Vec<Trial> {
    trials_of![
        alone_it_prints_eight_lines,
        the_commands_of_the_eight_lines_are_taken,
        captured_output_is_for_a_script,
        a_flag_that_is_about_a_trace_needs_one,
        every_spelling_of_a_place_opens_the_window,
        a_place_that_is_none_is_refused_before_the_window,
        verbs_of_other_programs_say_what_to_type,
    ]
}

fn alone_it_prints_eight_lines() {
    let folder = tempfile::tempdir().unwrap();
    let alone = run(&[], folder.path());
    // Nothing was done, so nobody takes it for a success.
    alone.expect(2, "", "neither DISPLAY nor WAYLAND_DISPLAY is set");
    assert_eq!(alone.stderr.lines().count(), 8, "{}", alone.stderr);
    assert!(alone.stderr.lines().all(|line| line.chars().count() <= 100), "{}", alone.stderr);
    assert!(alone.stderr.contains("aerogpu-replay --help"), "{}", alone.stderr);
    // What a window would begin with changes nothing.
    assert_eq!(run(&["--backend", "noop", "--no-notes"], folder.path()).stderr, alone.stderr);
    run(&["--quiet"], folder.path()).expect(2, "", "");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

fn the_commands_of_the_eight_lines_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(fixture("triangle"), folder.path().join("TRACE")).unwrap();
    let alone = run(&[], folder.path()).stderr;
    let commands: Vec<&str> = alone.lines().filter_map(|line| line.strip_prefix("  aerogpu-replay ")).collect();
    assert_eq!(commands.len(), 3, "{alone}");
    for line in commands {
        let words: Vec<&str> = line.split("  ").next().unwrap().split(' ').collect();
        // It has one frame, and there is no display.
        let words: Vec<&str> = words.into_iter().map(|word| if word == "7" { "0" } else { word }).collect();
        let expected = if words == ["TRACE"] { 5 } else { 0 };
        assert_eq!(run(&words, folder.path()).code, expected, "{words:?}");
    }
}

/// With a display, but nobody before it who has called: a script reads what is printed.
fn captured_output_is_for_a_script() {
    let output = program().env("DISPLAY", ":4711").output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), words.lines().count()), (Some(2), 8), "{words}");
    assert!(words.contains("stdout is a pipe or a file"), "{words}");
}

fn a_flag_that_is_about_a_trace_needs_one() {
    let folder = tempfile::tempdir().unwrap();
    for words in
        [&["--frame", "3"][..], &["--place", "3"], &["--out", "a.png"], &["--hash"], &["--play"], &["--draw", "1"]]
    {
        let done = run(words, folder.path());
        let known = [format!("{} does nothing by itself: expected TRACE with it", words[0]), "--frame <N>".to_owned()];
        assert_eq!(done.code, 2, "{words:?}: {done:?}");
        assert!(known.iter().any(|known| done.stderr.contains(known)), "{words:?}: {done:?}");
    }
    let json = run(&["--json"], folder.path());
    assert_eq!((json.code, json.stderr.lines().count()), (2, 1), "{json:?}");
    assert!(json.stderr.starts_with('{') && json.stderr.contains("expected TRACE"), "{json:?}");
}

fn every_spelling_of_a_place_opens_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let trace = fixture("redefinition").display().to_string();
    for line in [
        "",
        "--frame 0",
        "--frame last",
        "--frame -1 --draw 2",
        "--frame 0 --draw last",
        "--frame 0 --packet 9",
        "--frames 0",
        "--place 0",
        "--place 0/start",
        "--place 0/draw=1",
        "--place 0/packet=9",
        "--frame 0 --skip-draws 1,2",
        "--frame 0 --only-draws last",
        "--keep-going",
        "--frame 0 --draw 1 --keep-going --backend vulkan",
        "--watch --frame 0",
        "--frame 0 --annotate notes.wtf-trace",
    ] {
        let words: Vec<&str> = [trace.as_str()].into_iter().chain(line.split_whitespace()).collect();
        // That is as far as it comes without a display.
        run(&words, folder.path()).expect(5, "", "cannot open a window");
    }
}

fn a_place_that_is_none_is_refused_before_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let trace = fixture("redefinition").display().to_string();
    for (line, message) in [
        ("--frame 1", "frame 1 does not exist"),
        ("--place 1", "frame 1"),
        ("--frame 0 --draw -5", "draw -5 does not exist"),
        ("--frame 0 --skip-draws 4", "draw 4 does not exist"),
        ("--frame 0 --draw 1 --packet 1", "cannot be used with"),
        ("--packet 1", "--frame <N>"),
    ] {
        let words: Vec<&str> = [trace.as_str()].into_iter().chain(line.split_whitespace()).collect();
        run(&words, folder.path()).expect(2, "", message);
    }
    let frames = fixture("frames").display().to_string();
    run(&[&frames, "--frames", "0-2"], folder.path()).expect(2, "", "--frames 0-2 names several");
}

fn verbs_of_other_programs_say_what_to_type() {
    let folder = tempfile::tempdir().unwrap();
    for verb in ["open", "play", "render", "replay", "show", "view"] {
        let message = format!(
            "error: there is no verb `{verb}`: `aerogpu-replay t.bin` opens the trace in a window, and \
             `aerogpu-replay t.bin --frame N --out frame.png` writes a frame\n"
        );
        let done = run(&[verb, "t.bin"], folder.path());
        assert_eq!((done.code, done.stderr), (2, message), "{verb}");
    }
    let json = run(&["--json", "render"], folder.path());
    assert!(json.code == 2 && json.stderr.starts_with('{') && json.stderr.contains("no verb `render`"), "{json:?}");
    // A name that acts on a terminal does not.
    let nasty = run(&["open", "\u{1b}[2J"], folder.path());
    assert!(nasty.code == 2 && !nasty.stderr.contains('\u{1b}'), "{nasty:?}");
    // A file of that name is meant.
    fs::write(folder.path().join("replay"), "no trace").unwrap();
    let read = run(&["replay", "--frames", "all", "--hash"], folder.path());
    assert!(read.code == 3 && read.stderr.starts_with("error: replay: "), "{read:?}");
    // Other near misses are named.
    run(&["lnit", "t.bin"], folder.path()).expect(2, "", "did you mean the verb lint?");
}
