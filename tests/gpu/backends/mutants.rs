//! Damaged traces: either API draws the same frames and refuses the same, with the same sentence, and is as good
//! afterwards as before.
//!
//! `MUTANTS=10000 cargo test --release --test gpu damaged -- --nocapture` tries more than the usual few, from
//! `MUTANTS_SEED` on; `MUTANTS_KEEP` names a folder to write them to.

use std::time::Duration;

use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::DamageTolerance;
use aerogpu_replay::player::Watchdog;

use super::pictures::{difference_of_frame, number};
use super::support::mutate::mutant;
use super::support::random::Random;
use super::support::{fixture, fixtures};
use super::*;

const USUAL_COUNT: u64 = 150;
const SIZE: Size = Size { width_px: 48, height_px: 48 };
/// A mutant may say that there are thousands of frames; the first and the last few tell enough.
const MAX_FRAMES: u32 = 12;
const PATIENCE: Duration = Duration::from_secs(120);
/// Mutants between two looks at whether the devices still draw what they should.
const CHECKED_EVERY: u64 = 25;
/// Mutants between two lines of progress.
const TOLD_EVERY: u64 = 1000;

/// Outcome of each frame that was asked for.
type Frames = Vec<Result<Picture, String>>;

fn open(bytes: &[u8]) -> Result<Arc<Trace>, String> {
    let source = Arc::new(MemorySource::from(bytes.to_vec()));
    let opened = Trace::open_or_recover(source, DamageTolerance::AnyDamagedEnd, &mut Diagnostics::new());
    opened.map(Arc::new).map_err(|error| error.to_string())
}

/// The frames that are drawn.
fn shown(trace: &Trace) -> impl Iterator<Item = FrameIndex> + use<> {
    let frames = trace.frames().len() as u32;
    (0..frames).filter(move |frame| *frame < MAX_FRAMES / 2 || frame + MAX_FRAMES / 2 >= frames).map(FrameIndex)
}

/// Frames of what can be opened, on one player, as a window would show them.
fn draw(gpu: &Arc<Gpu>, bytes: &[u8], seed: u64) -> Result<Frames, String> {
    let trace = open(bytes)?;
    let mut player = Player::new(trace.clone(), gpu.clone(), SIZE).map_err(|error| error.to_string())?;
    // What no call comes back from can only be told by ending the process.
    player.set_watchdog(Watchdog::new(PATIENCE, move || {
        println!("seed {seed}: still drawing after {} s", PATIENCE.as_secs());
        std::process::exit(1);
    }));
    Ok(shown(&trace).map(|frame| player.render(frame).map_err(|error| error.to_string())).collect())
}

/// Differences, if any, between the pictures of a mutant.
fn compare(
    gpu: &Arc<Gpu>,
    bytes: &[u8],
    of_vulkan: &Result<Frames, String>,
    of_gl: &Result<Frames, String>,
) -> Option<String> {
    let (of_vulkan, of_gl) = match (of_vulkan, of_gl) {
        (Ok(of_vulkan), Ok(of_gl)) if of_vulkan.len() == of_gl.len() => (of_vulkan, of_gl),
        (Err(of_vulkan), Err(of_gl)) if of_vulkan == of_gl => return None,
        (of_vulkan, of_gl) => return Some(format!("{:?}, {:?}", of_vulkan.as_ref().err(), of_gl.as_ref().err())),
    };
    let trace = open(bytes).unwrap();
    let differs = |frame, pair: (&Result<Picture, String>, &Result<Picture, String>)| match pair {
        (Ok(of_vulkan), Ok(of_gl)) => difference_of_frame(gpu, &trace, frame, [of_vulkan, of_gl]),
        (Err(of_vulkan), Err(of_gl)) if of_vulkan == of_gl => None,
        (of_vulkan, of_gl) => {
            Some(format!("{:?} on Vulkan, {:?} on GL", of_vulkan.as_ref().err(), of_gl.as_ref().err()))
        }
    };
    let mut frames = shown(&trace).zip(of_vulkan.iter().zip(of_gl));
    frames.find_map(|(frame, pair)| differs(frame, pair).map(|words| format!("frame {frame}: {words}")))
}

pub fn damaged_traces_are_the_same() {
    let (count, first) = (number("MUTANTS").unwrap_or(USUAL_COUNT), number("MUTANTS_SEED").unwrap_or(1));
    let mut both = Both::open();
    let triangle = fs::read(fixture("triangle")).unwrap();
    let sound = draw(&both.vulkan, &triangle, 0).unwrap();
    let (mut drawn, mut refused) = (0, 0);
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let (name, make) = random.pick(fixtures::REPLAYABLE);
        let bytes = mutant(&make(), &mut random);
        if let Some(folder) = std::env::var_os("MUTANTS_KEEP") {
            fs::write(Path::new(&folder).join(format!("{seed}.aerogputrace")), &bytes).unwrap();
        }
        let [of_vulkan, of_gl] = [&both.vulkan, &both.gl].map(|gpu| draw(gpu, &bytes, seed));
        if let Some(words) = compare(&both.vulkan, &bytes, &of_vulkan, &of_gl) {
            println!("seed {seed}, {name}: {words}");
            both.wrong.push(format!("seed {seed}, {name}: {words}"));
        }
        for frame in of_vulkan.into_iter().flatten() {
            match frame {
                Ok(_) => drawn += 1,
                Err(error) => {
                    refused += 1;
                    assert!(error.contains("at 0x") && !error.contains("report"), "seed {seed}, {name}: {error}");
                }
            }
        }
        if seed % CHECKED_EVERY == 0 {
            for gpu in [&both.vulkan, &both.gl] {
                let again = draw(gpu, &triangle, seed);
                assert_eq!(again.as_ref(), Ok(&sound), "after seed {seed} {} draws another triangle", gpu.summary());
            }
        }
        if (seed + 1 - first) % TOLD_EVERY == 0 {
            println!("up to seed {seed}: {drawn} frames drawn, {refused} refused, {} wrong", both.wrong.len());
        }
    }
    assert!(count < 100 || (drawn > count / 4 && refused > count / 10), "{drawn} drawn, {refused} refused");
    both.finish();
}
