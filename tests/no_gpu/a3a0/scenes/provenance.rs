//! Where everything comes from: a node for each command's effect, with what it was made from.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Nothing, or nobody.
pub const NOTHING: NodeId = 0;

pub type NodeId = u32;

/// A command's effect: its number, what it was made from, and a hash over both.
struct Node {
    number: u32,
    hash: u64,
    from: Vec<NodeId>,
}

/// All nodes of a play; those made from equal things in equal ways have equal hashes.
pub struct Provenance {
    nodes: Vec<Node>,
}

/// Sources of a node, while they are collected.
#[derive(Clone, Default)]
pub struct Sources {
    hasher: DefaultHasher,
    from: Vec<NodeId>,
}

impl Provenance {
    pub fn new() -> Self {
        Self { nodes: vec![Node { number: u32::MAX, hash: 0, from: Vec::new() }] }
    }

    pub fn node(&mut self, number: u32, sources: &Sources) -> NodeId {
        let mut hasher = sources.hasher.clone();
        number.hash(&mut hasher);
        self.nodes.push(Node { number, hash: hasher.finish(), from: sources.from.clone() });
        self.nodes.len() as NodeId - 1
    }

    pub fn hash(&self, node: NodeId) -> u64 {
        self.nodes[node as usize].hash
    }

    /// The numbers on a shortest way from one of the nodes to a node of this number.
    pub fn way_to(&self, wanted: u32, nodes: impl IntoIterator<Item = NodeId>) -> Vec<u32> {
        let mut ways: VecDeque<Vec<NodeId>> = nodes.into_iter().map(|node| vec![node]).collect();
        let mut seen = vec![false; self.nodes.len()];
        while let Some(way) = ways.pop_front() {
            let last = way[way.len() - 1];
            if last != NOTHING && !std::mem::replace(&mut seen[last as usize], true) {
                if self.number(last) == wanted {
                    return way.into_iter().map(|node| self.number(node)).collect();
                }
                let further = |next: &NodeId| [way.as_slice(), &[*next]].concat();
                ways.extend(self.nodes[last as usize].from.iter().map(further));
            }
        }
        Vec::new()
    }

    pub fn number(&self, node: NodeId) -> u32 {
        self.nodes[node as usize].number
    }

    /// The commands that these nodes are made from, themselves included.
    pub fn commands_of(&self, nodes: impl IntoIterator<Item = NodeId>) -> BTreeSet<u32> {
        let mut numbers = BTreeSet::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut wanted: Vec<NodeId> = nodes.into_iter().collect();
        while let Some(node) = wanted.pop() {
            if node != NOTHING && !std::mem::replace(&mut seen[node as usize], true) {
                let node = &self.nodes[node as usize];
                numbers.insert(node.number);
                wanted.extend_from_slice(&node.from);
            }
        }
        numbers
    }

    /// Adds something that changes the result.
    pub fn add(&self, sources: &mut Sources, node: NodeId) {
        self.hash(node).hash(&mut sources.hasher);
        sources.from.push(node);
    }

    /// Adds something that belongs to the slice though its absence is the same: who emptied a slot.
    pub fn add_silently(sources: &mut Sources, node: NodeId) {
        sources.from.push(node);
    }
}

impl Sources {
    /// Adds a number that changes the result.
    pub fn add_value(&mut self, value: impl Hash) {
        value.hash(&mut self.hasher);
    }
}
