//! 60 frames of 5,000 draws, against the baseline: on a GPU (lavapipe where there is no other), and on wgpu's noop
//! backend, where nothing is drawn and only the work of the CPU is left.

use std::io::BufWriter;
use std::sync::Arc;
use std::time::Duration;

use aerogpu_replay::bytes::{Diagnostics, FileSource};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::player::Player;
use aerogpu_replay::replay::{CommandStream, Executor, Flow};
use anyhow::{Result, anyhow, ensure};
use tempfile::NamedTempFile;

use crate::Effort;
use crate::baseline::play_in_a_row;
use crate::by_hand::SceneBaseline;
use crate::instructions::BACKEND;
use crate::measure::{Contender, Cost, Samples, cost_of, interleave, print_table};
use crate::scene::{Recorder, SIZE, Scene};

/// How many times as long as the baseline a replay may take.
const BAR: f64 = 1.05;
/// The same on the noop backend, where all that is left is the work of the CPU.
const CPU_BAR: f64 = 2.0;
const TIMEOUT: Duration = Duration::from_secs(60);

/// Compares on the GPU. Both must draw the same pictures, or the comparison means nothing.
pub(crate) fn on_gpu(effort: Effort) -> Result<bool> {
    let scene = Scene::new(effort.frames + 1, effort.draws);
    let file = write_trace(&scene, Recorder::Sparing)?;
    let gpu = Arc::new(Gpu::open(BackendChoice::Vulkan, &AdapterChoice::Best, TIMEOUT)?);
    println!("  {}, {} frames of {} draws, {SIZE}", gpu.summary(), effort.frames, effort.draws);
    let baseline = SceneBaseline::new(gpu.clone(), &scene);
    let trace = open(&file)?;
    let mut player = Player::new(trace.clone(), gpu.clone(), SIZE)?;
    let last = FrameIndex(effort.frames);
    for frame in [FrameIndex(0), last] {
        let ours = player.render(frame)?;
        let mut is_same = false;
        baseline.pictures([frame.as_usize()], |theirs| is_same = theirs.rgba() == ours.rgba())?;
        ensure!(is_same, "frame {frame} differs from the baseline's picture");
    }
    let rounds = effort.rounds.div_ceil(2);
    let played = interleave(
        rounds,
        vec![
            Contender::new("baseline, submitted", || baseline_submits(&baseline, &gpu, last)),
            Contender::new("replay, submitted", || replay_submits(&trace, &gpu, last)),
        ],
    )?;
    print_table(&played);
    let pictures = interleave(
        rounds,
        vec![
            Contender::new("baseline, pictures in a row", || baseline_pictures(&baseline, last)),
            Contender::new("replay, pictures in a row", || replay_pictures(&trace, &gpu, last)),
        ],
    )?;
    print_table(&pictures);
    let [(Some(a), Some(b)), (Some(c), Some(d))] = [&played, &pictures].map(|both| (both.first(), both.last())) else {
        return Ok(false);
    };
    Ok(within_bar(a, b, BAR) & within_bar(c, d, BAR))
}

/// Compares on the noop backend, with the replayer's layers one upon the other: each line does what the one before
/// does, and more. The last line replays the same draws as a recorder writes them that sets all state for each.
pub(crate) fn on_noop(effort: Effort) -> Result<bool> {
    let scene = Scene::new(effort.frames + 1, effort.draws);
    let file = write_trace(&scene, Recorder::Sparing)?;
    let gpu = Arc::new(Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, TIMEOUT)?);
    let baseline = SceneBaseline::new(gpu.clone(), &scene);
    let trace = open(&file)?;
    let lavish_file = write_trace(&scene, Recorder::Lavish)?;
    let lavish = open(&lavish_file)?;
    let last = FrameIndex(effort.frames);
    let samples = interleave(
        effort.rounds,
        vec![
            Contender::new("baseline", || baseline_submits(&baseline, &gpu, last)),
            Contender::new("replay: reads records", || read_records(&trace)),
            Contender::new("replay: … decodes commands", || decode_commands(&trace)),
            Contender::new("replay: … resolves ops", || resolve_ops(&trace)),
            Contender::new("replay: … all of it", || replay_submits(&trace, &gpu, last)),
            Contender::new("replay of all state each draw", || replay_submits(&lavish, &gpu, last)),
        ],
    )?;
    print_table(&samples);
    let [baseline, .., replay, _] = samples.as_slice() else { return Ok(false) };
    Ok(within_bar(baseline, replay, CPU_BAR))
}

/// Draws of packets by hand.
pub(crate) fn by_hand(frames: u32, draws: u32) -> Result<()> {
    let scene = Scene::new(frames + 1, draws);
    let gpu = Arc::new(Gpu::open(BACKEND, &AdapterChoice::Best, TIMEOUT)?);
    baseline_submits(&SceneBaseline::new(gpu.clone(), &scene), &gpu, FrameIndex(frames))?;
    Ok(())
}

/// A trace of draws of packets.
pub(crate) fn trace(frames: u32, draws: u32) -> Result<Vec<u8>> {
    let file = write_trace(&Scene::new(frames + 1, draws), Recorder::Sparing)?;
    Ok(std::fs::read(file.path())?)
}

/// Plays a trace to its end.
pub(crate) fn play(trace: &Arc<Trace>) -> Result<()> {
    let gpu = Arc::new(Gpu::open(BACKEND, &AdapterChoice::Best, TIMEOUT)?);
    replay_submits(trace, &gpu, FrameIndex(trace.frames().len() as u32 - 1))?;
    Ok(())
}

pub(crate) fn within_bar(baseline: &Samples, replay: &Samples, bar: f64) -> bool {
    // Rounds are short enough to be disturbed as wholes, so the minima of the two may be of different luck.
    let ratio = replay.ratio_to(baseline).median;
    println!("  bar: {ratio:.2} (median) of at most {bar} × the baseline");
    ratio <= bar
}

fn write_trace(scene: &Scene, recorder: Recorder) -> Result<NamedTempFile> {
    let file = NamedTempFile::new()?;
    scene.write_trace(recorder, BufWriter::new(file.as_file()))?;
    Ok(file)
}

fn open(file: &NamedTempFile) -> Result<Arc<Trace>> {
    Ok(Arc::new(Trace::from_source(Arc::new(FileSource::open(file.path())?), &mut Diagnostics::new())?))
}

fn baseline_submits(baseline: &SceneBaseline<'_>, gpu: &Gpu, last: FrameIndex) -> Result<Cost> {
    baseline.draw_frame(0)?;
    gpu.wait(None)?;
    cost_of(|| {
        (1..=last.as_usize()).try_for_each(|number| baseline.draw_frame(number))?;
        Ok(gpu.wait(None)?)
    })
}

/// A new player each time, since going back would be a seek, and one after the other, since going straight to the last
/// would pass over what it does not depend on. Frame 0, which makes everything, is not counted: the baseline has made its
/// things too.
fn replay_submits(trace: &Arc<Trace>, gpu: &Arc<Gpu>, last: FrameIndex) -> Result<Cost> {
    let mut player = Player::new(trace.clone(), gpu.clone(), SIZE)?;
    player.seek(FrameIndex(0))?;
    gpu.wait(None)?;
    cost_of(|| {
        (1..=last.0).try_for_each(|number| player.seek(FrameIndex(number)))?;
        Ok(gpu.wait(None)?)
    })
}

fn baseline_pictures(baseline: &SceneBaseline<'_>, last: FrameIndex) -> Result<Cost> {
    baseline.pictures([0], drop)?;
    cost_of(|| {
        baseline.pictures(1..=last.as_usize(), |picture| {
            std::hint::black_box(picture.hash());
        })
    })
}

fn replay_pictures(trace: &Arc<Trace>, gpu: &Arc<Gpu>, last: FrameIndex) -> Result<Cost> {
    let mut player = Player::new(trace.clone(), gpu.clone(), SIZE)?;
    player.render(FrameIndex(0))?;
    cost_of(|| play_in_a_row(&mut player, 1..=last.0))
}

fn read_records(trace: &Trace) -> Result<Cost> {
    let mut reader = trace.records(after_first_frame(trace)?);
    cost_of(|| {
        let mut diagnostics = Diagnostics::new();
        let mut records = 0;
        loop {
            let mut run = reader.packet_run()?;
            for (_, payload) in run.by_ref() {
                records += std::hint::black_box(payload).len() as u64;
            }
            let reached = run.offset();
            reader.skip_to(reached);
            let Some(record) = reader.next_record(&mut diagnostics)? else { return Ok(records) };
            records += std::hint::black_box(record.end - record.offset);
        }
    })
}

fn decode_commands(trace: &Arc<Trace>) -> Result<Cost> {
    let (mut stream, mut executor) = after_frame_0(trace)?;
    cost_of(|| {
        trace.frame_indices().skip(1).try_for_each(|frame| {
            stream.read_frame(frame, &mut executor, |command, _| {
                std::hint::black_box(command);
                Ok(Flow::Continue)
            })
        })
    })
}

fn resolve_ops(trace: &Arc<Trace>) -> Result<Cost> {
    let (mut stream, mut executor) = after_frame_0(trace)?;
    cost_of(|| {
        trace.frame_indices().skip(1).try_for_each(|frame| {
            stream.read_frame(frame, &mut executor, |command, executor| {
                executor.apply(command)?;
                std::hint::black_box(executor.ops());
                Ok(Flow::Continue)
            })
        })
    })
}

/// Frame 0, which makes everything, carried out.
fn after_frame_0(trace: &Arc<Trace>) -> Result<(CommandStream, Executor)> {
    let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
    stream.read_frame(FrameIndex(0), &mut executor, |command, executor| -> Result<Flow> {
        executor.apply(command)?;
        Ok(Flow::Continue)
    })?;
    Ok((stream, executor))
}

fn after_first_frame(trace: &Trace) -> Result<std::ops::Range<u64>> {
    let first = trace.frame(FrameIndex(0)).ok_or_else(|| anyhow!("no frame"))?;
    Ok(first.bytes.end..trace.stream().end)
}
