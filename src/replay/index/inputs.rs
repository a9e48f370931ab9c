//! The commands of submissions that pictures are made of: without the frame's own that nothing depends on.

use super::TraceIndex;
use super::checkpoints::CheckpointPlan;
use super::marks::Needed;
use super::need::Need;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::d3d::{AccessKind, EffectKind};
use crate::replay::guest_memory::MemoryPiece;

impl TraceIndex {
    /// What is needed for a frame's own draws, dispatches, copies, uploads, clears and presents, and for the picture that
    /// is shown after them, those commands among it, ascending. `None` if the frame is not in the index.
    pub fn inputs_of_frame(&self, frame: FrameIndex) -> Result<Option<Vec<CommandNumber>>, Internal> {
        let Some(own) = self.commands_of(frame) else { return Ok(None) };
        let plan = CheckpointPlan::default();
        let mut need = Need::of_nothing(self, &plan);
        for CommandNumber(number) in self.numbers_in(own.clone(), works) {
            need.command(number, Needed::Work)?;
        }
        if let Some(present) = self.shown_before(own.end) {
            need.command(present.0, Needed::Writes)?;
        }
        Ok(Some(need.earlier()?))
    }

    /// What is needed for the picture that a present of a submission shows, the present among it, ascending.
    pub fn inputs_of_present(&self, present: CommandNumber) -> Result<Vec<CommandNumber>, Internal> {
        let plan = CheckpointPlan::default();
        let mut need = Need::of_nothing(self, &plan);
        need.command(present.0, Needed::Writes)?;
        need.earlier()
    }

    /// What is needed for the picture that a draw of a submission leaves of the first part that it changes, the draw
    /// among it, ascending. `None` if it changes none.
    pub fn inputs_of_draw(&self, draw: CommandNumber) -> Result<Option<Vec<CommandNumber>>, Internal> {
        let &ResolvedCommand::Submitted { node, .. } = self.require_step(draw)? else {
            return Err(Internal::new("a draw of a submission is none"));
        };
        let changed = self.graph.nodes().accesses(node)?.find(|access| access.kind == AccessKind::Modify);
        let Some(changed) = changed else { return Ok(None) };
        let plan = CheckpointPlan::default();
        let mut need = Need::of_nothing(self, &plan);
        need.parts(changed.object, changed.parts(), draw.0 + 1)?;
        Ok(Some(need.earlier()?))
    }

    /// Guest memory that a command takes, in the order of the bytes that it writes.
    pub(in crate::replay) fn memory_of(&self, number: CommandNumber) -> &[MemoryPiece] {
        self.graph.memory_of(number.0)
    }
}

/// Whether a command of a submission does something by itself.
fn works(step: &ResolvedCommand) -> bool {
    use EffectKind::{Clear, Copy, Dispatch, Draw, Present, Upload};
    matches!(step, ResolvedCommand::Submitted { kind: Upload | Copy | Clear | Draw | Dispatch | Present { .. }, .. })
}
