//! Mismatched pairs: a draw whose parts do not fit together (another kind, type, count, size, stride or order than the shader
//! declares, or nothing at all), between two draws that are sound.
//!
//! The oracle is that the sound draws are right, whatever becomes of the other: it is drawn, or refused by name (exit code 4
//! or 10), or an error of the contract (6) in a sentence of ours, never in the graphics library's. A noop device with the
//! record of the Vulkan device decides alike, and the frame has the same pictures played, sought and trimmed.
//!
//! `MISMATCHES=20000 cargo test --test gpu mismatched` draws more than usual; `MISMATCH=17` draws one and tells what it is.

mod parts;
pub mod shaders;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aerogpu_replay::command::{ResourceName, Shown};
use aerogpu_replay::error::{Classified, ErrorKind};
use aerogpu_replay::format::aerogpu::FrameIndex;
use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Picture, Size};
use aerogpu_replay::player::{FaultPolicy, Player, PlayerError};

use crate::gpu::kept::opened;
use crate::gpu::made_programs::setting;
use crate::support::harness::{Failed, Trial};
use crate::support::random::Random;
use crate::support::software::{BACKENDS, Backend};
use crate::support::streams::*;

/// Traces of a usual run on Vulkan; on OpenGL, where compiling takes longer, a fifth of them.
const TRACES: u64 = 500;
const SIDE: u32 = 16;
/// The target that is presented, and the one that mismatched draws draw to.
const SCREEN: u32 = 10;
const OTHER: u32 = 11;
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];

pub fn trials() -> Vec<Trial> {
    let trial = |backend: Backend| {
        let name = format!("{}::leave_the_other_draws_right", backend.name());
        backend.fallible_trial(name, move || {
            let gpu = backend.open_fresh();
            let record = *gpu.record();
            let noop = Arc::new(Gpu::open_noop_as(&record, Duration::from_secs(60)).unwrap());
            let usual = if backend == Backend::Gl { TRACES / 5 } else { TRACES };
            let seeds = match (setting("MISMATCH"), setting("MISMATCHES")) {
                (Some(seed), _) => seed..seed + 1,
                (None, count) => 0..count.unwrap_or(usual),
            };
            let (mut wrong, mut ends) = (Vec::new(), BTreeMap::new());
            for seed in seeds.clone() {
                match check([&gpu, &noop], seed) {
                    Ok(end) => *ends.entry(end).or_insert(0_u32) += 1,
                    Err(text) => wrong.push(text),
                }
            }
            println!("{ends:?}");
            // Both ends are common, so that neither is all that is looked at.
            let drawn = ends.get("drawn").copied().unwrap_or(0);
            if setting("MISMATCH").is_none() && (drawn < 50 || ends.len() < 2) {
                return Err(Failed::from(format!("only {ends:?}")));
            }
            match wrong.is_empty() {
                true => Ok(()),
                false => Err(Failed::from(format!(
                    "{} of {}:\n{}",
                    wrong.len(),
                    seeds.count(),
                    wrong[..wrong.len().min(12)].join("\n")
                ))),
            }
        })
    };
    BACKENDS.map(trial).into()
}

/// The trace of a seed, and what is mismatched in it.
fn generate(seed: u64) -> (Vec<u8>, Vec<String>) {
    let mut random = Random::new(seed);
    let mut first = Stream::new();
    sound_state(&mut first);
    first.clear(7, [0.0, 0.0, 0.0, 1.0], 1.0).draw(0, 6);
    let mut told = Vec::new();
    parts::mismatched(&mut first, &mut random, &mut told);
    let mut second = Stream::new();
    rebind(&mut second);
    second.draw(6, 6).present();
    let submissions = [(0, first.finish()), (0, second.finish())];
    let submissions = submissions.iter().map(|(context, stream)| (*context, &stream[..])).collect();
    (recording_of_contexts([submissions]), told)
}

fn sound_state(stream: &mut Stream) {
    for target in [SCREEN, OTHER] {
        stream.texture(target, R8G8B8A8, [SIDE, SIDE], [1, 1]);
    }
    stream.container(1, VERTEX, &shaders::vertex(&[]));
    stream.container(2, PIXEL, &shaders::pixel_of_color());
    stream.layout_of(3, &layout_of(&[Element("POSITION", FLOAT4, 0, 0, 0), Element("TEXCOORD", FLOAT4, 0, 16, 0)]));
    let left = rectangle([-1.0, 1.0, -0.5, -1.0], 0.5, [RED; 4]);
    let right = rectangle([0.5, 1.0, 1.0, -1.0], 0.5, [GREEN; 4]);
    stream.buffer(4, &[left, right].concat());
    rebind(stream);
}

fn rebind(stream: &mut Stream) {
    stream.targets(&[SCREEN], 0).viewport([0.0, 0.0, SIDE as f32, SIDE as f32]).shaders(1, 2).use_layout(3);
    stream.vertex_buffer(0, 4, VERTEX_BYTES, 0).topology(TRIANGLE_LIST).put(unblended());
    stream.put(parts::rasterizer(0, 0)).put(parts::depth_stencil(0, 0));
    for stage in [VERTEX, PIXEL] {
        stream.writes(stage, 0, 0).writes(stage, 1, 0);
    }
}

/// Checks one seed on a device and on a noop device with the same record; gives how the mismatched draw ended.
fn check([gpu, noop]: [&Arc<Gpu>; 2], seed: u64) -> Result<&'static str, String> {
    let (file, told) = generate(seed);
    let wrong = |text: String| Err(format!("seed {seed} ({}): {text}", told.join("; ")));
    if setting("MISMATCH").is_some() {
        std::fs::write(std::env::temp_dir().join("mismatched.aerogputrace"), &file).unwrap();
        eprintln!("{}", told.join("\n"));
    }
    let open = |gpu: &Arc<Gpu>| {
        let trace = opened(file.clone()).unwrap();
        let size = Size { width_px: SIDE, height_px: SIDE };
        let mut player = Player::new(Arc::new(trace), gpu.clone(), size).unwrap();
        player.set_fault_policy(FaultPolicy::KeepGoing);
        player
    };
    let mut player = open(gpu);
    let picture = match player.render(FrameIndex(0)) {
        Ok(picture) => picture,
        Err(error) => return wrong(format!("the frame has no picture: {error}")),
    };
    let faults = player.take_faults().errors;
    if let Some(text) = difference(&picture) {
        return wrong(format!("{text}; told: {faults:?}"));
    }
    let mut end = "drawn";
    for error in &faults {
        end = match (error.kind(), error) {
            (ErrorKind::Unsupported, _) => "refused (4)",
            (ErrorKind::OverLimit, _) => "refused (10)",
            (ErrorKind::ReplayFailed, PlayerError::Replay(_)) => "contract (6)",
            _ => return wrong(format!("ends with {:?}: {error}", error.kind())),
        };
    }
    let mut of_noop = open(noop);
    if let Err(error) = of_noop.render(FrameIndex(0)) {
        return wrong(format!("the noop device: {error}"));
    }
    let words = |errors: &[PlayerError]| errors.iter().map(ToString::to_string).collect::<Vec<_>>();
    let noop_faults = of_noop.take_faults().errors;
    if words(&noop_faults) != words(&faults) {
        return wrong(format!("the noop device says {noop_faults:?} instead of {faults:?}"));
    }
    // Sought anew, by a player that has shown the mismatched target first.
    let mut sought = open(gpu);
    sought.set_shown(Shown::Target(ResourceName { handle: OTHER, mip: 0, layer: 0 }));
    if let Err(error) = sought.render(FrameIndex(0)) {
        return wrong(format!("the mismatched target: {error}"));
    }
    sought.set_shown(Shown::default());
    match sought.render(FrameIndex(0)) {
        Ok(again) if again.hash() == picture.hash() => Ok(end),
        Ok(_) => wrong("sought, the frame has another picture".to_owned()),
        Err(error) => wrong(format!("sought, the frame has no picture: {error}")),
    }
}

fn difference(picture: &Picture) -> Option<String> {
    for (at, texel) in (0..).zip(picture.rgba().as_chunks::<4>().0) {
        let expected = match at % SIDE {
            0..4 => [255, 0, 0, 255],
            12.. => [0, 255, 0, 255],
            _ => [0, 0, 0, 255],
        };
        if *texel != expected {
            return Some(format!("pixel {},{} is {texel:?} instead of {expected:?}", at % SIDE, at / SIDE));
        }
    }
    None
}
