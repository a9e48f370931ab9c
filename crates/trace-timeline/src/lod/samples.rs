//! Counters: blocks with the least and greatest value.

use super::Scale;
use crate::Sample;

/// A piece of a step graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSegment {
    /// Where it begins, in pixels.
    pub left: f64,
    /// Where it ends.
    pub right: f64,
    /// The least value in it.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
    /// Index of its first sample.
    pub first: u32,
    /// How many samples it shows.
    pub count: u32,
}

const BASE: usize = 16;
const FAN: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Block {
    begin: u64,
    least: f64,
    greatest: f64,
}

/// Blocks over the samples of a counter.
#[derive(Clone, Debug, Default)]
pub struct SampleBlocks {
    levels: Vec<Box<[Block]>>,
    bounds: Option<(f64, f64)>,
}

impl SampleBlocks {
    /// Looks once at each sample. Values that are no number count as nothing.
    pub fn new(samples: &[Sample]) -> Self {
        let mut levels: Vec<Box<[Block]>> = Vec::new();
        if samples.len() > BASE {
            levels.push(samples.chunks(BASE).map(|chunk| join(chunk.iter().map(block))).collect());
        }
        while let Some(below) = levels.last()
            && below.len() > FAN
        {
            levels.push(below.chunks(FAN).map(|chunk| join(chunk.iter().copied())).collect());
        }
        let all = match levels.last() {
            Some(top) => join(top.iter().copied()),
            None => join(samples.iter().map(block)),
        };
        Self { levels, bounds: (all.least <= all.greatest).then_some((all.least, all.greatest)) }
    }

    /// Least and greatest value of the counter.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        self.bounds
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.levels.iter().map(|level| level.len() * size_of::<Block>()).sum()
    }

    /// Hands what is seen of the graph to `sink`, left to right. The last sample holds until `end`.
    pub fn walk(&self, samples: &[Sample], end: u64, scale: &impl Scale, sink: impl FnMut(StepSegment)) {
        let (from, until) = scale.visible();
        let mut walk = StepCollector { blocks: self, samples, end, scale, from, until, open: None, sink };
        match self.levels.last() {
            None => (0..samples.len()).for_each(|index| walk.sample(index)),
            Some(top) => (0..top.len()).for_each(|index| walk.visit(self.levels.len() - 1, index)),
        }
        walk.flush();
    }
}

fn block(sample: &Sample) -> Block {
    let value = if sample.value.is_finite() { sample.value } else { 0.0 };
    Block { begin: sample.at.0, least: value, greatest: value }
}

fn join(blocks: impl Iterator<Item = Block>) -> Block {
    let none = Block { begin: u64::MAX, least: f64::INFINITY, greatest: f64::NEG_INFINITY };
    blocks.fold(none, |all, next| Block {
        begin: all.begin.min(next.begin),
        least: all.least.min(next.least),
        greatest: all.greatest.max(next.greatest),
    })
}

struct StepCollector<'a, S, F> {
    blocks: &'a SampleBlocks,
    samples: &'a [Sample],
    end: u64,
    scale: &'a S,
    from: u64,
    until: u64,
    open: Option<StepSegment>,
    sink: F,
}

impl<S: Scale, F: FnMut(StepSegment)> StepCollector<'_, S, F> {
    fn visit(&mut self, level: usize, index: usize) {
        let Some(blocks) = self.blocks.levels.get(level) else { return };
        let Some(block) = blocks.get(index) else { return };
        // What a block says holds until the next one begins.
        let end = blocks.get(index + 1).map_or(self.end, |next| next.begin);
        if end < self.from || block.begin > self.until {
            return;
        }
        let (left, right) = (self.scale.px(block.begin), self.scale.px(end));
        let samples = BASE * FAN.pow(level as u32);
        if right - left < 1.0 {
            let first = index * samples;
            let count = self.samples.len().saturating_sub(first).min(samples) as u32;
            let (least, greatest) = (block.least, block.greatest);
            self.add(StepSegment { left, right, least, greatest, first: first as u32, count });
        } else if let Some(below) = level.checked_sub(1) {
            (index * FAN..(index + 1) * FAN).for_each(|index| self.visit(below, index));
        } else {
            (index * BASE..(index + 1) * BASE).for_each(|index| self.sample(index));
        }
    }

    fn sample(&mut self, index: usize) {
        let Some(sample) = self.samples.get(index) else { return };
        let end = self.samples.get(index + 1).map_or(self.end, |next| next.at.0);
        if end < self.from || sample.at.0 > self.until {
            return;
        }
        let (left, right) = (self.scale.px(sample.at.0), self.scale.px(end));
        let Block { least, greatest, .. } = block(sample);
        self.add(StepSegment { left, right, least, greatest, first: index as u32, count: 1 });
    }

    fn add(&mut self, next: StepSegment) {
        if next.right - next.left >= 1.0 {
            self.flush();
            (self.sink)(next);
            return;
        }
        if let Some(open) = &mut self.open {
            open.right = open.right.max(next.right);
            open.least = open.least.min(next.least);
            open.greatest = open.greatest.max(next.greatest);
            open.count += next.count;
        } else {
            self.open = Some(next);
        }
        if self.open.is_some_and(|open| open.right - open.left >= 1.0) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some(open) = self.open.take() {
            (self.sink)(open);
        }
    }
}
