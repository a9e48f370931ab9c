//! Flows: lines from each point to the one that it came from.

use std::collections::BTreeMap;

use super::Scale;
use crate::{FlowKind, Flows};

/// A line between two points of a flow, by their indices in [`crate::Timeline::flows`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it starts.
    pub from: u32,
    /// Where it leads.
    pub to: u32,
}

/// The links of a timeline by their earlier end.
#[derive(Clone, Debug, Default)]
pub struct FlowLinks {
    links: Vec<Link>,
    /// Latest end among each group of links.
    ends: Vec<u64>,
}

const GROUP: usize = 64;
/// Links that are looked at for one picture, and so drawn at most.
const MOST: usize = 4096;

impl FlowLinks {
    /// Ties each point to the last one of its flow, or of the flow that it branched from.
    pub fn new(points: &Flows) -> Self {
        let mut last: BTreeMap<u64, u32> = BTreeMap::new();
        let mut links = Vec::new();
        for (to, point) in points.iter().enumerate() {
            let to = to as u32;
            let before = last.get(&point.flow).or_else(|| match point.kind {
                FlowKind::Branch if point.parent != 0 => last.get(&point.parent),
                _ => None,
            });
            links.extend(before.map(|from| Link { from: *from, to }));
            match point.kind {
                FlowKind::Terminate => last.remove(&point.flow),
                FlowKind::Branch | FlowKind::Extend => last.insert(point.flow, to),
            };
        }
        links.sort_by_key(|link| extent(points, link).0);
        let latest = |group: &[Link]| group.iter().map(|link| extent(points, link).1).max().unwrap_or(0);
        let ends = links.chunks(GROUP).map(latest).collect();
        Self { links, ends }
    }

    /// Number of links.
    pub fn count(&self) -> usize {
        self.links.len()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.links.capacity() * size_of::<Link>() + self.ends.capacity() * size_of::<u64>()
    }

    /// Hands the links that are seen to `sink`; gives back whether that were all.
    pub fn walk(&self, points: &Flows, scale: &impl Scale, mut sink: impl FnMut(Link)) -> bool {
        let (from, until) = scale.visible();
        let mut looked_at = 0;
        for (group, end) in self.links.chunks(GROUP).zip(&self.ends) {
            if group.first().is_some_and(|first| extent(points, first).0 > until) {
                break;
            }
            if *end < from {
                continue;
            }
            for link in group {
                let (begin, end) = extent(points, link);
                if begin <= until && end >= from {
                    sink(*link);
                }
            }
            looked_at += group.len();
            if looked_at >= MOST {
                return false;
            }
        }
        true
    }
}

/// Earlier and later end, in ticks.
fn extent(points: &Flows, link: &Link) -> (u64, u64) {
    let at = |index: u32| points.get(index as usize).map_or(0, |point| point.at.0);
    let (from, to) = (at(link.from), at(link.to));
    (from.min(to), from.max(to))
}
