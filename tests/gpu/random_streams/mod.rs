//! Random submissions of two contexts in both worlds of Direct3D, judged pixel for pixel by a model on the CPU: played, and
//! sought in random order by the same player.
//!
//! `RANDOM_STREAMS=5000 cargo test --test gpu random_streams` draws more than usual; `RANDOM_STREAM=17` draws one trace
//! alone and tells what is in it.

mod buffers;
mod generate;
mod generate_resources;
mod model;
mod texture;

use std::sync::Arc;

use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::Player;

use crate::gpu::kept::opened;
use crate::gpu::made_programs::setting;
use crate::support::a3a0::encode;
use crate::support::harness::Trial;
use crate::support::random::Random;
use crate::support::software::BACKENDS;
use generate::{Generated, Shown, generate};
use model::BACK_BUFFER;

/// Traces of a usual run on each backend.
const TRACES: u64 = 60;
/// Frames of each that are sought.
const SEEKS: usize = 12;

pub fn trials() -> Vec<Trial> {
    let trial = |backend: crate::support::software::Backend| {
        backend.trial(format!("{}::have_the_pictures_of_the_model", backend.name()), move || {
            let gpu = backend.open_fresh();
            let seeds = match (setting("RANDOM_STREAM"), setting("RANDOM_STREAMS")) {
                (Some(seed), _) => seed..seed + 1,
                (None, count) => 0..count.unwrap_or(TRACES),
            };
            let wrong: Vec<String> = seeds.clone().filter_map(|seed| check(&gpu, seed).err()).collect();
            assert!(wrong.is_empty(), "{} of {} traces:\n{}", wrong.len(), seeds.count(), wrong.join("\n"));
        })
    };
    BACKENDS.map(trial).into()
}

/// The file of a random trace.
pub fn generated_file(seed: u64) -> Vec<u8> {
    encode(&generate(seed).scene)
}

fn check(gpu: &Arc<Gpu>, seed: u64) -> Result<(), String> {
    let Generated { scene, frames } = generate(seed);
    let file = encode(&scene);
    if setting("RANDOM_STREAM").is_some() {
        std::fs::write(std::env::temp_dir().join("random_stream.aerogputrace"), &file).unwrap();
        for (number, frame) in scene.frames.iter().enumerate() {
            eprintln!("frame {number}");
            for submission in &frame.submissions {
                eprintln!(" context {}", submission.context);
                submission.commands.iter().for_each(|command| eprintln!("  {command:?}"));
            }
        }
    }
    let trace = opened(file).unwrap();
    let [width_px, height_px] = BACK_BUFFER;
    let mut player = Player::new(Arc::new(trace), gpu.clone(), Size { width_px, height_px }).unwrap();
    let mut random = Random::new(seed);
    let sought = (0..SEEKS).map(|_| random.below(frames.len() as u32) as usize);
    for (step, number) in (0..frames.len()).chain(sought).enumerate() {
        let told = |text: String| {
            let how = if step < frames.len() { "played" } else { "sought" };
            Err(format!("seed {seed}, frame {number} of {}, {how}: {text}", frames.len()))
        };
        match player.render(FrameIndex(number as u32)) {
            Ok(picture) => match difference(&frames[number], &picture) {
                Some(text) => return told(text),
                None => continue,
            },
            Err(error) => return told(error.to_string()),
        }
    }
    Ok(())
}

fn difference((size, expected): &Shown, picture: &Picture) -> Option<String> {
    let [width_px, height_px] = *size;
    if picture.size() != (Size { width_px, height_px }) {
        return Some(format!("{} instead of {width_px}x{height_px}", picture.size()));
    }
    let texels = picture.rgba().as_chunks::<4>().0;
    let wrong: Vec<usize> = (0..texels.len()).filter(|at| texels[*at] != expected[*at]).collect();
    let first = *wrong.first()?;
    let (x, y) = (first as u32 % width_px, first as u32 / width_px);
    let (found, expected) = (texels[first], expected[first]);
    Some(format!("{} pixels of {}; at ({x}, {y}) {found:?} instead of {expected:?}", wrong.len(), texels.len()))
}
