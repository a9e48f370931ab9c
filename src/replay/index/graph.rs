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

use std::ops::Range;

use foldhash::HashMap;

use super::part_history::{PartHistory, WriteNumber};
use crate::error::Internal;
pub(super) use crate::replay::d3d::PartSizes;
use crate::replay::d3d::{Access, AccessKind, Effect, EffectKind, NameChange, ObjectKey};
use crate::replay::guest_memory::MemoryPiece;

/// The commands of submissions.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    references: Vec<u32>,
    accesses: Vec<Access>,
    histories: Vec<PartHistory>,
    /// By object of submissions: which history is its own. One that nobody wrote has none.
    history_numbers: HashMap<ObjectKey, u32>,
    /// By handle: when it was given a meaning and when that ended.
    names: HashMap<u32, Vec<NameEvent>>,
    /// The commands that give a handle a meaning or end it, with the handle.
    handles: HashMap<u32, u32>,
    presents: Vec<Presented>,
    /// By context: its last draw, with which the next one shares what is the same.
    last_draws: HashMap<ObjectKey, Node>,
    /// By object: the commands that created it, the first and those that have bound its backing anew.
    creations: HashMap<ObjectKey, Vec<u32>>,
    sizes: HashMap<ObjectKey, PartSizes>,
    /// By number: guest memory that a command takes.
    memory: HashMap<u32, Box<[MemoryPiece]>>,
    /// The commands that name guest memory, each with the allocation.
    allocations: Vec<(u32, u32)>,
    /// The commands that are refused, each with those without which it might not be.
    refusals: Vec<(u32, Span)>,
    /// The commands that let other processes have textures.
    exports: Vec<(u32, ObjectKey)>,
}

/// A present, by the number of the command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presented {
    pub number: u32,
    pub scanout: u32,
}

#[derive(Clone, Copy, Debug)]
enum NameEvent {
    Given(u32),
    Ended(u32),
}

impl NameEvent {
    fn number(self) -> u32 {
        match self {
            Self::Given(number) | Self::Ended(number) => number,
        }
    }
}

/// One command.
#[derive(Clone, Copy, Debug)]
struct Node {
    references: Span,
    settings: Span,
    accesses: Span,
    vertices: Span,
}

impl Node {
    const EMPTY: Self =
        Self { references: Span::EMPTY, settings: Span::EMPTY, accesses: Span::EMPTY, vertices: Span::EMPTY };
}

/// The node of all commands that depend on nothing, and that nothing depends on but as a setting.
const NO_NODE: u32 = u32::MAX;

const NO_HISTORY: Internal = Internal::new("an object has lost its history");

/// A stretch of one of the lists.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    count: u32,
}

impl Span {
    const EMPTY: Self = Self { start: 0, count: 0 };

    fn of<T>(self, list: &[T]) -> Result<&[T], Internal> {
        let start = self.start as usize;
        let stretch = list.get(start..start + self.count as usize);
        stretch.ok_or(Internal::new("a stretch of a graph's list lies past its end"))
    }

    /// Adds `items` to `list`, unless its last stretch is equal.
    fn add<T: Copy + PartialEq>(list: &mut Vec<T>, items: &[T], last: Span) -> Span {
        if items.is_empty() {
            return Self::EMPTY;
        }
        if last.of(list) == Ok(items) {
            return last;
        }
        let span = Span { start: list.len() as u32, count: items.len() as u32 };
        list.extend_from_slice(items);
        span
    }
}

/// How much a graph holds when something goes wrong behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct GraphMark {
    nodes: usize,
    presents: usize,
}

impl Graph {
    /// Takes in what the command with this number does; gives the number of its node.
    pub(super) fn push(&mut self, number: u32, effect: &Effect) -> Result<u32, Internal> {
        if effect.is_nothing() {
            return Ok(NO_NODE);
        }
        let node = self.nodes.len() as u32;
        let last = match effect.context {
            Some(context) => self.last_draws.get(&context).copied(),
            None => self.nodes.last().copied(),
        };
        let last = last.unwrap_or(Node::EMPTY);
        let vertices = Span::add(&mut self.accesses, &effect.vertices, last.vertices);
        let made = if effect.repeats {
            Node { vertices, ..last }
        } else {
            Node {
                references: Span::add(&mut self.references, &effect.references, last.references),
                settings: Span::add(&mut self.references, &effect.settings, last.settings),
                accesses: Span::add(&mut self.accesses, &effect.accesses, last.accesses),
                vertices,
            }
        };
        self.nodes.push(made);
        if let Some(context) = effect.context {
            self.last_draws.insert(context, made);
        }
        for access in &effect.accesses {
            let write = match access.kind {
                AccessKind::Write => Some(WriteNumber::whole(number)),
                AccessKind::Modify => Some(WriteNumber::partial(number)),
                AccessKind::Read | AccessKind::Test => None,
            };
            if let Some(write) = write {
                self.note_write(access.object, write, access.parts())?;
            }
        }
        match effect.name {
            Some(NameChange::Given(handle)) => self.note_name(handle, NameEvent::Given(number)),
            Some(NameChange::Taken(handle)) => self.note_name(handle, NameEvent::Ended(number)),
            None => {}
        }
        if let Some((object, sizes)) = effect.created {
            self.sizes.insert(object, sizes);
            self.creations.entry(object).or_default().push(number);
        }
        if !effect.memory.is_empty() {
            self.memory.insert(number, effect.memory.as_slice().into());
        }
        if let EffectKind::Present { scanout } = effect.kind {
            self.presents.push(Presented { number, scanout });
        }
        self.exports.extend(effect.exported.map(|texture| (number, texture)));
        if let Some(allocation) = effect.allocation {
            self.allocations.push((number, allocation));
        }
        self.note_refusal(number, effect);
        Ok(node)
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

    fn note_write(&mut self, object: ObjectKey, by: WriteNumber, parts: Range<u32>) -> Result<(), Internal> {
        let number = match self.history_numbers.get(&object) {
            Some(number) => *number,
            None => {
                let number = self.add_history();
                self.history_numbers.insert(object, number);
                number
            }
        };
        self.history_mut(number)?.write(by, parts);
        Ok(())
    }

    /// Takes in that the command with this number is refused, if it is.
    pub(super) fn note_refusal(&mut self, number: u32, effect: &Effect) {
        if !effect.causes.is_empty() {
            let last = self.refusals.last().map_or(Span::EMPTY, |(_, causes)| *causes);
            let causes = Span::add(&mut self.references, &effect.causes, last);
            self.refusals.push((number, causes));
        }
    }

    /// The commands among `numbers` that are refused, each with those without which it might not be.
    pub(super) fn refusals(&self, numbers: Range<u32>) -> impl Iterator<Item = (u32, Result<&[u32], Internal>)> {
        let [start, end] = [numbers.start, numbers.end].map(|end| self.refusals.partition_point(|(at, _)| *at < end));
        let refused = self.refusals.get(start..end).into_iter().flatten();
        refused.map(|(number, causes)| (*number, causes.of(&self.references)))
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

    /// No command follows.
    pub(super) fn finish(&mut self) {
        self.histories.iter_mut().for_each(PartHistory::finish);
        self.nodes.shrink_to_fit();
        self.references.shrink_to_fit();
        self.accesses.shrink_to_fit();
    }

    /// The commands that a node refers to, by number.
    pub(super) fn references(&self, node: u32) -> Result<impl Iterator<Item = u32>, Internal> {
        let Node { references, settings, .. } = self.node(node)?;
        Ok(references.of(&self.references)?.iter().chain(settings.of(&self.references)?).copied())
    }

    /// The parts that a node reads and writes.
    pub(super) fn accesses(&self, node: u32) -> Result<impl Iterator<Item = &Access>, Internal> {
        let Node { accesses, vertices, .. } = self.node(node)?;
        Ok(accesses.of(&self.accesses)?.iter().chain(vertices.of(&self.accesses)?))
    }

    fn node(&self, node: u32) -> Result<Node, Internal> {
        if node == NO_NODE {
            return Ok(Node::EMPTY);
        }
        let found = self.nodes.get(node as usize).copied();
        found.ok_or(Internal::new("a command of a submission is not in the graph"))
    }

    /// The objects of submissions that were written.
    pub(super) fn written_objects(&self) -> impl Iterator<Item = (ObjectKey, Result<&PartHistory, Internal>)> {
        self.history_numbers.iter().map(|(object, number)| (*object, self.numbered_history(*number)))
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

    /// How many edges there are, and the bytes of all that is kept of them.
    pub(super) fn edges(&self) -> (u64, u64) {
        let edges_of = |node: &Node| {
            [node.references, node.settings, node.accesses, node.vertices].map(|span| u64::from(span.count))
        };
        let edges = self.nodes.iter().flat_map(edges_of).sum();
        let lists = size_of_val(self.references.as_slice()) + size_of_val(self.accesses.as_slice());
        let nodes = size_of_val(self.nodes.as_slice()) + size_of_val(self.presents.as_slice());
        let histories: u64 = self.histories.iter().map(PartHistory::size_bytes).sum();
        (edges, (lists + nodes) as u64 + histories)
    }

    /// The presents before the command with the number `end`, the last one first.
    pub(super) fn presents_before(&self, end: u32) -> impl Iterator<Item = Presented> {
        let count = self.presents.partition_point(|present| present.number < end);
        self.presents.iter().take(count).rev().copied()
    }

    /// The lowest screen that anything is presented to.
    pub(super) fn lowest_scanout(&self) -> Option<u32> {
        self.presents.iter().map(|present| present.scanout).min()
    }

    /// The handle that a command gives a meaning, or whose meaning it ends.
    pub(super) fn handle_of(&self, number: u32) -> Option<u32> {
        self.handles.get(&number).copied()
    }

    /// Whether a command ends the meaning of a handle.
    pub(super) fn is_end(&self, number: u32) -> bool {
        let events = self.handle_of(number).and_then(|handle| self.names.get(&handle)).into_iter().flatten();
        events.clone().any(|event| matches!(event, NameEvent::Ended(ended) if *ended == number))
    }

    /// Which ends of a handle's meaning have to be carried out among commands that `has` picks, since something given the
    /// handle before is among them, and something given it later, or one that `refers` to the end.
    pub(super) fn needed_ends(
        &self,
        handle: u32,
        has: impl Fn(u32) -> bool,
        refers: impl Fn(u32) -> bool,
        mut each: impl FnMut(u32),
    ) {
        // Ends since something that is among the commands had the handle.
        let mut waiting: Option<u32> = None;
        let mut is_live = false;
        for event in self.names.get(&handle).into_iter().flatten() {
            match *event {
                NameEvent::Given(number) if has(number) => {
                    waiting.take().into_iter().for_each(&mut each);
                    is_live = true;
                }
                NameEvent::Given(_) => {}
                NameEvent::Ended(number) if is_live => {
                    is_live = false;
                    match refers(number) {
                        true => each(number),
                        false => waiting = Some(number),
                    }
                }
                // What had the handle last is none of them, but the one before it must have ended.
                NameEvent::Ended(number) if refers(number) => waiting.take().into_iter().for_each(&mut each),
                NameEvent::Ended(_) => {}
            }
        }
    }

    fn note_name(&mut self, handle: u32, event: NameEvent) {
        self.names.entry(handle).or_default().push(event);
        self.handles.insert(event.number(), handle);
    }

    /// How much there is.
    pub(super) fn mark(&self) -> GraphMark {
        GraphMark { nodes: self.nodes.len(), presents: self.presents.len() }
    }

    /// Forgets what came after `mark`, whose commands have numbers from `number` on.
    pub(super) fn truncate(&mut self, mark: GraphMark, number: u32) {
        self.nodes.truncate(mark.nodes);
        self.last_draws.clear();
        self.presents.truncate(mark.presents);
        self.allocations.truncate(self.allocations.partition_point(|(at, _)| *at < number));
        self.refusals.truncate(self.refusals.partition_point(|(at, _)| *at < number));
        self.exports.truncate(self.exports.partition_point(|(at, _)| *at < number));
        self.histories.iter_mut().for_each(|history| history.truncate(number));
        self.names.values_mut().for_each(|events| events.retain(|event| event.number() < number));
        self.handles.retain(|named, _| *named < number);
        self.creations.values_mut().for_each(|numbers| numbers.retain(|creation| *creation < number));
        self.memory.retain(|taker, _| *taker < number);
    }
}
