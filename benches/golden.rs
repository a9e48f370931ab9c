//! Measures what golden tests cost: comparing pictures, and a suite's processes against one process.
//!
//! `cargo bench --bench golden`. Each figure is the best of several rounds, for other work on the machine only adds
//! time; the suite's ratio is that of rounds taken in turns.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a bench panics")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use aerogpu_replay::golden::case::Case;
use aerogpu_replay::golden::pictures::{Golden, hash_trace, read_golden};
use aerogpu_replay::golden::suite::{SuiteOptions, WarningPolicy, find_cases, test_cases};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::pixels::{Picture, Size, Tolerance, compare, compare_beyond};
use aerogpu_replay::player::Player;
use aerogpu_replay::worker::{Program, WorkerCommand};

const ROUNDS: u32 = 5;
const CASES: usize = 200;

fn best(mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let started = Instant::now();
        run();
        started.elapsed()
    };
    (0..ROUNDS).map(time).min().unwrap()
}

fn compare_pictures() {
    let size = Size { width_px: 4096, height_px: 4096 };
    let rgba: Vec<u8> = (0..size.rgba_bytes()).map(|n| (n.wrapping_mul(0x9e37_79b9) >> 13) as u8).collect();
    let picture = |change: &dyn Fn(usize) -> u8| {
        let changed = rgba.iter().enumerate().map(|(n, byte)| byte ^ change(n));
        Picture::new(size, changed.collect()).unwrap()
    };
    let a = picture(&|_| 0);
    let pictures = [
        ("equal", picture(&|_| 0)),
        ("one step in 0.1 % of the pixels", picture(&|n| u8::from(n % 4000 == 0))),
        ("one step in every pixel", picture(&|n| u8::from(n % 4 == 0))),
        ("every byte another", picture(&|_| 0x55)),
    ];
    for (name, b) in &pictures {
        let exact = best(|| drop(std::hint::black_box(compare(&a, b))));
        let step = Tolerance::OTHER_MACHINE.largest_step;
        let tolerant = best(|| drop(std::hint::black_box(compare_beyond(&a, b, step))));
        // Bytes of one picture a second.
        let speed = |time: Duration| size.rgba_bytes() as f64 / time.as_secs_f64() / 1e6;
        println!(
            "compare 4096x4096, {name}: {:.0} MB/s exact, {:.0} MB/s with tolerance",
            speed(exact),
            speed(tolerant)
        );
    }
}

/// Copies the project's own cases until there are enough.
fn make_suite(root: &Path) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = find_cases(&[here.join("golden")]).unwrap();
    fs::create_dir(root.join("traces")).unwrap();
    for (number, case) in own.iter().cycle().take(CASES).enumerate() {
        let folder = root.join(format!("golden/case{number:03}"));
        fs::create_dir_all(&folder).unwrap();
        let read = Case::read(&case.folder, here).unwrap();
        let name = read.trace.file_name().unwrap().to_str().unwrap();
        fs::copy(&read.trace, root.join("traces").join(name)).unwrap();
        for entry in fs::read_dir(&case.folder).unwrap().map(Result::unwrap) {
            fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
        let toml = fs::read_to_string(folder.join("golden.toml")).unwrap();
        fs::write(folder.join("golden.toml"), toml.replace("../../fixtures/aerogpu/", "../../traces/")).unwrap();
    }
    root.join("golden")
}

/// What a loop in one process on one device costs: open, hash, render, compare.
fn one_process(golden: &Path, root: &Path) -> Duration {
    let started = Instant::now();
    let llvmpipe = AdapterChoice::Name("llvmpipe".to_owned());
    let gpu = Arc::new(Gpu::open(BackendChoice::Vulkan, &llvmpipe, Duration::from_secs(60)).unwrap());
    for found in find_cases(&[golden.to_owned()]).unwrap() {
        let case = Case::read(&found.folder, root).unwrap();
        assert_eq!(hash_trace(&case.trace).unwrap(), case.trace_sha256);
        let source = aerogpu_replay::bytes::FileSource::open(&case.trace).unwrap();
        let mut diagnostics = aerogpu_replay::bytes::Diagnostics::new();
        let trace = aerogpu_replay::format::aerogpu::Trace::from_source(Arc::new(source), &mut diagnostics).unwrap();
        let mut player = Player::new(Arc::new(trace), gpu.clone(), case.size).unwrap();
        for golden in &case.pictures {
            player.set_shown(golden.of.shown);
            let picture = player.render(golden.of.frame).unwrap();
            let Golden::Found(golden) = read_golden(&case.folder.join(&golden.picture)) else { panic!("no golden") };
            assert_eq!(compare(&golden, &picture).unwrap().differing, 0);
        }
    }
    started.elapsed()
}

fn suite(golden: &Path, root: &Path, jobs: usize) -> Duration {
    let arguments = ["worker", "--backend", "vulkan", "--adapter", "llvmpipe"];
    let options = SuiteOptions {
        worker: WorkerCommand::new(
            Program::Other(PathBuf::from(env!("CARGO_BIN_EXE_aerogpu-replay"))),
            arguments.map(str::to_owned).into(),
            Duration::from_secs(60),
        ),
        jobs,
        retries: 0,
        root: root.to_owned(),
        keep: None,
        warning_policy: WarningPolicy::Reported,
    };
    let started = Instant::now();
    let cases = find_cases(&[golden.to_owned()]).unwrap();
    let outcomes = test_cases(&cases, &options, |_| {});
    assert!(outcomes.len() == CASES && outcomes.iter().all(|outcome| outcome.status.is_good()));
    started.elapsed()
}

fn suites() {
    let folder = tempfile::tempdir().unwrap();
    let golden = make_suite(folder.path());
    let mut times = [Duration::MAX; 3];
    for _ in 0..ROUNDS {
        let round =
            [one_process(&golden, folder.path()), suite(&golden, folder.path(), 1), suite(&golden, folder.path(), 2)];
        times.iter_mut().zip(round).for_each(|(best, time)| *best = time.min(*best));
    }
    let [alone, one, two] = times.map(|time| time.as_secs_f64());
    println!("{CASES} cases in one process: {alone:.2} s");
    println!("{CASES} cases with --jobs 1: {one:.2} s, {:.2} of it", one / alone);
    println!("{CASES} cases with --jobs 2: {two:.2} s, {:.2} of it", two / alone);
}

fn main() {
    compare_pictures();
    suites();
}
