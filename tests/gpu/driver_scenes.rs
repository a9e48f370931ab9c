//! Scenes of the guest's own drivers, with pixels that their arithmetic gives: played in order and sought on both APIs, each frame
//! in a trace of its own, up to every draw, and with every shader replaced by its own assembly.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aerogpu_replay::analysis::StreamShaders;
use aerogpu_replay::bytes::Diagnostics;
use aerogpu_replay::command::{Place, Shown};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::pixels::Picture;
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{
    DEFAULT_SIZE, ShaderOptions, ShaderReplacements, TraceIndex, largest_viewport, write_trimmed,
};
use aerogpu_replay::shader::d3d::{decode, disassemble};

use crate::support::harness::Trial;
use crate::support::random::Random;
use crate::support::root;
use crate::support::software::{BACKENDS, Backend};

/// A pixel that a frame must have: its place, its colour, and how far each channel may be from it.
struct Probe {
    at: [u32; 2],
    rgba: [u8; 4],
    tolerance: u8,
}

pub fn trials() -> Vec<Trial> {
    let folder = root().join("fixtures/d3d/driver_scenes");
    let expected: BTreeMap<String, BTreeMap<u32, Vec<String>>> =
        serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
    assert!(expected.len() == 39, "{} scenes", expected.len());
    let mut trials = Vec::new();
    for (name, frames) in expected {
        let frames: BTreeMap<u32, Vec<Probe>> =
            frames.into_iter().map(|(frame, lines)| (frame, lines.iter().map(|line| probe(line)).collect())).collect();
        let (path, frames) = (folder.join(&name), Arc::new(frames));
        let short = name.trim_end_matches(".aerogputrace").to_owned();
        for backend in BACKENDS {
            let (path, frames): (PathBuf, _) = (path.clone(), frames.clone());
            let name = format!("{}::{short}/played and sought", backend.name());
            trials.push(backend.trial(name, move || is_played_and_sought(backend, &path, &frames)));
        }
        let mut add = |what: &str, run: fn(&Path, &BTreeMap<u32, Vec<Probe>>)| {
            let (path, frames): (PathBuf, _) = (path.clone(), frames.clone());
            trials.push(Backend::Vulkan.trial(format!("{short}/{what}"), move || run(&path, &frames)));
        };
        add("trimmed", is_trimmed);
        add("at every draw", is_the_same_at_every_draw);
        add("replaced by assembly", is_replaced_by_assembly);
    }
    trials
}

/// A line `x y RRGGBBAA tolerance`.
fn probe(line: &str) -> Probe {
    let parts: Vec<&str> = line.split_whitespace().collect();
    let rgba = u32::from_str_radix(parts[2], 16).unwrap().to_be_bytes();
    Probe { at: [parts[0].parse().unwrap(), parts[1].parse().unwrap()], rgba, tolerance: parts[3].parse().unwrap() }
}

fn open(path: &Path) -> Arc<Trace> {
    Arc::new(Trace::open(path).unwrap())
}

fn player(trace: &Arc<Trace>) -> Player {
    player_on(Backend::Vulkan, trace)
}

fn player_on(backend: Backend, trace: &Arc<Trace>) -> Player {
    let size = largest_viewport(trace).unwrap_or(DEFAULT_SIZE);
    Player::new(trace.clone(), backend.open_fresh(), size).unwrap()
}

fn holds(frame: u32, picture: &Picture, probes: &[Probe]) {
    let (size, texels) = (picture.size(), picture.rgba().as_chunks::<4>().0);
    for Probe { at: [x, y], rgba, tolerance } in probes {
        let found = texels[(y * size.width_px + x) as usize];
        let is_near = found.iter().zip(rgba).all(|(found, expected)| found.abs_diff(*expected) <= *tolerance);
        assert!(is_near, "frame {frame}, pixel {x}, {y}: {found:?}, expected {rgba:?} within {tolerance}");
    }
}

fn is_played_and_sought(backend: Backend, path: &Path, frames: &BTreeMap<u32, Vec<Probe>>) {
    let mut player = player_on(backend, &open(path));
    let mut random = Random::new(frames.len() as u64);
    let all: Vec<u32> = frames.keys().copied().collect();
    let anywhere = (0..all.len()).map(|_| all[random.below(all.len() as u32) as usize]).collect::<Vec<_>>();
    for frame in all.iter().chain(all.iter().rev()).chain(&anywhere) {
        holds(*frame, &player.render(FrameIndex(*frame)).unwrap(), &frames[frame]);
    }
}

fn is_trimmed(path: &Path, frames: &BTreeMap<u32, Vec<Probe>>) {
    let trace = open(path);
    let index = TraceIndex::build(&trace, |_| ());
    for (frame, probes) in some(frames) {
        let bytes = write_trimmed(&trace, &index, &[FrameIndex(*frame)], Shown::default(), Vec::new()).unwrap().sink;
        let source = Arc::new(aerogpu_replay::bytes::MemorySource::from(bytes));
        let trimmed = Arc::new(Trace::from_source(source, &mut Diagnostics::new()).unwrap());
        let size = largest_viewport(&trace).unwrap_or(DEFAULT_SIZE);
        let mut player = Player::new(trimmed, Backend::Vulkan.open_fresh(), size).unwrap();
        holds(*frame, &player.render(FrameIndex(0)).unwrap(), probes);
    }
}

/// Each frame of short scenes, some of the long one.
fn some(frames: &BTreeMap<u32, Vec<Probe>>) -> impl Iterator<Item = (&u32, &Vec<Probe>)> {
    frames.iter().step_by(1 + frames.len() / 8)
}

/// The target up to each draw, from the first on, and sought from the last back.
fn is_the_same_at_every_draw(path: &Path, frames: &BTreeMap<u32, Vec<Probe>>) {
    let trace = open(path);
    let index = TraceIndex::build(&trace, |_| ());
    let [mut forward, mut backward] = [player(&trace), player(&trace)];
    let mut asked = 0;
    for (frame, _) in some(frames) {
        let draws = index.draws_of(FrameIndex(*frame)).count() as u32;
        let hash = |player: &mut Player, draw| {
            let picture = player.render(Place::at_draw(FrameIndex(*frame), draw));
            picture.unwrap_or_else(|error| panic!("frame {frame}, draw {draw}: {error}")).hash()
        };
        let ordered: Vec<_> = (0..draws).map(|draw| hash(&mut forward, draw)).collect();
        let mut sought: Vec<_> = (0..draws).rev().map(|draw| hash(&mut backward, draw)).collect();
        sought.reverse();
        assert_eq!(ordered, sought, "frame {frame}");
        asked += draws;
    }
    assert!(asked > 0);
}

/// Every shader's own assembly in its place gives the same pictures, byte by byte.
fn is_replaced_by_assembly(path: &Path, frames: &BTreeMap<u32, Vec<Probe>>) {
    let trace = open(path);
    let mut replacements = ShaderReplacements::new();
    let mut streams = StreamShaders::new(&trace);
    let mut records = trace.records(trace.stream());
    while let Some(record) = records.next_record(&mut Diagnostics::new()).unwrap() {
        let visited = streams.visit(&record, |shader| {
            let shader = shader.unwrap();
            let program = decode(shader.code, shader.code_offset).unwrap();
            replacements.insert(shader.code_offset, disassemble(&program).into_bytes());
            Ok::<_, std::convert::Infallible>(())
        });
        visited.unwrap();
    }
    assert!(!replacements.is_empty());
    let (mut own, mut replaced) = (player(&trace), player(&trace));
    replaced.set_shader_options(ShaderOptions { replacements: Arc::new(replacements), ..Default::default() });
    for frame in frames.keys() {
        let [own, replaced] = [&mut own, &mut replaced].map(|player| player.render(FrameIndex(*frame)).unwrap().hash());
        assert_eq!(own, replaced, "frame {frame}");
    }
}
