//! Random scenes, full of what makes slices hard: a good share of their commands is useless to any one frame.
//!
//! The model plays along, so that what is drawn can be drawn: a command that the contract refuses is made on purpose.

use super::context::{Context, Named, Thing};
use super::made::*;
use super::model::Play;
use super::shaders::*;
use crate::support::a3a0::*;
use crate::support::random::Random;

/// A random scene.
pub fn random_scene(seed: u64) -> Scene {
    let mut maker = Maker::new(seed);
    let frames = maker.frame_count();
    for _ in 0..frames {
        maker.frame();
    }
    maker.scene
}

const ALLOCATION_BYTES: u32 = 2048;
const ALLOCATIONS: u32 = 4;
const HANDLES: u32 = 24;
const RENDER_STATES: [(u32, u32); 14] = [
    (7, 2),
    (14, 2),
    (15, 2),
    (19, 3),
    (22, 4),
    (23, 9),
    (27, 2),
    (52, 2),
    (168, 16),
    (174, 2),
    (190, 3),
    (206, 2),
    (18, 2),
    (250, 9),
];

struct Maker {
    random: Random,
    scene: Scene,
    play: Play,
    number: u32,
    submissions: usize,
    contexts: u32,
    lowest_scanout: u32,
    /// By context: whether its next shaders are of Direct3D 9.
    prefers_9: Vec<bool>,
    current: Submission,
    has_ended: bool,
    next_token: u64,
    tokens: Vec<(u64, Handle)>,
    contents: [u8; ALLOCATIONS as usize],
    /// Shaders, layouts and samplers by their handles.
    shaders: Vec<(Handle, ShaderKind)>,
    layouts: Vec<(Handle, LayoutKind)>,
    samplers: Vec<Handle>,
}

impl Maker {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let contexts = random.pick(&[1, 1, 2, 3]);
        let prefers_9 = (0..contexts).map(|_| random.one_in(2)).collect();
        let lowest_scanout = random.pick(&[0, 0, 0, 1]);
        Self {
            random,
            scene: Scene::default(),
            play: Play::of([]),
            number: 0,
            submissions: 0,
            contexts,
            lowest_scanout,
            prefers_9,
            current: Submission::default(),
            has_ended: false,
            next_token: 1,
            tokens: Vec::new(),
            contents: [1, 2, 3, 3],
            shaders: Vec::new(),
            layouts: Vec::new(),
            samplers: Vec::new(),
        }
    }

    fn frame_count(&mut self) -> u32 {
        match self.random.below(60) {
            0 => 100 + self.random.below(201),
            1..=6 => 10 + self.random.below(30),
            _ => 1 + self.random.below(8),
        }
    }

    fn frame(&mut self) {
        self.scene.frames.push(Frame::default());
        for _ in 0..self.random.pick(&[1, 1, 1, 2, 2, 3]) {
            self.submission();
        }
    }

    fn submission(&mut self) {
        let context = self.random.below(self.contexts);
        self.current = Submission::of(context, &[]);
        if self.random.one_in(2) {
            self.current.memory = self.memory();
        }
        self.has_ended = false;
        let is_first = self.number == 0;
        for _ in 0..if is_first { 12 } else { self.random.below(6) } {
            self.make_something();
        }
        for _ in 0..3 + self.random.below(16) {
            if !self.has_ended {
                self.step();
            }
        }
        if self.random.below(5) > 0 {
            self.picture();
        }
        let submission = std::mem::take(&mut self.current);
        self.submissions += 1;
        if let Some(frame) = self.scene.frames.last_mut() {
            frame.submissions.push(submission);
        }
    }

    /// Guest memory: the last two allocations are one.
    fn memory(&mut self) -> Vec<Memory> {
        let moved = if self.random.one_in(4) { 0x10_0000 } else { 0 };
        let changed = self.random.below(8) as usize;
        if changed < 3 {
            self.contents[changed] = self.contents[changed].wrapping_add(16);
            self.contents[3] = self.contents[2];
        }
        let place = |allocation: u32| u64::from(0x1000 * allocation.min(3)) + moved;
        let memory = |allocation: u32| Memory {
            allocation,
            gpa: place(allocation),
            bytes: contents(self.contents[allocation as usize - 1], ALLOCATION_BYTES),
        };
        (1..=ALLOCATIONS).map(memory).collect()
    }

    /// Adds a command, and plays it.
    fn put(&mut self, command: Command) {
        if self.has_ended && !matches!(command, Command::Nop) && self.random.below(3) > 0 {
            return;
        }
        let (number, submission, within) = (self.number, self.submissions, &self.current);
        let numbered = Numbered { number, submission, within, command: &command };
        self.play.play(&numbered);
        self.number += 1;
        self.current.commands.push(command);
    }

    fn context(&self) -> Option<&Context> {
        self.play.context(self.current.context)
    }

    // Objects.

    fn free_handle(&mut self) -> Option<Handle> {
        let free: Vec<Handle> = (1..=HANDLES).filter(|handle| self.play.named(*handle).is_none()).collect();
        let first = free.first().copied()?;
        Some(if self.random.one_in(2) { first } else { self.random.pick(&free) })
    }

    fn live(&self, is_wanted: impl Fn(Named) -> bool) -> Vec<Handle> {
        (1..=HANDLES).filter(|handle| self.play.named(*handle).is_some_and(&is_wanted)).collect()
    }

    fn pick(&mut self, is_wanted: impl Fn(&Play, Named) -> bool) -> Option<Handle> {
        let handles = self.live(|named| is_wanted(&self.play, named));
        (!handles.is_empty()).then(|| self.random.pick(&handles))
    }

    fn pick_buffer(&mut self) -> Option<Handle> {
        self.pick(|_, named| matches!(named.thing, Thing::Buffer(_)))
    }

    fn pick_texture(&mut self, is_wanted: impl Fn(&TextureDesc) -> bool) -> Option<Handle> {
        self.pick(|play, named| match named.thing {
            Thing::Texture(texture) => is_wanted(&play.textures[texture].desc),
            _ => false,
        })
    }

    /// A texture or view that can be seen.
    fn pick_seen(&mut self) -> Option<Handle> {
        self.pick(|_, named| !matches!(named.thing, Thing::Buffer(_)))
    }

    fn desc_of(&self, handle: Handle) -> Option<TextureDesc> {
        let texture = self.play.texture_of(self.play.named(handle)?)?;
        Some(self.play.textures[texture].desc)
    }

    fn buffer_size(&self, handle: Handle) -> Option<u32> {
        match self.play.named(handle)?.thing {
            Thing::Buffer(buffer) => Some(self.play.buffers[buffer].bytes.len() as u32),
            _ => None,
        }
    }

    fn backing(&mut self, bytes: u64) -> Option<Backing> {
        if self.current.memory.is_empty() || bytes > u64::from(ALLOCATION_BYTES) || self.random.one_in(2) {
            return None;
        }
        let room = ALLOCATION_BYTES - bytes as u32;
        let offset = self.random.below(room + 1) & !3;
        Some(Backing { allocation: 1 + self.random.below(ALLOCATIONS), offset })
    }

    fn make_something(&mut self) {
        match self.random.below(9) {
            0..=2 => self.make_buffer(),
            3..=5 => self.make_texture(),
            6 => self.make_view(),
            7 => self.make_shared(),
            _ => self.make_again(),
        }
    }

    fn make_buffer(&mut self) {
        let Some(handle) = self.free_handle() else { return };
        let size = self.random.pick(&[64, 128, 256, 256, 1024]);
        let backing = self.backing(u64::from(size));
        self.put(Command::CreateBuffer { handle, size, backing });
        if self.random.below(4) > 0 {
            self.put(upload(handle, 0, size));
        }
    }

    fn make_texture(&mut self) {
        let Some(handle) = self.free_handle() else { return };
        let format = self.random.pick(&[R8G8B8A8, R8G8B8A8, R8G8B8A8, B8G8R8A8, B5G6R5, D24S8, D32F, BC1]);
        let side = self.random.pick(&[8, 8, 8, 16]);
        let mips = self.random.pick(&[1, 1, 1, 2, 3]);
        let layers = self.random.pick(&[1, 1, 1, 2, 6]);
        let mut desc = TextureDesc { mips, layers, ..plain(format, side) };
        let tight = desc.placed()[0].2.row_bytes as u32;
        let is_padded = self.random.one_in(3);
        desc.row_pitch = tight + 8 * u32::from(is_padded);
        let backing = self.backing(desc.total_bytes());
        if backing.is_none() && !is_padded && self.random.one_in(2) {
            desc.row_pitch = 0;
        }
        self.put(Command::CreateTexture { handle, desc, backing });
        if self.random.one_in(3) {
            self.put(upload(handle, 0, desc.total_bytes() as u32));
        }
    }

    fn make_view(&mut self) {
        let (Some(texture), Some(view)) = (self.pick_texture(|_| true), self.free_handle()) else { return };
        let Some(desc) = self.desc_of(texture) else { return };
        let (base_mip, base_layer) = (self.random.below(desc.mips), self.random.below(desc.layers));
        let mips = 1 + self.random.below(desc.mips - base_mip);
        let layers = 1 + self.random.below(desc.layers - base_layer);
        self.put(Command::CreateView { view, texture, format: desc.format, base_mip, mips, base_layer, layers });
    }

    fn make_shared(&mut self) {
        match self.random.below(4) {
            0 | 1 => {
                if let Some(resource) = self.pick_texture(|_| true) {
                    let token = self.next_token;
                    self.next_token += 1;
                    if !self.has_ended {
                        self.tokens.push((token, resource));
                    }
                    self.put(Command::Export { resource, token });
                }
            }
            2 => {
                let alive = self.tokens.iter().filter(|(token, _)| self.play.is_shared(*token));
                let alive: Vec<u64> = alive.map(|(token, _)| *token).collect();
                if let (false, Some(handle)) = (alive.is_empty(), self.free_handle()) {
                    let token = self.random.pick(&alive);
                    self.put(Command::Import { handle, token });
                }
            }
            _ => {
                if !self.tokens.is_empty() && self.random.one_in(3) {
                    let (token, _) = self.tokens.swap_remove(0);
                    self.put(Command::Release { token });
                }
            }
        }
    }

    /// CREATE on a live handle: in guest memory, in the same place or another.
    fn make_again(&mut self) {
        if self.current.memory.is_empty() {
            return;
        }
        let is_backed = |play: &Play, named: Named| match named.thing {
            Thing::Buffer(buffer) => play.buffers[buffer].backing.is_some(),
            Thing::Texture(texture) => {
                play.textures[texture].backing.is_some() && play.textures[texture].names.len() == 1 && !named.is_alias
            }
            Thing::View(_) => false,
        };
        let Some(handle) = self.pick(is_backed) else { return };
        match self.play.named(handle).map(|named| named.thing) {
            Some(Thing::Buffer(buffer)) => {
                let size = self.play.buffers[buffer].bytes.len() as u32;
                let old = self.play.buffers[buffer].backing;
                let backing = if self.random.one_in(3) { old } else { self.backing(u64::from(size)).or(old) };
                self.put(Command::CreateBuffer { handle, size, backing });
            }
            Some(Thing::Texture(texture)) => {
                let (desc, old) = (self.play.textures[texture].desc, self.play.textures[texture].backing);
                let backing = if self.random.one_in(3) { old } else { self.backing(desc.total_bytes()).or(old) };
                self.put(Command::CreateTexture { handle, desc, backing });
            }
            _ => {}
        }
    }

    fn end_something(&mut self) {
        match self.random.below(8) {
            0..=3 => {
                if let Some(handle) = self.pick(|_, named| !matches!(named.thing, Thing::View(_))) {
                    self.put(destroy(handle));
                }
            }
            4 => {
                if let Some(view) = self.pick(|_, named| matches!(named.thing, Thing::View(_))) {
                    self.put(Command::DestroyView { view });
                }
            }
            5 if !self.shaders.is_empty() => {
                let at = self.random.below(self.shaders.len() as u32) as usize;
                let (handle, _) = self.shaders.swap_remove(at);
                self.put(Command::DestroyShader { handle });
            }
            6 if !self.layouts.is_empty() => {
                let at = self.random.below(self.layouts.len() as u32) as usize;
                let (handle, _) = self.layouts.swap_remove(at);
                self.put(Command::DestroyLayout { handle });
            }
            7 if !self.samplers.is_empty() => {
                let handle = self.samplers.swap_remove(0);
                self.put(Command::DestroySampler { handle });
            }
            _ => self.put(destroy(90)),
        }
    }

    fn shader(&mut self, kind: ShaderKind) -> Handle {
        let known = self.shaders.iter().find(|(_, known)| *known == kind).map(|(handle, _)| *handle);
        match known.filter(|_| !self.random.one_in(12)) {
            Some(handle) => handle,
            None => {
                // A handle that nothing has, or one that changes its meaning, and with it maybe its world.
                let handle = 1 + self.random.below(40);
                if !self.has_ended {
                    self.shaders.retain(|(known, _)| *known != handle);
                    self.shaders.push((handle, kind));
                }
                self.put(shader(handle, kind));
                handle
            }
        }
    }

    fn layout(&mut self, kind: LayoutKind) -> Handle {
        let known = self.layouts.iter().find(|(_, known)| *known == kind).map(|(handle, _)| *handle);
        match known.filter(|_| !self.random.one_in(12)) {
            Some(handle) => handle,
            None => {
                let handle = 1 + self.random.below(9);
                if !self.has_ended {
                    self.layouts.retain(|(known, _)| *known != handle);
                    self.layouts.push((handle, kind));
                }
                self.put(layout(handle, kind));
                handle
            }
        }
    }

    // Commands.

    fn step(&mut self) {
        match self.random.below(40) {
            0 | 1 => self.make_something(),
            2 => self.end_something(),
            3..=6 => self.upload_something(),
            7 | 8 => self.refresh(),
            9..=11 => self.copy(),
            12..=14 => self.bind_targets(),
            15..=17 => self.clear_something(),
            18..=26 => self.draw_something(),
            27 | 28 => self.dispatch_something(),
            29 => self.present_something(),
            30..=32 => self.set_something(),
            33..=36 => self.bind_something(),
            37 => {
                let noise = [Command::Nop, Command::Flush, Command::Marker];
                let noise = noise[self.random.below(3) as usize].clone();
                self.put(noise);
            }
            38 => self.bind_shaders(),
            _ if self.random.one_in(12) => self.refuse(),
            _ => self.upload_something(),
        }
    }

    /// Adds a command that ends the submission.
    fn refuse(&mut self) {
        if let Some(buffer) = self.pick_buffer() {
            self.put(copy_bytes(buffer, 0, buffer, 32, 4));
            self.has_ended = true;
        }
    }

    /// A picture from nothing, or over the one before, and its present.
    fn picture(&mut self) {
        if self.random.below(3) > 0 {
            self.bind_targets();
        }
        if self.random.below(3) > 0 {
            let flags = self.random.pick(&[COLOR, COLOR | DEPTH, COLOR | DEPTH | STENCIL]);
            self.clear(flags);
        }
        for _ in 0..self.random.below(3) {
            self.draw_something();
        }
        if self.random.below(6) > 0 {
            self.present_something();
        }
    }

    fn upload_something(&mut self) {
        if self.random.one_in(2) {
            let Some(handle) = self.pick_buffer() else { return };
            let size = self.buffer_size(handle).unwrap_or(0);
            let (offset, length) = self.part_of(size);
            self.put(upload(handle, offset, length));
        } else {
            let Some(handle) = self.pick_texture(|_| true) else { return };
            let Some(desc) = self.desc_of(handle) else { return };
            let (offset, length) = self.part_of_texture(&desc);
            self.put(upload(handle, offset, length));
        }
    }

    fn part_of(&mut self, size: u32) -> (u32, u32) {
        match self.random.below(4) {
            0 => (0, size),
            1 => {
                let offset = self.random.below(size / 4) * 4;
                (offset, (size - offset).min(16))
            }
            _ => {
                let offset = self.random.below(size);
                (offset, 1 + self.random.below(size - offset))
            }
        }
    }

    /// Some subresources, some rows of one, or any bytes.
    fn part_of_texture(&mut self, desc: &TextureDesc) -> (u32, u32) {
        let placed = desc.placed();
        let (_, _, one) = placed[self.random.below(placed.len() as u32) as usize];
        let all = desc.total_bytes() as u32;
        match self.random.below(4) {
            0 => (0, all),
            1 => (one.start as u32, (one.end() - one.start) as u32),
            2 => {
                let row = self.random.below(one.rows as u32);
                let rows = 1 + self.random.below(one.rows as u32 - row);
                let start = one.start as u32 + row * one.pitch as u32;
                (start, ((rows - 1) * one.pitch as u32 + one.row_bytes as u32).max(1))
            }
            _ => self.part_of(all),
        }
    }

    fn refresh(&mut self) {
        if self.current.memory.is_empty() {
            return;
        }
        let Some(handle) = self.pick(|_, named| !matches!(named.thing, Thing::View(_))) else { return };
        let (offset, length) = match self.buffer_size(handle) {
            Some(size) => self.part_of(size),
            None => {
                let Some(desc) = self.desc_of(handle) else { return };
                self.part_of_texture(&desc)
            }
        };
        self.put(dirty(handle, offset, length));
    }

    fn copy(&mut self) {
        if self.random.one_in(2) {
            let (Some(dst), Some(src)) = (self.pick_buffer(), self.pick_buffer()) else { return };
            let [Some(dst_size), Some(src_size)] = [dst, src].map(|buffer| self.buffer_size(buffer)) else { return };
            if dst == src {
                return;
            }
            let (src_offset, length) = self.part_of(src_size);
            let size = length.min(dst_size);
            let dst_offset = self.random.below(dst_size - size + 1);
            let size = if self.random.one_in(20) { 0 } else { size };
            let writes_back = self.writes_back(dst);
            self.put(Command::CopyBuffer { dst, dst_offset, src, src_offset, size, writes_back });
            if writes_back {
                self.read_again(dst);
            }
        } else {
            self.copy_texels();
        }
    }

    fn writes_back(&mut self, dst: Handle) -> bool {
        let has_backing = match self.play.named(dst).map(|named| named.thing) {
            Some(Thing::Buffer(buffer)) => self.play.buffers[buffer].backing.is_some(),
            Some(Thing::Texture(texture)) => {
                let texture = &self.play.textures[texture];
                texture.backing.is_some() && ![D24S8, D32F, BC1].contains(&texture.desc.format)
            }
            _ => false,
        };
        has_backing && !self.current.memory.is_empty() && self.random.below(3) > 0
    }

    /// Takes what was written back, or some of it, into this resource or another.
    fn read_again(&mut self, handle: Handle) {
        match self.buffer_size(handle) {
            Some(size) if self.random.one_in(2) => {
                let (offset, length) = self.part_of(size);
                self.put(dirty(handle, offset, length));
            }
            _ => self.refresh(),
        }
    }

    fn copy_texels(&mut self) {
        let Some(dst) = self.pick_texture(|_| true) else { return };
        let Some(to) = self.desc_of(dst) else { return };
        let Some(src) = self.pick_texture(|desc| desc.format == to.format) else { return };
        let Some(from) = self.desc_of(src) else { return };
        let [to_mip, from_mip] = [self.random.below(to.mips), self.random.below(from.mips)];
        let [to_layer, from_layer] = [self.random.below(to.layers), self.random.below(from.layers)];
        let same = |handle: Handle| self.play.named(handle).and_then(|named| self.play.texture_of(named));
        if same(dst) == same(src) && (to_mip, to_layer) == (from_mip, from_layer) {
            return;
        }
        let [to_size, from_size] = [to.mip_size(to_mip), from.mip_size(from_mip)];
        let mut size = [to_size[0].min(from_size[0]), to_size[1].min(from_size[1])];
        let mut at = [[0, 0], [0, 0]];
        let (_, side) = to.block();
        if side == 1 && self.random.one_in(2) {
            size = size.map(|length| 1 + self.random.below(length));
            at = [to_size, from_size].map(|[width, height]| {
                [self.random.below(width - size[0] + 1), self.random.below(height - size[1] + 1)]
            });
        } else if side > 1 && to_size != from_size {
            return;
        }
        if self.random.one_in(25) {
            size[0] = 0;
        }
        let corner = |texture, mip, layer, [x, y]: [u32; 2]| Corner { texture, mip, layer, x, y };
        let writes_back = self.writes_back(dst);
        self.put(Command::CopyTexture {
            dst: corner(dst, to_mip, to_layer, at[0]),
            src: corner(src, from_mip, from_layer, at[1]),
            width: size[0],
            height: size[1],
            writes_back,
        });
        if writes_back {
            self.read_again(dst);
        }
    }

    /// Meaning of a target: the size and format of its first subresource.
    fn target(&self, named: Named) -> Option<([u32; 2], u32)> {
        let (texture, mip) = match named.thing {
            Thing::Texture(texture) => (texture, 0),
            Thing::View(view) => (self.play.views[view].texture, self.play.views[view].base_mip),
            Thing::Buffer(_) => return None,
        };
        let desc = self.play.textures[texture].desc;
        Some((desc.mip_size(mip), desc.format))
    }

    fn bind_targets(&mut self) {
        let of = |handle: Handle, maker: &Self| maker.play.named(handle).and_then(|named| maker.target(named));
        if self.random.one_in(12) {
            self.put(targets(&[]));
            return;
        }
        let Some(first) = self.pick_seen() else { return };
        let Some((size, format)) = of(first, self) else { return };
        let is_depth = |format| [D24S8, D32F].contains(&format);
        if format == BC1 {
            return;
        }
        let (mut colors, mut depth) = (Vec::new(), 0);
        if is_depth(format) {
            depth = first
        } else {
            colors.push(first)
        }
        for _ in 0..self.random.below(4) {
            let Some(more) = self.pick_seen() else { continue };
            let Some((more_size, format)) = of(more, self) else { continue };
            if more_size != size || format == BC1 {
                continue;
            }
            if is_depth(format) {
                depth = more;
            } else if colors.len() < 3 && !self.shares_a_part(more, &colors) {
                if self.random.one_in(6) {
                    colors.push(0);
                }
                colors.push(more);
            }
        }
        self.put(Command::Targets { colors, depth });
    }

    /// No two targets are of one texture.
    fn shares_a_part(&self, handle: Handle, colors: &[Handle]) -> bool {
        let of = |handle: Handle| self.play.named(handle).and_then(|named| self.play.texture_of(named));
        colors.iter().any(|color| of(*color) == of(handle))
    }

    /// Whether the targets can be drawn to.
    fn has_targets(&self) -> bool {
        self.context().is_none_or(|context| !context.targets.iter().any(|slot| slot.is_unknown))
    }

    fn has_color(&self) -> bool {
        let Some(context) = self.context() else { return true };
        context.targets[0].value.is_some() || context.targets.iter().all(|slot| slot.value.is_none())
    }

    fn clear(&mut self, flags: u32) {
        if self.has_targets() {
            self.put(clear(flags));
        }
    }

    fn clear_something(&mut self) {
        let flags = self.random.pick(&[COLOR, COLOR, DEPTH, STENCIL, DEPTH | STENCIL, 7, 0]);
        self.clear(flags);
    }

    fn present_something(&mut self) {
        if !self.has_color() {
            self.bind_targets();
        }
        if self.has_targets() && self.has_color() {
            let scanout = self.lowest_scanout + self.random.pick(&[0, 0, 0, 0, 0, 1, 2]);
            self.put(present_on(scanout));
        }
    }

    fn bind_shaders(&mut self) {
        let context = self.current.context as usize;
        if self.random.one_in(10) {
            self.prefers_9[context] = !self.prefers_9[context];
        }
        let (vertex, pixel) = match self.prefers_9[context] {
            true => (self.random.pick(&VERTEX_9), self.random.pick(&PIXEL_9)),
            false => (self.random.pick(&VERTEX_11), self.random.pick(&PIXEL_11)),
        };
        let vs = self.shader(vertex);
        let mut ps = self.shader(pixel);
        // One may have taken the other's handle.
        if !self.shaders.contains(&(vs, vertex)) {
            return;
        }
        if self.random.one_in(10) {
            ps = 0;
        }
        self.put(bind(vs, ps));
    }

    fn is_bound(&self) -> bool {
        self.context().is_some_and(|context| match (context.vs, context.ps) {
            (Some(vs), Some(ps)) => vs.kind.uses().is_d3d9 == ps.kind.uses().is_d3d9,
            (vs, _) => vs.is_some(),
        })
    }

    fn draw_something(&mut self) {
        if !self.is_bound() || self.random.one_in(3) {
            self.bind_shaders();
        }
        if self.random.one_in(30) {
            self.draw_without_shaders();
            return;
        }
        if !self.is_bound() {
            return;
        }
        self.bind_vertices();
        self.bind_resources();
        if self.random.one_in(4) {
            self.set_something();
        }
        if !self.can_draw() {
            return;
        }
        let instances = self.random.pick(&[1, 1, 1, 2, 5, 0]);
        let count = self.random.pick(&[3, 3, 3, 6, 1, 0]);
        let has_indices = self.context().is_some_and(|context| context.index_buffer.value.is_some());
        if has_indices && self.random.one_in(2) {
            let first = self.random.below(6);
            self.put(Command::DrawIndexed { indices: count, instances, first, base_vertex: 1 });
        } else {
            let (first, first_instance) = (self.random.below(4), self.random.below(3));
            self.put(Command::Draw { vertices: count, instances, first, first_instance });
        }
    }

    /// Neither shader, and a vertex buffer whose stride says what stands in for them.
    fn draw_without_shaders(&mut self) {
        let Some(buffer) = self.pick_buffer() else { return };
        let stride = self.random.pick(&[20, 24, 28]);
        self.put(bind(0, 0));
        self.put(vertices(0, buffer, 0, stride));
        let sees_a_buffer = self.context().is_some_and(|context| {
            let slot = context.resources.get(&(Pixel, 0));
            slot.and_then(|slot| slot.value).is_some_and(|range| matches!(range.named.thing, Thing::Buffer(_)))
        });
        if self.has_targets() && !sees_a_buffer {
            self.put(draw(3));
        }
    }

    fn can_draw(&self) -> bool {
        let Some(context) = self.context() else { return false };
        let Some(vs) = context.vs else { return false };
        let uses = vs.kind.uses();
        let has_layout = context.layout.value.is_some_and(|layout| layout.kind.is_d3d9() == uses.is_d3d9);
        if !uses.inputs.is_empty() && !has_layout {
            return false;
        }
        if !self.has_targets() || !self.is_bound() {
            return false;
        }
        let Some(ps) = context.ps else { return true };
        let uses = ps.kind.uses();
        let holds = |slot: u32| context.resources.get(&(Pixel, slot)).and_then(|slot| slot.value);
        let is_buffer = |slot: u32| holds(slot).is_none_or(|range| matches!(range.named.thing, Thing::Buffer(_)));
        let is_texture = |slot: u32| holds(slot).is_none_or(|range| !matches!(range.named.thing, Thing::Buffer(_)));
        uses.textures.iter().all(|texture| is_texture(texture.slot))
            && uses.resource_buffers.iter().all(|slot| is_buffer(*slot))
    }

    fn bind_vertices(&mut self) {
        let Some(vs) = self.context().and_then(|context| context.vs) else { return };
        let is_d3d9 = vs.kind.uses().is_d3d9;
        let has_layout = self
            .context()
            .and_then(|context| context.layout.value)
            .is_some_and(|layout| layout.kind.is_d3d9() == is_d3d9);
        if !has_layout || self.random.one_in(5) {
            let kind = if is_d3d9 { self.random.pick(&LAYOUTS_9) } else { self.random.pick(&LAYOUTS_11) };
            let handle = self.layout(kind);
            self.put(set_layout(handle));
        }
        for slot in 0..2 {
            let is_set = self.context().is_some_and(|context| context.vertex_buffers.contains_key(&slot));
            if !is_set && !self.random.one_in(8) || self.random.one_in(5) {
                let Some(buffer) = self.pick_buffer() else { continue };
                let (offset, stride) = (self.random.below(40), self.random.pick(&[16, 20, 28, 12, 0, 32]));
                self.put(vertices(slot, buffer, offset, stride));
            }
        }
        if self.random.one_in(6) {
            let Some(buffer) = self.pick_buffer() else { return };
            let is_wide = self.random.one_in(2);
            let offset = self.random.below(8) * 4;
            self.put(Command::IndexBuffer { buffer, is_wide, offset });
        }
    }

    fn bind_resources(&mut self) {
        let Some(context) = self.context() else { return };
        let shaders = [context.vs, context.ps].into_iter().flatten().map(|shader| shader.kind);
        for kind in shaders.collect::<Vec<_>>() {
            self.bind_resources_of(kind);
        }
    }

    fn bind_resources_of(&mut self, kind: ShaderKind) {
        let (stage, uses) = (kind.stage(), kind.uses());
        let is_free = |maker: &Self, slot: u32| {
            let context = maker.context();
            let slot = context.and_then(|context| context.resources.get(&(stage, slot)));
            slot.is_none_or(|slot| slot.value.is_none())
        };
        for texture in &uses.textures {
            if is_free(self, texture.slot) && !self.random.one_in(4) || self.random.one_in(6) {
                let Some(seen) = self.pick_seen() else { continue };
                self.put(Command::Texture { stage, slot: texture.slot, texture: seen });
            }
        }
        for slot in uses.resource_buffers {
            if is_free(self, slot) || self.random.one_in(6) {
                self.bind_ranges(stage, slot, |stage, first, slots| Command::ResourceBuffers { stage, first, slots });
            }
        }
        for slot in uses.uavs {
            if self.random.one_in(2) {
                self.bind_ranges(stage, slot, |stage, first, slots| Command::Uavs { stage, first, slots });
            }
        }
        for slot in uses.constant_buffers {
            if self.random.one_in(4) {
                self.bind_ranges(stage, slot, |stage, first, slots| Command::ConstantBuffers { stage, first, slots });
            }
        }
        for slot in uses.samplers {
            if self.random.one_in(4) {
                self.set_sampler(stage, slot, uses.is_d3d9);
            }
        }
        if !uses.constants.is_empty() && self.random.one_in(2) {
            self.set_constants(stage);
        }
    }

    fn bind_ranges(&mut self, stage: Stage, slot: u32, command: impl Fn(Stage, u32, Vec<Bound>) -> Command) {
        let Some(buffer) = self.pick_buffer() else { return };
        let size = self.buffer_size(buffer).unwrap_or(0);
        let offset = self.random.below(size / 16) * 16;
        let length = self.random.pick(&[0, 16, 32, 4]);
        let bound = if stage == Vertex && self.random.one_in(12) {
            range(0, 0, 0)
        } else {
            range(buffer, offset, length.min(size - offset))
        };
        let command = command(stage, slot, vec![bound]);
        // Nothing in a slot of buffers is left to constants.
        if bound.buffer != 0 || matches!(command, Command::ConstantBuffers { .. }) {
            self.put(command);
        }
    }

    fn set_sampler(&mut self, stage: Stage, slot: u32, is_d3d9: bool) {
        if is_d3d9 {
            let (state, value) = (self.random.pick(&[1, 5, 6, 7, 14]), 1 + self.random.below(2));
            self.put(Command::SamplerState { stage, slot, state, value });
        } else {
            if self.samplers.is_empty() || self.random.one_in(4) {
                let handle = 1 + self.random.below(5);
                self.samplers.retain(|known| *known != handle);
                self.samplers.push(handle);
                self.put(sampler(handle));
            }
            let handle = self.random.pick(&self.samplers.clone());
            self.put(Command::Samplers { stage, first: slot, handles: vec![handle] });
        }
    }

    fn set_constants(&mut self, stage: Stage) {
        let bank = self.random.pick(&[Bank::Float, Bank::Float, Bank::Float, Bank::Int, Bank::Bool]);
        let (first, count) = (self.random.below(6), 1 + self.random.below(4));
        self.put(constants(bank, stage, first, count));
    }

    fn set_something(&mut self) {
        match self.random.below(10) {
            0..=3 if self.prefers_9[self.current.context as usize] => {
                let (state, values) = self.random.pick(&RENDER_STATES);
                let value = self.random.below(values);
                self.put(render_state(state, value));
            }
            0 | 4 => {
                let write_mask = self.random.pick(&[15, 15, 7, 0]);
                self.put(blend(write_mask));
            }
            1 | 5 => {
                let func = self.random.pick(&[1, 3, 7, 7]);
                let (test, write) = (!self.random.one_in(3), !self.random.one_in(3));
                self.put(depth_test(test, write, func));
            }
            2 | 6 => {
                let scissor = self.random.one_in(3);
                self.put(rasterizer(scissor));
            }
            3 | 7 => self.put(scissor(4)),
            8 => self.put(viewport(8)),
            _ => {
                let topology = self.random.pick(&[4, 4, 5]);
                self.put(Command::Topology { topology });
            }
        }
    }

    fn bind_something(&mut self) {
        let stage = self.random.pick(&[Vertex, Pixel]);
        match self.random.below(6) {
            0 => self.bind_vertices(),
            1 => self.set_constants(stage),
            2 => {
                let slot = self.random.below(2);
                let is_d3d9 = self.prefers_9[self.current.context as usize];
                self.set_sampler(Pixel, slot, is_d3d9);
            }
            3 => {
                self.bind_ranges(stage, 0, |stage, first, slots| Command::ConstantBuffers { stage, first, slots });
            }
            4 => {
                // A name that may be nobody's.
                let texture = self.random.below(HANDLES + 3);
                let is_buffer = self.buffer_size(texture).is_some();
                let slot = self.random.below(3);
                if !is_buffer {
                    self.put(Command::Texture { stage: Pixel, slot, texture });
                }
            }
            _ => {
                if let Some(texture) = self.pick_seen() {
                    let slot = self.random.below(3);
                    self.put(Command::Texture { stage: Pixel, slot, texture });
                }
            }
        }
    }

    fn dispatch_something(&mut self) {
        let kind = self.random.pick(&COMPUTE);
        let cs = self.shader(kind);
        // The stages of draws may stay as they are.
        let (vs, ps) = match self.context() {
            Some(context) if self.is_bound() => (context.vs, context.ps),
            _ => (None, None),
        };
        let handle_of = |shader: Option<super::context::Shader>, maker: &Self| {
            let kind = shader.map(|shader| shader.kind);
            maker.shaders.iter().find(|(_, known)| Some(*known) == kind).map_or(0, |(handle, _)| *handle)
        };
        let [vs, ps] = [handle_of(vs, self), handle_of(ps, self)];
        self.put(Command::BindShaders { vs, ps, cs });
        self.bind_resources_of(kind);
        let is_buffer = self.context().is_some_and(|context| {
            let slot = context.resources.get(&(Compute, 0)).and_then(|slot| slot.value);
            slot.is_none_or(|range| matches!(range.named.thing, Thing::Buffer(_)))
        });
        if is_buffer {
            let x = self.random.pick(&[1, 1, 1, 1, 0]);
            self.put(Command::Dispatch { groups: [x, 1, 1] });
        }
    }
}
