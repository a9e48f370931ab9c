//! Results of commands of both worlds in textures, on the CPU: of rectangles on whole pixels, with texels that are read
//! one by one. It knows nothing of `replay`.

use std::collections::HashMap;

use super::buffers::{Buffer, BufferSlots, Slot};
use super::texture::{Rgba, Texture};
use crate::support::a3a0::{COLOR, Command, Corner, DEPTH, Handle, R8G8B8A8, TextureDesc};

/// Width and height of a context's own target.
pub const BACK_BUFFER: [u32; 2] = [16, 16];

// Handles of pixel shaders, by their work. In Direct3D 11: the constant color of the vertices, a texel, or the second
// register of a constant buffer.
pub const COLORED: Handle = 2;
pub const TEXTURED: Handle = 3;
pub const CONSTANT: Handle = 6;
/// In Direct3D 9 a texel times a color.
pub const TINTED_9: Handle = 5;

/// Subresources that a handle shows: a texture's mips and layers, as first and count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Two that show the same are not one.
    handle: Handle,
    pub texture: usize,
    pub mips: [u32; 2],
    pub layers: [u32; 2],
}

/// The state of a world, in the numbers of Direct3D 9: `D3DBLENDOP_` with factors of one, `D3DCMP_`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed {
    pub blends: bool,
    pub blend_op: u32,
    pub mask: u8,
    pub has_scissor: bool,
    pub tests_depth: bool,
    pub writes_depth: bool,
    pub compare: u32,
    pub tests_alpha: bool,
    pub compare_alpha: u32,
    pub alpha: u8,
}

/// The texel that stands for one outside of a texture, by `D3DTADDRESS_`.
fn addressed(address: u32, at: u32, count: u32) -> u32 {
    match address {
        1 => at % count,
        2 if at / count % 2 == 1 => count - 1 - at % count,
        2 => at % count,
        _ => at.min(count - 1),
    }
}

#[derive(Clone, Debug)]
pub struct Context {
    /// The pixel shader.
    pub ps: Handle,
    targets: [Option<View>; 2],
    depth: Option<View>,
    read: Option<View>,
    /// `[left, top, width, height]`.
    pub viewport: [i32; 4],
    scissor: [i32; 4],
    of_9: Fixed,
    of_11: Fixed,
    address_of_9: u32,
    address_of_11: u32,
    pub buffers: BufferSlots,
    pub vertices: Handle,
    /// A buffer of indices, whether they have 32 bits, and its first byte.
    pub indices: (Handle, bool, u32),
    /// Factors of texels in Direct3D 9: each channel or nothing.
    tint: [bool; 4],
    back_buffer: usize,
}

impl Context {
    pub fn is_of_9(&self) -> bool {
        self.ps == TINTED_9
    }

    fn fixed(&self) -> Fixed {
        if self.is_of_9() { self.of_9 } else { self.of_11 }
    }
}

#[derive(Debug)]
pub struct Model {
    pub textures: Vec<Texture>,
    pub names: HashMap<Handle, View>,
    pub contexts: HashMap<u32, Context>,
    pub buffers: HashMap<Handle, Buffer>,
    /// Textures by their tokens.
    tokens: HashMap<u64, usize>,
    /// The guest's memory: one allocation.
    pub memory: Vec<u8>,
    /// Picture that was presented last.
    pub shown: ([u32; 2], Vec<Rgba>),
}

impl Model {
    pub fn new(memory_bytes: u32) -> Self {
        Self {
            textures: Vec::new(),
            names: HashMap::new(),
            contexts: HashMap::new(),
            buffers: HashMap::new(),
            tokens: HashMap::new(),
            memory: vec![0; memory_bytes as usize],
            shown: (BACK_BUFFER, vec![[0; 4]; 256]),
        }
    }

    pub fn begin_context(&mut self, id: u32) {
        let [width, height] = BACK_BUFFER;
        let desc = TextureDesc { format: R8G8B8A8, width, height, mips: 1, layers: 1, row_pitch: 0, usage: 0 };
        self.textures.push(Texture::new(desc, None));
        let context = Context {
            ps: 0,
            targets: [None; 2],
            depth: None,
            read: None,
            viewport: [0; 4],
            scissor: [0; 4],
            of_9: Fixed::default(),
            of_11: Fixed::default(),
            address_of_9: 1,
            address_of_11: 1,
            buffers: BufferSlots::default(),
            vertices: 0,
            indices: (0, false, 0),
            tint: [true; 4],
            back_buffer: self.textures.len() - 1,
        };
        self.contexts.insert(id, context);
    }

    /// Carries out a command of a context.
    pub fn carry_out(&mut self, id: u32, command: &Command) {
        let context = self.contexts.get_mut(&id).unwrap();
        match *command {
            Command::CreateBuffer { handle, size, backing } => self.create_buffer(handle, size, backing),
            Command::CreateTexture { handle, desc, backing } => match self.names.get(&handle) {
                // It moves in guest memory: what it holds stays.
                Some(view) => self.textures[view.texture].backing = backing,
                None => {
                    self.textures.push(Texture::new(desc, backing));
                    self.name(handle, self.textures.len() - 1, [0, desc.mips], [0, desc.layers]);
                }
            },
            Command::Destroy { handle } => self.destroy(handle),
            Command::Dirty { handle, offset, size } => self.refresh(handle, offset, size),
            Command::Upload { handle, offset, ref bytes } => self.upload(handle, offset, &bytes.0),
            Command::CopyBuffer { dst, dst_offset, src, src_offset, size, writes_back } => {
                self.copy_buffer((dst, dst_offset), (src, src_offset), size, writes_back);
            }
            Command::CopyTexture { dst, src, width, height, writes_back } => {
                self.copy(dst, src, [width, height]);
                if writes_back {
                    self.write_back(dst, [width, height]);
                }
            }
            Command::CreateView { view, texture, base_mip, mips, base_layer, layers, .. } => {
                self.name(view, self.names[&texture].texture, [base_mip, mips], [base_layer, layers]);
            }
            Command::Export { resource, token } => {
                let texture = self.names[&resource].texture;
                self.textures[texture].is_shared = true;
                self.tokens.insert(token, texture);
            }
            Command::Import { handle, token } => {
                let TextureDesc { mips, layers, .. } = self.textures[self.tokens[&token]].desc;
                self.name(handle, self.tokens[&token], [0, mips], [0, layers]);
            }
            // Compute has shaders of its own.
            Command::BindShaders { ps: 0, .. } => {}
            Command::BindShaders { ps, .. } => context.ps = ps,
            Command::Constants { ref registers, .. } => context.tint = registers[0].map(|factor| factor != 0),
            Command::Blend(blend) => {
                let Fixed { blends, blend_op, mask, .. } = &mut context.of_11;
                (*blends, *blend_op, *mask) = (blend.enable != 0, blend.op + 1, blend.write_mask);
            }
            Command::DepthStencil { test, write, func, .. } => {
                let Fixed { tests_depth, writes_depth, compare, .. } = &mut context.of_11;
                (*tests_depth, *writes_depth, *compare) = (test, write, func + 1);
            }
            Command::Rasterizer { scissor, .. } => context.of_11.has_scissor = scissor,
            Command::RenderState { state, value } => context.of_9.set(state, value),
            Command::Viewport(place) => context.viewport = place,
            Command::Scissor(place) => context.scissor = place,
            Command::SamplerState { value, .. } => context.address_of_9 = value,
            // Clamped is 0, else as in Direct3D 9. A context has one, which it binds.
            Command::CreateSampler { address: [address, ..], .. } => context.address_of_11 = address,
            Command::Targets { ref colors, depth } => {
                self.set_targets(id, [0, 1].map(|slot| colors.get(slot).copied().unwrap_or(0)), depth);
            }
            Command::Texture { texture, .. } => self.set_read(id, texture),
            Command::VertexBuffers { ref slots, .. } => context.vertices = slots[0].buffer,
            Command::IndexBuffer { buffer, is_wide, offset } => context.indices = (buffer, is_wide, offset),
            Command::ConstantBuffers { ref slots, .. } => self.bind(id, Slot::Constants, slots[0]),
            Command::ResourceBuffers { ref slots, .. } => self.bind(id, Slot::Read, slots[0]),
            Command::Uavs { ref slots, .. } => self.bind(id, Slot::Written, slots[0]),
            Command::Clear { flags, color, depth, .. } => {
                let color = color.map(|channel| (channel * 255.0).round() as u8);
                let (color, depth) = ((flags & COLOR != 0).then_some(color), (flags & DEPTH != 0).then_some(depth));
                self.clear(id, color, depth);
            }
            Command::Draw { vertices, first, .. } => self.draw(id, [first, first + vertices - 1]),
            Command::DrawIndexed { indices, first, base_vertex, .. } => {
                let ends = [first, first + indices - 1];
                self.draw(id, ends.map(|at| self.index(id, at).wrapping_add_signed(base_vertex)));
            }
            Command::Dispatch { .. } => self.dispatch(id),
            Command::Present { .. } => self.present(id),
            // All shaders, layouts and topologies are of one form.
            Command::CreateShader { .. }
            | Command::CreateLayout { .. }
            | Command::SetLayout { .. }
            | Command::Topology { .. }
            | Command::Samplers { .. }
            | Command::Release { .. } => {}
            _ => panic!("{command:?} is not made"),
        }
    }

    fn name(&mut self, handle: Handle, texture: usize, mips: [u32; 2], layers: [u32; 2]) {
        self.names.insert(handle, View { handle, texture, mips, layers });
    }

    /// No slot holds it any more.
    fn destroy(&mut self, handle: Handle) {
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

    fn set_targets(&mut self, id: u32, handles: [Handle; 2], depth: Handle) {
        let [first, second] = handles.map(|handle| self.names.get(&handle).copied());
        let depth = self.names.get(&depth).copied();
        let context = self.contexts.get_mut(&id).unwrap();
        (context.targets, context.depth) = ([first, second], depth);
        let is_met = [first, second, depth].into_iter().any(|drawn| Self::meets(drawn, context.read));
        if is_met && !context.is_of_9() {
            context.read = None;
        }
    }

    fn set_read(&mut self, id: u32, handle: Handle) {
        let read = self.names.get(&handle).copied();
        let context = self.contexts.get_mut(&id).unwrap();
        context.read = read;
        if context.is_of_9() {
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
                let own = View { handle: 0, texture: context.back_buffer, mips: [0, 1], layers: [0, 1] };
                ([Some(own), None], None)
            }
            targets => targets,
        }
    }

    pub fn size_of(&self, view: View) -> [u32; 2] {
        self.textures[view.texture].desc.mip_size(view.mips[0])
    }

    /// The mip that a context reads, of those seen: the texture, and the number. Direct3D 9 reads the first.
    pub fn mip_read(&self, id: u32, level: u32) -> Option<(&Texture, u32)> {
        let context = &self.contexts[&id];
        let view = context.read?;
        let level = if context.is_of_9() { 0 } else { level.min(view.mips[1] - 1) };
        Some((&self.textures[view.texture], view.mips[0] + level))
    }

    fn clear(&mut self, id: u32, color: Option<Rgba>, depth: Option<f32>) {
        let (targets, depth_target) = self.drawn(id);
        let Context { scissor, .. } = self.contexts[&id];
        let clips = self.contexts[&id].is_of_9() && self.contexts[&id].of_9.has_scissor;
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

    /// Draws a rectangle in whole pixels of the viewport from its left upper to its right lower corner, the first and the
    /// last of its vertices. Its texels are read one by one.
    fn draw(&mut self, id: u32, ends: [u32; 2]) {
        let ([target, _], depth_target) = self.drawn(id);
        let context = self.contexts[&id].clone();
        let (is_of_9, fixed, scissor) = (context.is_of_9(), context.fixed(), context.scissor);
        let [x, y, columns, rows] = context.viewport;
        let ends = ends.map(|number| self.vertex(id, number));
        let whole = |at: f32| at.round() as u32;
        let [[left, top], [right, bottom]] = ends.map(|[at_x, at_y, ..]| {
            [whole((at_x + 1.0) / 2.0 * columns as f32), whole((1.0 - at_y) / 2.0 * rows as f32)]
        });
        let [_, _, depth, _, values @ ..] = ends[0];
        // What is read is what was there before the draw.
        let read = self.mip_read(id, values[2] as u32).map(|(texture, mip)| {
            let layer = context.read.map_or(0, |view| view.layers[0]);
            (texture.desc.mip_size(mip), texture.color(mip, layer).to_vec())
        });
        let address = if is_of_9 { context.address_of_9 } else { context.address_of_11 };
        let constant = self.constant(id);
        let Some([width, height]) = target.or(depth_target).map(|view| self.size_of(view)) else { return };
        for (row, column) in (top..bottom).flat_map(|row| (left..right).map(move |column| (row, column))) {
            let at = [x + column as i32, y + row as i32];
            let is_seen = at[0] >= 0 && at[1] >= 0 && at[0] < width as i32 && at[1] < height as i32;
            // Nothing of a rectangle is drawn outside of the viewport.
            let is_seen = is_seen && column < columns as u32 && row < rows as u32;
            let at = at.map(|at| at as u32);
            if !is_seen || fixed.has_scissor && !is_in(scissor, at) {
                continue;
            }
            let texel = || match &read {
                Some(([width, height], texels)) => {
                    let x = whole(values[0] * *width as f32) + column - left;
                    let y = whole(values[1] * *height as f32) + row - top;
                    texels[(addressed(address, y, *height) * width + addressed(address, x, *width)) as usize]
                }
                None if is_of_9 => [0, 0, 0, 255],
                None => [0; 4],
            };
            let color = match context.ps {
                TINTED_9 => {
                    let texel = texel();
                    std::array::from_fn(|channel| if context.tint[channel] { texel[channel] } else { 0 })
                }
                TEXTURED => texel(),
                CONSTANT => constant,
                _ => values.map(|value| (value * 255.0).round() as u8),
            };
            if fixed.tests_alpha && !passes(fixed.compare_alpha, color[3], fixed.alpha) {
                continue;
            }
            let place = (at[1] * width + at[0]) as usize;
            if let Some(depth_target) = depth_target.filter(|_| fixed.tests_depth) {
                let held = &mut self.textures[depth_target.texture].depth_mut()[place];
                if !passes(fixed.compare, depth, *held) {
                    continue;
                }
                if fixed.writes_depth {
                    *held = depth;
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
                match fixed.blend_op {
                    _ if !fixed.blends => color,
                    1 => color.saturating_add(held),
                    3 => held.saturating_sub(color),
                    _ => color.max(held),
                }
            });
            let stored = texture.stored(blended);
            texture.color_mut(target.mips[0], target.layers[0])[place] = stored;
        }
    }

    /// Writes bytes of a buffer, or of a texture in guest order: layer by layer, mip by mip, row by row.
    pub fn upload(&mut self, handle: Handle, offset: u32, bytes: &[u8]) {
        match self.buffers.get_mut(&handle) {
            Some(buffer) => buffer.bytes[offset as usize..][..bytes.len()].copy_from_slice(bytes),
            None => self.textures[self.names[&handle].texture].write(offset, bytes),
        }
    }

    /// Takes bytes from where it lies in guest memory.
    pub fn refresh(&mut self, handle: Handle, offset: u32, size: u32) {
        let backing = match self.buffers.get(&handle) {
            Some(buffer) => buffer.backing,
            None => self.textures[self.names[&handle].texture].backing,
        };
        let start = (backing.unwrap().offset + offset) as usize;
        let bytes = self.memory[start..][..size as usize].to_vec();
        self.upload(handle, offset, &bytes);
    }

    /// Writes the copied texels of a texture to where it lies in guest memory.
    fn write_back(&mut self, Corner { texture, mip, layer, x, y }: Corner, [width, height]: [u32; 2]) {
        let texture = &self.textures[self.names[&texture].texture];
        let texels = (y..y + height).flat_map(|y| (x..x + width).map(move |x| [x, y]));
        for (at, channel) in texels.flat_map(|at| (0..4).map(move |channel| (at, channel))) {
            let (byte, value) = texture.byte_of((mip, layer), at, channel);
            self.memory[(texture.backing.unwrap().offset + byte) as usize] = value;
        }
    }

    /// Copies `[width, height]` texels.
    fn copy(&mut self, to: Corner, from: Corner, [width, height]: [u32; 2]) {
        let source = &self.textures[self.names[&from.texture].texture];
        let (source_width, texels) = (source.desc.mip_size(from.mip)[0], source.color(from.mip, from.layer).to_vec());
        let target = &mut self.textures[self.names[&to.texture].texture];
        let target_width = target.desc.mip_size(to.mip)[0];
        let into = target.color_mut(to.mip, to.layer);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            into[((to.y + y) * target_width + to.x + x) as usize] =
                texels[((from.y + y) * source_width + from.x + x) as usize];
        }
    }

    fn present(&mut self, id: u32) {
        let ([target, _], _) = self.drawn(id);
        let target = target.unwrap();
        let texels = self.textures[target.texture].color(target.mips[0], target.layers[0]).to_vec();
        self.shown = (self.size_of(target), texels);
    }
}

impl Fixed {
    /// Sets a state of Direct3D 9: those of blending, writing, the scissor, depth and alpha.
    fn set(&mut self, state: u32, value: u32) {
        match state {
            27 => self.blends = value != 0,
            171 => self.blend_op = value,
            168 => self.mask = value as u8,
            174 => self.has_scissor = value != 0,
            7 => self.tests_depth = value != 0,
            14 => self.writes_depth = value != 0,
            23 => self.compare = value,
            15 => self.tests_alpha = value != 0,
            25 => self.compare_alpha = value,
            24 => self.alpha = value as u8,
            // Both sides are drawn, and the factors are one.
            19 | 20 | 22 => {}
            _ => panic!("state {state} is not made"),
        }
    }
}

/// `D3DCMP_NEVER` to `D3DCMP_ALWAYS`.
fn passes<T: PartialOrd>(function: u32, new: T, other: T) -> bool {
    match function {
        1 => false,
        2 => new < other,
        3 => new == other,
        4 => new <= other,
        5 => new > other,
        6 => new != other,
        7 => new >= other,
        _ => true,
    }
}

fn is_in([left, top, width, height]: [i32; 4], [x, y]: [u32; 2]) -> bool {
    let has = |first: i32, count: i32, at: u32| {
        (i64::from(first)..i64::from(first) + i64::from(count)).contains(&i64::from(at))
    };
    has(left, width, x) && has(top, height, y)
}
