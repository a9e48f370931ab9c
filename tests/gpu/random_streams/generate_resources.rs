//! Commands about textures, buffers and the memory behind them.

use super::buffers::Slot;
use super::generate::{Focus, Maker};
use super::model::CONSTANT;
use super::texture::Texture;
use crate::support::a3a0::{
    B8G8R8A8, Backing, Bound, Bytes, Command, Compute, Corner, D32F, Handle, Pixel, R8G8B8A8, R8G8B8X8, TextureDesc,
};

/// Sides of textures.
const SIDES: [u32; 3] = [4, 8, 16];
const FIRST_TEXTURE: u32 = 100;
/// So many textures are there at most.
const MOST_TEXTURES: u32 = 10;
const FIRST_BUFFER: u32 = 40;
const BUFFERS: u32 = 3;

/// Bytes of every buffer but those that draws read.
const BUFFER_BYTES: u32 = 64;

// Guest memory: one allocation, with two places for each texture and buffer, so that it can move.
pub const ALLOCATION: u32 = 7;
pub const ADDRESS: u64 = 0x10_0000;
const PLACE_BYTES: u32 = 4096;
pub const MEMORY_BYTES: u32 = 32 * PLACE_BYTES;

fn place_of(handle: Handle, is_second: bool) -> Backing {
    let number = if handle >= FIRST_TEXTURE { handle - FIRST_TEXTURE } else { MOST_TEXTURES + handle - FIRST_BUFFER };
    Backing { allocation: ALLOCATION, offset: (number * 2 + u32::from(is_second)) * PLACE_BYTES }
}

impl Maker {
    pub fn create(&mut self) {
        let Some(handle) = self.free_handle() else { return };
        let format = self.random.pick(&[R8G8B8A8, R8G8B8A8, B8G8R8A8, R8G8B8X8, D32F]);
        let [width, height] = [self.random.pick(&SIDES), self.random.pick(&SIDES)];
        let (mips, layers, usage) = match format {
            D32F => (1, 1, 0x20),
            _ => (1 + self.random.below(3), 1 + self.random.below(2), 0x18),
        };
        let row_pitch = if self.focus == Focus::Memory || self.random.one_in(3) {
            width * 4 + self.random.pick(&[0, 4, 16])
        } else {
            0
        };
        let has_backing = format != D32F && row_pitch != 0 && !self.random.one_in(3);
        let backing = has_backing.then(|| place_of(handle, self.random.one_in(2)));
        let desc = TextureDesc { format, width, height, mips, layers, row_pitch, usage };
        self.push(Command::CreateTexture { handle, desc, backing });
        self.textures.push(handle);
    }

    fn free_handle(&self) -> Option<u32> {
        let most = if self.focus == Focus::Anything { MOST_TEXTURES } else { 4 };
        (FIRST_TEXTURE..FIRST_TEXTURE + most).find(|handle| !self.textures.contains(handle))
    }

    /// Creates a texture again elsewhere in guest memory.
    pub fn create_again(&mut self) {
        let is_free = |handle: &&u32| {
            let texture = self.texture_of(**handle);
            texture.backing.is_some() && !texture.is_shared
        };
        let free: Vec<u32> = self.textures.iter().filter(is_free).copied().collect();
        if free.is_empty() {
            return;
        }
        let handle = self.random.pick(&free);
        let (desc, backing) = (self.texture_of(handle).desc, Some(place_of(handle, self.random.one_in(2))));
        self.push(Command::CreateTexture { handle, desc, backing });
    }

    pub fn destroy(&mut self) {
        let is_seen = |handle: &u32| self.views.iter().any(|(_, texture)| texture == handle);
        let free: Vec<u32> = self.textures.iter().filter(|handle| !is_seen(handle)).copied().collect();
        if free.is_empty() {
            return;
        }
        let handle = self.random.pick(&free);
        self.textures.retain(|texture| *texture != handle);
        self.push(Command::Destroy { handle });
    }

    /// Gives a texture a token, or a token's texture another handle, or retires the token.
    pub fn share(&mut self) {
        match (self.random.below(3), self.tokens.is_empty()) {
            (0, _) | (_, true) => {
                let Some(handle) = self.colored() else { return };
                let token = self.next_token;
                self.next_token += 1;
                self.tokens.push((token, self.model.names[&handle].texture));
                self.push(Command::Export { resource: handle, token });
            }
            (1, _) => {
                let (token, texture) = self.random.pick(&self.tokens);
                let Some(handle) = self.free_handle() else { return };
                // Somebody has to name it still.
                if !self.textures.iter().any(|handle| self.model.names[handle].texture == texture) {
                    return;
                }
                self.textures.push(handle);
                self.push(Command::Import { handle, token });
            }
            _ => {
                let at = self.random.below(self.tokens.len() as u32) as usize;
                let (token, _) = self.tokens.swap_remove(at);
                self.push(Command::Release { token });
            }
        }
    }

    /// A handle of a texture of colours.
    fn colored(&mut self) -> Option<u32> {
        let is_color = |handle: &&u32| self.texture_of(**handle).desc.format != D32F;
        let colored: Vec<u32> = self.textures.iter().filter(is_color).copied().collect();
        (!colored.is_empty()).then(|| self.random.pick(&colored))
    }

    pub fn view(&mut self) {
        let Some(texture) = self.colored() else { return };
        let TextureDesc { format, mips, layers, .. } = self.texture_of(texture).desc;
        let mut range = |count: u32| {
            let first = self.random.below(count);
            (first, 1 + self.random.below(count - first))
        };
        let ((base_mip, mips), (base_layer, layers)) = (range(mips), range(layers));
        let view = self.next_view;
        self.next_view += 1;
        self.push(Command::CreateView { view, texture, format, base_mip, mips, base_layer, layers });
        self.views.push((view, texture));
    }

    pub fn upload(&mut self) {
        let Some(handle) = self.colored() else { return };
        let desc = self.texture_of(handle).desc;
        let total = desc.total_bytes() as u32;
        let (offset, size) = match self.random.below(4) {
            0 => (0, total),
            1 => {
                let (.., one) = desc.placed()[self.random.below(desc.mips * desc.layers) as usize];
                (one.start as u32, (one.pitch * one.rows) as u32)
            }
            _ => {
                let offset = self.random.below(total);
                (offset, 1 + self.random.below((total - offset).min(200)))
            }
        };
        let bytes = Bytes((0..size).map(|_| self.random.below(256) as u8).collect());
        self.push(Command::Upload { handle, offset, bytes });
    }

    /// A subresource of a texture, and its size.
    fn subresource(&mut self, texture: Handle) -> (Corner, [u32; 2]) {
        let desc = self.texture_of(texture).desc;
        let (mip, layer) = (self.random.below(desc.mips), self.random.below(desc.layers));
        (Corner { texture, mip, layer, x: 0, y: 0 }, desc.mip_size(mip))
    }

    pub fn copy(&mut self) {
        let (Some(src), Some(dst)) = (self.colored(), self.colored()) else { return };
        let is_same = self.texture_of(src).desc.format == self.texture_of(dst).desc.format;
        let is_one = self.model.names[&src].texture == self.model.names[&dst].texture;
        let (mut src, src_size) = self.subresource(src);
        let (mut dst, dst_size) = self.subresource(dst);
        if !is_same || is_one && (src.mip, src.layer) == (dst.mip, dst.layer) {
            return;
        }
        let [width, height] = [0, 1].map(|side| 1 + self.random.below(src_size[side].min(dst_size[side])));
        for (corner, whole) in [(&mut src, src_size), (&mut dst, dst_size)] {
            corner.x = self.random.below(whole[0] - width + 1);
            corner.y = self.random.below(whole[1] - height + 1);
        }
        let target = self.texture_of(dst.texture);
        let can_write_back = target.backing.is_some() && target.desc.format != R8G8B8X8;
        let writes_back = can_write_back && self.random.one_in(2);
        self.push(Command::CopyTexture { dst, src, width, height, writes_back });
    }

    // Guest memory.

    /// The guest writes to some of what lies in its memory; what, each with its first byte and bytes.
    pub fn write_memory(&mut self) -> Vec<(Handle, u32, u32)> {
        let mut written = Vec::new();
        for handle in self.textures.clone() {
            let Texture { desc, backing: Some(start), .. } = *self.texture_of(handle) else { continue };
            if self.random.one_in(2) {
                let total = desc.total_bytes() as u32;
                let offset = self.random.below(total);
                let size = 1 + self.random.below(total - offset);
                let bytes: Vec<u8> = (0..size).map(|_| self.random.below(256) as u8).collect();
                self.write(start.offset + offset, &bytes);
                written.push((handle, offset, size));
            }
        }
        for handle in FIRST_BUFFER..FIRST_BUFFER + BUFFERS {
            let start = self.model.buffers.get(&handle).and_then(|buffer| buffer.backing);
            if let Some(start) = start.filter(|_| self.random.one_in(2)) {
                let (offset, bytes) = self.words();
                self.write(start.offset + offset, &bytes.0);
                written.push((handle, offset, bytes.0.len() as u32));
            }
        }
        written
    }

    fn write(&mut self, at: u32, bytes: &[u8]) {
        self.model.memory[at as usize..][..bytes.len()].copy_from_slice(bytes);
    }

    /// The guest says that it has written where it has not, but copies may have.
    pub fn refresh_anything(&mut self) {
        let textures = self.textures.iter().filter(|handle| self.texture_of(**handle).backing.is_some()).copied();
        let buffers =
            self.model.buffers.iter().filter(|(_, buffer)| buffer.backing.is_some()).map(|(handle, _)| *handle);
        let mut backed: Vec<u32> = textures.chain(buffers).collect();
        backed.sort_unstable();
        if backed.is_empty() {
            return;
        }
        let handle = self.random.pick(&backed);
        let is_buffer = handle < FIRST_TEXTURE;
        let total = if is_buffer { BUFFER_BYTES } else { self.texture_of(handle).desc.total_bytes() as u32 };
        let offset = if self.random.one_in(2) { 0 } else { self.random.below(total / 4) * 4 };
        self.push(Command::Dirty { handle, offset, size: total - offset });
    }

    // Buffers.

    /// Floats of whole bytes for some words of a buffer, with the first byte.
    fn words(&mut self) -> (u32, Bytes) {
        let first = self.random.below(BUFFER_BYTES / 4);
        let count = 1 + self.random.below(BUFFER_BYTES / 4 - first);
        let words = (0..count).flat_map(|_| (self.random.below(256) as f32 / 255.0).to_le_bytes()).collect();
        (first * 4, Bytes(words))
    }

    pub fn buffer_command(&mut self) {
        let handle = FIRST_BUFFER + self.random.below(BUFFERS);
        if !self.model.buffers.contains_key(&handle) {
            self.create_buffer(handle);
            return;
        }
        match self.random.below(15) {
            0 => self.push(Command::Destroy { handle }),
            1..3 => {
                let (offset, bytes) = self.words();
                self.push(Command::Upload { handle, offset, bytes });
            }
            3..5 => self.copy_buffer(handle),
            5..7 => self.bind_buffer(Slot::Constants, handle),
            7 => self.bind_buffer(Slot::Read, handle),
            8 => self.bind_buffer(Slot::Written, handle),
            9..11 => self.refresh_anything(),
            _ => self.compute(),
        }
    }

    /// Often binds what is computed from and to before, and shows a buffer behind it.
    fn compute(&mut self) {
        for slot in [Slot::Read, Slot::Written] {
            if self.random.one_in(2) {
                let handle = FIRST_BUFFER + self.random.below(BUFFERS);
                self.bind_buffer(slot, handle);
            }
        }
        self.dispatch();
        if self.random.one_in(2) {
            let handle = FIRST_BUFFER + self.random.below(BUFFERS);
            self.bind_buffer(Slot::Constants, handle);
            self.shaders(CONSTANT);
            self.draw();
        }
    }

    fn create_buffer(&mut self, handle: Handle) {
        let backing = self.random.one_in(2).then(|| place_of(handle, self.random.one_in(2)));
        self.push(Command::CreateBuffer { handle, size: BUFFER_BYTES, backing });
    }

    fn copy_buffer(&mut self, src: u32) {
        let dst = FIRST_BUFFER + self.random.below(BUFFERS);
        if dst == src || !self.model.buffers.contains_key(&dst) {
            return;
        }
        let words = BUFFER_BYTES / 4;
        let count = 1 + self.random.below(words);
        let mut at = || self.random.below(words - count + 1) * 4;
        let (dst_offset, src_offset, size) = (at(), at(), count * 4);
        let writes_back = self.model.buffers[&dst].backing.is_some() && self.random.one_in(2);
        self.push(Command::CopyBuffer { dst, dst_offset, src, src_offset, size, writes_back });
    }

    fn bind_buffer(&mut self, slot: Slot, handle: Handle) {
        let buffer = if self.random.one_in(6) { 0 } else { handle };
        let (offset, size) = (self.random.below(3) * 16, self.random.below(4) * 16);
        let (first, slots) = (0, vec![Bound { buffer, offset, size }]);
        self.push(match slot {
            Slot::Constants => Command::ConstantBuffers { stage: Pixel, first, slots },
            Slot::Read => Command::ResourceBuffers { stage: Compute, first, slots },
            Slot::Written => Command::Uavs { stage: Compute, first, slots },
        });
    }

    /// The shaders that draw are bound again behind it.
    fn dispatch(&mut self) {
        let ps = self.context().ps;
        self.push(Command::BindShaders { vs: 0, ps: 0, cs: 7 });
        self.push(Command::Dispatch { groups: [1; 3] });
        self.shaders(ps);
    }
}
