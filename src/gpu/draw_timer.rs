//! How long the draws of a frame take on the GPU: what time it is before and after each.
//!
//! A GPU that carries out one command after the other is asked within passes. One that collects the triangles of a pass
//! before it draws them, as drivers on the CPU do, would tell when it has collected them; there each draw has a pass of its
//! own, and its time is that of the pass.

use super::batch::Batch;
use super::device::Gpu;
use super::error::GpuError;
use super::query_sets::{QueryKind, QuerySets, read_answers};
use super::recorder::Recorder;
use super::renderer::Renderer;
use crate::command::Location;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;

/// What of a frame is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedParts {
    /// Each of its draws and dispatches, and all of it.
    EachDraw,
    /// All of it at once.
    Whole,
}

/// How long a frame took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameTimes {
    /// All of its work on the GPU but for uploads, in nanoseconds.
    pub whole_nanos: u64,
    /// Its draws and dispatches: the number of the packet in the frame, and nanoseconds.
    pub draws: Vec<(u32, u64)>,
}

/// What begins and ends with a stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timed {
    /// What is submitted at once.
    Batch,
    /// A draw or dispatch, by its packet's number in the frame.
    Packet(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Begin,
    End,
}

/// Stamps of one frame.
pub(super) struct DrawTimer {
    frame: FrameIndex,
    parts: TimedParts,
    /// Whether passes can be asked, and know.
    is_in_passes: bool,
    queries: QuerySets,
    /// What each query is a stamp of.
    stamps: Vec<(Timed, Edge)>,
    /// Whether the batch that is recorded has begun.
    has_begun: bool,
}

impl DrawTimer {
    fn new(gpu: &Gpu, frame: FrameIndex, parts: TimedParts) -> Self {
        let (queries, stamps) = (QuerySets::new(QueryKind::Timestamp), Vec::new());
        Self { frame, parts, is_in_passes: gpu.times_within_passes(), queries, stamps, has_begun: false }
    }

    fn stamp_between_passes(&mut self, gpu: &Gpu, batch: &mut Batch, stamp: (Timed, Edge)) {
        if let Some(set) = self.queries.prepare(gpu).cloned() {
            batch.after_draws().write_timestamp(&set.set, self.queries.ask());
            self.stamps.push(stamp);
        }
    }

    fn stamp_in_pass(&mut self, gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, stamp: (Timed, Edge)) {
        if let Some(set) = self.queries.prepare(gpu).cloned() {
            pass.write_timestamp(&set.set, self.queries.ask());
            self.stamps.push(stamp);
        }
    }

    fn times_draw(&self, at: Location) -> bool {
        self.parts == TimedParts::EachDraw && at.frame == self.frame
    }

    /// The lengths of what begins and ends, by the stamps' ticks.
    fn times(&self, ticks: &[u64], nanos_per_tick: f64) -> FrameTimes {
        let (mut times, mut began) = (FrameTimes::default(), [None; 2]);
        for ((timed, edge), tick) in self.stamps.iter().zip(ticks) {
            let [batch, draw] = &mut began;
            let began = if *timed == Timed::Batch { batch } else { draw };
            if *edge == Edge::Begin {
                *began = Some((*timed, *tick));
                continue;
            }
            // Of a draw that is not drawn in the end there is only the beginning.
            // silent: what is not drawn in the end has a beginning alone, and takes no time
            let Some((_, begin)) = began.take().filter(|(of, _)| of == timed) else { continue };
            let nanos = (tick.saturating_sub(begin) as f64 * nanos_per_tick) as u64;
            match timed {
                Timed::Batch => times.whole_nanos = times.whole_nanos.saturating_add(nanos),
                Timed::Packet(packet) => times.draws.push((*packet, nanos)),
            }
        }
        times
    }
}

impl Renderer {
    /// From here on what is recorded of a frame is timed. To be asked of a device that [can](Gpu::can_time_draws).
    pub fn start_timing(&mut self, frame: FrameIndex, parts: TimedParts) {
        self.queries.timer = Some(DrawTimer::new(&self.gpu, frame, parts));
    }

    /// Submits, and says how long it took.
    pub fn finish_timing(&mut self) -> Result<FrameTimes, GpuError> {
        self.end_timed_batch();
        let timer = self.queries.timer.take().ok_or(Internal::new("no frame was being timed"))?;
        // silent: a frame of which nothing is recorded takes no time
        let Some(answers) = timer.queries.resolve(&self.gpu, self.recorder.batch.after_draws()) else {
            return Ok(FrameTimes::default());
        };
        self.submit()?;
        let ticks = read_answers(&self.gpu, &answers, self.last_submission())?;
        Ok(timer.times(&ticks, f64::from(self.gpu.queue.get_timestamp_period())))
    }

    /// Something of a frame is about to be recorded.
    #[inline]
    pub(super) fn time_batch(&mut self, at: Location) {
        if self.queries.timer.as_ref().is_some_and(|timer| !timer.has_begun && timer.frame == at.frame) {
            self.begin_timed_batch();
        }
    }

    #[cold]
    fn begin_timed_batch(&mut self) {
        let Self { queries, gpu, recorder: Recorder { batch, .. }, .. } = self;
        if let Some(timer) = &mut queries.timer {
            timer.has_begun = true;
            timer.stamp_between_passes(gpu, batch, (Timed::Batch, Edge::Begin));
        }
    }

    /// What is recorded is about to be submitted.
    pub(super) fn end_timed_batch(&mut self) {
        let Self { queries, gpu, recorder: Recorder { batch, .. }, .. } = self;
        if let Some(timer) = &mut queries.timer
            && std::mem::take(&mut timer.has_begun)
        {
            timer.stamp_between_passes(gpu, batch, (Timed::Batch, Edge::End));
        }
    }

    /// A draw's pass is about to be chosen, or that of a dispatch.
    #[inline]
    pub(super) fn time_before_pass(&mut self, at: Location) {
        let Self { queries, gpu, recorder: Recorder { batch, .. }, .. } = self;
        if let Some(timer) = &mut queries.timer
            && timer.times_draw(at)
            && !timer.is_in_passes
        {
            timer.stamp_between_passes(gpu, batch, (Timed::Packet(at.packet), Edge::Begin));
        }
    }

    /// All is set for a draw.
    #[inline]
    pub(super) fn time_before_draw(&mut self, at: Location) {
        let Self { queries, gpu, recorder: Recorder { batch, .. }, .. } = self;
        if let Some(timer) = &mut queries.timer
            && timer.times_draw(at)
            && timer.is_in_passes
            && let Some(pass) = batch.open_pass()
        {
            timer.stamp_in_pass(gpu, pass, (Timed::Packet(at.packet), Edge::Begin));
        }
    }

    /// It is drawn.
    #[inline]
    pub(super) fn time_after_draw(&mut self, at: Location) {
        let Self { queries, gpu, recorder: Recorder { batch, .. }, .. } = self;
        // silent: draws that nobody times have no stamps
        let Some(timer) = queries.timer.as_mut().filter(|timer| timer.times_draw(at)) else { return };
        let stamp = (Timed::Packet(at.packet), Edge::End);
        match batch.open_pass().filter(|_| timer.is_in_passes) {
            Some(pass) => timer.stamp_in_pass(gpu, pass, stamp),
            None => timer.stamp_between_passes(gpu, batch, stamp),
        }
    }

    /// A dispatch is about to be recorded, or was: it is in no pass of draws.
    pub(super) fn time_dispatch(&mut self, at: Location, is_done: bool) {
        let Self { queries, gpu, recorder: Recorder { batch, .. }, .. } = self;
        if let Some(timer) = queries.timer.as_mut().filter(|timer| timer.times_draw(at)) {
            let edge = if is_done { Edge::End } else { Edge::Begin };
            timer.stamp_between_passes(gpu, batch, (Timed::Packet(at.packet), edge));
        }
    }
}

impl Gpu {
    /// Whether it can say how long draws take.
    pub fn can_time_draws(&self) -> bool {
        let needed = wgpu::Features::TIMESTAMP_QUERY.union(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);
        // The backend that draws nothing claims to have clocks, which all stand still.
        self.device.features().contains(needed) && self.adapter.get_info().backend != wgpu::Backend::Noop
    }

    fn times_within_passes(&self) -> bool {
        let is_cpu = self.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        self.device.features().contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_PASSES) && !is_cpu
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_and_ends_has_a_length() {
        let stamps = [
            (Timed::Batch, Edge::Begin),
            (Timed::Packet(3), Edge::Begin),
            (Timed::Packet(3), Edge::End),
            // Never drawn.
            (Timed::Packet(4), Edge::Begin),
            (Timed::Packet(5), Edge::Begin),
            (Timed::Packet(5), Edge::End),
            (Timed::Batch, Edge::End),
            (Timed::Batch, Edge::Begin),
            (Timed::Batch, Edge::End),
        ];
        let timer = DrawTimer {
            frame: FrameIndex(0),
            parts: TimedParts::EachDraw,
            is_in_passes: false,
            queries: QuerySets::new(QueryKind::Timestamp),
            stamps: stamps.to_vec(),
            has_begun: false,
        };
        let times = timer.times(&[100, 110, 130, 140, 150, 155, 200, 1000, 1010], 2.0);
        assert_eq!(times, FrameTimes { whole_nanos: 220, draws: vec![(3, 40), (5, 10)] });
        let backwards = timer.times(&[100, 110, 90], 1.0);
        assert_eq!(backwards.draws, [(3, 0)], "a clock that goes back tells nothing");
    }
}
