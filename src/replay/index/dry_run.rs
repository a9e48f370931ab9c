//! Carrying out a slice of submissions on nothing but numbers of writes: shows, before a GPU does any of it, that every
//! command of the frame reads what it reads in the trace, and what the GPU holds afterwards.
//!
//! A walk backwards says which commands are needed; this is the way forwards. Neither knows how the other comes to its answer.

use foldhash::{HashMap, HashSet};

use super::TraceIndex;
use super::at_hand::AtHand;
use super::checkpoints::PartCheckpoint;
use super::intervals::Intervals;
use super::resolved_command::{CommandNumber, ResolvedCommand};
use crate::error::Internal;
use crate::replay::d3d::{Access, AccessKind, ObjectKey};

/// A slice on its way.
pub(super) struct DryRun<'a> {
    index: &'a TraceIndex,
    /// What a GPU holds.
    held: AtHand,
    /// Objects that are there though the slice makes them.
    kept: HashSet<ObjectKey>,
    /// Parts that are known to be as in the trace since the frame's own commands have begun, which leave nothing out.
    known: HashMap<ObjectKey, Intervals>,
    /// Those of them that hold something of another time than was read.
    of_other_time: HashSet<ObjectKey>,
}

/// How much a command has to have right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carried {
    /// Whatever comes of it: it may be there for its meaning alone.
    Earlier,
    /// It is one of the frame's own, between which nothing is left out.
    Own,
}

impl<'a> DryRun<'a> {
    /// Begins with what a GPU holds.
    pub(super) fn new(index: &'a TraceIndex, held: AtHand) -> Self {
        let kept = held.objects().collect();
        Self { index, held, kept, known: HashMap::default(), of_other_time: HashSet::default() }
    }

    /// Carries out a command; whether it reads what it reads in the trace.
    pub(super) fn carry_out(&mut self, CommandNumber(number): CommandNumber, as_: Carried) -> Result<bool, Internal> {
        // silent: it is refused, or sets something alone
        let ResolvedCommand::Submitted { node, .. } = self.index.require_step(CommandNumber(number))? else {
            return Ok(true);
        };
        let accesses: Vec<Access> = self.index.graph.nodes().accesses(node)?.copied().collect();
        let (mut reads_right, mut tests_right) = (true, true);
        for access in &accesses {
            match access.kind {
                AccessKind::Read => reads_right &= self.is_right(access, number, as_)?,
                AccessKind::Test => tests_right &= self.is_right(access, number, as_)?,
                AccessKind::Modify | AccessKind::Write => {}
            }
        }
        // What shows through is looked at before anything is written.
        let mut written = Vec::new();
        for access in accesses {
            let is_right = reads_right && tests_right;
            match access.kind {
                AccessKind::Write => written.push((access, is_right)),
                AccessKind::Modify if is_right && self.is_right(&access, number, as_)? => written.push((access, true)),
                AccessKind::Modify => {
                    written.push((access, false));
                    // Each part for itself.
                    let same = self.held.as_in_trace(self.index, access.object, access.parts(), number)?;
                    let same = same.intervals().filter(|_| is_right).map(|parts| Access {
                        start: parts.start as u32,
                        end: parts.end as u32,
                        ..access
                    });
                    written.extend(same.map(|access| (access, true)));
                }
                AccessKind::Read | AccessKind::Test => {}
            }
        }
        let made = ObjectKey::made_by(number);
        // What is there is not made again, nor filled with what it was made with.
        if !self.kept.contains(&made) {
            if self.index.graph.part_sizes(made).is_some() {
                self.held.make(made);
            }
            for (access, is_right) in written {
                self.write(&access, number, is_right);
            }
        }
        Ok(reads_right)
    }

    fn write(&mut self, access: &Access, number: u32, is_right: bool) {
        self.held.write(access.object, access.parts(), number, is_right);
        let known = self.known.entry(access.object).or_default();
        let parts = u64::from(access.start)..u64::from(access.end);
        match is_right {
            true => known.insert(parts),
            false => known.remove(parts),
        }
    }

    fn is_right(&mut self, access: &Access, number: u32, as_: Carried) -> Result<bool, Internal> {
        let parts = u64::from(access.start)..u64::from(access.end);
        if as_ == Carried::Own {
            let known = self.known.get(&access.object).and_then(|known| known.interval_at(parts.start));
            if known.is_some_and(|known| parts.end <= known.end) {
                return Ok(true);
            }
        }
        // A context's back buffer is there when it is drawn to.
        if access.object.creation().is_none() && !self.held.has(access.object) {
            self.held.make(access.object);
        }
        let is_right = self.held.is_as_in_trace(self.index, access.object, access.parts(), number)?;
        match is_right {
            true if as_ == Carried::Own => self.known.entry(access.object).or_default().insert(parts),
            true => {}
            // What was written from something wrong is not to blame.
            false if self.kept.contains(&access.object) && self.held.is_of_trace(access.object, access.parts()) => {
                self.of_other_time.insert(access.object);
            }
            false => {}
        }
        Ok(is_right)
    }

    /// The frame's own commands begin.
    pub(super) fn begin_own(&mut self) {
        self.known.clear();
    }

    /// A copy takes the place of what a GPU holds of parts of an object.
    pub(super) fn restore(&mut self, copy: &PartCheckpoint) -> Result<(), Internal> {
        for parts in self.index.copied_parts(copy)? {
            self.held.restore(self.index, copy.object, parts, copy.at.0)?;
        }
        Ok(())
    }

    /// Whether a copy can be taken now, before its command.
    pub(super) fn can_copy(&self, copy: &PartCheckpoint) -> Result<bool, Internal> {
        for parts in self.index.copied_parts(copy)? {
            if !self.held.is_as_in_trace(self.index, copy.object, parts, copy.at.0)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The objects that were held and have had something of another time than was read.
    pub(super) fn into_of_other_time(self) -> HashSet<ObjectKey> {
        self.of_other_time
    }

    /// What a GPU holds now.
    pub(super) fn held(&self) -> &AtHand {
        &self.held
    }

    /// What a GPU holds when all is done.
    pub(super) fn into_held(self) -> AtHand {
        let mut held = self.held;
        // What was written back to guest memory is gone with its submission.
        let gone: Vec<_> = held.objects().filter(|object| self.index.graph.part_sizes(*object).is_none()).collect();
        gone.into_iter().for_each(|object| held.forget(object));
        held
    }
}
