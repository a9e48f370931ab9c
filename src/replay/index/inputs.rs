//! The commands of submissions that pictures are made of: without the frame's own that nothing depends on.

use std::ops::Range;

use super::TraceIndex;
use super::checkpoints::CheckpointPlan;
use super::marks::Needed;
use super::need::Need;
use super::part_history::Written;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::d3d::{Access, ContextNumber, EffectKind, ObjectKey};
use crate::replay::guest_memory::MemoryPiece;

/// What a command depends on at first hand.
pub(in crate::replay) struct Dependencies {
    /// The commands that it refers to, ascending, but for those that end a name or set render states.
    pub references: Vec<u32>,
    /// The render states that count, if any do: after how many settings of which context.
    pub render_states: Option<(ContextNumber, usize)>,
    /// The parts that it reads and writes, by slots.
    pub accesses: Vec<Access>,
}

impl TraceIndex {
    /// What is needed for a frame's own draws, dispatches, copies, uploads, clears and presents, and for the picture that
    /// is shown after them, those commands among it, ascending. `None` if the frame is not in the index.
    ///
    /// What a trim has put before the frame's own commands is among it as far as the frame needs it: there it may be for the
    /// sake of a later one.
    pub fn inputs_of_frame(&self, frame: FrameIndex) -> Result<Option<Vec<CommandNumber>>, Internal> {
        // silent: `None` is the answer for a frame that the index does not have
        let Some(own) = self.first_own_commands_of(frame) else { return Ok(None) };
        let plan = CheckpointPlan::default();
        let mut need = Need::of_inputs(self, &plan);
        for CommandNumber(number) in self.working_commands(own.clone()) {
            need.command(number, Needed::Work)?;
        }
        if let Some(present) = self.shown_before(own.end) {
            need.command(present.0, Needed::Writes)?;
        }
        Ok(Some(need.earlier()?))
    }

    /// Commands among `numbers` that are of submissions and do something by themselves, ascending.
    pub(in crate::replay) fn working_commands(&self, numbers: Range<u32>) -> impl Iterator<Item = CommandNumber> {
        self.numbers_in(numbers, works)
    }

    /// What is needed for the picture that a present of a submission shows, the present among it, ascending.
    pub fn inputs_of_present(&self, present: CommandNumber) -> Result<Vec<CommandNumber>, Internal> {
        let plan = CheckpointPlan::default();
        let mut need = Need::of_inputs(self, &plan);
        need.command(present.0, Needed::Writes)?;
        need.earlier()
    }

    /// What a command of a submission depends on at first hand.
    pub(in crate::replay) fn dependencies_of(&self, number: CommandNumber) -> Result<Dependencies, Internal> {
        let ResolvedCommand::Submitted { node, .. } = self.require_step(number)? else {
            return Err(Internal::new("dependencies are requested for a command outside any submission"));
        };
        let (nodes, names) = (self.graph.nodes(), self.graph.names());
        let mut references: Vec<u32> = nodes.references(node)?.filter(|number| !names.is_end(*number)).collect();
        references.sort_unstable();
        references.dedup();
        if references.last().is_some_and(|last| *last >= number.0) {
            return Err(Internal::new("a command refers to one that does not precede it"));
        }
        let render_states = nodes.render_states(node, number.0)?;
        Ok(Dependencies { references, render_states, accesses: nodes.accesses(node)?.copied().collect() })
    }

    /// The commands by which a context's render states are as they are after its first `count` settings, by state.
    pub(in crate::replay) fn setters(&self, context: ContextNumber, count: usize) -> Result<Vec<u32>, Internal> {
        Ok(self.graph.nodes().setters(context, count)?.collect())
    }

    /// How many writes to an object there are before the command with the number `number`.
    pub(in crate::replay) fn writes_before(&self, object: ObjectKey, number: u32) -> Result<usize, Internal> {
        Ok(self.history(object)?.map_or(0, |history| history.writes_before(number)))
    }

    /// Which command wrote which of an object's parts last, of its first `count` writes, in the order of the parts. What
    /// nobody wrote is left out.
    pub(in crate::replay) fn last_writers(
        &self,
        object: ObjectKey,
        parts: Range<u32>,
        count: usize,
    ) -> Result<Vec<(Range<u32>, CommandNumber)>, Internal> {
        let mut found = Vec::new();
        if let Some(history) = self.history(object)? {
            history.writers_after(count, parts, |Written { parts, by }| {
                found.push((parts, CommandNumber(by.number())));
            })?;
        }
        found.sort_unstable_by_key(|(parts, _)| parts.start);
        Ok(found)
    }

    /// Guest memory that a command takes, in the order of the bytes that it writes.
    pub(in crate::replay) fn memory_of(&self, number: CommandNumber) -> &[MemoryPiece] {
        self.graph.memory_of(number.0)
    }
}

/// Whether a command of a submission does something by itself.
fn works(step: &ResolvedCommand) -> bool {
    use EffectKind::{Clear, Copy, Dispatch, Draw, Present, Upload};
    matches!(step, ResolvedCommand::Submitted { kind: Upload | Copy | Clear | Draw | Dispatch | Present, .. })
}
