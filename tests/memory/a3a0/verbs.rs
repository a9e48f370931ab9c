//! Memory that the program takes for a hostile trace more than for a small one: the most that Linux tells of.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::traces::{self, HOSTILE_BYTES, Made};
use crate::support::harness::{Failed, Trial};

/// Bytes that a verb may keep of each packet, record and element.
type Kept = usize;

/// Streams are passed through.
const NOTHING: Kept = 0;
/// Verbs that hold what they show in rows.
const ROWS: Kept = 96;

const VERBS: [(&str, Kept); 10] = [
    ("info IN --deep", NOTHING),
    ("dump IN", NOTHING),
    ("dump IN --canonical packets", NOTHING),
    ("extract IN --shaders OUT", NOTHING),
    ("events IN --frame 0", ROWS),
    ("timeline info IN", ROWS),
    ("lint IN", ROWS),
    ("frames IN", ROWS),
    ("timeline blame IN", ROWS),
    ("timeline align IN --annotate IN --align auto", ROWS),
];

/// A record is read through a window that grows, and parsed into a list.
const READING_BYTES: usize = 3 * HOSTILE_BYTES;
/// Difference of two runs of the same thing.
const NOISE_BYTES: usize = 1 << 20;
/// Runs of a small trace of which the largest counts.
const USUAL_RUNS: usize = 20;
/// Longer than anything takes on a loaded machine: a stream that is read again for each of its runs takes minutes.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn trials() -> Vec<Trial> {
    let is_measured = cfg!(target_os = "linux");
    let trial = |(verb, kept): (&'static str, Kept)| {
        Trial::test(verb, move || every_trace(verb, kept)).with_ignored_flag(!is_measured)
    };
    VERBS.into_iter().map(trial).collect()
}

fn every_trace(verb: &str, kept: Kept) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let input = folder.path().join("in.aerogputrace");
    fs::write(&input, traces::run(&traces::stream(&[]), 1))?;
    let usual = usual_bytes(verb, &input)?;
    // The text has a stream as often as it runs, and shaders are files of their own.
    let is_wanted = |(name, _): &Made| {
        !(verb.contains("canonical") && name.contains("often") || verb.contains("extract") && name.contains("shaders"))
    };
    for (name, make) in traces::ALL.into_iter().filter(is_wanted) {
        let bytes = make();
        let units = bytes.len() / 8;
        fs::write(&input, bytes)?;
        let (code, used) = run(verb, &input)?;
        let (taken, allowed) = (used.saturating_sub(usual), READING_BYTES + NOISE_BYTES + kept * units);
        println!("{verb}, {name}: exit {code}, {} KiB of {}", taken >> 10, allowed >> 10);
        if taken > allowed {
            return Err(format!("{name}: {verb} took {taken} bytes, allowed are {allowed}").into());
        }
        // What runs again and again is over a budget where each run has to be gone through.
        let expected: &[i32] = match verb {
            // One frame says nothing clear of another.
            _ if verb.contains("auto") => &[2],
            _ if name.contains("run often") => &[0, 10],
            _ => &[0, 3, 4, 6],
        };
        if !expected.contains(&code) {
            return Err(format!("{name}: {verb} ended with {code}").into());
        }
    }
    Ok(())
}

/// Memory that the program takes for a small trace. It ends so soon that one run alone may miss its height, and then
/// everything else would seem to take more.
fn usual_bytes(verb: &str, input: &Path) -> Result<usize, Failed> {
    let mut most = 0;
    for _ in 0..USUAL_RUNS {
        most = most.max(run(verb, input)?.1);
    }
    Ok(most)
}

/// Exit code, and the most bytes of memory that it was seen to have.
fn run(verb: &str, input: &Path) -> Result<(i32, usize), Failed> {
    let output = input.with_extension("out");
    let _ = fs::remove_dir_all(&output).or_else(|_| fs::remove_file(&output));
    let word = |word: &str| match word {
        "IN" => input.display().to_string(),
        "OUT" => output.display().to_string(),
        word => word.to_owned(),
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_aerogpu-replay"))
        .args(verb.split(' ').map(word))
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let started = Instant::now();
    let mut peak = 0;
    loop {
        // Nothing is told any more of a process that has ended.
        peak = peak.max(own_bytes(&status).unwrap_or(0));
        if let Some(ended) = child.try_wait()? {
            let code = ended.code().ok_or_else(|| format!("{verb} ended with {ended}"))?;
            return Ok((code, peak));
        }
        if started.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Err(format!("{verb} was still running after {} s", PATIENCE.as_secs()).into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The line `RssAnon: 1234 kB`. What is mapped of the program's own file does not count.
fn own_bytes(status: &str) -> Option<usize> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.parse::<usize>().ok().map(|kib| kib << 10)
}
