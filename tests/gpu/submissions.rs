//! Submissions: public traces and scenes of others, whose every picture is known.
//!
//! A few stand in `fixtures/aerogpu/{public,scenes}`; the others lie beside the checkout and are ignored where they are
//! missing. Each scene is played from its start, then gone through at random by one player: a picture does not depend on
//! the way to it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::abi::a3a0::work::{Clear, DrawIndexed, Present};
use aerogpu_replay::abi::a3a0::{ABI_VERSION, Packet, StreamWriter};
use aerogpu_replay::command::{Place, Point};
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::{FrameIndex, NewSubmission, Trace, TraceWriter};
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::PictureHash;
use aerogpu_replay::player::{FaultPolicy, Player};
use aerogpu_replay::replay::{DEFAULT_SIZE, largest_viewport};
use serde_json::Value;

use crate::gpu::kept::opened;
use crate::support::harness::Trial;
use crate::support::random::Random;
use crate::support::root;
use crate::support::software::{BACKENDS, Backend};

/// Places that are gone to in each scene.
const SEEKS: u32 = 24;
/// Frames of a long scene that are played before it is gone through.
const PLAYED_FRAMES: usize = 60;

pub fn trials() -> Vec<Trial> {
    let shared = root().join("../shared/data/a3a0");
    let mut trials = Vec::new();
    for backend in BACKENDS {
        trials.extend(public_trials(backend));
        trials.extend(scene_trials(backend, "scenes", &root().join("fixtures/aerogpu/scenes")));
        for folder in ["1-emulator-dialect", "2-real-dxbc", "3-with-d3d9", "4-views", "5-long"] {
            trials.extend(scene_trials(backend, folder, &shared.join("scenes").join(folder)));
        }
        let scene = root().join("fixtures/aerogpu/scenes/seed-102.expect");
        let name = format!("{}::draws_are_sought_as_they_are_played", backend.name());
        trials.push(backend.trial(name, move || seek_draws(backend, &scene)));
        let scene = root().join("fixtures/aerogpu/scenes/seed-212.expect");
        let name = format!("{}::copies_have_what_was_drawn_before", backend.name());
        trials.push(backend.trial(name, move || copies_have_what_was_drawn_before(backend, &scene)));
        let name = format!("{}::a_seek_past_a_bad_submission_ends_as_playing_does", backend.name());
        trials.push(backend.trial(name, move || seek_past_fault(backend)));
        trials.extend(damaged_trials(backend, &shared.join("bad")));
    }
    trials
}

fn read_json(path: &Path) -> Value {
    fs::read(path).map_or(Value::Null, |bytes| serde_json::from_slice(&bytes).unwrap())
}

fn open(path: &Path) -> Arc<Trace> {
    Arc::new(Trace::open(path).unwrap())
}

fn player(gpu: &Arc<Gpu>, trace: &Arc<Trace>) -> Player {
    Player::new(trace.clone(), gpu.clone(), largest_viewport(trace).unwrap_or(DEFAULT_SIZE)).unwrap()
}

fn hash(player: &mut Player, frame: u32) -> PictureHash {
    player.render(FrameIndex(frame)).unwrap().hash()
}

fn public_trials(backend: Backend) -> impl Iterator<Item = Trial> {
    let folder = root().join("fixtures/aerogpu/public");
    let expected = read_json(&folder.join("expected.json"));
    let expected: Vec<(String, String)> = expected
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, hash)| (name.clone(), hash.as_str().unwrap().into()))
        .collect();
    assert_eq!(expected.len(), 15);
    expected.into_iter().map(move |(name, expected)| {
        let path = folder.join(&name);
        backend.trial(format!("{}::public::{name}", backend.name()), move || {
            let (gpu, trace) = (backend.open_fresh(), open(&path));
            assert_eq!(hash(&mut player(&gpu, &trace), 0).to_string(), expected);
        })
    })
}

fn scene_trials(backend: Backend, of: &str, folder: &Path) -> Vec<Trial> {
    let files = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut scenes: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "expect")).collect();
    scenes.sort();
    let name = format!("{}::{of}", backend.name());
    if scenes.is_empty() {
        return vec![Trial::test(name, || Err("the scenes are missing".into())).with_ignored_flag(true)];
    }
    let trial = |path: &PathBuf| {
        let (path, name) = (path.clone(), format!("{name}::{}", path.file_stem().unwrap().display()));
        backend.trial(name, move || play_and_seek(backend, &path))
    };
    scenes.iter().map(trial).collect()
}

/// Of each frame.
fn expected_hashes(expect: &Path) -> Vec<String> {
    let text = fs::read_to_string(expect).unwrap();
    text.lines().map(|line| line.split(' ').nth(2).unwrap().into()).collect()
}

fn play_and_seek(backend: Backend, expect: &Path) {
    let expected = expected_hashes(expect);
    let (gpu, trace) = (backend.open_fresh(), open(&expect.with_extension("aerogputrace")));
    assert_eq!(trace.frames().len(), expected.len());
    let mut playing = player(&gpu, &trace);
    for (frame, expected) in expected.iter().enumerate().take(PLAYED_FRAMES) {
        assert_eq!(hash(&mut playing, frame as u32).to_string(), *expected, "frame {frame}, played");
    }
    let mut random = Random::new(expected.len() as u64);
    for _ in 0..SEEKS {
        let frame = random.below(expected.len() as u32);
        assert_eq!(hash(&mut playing, frame).to_string(), expected[frame as usize], "frame {frame}, sought");
    }
}

/// A frame with a copy from a target behind a pass on another one, gone back to again and again. A driver that copies before
/// the draws are done gets it wrong once with about every eighth device.
fn copies_have_what_was_drawn_before(backend: Backend, expect: &Path) {
    let trace = open(&expect.with_extension("aerogputrace"));
    let expected = expected_hashes(expect);
    for _ in 0..8 {
        let mut player = player(&backend.open_fresh(), &trace);
        for frame in (0..expected.len() as u32).chain([6, 4].repeat(6)) {
            assert_eq!(hash(&mut player, frame).to_string(), expected[frame as usize], "frame {frame}");
        }
    }
}

/// Going to draws shows what playing shows behind them, whatever is bound to be drawn to then.
fn seek_draws(backend: Backend, expect: &Path) {
    let (gpu, trace) = (backend.open_fresh(), open(&expect.with_extension("aerogputrace")));
    let (mut playing, mut seeking) = (player(&gpu, &trace), player(&gpu, &trace));
    let index = seeking.index();
    for frame in (0..index.frame_count() as u32).map(FrameIndex) {
        let draws: BTreeSet<u32> = (0..index.draws_of(frame).count() as u32).collect();
        let played = playing.play_with_draws(frame, &draws).unwrap();
        for (draw, played) in draws.iter().zip(&played).rev() {
            let place = Place { frame, point: Point::Draw(*draw) };
            assert_eq!(seeking.render(place).unwrap().hash(), *played, "frame {frame}, draw {draw}");
        }
    }
}

/// A trace of frames that clear to red and present, the first of which draws by indices that are not there.
fn trace_with_fault() -> Arc<Trace> {
    let mut writer = TraceWriter::new_v2(Vec::new(), ABI_VERSION, "{}").unwrap();
    for frame in 0..3 {
        let mut stream = StreamWriter::new(ABI_VERSION);
        let mut put = |packet: Packet<'_>| stream.packet(&packet).unwrap();
        put(Clear { flags: 1, r: 1.0, g: 0.0, b: 0.0, a: 1.0, depth: 1.0, stencil: 0 }.into());
        if frame == 0 {
            let (index_count, instance_count) = (3, 1);
            put(DrawIndexed { index_count, instance_count, first_index: 0, base_vertex: 0, first_instance: 0 }.into());
        }
        put(Present { scanout_id: 0, flags: 0 }.into());
        writer.begin_frame().unwrap();
        let cmd_stream = &stream.finish();
        writer.submit(&NewSubmission { submit_flags: 1, cmd_stream, ..Default::default() }).unwrap();
        writer.present().unwrap();
    }
    Arc::new(opened(writer.finish().unwrap()).unwrap())
}

fn seek_past_fault(backend: Backend) {
    let (gpu, trace) = (backend.open_fresh(), trace_with_fault());
    let played = player(&gpu, &trace).render(FrameIndex(0)).unwrap_err();
    let sought = player(&gpu, &trace).render(FrameIndex(2)).unwrap_err();
    assert_eq!((sought.to_string(), sought.kind()), (played.to_string(), played.kind()));
    assert!(played.to_string().contains("DRAW_INDEXED at 0x"), "{played}");
    let mut going_on = player(&gpu, &trace);
    going_on.set_fault_policy(FaultPolicy::KeepGoing);
    let picture = going_on.render(FrameIndex(2)).unwrap();
    assert!(picture.rgba().as_chunks::<4>().0.iter().all(|pixel| *pixel == [255, 0, 0, 255]));
}

/// Trials of damaged traces, each of which shows its picture or nothing.
fn damaged_trials(backend: Backend, folder: &Path) -> Vec<Trial> {
    let manifest = read_json(&folder.join("manifest.json"));
    let name = format!("{}::damaged", backend.name());
    let Some(files) = manifest["files"].as_array() else {
        return vec![Trial::test(name, || Err("the damaged traces are missing".into())).with_ignored_flag(true)];
    };
    let (folder, files) = (folder.to_owned(), files.clone());
    vec![backend.trial(name, move || {
        let gpu = backend.open_fresh();
        let (mut shown, mut refused) = (0, 0);
        for file in &files {
            let path = folder.join(file["file"].as_str().unwrap());
            let drawn = Trace::open(&path).map_err(|error| error.kind()).and_then(|trace| {
                let picture = player(&gpu, &Arc::new(trace)).render(FrameIndex(0));
                picture.map(|picture| picture.hash().to_string()).map_err(|error| error.kind())
            });
            match file["replay"].as_str().unwrap() {
                "plays" => {
                    shown += 1;
                    assert_eq!(drawn.as_deref(), Ok(file["frame_sha256"].as_str().unwrap()), "{}", path.display());
                }
                "refuses" => {
                    refused += 1;
                    let kind = drawn.expect_err(&path.display().to_string());
                    assert_ne!(kind, ErrorKind::Internal, "{}", path.display());
                }
                _ => assert_ne!(drawn, Err(ErrorKind::Internal), "{}", path.display()),
            }
        }
        assert!(shown > 30 && refused > 50, "{shown} shown, {refused} refused");
    })]
}
