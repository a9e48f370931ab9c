//! Submissions of Direct3D beside programs that issue the same draws from memory.

mod by_hand;
mod canvas;
mod scene;
mod shaders;
mod targets;

use std::sync::Arc;
use std::time::Duration;

use aerogpu_replay::bytes::{Diagnostics, MemorySource};
use aerogpu_replay::format::aerogpu::{FrameIndex, Trace};
use aerogpu_replay::gpu::{AdapterChoice, BackendChoice, Gpu};
use aerogpu_replay::pixels::Picture;
use aerogpu_replay::player::{PipelineMaker, Player};
use aerogpu_replay::replay::{CommandStream, Executor, Flow, ReplayError, TraceIndex};
use anyhow::{Result, ensure};

use self::by_hand::DrawsByHand;
use self::scene::{Scene, Tint};
use self::targets::FramesByHand;
use crate::Effort;
use crate::draws::within_bar;
use crate::instructions::BACKEND;
use crate::measure::{Contender, Cost, cost_of, interleave, print_table};
use crate::scene::SIZE;

/// How many times as long as the program by hand a replay may take.
const BAR: f64 = 1.1;
/// The same on the noop backend, where all that is left is the work of the CPU.
const CPU_BAR: f64 = 2.0;
/// Draws with the same shader.
const IN_A_ROW: u32 = 25;
const TIMEOUT: Duration = Duration::from_secs(60);

fn open(bytes: Vec<u8>) -> Result<Arc<Trace>> {
    Ok(Arc::new(Trace::from_source(Arc::new(MemorySource::from(bytes)), &mut Diagnostics::new())?))
}

fn device(backend: BackendChoice) -> Result<Arc<Gpu>> {
    Ok(Arc::new(Gpu::open(backend, &AdapterChoice::Best, TIMEOUT)?))
}

/// The trace of such draws in Direct3D 9, behind a frame that makes everything.
#[cfg(target_os = "linux")]
pub(crate) fn trace_of_draws(frames: u32, draws: u32) -> Result<Vec<u8>> {
    Scene::new(frames + 1, draws, IN_A_ROW).write_trace(Tint::Register)
}

/// Draws with changing textures and constants, of both worlds, on a GPU.
pub(crate) fn on_gpu(effort: Effort) -> Result<bool> {
    draws(effort, BackendChoice::Vulkan, BAR, IN_A_ROW)
}

/// The same on the noop backend.
pub(crate) fn on_noop(effort: Effort) -> Result<bool> {
    draws(effort, BackendChoice::Noop, CPU_BAR, IN_A_ROW)
}

/// Draws that have another pixel shader each.
pub(crate) fn shaders_on_gpu(effort: Effort) -> Result<bool> {
    draws(effort, BackendChoice::Vulkan, BAR, 1)
}

/// The same on the noop backend.
pub(crate) fn shaders_on_noop(effort: Effort) -> Result<bool> {
    draws(effort, BackendChoice::Noop, CPU_BAR, 1)
}

fn draws(effort: Effort, backend: BackendChoice, bar: f64, in_a_row: u32) -> Result<bool> {
    let scene = Scene::new(effort.frames + 1, effort.draws, in_a_row);
    let gpu = device(backend)?;
    println!("  {}, {} frames of {} draws, {SIZE}", gpu.summary(), effort.frames, effort.draws);
    let by_hand = DrawsByHand::new(gpu.clone(), &scene);
    let traces = [open(scene.write_trace(Tint::Register)?)?, open(scene.write_trace(Tint::Upload)?)?];
    let last = effort.frames;
    for trace in traces.iter().filter(|_| backend == BackendChoice::Vulkan) {
        let mut player = Player::new(trace.clone(), gpu.clone(), SIZE)?;
        for frame in [0, last] {
            by_hand.draw_frame(frame as usize)?;
            ensure_same(&by_hand.canvas.picture()?, &player.render(FrameIndex(frame))?, frame)?;
        }
    }
    let [registers, uploads] = &traces;
    let by_hand_submits = || {
        by_hand.draw_frame(0)?;
        gpu.wait(None)?;
        cost_of(|| {
            (1..=last as usize).try_for_each(|number| by_hand.draw_frame(number))?;
            Ok(gpu.wait(None)?)
        })
    };
    let samples = interleave(
        effort.rounds,
        vec![
            Contender::new("by hand", by_hand_submits),
            Contender::new("commands of D3D9", || apply(registers)),
            Contender::new("replay, constants of D3D9", || replay(registers, &gpu, last)),
            Contender::new("commands of uploads", || apply(uploads)),
            Contender::new("replay, constants uploaded", || replay(uploads, &gpu, last)),
        ],
    )?;
    print_table(&samples);
    let [by_hand, _, registers, _, uploads] = samples.as_slice() else { return Ok(false) };
    Ok(within_bar(by_hand, registers, bar) & within_bar(by_hand, uploads, bar))
}

/// Frames that draw to a texture, copy and present.
pub(crate) fn targets(effort: Effort) -> Result<bool> {
    frames_of_targets(effort, BackendChoice::Vulkan, BAR)
}

/// The same on the noop backend.
pub(crate) fn targets_on_noop(effort: Effort) -> Result<bool> {
    frames_of_targets(effort, BackendChoice::Noop, CPU_BAR)
}

fn frames_of_targets(effort: Effort, backend: BackendChoice, bar: f64) -> Result<bool> {
    let last = effort.frames * 1000 / 60;
    let gpu = device(backend)?;
    println!("  {}, {last} frames, {SIZE}", gpu.summary());
    let (by_hand, trace) = (FramesByHand::new(gpu.clone())?, open(targets::trace(last + 1)?)?);
    let mut player = Player::new(trace.clone(), gpu.clone(), SIZE)?;
    for frame in [0, last].into_iter().filter(|_| backend == BackendChoice::Vulkan) {
        by_hand.draw_frame(frame)?;
        ensure_same(&by_hand.canvas.picture()?, &player.render(FrameIndex(frame))?, frame)?;
    }
    let samples = interleave(
        effort.rounds,
        vec![
            Contender::new("by hand", || {
                targets::draw_frames(&by_hand, 0..=0)?;
                cost_of(|| targets::draw_frames(&by_hand, 1..=last))
            }),
            Contender::new("replay", || replay(&trace, &gpu, last)),
        ],
    )?;
    print_table(&samples);
    let [by_hand, replay] = samples.as_slice() else { return Ok(false) };
    Ok(within_bar(by_hand, replay, bar))
}

/// Draws by hand.
pub(crate) fn plain_by_hand(frames: u32, draws: u32) -> Result<()> {
    drawn_by_hand(&Scene::new(frames + 1, draws, IN_A_ROW))
}

/// A trace of draws whose constants are set in registers.
pub(crate) fn plain_registers(frames: u32, draws: u32) -> Result<Vec<u8>> {
    Scene::new(frames + 1, draws, IN_A_ROW).write_trace(Tint::Register)
}

/// A trace of draws whose constants are uploaded.
pub(crate) fn plain_uploads(frames: u32, draws: u32) -> Result<Vec<u8>> {
    Scene::new(frames + 1, draws, IN_A_ROW).write_trace(Tint::Upload)
}

/// Draws by hand, with another pixel shader each.
pub(crate) fn shaders_by_hand(frames: u32, draws: u32) -> Result<()> {
    drawn_by_hand(&Scene::new(frames + 1, draws, 1))
}

/// A trace of draws with another pixel shader each.
pub(crate) fn shaders_registers(frames: u32, draws: u32) -> Result<Vec<u8>> {
    Scene::new(frames + 1, draws, 1).write_trace(Tint::Register)
}

/// Frames by hand that draw to a texture, copy and present.
pub(crate) fn targets_by_hand(frames: u32, _: u32) -> Result<()> {
    let by_hand = FramesByHand::new(device(BACKEND)?)?;
    targets::draw_frames(&by_hand, 0..=frames)
}

/// A trace of frames that draw to a texture, copy and present.
pub(crate) fn trace_of_targets(frames: u32, _: u32) -> Result<Vec<u8>> {
    targets::trace(frames + 1)
}

/// Makes the index of a trace.
pub(crate) fn graph(trace: &Arc<Trace>) -> Result<()> {
    let index = TraceIndex::build(trace, |_| ());
    ensure!(index.stop().is_none(), "the trace has no index");
    Ok(())
}

fn drawn_by_hand(scene: &Scene) -> Result<()> {
    let gpu = device(BACKEND)?;
    let by_hand = DrawsByHand::new(gpu.clone(), scene);
    (0..scene.frames.len()).try_for_each(|number| by_hand.draw_frame(number))?;
    Ok(gpu.wait(None)?)
}

/// Plays a trace to its end in one thread: how far others look ahead is another number each time.
pub(crate) fn play(trace: &Arc<Trace>) -> Result<()> {
    let gpu = device(BACKEND)?;
    let mut player = Player::new(trace.clone(), gpu.clone(), SIZE)?;
    player.set_pipeline_maker(PipelineMaker::Nobody);
    trace.frame_indices().try_for_each(|frame| player.seek(frame))?;
    Ok(gpu.wait(None)?)
}

fn ensure_same(theirs: &Picture, ours: &Picture, frame: u32) -> Result<()> {
    ensure!(theirs.rgba() == ours.rgba(), "frame {frame} differs from the picture by hand");
    let [first, ..] = theirs.rgba().as_chunks::<4>().0 else { return Ok(()) };
    let is_empty = theirs.rgba().as_chunks::<4>().0.iter().all(|pixel| pixel == first);
    ensure!(!is_empty, "nothing is drawn in frame {frame}");
    Ok(())
}

/// One frame after the other, behind frame 0, which makes everything.
fn replay(trace: &Arc<Trace>, gpu: &Arc<Gpu>, last: u32) -> Result<Cost> {
    let mut player = Player::new(trace.clone(), gpu.clone(), SIZE)?;
    player.seek(FrameIndex(0))?;
    gpu.wait(None)?;
    cost_of(|| {
        (1..=last).try_for_each(|number| player.seek(FrameIndex(number)))?;
        Ok(gpu.wait(None)?)
    })
}

/// The part of it that needs no GPU.
fn apply(trace: &Arc<Trace>) -> Result<Cost> {
    let (mut stream, mut executor) = (CommandStream::new(trace.clone()), Executor::new(trace.clone()));
    let mut play = |frame| {
        stream.read_frame(frame, &mut executor, |command, executor| {
            executor.apply(command)?;
            Ok::<_, ReplayError>(Flow::Continue)
        })
    };
    play(FrameIndex(0))?;
    cost_of(|| Ok(trace.frame_indices().skip(1).try_for_each(&mut play)?))
}
