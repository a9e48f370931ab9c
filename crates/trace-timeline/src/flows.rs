//! Flows: what is passed on from one place to another, across tracks.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt};

use super::event::Packed;
use super::{RecordOffset, StringId, Tick, TrackId};

/// What happens to a flow at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// It starts, perhaps out of another flow.
    Branch,
    /// It goes on here.
    Extend,
    /// It ends.
    Terminate,
}

impl FlowKind {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Extend => "extend",
            Self::Terminate => "terminate",
        }
    }
}

/// A point where a flow touches a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowPoint {
    /// Which flow.
    pub flow: u64,
    /// The flow it came from; 0 if none ([`FlowKind::Branch`] only).
    pub parent: u64,
    /// Where on the axis.
    pub at: Tick,
    /// On which track.
    pub track: TrackId,
    /// Open spans of that track around it.
    pub depth: u32,
    /// What happens.
    pub kind: FlowKind,
    /// What the program called this point.
    pub name: StringId,
    /// The record that it came from.
    pub record: RecordOffset,
}

/// What many points share: kept once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SharedFields {
    track: TrackId,
    name: StringId,
    /// From [`DEEP`] on; anything less stands in the row.
    depth: u32,
}

/// Depths up to here fit the six bits beside the kind.
const DEEP: u32 = 63;
const KIND_BITS: u32 = 2;

/// A point whose numbers fit 32 bits, as all of wtf-trace do.
#[derive(Clone, Copy, Debug)]
struct Row {
    packed: Packed,
    at: u32,
    flow: u32,
    parent: u32,
    /// Position in [`Flows::shared`], or [`WIDE`].
    shared: u32,
}

const _: () = assert!(size_of::<Row>() == 24);

/// The point is among [`Flows::wide`].
const WIDE: u32 = u32::MAX;

/// Points of flows by position in the file, 24 bytes each.
#[derive(Clone, Debug)]
pub struct Flows {
    rows: Vec<Row>,
    shared: Vec<SharedFields>,
    known: HashMap<SharedFields, u32>,
    /// Points that don't fit a row, by index.
    wide: BTreeMap<usize, FlowPoint>,
}

impl Default for Flows {
    fn default() -> Self {
        Self { rows: Vec::new(), shared: Vec::new(), known: HashMap::new(), wide: BTreeMap::new() }
    }
}

impl Flows {
    /// Adds a point.
    pub fn push(&mut self, point: FlowPoint) {
        let row = self.row(&point).unwrap_or_else(|| {
            self.wide.insert(self.rows.len(), point);
            Row { packed: Packed::new(point.record, 0), at: 0, flow: 0, parent: 0, shared: WIDE }
        });
        self.rows.push(row);
    }

    fn row(&mut self, point: &FlowPoint) -> Option<Row> {
        let narrow = |number: u64| u32::try_from(number).ok();
        let (at, flow, parent) = (narrow(point.at.0)?, narrow(point.flow)?, narrow(point.parent)?);
        let depth = if point.depth < DEEP { 0 } else { point.depth };
        let shared = SharedFields { track: point.track, name: point.name, depth };
        let next = narrow(self.shared.len() as u64).filter(|next| *next != WIDE)?;
        let index = *self.known.entry(shared).or_insert(next);
        if index == next {
            self.shared.push(shared);
        }
        let flags = point.kind as u8 | (point.depth.min(DEEP) as u8) << KIND_BITS;
        Some(Row { packed: Packed::new(point.record, flags), at, flow, parent, shared: index })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The point at `index`.
    pub fn get(&self, index: usize) -> Option<FlowPoint> {
        let row = self.rows.get(index)?;
        if row.shared == WIDE {
            return self.wide.get(&index).copied();
        }
        let &SharedFields { track, name, depth } = self.shared.get(row.shared as usize)?;
        let shallow = u32::from(row.packed.flags() >> KIND_BITS);
        let depth = if shallow < DEEP { shallow } else { depth };
        let kind = match row.packed.flags() & ((1 << KIND_BITS) - 1) {
            0 => FlowKind::Branch,
            1 => FlowKind::Extend,
            _ => FlowKind::Terminate,
        };
        let (flow, parent, at) = (row.flow.into(), row.parent.into(), Tick(row.at.into()));
        Some(FlowPoint { flow, parent, at, track, depth, kind, name, record: row.packed.record() })
    }

    /// All points by position in the file.
    pub fn iter(&self) -> impl Iterator<Item = FlowPoint> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    pub(super) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        self.shared.shrink_to_fit();
        self.known = HashMap::new();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>()
            + self.shared.capacity() * size_of::<SharedFields>()
            + self.wide.len() * size_of::<(usize, FlowPoint)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_back_as_they_went_in() {
        let point = |flow: u64, parent, at, kind| FlowPoint {
            flow,
            parent,
            at: Tick(at),
            track: TrackId(flow as u32 % 2),
            depth: if at < 7 { at as u32 } else { 60 + at as u32 / 2 },
            kind,
            name: StringId::EMPTY,
            record: RecordOffset(at),
        };
        let all = [
            point(1, 0, 5, FlowKind::Branch),
            point(u64::from(u32::MAX), 1, 6, FlowKind::Extend),
            point(3, u64::MAX, 7, FlowKind::Branch),
            point(1 << 40, 0, 8, FlowKind::Terminate),
            point(4, 0, 1 << 33, FlowKind::Extend),
            point(6, 0, 9, FlowKind::Terminate),
        ];
        let mut flows = Flows::default();
        all.iter().for_each(|point| flows.push(*point));
        flows.shrink();
        assert!(flows.iter().eq(all));
        assert_eq!((flows.shared.len(), flows.wide.len(), flows.get(6)), (2, 3, None));
    }
}
