//! Blocks over a row of events, and the cells that a picture shows of them.

use super::Scale;

/// Events of a row by position.
pub trait Extents {
    /// First tick of the event at `position` and the tick after its last.
    fn extent(&self, position: u32) -> (u64, u64);

    /// Key of its colour.
    fn tint(&self, position: u32) -> u8;
}

/// Something to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// One event.
    One {
        /// Its position in its row.
        position: u32,
        /// Where it begins, in pixels.
        left: f64,
        /// Where it ends.
        right: f64,
    },
    /// Several events too small to be told apart.
    Many {
        /// Position of the first.
        first: u32,
        /// How many.
        count: u32,
        /// Where the first begins, in pixels.
        left: f64,
        /// Where the last ends.
        right: f64,
        /// How much of the space they fill, 0 to 1.
        busy: f32,
        /// Key of the colour of the longest.
        tint: u8,
    },
}

/// Events of the lowest blocks. A picture looks at each of them where one is as wide as a pixel.
const BASE: usize = 16;
/// Blocks of a level that make one of the next.
const FAN: usize = 4;
/// Merged events are drawn in pieces so wide, so that their density can be seen along the row.
const RUN_PX: f64 = 3.0;

#[derive(Clone, Copy, Debug)]
struct Block {
    begin: u64,
    end: u64,
    longest: Log,
    widest_gap: Log,
    /// Share of `begin..end` that events fill, in 255ths.
    busy: u8,
    tint: u8,
}

const _: () = assert!(size_of::<Block>() == 24);

/// A length, rounded up to one of a few steps an octave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Log(u8);

const STEPS_PER_OCTAVE: f64 = 3.5;

impl Log {
    fn of(length: u64) -> Self {
        match length {
            0 => Self(0),
            length => {
                let steps = (length as f64).log2() * STEPS_PER_OCTAVE;
                // The small excess keeps exact powers from rounding down.
                Self((steps + 1e-9).ceil() as u8 + 1)
            }
        }
    }

    fn at_most(self) -> f64 {
        if self.0 == 0 { 0.0 } else { (f64::from(self.0 - 1) / STEPS_PER_OCTAVE).exp2() }
    }
}

/// Blocks over one row.
#[derive(Clone, Debug, Default)]
pub struct Pyramid {
    count: u32,
    /// Lowest level first.
    levels: Vec<Box<[Block]>>,
}

impl Pyramid {
    /// Looks once at each of `count` events.
    pub fn new(count: u32, events: &impl Extents) -> Self {
        let mut levels = Vec::new();
        // Small rows are read whole.
        if count as usize > BASE {
            let blocks = (0..count).step_by(BASE);
            let lowest: Box<[Block]> =
                blocks.map(|first| lowest(first, (first + BASE as u32).min(count), events)).collect();
            levels.push(lowest);
        }
        while let Some(below) = levels.last()
            && below.len() > FAN
        {
            levels.push(below.chunks(FAN).map(join).collect());
        }
        Self { count, levels }
    }

    /// Number of events.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.levels.iter().map(|level| level.len() * size_of::<Block>()).sum()
    }

    /// Hands what is seen of the row to `sink`, left to right.
    pub fn walk(&self, events: &impl Extents, scale: &impl Scale, sink: impl FnMut(Cell)) {
        let (from, until) = scale.visible();
        let mut walk = CellCollector { events, scale, from, until, run: None, sink };
        match self.levels.last() {
            None => (0..self.count).for_each(|position| walk.event(position, events.extent(position))),
            Some(top) => (0..top.len()).for_each(|index| self.visit(self.levels.len() - 1, index, &mut walk)),
        }
        walk.flush();
    }

    fn visit<E: Extents, S: Scale, F: FnMut(Cell)>(
        &self,
        level: usize,
        index: usize,
        walk: &mut CellCollector<'_, E, S, F>,
    ) {
        let Some(block) = self.levels.get(level).and_then(|blocks| blocks.get(index)) else { return };
        if block.end < walk.from || block.begin > walk.until {
            return;
        }
        let events = BASE * FAN.pow(level as u32);
        let first = (index * events) as u32;
        let last = (first + events as u32).min(self.count);
        let left = walk.scale.px(block.begin);
        let px_per_tick = walk.scale.px_per_tick(block.begin, block.end);
        let right = walk.scale.px(block.end);
        let widest = block.longest.max(block.widest_gap).at_most();
        if right - left < 1.0 || widest * px_per_tick < 1.0 {
            let busy_px = f64::from(block.busy) / 255.0 * (right - left);
            let weight = block.longest.at_most() as f32;
            walk.add(Run { first, count: last - first, left, right, busy_px, tint: Tint::Known(block.tint), weight });
        } else if let Some(below) = level.checked_sub(1) {
            (index * FAN..(index + 1) * FAN).for_each(|index| self.visit(below, index, walk));
        } else {
            // Events of a row lie far apart in memory: asked for together they are waited for together.
            let mut extents = [(0, 0); BASE];
            for (extent, position) in extents.iter_mut().zip(first..last) {
                *extent = walk.events.extent(position);
            }
            for (extent, position) in extents.into_iter().zip(first..last) {
                walk.event(position, extent);
            }
        }
    }
}

fn lowest(first: u32, last: u32, events: &impl Extents) -> Block {
    let (begin, mut end) = events.extent(first);
    let mut block = Block { begin, end, longest: Log(0), widest_gap: Log(0), busy: 0, tint: events.tint(first) };
    let (mut longest, mut widest_gap, mut busy) = (0, 0, 0_u64);
    let mut longest_at = first;
    for position in first..last {
        let (from, until) = events.extent(position);
        let length = until.saturating_sub(from);
        widest_gap = widest_gap.max(from.saturating_sub(end));
        if length > longest {
            (longest, longest_at) = (length, position);
        }
        busy = busy.saturating_add(length);
        block.begin = block.begin.min(from);
        end = end.max(until);
    }
    block.end = end;
    (block.longest, block.widest_gap) = (Log::of(longest), Log::of(widest_gap));
    block.busy = share(busy as f64, block.begin, end);
    block.tint = events.tint(longest_at);
    block
}

fn join(blocks: &[Block]) -> Block {
    let none = Block { begin: u64::MAX, end: 0, longest: Log(0), widest_gap: Log(0), busy: 0, tint: 0 };
    let mut all = none;
    let (mut last_end, mut busy) = (None, 0.0);
    for block in blocks {
        let gap = last_end.map_or(0, |end| block.begin.saturating_sub(end));
        all.widest_gap = all.widest_gap.max(block.widest_gap).max(Log::of(gap));
        if last_end.is_none() || block.longest > all.longest {
            (all.longest, all.tint) = (block.longest, block.tint);
        }
        all.begin = all.begin.min(block.begin);
        all.end = all.end.max(block.end);
        last_end = Some(all.end);
        busy += f64::from(block.busy) / 255.0 * block.end.saturating_sub(block.begin) as f64;
    }
    all.busy = share(busy, all.begin, all.end);
    all
}

fn share(busy: f64, begin: u64, end: u64) -> u8 {
    // Never 0: what is there is seen.
    let length = end.saturating_sub(begin).max(1) as f64;
    (busy / length * 255.0).clamp(1.0, 255.0) as u8
}

/// Neighbours that become one cell.
#[derive(Clone, Copy)]
struct Run {
    first: u32,
    count: u32,
    left: f64,
    right: f64,
    busy_px: f64,
    tint: Tint,
    /// Length that the tint stands for.
    weight: f32,
}

/// The colour of a run: looked up only when the run is done.
#[derive(Clone, Copy)]
enum Tint {
    Known(u8),
    Of(u32),
}

struct CellCollector<'a, E, S, F> {
    events: &'a E,
    scale: &'a S,
    from: u64,
    until: u64,
    run: Option<Run>,
    sink: F,
}

impl<E: Extents, S: Scale, F: FnMut(Cell)> CellCollector<'_, E, S, F> {
    fn event(&mut self, position: u32, (begin, end): (u64, u64)) {
        if end < self.from || begin > self.until {
            return;
        }
        let (left, right) = (self.scale.px(begin), self.scale.px(end));
        if right - left >= 1.0 {
            self.flush();
            (self.sink)(Cell::One { position, left, right });
            return;
        }
        let (tint, weight) = (Tint::Of(position), (end - begin) as f32);
        self.add(Run { first: position, count: 1, left, right, busy_px: right - left, tint, weight });
    }

    /// Joins `next` to the run before it where there is less than a pixel between them.
    fn add(&mut self, next: Run) {
        if let Some(run) = &mut self.run
            && next.left >= run.left
            && next.left - run.right < 1.0
            && next.right - run.left <= RUN_PX
        {
            run.count += next.count;
            run.right = run.right.max(next.right);
            run.busy_px += next.busy_px;
            if next.weight > run.weight {
                (run.tint, run.weight) = (next.tint, next.weight);
            }
            return;
        }
        self.flush();
        self.run = Some(next);
    }

    fn flush(&mut self) {
        let Some(Run { first, count, left, right, busy_px, tint, .. }) = self.run.take() else { return };
        (self.sink)(if count == 1 {
            Cell::One { position: first, left, right }
        } else {
            let busy = (busy_px / (right - left).max(1.0)).clamp(0.0, 1.0) as f32;
            let tint = match tint {
                Tint::Known(tint) => tint,
                Tint::Of(position) => self.events.tint(position),
            };
            Cell::Many { first, count, left, right, busy, tint }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_never_rounded_down() {
        for shift in 0..64 {
            for length in [1_u64 << shift, (1_u64 << shift) + 1, (1_u64 << shift).wrapping_sub(1)] {
                assert!(Log::of(length).at_most() >= length as f64 * (1.0 - 1e-9), "{length}");
            }
        }
        assert!(Log::of(u64::MAX).at_most() >= u64::MAX as f64);
    }
}
