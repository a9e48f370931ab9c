//! The fewest earlier commands of submissions that a frame needs: a walk backwards from what it reads and shows.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use foldhash::HashSet;

use super::TraceIndex;
use super::checkpoints::{CheckpointPlan, CheckpointSlice};
use super::intervals::Intervals;
use super::part_history::Written;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::error::Internal;
use crate::replay::d3d::{AccessKind, ObjectKey};

/// Something that is still to be looked at.
pub(super) enum Wanted {
    /// A command, for what it makes or sets.
    Command(u32),
    /// A command, for what it writes.
    Writer(u32),
    /// What parts of an object hold before the command with the number `before`.
    Parts { object: ObjectKey, parts: Range<u32>, before: u32 },
}

/// Collects what the commands of submissions need.
pub(super) struct PartNeed<'a> {
    index: &'a TraceIndex,
    /// What it is needed for, ascending.
    own: Vec<Range<u32>>,
    wanted: Vec<Wanted>,
    /// Commands that are needed, or the frame's own.
    reached: HashSet<u32>,
    /// Those of them whose writes are needed.
    writers: HashSet<u32>,
    /// By command and object: the parts whose contents before the command are needed already.
    continued: HashMap<(u32, ObjectKey), Intervals>,
    /// Ends of names that a command refers to.
    ends: HashSet<u32>,
    /// Copies of parts that are at hand.
    plan: &'a CheckpointPlan,
    /// Those that are used, by their number in the plan.
    restored: BTreeSet<usize>,
}

impl TraceIndex {
    /// What the commands `own` need of those before them, ascending.
    pub(super) fn earlier_of_submissions(&self, own: Range<u32>) -> Result<Vec<u32>, Internal> {
        let earlier = self.earlier_from_checkpoints(own, &CheckpointPlan::default())?.earlier;
        Ok(earlier.into_iter().map(|number| number.0).collect())
    }

    /// The same from copies of parts, where they are at hand.
    pub(super) fn earlier_from_checkpoints(
        &self,
        own: Range<u32>,
        plan: &CheckpointPlan,
    ) -> Result<CheckpointSlice, Internal> {
        PartNeed::of(self, vec![own], plan)?.finish()
    }

    /// What the commands of all the ranges `own`, which are ascending, need together of those of submissions that are in
    /// none of them, ascending, with what those among `own` owe it to that are refused: whoever carries out all of `own`
    /// anew, and not only what the index lets through, finds the same ones refused.
    ///
    /// That is more than the slices of each have: where two of them need objects that had one handle in turn, it has to be
    /// taken in between.
    pub fn earlier_of_all(&self, own: &[Range<u32>]) -> Result<Vec<CommandNumber>, Internal> {
        let plan = CheckpointPlan::default();
        let mut need = PartNeed::of(self, own.to_vec(), &plan)?;
        for (number, causes) in own.iter().flat_map(|own| self.graph.refusals(own.clone())) {
            causes?.iter().try_for_each(|cause| need.refer(number, *cause))?;
        }
        Ok(need.finish()?.earlier)
    }

    /// The allocation of guest memory that a command of a submission names, if it names one.
    pub fn allocation_of(&self, number: CommandNumber) -> Option<u32> {
        self.graph.allocation(number.0)
    }

    /// The lowest screen that anything is presented to by submissions.
    pub fn lowest_scanout(&self) -> Option<u32> {
        self.graph.lowest_scanout()
    }

    /// The present whose picture is shown after the command before `end`: the last to the lowest screen.
    pub fn shown_before(&self, end: u32) -> Option<CommandNumber> {
        let scanout = self.graph.lowest_scanout()?;
        let shown = self.graph.presents_before(end).find(|present| present.scanout == scanout)?;
        Some(CommandNumber(shown.number))
    }

    fn node(&self, number: u32) -> Result<Option<u32>, Internal> {
        match *self.require_step(CommandNumber(number))? {
            ResolvedCommand::Submitted { node, .. } => Ok(Some(node)),
            _ => Ok(None),
        }
    }
}

impl<'a> PartNeed<'a> {
    /// What the commands `own` need, and what they show.
    fn of(index: &'a TraceIndex, own: Vec<Range<u32>>, plan: &'a CheckpointPlan) -> Result<Self, Internal> {
        let mut need = Self { own: own.clone(), ..Self::of_nothing(index, plan) };
        for own in own {
            for number in own.clone() {
                need.command(number)?;
                need.reads(number, |kind| kind == AccessKind::Read)?;
            }
            if let Some(present) = index.shown_before(own.end) {
                need.wanted.push(Wanted::Writer(present.0));
            }
        }
        Ok(need)
    }

    /// Needs nothing yet.
    pub(super) fn of_nothing(index: &'a TraceIndex, plan: &'a CheckpointPlan) -> Self {
        Self {
            index,
            own: Vec::new(),
            wanted: Vec::new(),
            reached: HashSet::default(),
            writers: HashSet::default(),
            continued: HashMap::new(),
            ends: HashSet::default(),
            plan,
            restored: BTreeSet::new(),
        }
    }

    /// Needs this.
    pub(super) fn want(&mut self, wanted: Wanted) {
        self.wanted.push(wanted);
    }

    /// Needs what a command refers to.
    pub(super) fn command(&mut self, number: u32) -> Result<(), Internal> {
        if !self.reached.insert(number) {
            return Ok(());
        }
        // Those of Appendix A are not in the graph.
        if let Some(node) = self.index.node(number)? {
            for reference in self.index.graph.references(node)? {
                self.refer(number, reference)?;
            }
        }
        Ok(())
    }

    /// The command `number` refers to another.
    fn refer(&mut self, number: u32, reference: u32) -> Result<(), Internal> {
        if reference >= number {
            return Err(Internal::new("a command refers to one that does not stand before it"));
        }
        if self.reached.contains(&reference) {
            return Ok(());
        }
        // An end of a name matters only to what had the name, and that is known last.
        match self.index.graph.is_end(reference) {
            true => {
                self.ends.insert(reference);
            }
            false => self.wanted.push(Wanted::Command(reference)),
        }
        Ok(())
    }

    /// Needs what a command reads, as far as `counts` says.
    pub(super) fn reads(&mut self, number: u32, counts: impl Fn(AccessKind) -> bool) -> Result<(), Internal> {
        let Some(node) = self.index.node(number)? else { return Ok(()) };
        for access in self.index.graph.accesses(node)?.filter(|access| counts(access.kind)) {
            self.wanted.push(Wanted::Parts { object: access.object, parts: access.parts(), before: number });
        }
        Ok(())
    }

    fn look_at(&mut self, wanted: Wanted) -> Result<(), Internal> {
        match wanted {
            Wanted::Command(number) => self.command(number),
            Wanted::Writer(number) => {
                if self.writers.insert(number) {
                    self.command(number)?;
                    self.reads(number, |kind| matches!(kind, AccessKind::Read | AccessKind::Test))?;
                }
                Ok(())
            }
            Wanted::Parts { object, parts, before } => self.parts(object, parts, before),
        }
    }

    fn parts(&mut self, object: ObjectKey, parts: Range<u32>, before: u32) -> Result<(), Internal> {
        // Without a history all of it is as it was made.
        let Some(history) = self.index.graph.history(object) else { return Ok(()) };
        for written in history.writers_of(parts, before)? {
            match self.plan.has(object) {
                true => self.written_since_copies(object, written, before),
                false => self.written(object, written),
            }
        }
        Ok(())
    }

    /// Needs a write, or a copy that was taken since.
    fn written_since_copies(&mut self, object: ObjectKey, Written { parts, by }: Written, before: u32) {
        // A copy of a buffer is of all of it.
        let is_buffer = self.index.graph.part_sizes(object).is_some_and(|sizes| sizes.is_buffer());
        let (first, count) = (parts.start, if is_buffer { 1 } else { parts.end - parts.start });
        for part in first..first + count {
            let own = if is_buffer { parts.clone() } else { part..part + 1 };
            match self.plan.between(object, part, by.number(), before) {
                Some(copy) => {
                    self.restored.insert(copy);
                }
                None => self.written(object, Written { parts: own, by }),
            }
        }
    }

    /// Needs a write, and what shows through it.
    fn written(&mut self, object: ObjectKey, Written { parts, by }: Written) {
        let number = by.number();
        self.wanted.push(Wanted::Writer(number));
        if by.is_partial() {
            let continued = self.continued.entry((number, object)).or_default();
            let all = u64::from(parts.start)..u64::from(parts.end);
            for missing in continued.missing(all.clone()) {
                let parts = missing.start as u32..missing.end as u32;
                self.wanted.push(Wanted::Parts { object, parts, before: number });
            }
            continued.insert(all);
        }
    }

    pub(super) fn finish(mut self) -> Result<CheckpointSlice, Internal> {
        loop {
            while let Some(wanted) = self.wanted.pop() {
                self.look_at(wanted)?;
            }
            let ends = self.ends_to_carry_out();
            let new: Vec<u32> = ends.into_iter().filter(|end| !self.reached.contains(end)).collect();
            if new.is_empty() {
                break;
            }
            self.wanted.extend(new.into_iter().map(Wanted::Command));
        }
        let is_own = |number: &u32| {
            let behind = self.own.partition_point(|own| own.end <= *number);
            self.own.get(behind).is_some_and(|own| own.contains(number))
        };
        let earlier = self.reached.iter().copied().filter(|number| !is_own(number)).map(CommandNumber);
        let mut earlier: Vec<CommandNumber> = earlier.collect();
        earlier.sort_unstable();
        let lost = Internal::new("a copy is used that is not in the plan");
        let copy = |copy: usize| self.plan.checkpoints().get(copy).cloned().ok_or(lost);
        let restored = self.restored.iter().map(|number| copy(*number)).collect::<Result<_, _>>()?;
        Ok(CheckpointSlice { earlier, restored })
    }

    /// The ends of names without which a handle would still, or again, mean something that is needed.
    fn ends_to_carry_out(&self) -> Vec<u32> {
        let graph = &self.index.graph;
        let named = self.reached.iter().chain(&self.ends);
        let handles: HashSet<u32> = named.filter_map(|number| graph.handle_of(*number)).collect();
        let mut ends = Vec::new();
        for handle in handles {
            let has = |number| self.reached.contains(&number);
            graph.needed_ends(handle, has, |number| self.ends.contains(&number), |end| ends.push(end));
        }
        ends
    }
}
