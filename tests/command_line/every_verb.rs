//! Rules for every verb: exit codes, and that nothing which is printed can act.
//!
//! The verbs come from the argument parser: one that [`VERBS`] doesn't know fails the test, so that a new verb cannot be
//! missed.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::verbs::{Reads, VERBS};
use crate::support;
use aerogpu_replay::abi::reference::Packet;
use aerogpu_replay::cli::command;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use support::harness::Trial;
use support::program::program;
use support::random::Random;
use support::scene::{BLACK, FRAGMENT_WGSL, RED, Scene, VERTEX_WGSL, rectangle, vertices};
use support::{fixture, root, software};

/// Verbs for other processes, not for people.
const HIDDEN: [&str; 2] = ["golden worker", "worker"];

/// Text that acts on a terminal, moves what is read, or gives a CI service a command.
const NASTY: &str = "x\n::error::pwned\r##[error]\u{1b}[2J\u{1b}]0;t\u{7}\u{9b}31m\u{7f}\u{202e}gnp\u{2066}\u{2028}\u{200b}\u{feff}\u{e0041}";

fn verbs_of(parser: &clap::Command, above: &str, into: &mut BTreeSet<String>) {
    let verbs: Vec<_> = parser.get_subcommands().filter(|verb| verb.get_name() != "help").collect();
    if verbs.is_empty() || above.is_empty() {
        into.insert(above.to_owned());
    }
    for verb in verbs {
        verbs_of(verb, format!("{above} {}", verb.get_name()).trim_start(), into);
    }
}

fn all_verbs_are_known() {
    let mut there = BTreeSet::new();
    verbs_of(&command(), "", &mut there);
    there.retain(|verb| !HIDDEN.contains(&verb.as_str()));
    let known: BTreeSet<String> = VERBS.iter().map(|verb| verb.name.to_owned()).collect();
    assert_eq!(there, known);
}

/// A trace whose every text is nasty, of one frame and one draw. One that is broken has shaders that are nothing else.
fn nasty_trace(is_broken: bool) -> Vec<u8> {
    // JSON escapes line breaks in strings, and lets the rest stand as it is.
    let meta = serde_json::json!({ "emulator_version": NASTY, "command_abi_version": 1, NASTY: NASTY });
    let mut scene = Scene::with_meta(&meta.to_string());
    let text = |wgsl: &str| if is_broken { NASTY.to_owned() } else { format!("/* {NASTY} */ {wgsl}") };
    scene.begin().shaders(1, 2, &text(VERTEX_WGSL), &text(FRAGMENT_WGSL)).pipeline(1, 1, 2);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1).clear(BLACK).draw(0, 6);
    scene.end_and_finish()
}

/// A trace that is drawn for minutes.
fn endless_trace() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind_layout(1, 0, 0, 8);
    for _ in 0..4 {
        scene.draw(0, 200_000_000);
    }
    scene.end_and_finish()
}

/// A folder with what the words name.
struct Place {
    folder: tempfile::TempDir,
    trace: PathBuf,
}

impl Place {
    fn new(trace: &[u8], name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at(name), trace).unwrap();
        fs::copy(root().join("golden/triangle/frame0000.png"), at(&format!("{NASTY}A.png"))).unwrap();
        for side in ["A", "B"] {
            fs::create_dir(at(&format!("{NASTY}{side}"))).unwrap();
        }
        fs::copy(root().join("golden/triangle/frame0000.png"), at(&format!("{NASTY}A/{NASTY}.png"))).unwrap();
        fs::write(at(&format!("{NASTY}B/{NASTY}.png")), NASTY).unwrap();
        fs::copy(root().join("golden/clears/frame0000.png"), at(&format!("{NASTY}B.png"))).unwrap();
        let trace = at(name);
        Self { folder, trace }
    }

    /// Makes a case of the trace, and one that is broken.
    fn with_cases(self) -> Self {
        let made = self.run(&["golden new TRACE --into CASES --allow-blank +"].concat(), |command| command);
        assert!(made.status.success(), "{made:?}");
        let broken = self.folder.path().join(format!("{NASTY}cases/{NASTY}broken"));
        fs::create_dir(&broken).unwrap();
        fs::write(broken.join("golden.toml"), format!("{NASTY} = 1")).unwrap();
        self
    }

    fn command(&self, words: &str) -> Command {
        let out = self.folder.path().join(format!("{NASTY}out"));
        let folder = self.folder.path().join(format!("{NASTY}folder"));
        let mut command = program();
        command.current_dir(&self.folder).stdin(Stdio::null()).env_remove("GITHUB_ACTIONS");
        for word in words.split(' ') {
            match word {
                "+" => command.args(["--backend", "vulkan", "--adapter", "llvmpipe"]),
                "TRACE" => command.arg(self.trace.file_name().unwrap()),
                "CASES" => command.arg(format!("{NASTY}cases")),
                "OUT" => command.arg(&out),
                "DIR" => command.arg(&folder),
                "A" | "B" | "A.png" | "B.png" => command.arg(format!("{NASTY}{word}")),
                word if word.starts_with("OUT.") => command.arg(format!("{}{}", out.display(), &word[3..])),
                word if word.starts_with("DIR/") => command.arg(format!("{}{}", folder.display(), &word[3..])),
                word => command.arg(word),
            };
        }
        command
    }

    fn run(&self, words: &str, with: impl FnOnce(&mut Command) -> &mut Command) -> Output {
        with(&mut self.command(words)).output().unwrap()
    }
}

/// The words of all verbs, with or without a GPU.
fn words(on_gpu: bool) -> impl Iterator<Item = (&'static str, Reads, &'static str)> {
    let all = VERBS.iter().flat_map(|verb| verb.lines.iter().map(|words| (verb.name, verb.reads, *words)));
    all.filter(move |(.., words)| words.ends_with('+') == on_gpu)
}

/// Checks that what is printed can neither act nor confuse.
#[track_caller]
fn is_harmless(words: &str, printed: &[u8]) {
    let text = str::from_utf8(printed).unwrap_or_else(|_| panic!("{words}: no text: {:?}", printed.escape_ascii()));
    let control = regex::Regex::new(r"[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n]]|##\[|(?m:^\s*::)").unwrap();
    if let Some(found) = control.find(text) {
        panic!("{words}: {:?} in\n{}", found.as_str(), text.escape_debug());
    }
}

fn nothing_printed_acts(on_gpu: bool) {
    for is_broken in [false, true] {
        let mut place = Place::new(&nasty_trace(is_broken), &format!("{NASTY}.aerogputrace"));
        if on_gpu && !is_broken {
            place = place.with_cases();
        }
        for (_, _, words) in words(on_gpu).chain([("", Reads::Trace, "TRACE --frame \u{202e}\n::a")]) {
            let ended = place.run(words, |command| command);
            is_harmless(words, &ended.stdout);
            is_harmless(words, &ended.stderr);
            is_one_sentence_a_line(words, &ended.stderr);
            is_harmless(words, &on_terminal(place.command(words)));
        }
        if !on_gpu {
            let emit = "shaders TRACE --emit wgsl";
            let text = place.run(emit, |command| command).stdout;
            assert!(String::from_utf8(text).unwrap().contains(NASTY), "bytes go into a pipe as they are");
            // The lines of a text are its own.
            let shown = String::from_utf8(on_terminal(place.command(emit))).unwrap();
            is_harmless(emit, shown.replace("\n::error", "\nerror").replace("##[", "[").as_bytes());
        }
    }
    let place = Place::new(&nasty_trace(false), "a");
    let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe\x9b2J");
    let ended = place.run("info", |command| command.arg(odd));
    is_harmless("info of a path that is no text", &ended.stderr);
}

/// Checks what every sentence is: no cause is said twice, and nothing is said in our code's words.
#[track_caller]
fn is_one_sentence_a_line(words: &str, printed: &[u8]) {
    let code =
        regex::Regex::new(r"Some\(|None\b|Ok\(|Err\(|\w+ \{ \w+: |\w::\w+::|/registry/src/|/rustc/|\.rs:\d").unwrap();
    // The log names the module that speaks.
    for line in String::from_utf8_lossy(printed).lines().filter(|line| !line.starts_with('[')) {
        let parts: Vec<&str> = line.split(": ").collect();
        assert!(parts.windows(2).all(|pair| pair[0] != pair[1]), "{words}: a cause twice: {line}");
        let ours = line.replace("::error::pwned", "");
        assert!(!code.is_match(&ours), "{words}: words of our code: {line}");
    }
}

/// Text that a terminal gets, without its carriage returns and the colours that are ours.
fn on_terminal(mut command: Command) -> Vec<u8> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave =
        File::options().read(true).write(true).open(Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()))).unwrap();
    command.stdout(slave.try_clone().unwrap()).stderr(slave);
    let mut child = command.spawn().unwrap();
    // Its ends of the terminal are closed with it.
    drop(command);
    let (mut printed, mut master) = (Vec::new(), File::from(master));
    // Reading ends in an error when nobody can write any more.
    let _ = master.read_to_end(&mut printed);
    child.wait().unwrap();
    let text = regex::bytes::Regex::new("\r\n|\x1b\\[[0-9;]*m").unwrap();
    text.replace_all(
        &printed,
        |found: &regex::bytes::Captures| if &found[0] == b"\r\n" { b"\n".to_vec() } else { Vec::new() },
    )
    .into_owned()
}

#[track_caller]
fn ends_in(words: &str, ended: &Output, code: i32) {
    assert_eq!(
        ended.status.code(),
        Some(code),
        "{words}: {}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
}

fn whole() -> Vec<u8> {
    fs::read(fixture("triangle")).unwrap()
}

fn a_flag_that_is_none_is_a_usage_error() {
    let place = Place::new(&whole(), "a.aerogputrace");
    for verb in VERBS {
        let words = format!("{} --no-such-flag", verb.name);
        ends_in(&words, &place.run(words.trim(), |command| command), 2);
    }
}

fn a_missing_trace_is_unreadable(on_gpu: bool) {
    let place = Place::new(&whole(), "a.aerogputrace");
    fs::remove_file(&place.trace).unwrap();
    for (verb, reads, words) in words(on_gpu) {
        // Cases are made of traces that are there.
        if reads == Reads::Trace || verb == "golden new" {
            ends_in(words, &place.run(words, |command| command), 3);
        }
    }
}

fn a_cut_trace_is_partial_and_strictly_an_error(on_gpu: bool) {
    let mut cut = whole();
    cut.truncate(cut.len() - 20);
    let place = Place::new(&cut, "a.aerogputrace");
    for (verb, reads, words) in words(on_gpu) {
        let code = match (verb, reads) {
            ("golden new", _) => 3,
            ("repair", _) => 0,
            (_, Reads::Trace) => 8,
            _ => continue,
        };
        // The picture to compare with is of another size.
        if verb != "bisect" {
            ends_in(words, &place.run(words, |command| command), code);
        }
        let strict = if verb == "repair" { 0 } else { 3 };
        ends_in(words, &place.run(words, |command| command.arg("--strict")), strict);
    }
}

fn what_cannot_be_written_says_so(on_gpu: bool) {
    let mut place = Place::new(&whole(), "a.aerogputrace");
    if on_gpu {
        place = place.with_cases();
        fs::remove_dir_all(place.folder.path().join(format!("{NASTY}cases/{NASTY}broken"))).unwrap();
    }
    for (verb, reads, words) in words(on_gpu) {
        let code = if verb == "diff" { 2 } else { 11 };
        let prints = !place.run(words, |command| command).stdout.is_empty();
        if prints {
            let full = || File::options().write(true).open("/dev/full").unwrap();
            ends_in(words, &place.run(words, |command| command.stdout(full())), code);
        } else {
            // `lint` finds nothing in this trace.
            let is_silent = ["lint", "trim", "overlay", "serve", "man", ""].contains(&verb)
                || reads == Reads::Pictures
                || reads == Reads::Golden;
            assert!(is_silent, "{words} prints nothing");
        }
        let nowhere = Place::new(&whole(), "a.aerogputrace");
        let nowhere = if verb.starts_with("golden") && verb != "golden new" { nowhere.with_cases() } else { nowhere };
        if words.contains("OUT") || words.contains("DIR") {
            let impossible = words.replace("OUT", "a.aerogputrace/OUT").replace("DIR", "a.aerogputrace/DIR");
            ends_in(&impossible, &nowhere.run(&impossible, |command| command), code);
        }
    }
    for answer in ["--help", "--version"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        ends_in(answer, &place.run(answer, |command| command.stdout(full)), 11);
    }
}

/// Starts the words, and interrupts them when they listen.
fn interrupted(place: &Place, words: &str) -> Option<i32> {
    let mut child =
        place.command(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let listens = || {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0").trim().to_owned();
        // SIGINT is signal 2, the second bit.
        u64::from_str_radix(&mask, 16).unwrap_or(0) & 2 != 0
    };
    let patience = Instant::now() + Duration::from_secs(20);
    while !listens() && Instant::now() < patience && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Into the work.
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(child.try_wait().unwrap(), None, "{words} has ended by itself");
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    let patience = Instant::now() + Duration::from_secs(20);
    while Instant::now() < patience {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("{words} does not end");
}

fn an_interrupted_verb_says_so(on_gpu: bool) {
    let cpu = ["dump TRACE --hex"].as_slice();
    let gpu = [
        "TRACE --frame 0 --hash +",
        "filmstrip TRACE --frame 0 --out DIR +",
        "bisect TRACE --frame 0 --a auto --b wgsl +",
        "pixel TRACE --frame 0 --at 1,1 +",
        "overlay TRACE --frame 0 --kind overdraw --out OUT.png +",
        "verify TRACE --seek +",
        "golden new TRACE --into DIR/g +",
        "serve --stdio +",
    ]
    .as_slice();
    // Whoever prints more than a pipe holds waits for its reader.
    let long = {
        let mut scene = Scene::with_pipeline();
        scene.buffer(1, &vec![0; 1 << 20]);
        scene.end_and_finish()
    };
    let place = Place::new(&if on_gpu { endless_trace() } else { long }, "a.aerogputrace");
    for words in if on_gpu { gpu } else { cpu } {
        assert_eq!(interrupted(&place, words), Some(130), "{words}");
    }
}

/// Ctrl-C while a driver is loaded, a device opened or a shader compiled: no crash, and no process that stays.
/// `INTERRUPTS` says how often.
fn an_interrupt_at_any_time_is_no_crash() {
    let count = std::env::var("INTERRUPTS").map_or(16, |text| text.parse().unwrap());
    let place = Place::new(&fs::read(fixture("frames")).unwrap(), "a.aerogputrace");
    let mut random = Random::new(count);
    for number in 0..count {
        let backend = software::BACKENDS[(number % 2) as usize];
        let mut command = place.command("TRACE --frames all --hash");
        command.args(backend.arguments()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let after = Duration::from_millis(u64::from(random.below(500)));
        std::thread::sleep(after);
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        let patience = Instant::now() + Duration::from_secs(20);
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > patience {
                child.kill().unwrap();
                panic!("number {number}, {} after {after:?}: it does not end", backend.name());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let ended = child.wait_with_output().unwrap();
        // It may have been done, and before it listens the system ends it.
        let is_orderly = matches!(ended.status.code(), Some(0 | 130)) || ended.status.signal() == Some(2);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(is_orderly, "number {number}, {} after {after:?}: {}: {said}", backend.name(), ended.status);
    }
}

/// A test of the verbs that draw, or of those that don't.
type Test = fn(bool);

/// A test that needs no more than to end.
fn trial(name: String, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

pub fn trials() -> Vec<Trial> {
    let can_draw = software::gpu().is_some() || support::is_ci();
    let mut trials = vec![
        trial("all_verbs_are_known".to_owned(), all_verbs_are_known),
        trial("a_flag_that_is_none_is_a_usage_error".to_owned(), a_flag_that_is_none_is_a_usage_error),
    ];
    let tests: [(&str, Test); 5] = [
        ("nothing_printed_acts", nothing_printed_acts),
        ("a_missing_trace_is_unreadable", a_missing_trace_is_unreadable),
        ("a_cut_trace_is_partial_and_strictly_an_error", a_cut_trace_is_partial_and_strictly_an_error),
        ("what_cannot_be_written_says_so", what_cannot_be_written_says_so),
        ("an_interrupted_verb_says_so", an_interrupted_verb_says_so),
    ];
    for (name, test) in tests {
        trials.push(trial(name.to_owned(), move || test(false)));
        trials.push(trial(format!("{name}_on_the_gpu"), move || test(true)).with_ignored_flag(!can_draw));
    }
    let interrupts = trial("an_interrupt_at_any_time_is_no_crash".to_owned(), an_interrupt_at_any_time_is_no_crash);
    trials.push(interrupts.with_ignored_flag(!can_draw));
    trials
}
