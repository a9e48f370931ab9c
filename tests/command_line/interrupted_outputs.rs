//! A run that a signal ends leaves no unfinished file. The tests look at the folder, not at the exit code.
//!
//! Each run is stopped once its unfinished file is there, so that the signal comes while it is being written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support;
use support::harness::Trial;
use support::program::program;
use support::random::Random;
use support::scene::{BLACK, RED, Scene, rectangle, vertices};
use support::serve_client::Client;
use support::{root, software};

const SIGNALS: [Signal; 3] = [Signal::INT, Signal::TERM, Signal::HUP];

/// Most attempts to interrupt a run while it writes.
const MOST_RUNS: usize = 60;

/// Runs that are met, for each signal.
const MET: usize = 2;

const PATIENCE: Duration = Duration::from_secs(60);

/// Command lines that write, in the folder that [`furnish`] fills.
const WITHOUT_GPU: &[&str] = &[
    "trim trace made/out --frames 0",
    "trim trace --in-place --frames 0-1",
    "repair torn made/out",
    "repair torn --in-place",
    "extract trace --blobs made",
    "buffer trace --frame 0 --id 9 --raw --out made/out",
    "timeline export calls --out made/out.json",
    "diff large.png other.png --out made/out.png",
];
const WITH_GPU: &[&str] = &[
    "trace --frame 0 --size 1500x1500 --out made/out.png",
    "trace --frames all --size 800x800 --out made",
    "filmstrip trace --frame 0 --size 800x800 --out made",
    "overlay trace --frame 0 --size 800x800 --kind overdraw --out made/out.png",
];

const LARGE_BYTES: usize = 8 << 20;

/// Two frames, and a buffer that takes a while to write.
fn large_trace() -> Vec<u8> {
    let mut scene = Scene::with_pipeline();
    let mut random = Random::new(7);
    let bytes: Vec<u8> = std::iter::repeat_with(|| random.below(256) as u8).take(LARGE_BYTES).collect();
    scene.buffer(9, &bytes);
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 0.5, 1.0), RED)).bind(1).clear(BLACK).draw(0, 6).end();
    scene.begin().clear(BLACK).draw(0, 6);
    scene.end_and_finish()
}

fn furnish(folder: &Path) {
    let trace = large_trace();
    fs::write(folder.join("torn"), &trace[..trace.len() - 9]).unwrap();
    fs::write(folder.join("trace"), trace).unwrap();
    fs::copy(root().join("fixtures/wip15/synth/variant.trace"), folder.join("calls")).unwrap();
    for (name, blue) in [("large.png", 1), ("other.png", 2)] {
        let mut random = Random::new(blue);
        let pixel = |x: u32, y: u32| image::Rgba([x as u8, y as u8, random.below(9) as u8, 255]);
        image::RgbaImage::from_fn(600, 600, pixel).save(folder.join(name)).unwrap();
    }
    fs::create_dir(folder.join("made")).unwrap();
}

fn signal(child: &Child, signal: Signal) {
    // It may have ended.
    let _ = kill_process(Pid::from_child(child), signal);
}

/// Unfinished files in a folder and the one that is made in it.
fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let entries = [folder.to_owned(), folder.join("made")].into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with('.')).collect()
}

fn wait(child: &mut Child) {
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends the signal while an unfinished file is there; whether it came to that.
fn met_while_writing(child: &mut Child, folder: &Path, ending: Signal) -> bool {
    while child.try_wait().unwrap().is_none() {
        if unfinished(folder).is_empty() {
            continue;
        }
        signal(child, Signal::STOP);
        let is_met = !unfinished(folder).is_empty();
        if is_met {
            signal(child, ending);
        }
        signal(child, Signal::CONT);
        if is_met {
            wait(child);
            return true;
        }
    }
    false
}

fn an_interrupted_run_leaves_nothing_unfinished(words: &str) {
    let folder = tempfile::tempdir().unwrap();
    furnish(folder.path());
    let inputs = ["trace", "torn"].map(|name| (name, fs::read(folder.path().join(name)).unwrap()));
    for ending in SIGNALS {
        let mut met = 0;
        for _ in 0..MOST_RUNS {
            let mut command = program();
            command.args(words.replace('+', "--backend vulkan --adapter llvmpipe").split_whitespace());
            command.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            met += usize::from(met_while_writing(&mut child, folder.path(), ending));
            let left = unfinished(folder.path());
            assert!(left.is_empty(), "`{words}`, {ending:?}: {left:?}");
            for (name, bytes) in &inputs {
                // It may have been done already.
                fs::write(folder.path().join(name), bytes).unwrap();
            }
            if met == MET {
                break;
            }
        }
        assert!(met > 0, "`{words}`: no run was met while it wrote");
    }
}

/// `golden new` leaves a case or none at any moment, and no scratch files; a second signal ends it at once.
fn an_interrupted_golden_new_leaves_a_case_or_none() {
    let mut random = Random::new(3);
    let mut cases = 0;
    for round in 0..12 {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::copy(root().join("fixtures/aerogpu/frames.aerogputrace"), at("trace")).unwrap();
        for name in ["tmp", "made"] {
            fs::create_dir(at(name)).unwrap();
        }
        let mut command = program();
        command.args("golden new trace --into made --allow-blank --backend vulkan --adapter llvmpipe".split(' '));
        command.current_dir(folder.path()).env("TMPDIR", at("tmp"));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(u64::from(random.below(900))));
        signal(&child, SIGNALS[round % 3]);
        if round % 2 == 1 {
            std::thread::sleep(Duration::from_millis(u64::from(random.below(20))));
            signal(&child, SIGNALS[round % 3]);
        }
        wait(&mut child);
        let names = |folder: PathBuf| -> Vec<String> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
        };
        let left: Vec<String> = names(at("tmp")).into_iter().chain(names(at("made/trace"))).collect();
        let is_unfinished = |name: &String| name.starts_with('.') && name != ".golden.pending";
        let found: Vec<&String> = left.iter().filter(|name| is_unfinished(name)).collect();
        assert!(found.is_empty() && names(at("tmp")).is_empty(), "round {round}: {left:?}");
        assert!(
            left.is_empty() || left.iter().any(|name| name == "golden.toml" || name == ".golden.pending"),
            "{left:?}"
        );
        cases += usize::from(!left.is_empty());
    }
    assert!(cases < 12, "every run was done before its signal");
}

/// `serve` ends and its worker with it, in the middle of a picture.
fn an_interrupted_serve_leaves_no_picture() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("made")).unwrap();
    let trace = folder.path().join("trace");
    fs::copy(root().join("fixtures/aerogpu/triangle.aerogputrace"), &trace).unwrap();
    for (round, ending) in [Some(Signal::INT), Some(Signal::TERM), Some(Signal::HUP), None].into_iter().enumerate() {
        let mut client = Client::start(&["--backend", "vulkan", "--adapter", "llvmpipe"]);
        let opened = client.result("open", &json!({ "path": trace, "size": "1500x1500" }));
        let path = folder.path().join(format!("made/{round}.png"));
        client.send("image", &json!({ "trace": opened["trace"], "frame": 0, "path": path }));
        let deadline = Instant::now() + PATIENCE;
        while unfinished(folder.path()).is_empty() && !path.exists() && Instant::now() < deadline {}
        match ending {
            Some(ending) => signal(&client.child, ending),
            None => client.child.kill().unwrap(),
        }
        client.child.wait().unwrap();
        // The worker ends when it sees that nobody has its input any more.
        let deadline = Instant::now() + Duration::from_secs(5);
        while !unfinished(folder.path()).is_empty() {
            assert!(Instant::now() < deadline, "{:?}", unfinished(folder.path()));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

pub fn trials() -> Vec<Trial> {
    let cpu = WITHOUT_GPU.iter().map(|words| {
        Trial::test(*words, move || {
            an_interrupted_run_leaves_nothing_unfinished(words);
            Ok(())
        })
    });
    let gpu = WITH_GPU.iter().map(|words| {
        software::trial(*words, move |_| an_interrupted_run_leaves_nothing_unfinished(&format!("{words} +")))
    });
    let others = [
        software::trial("golden new", |_| an_interrupted_golden_new_leaves_a_case_or_none()),
        software::trial("serve", |_| an_interrupted_serve_leaves_no_picture()),
    ];
    cpu.chain(gpu).chain(others).collect()
}
