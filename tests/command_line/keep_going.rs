//! `--keep-going`: pictures of a trace in which something is wrong, from behind it.

use std::fs;
use std::path::Path;

use crate::support;
use aerogpu_replay::abi::reference::Packet;
use support::harness::{Trial, trials_of};
use support::program::{Run, run};
use support::scene::{BLUE, FRAGMENT_WGSL, GREEN, RED, Scene, VERTEX_WGSL, rectangle, vertices};

pub fn trials() -> Vec<Trial> {
    trials_of![
        frames_go_on_behind_what_is_wrong,
        any_frame_alone_is_as_in_all_of_them,
        without_it_the_first_error_ends_it,
        without_out_and_hash_it_opens_the_window,
        many_errors_of_a_kind_are_counted,
    ]
}

const WHITE: [f32; 4] = [1.0; 4];

/// Faults in the frames of [`scene`].
#[derive(Clone, Copy, PartialEq)]
enum Faults {
    Planted,
    /// Frames without the commands that the faults leave out.
    LeftOut,
}

const DAMAGED: Packet = Packet::SetPipeline { pipeline_id: 0xdead_beef };

/// | frame | what is wrong | what its picture shows |
/// |---|---|---|
/// | 0 | nothing | red |
/// | 1 | an unknown buffer is bound: that packet alone | blue, which is behind it |
/// | 2 | nothing: it draws over half of what was there | |
/// | 3 | a draw past its buffer's end, and a shader that does not compile: those draws alone | what is drawn between and behind them |
/// | 4 | a packet of a wrong length: its record ends there | white, which is behind it |
/// | 5 | nothing | |
fn scene(faults: Faults) -> Vec<u8> {
    let is_planted = faults == Faults::Planted;
    let quarter = |left: f32, color| vertices(&rectangle(left, -1.0, left + 0.5, 1.0), color);
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &[quarter(-1.0, BLUE), quarter(-0.5, WHITE), quarter(0.0, GREEN)].concat()).bind(1);
    scene.packet(Packet::SetPipeline { pipeline_id: 1 });
    scene.shaders(11, 12, VERTEX_WGSL, "@fragment fn broken(").pipeline(11, 11, 12).clear(RED).end();
    scene.begin().clear(GREEN);
    if is_planted {
        scene.bind(77);
    }
    scene.clear(BLUE);
    scene.end().begin().draw(0, 6).end().begin();
    if is_planted {
        scene.draw(6, 1_000_000).packet(Packet::SetPipeline { pipeline_id: 11 }).draw(0, 18);
    }
    scene.packet(Packet::SetPipeline { pipeline_id: 1 }).draw(6, 6);
    scene.end().begin().clear(BLUE);
    if is_planted {
        scene.packet(DAMAGED);
    }
    scene.clear(WHITE).end().begin().draw(12, 6);
    let mut bytes = scene.end_and_finish();
    if is_planted {
        let mut packet = Vec::new();
        DAMAGED.write(&mut packet);
        let at = bytes.windows(packet.len()).position(|window| window == packet).unwrap();
        // No packet is shorter than its own header.
        bytes[at + 4..at + 8].copy_from_slice(&4u32.to_le_bytes());
    }
    bytes
}

/// A trace of six frames with three faults, of which the first is in frame 1.
pub fn faulty_trace() -> Vec<u8> {
    scene(Faults::Planted)
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    fs::write(folder.join(name), bytes).unwrap();
    name.to_owned()
}

fn hashes(folder: &Path, arguments: &[&str]) -> Run {
    run(&[arguments, &["--hash", "--backend", "vulkan", "--adapter", "llvmpipe"]].concat(), folder)
}

const ERRORS: [&str; 4] =
    ["buffer 77 does not exist", "reads 24000144 bytes of buffer 1, which has 432", "broken", "frame 4: "];

fn frames_go_on_behind_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let faulty = write(folder.path(), "faulty.bin", &scene(Faults::Planted));
    let sound = write(folder.path(), "sound.bin", &scene(Faults::LeftOut));
    let done = hashes(folder.path(), &[&faulty, "--frames", "all", "--keep-going"]);
    let expected = hashes(folder.path(), &[&sound, "--frames", "all"]);
    assert_eq!(expected.code, 0, "{expected:?}");
    assert_eq!((done.code, &done.stdout), (8, &expected.stdout), "{done:?}");
    let errors: Vec<&str> = done.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), ERRORS.len(), "{done:?}");
    for (error, says) in errors.iter().zip(ERRORS) {
        assert!(error.starts_with("error: faulty.bin: ") && done.stderr.contains(says), "{error}: {says}");
    }
    // Of a sound trace it changes nothing, and whoever wants no warnings wants no errors either.
    let sound = hashes(folder.path(), &[&sound, "--frames", "all", "--keep-going"]);
    assert_eq!((sound.code, &sound.stdout), (0, &expected.stdout));
    let strict = hashes(folder.path(), &[&faulty, "--frames", "all", "--keep-going", "--strict"]);
    assert_eq!((strict.code, &strict.stdout), (3, &expected.stdout), "{strict:?}");
    let json = hashes(folder.path(), &[&faulty, "--frames", "all", "--keep-going", "--json"]);
    let lines = json.stderr.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let codes: Vec<_> = lines.map(|line| (line["type"].clone(), line["exit_code"].clone())).collect();
    assert_eq!(codes, [6, 6, 6, 3].map(|code| ("error".into(), code.into())), "{json:?}");
}

fn any_frame_alone_is_as_in_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let faulty = write(folder.path(), "faulty.bin", &scene(Faults::Planted));
    let all = hashes(folder.path(), &[&faulty, "--frames", "all", "--keep-going"]);
    for frame in ["5", "3", "1", "4", "2"] {
        let alone = hashes(folder.path(), &[&faulty, "--frames", frame, "--keep-going"]);
        let line = alone.stdout.lines().next().unwrap_or_else(|| panic!("{frame}: {alone:?}"));
        assert!(all.stdout.lines().any(|other| other == line), "{line} is not among\n{}", all.stdout);
        assert_eq!(alone.code, 8, "{alone:?}");
    }
    // Before anything is wrong, nothing is.
    assert_eq!(hashes(folder.path(), &[&faulty, "--frame", "0", "--keep-going"]).code, 0);
    // Frame 0 is sought, and the others are played from the start.
    let some = hashes(folder.path(), &[&faulty, "--frames", "0,2-5", "--keep-going"]);
    assert_eq!(some.stdout.lines().count(), 5, "{some:?}");
    assert!(some.stdout.lines().all(|line| all.stdout.contains(line)), "{some:?}");
    assert_eq!(some.stderr.matches("error: faulty.bin: ").count(), ERRORS.len(), "each is told once: {some:?}");
}

fn without_it_the_first_error_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let faulty = write(folder.path(), "faulty.bin", &scene(Faults::Planted));
    let done = hashes(folder.path(), &[&faulty, "--frames", "all"]);
    assert_eq!((done.code, done.stdout.lines().count()), (6, 1), "{done:?}");
    assert!(done.stderr.contains(ERRORS[0]), "{done:?}");
}

/// The window goes on behind faults in any case.
fn without_out_and_hash_it_opens_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let sound = write(folder.path(), "sound.bin", &scene(Faults::LeftOut));
    run(&[&sound, "--keep-going"], folder.path()).expect(5, "", "cannot open a window");
}

fn many_errors_of_a_kind_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::with_pipeline();
    scene.buffer(1, &vertices(&rectangle(-1.0, -1.0, 1.0, 1.0), RED)).bind(1);
    scene.shaders(3, 4, VERTEX_WGSL, FRAGMENT_WGSL).packet(Packet::SetPipeline { pipeline_id: 1 });
    for _ in 0..1500 {
        scene.draw(1, 6);
    }
    let many = write(folder.path(), "many.bin", &scene.end_and_finish());
    let done = hashes(folder.path(), &[&many, "--frames", "all", "--keep-going"]);
    assert_eq!((done.code, done.stdout.lines().count()), (8, 1), "{done:?}");
    assert_eq!(done.stderr.lines().filter(|line| line.starts_with("error: ")).count(), 1);
    assert!(done.stderr.contains("1500 draws: reads 168 bytes of buffer 1, which has 144, first at "), "{done:?}");
}
