//! Commands about textures, buffers and the memory behind them.

use aerogpu_replay::abi::a3a0::bindings::{SetConstantBuffers, SetShaderResourceBuffers, SetUnorderedAccessBuffers};
use aerogpu_replay::abi::a3a0::resources::{
    CopyBuffer, CopyTexture2d, CreateBuffer, CreateTexture2d, DestroyResource, ResourceDirtyRange,
};
use aerogpu_replay::abi::a3a0::shaders::BindShaders;
use aerogpu_replay::abi::a3a0::sharing::{ExportSharedSurface, ImportSharedSurface, ReleaseSharedSurface};
use aerogpu_replay::abi::a3a0::work::Dispatch;
use aerogpu_replay::abi::a3a0::{BufferBinding, Elements, UnorderedAccessBinding};

use super::buffers::{BUFFER_BYTES, Slot};
use super::generate::{Focus, Maker};
use super::guest_memory::{ALLOCATION, PLACE_BYTES};
use super::model::{B8G8R8A8, D32_FLOAT, R8G8B8X8, Shading, Texture, World};
use crate::support::streams::*;

/// Sides of textures.
const SIDES: [u32; 3] = [4, 8, 16];
const FIRST_TEXTURE: u32 = 100;
/// So many textures are there at most.
const MOST_TEXTURES: u32 = 10;
const FIRST_BUFFER: u32 = 40;
const BUFFERS: u32 = 3;

/// One of the two places in guest memory of a texture or a buffer.
fn place_of(handle: u32, is_second: bool) -> u32 {
    let number = if handle >= FIRST_TEXTURE { handle - FIRST_TEXTURE } else { MOST_TEXTURES + handle - FIRST_BUFFER };
    (number * 2 + u32::from(is_second)) * PLACE_BYTES
}

impl Maker {
    pub fn create(&mut self) {
        let Some(handle) = self.free_handle() else { return };
        let format = self.random.pick(&[3, 3, B8G8R8A8, R8G8B8X8, D32_FLOAT]);
        let size = [self.random.pick(&SIDES), self.random.pick(&SIDES)];
        let (mips, layers) = match format {
            D32_FLOAT => (1, 1),
            _ => (1 + self.random.below(3), 1 + self.random.below(2)),
        };
        let row_pitch = if self.focus == Focus::Memory || self.random.one_in(3) {
            size[0] * 4 + self.random.pick(&[0, 4, 16])
        } else {
            0
        };
        let mut texture = Texture::new(format, size, mips, layers, row_pitch);
        if format != D32_FLOAT && row_pitch != 0 && !self.random.one_in(3) {
            texture.backing = Some(place_of(handle, self.random.one_in(2)));
        }
        self.put_texture(handle, &texture);
        self.tell(format!(
            "create {handle} format {format} {size:?} mips {mips} layers {layers} pitch {row_pitch} backing {:?}",
            texture.backing
        ));
        self.model.create(handle, texture);
        self.textures.push(handle);
    }

    fn free_handle(&self) -> Option<u32> {
        let most = if self.focus == Focus::Anything { MOST_TEXTURES } else { 4 };
        (FIRST_TEXTURE..FIRST_TEXTURE + most).find(|handle| !self.textures.contains(handle))
    }

    fn put_texture(&mut self, handle: u32, texture: &Texture) {
        let Texture { format, size, mips, layers, row_pitch, backing, .. } = *texture;
        self.stream.put(CreateTexture2d {
            handle,
            usage: if format == D32_FLOAT { 0x20 } else { 0x18 },
            format,
            width: size[0],
            height: size[1],
            mip_levels: mips,
            array_layers: layers,
            row_pitch,
            backing_alloc_id: if backing.is_some() { ALLOCATION } else { 0 },
            backing_offset: backing.unwrap_or(0),
            reserved: 0,
        });
    }

    /// Creates the texture again elsewhere in guest memory: what it holds stays.
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
        let place = place_of(handle, self.random.one_in(2));
        let number = self.model.names[&handle].texture;
        self.model.textures[number].backing = Some(place);
        let texture = self.model.textures[number].clone();
        self.put_texture(handle, &texture);
        self.tell(format!("create {handle} again at {place}"));
    }

    pub fn destroy(&mut self) {
        let is_seen = |handle: &u32| self.views.iter().any(|(_, texture)| texture == handle);
        let free: Vec<u32> = self.textures.iter().filter(|handle| !is_seen(handle)).copied().collect();
        if free.is_empty() {
            return;
        }
        let handle = self.random.pick(&free);
        self.textures.retain(|texture| *texture != handle);
        self.model.destroy(handle);
        self.stream.put(DestroyResource { handle, reserved: 0 });
        self.tell(format!("destroy {handle}"));
    }

    /// Gives a texture a token, or a token's texture another handle, or retires the token.
    pub fn share(&mut self) {
        match (self.random.below(3), self.tokens.is_empty()) {
            (0, _) | (_, true) => {
                let Some(handle) = self.colored() else { return };
                let token = self.next_token;
                self.next_token += 1;
                let texture = self.model.names[&handle].texture;
                self.model.textures[texture].is_shared = true;
                self.tokens.push((token, texture));
                self.stream.put(ExportSharedSurface { resource: handle, reserved: 0, share_token: token });
                self.tell(format!("export {handle} as {token}"));
            }
            (1, _) => {
                let (token, texture) = self.random.pick(&self.tokens);
                let Some(handle) = self.free_handle() else { return };
                // Somebody has to name it still.
                if !self.textures.iter().any(|handle| self.model.names[handle].texture == texture) {
                    return;
                }
                let Texture { mips, layers, .. } = self.model.textures[texture];
                self.model.name(handle, texture, [0, mips], [0, layers]);
                self.textures.push(handle);
                self.stream.put(ImportSharedSurface { out_resource: handle, reserved: 0, share_token: token });
                self.tell(format!("import {token} as {handle}"));
            }
            _ => {
                let at = self.random.below(self.tokens.len() as u32) as usize;
                let (share_token, _) = self.tokens.swap_remove(at);
                self.stream.put(ReleaseSharedSurface { share_token, reserved: 0 });
                self.tell(format!("release {share_token}"));
            }
        }
    }

    /// A handle of a texture of colours.
    fn colored(&mut self) -> Option<u32> {
        let is_color = |handle: &&u32| self.texture_of(**handle).format != D32_FLOAT;
        let colored: Vec<u32> = self.textures.iter().filter(is_color).copied().collect();
        (!colored.is_empty()).then(|| self.random.pick(&colored))
    }

    pub fn view(&mut self) {
        let Some(texture) = self.colored() else { return };
        let Texture { format, mips, layers, .. } = *self.texture_of(texture);
        let mut range = |count: u32| {
            let first = self.random.below(count);
            [first, 1 + self.random.below(count - first)]
        };
        let (mips, layers) = (range(mips), range(layers));
        let view = self.next_view;
        self.next_view += 1;
        self.stream.view(view, texture, format, mips, layers);
        self.model.name(view, self.model.names[&texture].texture, mips, layers);
        self.views.push((view, texture));
        self.tell(format!("view {view} of {texture} mips {mips:?} layers {layers:?}"));
    }

    pub fn upload(&mut self) {
        let Some(handle) = self.colored() else { return };
        let starts = self.texture_of(handle).starts();
        let total = starts[starts.len() - 1];
        let (offset, size) = match self.random.below(4) {
            0 => (0, total),
            1 => {
                let number = self.random.below(starts.len() as u32 - 1) as usize;
                (starts[number], starts[number + 1] - starts[number])
            }
            _ => {
                let offset = self.random.below(total);
                (offset, 1 + self.random.below((total - offset).min(200)))
            }
        };
        let bytes: Vec<u8> = (0..size).map(|_| self.random.below(256) as u8).collect();
        self.stream.upload(handle, u64::from(offset), &bytes);
        self.model.upload(handle, offset, &bytes);
        self.tell(format!("upload {handle} at {offset}, {size} bytes"));
    }

    fn subresource(&mut self, handle: u32) -> (u32, u32, [u32; 2]) {
        let Texture { mips, layers, .. } = *self.texture_of(handle);
        let (mip, layer) = (self.random.below(mips), self.random.below(layers));
        (mip, layer, self.texture_of(handle).mip_size(mip))
    }

    pub fn copy(&mut self) {
        let (Some(src), Some(dst)) = (self.colored(), self.colored()) else { return };
        let is_same = self.texture_of(src).format == self.texture_of(dst).format;
        let (src_mip, src_layer, src_size) = self.subresource(src);
        let (dst_mip, dst_layer, dst_size) = self.subresource(dst);
        let is_one = self.model.names[&src].texture == self.model.names[&dst].texture;
        if !is_same || is_one && (src_mip, src_layer) == (dst_mip, dst_layer) {
            return;
        }
        let size = [0, 1].map(|side| 1 + self.random.below(src_size[side].min(dst_size[side])));
        let mut at = |whole: [u32; 2]| [0, 1].map(|side| self.random.below(whole[side] - size[side] + 1));
        let (src_at, dst_at) = (at(src_size), at(dst_size));
        let target = self.texture_of(dst);
        let can_write_back = target.backing.is_some() && target.format != R8G8B8X8;
        let writes_back = can_write_back && self.random.one_in(2);
        self.stream.put(CopyTexture2d {
            dst,
            src,
            dst_mip,
            dst_layer,
            src_mip,
            src_layer,
            dst_x: dst_at[0],
            dst_y: dst_at[1],
            src_x: src_at[0],
            src_y: src_at[1],
            width: size[0],
            height: size[1],
            flags: u32::from(writes_back),
            reserved: 0,
        });
        let (to, from) = ((dst, dst_mip, dst_layer, dst_at), (src, src_mip, src_layer, src_at));
        self.model.copy(to, from, size);
        if writes_back {
            self.model.write_back(to, size);
        }
        self.tell(format!(
            "copy {size:?} to {dst} mip {dst_mip} layer {dst_layer} {dst_at:?} from {src} mip {src_mip} layer {src_layer} {src_at:?}, back {writes_back}"
        ));
    }

    // Guest memory.

    /// The guest writes to some of what lies in its memory; what, each with its first byte and bytes.
    pub fn write_memory(&mut self) -> Vec<(u32, u32, u32)> {
        let mut written = Vec::new();
        for handle in self.textures.clone() {
            let texture = self.texture_of(handle);
            let (starts, Some(start)) = (texture.starts(), texture.backing) else { continue };
            if self.random.one_in(2) {
                let total = starts[starts.len() - 1];
                let offset = self.random.below(total);
                let size = 1 + self.random.below(total - offset);
                for at in offset..offset + size {
                    let byte = self.random.below(256) as u8;
                    self.model.memory.set(start + at, byte);
                }
                written.push((handle, offset, size));
            }
        }
        for handle in FIRST_BUFFER..FIRST_BUFFER + BUFFERS {
            let start = self.model.buffers.get(&handle).and_then(|buffer| buffer.backing);
            if let Some(start) = start.filter(|_| self.random.one_in(2)) {
                let (offset, bytes) = self.words();
                for (at, byte) in (start + offset..).zip(&bytes) {
                    self.model.memory.set(at, *byte);
                }
                written.push((handle, offset, bytes.len() as u32));
            }
        }
        written
    }

    /// The guest says what it has written.
    pub fn refresh(&mut self, handle: u32, offset: u32, size: u32) {
        let (start, size_bytes) = (u64::from(offset), u64::from(size));
        self.stream.put(ResourceDirtyRange { handle, reserved: 0, offset: start, size_bytes });
        if handle < FIRST_TEXTURE {
            self.model.refresh_buffer(handle, offset, size);
        } else {
            self.model.refresh(handle, offset, size);
        }
        self.tell(format!("dirty {handle} at {offset}, {size} bytes"));
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
        let total =
            if handle < FIRST_TEXTURE { BUFFER_BYTES } else { *self.texture_of(handle).starts().last().unwrap() };
        let offset = if self.random.one_in(2) { 0 } else { self.random.below(total / 4) * 4 };
        self.refresh(handle, offset, total - offset);
    }

    // Buffers.

    /// Floats of whole bytes for some words of a buffer, with the first byte.
    fn words(&mut self) -> (u32, Vec<u8>) {
        let first = self.random.below(BUFFER_BYTES / 4);
        let count = 1 + self.random.below(BUFFER_BYTES / 4 - first);
        let words = (0..count).flat_map(|_| (self.random.below(256) as f32 / 255.0).to_le_bytes()).collect();
        (first * 4, words)
    }

    pub fn buffer_command(&mut self) {
        let handle = FIRST_BUFFER + self.random.below(BUFFERS);
        if !self.model.buffers.contains_key(&handle) {
            self.create_buffer(handle);
            return;
        }
        match self.random.below(15) {
            0 => {
                self.model.destroy(handle);
                self.stream.put(DestroyResource { handle, reserved: 0 });
                self.tell(format!("destroy {handle}"));
            }
            1..3 => {
                let (offset, bytes) = self.words();
                self.stream.upload(handle, u64::from(offset), &bytes);
                self.model.upload_buffer(handle, offset, &bytes);
                self.tell(format!("upload {handle} at {offset}, {} bytes", bytes.len()));
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
            self.shaders(World::Direct3d11, Shading::Constant);
            self.draw();
        }
    }

    fn create_buffer(&mut self, handle: u32) {
        let backing = self.random.one_in(2).then(|| self.random.one_in(2)).map(|is_second| place_of(handle, is_second));
        self.stream.put(CreateBuffer {
            handle,
            usage: 0x87,
            size_bytes: u64::from(BUFFER_BYTES),
            backing_alloc_id: if backing.is_some() { ALLOCATION } else { 0 },
            backing_offset: backing.unwrap_or(0),
            reserved: 0,
        });
        self.next_name += 1;
        self.model.create_buffer(handle, self.next_name);
        self.tell(format!("create buffer {handle}, backing {backing:?}"));
        if let Some(place) = backing {
            self.model.buffers.get_mut(&handle).unwrap().backing = Some(place);
            // All of it is what lies there.
            self.model.refresh_buffer(handle, 0, BUFFER_BYTES);
        }
    }

    fn copy_buffer(&mut self, src: u32) {
        let dst = FIRST_BUFFER + self.random.below(BUFFERS);
        if dst == src || !self.model.buffers.contains_key(&dst) {
            return;
        }
        let words = BUFFER_BYTES / 4;
        let count = 1 + self.random.below(words);
        let mut at = || self.random.below(words - count + 1) * 4;
        let (to_at, from_at, size) = (at(), at(), count * 4);
        let writes_back = self.model.buffers[&dst].backing.is_some() && self.random.one_in(2);
        self.stream.put(CopyBuffer {
            dst,
            src,
            dst_offset: u64::from(to_at),
            src_offset: u64::from(from_at),
            size_bytes: u64::from(size),
            flags: u32::from(writes_back),
            reserved: 0,
        });
        self.model.copy_buffer((dst, to_at), (src, from_at), size);
        if writes_back {
            self.model.write_buffer_back(dst, to_at, size);
        }
        self.tell(format!("copy {size} bytes to {dst} at {to_at} from {src} at {from_at}, back {writes_back}"));
    }

    fn bind_buffer(&mut self, slot: Slot, handle: u32) {
        let buffer = if self.random.one_in(6) { 0 } else { handle };
        let (offset_bytes, size_bytes) = (self.random.below(3) * 16, self.random.below(4) * 16);
        let (start_slot, stage_ex) = (0, 0);
        let range = Elements::to_bytes(&[BufferBinding { buffer, offset_bytes, size_bytes, reserved: 0 }]);
        let values = Elements::new(&range).unwrap();
        match slot {
            Slot::Constants => {
                self.stream.put(SetConstantBuffers { stage: PIXEL, start_slot, buffer_count: 1, stage_ex, values });
            }
            Slot::Read => {
                let stage = COMPUTE;
                self.stream.put(SetShaderResourceBuffers { stage, start_slot, buffer_count: 1, stage_ex, values });
            }
            Slot::Written => {
                let initial_count = u32::MAX;
                let range = UnorderedAccessBinding { buffer, offset_bytes, size_bytes, initial_count };
                let range = Elements::to_bytes(&[range]);
                let values = Elements::new(&range).unwrap();
                let stage = COMPUTE;
                self.stream.put(SetUnorderedAccessBuffers { stage, start_slot, uav_count: 1, stage_ex, values });
            }
        }
        self.model.bind(self.context, slot, buffer, offset_bytes, size_bytes);
        self.tell(format!("bind {buffer} to {slot:?} from {offset_bytes}, {size_bytes} bytes"));
    }

    /// The shaders that draw are bound again behind it.
    fn dispatch(&mut self) {
        self.stream.put(BindShaders { vs: 0, ps: 0, cs: 7, reserved: 0, appended: None }).put(Dispatch {
            x: 1,
            y: 1,
            z: 1,
            stage_ex: 0,
        });
        self.model.dispatch(self.context);
        self.tell("dispatch".to_owned());
        let context = &self.model.contexts[&self.context];
        let (world, shading) = (context.world, context.shading);
        self.shaders(world, shading);
    }
}
