//! Results of commands of both worlds in textures, on the CPU: of rectangles on whole pixels, with texels that are read
//! one by one. It knows nothing of `replay`.

use std::collections::HashMap;

use super::buffers::{Buffer, BufferSlots};
use super::guest_memory::GuestMemory;

pub type Rgba = [u8; 4];

pub const B8G8R8A8: u32 = 1;
pub const R8G8B8X8: u32 = 4;
pub const D32_FLOAT: u32 = 33;
/// Width and height of a context's own target.
pub const BACK_BUFFER: [u32; 2] = [16, 16];

/// Contents of a mip of a layer.
#[derive(Clone, Debug)]
pub enum Texels {
    Color(Vec<Rgba>),
    Depth(Vec<f32>),
}

#[derive(Clone, Debug)]
pub struct Texture {
    pub format: u32,
    pub size: [u32; 2],
    pub mips: u32,
    pub layers: u32,
    pub held: Vec<Texels>,
    /// Bytes from one row of the largest mip to the next; 0 for rows without a gap.
    pub row_pitch: u32,
    /// Where it lies in guest memory, if it does.
    pub backing: Option<u32>,
    /// Another handle's too, or was.
    pub is_shared: bool,
}

impl Texture {
    pub fn new(format: u32, size: [u32; 2], mips: u32, layers: u32, row_pitch: u32) -> Self {
        let subresource = |number: u32| {
            let [width, height] = size.map(|side| (side >> (number % mips)).max(1));
            let count = (width * height) as usize;
            match format {
                D32_FLOAT => Texels::Depth(vec![0.0; count]),
                R8G8B8X8 => Texels::Color(vec![[0, 0, 0, 255]; count]),
                _ => Texels::Color(vec![[0; 4]; count]),
            }
        };
        let held = (0..mips * layers).map(subresource).collect();
        Self { format, size, mips, layers, held, row_pitch, backing: None, is_shared: false }
    }

    pub fn mip_size(&self, mip: u32) -> [u32; 2] {
        self.size.map(|side| (side >> mip).max(1))
    }

    pub fn color(&self, mip: u32, layer: u32) -> &[Rgba] {
        match &self.held[(layer * self.mips + mip) as usize] {
            Texels::Color(texels) => texels,
            Texels::Depth(_) => panic!("depth is not read as colour"),
        }
    }

    fn color_mut(&mut self, mip: u32, layer: u32) -> &mut Vec<Rgba> {
        match &mut self.held[(layer * self.mips + mip) as usize] {
            Texels::Color(texels) => texels,
            Texels::Depth(_) => panic!("depth is not written as colour"),
        }
    }

    fn depth_mut(&mut self) -> &mut Vec<f32> {
        match &mut self.held[0] {
            Texels::Depth(texels) => texels,
            Texels::Color(_) => panic!("colour is not written as depth"),
        }
    }

    /// Bytes of the largest mip's rows, or of another's.
    fn pitch(&self, mip: u32) -> u32 {
        let tight = self.mip_size(mip)[0] * 4;
        if mip == 0 { self.row_pitch.max(tight) } else { tight }
    }

    fn bytes_of(&self, mip: u32) -> u32 {
        self.pitch(mip) * self.mip_size(mip)[1]
    }

    /// The first byte of each mip of each layer in guest order, and of what would follow the last.
    pub fn starts(&self) -> Vec<u32> {
        let mut starts = vec![0];
        for number in 0..self.mips * self.layers {
            starts.push(starts[number as usize] + self.bytes_of(number % self.mips));
        }
        starts
    }

    /// The mip, layer, texel and channel of a byte in guest order; nothing between two rows.
    fn place(&self, byte: u32) -> Option<(u32, u32, usize, usize)> {
        let starts = self.starts();
        let number = starts.iter().rposition(|start| *start <= byte).unwrap() as u32;
        let (mip, layer) = (number % self.mips, number / self.mips);
        let left = byte - starts[number as usize];
        let (row, column) = (left / self.pitch(mip), left % self.pitch(mip));
        let width = self.mip_size(mip)[0];
        let channel = match (column % 4, self.format == B8G8R8A8) {
            (channel @ (0 | 2), true) => 2 - channel,
            (channel, _) => channel,
        };
        (column < width * 4).then_some((mip, layer, (row * width + column / 4) as usize, channel as usize))
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
        let start = self.starts()[(layer * self.mips + mip) as usize] + y * self.pitch(mip) + x * 4 + channel;
        let (.., texel, channel) = self.place(start).unwrap();
        (start, self.color(mip, layer)[texel][channel])
    }

    fn stored(&self, [red, green, blue, alpha]: Rgba) -> Rgba {
        [red, green, blue, if self.format == R8G8B8X8 { 255 } else { alpha }]
    }
}

/// Subresources that a handle shows: a texture's mips and layers, as first and count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Of the handle: two that show the same are not one.
    pub name: usize,
    pub texture: usize,
    pub mips: [u32; 2],
    pub layers: [u32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum World {
    Direct3d9,
    Direct3d11,
}

/// Operation that blends a color with the one that is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blend {
    Replace,
    Add,
    /// The color that is there, less the new one.
    Subtract,
    Most,
}

/// Work of the pixel shader: the constant color of the vertices, or a texel; in Direct3D 9 a texel times a color.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shading {
    Color,
    Texel,
    /// The second register of a constant buffer.
    Constant,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compare {
    Less,
    LessEqual,
    Greater,
    Always,
}

/// The state of a world.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    pub blend: Blend,
    pub mask: u8,
    pub has_scissor: bool,
    /// Whether depth is tested, whether it is written, and how it is compared.
    pub depth: (bool, bool, Compare),
    /// Direct3D 9's `D3DCMP_`, by which alpha is compared with a byte.
    pub alpha: Option<(u32, u8)>,
}

/// Texels that stand for those outside of a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Address {
    Wrap,
    Mirror,
    Clamp,
}

impl Address {
    fn of(self, at: u32, count: u32) -> u32 {
        match self {
            Self::Wrap => at % count,
            Self::Mirror if at / count % 2 == 1 => count - 1 - at % count,
            Self::Mirror => at % count,
            Self::Clamp => at.min(count - 1),
        }
    }
}

/// A rectangle to draw in pixels of the viewport: `[left, top, right, bottom]`.
#[derive(Clone, Copy, Debug)]
pub struct Rectangle {
    pub place: [u32; 4],
    pub depth: f32,
    pub color: Rgba,
    /// The texel that the viewport's first pixel shows, and the mip of those seen.
    pub texel: [u32; 2],
    pub level: u32,
}

#[derive(Clone, Debug)]
pub struct Context {
    pub world: World,
    pub shading: Shading,
    pub targets: [Option<View>; 2],
    pub depth: Option<View>,
    pub read: Option<View>,
    /// `[left, top, width, height]`.
    pub viewport: [i32; 4],
    pub scissor: [i32; 4],
    pub of_9: Fixed,
    pub of_11: Fixed,
    pub address_of_9: Address,
    pub address_of_11: Address,
    pub buffers: BufferSlots,
    /// Factors of texels in Direct3D 9: each channel or nothing.
    pub tint: [bool; 4],
    back_buffer: usize,
}

#[derive(Debug, Default)]
pub struct Model {
    pub textures: Vec<Texture>,
    pub names: HashMap<u32, View>,
    pub contexts: HashMap<u32, Context>,
    pub buffers: HashMap<u32, Buffer>,
    pub memory: GuestMemory,
    next_name: usize,
    /// Picture that was presented last.
    pub shown: Option<([u32; 2], Vec<Rgba>)>,
}

impl Model {
    pub fn begin_context(&mut self, id: u32) {
        self.textures.push(Texture::new(3, BACK_BUFFER, 1, 1, 0));
        let fixed = |compare| Fixed {
            blend: Blend::Replace,
            mask: 15,
            has_scissor: false,
            depth: (true, true, compare),
            alpha: None,
        };
        let context = Context {
            world: World::Direct3d11,
            shading: Shading::Color,
            targets: [None; 2],
            depth: None,
            read: None,
            viewport: [0, 0, 16, 16],
            scissor: [0; 4],
            of_9: fixed(Compare::LessEqual),
            of_11: fixed(Compare::Less),
            address_of_9: Address::Wrap,
            address_of_11: Address::Wrap,
            buffers: BufferSlots::default(),
            tint: [true; 4],
            back_buffer: self.textures.len() - 1,
        };
        self.contexts.insert(id, context);
    }

    pub fn create(&mut self, handle: u32, texture: Texture) {
        let (mips, layers) = ([0, texture.mips], [0, texture.layers]);
        self.textures.push(texture);
        self.name(handle, self.textures.len() - 1, mips, layers);
    }

    pub fn name(&mut self, handle: u32, texture: usize, mips: [u32; 2], layers: [u32; 2]) {
        self.next_name += 1;
        self.names.insert(handle, View { name: self.next_name, texture, mips, layers });
    }

    /// No slot holds it any more.
    pub fn destroy(&mut self, handle: u32) {
        self.destroy_buffer(handle);
        let Some(view) = self.names.remove(&handle) else { return };
        let is_gone = |slot: &Option<View>| *slot == Some(view);
        for context in self.contexts.values_mut() {
            let Context { targets: [first, second], depth, read, .. } = context;
            [first, second, depth, read].into_iter().filter(|slot| is_gone(slot)).for_each(|slot| *slot = None);
        }
    }

    /// Direct3D 11: what is bound later takes away what is bound on the other side. Targets are drawn to in their first mip
    /// of their first layer.
    fn meets(drawn: Option<View>, read: Option<View>) -> bool {
        let (Some(drawn), Some(read)) = (drawn, read) else { return false };
        let has = |[first, count]: [u32; 2], at: u32| (first..first + count).contains(&at);
        drawn.texture == read.texture && has(read.mips, drawn.mips[0]) && has(read.layers, drawn.layers[0])
    }

    pub fn set_targets(&mut self, id: u32, handles: [u32; 2], depth: u32) {
        let [first, second] = handles.map(|handle| self.names.get(&handle).copied());
        let depth = self.names.get(&depth).copied();
        let context = self.contexts.get_mut(&id).unwrap();
        (context.targets, context.depth) = ([first, second], depth);
        let is_met = [first, second, depth].into_iter().any(|drawn| Self::meets(drawn, context.read));
        if is_met && context.world == World::Direct3d11 {
            context.read = None;
        }
    }

    pub fn set_read(&mut self, id: u32, handle: u32) {
        let read = self.names.get(&handle).copied();
        let context = self.contexts.get_mut(&id).unwrap();
        context.read = read;
        if context.world == World::Direct3d9 {
            return;
        }
        let Context { targets: [first, second], depth, .. } = context;
        [first, second, depth].into_iter().filter(|drawn| Self::meets(**drawn, read)).for_each(|drawn| *drawn = None);
    }

    /// The targets that are drawn to: the context's own where there are none.
    pub fn drawn(&self, id: u32) -> ([Option<View>; 2], Option<View>) {
        let context = &self.contexts[&id];
        match (context.targets, context.depth) {
            ([None, None], None) => {
                let own = View { name: 0, texture: context.back_buffer, mips: [0, 1], layers: [0, 1] };
                ([Some(own), None], None)
            }
            targets => targets,
        }
    }

    pub fn size_of(&self, view: View) -> [u32; 2] {
        self.textures[view.texture].mip_size(view.mips[0])
    }

    fn fixed(&self, id: u32) -> (World, Fixed, [i32; 4]) {
        let context = &self.contexts[&id];
        let fixed = if context.world == World::Direct3d9 { context.of_9 } else { context.of_11 };
        (context.world, fixed, context.scissor)
    }

    pub fn clear(&mut self, id: u32, color: Option<Rgba>, depth: Option<f32>) {
        let (targets, depth_target) = self.drawn(id);
        let (world, fixed, scissor) = self.fixed(id);
        let clips = world == World::Direct3d9 && fixed.has_scissor;
        let is_inside = |at: u32, width: u32| !clips || is_in(scissor, [at % width, at / width]);
        for (target, color) in targets.into_iter().flatten().zip(color.into_iter().cycle()) {
            let width = self.size_of(target)[0];
            let texture = &mut self.textures[target.texture];
            let stored = texture.stored(color);
            let texels = texture.color_mut(target.mips[0], target.layers[0]);
            (0..).zip(texels).filter(|(at, _)| is_inside(*at, width)).for_each(|(_, texel)| *texel = stored);
        }
        if let (Some(target), Some(depth)) = (depth_target, depth) {
            let width = self.size_of(target)[0];
            let texels = self.textures[target.texture].depth_mut();
            (0..).zip(texels).filter(|(at, _)| is_inside(*at, width)).for_each(|(_, texel)| *texel = depth);
        }
    }

    pub fn draw(&mut self, id: u32, rectangle: &Rectangle) {
        let ([target, _], depth_target) = self.drawn(id);
        let (world, fixed, scissor) = self.fixed(id);
        let context = self.contexts[&id].clone();
        // What is read is what was there before the draw.
        let read = context.read.map(|view| {
            let texture = &self.textures[view.texture];
            let level = if world == World::Direct3d9 { 0 } else { rectangle.level.min(view.mips[1] - 1) };
            let mip = view.mips[0] + level;
            (texture.mip_size(mip), texture.color(mip, view.layers[0]).to_vec())
        });
        let address = if world == World::Direct3d9 { context.address_of_9 } else { context.address_of_11 };
        let constant = self.constant(id);
        let Some([width, height]) = target.or(depth_target).map(|view| self.size_of(view)) else { return };
        let [left, top, right, bottom] = rectangle.place;
        let [x, y, ..] = context.viewport;
        for (row, column) in (top..bottom).flat_map(|row| (left..right).map(move |column| (row, column))) {
            let at = [x + column as i32, y + row as i32];
            let is_seen = at[0] >= 0 && at[1] >= 0 && at[0] < width as i32 && at[1] < height as i32;
            // Nothing of a rectangle is drawn outside of the viewport.
            let is_seen = is_seen && column < context.viewport[2] as u32 && row < context.viewport[3] as u32;
            let at = at.map(|at| at as u32);
            if !is_seen || fixed.has_scissor && !is_in(scissor, at) {
                continue;
            }
            let texel = || match &read {
                Some(([width, height], texels)) => {
                    let [x, y] = [column + rectangle.texel[0], row + rectangle.texel[1]];
                    texels[(address.of(y, *height) * width + address.of(x, *width)) as usize]
                }
                None if world == World::Direct3d9 => [0, 0, 0, 255],
                None => [0; 4],
            };
            let color = match (world, context.shading) {
                (World::Direct3d9, _) => {
                    let texel = texel();
                    std::array::from_fn(|channel| if context.tint[channel] { texel[channel] } else { 0 })
                }
                (World::Direct3d11, Shading::Texel) => texel(),
                (World::Direct3d11, Shading::Color) => rectangle.color,
                (World::Direct3d11, Shading::Constant) => constant,
            };
            if world == World::Direct3d9 && fixed.alpha.is_some_and(|test| !passes_alpha(test, color[3])) {
                continue;
            }
            let place = (at[1] * width + at[0]) as usize;
            if let Some(depth_target) = depth_target.filter(|_| fixed.depth.0) {
                let (_, writes, compare) = fixed.depth;
                let held = &mut self.textures[depth_target.texture].depth_mut()[place];
                let passes = match compare {
                    Compare::Less => rectangle.depth < *held,
                    Compare::LessEqual => rectangle.depth <= *held,
                    Compare::Greater => rectangle.depth > *held,
                    Compare::Always => true,
                };
                if !passes {
                    continue;
                }
                if writes {
                    *held = rectangle.depth;
                }
            }
            let Some(target) = target else { continue };
            let texture = &mut self.textures[target.texture];
            let held = texture.color(target.mips[0], target.layers[0])[place];
            let blended: Rgba = std::array::from_fn(|channel| {
                let (color, held) = (color[channel], held[channel]);
                if fixed.mask >> channel & 1 == 0 {
                    return held;
                }
                match fixed.blend {
                    Blend::Replace => color,
                    Blend::Add => color.saturating_add(held),
                    Blend::Subtract => held.saturating_sub(color),
                    Blend::Most => color.max(held),
                }
            });
            let stored = texture.stored(blended);
            texture.color_mut(target.mips[0], target.layers[0])[place] = stored;
        }
    }

    /// Writes bytes of a texture in guest order: layer by layer, mip by mip, row by row.
    pub fn upload(&mut self, handle: u32, offset: u32, bytes: &[u8]) {
        self.textures[self.names[&handle].texture].write(offset, bytes);
    }

    /// Takes bytes of a texture from where it lies in guest memory.
    pub fn refresh(&mut self, handle: u32, offset: u32, size: u32) {
        let texture = &mut self.textures[self.names[&handle].texture];
        let start = texture.backing.unwrap() + offset;
        texture.write(offset, self.memory.bytes(start, size));
    }

    /// Writes the copied texels of a texture to where it lies in guest memory.
    pub fn write_back(&mut self, (handle, mip, layer, [x, y]): (u32, u32, u32, [u32; 2]), [width, height]: [u32; 2]) {
        let texture = &self.textures[self.names[&handle].texture];
        let texels = (y..y + height).flat_map(|y| (x..x + width).map(move |x| [x, y]));
        for (at, channel) in texels.flat_map(|at| (0..4).map(move |channel| (at, channel))) {
            let (byte, value) = texture.byte_of((mip, layer), at, channel);
            self.memory.set(texture.backing.unwrap() + byte, value);
        }
    }

    /// Copies `[width, height]` texels from `(handle, mip, layer, [x, y])` to another.
    pub fn copy(&mut self, to: (u32, u32, u32, [u32; 2]), from: (u32, u32, u32, [u32; 2]), [width, height]: [u32; 2]) {
        let (handle, mip, layer, [from_x, from_y]) = from;
        let source = &self.textures[self.names[&handle].texture];
        let (source_width, texels) = (source.mip_size(mip)[0], source.color(mip, layer).to_vec());
        let (handle, mip, layer, [to_x, to_y]) = to;
        let target = &mut self.textures[self.names[&handle].texture];
        let target_width = target.mip_size(mip)[0];
        let into = target.color_mut(mip, layer);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            into[((to_y + y) * target_width + to_x + x) as usize] =
                texels[((from_y + y) * source_width + from_x + x) as usize];
        }
    }

    pub fn present(&mut self, id: u32) {
        let ([target, _], _) = self.drawn(id);
        let target = target.unwrap();
        let texels = self.textures[target.texture].color(target.mips[0], target.layers[0]).to_vec();
        self.shown = Some((self.size_of(target), texels));
    }
}

/// `D3DCMP_NEVER` to `D3DCMP_ALWAYS`.
fn passes_alpha((function, reference): (u32, u8), alpha: u8) -> bool {
    match function {
        1 => false,
        2 => alpha < reference,
        3 => alpha == reference,
        4 => alpha <= reference,
        5 => alpha > reference,
        6 => alpha != reference,
        7 => alpha >= reference,
        _ => true,
    }
}

fn is_in([left, top, width, height]: [i32; 4], [x, y]: [u32; 2]) -> bool {
    let has = |first: i32, count: i32, at: u32| {
        (i64::from(first)..i64::from(first) + i64::from(count)).contains(&i64::from(at))
    };
    has(left, width, x) && has(top, height, y)
}
