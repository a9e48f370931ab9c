//! A trace for each part of drawing submissions, with pictures that are computed here by the written rule: nothing is
//! blessed but the traces themselves, which lie in `fixtures/aerogpu/computed`.

mod bindings;
mod copies;
mod counters;
mod direct3d9;
mod direct3d9_arithmetic;
mod direct3d9_contract;
mod direct3d9_matrices;
mod direct3d9_points;
mod direct3d9_rules;
mod direct3d9_sampling;
mod flat_values;
mod formats;
mod pipelines;
mod programs;
mod system_values;
mod targets;
mod written_by_draws;

use std::fs;
use std::sync::Arc;

use aerogpu_replay::command::Shown;
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{TraceIndex, write_trimmed};

use crate::gpu::kept::opened;
use crate::support::harness::Trial;
use crate::support::random::Random;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::recording;
use crate::support::{fixture, is_blessing};

/// A frame: what it is about, its stream and its picture.
struct Frame {
    about: String,
    stream: Vec<u8>,
    size: [u32; 2],
    rgba: Vec<[u8; 4]>,
    /// Most that each channel may differ from the computed value.
    tolerance: u8,
}

/// A fixture's name and its frames.
type Scene = (&'static str, fn() -> Vec<Frame>);

const SCENES: [Scene; 16] = [
    ("formats", formats::frames),
    ("targets", targets::frames),
    ("bindings", bindings::frames),
    ("pipelines", pipelines::frames),
    ("copies", copies::frames),
    ("programs", programs::frames),
    ("counters", counters::frames),
    ("system_values", system_values::frames),
    ("direct3d9", direct3d9::frames),
    ("direct3d9_rules", direct3d9_rules::frames),
    ("direct3d9_contract", direct3d9_contract::frames),
    ("direct3d9_points", direct3d9_points::frames),
    ("direct3d9_sampling", direct3d9_sampling::frames),
    ("direct3d9_matrices", direct3d9_matrices::frames),
    ("direct3d9_arithmetic", direct3d9_arithmetic::frames),
    ("flat_values", flat_values::frames),
];

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, frames) in SCENES {
        let run = move || {
            is_on_disk(name, &frames());
            Ok(())
        };
        trials.push(Trial::test(format!("{name} is on disk as it is made"), run));
        trials.extend(BACKENDS.map(|backend| {
            let trial = format!("{}::{name}", backend.name());
            backend.trial(trial, move || has_its_pictures(backend, &frames()))
        }));
        trials.extend(BACKENDS.map(|backend| {
            let trial = format!("{}::{name}, each frame in a trace of its own", backend.name());
            backend.trial(trial, move || has_its_pictures_when_trimmed(backend, &frames()))
        }));
    }
    trials
}

fn file(frames: &[Frame]) -> Vec<u8> {
    recording(frames.iter().map(|frame| &frame.stream[..]))
}

fn is_on_disk(name: &str, frames: &[Frame]) {
    let (made, path) = (file(frames), fixture(&format!("computed/{name}")));
    if is_blessing() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &made).unwrap();
    }
    assert!(fs::read(&path).unwrap() == made, "{name} is stale; BLESS=1 cargo test --test gpu computed writes it");
}

const SIZE: Size = Size { width_px: 16, height_px: 16 };

fn open(file: Vec<u8>) -> Arc<Trace> {
    Arc::new(opened(file).unwrap())
}

/// Trimmed to a frame, a trace shows that frame as it was.
fn has_its_pictures_when_trimmed(backend: Backend, frames: &[Frame]) {
    let trace = open(file(frames));
    let (index, gpu) = (TraceIndex::build(&trace, |_| ()), backend.open_fresh());
    for (number, frame) in frames.iter().enumerate() {
        let kept = [FrameIndex(number as u32)];
        let trimmed = open(write_trimmed(&trace, &index, &kept, Shown::default(), Vec::new()).unwrap().sink);
        let picture = Player::new(trimmed, gpu.clone(), SIZE).unwrap().render(FrameIndex(0)).unwrap();
        let found = difference(frame, &picture);
        assert!(found.is_none(), "frame {number}, {}: {found:?}", frame.about);
    }
}

/// Played, then sought from the last frame back, and then at random.
fn has_its_pictures(backend: Backend, frames: &[Frame]) {
    let mut player = Player::new(open(file(frames)), backend.open_fresh(), SIZE).unwrap();
    let mut random = Random::new(frames.len() as u64);
    let anywhere = (0..2 * frames.len()).map(|_| random.below(frames.len() as u32) as usize);
    let order = (0..frames.len()).chain((0..frames.len()).rev()).chain(anywhere);
    let mut wrong = Vec::new();
    for number in order {
        let frame = &frames[number];
        match player.render(FrameIndex(number as u32)) {
            Ok(picture) => wrong.extend(difference(frame, &picture).map(|text| (number, text))),
            Err(error) => wrong.push((number, error.to_string())),
        }
    }
    let texts: Vec<_> =
        wrong.iter().map(|(number, text)| format!("frame {number}, {}: {text}", frames[*number].about)).collect();
    assert!(texts.is_empty(), "\n{}", texts.join("\n"));
}

/// Where a picture is not what it has to be.
fn difference(frame: &Frame, picture: &Picture) -> Option<String> {
    let [width_px, height_px] = frame.size;
    assert_eq!(frame.rgba.len() as u32, width_px * height_px, "{}", frame.about);
    if picture.size() != (Size { width_px, height_px }) {
        return Some(format!("the picture has {}", picture.size()));
    }
    let texels = picture.rgba().as_chunks::<4>().0;
    let is_near = |(found, expected): (&[u8; 4], &[u8; 4])| {
        found.iter().zip(expected).all(|(found, expected)| found.abs_diff(*expected) <= frame.tolerance)
    };
    let wrong: Vec<_> = (0..texels.len()).filter(|number| !is_near((&texels[*number], &frame.rgba[*number]))).collect();
    let first = *wrong.first()?;
    let (x, y) = (first as u32 % width_px, first as u32 / width_px);
    let (found, expected) = (texels[first], frame.rgba[first]);
    Some(format!("{} pixels of {}; at ({x}, {y}) {found:?} instead of {expected:?}", wrong.len(), texels.len()))
}

/// A channel as it is stored.
fn unorm(value: f64) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}
