//! What the commands of submissions have made and set, and what each turns out to do.
//!
//! Objects are the trace's, settings a context's. A command that the contract forbids changes nothing and is an error; the
//! errors that it can have are [`ContractError`], [`super::super::MemoryError`] and limits, each decided without a GPU, so
//! that what a frame depends on is the same everywhere.

use std::ops::Range;
use std::sync::Arc;

use foldhash::HashMap;

use super::context::{Bank, Context, Decided, Kept, Setting, Slot, Targets, World, slot_mut};
use super::effect::{AccessKind, Effect, EffectKind, NameChange, Number, ObjectKey, PartSizes};
use super::error::ContractError;
use super::layout::Layout;
use super::objects::{Buffer, Name, Named, Objects, Resource, ResourceKind, Texture, Token, View, aspects_of};
use super::payloads::Payloads;
use super::shader::Shader;
use crate::abi;
use crate::bytes::limits::{
    MAX_BUFFER_BYTES, MAX_BYTECODE_BYTES, MAX_TEXTURE_BYTES, MAX_TEXTURE_LAYERS, MAX_TEXTURE_SIDE_PX,
};
use crate::command::{
    Backing, BindShaders, BufferUse, Command, ConstantBank, CopyBuffer, CopyTexture, CreateBuffer, CreateLayout,
    CreateShader, CreateTexture, CreateView, LayoutId, Located, Payload, Refresh, ResourceId, SetBuffers, SetConstants,
    SetIndexBuffer, SetRenderState, SetSamplerState, SetSamplers, SetTargets, SetTexture, SetVertexBuffers, ShaderCode,
    ShaderStage, ShareToken, Subresource, SubresourceRange, Upload,
};
use crate::error::Internal;
use crate::replay::blob_store::BlobStore;
use crate::replay::error::Problem;
use crate::replay::guest_memory::{MemoryError, MemoryPiece, SubmissionMemory};
use crate::replay::texture_layout::{Coverage, TextureLayout};

/// The state of all contexts, and all objects.
#[derive(Default)]
pub struct DeviceState {
    pub(super) objects: Objects,
    pub(super) contexts: HashMap<u32, Context>,
    pub(super) effect: Effect,
    memory: SubmissionMemory,
}

/// What a command is carried out with.
pub(in crate::replay) struct Surroundings<'a> {
    pub blobs: &'a mut BlobStore,
    pub payloads: &'a Payloads,
    /// The command's number in the trace.
    pub number: u32,
}

impl DeviceState {
    /// What the last command did.
    pub fn effect(&self) -> &Effect {
        &self.effect
    }

    /// All objects.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// A context's state; nothing of one that has not come up.
    pub fn context(&self, id: u32) -> Option<&Context> {
        self.contexts.get(&id)
    }

    /// The ids of all contexts that have come up, ascending.
    pub fn contexts(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = self.contexts.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    /// Another submission begins, with this memory.
    pub(in crate::replay) fn begin_submission(&mut self, memory: SubmissionMemory) {
        self.memory = memory;
    }

    /// Carries out a command of a submission. [`Self::effect`] says then what it did.
    pub(in crate::replay) fn apply(
        &mut self,
        command: &Located<Command>,
        around: Surroundings<'_>,
    ) -> Result<(), Problem> {
        let place = command.at.submission;
        let id =
            place.ok_or(Internal::at("a command of no submission is to be carried out", command.at.offset))?.context();
        self.effect.begin(EffectKind::Setting);
        if !self.contexts.contains_key(&id) {
            let back_buffer = ObjectKey::back_buffer(self.contexts.len() as u32);
            self.contexts.insert(id, Context::new(back_buffer));
        }
        self.refer_to_names(&command.value)?;
        let applied = self.apply_value(&command.value, id, around);
        match &applied {
            Ok(()) => self.effect.finish(),
            Err(Problem::Contract(error)) if error.fails_alone() => self.effect.refuse(EffectKind::FailedDraw),
            Err(_) => self.effect.refuse(EffectKind::Setting),
        }
        applied
    }

    fn apply_value(&mut self, command: &Command, id: u32, around: Surroundings<'_>) -> Result<(), Problem> {
        match *command {
            Command::CreateBuffer(ref create) => self.create_buffer(create, around),
            Command::CreateTexture(ref create) => self.create_texture(create, around),
            Command::CreateView(ref create) => Ok(self.create_view(create, around.number)?),
            Command::DestroyResource(id) => {
                self.destroy_resource(id.number(), around.number);
                Ok(())
            }
            Command::DestroyView(id) => {
                self.destroy_view(id.number(), around.number);
                Ok(())
            }
            Command::Upload(ref upload) => self.upload(upload),
            Command::Refresh(ref refresh) => self.refresh(refresh, around),
            Command::CopyBuffer(ref copy) => self.copy_buffer(copy, around),
            Command::CopyTexture(ref copy) => self.copy_texture(copy, around),
            Command::ExportShared { resource, token } => Ok(self.export(resource, token, around.number)?),
            Command::ImportShared { resource, token } => Ok(self.import(resource, token, around.number)?),
            Command::ReleaseShared(ShareToken(token)) => {
                not_zero("a share token", token)?;
                self.objects.tokens.insert(token, Token::Released { by: around.number });
                Ok(())
            }
            Command::CreateShader(ref create) => self.create_shader(create, around),
            Command::DestroyShader(shader) => {
                self.objects.shaders.destroy(shader.number(), around.number);
                Ok(())
            }
            Command::CreateLayout(ref create) => self.create_layout(create, around),
            Command::DestroyLayout(layout) => {
                self.objects.layouts.destroy(layout.number(), around.number);
                Ok(())
            }
            Command::CreateSampler(ref create) => {
                not_zero("a sampler's handle", u64::from(create.id.number()))?;
                self.effect.kind = EffectKind::Creation;
                self.objects.samplers.create(create.id.number(), *create, around.number);
                Ok(())
            }
            Command::DestroySampler(sampler) => {
                self.objects.samplers.destroy(sampler.number(), around.number);
                Ok(())
            }
            Command::Clear(ref clear) => self.clear(clear, id),
            Command::Draw(draw) => self.draw(super::work::Vertices::Direct(draw), id),
            Command::DrawIndexed(draw) => self.draw(super::work::Vertices::Indexed(draw), id),
            Command::Dispatch(ref dispatch) => self.dispatch(dispatch, id),
            Command::Present(ref present) => self.present(present, id),
            Command::Flush | Command::Marker(_) | Command::Nop | Command::Unknown { .. } => Ok(()),
            Command::CreatePipeline(_) | Command::SetPipeline(_) | Command::SetVertexBuffer(_) => {
                Err(Internal::new("a submission holds a packet of Appendix A").into())
            }
            _ => self.set(command, id, around),
        }
    }

    fn set(&mut self, command: &Command, id: u32, around: Surroundings<'_>) -> Result<(), Problem> {
        let number = Number::new(around.number);
        let Self { objects, contexts, .. } = self;
        let context = contexts.get_mut(&id).ok_or(Internal::new("a command's context is not there"))?;
        context.has_changed = true;
        match *command {
            Command::BindShaders(bind) => bind_shaders(objects, context, bind, number),
            Command::SetConstants(ref set) => set_constants(context, set, around.number)?,
            Command::SetLayout(layout) => set_layout(objects, context, layout, number),
            Command::SetBlend(value) => context.blend = Setting { value, set_by: number },
            Command::SetDepthStencil(value) => context.depth_stencil = Setting { value, set_by: number },
            Command::SetRasterizer(value) => context.rasterizer = Setting { value, set_by: number },
            Command::SetTargets(targets) => set_targets(objects, context, targets, number),
            Command::SetViewport(viewport) => context.viewport = Setting { value: Some(viewport), set_by: number },
            Command::SetScissor(scissor) => context.scissor = Setting { value: Some(scissor), set_by: number },
            Command::SetRenderState(SetRenderState { state, value }) => {
                context.see_legacy_packet(number);
                context.render_states.set(state, value);
                context.note_render_state(state, value, around.number);
            }
            Command::SetSamplerState(ref set) => set_sampler_state(context, set, number)?,
            Command::SetVertexBuffers(ref set) => set_vertex_buffers(objects, context, set, &around)?,
            Command::SetIndexBuffer(SetIndexBuffer { buffer, format, offset_bytes }) => {
                let (mut held, _) = context.indices.value;
                rebind(objects, &mut held.slot, buffer, number);
                held.offset_bytes = offset_bytes;
                context.indices = Setting { value: (held, format), set_by: number };
            }
            Command::SetTopology(value) => context.topology = Setting { value, set_by: number },
            Command::SetTexture(ref set) => set_texture(objects, context, set, number)?,
            Command::SetSamplers(ref set) => set_samplers(objects, context, set, &around)?,
            Command::SetBuffers(ref set) => set_buffers(objects, context, set, &around)?,
            _ => return Err(Internal::new("a command that nobody carries out has reached the state").into()),
        }
        Ok(())
    }

    // Resources.

    fn create_buffer(&mut self, create: &CreateBuffer, around: Surroundings<'_>) -> Result<(), Problem> {
        let (handle, size) = (create.id.number(), create.size_bytes);
        let number = around.number;
        not_zero("a buffer's handle", u64::from(handle))?;
        not_zero("a buffer's size", size)?;
        if size > MAX_BUFFER_BYTES {
            return Err(Problem::OverLimit { what: "a buffer's size in bytes", found: size, limit: MAX_BUFFER_BYTES });
        }
        let size_bytes = u32::try_from(size).map_err(|_| Internal::new("a buffer below its limit is over 4 GiB"))?;
        let buffer = Buffer { desc: *create, size_bytes };
        let Surroundings { blobs, payloads, .. } = around;
        let around = Surroundings { blobs: &mut *blobs, payloads, number };
        let is_new_backing = self.create_resource(handle, ResourceKind::Buffer(buffer), size, around)?;
        if let Some(Backing { allocation, offset_bytes }) = create.backing.filter(|_| is_new_backing) {
            // Whatever the guest has in its memory is the buffer's contents. The recorder leaves the largest allocations
            // out; what is read of those is zeros until the guest says that it has written to them.
            match self.memory.pieces(allocation, u64::from(offset_bytes), size, blobs) {
                Ok(pieces) => {
                    let key = self.key_of(handle)?;
                    self.effect.access(key, 0..size_bytes, AccessKind::Write);
                    self.take_memory(pieces);
                }
                Err(Problem::Memory(MemoryError::NoSnapshot { .. })) => {}
                Err(problem) => return Err(problem),
            }
        }
        Ok(())
    }

    /// The command takes these bytes of guest memory.
    fn take_memory(&mut self, pieces: Vec<MemoryPiece>) {
        let mut copies: Vec<u32> = pieces.iter().filter_map(MemoryPiece::written_back_by).collect();
        copies.sort_unstable();
        copies.dedup();
        for by in copies {
            // What the copy has written to memory is an object of its own.
            self.effect.access(ObjectKey::made_by(by), 0..1, AccessKind::Read);
        }
        self.effect.memory = pieces;
    }

    fn create_texture(&mut self, create: &CreateTexture, around: Surroundings<'_>) -> Result<(), Problem> {
        let over = |what, found: u64, limit: u64| match found > limit {
            true => Err(Problem::OverLimit { what, found, limit }),
            false => Ok(()),
        };
        let [width, height] = create.size_px.map(u64::from);
        not_zero("a texture's handle", u64::from(create.id.number()))?;
        not_zero("a side of a texture", width.min(height))?;
        not_zero("a texture's number of mips", u64::from(create.mips))?;
        not_zero("a texture's number of layers", u64::from(create.layers))?;
        over("a texture's longest side in texels", width.max(height), MAX_TEXTURE_SIDE_PX)?;
        over("a texture's number of layers", u64::from(create.layers), MAX_TEXTURE_LAYERS)?;
        let layout = TextureLayout::of(create)?;
        over("a texture's size in bytes", layout.total_bytes(), MAX_TEXTURE_BYTES)?;
        let size = layout.total_bytes();
        let texture = Texture { desc: *create, layout };
        self.create_resource(create.id.number(), ResourceKind::Texture(Box::new(texture)), size, around)?;
        Ok(())
    }

    /// Makes a resource, or binds the backing of the one that has the handle anew. Whether it now has another backing
    /// than before.
    fn create_resource(
        &mut self,
        handle: u32,
        kind: ResourceKind,
        size: u64,
        around: Surroundings<'_>,
    ) -> Result<bool, Problem> {
        let made = Resource { kind, names: 1, created_by: Number::new(around.number) };
        let backing = made.backing();
        if let Some(Backing { allocation, offset_bytes }) = backing {
            self.memory.check_backing(allocation, u64::from(offset_bytes), size, around.blobs)?;
            self.effect.allocation = Some(allocation);
        }
        (self.effect.kind, self.effect.name) = (EffectKind::Creation, Some(NameChange::Given(handle)));
        let number = Number::new(around.number);
        let Some(name) = self.objects.names.get_mut(&handle) else {
            let key = ObjectKey::made_by(around.number);
            self.effect.created = Some((key, part_sizes(&made.kind)));
            self.objects.resources.insert(key, made);
            self.objects.names.insert(handle, Name { named: Named::Resource(key), named_by: number, bound: 0 });
            return Ok(backing.is_some());
        };
        let key = match name.named {
            Named::Resource(key) => key,
            _ => return Err(ContractError::InUse { handle, property: "kind" }.into()),
        };
        let resource = self.objects.resources.get_mut(&key);
        let resource = resource.ok_or(Internal::new("a handle names a resource that is not there"))?;
        if let Some(property) = differing_property(&resource.kind, &made.kind) {
            return Err(ContractError::InUse { handle, property }.into());
        }
        self.effect.created = Some((key, part_sizes(&made.kind)));
        self.effect.refer(name.named_by);
        self.effect.refer(resource.created_by);
        if is_backed_alike(&resource.kind, &made.kind) {
            // The same again changes nothing, so that nothing needs it.
            return Ok(false);
        }
        let is_new = backing.is_some() && resource.backing() != backing;
        (resource.kind, resource.created_by, name.named_by) = (made.kind, number, number);
        Ok(is_new)
    }

    fn key_of(&self, handle: u32) -> Result<ObjectKey, Internal> {
        match self.objects.named(handle) {
            Named::Resource(key) => Ok(key),
            _ => Err(Internal::new("a resource just made has no name")),
        }
    }

    fn create_view(&mut self, create: &CreateView, number: u32) -> Result<(), ContractError> {
        let handle = create.id.number();
        not_zero("a view's handle", u64::from(handle))?;
        not_zero("a view's number of mips", u64::from(create.mips.count))?;
        not_zero("a view's number of layers", u64::from(create.layers.count))?;
        let (name, key, texture) = self.objects.known_texture(create.texture.number(), "texture")?;
        let desc = texture.desc;
        let inside = |what, SubresourceRange { first, count }: SubresourceRange, of: u32| {
            let last = (u64::from(first) + u64::from(count)).saturating_sub(1);
            let (role, texture) = ("texture", create.texture.number());
            match count > 0 && last < u64::from(of) {
                true => Ok(()),
                false => Err(ContractError::NoSuchSubresource { role, handle: texture, what, found: last, count: of }),
            }
        };
        inside("mip", create.mips, desc.mips)?;
        inside("layer", create.layers, desc.layers)?;
        if create.format.block() != desc.format.block() || aspects_of(create.format) != aspects_of(desc.format) {
            return Err(ContractError::ViewFormat { format: create.format, texture: desc.format });
        }
        if matches!(self.objects.named(handle), Named::Resource(_)) {
            return Err(ContractError::InUse { handle, property: "kind" });
        }
        (self.effect.kind, self.effect.name) = (EffectKind::Creation, Some(NameChange::Given(handle)));
        self.effect.refer(name.named_by);
        let CreateView { format, mips, layers, .. } = *create;
        let view = self.objects.views.len() as u32;
        self.objects.views.push(View { texture: key, format, mips, layers });
        // Slots may keep the view, and with it the texture, whatever is destroyed.
        self.objects.keep(key);
        let name = Name { named: Named::View(view), named_by: Number::new(number), bound: 0 };
        self.objects.names.insert(handle, name);
        Ok(())
    }

    fn destroy_resource(&mut self, handle: u32, number: u32) {
        let Some(Name { named: Named::Resource(key), bound, .. }) = self.objects.names.get(&handle).copied() else {
            return;
        };
        self.objects.names.remove(&handle);
        self.objects.destroyed.insert(handle, number);
        self.effect.name = Some(NameChange::Taken(handle));
        self.objects.release(key);
        if bound > 0 {
            for context in self.contexts.values_mut() {
                let held =
                    context.slots_mut().filter(|slot| slot.handle == handle && slot.named == Named::Resource(key));
                let mut changes = false;
                for slot in held {
                    *slot = slot.emptied(Number::new(number));
                    changes = true;
                }
                context.has_changed |= changes;
            }
        }
    }

    fn destroy_view(&mut self, handle: u32, number: u32) {
        if let Named::View(_) = self.objects.named(handle) {
            self.objects.names.remove(&handle);
            self.objects.destroyed.insert(handle, number);
            self.effect.name = Some(NameChange::Taken(handle));
        }
    }

    fn upload(&mut self, upload: &Upload) -> Result<(), Problem> {
        let Upload { id, offset_bytes, size_bytes, payload } = *upload;
        let Payload::Inline(_) = payload else {
            return Err(Internal::new("an upload of a submission names a blob").into());
        };
        // To nothing, nothing is uploaded.
        if size_bytes == 0 || self.objects.named(id.number()) == Named::Nothing {
            return Ok(());
        }
        self.write_bytes(id, offset_bytes, size_bytes)
    }

    /// Bytes of a resource are written from outside.
    fn write_bytes(&mut self, id: ResourceId, start: u64, count: u64) -> Result<(), Problem> {
        let handle = id.number();
        let name = self.objects.known(handle, "resource")?;
        let Named::Resource(key) = name.named else {
            let (found, expected) = ("view", "buffer or texture");
            return Err(ContractError::WrongKind { role: "resource", handle, found, expected }.into());
        };
        let resource =
            self.objects.resource(key).ok_or(Internal::new("a handle names a resource that is not there"))?;
        let size = match &resource.kind {
            ResourceKind::Buffer(buffer) => u64::from(buffer.size_bytes),
            ResourceKind::Texture(texture) => texture.layout.total_bytes(),
        };
        let end = start.checked_add(count).filter(|end| *end <= size);
        let end = end.ok_or(ContractError::OutOfBounds { role: "resource", handle, start, count, size })?;
        self.effect.kind = EffectKind::Upload;
        self.effect.refer(name.named_by);
        // How rows lie is a matter of the last creation.
        self.effect.refer(resource.created_by);
        match &resource.kind {
            ResourceKind::Buffer(_) => self.effect.access(key, parts(start..end)?, AccessKind::Write),
            ResourceKind::Texture(texture) => {
                // Parts of one aspect stand in the order in which their texels lie.
                for aspect in aspects_of(texture.desc.format) {
                    for (mip, layer, coverage) in texture.layout.touched(start..end) {
                        let kind = match coverage {
                            Coverage::Whole => AccessKind::Write,
                            Coverage::Part => AccessKind::Modify,
                        };
                        let part = texture.parts(*aspect, layer, mip..mip + 1);
                        let part = part.ok_or(Internal::new("a texture's layout has a subresource that it has not"))?;
                        self.effect.access(key, part, kind);
                    }
                }
            }
        }
        Ok(())
    }

    fn refresh(&mut self, refresh: &Refresh, around: Surroundings<'_>) -> Result<(), Problem> {
        let Refresh { id, offset_bytes, size_bytes } = *refresh;
        // The recorder may have begun after the resource was made: to nothing, nothing is brought.
        if self.objects.named(id.number()) == Named::Nothing {
            return Ok(());
        }
        let Named::Resource(key) = self.objects.known(id.number(), "resource")?.named else {
            let (found, expected) = ("view", "buffer or texture");
            let (role, handle) = ("resource", id.number());
            return Err(ContractError::WrongKind { role, handle, found, expected }.into());
        };
        let resource =
            self.objects.resource(key).ok_or(Internal::new("a handle names a resource that is not there"))?;
        // Only memory behind a resource can be dirty.
        let Some(Backing { allocation, offset_bytes: backing_offset }) = resource.backing() else { return Ok(()) };
        let size = match &resource.kind {
            ResourceKind::Buffer(buffer) => u64::from(buffer.size_bytes),
            ResourceKind::Texture(texture) => texture.layout.total_bytes(),
        };
        let range = offset_bytes.min(size)..offset_bytes.saturating_add(size_bytes).min(size);
        if range.is_empty() {
            return Ok(());
        }
        let (start, count) = (u64::from(backing_offset) + range.start, range.end - range.start);
        let pieces = self.memory.pieces(allocation, start, count, around.blobs)?;
        self.effect.allocation = Some(allocation);
        self.write_bytes(id, range.start, count)?;
        self.take_memory(pieces);
        Ok(())
    }

    fn copy_buffer(&mut self, copy: &CopyBuffer, around: Surroundings<'_>) -> Result<(), Problem> {
        let (to, from) = (copy.to.number(), copy.from.number());
        let (to_name, to_key, to_buffer) = self.objects.known_buffer(to, "destination")?;
        let (from_name, from_key, from_buffer) = self.objects.known_buffer(from, "source")?;
        let written = in_buffer("destination", to, to_buffer, copy.to_offset_bytes, copy.size_bytes)?;
        let read = in_buffer("source", from, from_buffer, copy.from_offset_bytes, copy.size_bytes)?;
        if to_key == from_key {
            let (role, found, expected) = ("destination", "name of the source", "buffer of its own");
            return Err(ContractError::WrongKind { role, handle: to, found, expected }.into());
        }
        if copy.size_bytes == 0 {
            return Ok(());
        }
        let backing = to_buffer.desc.backing;
        self.effect.kind = EffectKind::Copy;
        self.effect.refer(to_name.named_by);
        self.effect.refer(from_name.named_by);
        self.effect.access(from_key, read, AccessKind::Read);
        self.effect.access(to_key, written, AccessKind::Write);
        if copy.writes_back {
            self.write_back(
                to,
                to_key,
                backing,
                std::iter::once(copy.to_offset_bytes..copy.to_offset_bytes + copy.size_bytes),
                around,
            )?;
        }
        Ok(())
    }

    fn write_back(
        &mut self,
        handle: u32,
        key: ObjectKey,
        backing: Option<Backing>,
        ranges: impl IntoIterator<Item = Range<u64>>,
        around: Surroundings<'_>,
    ) -> Result<(), Problem> {
        let Backing { allocation, offset_bytes } = backing.ok_or(ContractError::NotBacked { handle })?;
        for range in ranges {
            let (start, count) = (u64::from(offset_bytes) + range.start, range.end - range.start);
            self.memory.write_back(allocation, start, count, around.number, around.blobs)?;
        }
        // The backing in force is a matter of the last creation.
        let resource = self.objects.resource(key);
        let resource = resource.ok_or(Internal::new("a handle names a resource that is not there"))?;
        self.effect.refer(resource.created_by);
        self.effect.access(ObjectKey::made_by(around.number), 0..1, AccessKind::Write);
        self.effect.allocation = Some(allocation);
        Ok(())
    }

    fn copy_texture(&mut self, copy: &CopyTexture, around: Surroundings<'_>) -> Result<(), Problem> {
        let (to, from) = (copy.to.id.number(), copy.from.id.number());
        let (to_name, to_key, to_texture) = self.objects.known_texture(to, "destination")?;
        let (from_name, from_key, from_texture) = self.objects.known_texture(from, "source")?;
        let (to_format, from_format) = (to_texture.desc.format, from_texture.desc.format);
        if to_format != from_format {
            return Err(ContractError::FormatsDiffer { from: from_format, to: to_format }.into());
        }
        let whole = in_texture("destination", to_texture, copy.to, copy.to_px, copy.size_px)?;
        in_texture("source", from_texture, copy.from, copy.from_px, copy.size_px)?;
        let Subresource { mip, layer, .. } = copy.to;
        if to_key == from_key && (mip, layer) == (copy.from.mip, copy.from.layer) {
            return Err(ContractError::SameSubresource { handle: to, mip, layer }.into());
        }
        if copy.size_px.contains(&0) {
            return Ok(());
        }
        let backing = to_texture.desc.backing;
        let rows = copy.writes_back.then(|| to_texture.layout.rows(mip, layer, copy.to_px, copy.size_px));
        self.effect.kind = EffectKind::Copy;
        self.effect.refer(to_name.named_by);
        self.effect.refer(from_name.named_by);
        let written = if whole { AccessKind::Write } else { AccessKind::Modify };
        for aspect in aspects_of(to_format) {
            let lost = Internal::new("a copy's subresource is not there");
            let read = from_texture.parts(*aspect, copy.from.layer, copy.from.mip..copy.from.mip + 1).ok_or(lost)?;
            self.effect.access(from_key, read, AccessKind::Read);
            self.effect.access(to_key, to_texture.parts(*aspect, layer, mip..mip + 1).ok_or(lost)?, written);
        }
        match rows {
            Some(rows) => self.write_back(to, to_key, backing, rows, around),
            None => Ok(()),
        }
    }

    // Sharing.

    fn export(
        &mut self,
        resource: ResourceId,
        ShareToken(token): ShareToken,
        number: u32,
    ) -> Result<(), ContractError> {
        not_zero("a share token", token)?;
        let (name, key, _) = self.objects.known_texture(resource.number(), "texture")?;
        match self.objects.tokens.get(&token) {
            Some(Token::Released { .. }) => return Err(ContractError::Token { token, problem: "was released" }),
            Some(Token::Live { texture, .. }) if *texture != key => {
                return Err(ContractError::Token { token, problem: "is another texture's" });
            }
            Some(Token::Live { .. }) => return Ok(()),
            None => {}
        }
        self.effect.kind = EffectKind::Creation;
        self.effect.refer(name.named_by);
        self.objects.tokens.insert(token, Token::Live { texture: key, exported_by: number });
        Ok(())
    }

    fn import(
        &mut self,
        resource: ResourceId,
        ShareToken(token): ShareToken,
        number: u32,
    ) -> Result<(), ContractError> {
        let handle = resource.number();
        not_zero("a texture's handle", u64::from(handle))?;
        let (texture, exported_by) = match self.objects.tokens.get(&token) {
            Some(Token::Live { texture, exported_by }) => (*texture, *exported_by),
            Some(Token::Released { .. }) => return Err(ContractError::Token { token, problem: "was released" }),
            None => return Err(ContractError::Token { token, problem: "is unknown" }),
        };
        match self.objects.named(handle) {
            Named::Nothing => {}
            Named::Resource(key) if key == texture => return Ok(()),
            _ => return Err(ContractError::InUse { handle, property: "texture" }),
        }
        let known = self.objects.resources.get_mut(&texture);
        let known = known.ok_or(ContractError::Token { token, problem: "is of a texture that was destroyed" })?;
        known.names = known.names.saturating_add(1);
        (self.effect.kind, self.effect.name) = (EffectKind::Creation, Some(NameChange::Given(handle)));
        self.effect.refer(Number::new(exported_by));
        let name = Name { named: Named::Resource(texture), named_by: Number::new(number), bound: 0 };
        self.objects.names.insert(handle, name);
        Ok(())
    }

    // Shaders and layouts.

    fn create_shader(&mut self, create: &CreateShader, around: Surroundings<'_>) -> Result<(), Problem> {
        let ShaderCode::Bytecode(code) = create.code else {
            return Err(Internal::new("a shader of a submission names blobs").into());
        };
        not_zero("a shader's handle", u64::from(create.id.number()))?;
        not_zero("the size of a shader's bytecode", code.size_bytes)?;
        self.effect.kind = EffectKind::Creation;
        let shader = if code.size_bytes > MAX_BYTECODE_BYTES {
            let why =
                format!("its bytecode has {} bytes: this build reads up to {MAX_BYTECODE_BYTES}", code.size_bytes);
            Shader::new(create.stage, code, Err(why.into()))
        } else {
            let bytes = around.payloads.read(code, around.blobs)?;
            Shader::new(create.stage, code, Ok(bytes.as_ref()))
        };
        self.objects.shaders.create(create.id.number(), Arc::new(shader), around.number);
        Ok(())
    }

    fn create_layout(&mut self, create: &CreateLayout, around: Surroundings<'_>) -> Result<(), Problem> {
        not_zero("a layout's handle", u64::from(create.id.number()))?;
        not_zero("the size of a layout", create.declaration.size_bytes)?;
        self.effect.kind = EffectKind::Creation;
        let declaration = create.declaration;
        let bytes = around.payloads.read(declaration, around.blobs)?;
        let attributes = abi::vertex_attributes(&bytes, declaration.offset);
        let attributes = attributes.map_err(|error| error.to_string().into_boxed_str());
        self.objects.layouts.create(create.id.number(), Arc::new(Layout { declaration, attributes }), around.number);
        Ok(())
    }
}

fn part_sizes(kind: &ResourceKind) -> PartSizes {
    match kind {
        ResourceKind::Buffer(buffer) => PartSizes::Buffer { size_bytes: buffer.size_bytes },
        ResourceKind::Texture(texture) => {
            let CreateTexture { size_px, mips, .. } = texture.desc;
            // Formats of 16 bits live as those of 32, and blocks take at most as much as their texels.
            PartSizes::Texture { size_px, mips, texel_bytes: 4 }
        }
    }
}

/// The property of a resource that another creation of it does not say the same of. The backing may differ, and with it
/// the row pitch.
fn differing_property(a: &ResourceKind, b: &ResourceKind) -> Option<&'static str> {
    let differs = |differs: bool, what| differs.then_some(what);
    match (a, b) {
        (ResourceKind::Buffer(Buffer { desc: a, .. }), ResourceKind::Buffer(Buffer { desc: b, .. })) => {
            differs(a.size_bytes != b.size_bytes, "size").or(differs(a.usage != b.usage, "usage"))
        }
        (ResourceKind::Texture(a), ResourceKind::Texture(b)) => {
            let (a, b) = (&a.desc, &b.desc);
            let is_pitch_free = a.backing.is_some() || b.backing.is_some();
            differs(a.size_px != b.size_px, "size")
                .or(differs(a.format != b.format, "format"))
                .or(differs(a.mips != b.mips, "number of mips"))
                .or(differs(a.layers != b.layers, "number of layers"))
                .or(differs(a.usage != b.usage, "usage"))
                .or(differs(!is_pitch_free && a.row_pitch_bytes != b.row_pitch_bytes, "row pitch"))
        }
        _ => Some("kind"),
    }
}

/// Whether two resources that do not differ in their properties lie in guest memory alike, or both not.
fn is_backed_alike(a: &ResourceKind, b: &ResourceKind) -> bool {
    match (a, b) {
        (ResourceKind::Buffer(a), ResourceKind::Buffer(b)) => a.desc.backing == b.desc.backing,
        (ResourceKind::Texture(a), ResourceKind::Texture(b)) => {
            (a.desc.backing, a.desc.row_pitch_bytes) == (b.desc.backing, b.desc.row_pitch_bytes)
        }
        _ => false,
    }
}

/// Bytes of a buffer, whose size fits in 32 bits, as parts.
fn parts(bytes: Range<u64>) -> Result<Range<u32>, Internal> {
    let part = |byte: u64| u32::try_from(byte).map_err(|_| Internal::new("a byte of a buffer lies past 4 GiB"));
    Ok(part(bytes.start)?..part(bytes.end)?)
}

fn in_buffer(role: &'static str, handle: u32, buffer: &Buffer, start: u64, count: u64) -> Result<Range<u32>, Problem> {
    let size = u64::from(buffer.size_bytes);
    let end = start.checked_add(count).filter(|end| *end <= size);
    Ok(parts(start..end.ok_or(ContractError::OutOfBounds { role, handle, start, count, size })?)?)
}

/// Checks a rectangle of a subresource; whether it is the whole of it.
fn in_texture(
    role: &'static str,
    texture: &Texture,
    Subresource { id, mip, layer }: Subresource,
    origin: [u32; 2],
    size: [u32; 2],
) -> Result<bool, ContractError> {
    let (handle, desc) = (id.number(), &texture.desc);
    let missing = |what, found: u32, count| ContractError::NoSuchSubresource {
        role,
        handle,
        what,
        found: u64::from(found),
        count,
    };
    if mip >= desc.mips {
        return Err(missing("mip", mip, desc.mips));
    }
    if layer >= desc.layers {
        return Err(missing("layer", layer, desc.layers));
    }
    let of = texture.mip_size_px(mip);
    let (side_px, _) = desc.format.block();
    for ((start, length), limit) in origin.into_iter().zip(size).zip(of) {
        if u64::from(start) + u64::from(length) > u64::from(limit) {
            return Err(ContractError::RectangleOutside { role, handle, mip, origin, size, of });
        }
        let is_cut = length % side_px != 0 && start + length != limit;
        if length > 0 && (start % side_px != 0 || is_cut) {
            return Err(ContractError::CutsBlocks { role, handle, origin, size });
        }
    }
    Ok(origin == [0, 0] && size == of)
}

fn not_zero(what: &'static str, found: u64) -> Result<(), ContractError> {
    if found == 0 { Err(ContractError::Zero { what }) } else { Ok(()) }
}

// Settings.

/// A slot holds from here on what `id` means.
fn rebind(objects: &mut Objects, slot: &mut Slot, id: Option<ResourceId>, set_by: Number) {
    objects.unbind(slot.handle, slot.named);
    let handle = id.map_or(0, ResourceId::number);
    let (named, named_by) = objects.bind(handle);
    *slot = Slot { handle, named, named_by, set_by, undone: Number::NONE, because: [Number::NONE; 3] };
}

/// What a slot holds is bound by `by` where it cannot stay bound here as well: see [`Slot::met`].
fn meet(objects: &mut Objects, slot: &mut Slot, by: Number, bound_by: Number, decided: &Decided) {
    let met = slot.met(by, bound_by, decided);
    if met.named != slot.named {
        objects.unbind(slot.handle, slot.named);
    }
    *slot = met;
}

fn bind_shaders(objects: &Objects, context: &mut Context, bind: BindShaders, number: Number) {
    for ((stage, id), kept) in bind.all().zip(&mut context.shaders) {
        let handle = id.map_or(0, |id| id.number());
        let (object, made_by) = objects.shaders.find(handle);
        *kept = Kept { handle, object: object.cloned(), made_by };
        if let Some(program) = kept.object.as_ref().filter(|_| stage == ShaderStage::Vertex)
            && let Ok(slots) = &program.program
        {
            let world = if slots.is_d3d9 { World::Direct3d9 } else { World::Direct3d11 };
            let by = [number, made_by];
            let is_same = context.decided.is_final && context.decided.world == world;
            let since = if is_same { context.decided.since } else { by };
            context.decided = Decided { world, by, since, is_final: true };
        }
    }
    context.shaders_set_by = number;
}

fn set_constants(context: &mut Context, set: &SetConstants, number: u32) -> Result<(), Problem> {
    context.see_legacy_packet(Number::new(number));
    let SetConstants { stage, bank, first_register, register_count, .. } = *set;
    let [floats, integers, booleans] = &mut context.stage_mut(stage).banks;
    let (bank, limit): (&mut Bank, u32) = match bank {
        ConstantBank::Float => (floats, 4096),
        ConstantBank::Int => (integers, 256),
        ConstantBank::Bool | ConstantBank::WideBool => (booleans, 256),
    };
    let end = first_register.checked_add(register_count).filter(|end| *end <= limit);
    let end = end.ok_or(slots_outside("constant", first_register, register_count, limit))?;
    bank.writers.write(first_register..end, number);
    Ok(())
}

fn slots_outside(what: &'static str, first: u32, count: u32, limit: u32) -> ContractError {
    ContractError::SlotsOutside { what, first, count, limit }
}

fn set_layout(objects: &Objects, context: &mut Context, layout: Option<LayoutId>, number: Number) {
    let handle = layout.map_or(0, |layout| layout.number());
    let (object, made_by) = objects.layouts.find(handle);
    let object = object.cloned();
    if object.as_ref().is_some_and(|layout| layout.is_d3d9()) {
        context.see_legacy_packet(number);
    }
    context.layout = Setting { value: Kept { handle, object, made_by }, set_by: number };
}

fn set_targets(objects: &mut Objects, context: &mut Context, targets: SetTargets, number: Number) {
    let Targets { colors, depth_stencil } = &mut context.targets;
    for ((_, id), slot) in targets.all_colors().zip(colors.iter_mut()) {
        rebind(objects, slot, id, number);
    }
    rebind(objects, depth_stencil, targets.depth_stencil(), number);
    // What is drawn to cannot be read at the same time: the later binding wins.
    let of_slot = |slot: &Slot| Some((objects.texture(slot.named)?.key, slot.named_by));
    let drawn: Vec<(ObjectKey, Number)> = context.targets.all().filter_map(of_slot).collect();
    for held in context.stages.iter_mut().flat_map(|stage| &mut stage.resources) {
        let read = objects.texture(held.slot.named).map(|seen| seen.key);
        // Of several names that it is drawn to by, the first.
        for (_, bound_by) in drawn.iter().filter(|(key, _)| Some(*key) == read).take(1) {
            meet(objects, &mut held.slot, number, *bound_by, &context.decided);
        }
    }
}

fn set_sampler_state(context: &mut Context, set: &SetSamplerState, number: Number) -> Result<(), Problem> {
    const SLOTS: u32 = 16;
    context.see_legacy_packet(number);
    let SetSamplerState { stage, slot, state, value } = *set;
    if slot >= SLOTS {
        return Err(slots_outside("sampler", slot, 1, SLOTS).into());
    }
    let lost = Internal::new("a sampler's slot is not there");
    let sampler = slot_mut(&mut context.stage_mut(stage).sampler_states, slot).ok_or(lost)?;
    sampler.states.set(state, value);
    if let Some(set_by) = sampler.set_by.get_mut(state as usize) {
        *set_by = number;
    }
    Ok(())
}

fn set_vertex_buffers(
    objects: &mut Objects,
    context: &mut Context,
    set: &SetVertexBuffers,
    around: &Surroundings<'_>,
) -> Result<(), Problem> {
    check_slots("vertex buffer", set.first_slot, set.slots.count, 32)?;
    let bytes = around.payloads.read(set.slots.bytes, around.blobs)?;
    for (slot, element) in (set.first_slot..).zip(abi::list_elements(set.slots, &bytes)) {
        let lost = Internal::new("a vertex buffer's slot is not there");
        let held = slot_mut(&mut context.vertex_buffers, slot).ok_or(lost)?;
        rebind(objects, &mut held.slot, element.buffer, Number::new(around.number));
        (held.size_bytes, held.offset_bytes) = (element.stride_bytes, element.offset_bytes);
    }
    Ok(())
}

fn check_slots(what: &'static str, first: u32, count: u32, limit: u32) -> Result<(), ContractError> {
    let is_inside = first.checked_add(count).is_some_and(|end| end <= limit);
    is_inside.then_some(()).ok_or(slots_outside(what, first, count, limit))
}

fn set_texture(objects: &mut Objects, context: &mut Context, set: &SetTexture, number: Number) -> Result<(), Problem> {
    let SetTexture { stage, slot, texture } = *set;
    check_slots("texture", slot, 1, 128)?;
    let lost = Internal::new("a texture's slot is not there");
    let held = slot_mut(&mut context.stage_mut(stage).resources, slot).ok_or(lost)?;
    rebind(objects, &mut held.slot, texture, number);
    (held.offset_bytes, held.size_bytes) = (0, 0);
    let (bound, bound_by) = (objects.texture(held.slot.named).map(|seen| seen.key), held.slot.named_by);
    let Targets { colors, depth_stencil } = &mut context.targets;
    for target in colors.iter_mut().chain([depth_stencil]) {
        if bound.is_some() && objects.texture(target.named).map(|seen| seen.key) == bound {
            meet(objects, target, number, bound_by, &context.decided);
        }
    }
    Ok(())
}

fn set_samplers(
    objects: &Objects,
    context: &mut Context,
    set: &SetSamplers,
    around: &Surroundings<'_>,
) -> Result<(), Problem> {
    check_slots("sampler", set.first_slot, set.slots.count, 16)?;
    let bytes = around.payloads.read(set.slots.bytes, around.blobs)?;
    let samplers = &mut context.stage_mut(set.stage).samplers;
    for (slot, element) in (set.first_slot..).zip(abi::list_elements(set.slots, &bytes)) {
        let handle = element.0.map_or(0, |id| id.number());
        let (object, made_by) = objects.samplers.find(handle);
        let held = slot_mut(samplers, slot).ok_or(Internal::new("a sampler's slot is not there"))?;
        *held = (Kept { handle, object: object.copied(), made_by }, Number::new(around.number));
    }
    Ok(())
}

fn set_buffers(
    objects: &mut Objects,
    context: &mut Context,
    set: &SetBuffers,
    around: &Surroundings<'_>,
) -> Result<(), Problem> {
    let (what, limit) = match set.usage {
        BufferUse::Constants => ("constant buffer", 14),
        BufferUse::Resource => ("shader resource buffer", 128),
        BufferUse::UnorderedAccess => ("unordered access buffer", 8),
    };
    check_slots(what, set.first_slot, set.slots.count, limit)?;
    let bytes = around.payloads.read(set.slots.bytes, around.blobs)?;
    let stage = context.stage_mut(set.stage);
    let slots = match set.usage {
        BufferUse::Constants => &mut stage.constants,
        BufferUse::Resource => &mut stage.resources,
        BufferUse::UnorderedAccess => &mut stage.uavs,
    };
    for (slot, element) in (set.first_slot..).zip(abi::list_elements(set.slots, &bytes)) {
        let held = slot_mut(slots, slot).ok_or(Internal::new("a buffer's slot is not there"))?;
        rebind(objects, &mut held.slot, element.buffer, Number::new(around.number));
        (held.offset_bytes, held.size_bytes) = (element.offset_bytes, element.size_bytes);
    }
    Ok(())
}
