//! Textures on the CPU, as texels and as bytes in guest memory.

use crate::support::a3a0::{B8G8R8A8, Backing, D32F, R8G8B8X8, TextureDesc};

pub type Rgba = [u8; 4];

/// Contents of a mip of a layer.
#[derive(Clone, Debug)]
enum Texels {
    Color(Vec<Rgba>),
    Depth(Vec<f32>),
}

#[derive(Clone, Debug)]
pub struct Texture {
    pub desc: TextureDesc,
    held: Vec<Texels>,
    /// Where it lies in guest memory, if it does.
    pub backing: Option<Backing>,
    /// Another handle's too, or was.
    pub is_shared: bool,
}

impl Texture {
    pub fn new(desc: TextureDesc, backing: Option<Backing>) -> Self {
        let subresource = |number: u32| {
            let [width, height] = desc.mip_size(number % desc.mips);
            let count = (width * height) as usize;
            match desc.format {
                D32F => Texels::Depth(vec![0.0; count]),
                R8G8B8X8 => Texels::Color(vec![[0, 0, 0, 255]; count]),
                _ => Texels::Color(vec![[0; 4]; count]),
            }
        };
        let held = (0..desc.mips * desc.layers).map(subresource).collect();
        Self { desc, held, backing, is_shared: false }
    }

    pub fn color(&self, mip: u32, layer: u32) -> &[Rgba] {
        match &self.held[(layer * self.desc.mips + mip) as usize] {
            Texels::Color(texels) => texels,
            Texels::Depth(_) => panic!("depth is not read as colour"),
        }
    }

    pub fn color_mut(&mut self, mip: u32, layer: u32) -> &mut Vec<Rgba> {
        match &mut self.held[(layer * self.desc.mips + mip) as usize] {
            Texels::Color(texels) => texels,
            Texels::Depth(_) => panic!("depth is not written as colour"),
        }
    }

    pub fn depth_mut(&mut self) -> &mut Vec<f32> {
        match &mut self.held[0] {
            Texels::Depth(texels) => texels,
            Texels::Color(_) => panic!("colour is not written as depth"),
        }
    }

    /// The mip, layer, texel and channel of a byte in guest order; nothing between two rows.
    fn place(&self, byte: u32) -> Option<(u32, u32, usize, usize)> {
        let byte = u64::from(byte);
        let placed = self.desc.placed();
        let (mip, layer, placed) = *placed.iter().rfind(|(.., placed)| placed.start <= byte).unwrap();
        let left = byte - placed.start;
        let (row, column) = (left / placed.pitch, left % placed.pitch);
        let channel = match (column % 4, self.desc.format == B8G8R8A8) {
            (channel @ (0 | 2), true) => 2 - channel,
            (channel, _) => channel,
        };
        let texel = (row * placed.row_bytes + column) / 4;
        (column < placed.row_bytes).then_some((mip, layer, texel as usize, channel as usize))
    }

    /// Writes bytes in guest order.
    pub fn write(&mut self, offset: u32, bytes: &[u8]) {
        for (number, byte) in (offset..).zip(bytes) {
            let Some((mip, layer, texel, channel)) = self.place(number) else { continue };
            self.color_mut(mip, layer)[texel][channel] = *byte;
            let stored = self.stored(self.color(mip, layer)[texel]);
            self.color_mut(mip, layer)[texel] = stored;
        }
    }

    /// The byte in guest order of a texel's channel, and its value.
    pub fn byte_of(&self, (mip, layer): (u32, u32), [x, y]: [u32; 2], channel: u32) -> (u32, u8) {
        let (.., placed) = self.desc.placed()[(layer * self.desc.mips + mip) as usize];
        let byte = (placed.start + u64::from(y) * placed.pitch) as u32 + x * 4 + channel;
        let (.., texel, channel) = self.place(byte).unwrap();
        (byte, self.color(mip, layer)[texel][channel])
    }

    pub fn stored(&self, [red, green, blue, alpha]: Rgba) -> Rgba {
        [red, green, blue, if self.desc.format == R8G8B8X8 { 255 } else { alpha }]
    }
}
