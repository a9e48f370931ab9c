//! Damaged files, given to the built program: no verb crashes, hangs, takes more memory than it may, or ends in a code
//! or a sentence that isn't in its contract.
//!
//! `cargo test` tries a few hundred. `MUTANTS=100000 cargo test --release --test gpu command_line::mutants:: -- --nocapture`
//! tries as many as one likes, from `MUTANTS_SEED` on; each seed names the file, the damage and the verb, so one run
//! repeats it: `MUTANTS=1 MUTANTS_SEED=1234`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::support;
use support::harness::{Trial, trials_of};
use support::mutate::mutant;
use support::random::Random;
use support::root;

pub fn trials() -> Vec<Trial> {
    trials_of![damaged_files_end_in_a_known_code_and_a_sentence,]
}

/// Number of mutants that are tried if `MUTANTS` does not say otherwise.
const USUAL_COUNT: u64 = 400;
/// No file here is larger: what reading takes is known to be in proportion, and small files are tried faster.
const MAX_FILE_BYTES: u64 = 128 << 10;
/// The address space of the program, in KiB. A debug build with its libraries takes some 0.3 GiB of it.
const MAX_MEMORY_KIB: u32 = 3 << 20;
/// Longer than anything takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Arguments of the verbs that need no GPU. `IN` is the damaged file, `OUT` a path that nothing is at, `SOUND` a sound
/// trace.
const TRACE_VERBS: &[&str] = &[
    "info IN",
    "info IN --deep",
    "info IN --deep --json",
    "info IN --strict",
    "dump IN",
    "dump IN --hex",
    "dump IN --json",
    "dump IN --frames last",
    "dump IN --canonical packets",
    "frames IN",
    "frames IN --json",
    "draws IN",
    "events IN --frame 0",
    "events IN --frame 0 --json",
    "passes IN",
    "passes IN --json",
    "state IN --frame 0",
    "state IN --frame 0 --json",
    "state IN --frame 0 --draw 0",
    "buffer IN --frame 0",
    "buffer IN --frame 0 --vertices",
    "buffer IN --frame 0 --raw --out OUT",
    "verify IN",
    "verify IN --deep",
    "verify IN --deep --strict",
    "lint IN",
    "lint IN --json",
    "trim IN OUT --frames 0",
    "trim IN OUT --frames all",
    "extract IN --shaders OUT",
    "extract IN --blobs OUT",
    "repair IN OUT",
    "shaders IN",
    "shaders IN --emit wgsl",
    "timeline info IN",
    "timeline dump IN",
    "timeline export IN --out OUT.json",
    "timeline stats IN",
    "timeline blame IN",
    "timeline blame IN --annotate SOUND --align auto --json",
    "timeline align IN --annotate IN --align auto",
    "timeline tree IN",
    "timeline diff IN SOUND",
];

const ANNOTATION_VERBS: &[&str] = &[
    "info IN",
    "info IN --json",
    "dump IN",
    "dump IN --hex",
    "extract IN --blobs OUT",
    "timeline info IN",
    "timeline info IN --json",
    "timeline dump IN",
    "timeline dump IN --json",
    "timeline dump IN --canonical ops",
    "timeline stats IN",
    "timeline export IN --out OUT.json",
    "timeline export IN --out OUT.perfetto-trace",
    "timeline align SOUND --annotate IN",
    "timeline dump SOUND --annotate IN",
    "timeline align SOUND --annotate IN --align auto",
    "timeline align SOUND --annotate IN --align numbers",
    "timeline blame SOUND --annotate IN --align frames:0=0",
    "timeline tree IN",
    "timeline diff IN IN --align frames",
];

/// The codes that a file may lead to: 70 is a bug of ours, and the others are about GPUs, goldens and time.
const CODES: &[i32] = &[0, 2, 3, 4, 6, 8, 10];

struct Seed {
    number: u64,
    file: PathBuf,
    line: &'static str,
    bytes: Vec<u8>,
}

fn variable(name: &str, usual: u64) -> u64 {
    std::env::var(name)
        .map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}: expected a number")))
}

/// Every sound and every damaged file that lies with the project, in a fixed order.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("fixtures").join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_input = path.extension().is_some_and(|end| end != "md" && end != "json");
            match fs::metadata(&path).unwrap() {
                found if found.is_dir() => folders.push(path),
                found if is_input && found.len() <= MAX_FILE_BYTES => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    assert!(files.len() >= 8, "only {} files in {folder}", files.len());
    files
}

fn damaged(number: u64, traces: &[PathBuf], annotations: &[PathBuf]) -> Seed {
    let mut random = Random::new(number);
    let is_trace = random.below(10) < 7;
    let files = if is_trace { traces } else { annotations };
    let file = files[random.below(files.len() as u32) as usize].clone();
    let line = random.pick(if is_trace { TRACE_VERBS } else { ANNOTATION_VERBS });
    let bytes = mutant(&fs::read(&file).unwrap(), &mut random);
    Seed { number, file, line, bytes }
}

/// Runs one; says what is wrong about how it ended.
fn try_out(seed: &Seed, folder: &Path) -> Result<i32, String> {
    let (input, output) = (folder.join("in"), folder.join("out"));
    let _ = fs::remove_dir_all(&output);
    for left in fs::read_dir(folder).unwrap() {
        let _ = fs::remove_file(left.unwrap().path());
    }
    fs::write(&input, &seed.bytes).unwrap();
    let sound = support::fixture("triangle");
    let arguments = seed.line.split(' ').map(|word| match word {
        "IN" => input.display().to_string(),
        "SOUND" => sound.display().to_string(),
        word => word.replace("OUT", &output.display().to_string()),
    });
    let (shown, said) = (folder.join("stdout"), folder.join("stderr"));
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MAX_MEMORY_KIB}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_aerogpu-replay")])
        .args(arguments)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(File::create(&shown).unwrap())
        .stderr(File::create(&said).unwrap())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if started.elapsed() > PATIENCE => {
                child.kill().unwrap();
                child.wait().unwrap();
                return Err(format!("still running after {} s", PATIENCE.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let stderr = String::from_utf8(fs::read(&said).unwrap()).map_err(|error| format!("stderr is no text: {error}"))?;
    let code = status.code().ok_or_else(|| format!("ended with {status}: {stderr}"))?;
    let stdout = String::from_utf8_lossy(&fs::read(&shown).unwrap()).into_owned();
    // Two recordings may differ, which is no trouble.
    let is_difference = code == 1 && seed.line.starts_with("timeline diff");
    check(if is_difference { 0 } else { code }, &stdout, &stderr).map(|()| code)
}

fn check(code: i32, stdout: &str, stderr: &str) -> Result<(), String> {
    let is_error = |line: &&str| line.starts_with("error: ") || line.contains(r#""type":"error""#);
    let errors: Vec<&str> = stderr.lines().filter(is_error).collect();
    let wrong = |what: &str| Err(format!("exit {code}: {what}: {stderr}"));
    if !CODES.contains(&code) {
        return wrong("no code that a file may lead to");
    }
    if stderr.contains("panicked") || stderr.contains("RUST_BACKTRACE") {
        return wrong("a panic");
    }
    if stderr.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return wrong("control characters");
    }
    // Rows of listings that are JSON tell the kind, and those of shaders why one can't be drawn.
    let rows: &[&str] = match code {
        3 => &[r#""kind":"read-failed""#, r#""kind":"malformed""#, r#""kind":"cut-short""#],
        4 => &[r#""kind":"unsupported""#],
        6 => &[r#""kind":"replay-failed""#, "cannot be drawn: ", r#""cannot_draw":""#],
        10 => &[r#""kind":"over-limit""#],
        _ => &[],
    };
    let has_row = stdout.contains("error")
        || stdout.contains(r#""type":"damage""#)
        || rows.iter().any(|row| stdout.contains(row));
    let is_recovered = code == 3 && stderr.contains("; recovered ");
    match code {
        0 if !errors.is_empty() => wrong("an error and success"),
        // Listings name what ends them in their own rows, at the place where it is.
        3 | 4 | 6 | 10 if errors.is_empty() && !has_row && !is_recovered => wrong("a failure without a sentence"),
        _ if errors.iter().any(|error| error.len() > 2000) => wrong("a sentence of more than 2,000 bytes"),
        _ => Ok(()),
    }
}

fn damaged_files_end_in_a_known_code_and_a_sentence() {
    let (count, first) = (variable("MUTANTS", USUAL_COUNT), variable("MUTANTS_SEED", 0));
    let traces = files("aerogpu");
    let annotations: Vec<PathBuf> = [files("wip15"), files("wtf")].concat();
    let next = AtomicU64::new(first);
    let (failures, codes) = (Mutex::new(Vec::new()), Mutex::new(std::collections::BTreeMap::<i32, u64>::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let folder = tempfile::tempdir().unwrap();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= first + count {
                        return;
                    }
                    let seed = damaged(number, &traces, &annotations);
                    match try_out(&seed, folder.path()) {
                        Ok(code) => *codes.lock().unwrap_or_else(PoisonError::into_inner).entry(code).or_default() += 1,
                        Err(wrong) => {
                            let file = seed.file.file_name().unwrap().to_string_lossy().into_owned();
                            let failure = format!("seed {}, {file}, `{}`: {wrong}", seed.number, seed.line);
                            println!("{failure}");
                            failures.lock().unwrap_or_else(PoisonError::into_inner).push(failure);
                        }
                    }
                }
            });
        }
    });
    let (failures, codes) = (failures.into_inner().unwrap(), codes.into_inner().unwrap());
    println!("{count} damaged files from seed {first}: codes {codes:?}, {} wrong", failures.len());
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    assert!(count < 100 || codes.get(&3).is_some_and(|unreadable| *unreadable > count / 20), "{codes:?}");
}
