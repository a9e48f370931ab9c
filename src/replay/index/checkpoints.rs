//! Which parts of which objects are worth a copy on the way, so that no slice grows without end.
//!
//! A target that is drawn over and never cleared, two textures drawn from one another in turn, a sum that grows from frame to
//! frame: each makes every later picture depend on all of its writes. A copy of the part from somewhere in between ends the
//! chain. Where copies are taken is decided here, from the writes alone; whoever has a GPU fills them, and a slice begins at
//! those that are filled.

use std::ops::Range;

use foldhash::HashMap;

use super::TraceIndex;
use super::graph::PartSizes;
use super::need::Need;
use super::resolved_command::CommandNumber;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::d3d::ObjectKey;

/// Writes that let through what was there, after which a copy is worth its bytes.
const SHORTEST_INTERVAL: u32 = 64;

/// A copy of parts of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartCheckpoint {
    /// The object.
    pub object: ObjectKey,
    /// Its parts: one of a texture, all of a buffer.
    pub parts: Range<u32>,
    /// They are as they are before this command, the first of its frame.
    pub at: CommandNumber,
    /// Bytes of the copy.
    pub size_bytes: u64,
}

/// Where copies are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckpointPlan {
    /// The copies, by object, first part and place.
    checkpoints: Vec<PartCheckpoint>,
    interval: u32,
}

impl CheckpointPlan {
    /// The copies, by object, first part and place.
    pub fn checkpoints(&self) -> &[PartCheckpoint] {
        &self.checkpoints
    }

    /// After how many writes that let through what was there a part is copied, at the next frame's start.
    pub fn interval(&self) -> u32 {
        self.interval
    }

    /// Bytes of all copies together.
    pub fn size_bytes(&self) -> u64 {
        self.checkpoints.iter().map(|checkpoint| checkpoint.size_bytes).sum()
    }

    /// The same, with only the copies that `is_filled` picks.
    pub fn filled(&self, is_filled: impl Fn(&PartCheckpoint) -> bool) -> Self {
        let checkpoints = self.checkpoints.iter().filter(|checkpoint| is_filled(checkpoint)).cloned().collect();
        Self { checkpoints, interval: self.interval }
    }

    /// The picture of the implicit target as it is before the command `at`, which is at hand, whatever its size.
    pub(super) fn of_picture(at: CommandNumber) -> Self {
        let picture = PartCheckpoint { object: ObjectKey::TARGET, parts: 0..1, at, size_bytes: 0 };
        Self { checkpoints: vec![picture], interval: 0 }
    }

    /// A copy, by its number.
    pub(super) fn get(&self, number: usize) -> Result<&PartCheckpoint, Internal> {
        self.checkpoints.get(number).ok_or(Internal::new("a copy is used that is not in the plan"))
    }

    /// The last copy of a part from before the command `before`, and that command's number.
    pub(super) fn last_before(&self, object: ObjectKey, part: u32, before: u32) -> Option<(usize, CommandNumber)> {
        // Those of a buffer begin with its first byte.
        [part, 0].into_iter().find_map(|first| {
            let end = self.checkpoints.partition_point(|checkpoint| {
                (checkpoint.object, checkpoint.parts.start, checkpoint.at.0) <= (object, first, before)
            });
            let at = end.checked_sub(1)?;
            let found = self.checkpoints.get(at)?;
            (found.object == object && found.parts.contains(&part)).then_some((at, found.at))
        })
    }

    /// Whether there is any copy of an object.
    pub(super) fn has(&self, object: ObjectKey) -> bool {
        let first = self.checkpoints.partition_point(|checkpoint| checkpoint.object < object);
        self.checkpoints.get(first).is_some_and(|checkpoint| checkpoint.object == object)
    }
}

/// What has to be carried out to show a frame from copies of parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointSlice {
    /// Commands before the frame that it depends on, ascending.
    pub earlier: Vec<CommandNumber>,
    /// The copies that take the place of others.
    pub restored: Vec<PartCheckpoint>,
}

impl TraceIndex {
    /// Copies of at most `budget_bytes` together, where chains are longest: with the shortest interval that keeps to it.
    pub fn plan_checkpoints(&self, budget_bytes: u64) -> Result<CheckpointPlan, Internal> {
        let mut interval = SHORTEST_INTERVAL;
        loop {
            let plan = self.plan_with(interval)?;
            if plan.size_bytes() <= budget_bytes {
                return Ok(plan);
            }
            match interval.checked_mul(2) {
                Some(longer) => interval = longer,
                None => return Ok(CheckpointPlan::default()),
            }
        }
    }

    fn plan_with(&self, interval: u32) -> Result<CheckpointPlan, Internal> {
        let mut checkpoints = Vec::new();
        for (object, history) in self.graph.written_objects() {
            let Some(sizes) = self.graph.part_sizes(object) else { continue };
            let mut chains: HashMap<u32, u32> = HashMap::default();
            for write in history?.writes() {
                let (parts, is_partial) = (write.parts(), write.by.is_partial());
                // A buffer is copied whole, so only a write of all of it ends its chain.
                let ends =
                    !is_partial && (!sizes.is_buffer() || Some(&parts) == sizes.part(0).map(|(all, _)| all).as_ref());
                let parts = if sizes.is_buffer() { 0..1 } else { parts };
                for part in parts {
                    let chain = chains.entry(part).or_default();
                    *chain = match (ends, is_partial) {
                        (true, _) => 0,
                        (false, true) => *chain + 1,
                        (false, false) => *chain,
                    };
                    if *chain >= interval
                        && let Some(at) = self.next_frame(write.by.number())
                    {
                        *chain = 0;
                        checkpoints.push(checkpoint(object, part, at, sizes)?);
                    }
                }
            }
        }
        checkpoints.sort_by_key(|checkpoint| (checkpoint.object, checkpoint.parts.start, checkpoint.at));
        checkpoints.dedup();
        Ok(CheckpointPlan { checkpoints, interval })
    }

    /// The first command of the frame behind the one that has the command `number`.
    fn next_frame(&self, number: u32) -> Option<CommandNumber> {
        let next = self.frame_starts.partition_point(|start| *start <= number);
        // The last of them is the end of the trace.
        let at = *self.frame_starts.get(next)?;
        (next + 1 < self.frame_starts.len()).then_some(CommandNumber(at))
    }

    /// The slice of a frame up to the command before `end`, from the copies of `plan` where they help; nothing if the frame
    /// is not in the index.
    pub fn slice_from_checkpoints(
        &self,
        frame: FrameIndex,
        end: u32,
        plan: &CheckpointPlan,
    ) -> Result<Option<CheckpointSlice>, Internal> {
        let of = |own: Range<u32>| {
            let own = own.start..end.clamp(own.start, own.end);
            let mut need = Need::of(self, std::slice::from_ref(&own), plan)?;
            Ok(CheckpointSlice { earlier: need.earlier()?, restored: need.restored()? })
        };
        self.commands_of(frame).map(of).transpose()
    }
}

fn checkpoint(object: ObjectKey, part: u32, at: CommandNumber, sizes: &PartSizes) -> Result<PartCheckpoint, Internal> {
    let lost = Internal::new("a part was written that its object does not have");
    let (parts, size_bytes) = sizes.part(part).ok_or(lost)?;
    Ok(PartCheckpoint { object, parts, at, size_bytes })
}
