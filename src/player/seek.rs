//! Going anywhere: carrying out a slice of the trace on what the GPU holds already.

use std::sync::Arc;

use super::gpu_context::GpuContext;
use super::slice_run::{SlicePlan, TargetWrite, WriteKind};
use super::target_copies::is_worth_keeping;
use super::{Player, PlayerError, Position, Until};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::{CommandNumber, Slice, SliceTarget, Step, TraceIndex};

/// Which pictures on the way are kept.
struct Keeping {
    /// What the target holds before this command is not the trace's.
    known_from: CommandNumber,
    /// Draws since then.
    drawn: u32,
    /// How many draws there will be; `None` if no picture is worth keeping.
    draw_count: Option<u32>,
}

impl Player {
    /// Makes the target hold the picture of a frame that is in the index.
    pub(super) fn seek_by_index(
        &mut self,
        index: Arc<TraceIndex>,
        frame: FrameIndex,
        until: Until,
    ) -> Result<(), PlayerError> {
        let end = end_of(&index, frame, until)?;
        index.check_memory(end, self.memory)?;
        self.check_vertices_until(&index, frame, end)?;
        let current = self.leave_position(&index)?;
        let best_copy = self.gpu.copies.latest_until(end);
        let at_hand = current.filter(|shown| shown.0 <= end).max(best_copy);
        let slice = index.slice(frame, end, at_hand)?.ok_or(Internal::new("a frame sought is not in the index"))?;
        self.prepare_target(slice.target, current)?;
        let mut keeping = Keeping::new(&index, &slice, until);
        let shown = Some(CommandNumber(slice.own.end));
        let plan = SlicePlan { index, slice, until };
        self.run_slice(
            &plan,
            |_| false,
            |write, executor, gpu| {
                gpu.run_ops(executor)?;
                keeping.note(write, gpu);
                Ok(())
            },
        )?;
        self.gpu.trim(&self.executor)?;
        self.submit_frame()?;
        self.position = Position::Sought { shows: Some((frame, until)), shown };
        Ok(())
    }

    /// Leaves the current position, keeping what is on the GPU; says what the target shows.
    pub(super) fn leave_position(&mut self, index: &TraceIndex) -> Result<Option<CommandNumber>, PlayerError> {
        Ok(match std::mem::replace(&mut self.position, Position::Broken) {
            Position::Linear(linear) => {
                let shown = match linear.played() {
                    None => Some(CommandNumber(0)),
                    Some((frame, _)) if frame.as_usize() >= index.frame_count() => None,
                    Some((frame, until)) => Some(CommandNumber(end_of(index, frame, until)?)),
                };
                if self.gpu.residency.is_eager() {
                    self.gpu.residency.adopt(self.executor.restart());
                }
                shown
            }
            Position::Sought { shown, .. } => shown,
            Position::Broken => {
                // Nobody knows what the GPU holds, and what was recorded must not be submitted.
                self.start_over();
                self.position = Position::Broken;
                Some(CommandNumber(0))
            }
        })
    }

    /// Makes the target, which holds what comes before `current`, hold what a slice begins with.
    pub(super) fn prepare_target(
        &mut self,
        target: SliceTarget,
        current: Option<CommandNumber>,
    ) -> Result<(), PlayerError> {
        let GpuContext { renderer, copies, .. } = &mut self.gpu;
        match target {
            SliceTarget::PictureBefore(at) if Some(at) == current => {}
            SliceTarget::PictureBefore(at) => {
                let copy = copies.get(at).ok_or(Internal::new("a picture that was kept is gone"))?;
                renderer.restore_target(copy);
            }
            SliceTarget::Black => renderer.fill([0; 4]),
            SliceTarget::ClearedBy(_) => {}
        }
        Ok(())
    }
}

impl Keeping {
    fn new(index: &TraceIndex, slice: &Slice, until: Until) -> Self {
        let known_from = slice.target.known_from();
        let is_draw = |number: &CommandNumber| matches!(index.step(*number), Some(Step::Draw { .. }));
        let earlier = slice.earlier.iter().copied().filter(is_draw).count();
        // Whole frames that begin with a CLEAR are cheap to come back to.
        let keeps = until != Until::EndOfFrame || earlier > 0;
        let draw_count = keeps.then(|| {
            let own = slice.own.clone().map(CommandNumber).filter(|number| *number >= known_from).filter(is_draw);
            (earlier + own.count()) as u32
        });
        Self { known_from, drawn: 0, draw_count }
    }

    /// A command was drawn. A draw before the CLEAR that all begins with is drawn for its errors alone.
    fn note(&mut self, write: TargetWrite, gpu: &mut GpuContext) {
        if matches!(write.kind, WriteKind::Draw(_)) && write.number >= self.known_from {
            self.drawn += 1;
            if self.draw_count.is_some_and(|total| is_worth_keeping(self.drawn, total)) {
                gpu.copies.keep(CommandNumber(write.number.0 + 1), &mut gpu.renderer);
            }
        }
    }
}

/// The number of the first command that is not wanted.
pub(super) fn end_of(index: &TraceIndex, frame: FrameIndex, until: Until) -> Result<u32, PlayerError> {
    let all = index.commands_of(frame).ok_or(Internal::new("a frame asked for is not in the index"))?;
    match until {
        Until::EndOfFrame => Ok(all.end),
        // A packet that does not exist comes after all that do.
        Until::AfterPacket(packet) => Ok(all.start.saturating_add(packet).saturating_add(1).min(all.end)),
        Until::AfterDraw(draw) => match index.draws_of(frame).nth(draw as usize) {
            Some(number) => Ok(number.0 + 1),
            None => {
                let draw_count = index.draws_of(frame).count() as u32;
                Err(PlayerError::NoSuchDraw { draw, frame, draw_count })
            }
        },
    }
}
