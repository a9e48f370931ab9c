//! Plays a scene, or some of its commands, and keeps who wrote what from what.
//!
//! It knows a command's number and what the command depends on, and nothing of pixels: two plays that give something
//! equal provenance give it equal contents.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::contents::{Buffer, Texture};
use super::context::{BoundRange, Context, DEPTH_TARGET, Layout, Named, RenderState, Shader, Slot, Thing, World};
use super::made::plain;
use super::provenance::{NOTHING, NodeId, Provenance, Sources};
use super::shaders::{LayoutKind, ShaderKind};
use crate::support::a3a0::{Backing, Bound, Command, Handle, Numbered, R8G8B8A8, Stage, TextureDesc};

/// Name spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    Resource,
    Shader,
    Layout,
    Sampler,
}

/// A command that ends its submission.
#[derive(Debug)]
pub struct Refused;

pub type Played = Result<(), Refused>;

pub struct View {
    pub texture: usize,
    pub base_mip: u32,
    pub mips: u32,
    pub base_layer: u32,
    pub layers: u32,
}

/// The state of a play, and its record.
pub struct Play {
    pub provenance: Provenance,
    pub buffers: Vec<Buffer>,
    pub textures: Vec<Texture>,
    pub views: Vec<View>,
    names: HashMap<Handle, Named>,
    names_given: u32,
    shaders: HashMap<Handle, Shader>,
    layouts: HashMap<Handle, Layout>,
    samplers: HashMap<Handle, NodeId>,
    tokens: HashMap<u64, (usize, NodeId)>,
    contexts: BTreeMap<u32, Context>,
    /// Guest memory that this submission's copies wrote, by address.
    written_back: BTreeMap<u64, NodeId>,
    submission: usize,
    is_refused: bool,
    refused: u64,
    /// Objects that each command refers to and reads, for commands that do something.
    answers: HashMap<u32, NodeId>,
    /// Settings of Direct3D 9 that leave what is bound on the other side as well.
    meetings: HashMap<u32, NodeId>,
    presents: Vec<(u32, u32, NodeId)>,
    /// By space and handle: numbers of what gave the name to something, and of what took it away.
    creations: BTreeMap<(Space, Handle), Vec<u32>>,
    ends: BTreeMap<(Space, Handle), Vec<u32>>,
    last_ends: HashMap<(Space, Handle), NodeId>,
    /// Commands that decided a world in which a texture was bound twice, and commands that emptied a slot there.
    deciders: BTreeSet<u32>,
    /// Settings that name what decides a world, or takes other bindings away, though nothing is drawn with it.
    sets: Vec<(u32, Space, Handle)>,
    /// By space and handle: creations in the place of something that had the name.
    replacements: BTreeMap<(Space, Handle), Vec<u32>>,
}

impl Play {
    pub fn of<'a>(commands: impl IntoIterator<Item = Numbered<'a>>) -> Self {
        let mut play = Self {
            provenance: Provenance::new(),
            buffers: Vec::new(),
            textures: Vec::new(),
            views: Vec::new(),
            names: HashMap::new(),
            names_given: 0,
            shaders: HashMap::new(),
            layouts: HashMap::new(),
            samplers: HashMap::new(),
            tokens: HashMap::new(),
            contexts: BTreeMap::new(),
            written_back: BTreeMap::new(),
            submission: usize::MAX,
            is_refused: false,
            refused: 0,
            answers: HashMap::new(),
            meetings: HashMap::new(),
            presents: Vec::new(),
            creations: BTreeMap::new(),
            ends: BTreeMap::new(),
            last_ends: HashMap::new(),
            deciders: BTreeSet::new(),
            sets: Vec::new(),
            replacements: BTreeMap::new(),
        };
        for command in commands {
            play.play(&command);
        }
        play
    }

    pub fn play(&mut self, numbered: &Numbered<'_>) {
        if self.submission != numbered.submission {
            self.submission = numbered.submission;
            self.written_back.clear();
            self.is_refused = false;
        }
        if self.is_refused {
            return;
        }
        let id = numbered.within.context;
        let mut context = self.contexts.remove(&id).unwrap_or_else(|| {
            // Its own picture, which nothing has made.
            self.textures.push(Texture::new(NOTHING, plain(R8G8B8A8, 1), None));
            Context { back_buffer: self.textures.len() - 1, ..Context::default() }
        });
        let played = self.command(numbered, &mut context);
        self.contexts.insert(id, context);
        self.is_refused = played.is_err();
        self.refused += u64::from(self.is_refused);
    }

    fn command(&mut self, numbered: &Numbered<'_>, context: &mut Context) -> Played {
        let number = numbered.number;
        match numbered.command {
            Command::Nop | Command::Flush | Command::Marker => {}
            Command::CreateBuffer { handle, size, backing } => {
                self.create_buffer(numbered, *handle, *size, *backing);
            }
            Command::CreateTexture { handle, desc, backing } => self.create_texture(number, *handle, *desc, *backing),
            Command::CreateView { view, texture, base_mip, mips, base_layer, layers, .. } => {
                let named = self.named(*texture).ok_or(Refused)?;
                let Thing::Texture(texture) = named.thing else { return Err(Refused) };
                let desc = &self.textures[texture].desc;
                if base_mip + mips > desc.mips || base_layer + layers > desc.layers {
                    return Err(Refused);
                }
                let made = self.answer_from(number, &[named.made]);
                let (base_mip, mips, base_layer, layers) = (*base_mip, *mips, *base_layer, *layers);
                self.views.push(View { texture, base_mip, mips, base_layer, layers });
                self.name(number, *view, Thing::View(self.views.len() - 1), made);
            }
            Command::Destroy { handle } => self.destroy(number, *handle, context),
            Command::DestroyView { view } => {
                if let Some(Named { thing: Thing::View(_), .. }) = self.named(*view) {
                    self.names.remove(view);
                    self.end(number, Space::Resource, *view);
                }
            }
            Command::Export { resource, token } => {
                let named = self.named(*resource).ok_or(Refused)?;
                let Thing::Texture(texture) = named.thing else { return Err(Refused) };
                let exported = self.answer_from(number, &[named.made]);
                self.tokens.insert(*token, (texture, exported));
            }
            Command::Import { handle, token } => {
                let (texture, exported) = *self.tokens.get(token).ok_or(Refused)?;
                // It has to be there still: its last name has kept it.
                let (_, kept_by) = self.textures[texture].names.last_key_value().ok_or(Refused)?;
                let imported = self.answer_from(number, &[exported, *kept_by]);
                let named = self.name(number, *handle, Thing::Texture(texture), imported);
                named.is_alias = true;
                let name = named.name;
                self.textures[texture].names.insert(name, imported);
            }
            Command::Release { token } => {
                self.tokens.remove(token);
            }
            Command::CreateShader { handle, code, .. } => self.create_shader(number, *handle, ShaderKind::of(code)),
            Command::CreateLayout { handle, blob, .. } => self.create_layout(number, *handle, LayoutKind::of(blob)),
            Command::CreateSampler { handle, .. } => {
                let made = self.answer_from(number, &[]);
                if self.samplers.insert(*handle, made).is_some() {
                    self.replacements.entry((Space::Sampler, *handle)).or_default().push(number);
                }
                self.creations.entry((Space::Sampler, *handle)).or_default().push(number);
            }
            Command::DestroyShader { handle } => {
                if self.shaders.remove(handle).is_some() {
                    self.end(number, Space::Shader, *handle);
                }
            }
            Command::DestroyLayout { handle } => {
                if self.layouts.remove(handle).is_some() {
                    self.end(number, Space::Layout, *handle);
                }
            }
            Command::DestroySampler { handle } => {
                if self.samplers.remove(handle).is_some() {
                    self.end(number, Space::Sampler, *handle);
                }
            }
            Command::Upload { .. }
            | Command::Dirty { .. }
            | Command::CopyBuffer { .. }
            | Command::CopyTexture { .. } => self.transfer(numbered)?,
            Command::Clear { flags, .. } => self.clear(number, context, *flags)?,
            Command::Draw { .. } | Command::DrawIndexed { .. } => self.draw(number, context, numbered.command)?,
            Command::Dispatch { groups } => self.dispatch(number, context, *groups)?,
            Command::Present { scanout, .. } => self.present(number, context, *scanout)?,
            state => self.set(number, context, state),
        }
        Ok(())
    }

    // Nodes.

    pub fn leaf(&mut self, number: u32) -> NodeId {
        self.provenance.node(number, &Sources::default())
    }

    /// Keeps what a command refers to and reads as its answer.
    pub fn answer(&mut self, number: u32, sources: &Sources) -> NodeId {
        let node = self.provenance.node(number, sources);
        self.answers.insert(number, node);
        node
    }

    fn answer_from(&mut self, number: u32, from: &[NodeId]) -> NodeId {
        let mut sources = Sources::default();
        from.iter().for_each(|node| self.provenance.add(&mut sources, *node));
        self.answer(number, &sources)
    }

    /// Keeps a picture that a screen shows.
    pub fn presented(&mut self, number: u32, scanout: u32, node: NodeId) {
        self.presents.push((number, scanout, node));
    }

    // Names.

    /// Command that has last taken a resource's name.
    pub fn last_end(&self, handle: Handle) -> NodeId {
        self.last_ends.get(&(Space::Resource, handle)).copied().unwrap_or(NOTHING)
    }

    /// Command that has last said where a buffer or texture lies in memory.
    pub fn placed_by(&self, named: Named) -> NodeId {
        match named.thing {
            Thing::Buffer(buffer) => self.buffers[buffer].placed_by,
            Thing::Texture(texture) => self.textures[texture].placed_by,
            Thing::View(_) => NOTHING,
        }
    }

    /// Number of commands that ended their submission.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    pub fn context(&self, id: u32) -> Option<&Context> {
        self.contexts.get(&id)
    }

    /// Whether a token leads to a texture that has a name.
    pub fn is_shared(&self, token: u64) -> bool {
        self.tokens.get(&token).is_some_and(|(texture, _)| !self.textures[*texture].names.is_empty())
    }

    /// Whether leaving out the command alone may change nothing: the end of a name, what decides a world, what takes a
    /// texture away where another would, what only settings of the frame itself ask for.
    pub fn may_change_nothing(&self, number: u32, own: std::ops::Range<u32>, lowest_scanout: Option<u32>) -> bool {
        let is_asked_for = || self.provenance.commands_of(self.answer_nodes(own, lowest_scanout)).contains(&number);
        self.deciders.contains(&number) || self.ends.values().any(|ends| ends.contains(&number)) || !is_asked_for()
    }

    pub fn named(&self, handle: Handle) -> Option<Named> {
        self.names.get(&handle).copied()
    }

    fn name(&mut self, number: u32, handle: Handle, thing: Thing, made: NodeId) -> &mut Named {
        self.names_given += 1;
        if self.names.contains_key(&handle) {
            self.replacements.entry((Space::Resource, handle)).or_default().push(number);
        }
        self.creations.entry((Space::Resource, handle)).or_default().push(number);
        let named = Named { name: self.names_given, thing, made, is_alias: false };
        self.names.entry(handle).insert_entry(named).into_mut()
    }

    fn end(&mut self, number: u32, space: Space, handle: Handle) {
        let node = self.leaf(number);
        self.ends.entry((space, handle)).or_default().push(number);
        self.last_ends.insert((space, handle), node);
    }

    /// The texture that a name means, or that its view is of.
    pub fn texture_of(&self, named: Named) -> Option<usize> {
        match named.thing {
            Thing::Buffer(_) => None,
            Thing::Texture(texture) => Some(texture),
            Thing::View(view) => Some(self.views[view].texture),
        }
    }

    fn create_buffer(&mut self, numbered: &Numbered<'_>, handle: Handle, size: u32, backing: Option<Backing>) {
        let number = numbered.number;
        let mut sources = Sources::default();
        let live = match self.named(handle) {
            Some(Named { thing: Thing::Buffer(buffer), made, .. }) => Some((buffer, made)),
            _ => None,
        };
        if let Some((buffer, made)) = live {
            self.provenance.add(&mut sources, made);
            if self.buffers[buffer].backing == backing {
                // The same again does nothing.
                self.answer(number, &sources);
                return;
            }
        }
        let made = self.answer(number, &sources);
        let mut holds = NOTHING;
        if let Some(backing) = backing {
            // Who only uses the buffer does not need what it was filled with.
            self.add_guest_memory(&mut sources, numbered, backing, 0..u64::from(size));
            holds = self.provenance.node(number, &sources);
        }
        match live {
            Some((buffer, _)) => {
                let buffer = &mut self.buffers[buffer];
                (buffer.placed_by, buffer.backing) = (made, backing);
                if backing.is_some() {
                    buffer.bytes.fill(holds);
                }
                self.made_again(number, handle, made);
            }
            None => {
                self.buffers.push(Buffer { placed_by: made, backing, bytes: vec![holds; size as usize] });
                self.name(number, handle, Thing::Buffer(self.buffers.len() - 1), made);
            }
        }
    }

    fn create_texture(&mut self, number: u32, handle: Handle, desc: TextureDesc, backing: Option<Backing>) {
        if let Some(Named { thing: Thing::Texture(texture), made, .. }) = self.named(handle) {
            let made = self.answer_from(number, &[made]);
            let texture = &mut self.textures[texture];
            if texture.backing != backing {
                (texture.placed_by, texture.backing) = (made, backing);
                self.made_again(number, handle, made);
            }
        } else {
            let made = self.answer_from(number, &[]);
            self.textures.push(Texture::new(made, desc, backing));
            let texture = self.textures.len() - 1;
            let name = self.name(number, handle, Thing::Texture(texture), made).name;
            self.textures[texture].names.insert(name, made);
        }
    }

    fn destroy(&mut self, number: u32, handle: Handle, current: &mut Context) {
        let Some(named) = self.names.remove(&handle) else { return };
        self.end(number, Space::Resource, handle);
        if let Thing::Texture(texture) = named.thing {
            self.textures[texture].names.remove(&named.name);
        }
        let undone = self.last_ends[&(Space::Resource, handle)];
        let mut contexts: Vec<&mut Context> = self.contexts.values_mut().collect();
        contexts.push(current);
        for context in contexts {
            let has = |value: &Option<Named>| value.is_some_and(|value| value.name == named.name);
            for slot in context.targets.iter_mut().filter(|slot| has(&slot.value)) {
                slot.empty(undone, slot.value.map_or(NOTHING, |named| named.made));
            }
            for slot in context.ranges_mut().filter(|slot| has(&slot.value.map(|range| range.named))) {
                slot.empty(undone, slot.value.map_or(NOTHING, |range| range.named.made));
            }
        }
    }

    /// Slots that hold the resource keep what made it when they were set.
    fn made_again(&mut self, number: u32, handle: Handle, made: NodeId) {
        if let Some(named) = self.names.get_mut(&handle) {
            named.made = made;
        }
        self.creations.entry((Space::Resource, handle)).or_default().push(number);
    }

    fn create_shader(&mut self, number: u32, handle: Handle, kind: ShaderKind) {
        let made = self.answer_from(number, &[]);
        if self.shaders.insert(handle, Shader { kind, made }).is_some() {
            self.replacements.entry((Space::Shader, handle)).or_default().push(number);
        }
        self.creations.entry((Space::Shader, handle)).or_default().push(number);
    }

    fn create_layout(&mut self, number: u32, handle: Handle, kind: LayoutKind) {
        let made = self.answer_from(number, &[]);
        if self.layouts.insert(handle, Layout { kind, made }).is_some() {
            self.replacements.entry((Space::Layout, handle)).or_default().push(number);
        }
        self.creations.entry((Space::Layout, handle)).or_default().push(number);
    }

    // Settings.

    /// A slot that is set to a handle.
    fn bound(&self, by: NodeId, handle: Handle) -> Slot<Named> {
        let value = self.named(handle);
        let is_unknown = handle != 0 && value.is_none();
        let undone = match is_unknown {
            true => self.last_end(handle),
            false => NOTHING,
        };
        Slot { undone, is_unknown, ..Slot::set(by, value) }
    }

    fn bound_range(&self, by: NodeId, bound: Bound) -> Slot<BoundRange> {
        let Bound { buffer, offset, size } = bound;
        let Slot { value, undone, is_unknown, .. } = self.bound(by, buffer);
        let value = value.map(|named| BoundRange { named, offset, size });
        Slot { undone, is_unknown, ..Slot::set(by, value) }
    }

    fn set(&mut self, number: u32, context: &mut Context, command: &Command) {
        let by = self.leaf(number);
        match command {
            Command::BindShaders { vs, ps, cs } => {
                self.sets.push((number, Space::Shader, *vs));
                context.shaders_by = by;
                [context.vs, context.ps, context.cs] = [vs, ps, cs].map(|handle| self.shaders.get(handle).copied());
                if let Some(vs) = context.vs {
                    let (is_d3d9, by) = (vs.kind.uses().is_d3d9, [by, vs.made]);
                    context.world = World { is_d3d9, by, is_of_shader: true };
                }
            }
            Command::Constants { bank, stage, first, registers } => {
                for (register, _) in (*first..).zip(registers) {
                    context.constants.insert((*stage, *bank, register), by);
                }
                context.saw_legacy(by);
            }
            Command::SetLayout { handle } => {
                self.sets.push((number, Space::Layout, *handle));
                let value = self.layouts.get(handle).copied();
                context.layout = Slot::set(by, value);
                if value.is_some_and(|layout| layout.kind.is_d3d9()) {
                    context.saw_legacy(by);
                }
            }
            Command::Blend(blend) => context.blend = Slot::set(by, Some(blend.write_mask)),
            Command::DepthStencil { test, write, func, .. } => {
                context.depth = Slot::set(by, Some((*test, *write, *func)));
            }
            Command::Rasterizer { scissor, .. } => context.raster = Slot::set(by, Some(*scissor)),
            Command::Viewport(_) => context.viewport = by,
            Command::Scissor(_) => context.scissor = by,
            Command::Topology { .. } => context.topology = by,
            Command::RenderState { state, value } => {
                let first = context.render_states.get(state).map_or(NOTHING, |state| state.first_not_zero);
                let first_not_zero = if first == NOTHING && *value != 0 { by } else { first };
                context.render_states.insert(*state, RenderState { by, value: *value, first_not_zero });
                context.saw_legacy(by);
            }
            Command::SamplerState { stage, slot, state, .. } => {
                context.sampler_states.insert((*stage, *slot, *state), by);
                context.saw_legacy(by);
            }
            command => self.bind(by, context, command),
        }
    }

    fn bind(&mut self, by: NodeId, context: &mut Context, command: &Command) {
        match command {
            Command::Targets { colors, depth } => {
                let handle_of = |slot| if slot == DEPTH_TARGET { Some(depth) } else { colors.get(slot) };
                let handles: Vec<Handle> =
                    (0..=DEPTH_TARGET).map(|slot| handle_of(slot).copied().unwrap_or(0)).collect();
                let drawn: Vec<Named> = handles.iter().filter_map(|handle| self.named(*handle)).collect();
                let read = context.resources.values().filter_map(|slot| slot.value).map(|range| range.named);
                let meets = |other: Named, named: Named| self.is_read_and_drawn(other, named);
                let met = Self::met(&drawn, &read.collect::<Vec<Named>>(), meets);
                let (by, undone) = self.by_meeting(by, &met, &context.world);
                for (target, handle) in context.targets.iter_mut().zip(handles) {
                    self.sets.push((self.provenance.number(by), Space::Resource, handle));
                    *target = self.bound(by, handle);
                }
                self.unbind_targets_from_slots(&undone, context);
            }
            Command::VertexBuffers { first, slots } => {
                for (slot, bound) in (*first..).zip(slots) {
                    context.vertex_buffers.insert(slot, self.bound_range(by, *bound));
                }
            }
            Command::IndexBuffer { buffer, is_wide, offset } => {
                let size = if *is_wide { 4 } else { 2 };
                context.index_buffer = self.bound_range(by, Bound { buffer: *buffer, offset: *offset, size });
            }
            Command::Texture { stage, slot, texture } => {
                self.sets.push((self.provenance.number(by), Space::Resource, *texture));
                let drawn: Vec<Named> = context.targets.iter().filter_map(|slot| slot.value).collect();
                let read: Vec<Named> = self.named(*texture).into_iter().collect();
                let met = Self::met(&read, &drawn, |other, named| self.is_read_and_drawn(named, other));
                let (by, undone) = self.by_meeting(by, &met, &context.world);
                let bound = Bound { buffer: *texture, offset: 0, size: 0 };
                context.resources.insert((*stage, *slot), self.bound_range(by, bound));
                self.take_buffers_away(by, &mut context.uavs, &[bound]);
                for target in context.targets.iter_mut().filter(|_| !context.world.is_d3d9) {
                    let Some(named) = target.value else { continue };
                    if let Some(undone) = undone.get(&named.thing) {
                        target.empty(*undone, named.made);
                    }
                }
            }
            Command::Samplers { stage, first, handles } => {
                for (slot, handle) in (*first..).zip(handles) {
                    self.sets.push((self.provenance.number(by), Space::Sampler, *handle));
                    let value = self.samplers.get(handle).copied();
                    context.samplers.insert((*stage, slot), Slot::set(by, value));
                }
            }
            Command::ConstantBuffers { stage, first, slots } => {
                self.bind_ranges(by, &mut context.constant_buffers, *stage, *first, slots);
            }
            Command::ResourceBuffers { stage, first, slots } => {
                self.bind_ranges(by, &mut context.resources, *stage, *first, slots);
                self.take_buffers_away(by, &mut context.uavs, slots);
            }
            Command::Uavs { stage, first, slots } => {
                self.bind_ranges(by, &mut context.uavs, *stage, *first, slots);
                self.take_buffers_away(by, &mut context.resources, slots);
            }
            command => panic!("{command:?} sets nothing"),
        }
    }

    fn bind_ranges(
        &self,
        by: NodeId,
        into: &mut BTreeMap<(Stage, u32), Slot<BoundRange>>,
        stage: Stage,
        first: u32,
        slots: &[Bound],
    ) {
        for (slot, bound) in (first..).zip(slots) {
            into.insert((stage, slot), self.bound_range(by, *bound));
        }
    }

    /// Buffers that are bound now are no longer bound in these slots, where they would be written and not read, or the other
    /// way round.
    fn take_buffers_away(&mut self, by: NodeId, from: &mut BTreeMap<(Stage, u32), Slot<BoundRange>>, bound: &[Bound]) {
        let number = self.provenance.number(by);
        for bound in bound {
            self.sets.push((number, Space::Resource, bound.buffer));
            let Some(named) = self.named(bound.buffer).filter(|named| matches!(named.thing, Thing::Buffer(_))) else {
                continue;
            };
            for slot in from.values_mut() {
                let Some(held) = slot.value.map(|range| range.named).filter(|held| held.thing == named.thing) else {
                    continue;
                };
                let mut sources = Sources::default();
                Provenance::add_silently(&mut sources, named.made);
                self.deciders.extend([number, self.provenance.number(named.made)]);
                slot.empty(self.provenance.node(number, &sources), held.made);
            }
        }
    }

    /// Direct3D 10 and later: what is drawn to is not read.
    fn unbind_targets_from_slots(&self, undone: &HashMap<Thing, NodeId>, context: &mut Context) {
        if context.world.is_d3d9 {
            return;
        }
        for slot in context.resources.values_mut() {
            let Some(range) = slot.value else { continue };
            if let Some(undone) = undone.get(&range.named.thing) {
                slot.empty(*undone, range.named.made);
            }
        }
    }

    /// Whether the mip and layer that `drawn` has as a target, its first ones, are among those that are read of `read`.
    fn is_read_and_drawn(&self, read: Named, drawn: Named) -> bool {
        let seen = |named: Named| match named.thing {
            Thing::Buffer(_) => None,
            Thing::Texture(texture) => Some((texture, 0..u32::MAX, 0..u32::MAX)),
            Thing::View(view) => {
                let View { texture, base_mip, mips, base_layer, layers } = self.views[view];
                Some((texture, base_mip..base_mip + mips, base_layer..base_layer + layers))
            }
        };
        let (Some((read, mips, layers)), Some((drawn, mip, layer))) = (seen(read), seen(drawn)) else { return false };
        read == drawn && mips.contains(&mip.start) && layers.contains(&layer.start)
    }

    /// Bindings of the other side, each with the first of the names that it is now bound by on this one.
    fn met(bound: &[Named], others: &[Named], meets: impl Fn(Named, Named) -> bool) -> Vec<(Thing, Named)> {
        let met = |other: &Named| {
            let named = bound.iter().find(|named| meets(*other, **named))?;
            Some((other.thing, *named))
        };
        others.iter().filter_map(met).collect()
    }

    /// A setting that binds textures which are bound on the other side as well, to be drawn to or to be read: it takes
    /// them away there, by the first name that it binds each by, but not in Direct3D 9. Either is so by what has decided the
    /// world: there who has it taken away needs that, here the setting itself. With it what takes away which.
    fn by_meeting(&mut self, by: NodeId, met: &[(Thing, Named)], world: &World) -> (NodeId, HashMap<Thing, NodeId>) {
        let number = self.provenance.number(by);
        let mut undone = HashMap::new();
        for (thing, named) in met {
            let mut sources = Sources::default();
            Provenance::add_silently(&mut sources, named.made);
            world.by.iter().for_each(|node| Provenance::add_silently(&mut sources, *node));
            self.deciders.extend([number, self.provenance.number(named.made)]);
            undone.insert(*thing, self.provenance.node(number, &sources));
        }
        if undone.is_empty() {
            return (by, undone);
        }
        self.deciders.extend(world.by.map(|node| self.provenance.number(node)));
        if !world.is_d3d9 {
            return (by, undone);
        }
        let mut sources = Sources::default();
        world.by.iter().for_each(|node| Provenance::add_silently(&mut sources, *node));
        let node = self.provenance.node(number, &sources);
        self.meetings.insert(number, node);
        (node, undone)
    }

    // Guest memory.

    /// Adds the copies whose bytes lie where these bytes of an allocation are read.
    pub fn add_guest_memory(
        &self,
        sources: &mut Sources,
        numbered: &Numbered<'_>,
        backing: Backing,
        range: std::ops::Range<u64>,
    ) {
        let Some(start) = address(numbered, backing) else { return };
        let mut last = NOTHING;
        for (_, copy) in self.written_back.range(start + range.start..start + range.end) {
            if *copy != last {
                self.provenance.add(sources, *copy);
                last = *copy;
            }
        }
    }

    pub fn write_back(&mut self, numbered: &Numbered<'_>, backing: Backing, range: std::ops::Range<u64>, by: NodeId) {
        let Some(start) = address(numbered, backing) else { return };
        for at in range {
            self.written_back.insert(start + at, by);
        }
    }

    // Answers.

    /// Picture of frame `own`, and the objects that its own commands refer to and read.
    fn answer_nodes(&self, own: std::ops::Range<u32>, lowest_scanout: Option<u32>) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> =
            own.clone().map(|number| self.answers.get(&number).copied().unwrap_or(NOTHING)).collect();
        let is_shown =
            |(number, scanout, _): &&(u32, u32, NodeId)| *number < own.end && Some(*scanout) == lowest_scanout;
        nodes.push(self.presents.iter().rev().find(is_shown).map_or(NOTHING, |(_, _, node)| *node));
        nodes
    }

    /// Nodes of the answer and of the settings that its own settings meet: used or not, they must leave the same.
    fn asked_nodes(&self, own: std::ops::Range<u32>, lowest_scanout: Option<u32>) -> Vec<NodeId> {
        let meetings = own.clone().filter_map(|number| self.meetings.get(&number).copied());
        let meetings: Vec<NodeId> = meetings.collect();
        [self.answer_nodes(own, lowest_scanout), meetings].concat()
    }

    pub fn answers(&self, own: std::ops::Range<u32>, lowest_scanout: Option<u32>) -> Vec<u64> {
        self.answer_nodes(own, lowest_scanout).into_iter().map(|node| self.provenance.hash(node)).collect()
    }

    /// A shortest way from an answer of the frame to a command.
    pub fn way_to(&self, wanted: u32, own: std::ops::Range<u32>, lowest_scanout: Option<u32>) -> Vec<u32> {
        self.provenance.way_to(wanted, self.asked_nodes(own, lowest_scanout))
    }

    /// The commands before `own` that a slice has.
    pub fn slice(&self, own: std::ops::Range<u32>, lowest_scanout: Option<u32>) -> BTreeSet<u32> {
        let mut nodes = self.asked_nodes(own.clone(), lowest_scanout);
        loop {
            let mut earlier = self.provenance.commands_of(nodes.iter().copied());
            earlier.retain(|number| *number < own.start);
            let mut needed = self.needed_ends(&earlier, &own);
            needed.extend(self.needed_for_sets(&earlier, &own));
            let made: Vec<NodeId> = needed
                .iter()
                .filter_map(|number| self.answers.get(number).copied())
                .filter(|made| !nodes.contains(made))
                .collect();
            if made.is_empty() {
                earlier.retain(|number| !self.ends.values().any(|ends| ends.binary_search(number).is_ok()));
                earlier.extend(needed);
                return earlier;
            }
            nodes.extend(made);
        }
    }

    /// Where a setting of the slice names what would mean something else there, the first command that takes that away.
    fn needed_for_sets(&self, earlier: &BTreeSet<u32>, own: &std::ops::Range<u32>) -> Vec<u32> {
        let is_played = |number: &u32| earlier.contains(number) || own.contains(number);
        let mut needed = Vec::new();
        for (set, space, handle) in self.sets.iter().filter(|(set, ..)| is_played(set)) {
            let name = (*space, *handle);
            let creations = self.creations.get(&name).into_iter().flatten();
            let Some(given) = creations.copied().filter(|number| number < set && is_played(number)).max() else {
                continue;
            };
            let takers = [self.ends.get(&name), self.replacements.get(&name)].into_iter().flatten().flatten();
            let takers: Vec<u32> = takers.copied().filter(|taker| given < *taker && taker < set).collect();
            if !takers.iter().any(|taker| own.contains(taker)) {
                needed.extend(takers.into_iter().min());
            }
        }
        needed
    }

    /// Ends of names that earlier objects must have lost: a slice gives the names again, or says that they are nobody's.
    ///
    /// Only resources: what replaces a shader, a layout or a sampler needs no end of the one before.
    fn needed_ends(&self, earlier: &BTreeSet<u32>, own: &std::ops::Range<u32>) -> Vec<u32> {
        let mut needed = Vec::new();
        for (name, ends) in self.ends.iter().filter(|((space, _), _)| *space == Space::Resource) {
            let creations = self.creations.get(name).into_iter().flatten();
            let mut included: Vec<u32> =
                creations.copied().filter(|number| earlier.contains(number) || own.contains(number)).collect();
            let has_next = included.len();
            included.push(u32::MAX);
            for (place, pair) in included.windows(2).enumerate() {
                let mut between = ends.iter().copied().filter(|end| pair[0] < *end && *end < pair[1]);
                let is_asked_for = between.clone().any(|end| earlier.contains(&end)) || place + 1 < has_next;
                needed.extend(between.next().filter(|end| is_asked_for && *end < own.start));
            }
        }
        needed
    }

    /// The lowest screen that anything is presented to.
    pub fn lowest_scanout(&self) -> Option<u32> {
        self.presents.iter().map(|(_, scanout, _)| *scanout).min()
    }
}

fn address(numbered: &Numbered<'_>, backing: Backing) -> Option<u64> {
    let memory = numbered.within.memory.iter().find(|memory| memory.allocation == backing.allocation)?;
    Some(memory.gpa + u64::from(backing.offset))
}
