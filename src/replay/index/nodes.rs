//! What each command of submissions depends on: lists of commands and accesses, shared where commands have them in common.
//!
//! ```text
//!  Node of a draw ──► shared uses: a stretch per group ──► references, accesses
//!                └──► a stretch of accesses: its vertices
//!  Node of another ─► a stretch of references, a stretch of accesses
//! ```
//!
//! A draw that changes nothing but its vertices shares the uses of the draw before; one after a SET shares the stretches of
//! all groups that the SET has left alone.

use std::ops::Range;

use super::chunked::Chunked;
use super::setting_history::SettingHistory;
use crate::error::Internal;
use crate::replay::d3d::{Access, ContextNumber, DrawUses, Effect, UseGroup, UseGroups};

/// The nodes, by number.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    nodes: Chunked<Node>,
    uses: Vec<SharedUses>,
    references: Vec<u32>,
    accesses: Vec<Access>,
    /// By context: what its last draw used.
    last_draws: Vec<LastDraw>,
    /// What the last node of another command than a draw has.
    last_other: (Span, Span),
    /// By context: who has set its render states.
    settings: Vec<SettingHistory>,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Draw { uses: u32, vertices: Span },
    Other { references: Span, accesses: Span },
}

/// What draws use that differ in their vertices alone.
#[derive(Clone, Copy, Debug)]
struct SharedUses {
    /// By group: references and accesses.
    groups: [(Span, Span); UseGroup::ALL.len()],
    /// The context whose render states count.
    render_states: Option<ContextNumber>,
}

#[derive(Clone, Copy, Debug, Default)]
struct LastDraw {
    /// Its uses, by number, if there is one.
    uses: Option<u32>,
    vertices: Span,
}

/// How a draw differs from the one before it in its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DrawChange {
    /// At most in its vertices.
    None,
    /// In what it uses.
    Uses,
}

/// The node of all commands that depend on nothing, and that nothing depends on but as a setting.
pub(super) const NO_NODE: u32 = u32::MAX;

/// A stretch of one of the lists.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    start: u32,
    count: u32,
}

impl Span {
    pub(super) const EMPTY: Self = Self { start: 0, count: 0 };

    pub(super) fn of<T>(self, list: &[T]) -> Result<&[T], Internal> {
        let start = self.start as usize;
        let stretch = list.get(start..start + self.count as usize);
        stretch.ok_or(Internal::new("a range of a graph's list lies past its end"))
    }

    /// Adds `items` to `list`, unless its last stretch is equal.
    pub(super) fn add<T: Copy + PartialEq>(list: &mut Vec<T>, items: &[T], last: Span) -> Span {
        if items.is_empty() {
            return Self::EMPTY;
        }
        if last.count as usize == items.len() && last.of(list) == Ok(items) {
            return last;
        }
        let span = Span { start: list.len() as u32, count: items.len() as u32 };
        list.extend_from_slice(items);
        span
    }
}

impl Nodes {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds the node of a command that is no draw with parts.
    pub(super) fn push(&mut self, effect: &Effect) {
        let (references, accesses) = self.last_other;
        let references = Span::add(&mut self.references, &effect.references, references);
        let accesses = Span::add(&mut self.accesses, &effect.accesses, accesses);
        self.last_other = (references, accesses);
        self.nodes.push(Node::Other { references, accesses });
    }

    /// Adds the node of a draw in a context. Whether it uses something else than the last one there.
    pub(super) fn push_draw(
        &mut self,
        context: ContextNumber,
        effect: &Effect,
        drawn: &DrawUses,
    ) -> Result<DrawChange, Internal> {
        let lost = Internal::new("a context's last draw is missing");
        let at = context.0 as usize;
        if self.last_draws.len() <= at {
            self.last_draws.resize(at + 1, LastDraw::default());
        }
        let LastDraw { uses, vertices } = self.last_draws.get_mut(at).ok_or(lost)?;
        let (uses, change) = match *uses {
            Some(uses) if drawn.changed() == UseGroups::NONE => (uses, DrawChange::None),
            last => {
                let last = last.and_then(|last| self.uses.get(last as usize)).copied();
                let mut groups = last.map_or_else(Default::default, |last| last.groups);
                for ((group, used), (references, accesses)) in
                    UseGroup::ALL.into_iter().zip(drawn.groups()).zip(&mut groups)
                {
                    if last.is_none() || drawn.changed().contains(group) {
                        *references = Span::add(&mut self.references, &used.references, *references);
                        *accesses = Span::add(&mut self.accesses, &used.accesses, *accesses);
                    }
                }
                let render_states = drawn.counts_render_states().then_some(context);
                self.uses.push(SharedUses { groups, render_states });
                let number = self.uses.len() as u32 - 1;
                *uses = Some(number);
                (number, DrawChange::Uses)
            }
        };
        *vertices = Span::add(&mut self.accesses, &effect.vertices, *vertices);
        self.nodes.push(Node::Draw { uses, vertices: *vertices });
        Ok(change)
    }

    /// Adds the node of a draw that uses what the last one in its context does, but for its vertices.
    #[inline]
    pub(super) fn push_repeated_draw(&mut self, context: ContextNumber, effect: &Effect) -> Result<(), Internal> {
        let lost = Internal::new("a draw repeats a missing one");
        let LastDraw { uses, vertices } = self.last_draws.get_mut(context.0 as usize).ok_or(lost)?;
        *vertices = Span::add(&mut self.accesses, &effect.vertices, *vertices);
        self.nodes.push(Node::Draw { uses: uses.ok_or(lost)?, vertices: *vertices });
        Ok(())
    }

    /// The command with this number sets a render state.
    pub(super) fn set_render_state(&mut self, number: u32, context: ContextNumber, state: u8) -> Result<(), Internal> {
        let at = context.0 as usize;
        if self.settings.len() <= at {
            self.settings.resize_with(at + 1, SettingHistory::default);
        }
        let history = self.settings.get_mut(at);
        history.ok_or(Internal::new("a context's render states are missing"))?.set(number, state);
        Ok(())
    }

    /// The commands that a node refers to, by number, but for those that set render states.
    pub(super) fn references(&self, node: u32) -> Result<impl Iterator<Item = u32>, Internal> {
        let mut lists: [&[u32]; UseGroup::ALL.len()] = Default::default();
        match self.node(node)? {
            Node::Draw { uses, .. } => {
                for (list, (references, _)) in lists.iter_mut().zip(self.shared(uses)?.groups) {
                    *list = references.of(&self.references)?;
                }
            }
            Node::Other { references, .. } => {
                let [list, ..] = &mut lists;
                *list = references.of(&self.references)?;
            }
        }
        Ok(lists.into_iter().flatten().copied())
    }

    /// Where in the history of which context's render states the node of the command with the number `number` stands, if
    /// they count.
    pub(super) fn render_states(&self, node: u32, number: u32) -> Result<Option<(ContextNumber, usize)>, Internal> {
        // silent: only draws depend on render states
        let Node::Draw { uses, .. } = self.node(node)? else { return Ok(None) };
        let SharedUses { render_states, .. } = self.shared(uses)?;
        Ok(render_states.and_then(|context| {
            // Nothing may have been set.
            let history = self.settings.get(context.0 as usize)?;
            Some((context, history.settings_before(number)))
        }))
    }

    /// The commands that had set a context's render states after its first `count` settings.
    pub(super) fn setters(&self, context: ContextNumber, count: usize) -> Result<impl Iterator<Item = u32>, Internal> {
        let history = self.settings.get(context.0 as usize);
        history.ok_or(Internal::new("a context's render states are missing"))?.setters_after(count)
    }

    /// Those of them after the first `range.start` settings that are no longer among them after `range.end`.
    pub(super) fn setters_replaced(
        &self,
        context: ContextNumber,
        range: Range<usize>,
    ) -> Result<impl Iterator<Item = u32>, Internal> {
        let history = self.settings.get(context.0 as usize);
        history.ok_or(Internal::new("a context's render states are missing"))?.setters_replaced_in(range)
    }

    /// The parts that a node reads and writes.
    pub(super) fn accesses(&self, node: u32) -> Result<impl Iterator<Item = &Access>, Internal> {
        let mut lists: [&[Access]; UseGroup::ALL.len() + 1] = Default::default();
        let [first, groups @ ..] = &mut lists;
        let last = match self.node(node)? {
            Node::Draw { uses, vertices } => {
                for (list, (_, accesses)) in groups.iter_mut().zip(self.shared(uses)?.groups) {
                    *list = accesses.of(&self.accesses)?;
                }
                vertices.of(&self.accesses)?
            }
            Node::Other { accesses, .. } => {
                *first = accesses.of(&self.accesses)?;
                &[]
            }
        };
        Ok(lists.into_iter().flatten().chain(last))
    }

    fn node(&self, node: u32) -> Result<Node, Internal> {
        if node == NO_NODE {
            return Ok(Node::Other { references: Span::EMPTY, accesses: Span::EMPTY });
        }
        let found = self.nodes.get(node as usize).copied();
        found.ok_or(Internal::new("a command of a submission is not in the graph"))
    }

    fn shared(&self, uses: u32) -> Result<SharedUses, Internal> {
        let found = self.uses.get(uses as usize).copied();
        found.ok_or(Internal::new("an object that a draw uses is not in the graph"))
    }

    /// How many references and accesses a node has, that of the command with the number `number`.
    pub(super) fn edges(&self, node: u32, number: u32) -> Result<u64, Internal> {
        let setters = match self.render_states(node, number)? {
            Some((context, count)) => self.setters(context, count)?.count(),
            None => 0,
        };
        Ok((self.references(node)?.count() + self.accesses(node)?.count() + setters) as u64)
    }

    /// The bytes of all that is kept.
    pub(super) fn size_bytes(&self) -> u64 {
        let lists = size_of_val(self.references.as_slice()) + size_of_val(self.accesses.as_slice());
        let nodes = self.nodes.size_bytes() + size_of_val(self.uses.as_slice()) as u64;
        let settings: u64 = self.settings.iter().map(SettingHistory::size_bytes).sum();
        lists as u64 + nodes + settings
    }

    /// No command follows.
    pub(super) fn finish(&mut self) {
        self.nodes.finish();
        self.uses.shrink_to_fit();
        self.references.shrink_to_fit();
        self.accesses.shrink_to_fit();
        self.settings.iter_mut().for_each(SettingHistory::finish);
        self.last_draws = Vec::new();
    }

    /// Forgets the nodes behind the first `count`, whose commands have numbers from `number` on.
    pub(super) fn truncate(&mut self, count: usize, number: u32) {
        self.nodes.truncate(count);
        self.last_draws.clear();
        self.last_other = Default::default();
        self.settings.iter_mut().for_each(|settings| settings.truncate(number));
    }
}
