//! Which parts of which objects are worth a copy on the way, so that no slice grows without end.
//!
//! A target that is drawn over and never cleared, two textures drawn from one another in turn, a sum that grows from frame to
//! frame: each makes every later picture depend on all that led to it. A copy of the part from somewhere in between ends the
//! chain. Where copies are taken is decided here, from what commands read and write alone; whoever has a GPU fills them, and
//! a slice begins at those that are filled.

use std::ops::Range;

use super::TraceIndex;
use super::checkpoint_planner::Planner;
use super::resolved_command::CommandNumber;
use crate::error::Internal;
use crate::replay::d3d::ObjectKey;

/// Commands that draw, copy or run, as many as which have to be carried out again at most, if copies of that many bytes may
/// be kept.
const SHORTEST_INTERVAL: u32 = 64;

/// A copy of parts of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartCheckpoint {
    /// The object.
    pub object: ObjectKey,
    /// Its parts: one of a texture, whole words of a buffer.
    pub parts: Range<u32>,
    /// They are as before this command, the first of its frame.
    pub at: CommandNumber,
    /// Bytes of the copy.
    pub size_bytes: u64,
}

/// Where copies are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckpointPlan {
    /// The copies, by object and place.
    checkpoints: Vec<PartCheckpoint>,
    interval: u32,
}

impl CheckpointPlan {
    /// The copies, by object and place.
    pub fn checkpoints(&self) -> &[PartCheckpoint] {
        &self.checkpoints
    }

    /// A part is copied that is read when as many commands, or more, have drawn, copied or run since the first of those that
    /// it comes from.
    pub fn interval(&self) -> u32 {
        self.interval
    }

    /// Bytes of all copies together.
    pub fn size_bytes(&self) -> u64 {
        self.checkpoints.iter().map(|checkpoint| checkpoint.size_bytes).sum()
    }

    /// The copies that are taken before any command of `numbers`, which ascend, in the order of their commands.
    pub(super) fn taken_in(&self, numbers: Range<u32>) -> Vec<&PartCheckpoint> {
        let mut taken: Vec<_> = self.checkpoints.iter().filter(|copy| numbers.contains(&copy.at.0)).collect();
        taken.sort_by_key(|copy| copy.at);
        taken
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

    /// The last copy that has all of these parts, of those taken before one of the commands `at`: its number in the plan.
    pub(super) fn last_of(&self, object: ObjectKey, parts: &Range<u32>, at: Range<u32>) -> Option<usize> {
        let [first, end] = [at.start, at.end]
            .map(|at| self.checkpoints.partition_point(|copy| (copy.object, copy.at.0) < (object, at)));
        let of_then = self.checkpoints.get(first..end)?;
        let last = of_then.iter().rposition(|copy| copy.parts.start <= parts.start && parts.end <= copy.parts.end)?;
        Some(first + last)
    }

    /// Whether there is any copy of an object.
    pub(super) fn has(&self, object: ObjectKey) -> bool {
        let first = self.checkpoints.partition_point(|checkpoint| checkpoint.object < object);
        self.checkpoints.get(first).is_some_and(|checkpoint| checkpoint.object == object)
    }
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
        let mut checkpoints = Planner::new(self, interval).plan()?;
        checkpoints.sort_by_key(|copy| (copy.object, copy.at, copy.parts.start, copy.parts.end));
        checkpoints.dedup();
        Ok(CheckpointPlan { checkpoints, interval })
    }

    /// The parts that a copy has, one range for each aspect of a texture.
    pub(super) fn copied_parts(&self, copy: &PartCheckpoint) -> Result<Vec<Range<u32>>, Internal> {
        let sizes = self.graph.part_sizes(copy.object);
        let sizes = sizes.ok_or(Internal::new("an object that no command creates is partly copied"))?;
        Ok(if sizes.is_buffer() { vec![copy.parts.clone()] } else { sizes.copied_with(copy.parts.start) })
    }
}
