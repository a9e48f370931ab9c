//! What the commands of submissions depend on: for each the commands that it refers to, and the parts of objects that it
//! reads and writes.
//!
//! ```text
//!   PRESENT ──reads──► part of a texture ──last writer──► DRAW ──refers──► SETs in force, creations
//!                                                          ├──reads──► parts of textures and buffers ──► …
//!                                                          └──modifies─► the same part, before it ──► DRAW, CLEAR …
//! ```
//!
//! A write of a whole part ends a chain; one that lets through what was there continues it. Who wrote which parts is kept
//! by object ([`PartHistory`]), so an edge to a writer is found when a slice asks for it and takes no memory.

use std::collections::BTreeSet;
use std::ops::Range;

use foldhash::HashMap;

use super::names::Names;
use super::nodes::{DrawChange, NO_NODE, Nodes, Span};
use super::part_history::{PartHistory, WriteNumber};
use crate::error::Internal;
pub(super) use crate::replay::d3d::PartSizes;
use crate::replay::d3d::{AccessKind, ContextNumber, DrawUses, EarlierCommand, Effect, ObjectKey};
use crate::replay::guest_memory::MemoryPiece;

/// The commands of submissions.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Nodes,
    histories: Vec<PartHistory>,
    /// By object of submissions: which history is its own. One that nobody wrote has none.
    history_numbers: HashMap<ObjectKey, u32>,
    /// The one that was asked for last: uploads and copies come in rows.
    last_history: Option<(ObjectKey, u32)>,
    /// By context: what its draws write until something of that changes.
    drawn: Vec<Vec<DrawnPart>>,
    /// When handles were given a meaning and when that ended.
    names: Names,
    presents: Vec<Presented>,
    /// The screens of all of them.
    scanouts: BTreeSet<u32>,
    /// By object: the commands that created it, the first and those that have bound its backing anew.
    creations: HashMap<ObjectKey, Vec<u32>>,
    sizes: HashMap<ObjectKey, PartSizes>,
    /// By number: guest memory that a command takes.
    memory: HashMap<u32, Box<[MemoryPiece]>>,
    /// The commands that name guest memory, each with the allocation.
    allocations: Vec<(u32, u32)>,
    /// The commands that are refused, each with those without which it might not be.
    refusals: Vec<(u32, Span)>,
    causes: Vec<u32>,
    /// The commands that let other processes have textures.
    exports: Vec<(u32, ObjectKey)>,
    /// By number of the command, those without which it may do something else where others are left out.
    carried_with: Vec<(u32, [EarlierCommand; 2])>,
}

/// Parts that draws write.
#[derive(Clone, Copy, Debug)]
struct DrawnPart {
    history: u32,
    start: u32,
    end: u32,
}

/// A present, by the number of the command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presented {
    pub number: u32,
    pub scanout: u32,
}

const NO_HISTORY: Internal = Internal::new("an object has lost its history");

/// How much a graph holds when something goes wrong behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct GraphMark {
    nodes: usize,
    presents: usize,
}

impl Graph {
    /// Takes in what the command with this number does; gives the number of its node. `drawn` is what it uses beside if it
    /// draws.
    pub(super) fn push(&mut self, number: u32, effect: &Effect, drawn: Option<&DrawUses>) -> Result<u32, Internal> {
        self.push_setting(number, effect)?;
        if effect.carried_with != [EarlierCommand::NONE; 2] {
            self.carried_with.push((number, effect.carried_with));
        }
        self.names.set(number, &effect.set_handles);
        if effect.is_nothing() {
            return Ok(NO_NODE);
        }
        let node = self.nodes.len() as u32;
        if let Some((context, drawn)) = effect.draws_in.zip(drawn) {
            self.push_draw(number, context, effect, drawn)?;
            return Ok(node);
        }
        self.nodes.push(effect);
        for access in &effect.accesses {
            let write = match access.kind {
                AccessKind::Write => Some(WriteNumber::whole(number)),
                AccessKind::Modify => Some(WriteNumber::partial(number)),
                AccessKind::Read | AccessKind::Test => None,
            };
            if let Some(write) = write {
                let history = self.history_number(access.object);
                self.history_mut(history)?.write(write, access.parts());
            }
        }
        self.note_rest(number, effect);
        Ok(node)
    }

    /// Takes in a command that sets at most a render state; gives the number of the node that all of them have.
    #[inline]
    pub(super) fn push_setting(&mut self, number: u32, effect: &Effect) -> Result<u32, Internal> {
        if let Some((context, state)) = effect.render_state {
            self.nodes.set_render_state(number, context, state)?;
        }
        Ok(NO_NODE)
    }

    fn push_draw(
        &mut self,
        number: u32,
        context: ContextNumber,
        effect: &Effect,
        drawn: &DrawUses,
    ) -> Result<(), Internal> {
        let change = self.nodes.push_draw(context, effect, drawn)?;
        let at = context.0 as usize;
        if change == DrawChange::Uses {
            let mut parts = Vec::new();
            for access in drawn.groups().iter().flat_map(|group| &group.accesses) {
                match access.kind {
                    AccessKind::Modify => {
                        let history = self.history_number(access.object);
                        parts.push(DrawnPart { history, start: access.start, end: access.end });
                    }
                    AccessKind::Write => return Err(Internal::new("a draw that blends is recorded as opaque")),
                    AccessKind::Read | AccessKind::Test => {}
                }
            }
            if self.drawn.len() <= at {
                self.drawn.resize_with(at + 1, Vec::new);
            }
            self.drawn.splice(at..=at, [parts]);
        }
        self.write_drawn(number, context)
    }

    /// Takes in a draw that uses what the draw before it in its context does, but for its vertices.
    #[inline]
    pub(super) fn push_repeated_draw(
        &mut self,
        number: u32,
        context: ContextNumber,
        effect: &Effect,
    ) -> Result<u32, Internal> {
        let node = self.nodes.len() as u32;
        self.nodes.push_repeated_draw(context, effect)?;
        self.write_drawn(number, context)?;
        Ok(node)
    }

    /// The command with this number writes what the draws of a context do.
    #[inline]
    fn write_drawn(&mut self, number: u32, context: ContextNumber) -> Result<(), Internal> {
        let lost = Internal::new("the writes of a context's draws are unknown");
        for DrawnPart { history, start, end } in self.drawn.get(context.0 as usize).ok_or(lost)? {
            let history = self.histories.get_mut(*history as usize).ok_or(NO_HISTORY)?;
            history.write(WriteNumber::partial(number), *start..*end);
        }
        Ok(())
    }

    /// Takes in what few commands do.
    fn note_rest(&mut self, number: u32, effect: &Effect) {
        effect.name.into_iter().for_each(|change| self.names.change(number, change));
        if let Some((object, sizes)) = effect.created {
            self.sizes.insert(object, sizes);
            self.creations.entry(object).or_default().push(number);
        }
        if !effect.memory.is_empty() {
            self.memory.insert(number, effect.memory.as_slice().into());
        }
        if let Some(scanout) = effect.scanout {
            self.presents.push(Presented { number, scanout });
            self.scanouts.insert(scanout);
        }
        self.exports.extend(effect.exported.map(|texture| (number, texture)));
        if let Some(allocation) = effect.allocation {
            self.allocations.push((number, allocation));
        }
        self.note_refusal(number, &effect.causes);
    }

    /// Makes room for what happens to another object; says by which number.
    pub(super) fn add_history(&mut self) -> u32 {
        self.histories.push(PartHistory::default());
        (self.histories.len() - 1) as u32
    }

    /// What happened to an object, by the number of its history.
    pub(super) fn history_mut(&mut self, number: u32) -> Result<&mut PartHistory, Internal> {
        self.histories.get_mut(number as usize).ok_or(NO_HISTORY)
    }

    /// The number of the history of an object of submissions, which begins now if it has none.
    #[inline]
    fn history_number(&mut self, object: ObjectKey) -> u32 {
        match self.last_history.filter(|(last, _)| *last == object) {
            Some((_, number)) => number,
            None => self.other_history_number(object),
        }
    }

    #[inline(never)]
    fn other_history_number(&mut self, object: ObjectKey) -> u32 {
        let next = self.histories.len() as u32;
        let number = *self.history_numbers.entry(object).or_insert(next);
        if number == next {
            self.add_history();
        }
        self.last_history = Some((object, number));
        number
    }

    /// Takes in that the command with this number is refused because of what the commands `causes` did.
    pub(super) fn note_refusal(&mut self, number: u32, causes: &[u32]) {
        if !causes.is_empty() {
            let last = self.refusals.last().map_or(Span::EMPTY, |(_, causes)| *causes);
            let causes = Span::add(&mut self.causes, causes, last);
            self.refusals.push((number, causes));
        }
    }

    /// The commands among `numbers` that are refused, each with those without which it might not be.
    pub(super) fn refusals(&self, numbers: Range<u32>) -> impl Iterator<Item = (u32, Result<&[u32], Internal>)> {
        let [start, end] = [numbers.start, numbers.end].map(|end| self.refusals.partition_point(|(at, _)| *at < end));
        let refused = self.refusals.get(start..end).into_iter().flatten();
        refused.map(|(number, causes)| (*number, causes.of(&self.causes)))
    }

    /// The allocation of guest memory that a command names.
    pub(super) fn allocation(&self, number: u32) -> Option<u32> {
        let at = self.allocations.partition_point(|(at, _)| *at < number);
        self.allocations.get(at).filter(|(at, _)| *at == number).map(|(_, allocation)| *allocation)
    }

    /// The texture that the command with this number lets other processes have.
    pub(super) fn exported_by(&self, number: u32) -> Option<ObjectKey> {
        let at = self.exports.partition_point(|(at, _)| *at < number);
        self.exports.get(at).filter(|(at, _)| *at == number).map(|(_, texture)| *texture)
    }

    /// The textures that commands before the one with this number let other processes have.
    pub(super) fn exports_before(&self, number: u32) -> impl Iterator<Item = ObjectKey> {
        let count = self.exports.partition_point(|(at, _)| *at < number);
        self.exports.iter().take(count).map(|(_, texture)| *texture)
    }

    /// The commands without which the one with this number may do something else where others are left out.
    pub(super) fn carried_with(&self, number: u32) -> impl Iterator<Item = u32> {
        let at = self.carried_with.partition_point(|(at, _)| *at < number);
        let found = self.carried_with.get(at).filter(|(at, _)| *at == number);
        found.into_iter().flat_map(|(_, with)| with).filter_map(|with| with.get())
    }

    /// No command follows.
    pub(super) fn finish(&mut self) {
        self.histories.iter_mut().for_each(PartHistory::finish);
        self.nodes.finish();
        self.drawn = Vec::new();
    }

    /// What each command depends on.
    pub(super) fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// How large the parts of an object are; nothing of one that no command made.
    pub(super) fn part_sizes(&self, object: ObjectKey) -> Option<&PartSizes> {
        self.sizes.get(&object)
    }

    /// The last command before `before` that created an object.
    pub(super) fn creation_before(&self, object: ObjectKey, before: u32) -> Option<u32> {
        self.creations.get(&object)?.iter().rev().find(|number| **number < before).copied()
    }

    /// Guest memory that the command with this number takes, in the order of the bytes that it writes.
    pub(super) fn memory_of(&self, number: u32) -> &[MemoryPiece] {
        self.memory.get(&number).map_or(&[], |pieces| pieces)
    }

    /// Who wrote parts of an object of submissions; nobody wrote any of one without a history.
    pub(super) fn history(&self, object: ObjectKey) -> Result<Option<&PartHistory>, Internal> {
        self.history_numbers.get(&object).map(|number| self.numbered_history(*number)).transpose()
    }

    /// Who wrote parts of an object, by the number of its history.
    pub(super) fn numbered_history(&self, number: u32) -> Result<&PartHistory, Internal> {
        self.histories.get(number as usize).ok_or(NO_HISTORY)
    }

    /// Breaks the graph on purpose: nothing is known of what was written.
    #[cfg(test)]
    pub(super) fn break_histories(&mut self) {
        self.histories.clear();
    }

    /// The bytes of all that is kept of edges.
    pub(super) fn size_bytes(&self) -> u64 {
        let histories: u64 = self.histories.iter().map(PartHistory::size_bytes).sum();
        self.nodes.size_bytes() + size_of_val(self.presents.as_slice()) as u64 + histories
    }

    /// The presents before the command with the number `end`, the last one first.
    pub(super) fn presents_before(&self, end: u32) -> impl Iterator<Item = Presented> {
        let count = self.presents.partition_point(|present| present.number < end);
        self.presents.iter().take(count).rev().copied()
    }

    /// The screen that the command with this number shows a target on, if it does.
    pub(super) fn scanout_of(&self, number: u32) -> Option<u32> {
        let at = self.presents.partition_point(|present| present.number < number);
        self.presents.get(at).filter(|present| present.number == number).map(|present| present.scanout)
    }

    /// The lowest screen that anything is presented to.
    pub(super) fn lowest_scanout(&self) -> Option<u32> {
        self.scanouts.first().copied()
    }

    /// The screens that anything is presented to, ascending.
    pub(super) fn scanouts(&self) -> &BTreeSet<u32> {
        &self.scanouts
    }

    /// When handles were given a meaning and when that ended.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// How much there is.
    pub(super) fn mark(&self) -> GraphMark {
        GraphMark { nodes: self.nodes.len(), presents: self.presents.len() }
    }

    /// Forgets what came after `mark`, whose commands have numbers from `number` on.
    pub(super) fn truncate(&mut self, mark: GraphMark, number: u32) {
        self.nodes.truncate(mark.nodes, number);
        self.drawn.clear();
        self.presents.truncate(mark.presents);
        self.scanouts = self.presents.iter().map(|present| present.scanout).collect();
        self.allocations.truncate(self.allocations.partition_point(|(at, _)| *at < number));
        self.refusals.truncate(self.refusals.partition_point(|(at, _)| *at < number));
        self.exports.truncate(self.exports.partition_point(|(at, _)| *at < number));
        self.carried_with.truncate(self.carried_with.partition_point(|(at, _)| *at < number));
        self.histories.iter_mut().for_each(|history| history.truncate(number));
        self.names.truncate(number);
        self.creations.values_mut().for_each(|numbers| numbers.retain(|creation| *creation < number));
        self.memory.retain(|taker, _| *taker < number);
    }
}
