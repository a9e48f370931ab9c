//! Growth of costs with the length of a trace: `cargo bench --bench growth`.
//!
//! Each verb reads two traces whose parts depend on as little in the one as in the other, the second ten times as long. The
//! exponent says how the cost grows: 1 is ten times the cost, 2 a hundred times. Instructions are what the bar of 1.1 is for,
//! counted by callgrind without those of a trace of one part. Times stand beside them, the least of several runs: they grow
//! faster where tables outgrow the caches and every page is a new one, and no two runs agree on them. No peak of memory may be
//! over its bar.
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
const VERBS: [(&[&str], &[&str]); 8] = [
    (&["frames"], &[]),
    (&["draws"], &[]),
    (&["passes"], &[]),
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

/// Arguments of a verb with a trace.
fn arguments<'a>(verb: (&[&'a str], &[&'a str]), trace: &'a str) -> Vec<&'a str> {
    let before = verb.0.iter().map(|word| if *word == "first" { trace } else { word });
    before.chain([trace]).chain(verb.1.iter().copied()).collect()
}

/// Least time of the program, in milliseconds.
fn taken_ms(arguments: &[&str]) -> f64 {
    let run = |_| {
        let start = Instant::now();
        let status = program(arguments).status().unwrap();
        assert!(matches!(status.code(), Some(0 | 1)), "{arguments:?}: {status}");
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..ROUNDS).map(run).fold(f64::MAX, f64::min)
}

/// Instructions of the program, in millions.
fn counted_millions(arguments: &[&str]) -> f64 {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", env!("CARGO_BIN_EXE_aerogpu-replay")]);
    let output = valgrind.args(arguments).output().expect("valgrind is not installed: nothing can be counted");
    let messages = String::from_utf8_lossy(&output.stderr);
    let counted = messages.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse::<f64>().ok());
    counted.unwrap_or_else(|| panic!("{arguments:?}: nothing was counted\n{messages}")) / 1e6
}

/// Exponent by which a cost grows from the one trace to the other, without what one part costs.
fn exponent([one, short, long]: [f64; 3]) -> f64 {
    // Less than it takes to start can't be told from noise.
    let [of_short, of_long] = [short, long].map(|cost| (cost - one).max(one));
    (of_long / of_short).log10() / f64::from(TIMES).log10()
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: Vec<u8>| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let mut missed = 0;
    println!("{:<32} {:>33}        {:>33}", "", "instructions, millions", "time, ms");
    for (number, (what, make, parts)) in TRACES.into_iter().enumerate() {
        let traces = [1, parts, parts * TIMES].map(|parts| write(&format!("{number}-{parts}.bin"), make(parts)));
        let traces = traces.each_ref().map(|trace| trace.to_str().unwrap());
        println!("{what}, 1, {parts} and {}:", parts * TIMES);
        for verb in VERBS {
            let each = traces.map(|trace| arguments(verb, trace));
            let counted = each.each_ref().map(|arguments| counted_millions(arguments));
            let taken = each.each_ref().map(|arguments| taken_ms(arguments));
            let is_missed = exponent(counted) > MOST_EXPONENT;
            missed += u32::from(is_missed);
            let name = [verb.0, verb.1].concat().join(" ");
            let told = |costs: [f64; 3]| {
                format!("{:>8.1} {:>8.1} {:>9.1} {:>5.2}", costs[0], costs[1], costs[2], exponent(costs))
            };
            println!("  {name:<32} {} {} {}", told(counted), if is_missed { "missed" } else { "      " }, told(taken));
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
