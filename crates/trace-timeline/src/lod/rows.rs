//! Events → rows in which none lies on another, with blocks over each row.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::{Cell, Extents, Pyramid, Scale};

/// Rows over a list of events that they name by index.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    rows: Vec<Row>,
    /// Distance of each index from the base of its group; [`FAR`] where that is too far.
    distances: Vec<u16>,
    bases: Vec<u32>,
    /// Indices of the groups that hold far ones.
    far: BTreeMap<u32, Box<[u32]>>,
}

#[derive(Clone, Debug)]
struct Row {
    /// Where its indices start in `distances`.
    start: u32,
    /// Where its groups start in `bases`.
    first_group: u32,
    pyramid: Pyramid,
}

/// Indices that share a base.
const GROUP: usize = 64;
const FAR: u16 = u16::MAX;

impl Rows {
    /// Puts events into rows: `placed` gives the row and the index of each, by begin. It is asked twice.
    pub fn new(placed: impl Iterator<Item = (u32, u32)> + Clone, events: &impl Extents) -> Self {
        let mut starts = vec![0_u32];
        for (row, _) in placed.clone() {
            if row as usize + 1 >= starts.len() {
                starts.resize(row as usize + 2, 0);
            }
            if let Some(next) = starts.get_mut(row as usize + 1) {
                *next += 1;
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut indices = vec![0_u32; total as usize];
        let mut next = starts.clone();
        for (row, index) in placed {
            let Some(place) = next.get_mut(row as usize) else { continue };
            if let Some(slot) = indices.get_mut(*place as usize) {
                *slot = index;
            }
            *place += 1;
        }
        drop(next);
        let mut rows = Self::default();
        rows.distances.reserve_exact(indices.len());
        rows.rows.reserve_exact(starts.len() - 1);
        for bounds in starts.windows(2) {
            if let [start, end] = *bounds {
                rows.push_row(indices.get(start as usize..end as usize).unwrap_or_default(), events);
            }
        }
        rows
    }

    /// Puts each event into the first row that is free when it begins; `order` names the events by begin.
    pub fn packed(order: &[u32], events: &impl Extents) -> Self {
        let (mut busy, mut free) = (BinaryHeap::new(), BTreeSet::new());
        let (mut row_of, mut count) = (Vec::with_capacity(order.len()), 0_u32);
        for index in order {
            let (begin, end) = events.extent(*index);
            while let Some(Reverse((until, row))) = busy.peek().copied()
                && until <= begin
            {
                busy.pop();
                free.insert(row);
            }
            let row = free.pop_first().unwrap_or_else(|| {
                count += 1;
                count - 1
            });
            // Without a length it is over at once, but what begins with it needs another row.
            busy.push(Reverse((end.max(begin.saturating_add(1)), row)));
            row_of.push(row);
        }
        Self::new(row_of.iter().copied().zip(order.iter().copied()), events)
    }

    fn push_row(&mut self, indices: &[u32], events: &impl Extents) {
        let (start, first_group) = (self.distances.len() as u32, self.bases.len() as u32);
        for group in indices.chunks(GROUP) {
            let base = group.iter().min().copied().unwrap_or(0);
            let distance = |index: &u32| u16::try_from(index - base).ok().filter(|distance| *distance != FAR);
            if group.iter().any(|index| distance(index).is_none()) {
                self.far.insert(self.bases.len() as u32, group.into());
            }
            self.distances.extend(group.iter().map(|index| distance(index).unwrap_or(FAR)));
            self.bases.push(base);
        }
        let pyramid = Pyramid::new(indices.len() as u32, &Listed { indices, events });
        self.rows.push(Row { start, first_group, pyramid });
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Number of events in `row`.
    pub fn events_in(&self, row: usize) -> u32 {
        self.rows.get(row).map_or(0, |row| row.pyramid.count())
    }

    /// Index of the event at `position` of `row`.
    pub fn index(&self, row: usize, position: u32) -> Option<u32> {
        let row = self.rows.get(row).filter(|row| position < row.pyramid.count())?;
        self.index_in(row, position)
    }

    fn index_in(&self, row: &Row, position: u32) -> Option<u32> {
        let group = row.first_group + position / GROUP as u32;
        match *self.distances.get((row.start + position) as usize)? {
            FAR => self.far.get(&group)?.get(position as usize % GROUP).copied(),
            distance => Some(self.bases.get(group as usize)? + u32::from(distance)),
        }
    }

    /// Hands what is seen of `row` to `sink`; positions count within the row, see [`Rows::index`].
    pub fn walk(&self, row: usize, events: &impl Extents, scale: &impl Scale, sink: impl FnMut(Cell)) {
        if let Some(row) = self.rows.get(row) {
            row.pyramid.walk(&InRow { rows: self, row, events }, scale, sink);
        }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let far = self.far.values().map(|group| group.len() * size_of::<u32>() + 16).sum::<usize>();
        let blocks = self.rows.iter().map(|row| row.pyramid.memory_bytes()).sum::<usize>();
        self.distances.capacity() * size_of::<u16>()
            + self.bases.capacity() * size_of::<u32>()
            + self.rows.capacity() * size_of::<Row>()
            + far
            + blocks
    }
}

/// Events named by a list of indices.
struct Listed<'a, E> {
    indices: &'a [u32],
    events: &'a E,
}

impl<E: Extents> Extents for Listed<'_, E> {
    fn extent(&self, position: u32) -> (u64, u64) {
        self.events.extent(self.indices.get(position as usize).copied().unwrap_or(0))
    }

    fn tint(&self, position: u32) -> u8 {
        self.events.tint(self.indices.get(position as usize).copied().unwrap_or(0))
    }
}

/// Events of a finished row.
struct InRow<'a, E> {
    rows: &'a Rows,
    row: &'a Row,
    events: &'a E,
}

impl<E: Extents> Extents for InRow<'_, E> {
    fn extent(&self, position: u32) -> (u64, u64) {
        self.events.extent(self.rows.index_in(self.row, position).unwrap_or(0))
    }

    fn tint(&self, position: u32) -> u8 {
        self.events.tint(self.rows.index_in(self.row, position).unwrap_or(0))
    }
}
