//! Contents of buffers and textures: a writer for each byte, and for each mip, layer and aspect.

use std::collections::BTreeMap;
use std::ops::Range;

use super::provenance::{NOTHING, NodeId};
use super::scene::{B5G6R5, BC1, Backing, D24S8, D32F, TextureDesc};

pub struct Buffer {
    /// The last CREATE, which says where it lies in memory.
    pub placed_by: NodeId,
    pub backing: Option<Backing>,
    pub bytes: Vec<NodeId>,
}

impl Buffer {
    /// The part of a range that is there.
    pub fn clipped(&self, start: u64, end: u64) -> Range<usize> {
        let size = self.bytes.len() as u64;
        let (start, end) = (start.min(size), end.min(size));
        start as usize..end.max(start) as usize
    }

    /// Stretches of one writer each: the length, and who it was.
    pub fn runs(&self, range: Range<usize>) -> Vec<(usize, NodeId)> {
        let mut runs: Vec<(usize, NodeId)> = Vec::new();
        for writer in &self.bytes[range] {
            match runs.last_mut() {
                Some((length, last)) if last == writer => *length += 1,
                _ => runs.push((1, *writer)),
            }
        }
        runs
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspect {
    Color,
    Depth,
    Stencil,
}

pub struct Texture {
    /// The last CREATE, which says where it lies in memory.
    pub placed_by: NodeId,
    pub desc: TextureDesc,
    pub backing: Option<Backing>,
    /// Its names, by their numbers, each with what gave it.
    pub names: BTreeMap<u32, NodeId>,
    /// By subresource, then by aspect.
    parts: Vec<NodeId>,
}

/// Where a subresource lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub start: u64,
    pub pitch: u64,
    pub row_bytes: u64,
    pub rows: u64,
}

impl Placed {
    /// One past the last byte of its last row.
    pub fn end(self) -> u64 {
        self.start + self.pitch * (self.rows - 1) + self.row_bytes
    }

    /// Whether the range has a byte of a row.
    pub fn is_touched(self, range: &Range<u64>) -> bool {
        (0..self.rows).any(|row| {
            let start = self.start + row * self.pitch;
            range.start < start + self.row_bytes && start < range.end
        })
    }

    pub fn is_covered(self, range: &Range<u64>) -> bool {
        range.start <= self.start && self.end() <= range.end
    }
}

impl TextureDesc {
    pub fn aspects(&self) -> &'static [Aspect] {
        match self.format {
            D24S8 => &[Aspect::Depth, Aspect::Stencil],
            D32F => &[Aspect::Depth],
            _ => &[Aspect::Color],
        }
    }

    pub fn mip_size(&self, mip: u32) -> [u32; 2] {
        [self.width, self.height].map(|side| (side >> mip).max(1))
    }

    /// Bytes of a texel or block, and its side.
    pub fn block(&self) -> (u32, u32) {
        match self.format {
            BC1 => (8, 4),
            B5G6R5 => (2, 1),
            _ => (4, 1),
        }
    }

    fn mip_rows(&self, mip: u32) -> [u64; 2] {
        let (bytes, side) = self.block();
        let [width, height] = self.mip_size(mip).map(|size| u64::from(size.div_ceil(side)));
        [width * u64::from(bytes), height]
    }

    /// Every subresource: layers outside, mips inside.
    pub fn placed(&self) -> Vec<(u32, u32, Placed)> {
        let mut start = 0;
        let mut all = Vec::new();
        for layer in 0..self.layers {
            for mip in 0..self.mips {
                let [row_bytes, rows] = self.mip_rows(mip);
                let pitch = if mip == 0 && self.row_pitch > 0 { u64::from(self.row_pitch) } else { row_bytes };
                all.push((mip, layer, Placed { start, pitch, row_bytes, rows }));
                start += pitch * rows;
            }
        }
        all
    }

    pub fn total_bytes(&self) -> u64 {
        self.placed().last().map_or(0, |(_, _, placed)| placed.start + placed.pitch * placed.rows)
    }
}

impl Texture {
    pub fn new(placed_by: NodeId, desc: TextureDesc, backing: Option<Backing>) -> Self {
        let parts = vec![NOTHING; (desc.mips * desc.layers * 3) as usize];
        Self { placed_by, desc, backing, names: BTreeMap::new(), parts }
    }

    fn place(&self, mip: u32, layer: u32, aspect: Aspect) -> usize {
        ((layer * self.desc.mips + mip) * 3) as usize + aspect as usize
    }

    pub fn part(&self, mip: u32, layer: u32, aspect: Aspect) -> NodeId {
        self.parts[self.place(mip, layer, aspect)]
    }

    pub fn set_part(&mut self, mip: u32, layer: u32, aspect: Aspect, writer: NodeId) {
        let place = self.place(mip, layer, aspect);
        self.parts[place] = writer;
    }
}
