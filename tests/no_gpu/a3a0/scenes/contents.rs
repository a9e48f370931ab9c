//! Contents of buffers and textures: a writer for each byte, and for each mip, layer and aspect.

use std::collections::BTreeMap;
use std::ops::Range;

use super::provenance::{NOTHING, NodeId};
use crate::support::a3a0::{Backing, D24S8, D32F, TextureDesc};

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

impl Aspect {
    pub fn of(format: u32) -> &'static [Self] {
        match format {
            D24S8 => &[Self::Depth, Self::Stencil],
            D32F => &[Self::Depth],
            _ => &[Self::Color],
        }
    }
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
