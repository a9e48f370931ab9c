//! Going anywhere: carrying out a slice of the trace on what the GPU holds already.

use std::sync::Arc;

use super::gpu_context::GpuContext;
use super::slice_run::{CarriedOut, SlicePlan, TargetWrite, WriteKind};
use super::target_copies::is_worth_keeping;
use super::{Player, PlayerError, Position};
use crate::command::{Place, Point};
use crate::error::Internal;
use crate::replay::{CommandNumber, ResolvedCommand, Slice, SliceTarget, TraceIndex, Unresolved};

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
    /// Makes the target hold the picture of a place in a frame that is in the index.
    pub(super) fn seek_by_index(&mut self, index: Arc<TraceIndex>, place: Place) -> Result<(), PlayerError> {
        let end = end_of(&index, place)?;
        let fits = index.check_memory(end, self.memory).map_err(PlayerError::from);
        match fits.and_then(|()| self.check_vertices_until(&index, place.frame, end)) {
            Ok(()) => {}
            Err(error) if self.faults.stop_playing() || error.is_of_device() => return Err(error),
            // The index does not know which commands are refused for it; playing does.
            Err(_) => return self.play_from_here_to(place),
        }
        if index.first_submission().is_some() {
            return self.seek_submitted(&index, place, end);
        }
        let current = self.leave_position(&index)?;
        let best_copy = self.gpu.copies.latest_until(end);
        let at_hand = current.filter(|shown| shown.0 <= end).max(best_copy);
        let slice =
            index.slice(place.frame, end, at_hand)?.ok_or(Internal::new("a requested frame is not in the index"))?;
        self.prepare_target(slice.target, current)?;
        let mut keeping = Keeping::new(&index, &slice, place.point);
        let shown = Some(CommandNumber(slice.own.end));
        let plan = SlicePlan { index, slice, point: place.point, carried_out: CarriedOut::All };
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
        self.position = Position::Sought { shows: Some(place), shown };
        Ok(())
    }

    /// Leaves the current position, keeping what is on the GPU; says what the target shows.
    pub(super) fn leave_position(&mut self, index: &TraceIndex) -> Result<Option<CommandNumber>, PlayerError> {
        Ok(match std::mem::replace(&mut self.position, Position::Broken) {
            Position::Linear(linear) => {
                let shown = match linear.played() {
                    None => Some(CommandNumber(0)),
                    Some(place) if place.frame.as_usize() >= index.frame_count() => None,
                    Some(place) => Some(CommandNumber(end_of(index, place)?)),
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
                let copy = copies.get(at).ok_or(Internal::new("a saved picture is missing"))?;
                renderer.restore_target(copy);
            }
            SliceTarget::Black => renderer.fill([0; 4]),
            SliceTarget::ClearedBy(_) => {}
        }
        Ok(())
    }
}

impl Keeping {
    fn new(index: &TraceIndex, slice: &Slice, point: Point) -> Self {
        let known_from = slice.target.known_from();
        let is_draw = |number: &CommandNumber| matches!(index.command(*number), Some(ResolvedCommand::Draw { .. }));
        let earlier = slice.earlier.iter().copied().filter(is_draw).count();
        // Whole frames that begin with a CLEAR are cheap to come back to.
        let keeps = point != Point::End || earlier > 0;
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
pub(super) fn end_of(index: &TraceIndex, place: Place) -> Result<u32, PlayerError> {
    let frame = place.frame;
    index.resolve(place).map(|resolved| resolved.end).map_err(|unresolved| match unresolved {
        Unresolved::NotIndexed => Internal::new("a requested frame is not in the index").into(),
        Unresolved::NoSuchDraw { draw, draw_count } => PlayerError::NoSuchDraw { draw, frame, draw_count },
        Unresolved::NoSuchPacket { packet, packet_count } => PlayerError::NoSuchPacket { packet, frame, packet_count },
    })
}
