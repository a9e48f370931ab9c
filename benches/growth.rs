//! Growth of costs with the length of a trace: `cargo bench --bench growth`.
//!
//! Each verb reads two traces whose parts depend on as little in the one as in the other, the second ten times as long. Of
//! the program's times the least of several runs counts, without what it takes for a trace of one part. The exponent says how
//! the cost grows: 1 is ten times the cost, 2 a hundred times. No exponent may be over 1.1, and no peak of memory over its bar.
//!
//! The last figure is what recording goldens costs beside testing them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a bench panics")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dev_traces::growth::{chained_packets, chained_submissions, many_resources};

const ROUNDS: usize = 5;
const TIMES: u32 = 10;
const MOST_EXPONENT: f64 = 1.1;
/// Frames of the trace whose last one is drawn, and the memory that this may take.
const LONG_CHAIN: (u32, f64) = (100_000, 300.0);
/// Recording goldens may take so many times as long as testing them.
const MOST_RECORDING: f64 = 4.0;

/// A kind of trace, by the number of its parts.
type Make = fn(u32) -> Vec<u8>;

/// Kinds of traces, with the parts of the shorter one.
const TRACES: [(&str, Make, u32); 3] = [
    ("frames of submissions over each other", chained_submissions, 1_500),
    ("frames of Appendix A over each other", chained_packets, 1_500),
    ("textures made and destroyed", many_resources, 3_000),
];

/// Arguments before and behind the trace.
const VERBS: [(&[&str], &[&str]); 7] = [
    (&["frames"], &[]),
    (&["draws"], &[]),
    (&["events"], &["--frames", "all"]),
    (&["lint"], &[]),
    (&["verify"], &[]),
    (&["compare", "first"], &[]),
    (&[], &["--frames", "all", "--hash", "--backend", "vulkan"]),
];

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Least time of the program with a trace.
fn taken(verb: (&[&str], &[&str]), trace: &Path) -> Duration {
    let path = trace.to_str().unwrap();
    let before: Vec<&str> = verb.0.iter().map(|word| if *word == "first" { path } else { word }).collect();
    let run = |_| {
        let start = Instant::now();
        let status = program(&[&before[..], &[path], verb.1].concat()).status().unwrap();
        assert!(matches!(status.code(), Some(0 | 1)), "{before:?} {path}: {status}");
        start.elapsed()
    };
    (0..ROUNDS).map(run).min().unwrap()
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: Vec<u8>| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let mut missed = 0;
    println!("{:<42} {:>9} {:>9} {:>9}  exponent", "", "one, ms", "short, ms", "long, ms");
    for (number, (what, make, parts)) in TRACES.into_iter().enumerate() {
        let traces = [1, parts, parts * TIMES].map(|parts| write(&format!("{number}-{parts}.bin"), make(parts)));
        println!("{what}, {parts} and {}:", parts * TIMES);
        for verb in VERBS {
            let [one, short, long] = traces.each_ref().map(|trace| taken(verb, trace).as_secs_f64() * 1e3);
            // Less than it takes to start can't be told from noise.
            let [of_short, of_long] = [short, long].map(|time| (time - one).max(one));
            let exponent = (of_long / of_short).log10() / f64::from(TIMES).log10();
            let is_missed = exponent > MOST_EXPONENT;
            missed += u32::from(is_missed);
            let (name, mark) = ([verb.0, verb.1].concat().join(" "), if is_missed { "  missed" } else { "" });
            println!("  {name:<40} {one:>9.1} {short:>9.1} {long:>9.1}  {exponent:.2}{mark}");
        }
    }
    missed += long_chain(&write);
    missed += recording(folder.path(), &write);
    assert_eq!(missed, 0, "bars are missed");
}

/// The peak of memory of drawing the last of many frames over each other; 1 if it is over its bar.
fn long_chain(write: &impl Fn(&str, Vec<u8>) -> PathBuf) -> u32 {
    let (frames, most_mib) = LONG_CHAIN;
    let mut missed = 0;
    for (name, make) in [("submissions", chained_submissions as Make), ("Appendix A", chained_packets)] {
        let trace = write(&format!("long {name}.bin"), make(frames));
        for verb in [&["--frame", "last", "--hash", "--backend", "vulkan"][..], &["frames", "--frames", "last"]] {
            let peak_mib = peak_mib(program(&[verb, &[trace.to_str().unwrap()]].concat()));
            missed += u32::from(peak_mib > most_mib);
            println!("the last of {frames} frames of {name}, {}: {peak_mib:.0} MiB (bar {most_mib})", verb.join(" "));
        }
    }
    missed
}

/// The peak of a program's memory, up to the few milliseconds before it ends.
fn peak_mib(mut command: Command) -> f64 {
    let mut child = command.spawn().unwrap();
    let mut peak = 0.0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let now = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        peak = now.and_then(|kib| kib.trim().parse::<f64>().ok()).map_or(peak, |kib| f64::max(peak, kib / 1024.0));
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(child.wait().unwrap().success());
    peak
}

/// Cost of recording goldens beside testing them; 1 if it is over its bar.
fn recording(folder: &Path, write: &impl Fn(&str, Vec<u8>) -> PathBuf) -> u32 {
    let trace = write("recorded.bin", chained_submissions(500));
    let trace = trace.to_str().unwrap();
    let timed = |arguments: &[&str]| {
        let start = Instant::now();
        assert!(program(arguments).current_dir(folder).status().unwrap().success(), "{arguments:?}");
        start.elapsed().as_secs_f64() * 1e3
    };
    let (mut new, mut test) = (f64::MAX, f64::MAX);
    for round in 0..ROUNDS {
        let into = format!("golden {round}");
        new = new.min(timed(&["golden", "new", trace, "--into", &into, "--backend", "vulkan"]));
        test = test.min(timed(&["golden", "test", &into, "--backend", "vulkan"]));
    }
    let ratio = new / test;
    println!("recording 500 goldens {new:.0} ms, testing them {test:.0} ms: {ratio:.1} × (bar {MOST_RECORDING})");
    u32::from(ratio > MOST_RECORDING)
}
