//! Where the texels of a texture lie in guest memory.

use std::ops::Range;

use super::{B5G6R5, BC1, TextureDesc};

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
