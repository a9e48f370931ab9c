//! Refusing a frame that draws more vertices than a frame may, before any of it is drawn.
//!
//! A budget is refused where the draw is that goes over it, like everything else. So whatever is wrong with a command before
//! that draw, or with the draw itself, is told instead, as whoever plays the frame is told it.

use std::sync::Arc;

use super::slice_run::{CarriedOut, SlicePlan, run_by_frames, run_own_commands};
use super::{Player, PlayerError, Position};
use crate::command::{Location, Point};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::gpu::{BudgetedWork, GpuError};
use crate::replay::{CommandNumber, DrawOverBudget, TraceIndex};

impl Player {
    /// Refuses a frame that draws more vertices than a frame may, before any of it is drawn: for whoever goes through it draw
    /// by draw, where each step alone is small.
    pub fn check_vertices(&mut self, frame: FrameIndex) -> Result<(), PlayerError> {
        let index = self.index();
        // Whoever plays a frame that is not in the index is told why.
        index.commands_of(frame).map_or(Ok(()), |own| self.check_vertices_until(&index, frame, own.end))
    }

    /// Refuses the picture of a frame up to the command before `end`, if the frame, or an earlier one that the picture shows,
    /// draws more vertices than a frame may. So it is where all of them are drawn, whatever of them is at hand. Whoever goes
    /// on behind what is wrong leaves out the draw alone.
    pub(super) fn check_vertices_until(
        &mut self,
        index: &Arc<TraceIndex>,
        frame: FrameIndex,
        end: u32,
    ) -> Result<(), PlayerError> {
        // Without a limit there is none to be over.
        let limit = self.gpu.renderer.gpu().max_frame_vertices().unwrap_or(u64::MAX);
        match index.draw_over_budget(frame, end, limit)?.filter(|_| self.faults.stop_playing()) {
            None => Ok(()),
            Some(DrawOverBudget { number, vertex_count, found }) => {
                let at = index.require_location(number)?;
                self.refuse_before(index, number, at)?;
                let (work, count) = (BudgetedWork::Draw, u64::from(vertex_count));
                Err(GpuError::OverBudget { work, at, count, found, limit }.into())
            }
        }
    }

    /// Refuses a frame that has something wrong up to and with a command of it, as far as the CPU can tell.
    fn refuse_before(
        &mut self,
        index: &Arc<TraceIndex>,
        CommandNumber(number): CommandNumber,
        at: Location,
    ) -> Result<(), PlayerError> {
        self.refuse_earlier_fault(index, at.frame)?;
        let slice = index.slice(at.frame, number + 1, None)?;
        let slice = slice.ok_or(Internal::new("a draw over the budget is in no frame of the index"))?;
        let (point, carried_out) = (Point::Packet(at.packet), CarriedOut::All);
        let plan = SlicePlan { index: index.clone(), slice, point, carried_out };
        // The state is that of another place from here on.
        self.start_over();
        self.position = Position::Broken;
        let Self { executor, trace, faults, .. } = self;
        executor.unnoted(|executor| {
            run_by_frames(&plan, trace, executor, faults, &mut |_, _, _| Ok(()))?;
            run_own_commands(&plan, trace, executor, faults, &|_| false, &mut |_, _, _| Ok(()))
        })
    }
}
