//! Resources are made, bound to other memory, and destroyed.

use std::sync::Arc;

use super::draw_uses::UseGroups;
use super::effect::{AccessKind, EarlierCommand, EffectKind, GuestHandle, NameChange, ObjectKey, PartSizes};
use super::error::ContractError;
use super::objects::{Buffer, Name, Named, Resource, ResourceKind, Texture, aspects_of};
use super::state::{DeviceState, Surroundings, not_zero};
use crate::command::{Backing, CreateBuffer, CreateTexture};
use crate::error::Internal;
use crate::limits::{MAX_BUFFER_BYTES, MAX_TEXTURE_BYTES, MAX_TEXTURE_LAYERS, MAX_TEXTURE_SIDE_PX};
use crate::replay::blob_store::BlobStore;
use crate::replay::error::Problem;
use crate::replay::guest_memory::{MemoryError, MemoryPiece};
use crate::replay::texture_layout::TextureLayout;

impl DeviceState {
    pub(super) fn create_buffer(&mut self, create: &CreateBuffer, around: Surroundings<'_>) -> Result<(), Problem> {
        let (handle, size) = (create.id.number(), create.size_bytes);
        not_zero("a buffer's handle", u64::from(handle))?;
        not_zero("a buffer's size", size)?;
        if size > MAX_BUFFER_BYTES {
            return Err(Problem::OverLimit { what: "a buffer's size in bytes", found: size, limit: MAX_BUFFER_BYTES });
        }
        let size_bytes = u32::try_from(size).map_err(|_| Internal::new("a buffer below its limit is over 4 GiB"))?;
        let buffer = Buffer { desc: *create, size_bytes };
        let kind = ResourceKind::Buffer(buffer);
        self.check_resource(handle, &kind, size, around.blobs)?;
        let contents = self.contents_of_backing(handle, create, around.blobs)?;
        self.create_resource(handle, kind, around.number)?;
        if let Some(pieces) = contents {
            let key = self.key_of(handle)?;
            self.effect.access(key, 0..size_bytes, AccessKind::Write);
            self.take_memory(pieces);
        }
        Ok(())
    }

    /// Returns the bytes that a buffer takes over from guest memory: all that lie there, if it is bound to other memory
    /// than before. The recorder leaves the largest allocations out; a buffer in one of them is zeros until the guest says
    /// that it has written to it.
    fn contents_of_backing(
        &mut self,
        handle: u32,
        create: &CreateBuffer,
        blobs: &mut BlobStore,
    ) -> Result<Option<Vec<MemoryPiece>>, Problem> {
        let former = match self.objects.named(handle) {
            Named::Resource(key) => self.objects.resource(key).and_then(Resource::backing),
            _ => None,
        };
        // silent: it keeps the memory it has
        let Some(Backing { allocation, offset_bytes }) = create.backing.filter(|_| create.backing != former) else {
            return Ok(None);
        };
        match self.memory.pieces(allocation, u64::from(offset_bytes), create.size_bytes, blobs) {
            Ok(pieces) => Ok(Some(pieces)),
            Err(Problem::Memory(MemoryError::NoSnapshot { .. })) => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    pub(super) fn create_texture(&mut self, create: &CreateTexture, around: Surroundings<'_>) -> Result<(), Problem> {
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
        let texture = Texture { desc: *create, layout: Arc::new(layout) };
        let (handle, kind) = (create.id.number(), ResourceKind::Texture(Box::new(texture)));
        self.check_resource(handle, &kind, size, around.blobs)?;
        Ok(self.create_resource(handle, kind, around.number)?)
    }

    /// Refuses a resource whose memory is not all in its allocation, or whose handle has another meaning.
    fn check_resource(
        &mut self,
        handle: u32,
        kind: &ResourceKind,
        size: u64,
        blobs: &mut BlobStore,
    ) -> Result<(), Problem> {
        if let Some(Backing { allocation, offset_bytes }) = kind.backing() {
            self.memory.check_backing(allocation, u64::from(offset_bytes), size, blobs)?;
        }
        let property = match self.objects.names.get(&handle).map(|name| name.named) {
            None => None,
            Some(Named::Resource(key)) => {
                let resource = self.objects.resource(key);
                let resource = resource.ok_or(Internal::new("a handle names a missing resource"))?;
                differing_property(&resource.kind, kind)
            }
            Some(_) => Some("kind"),
        };
        property.map_or(Ok(()), |property| Err(ContractError::InUse { handle, property }.into()))
    }

    /// Makes a resource, or binds the one that has the handle to other memory.
    fn create_resource(&mut self, handle: u32, kind: ResourceKind, by: u32) -> Result<(), Internal> {
        let number = EarlierCommand::new(by);
        self.effect.allocation = kind.backing().map(|backing| backing.allocation);
        (self.effect.kind, self.effect.name) =
            (EffectKind::Creation, Some(NameChange::Given(GuestHandle::Resource(handle))));
        let Some(name) = self.objects.names.get_mut(&handle) else {
            let key = ObjectKey::made_by(by);
            self.effect.created = Some((key, part_sizes(&kind)));
            let made = Resource { kind, kept_by: [number].into(), viewed_by: EarlierCommand::NONE, created_by: number };
            self.objects.resources.insert(key, made);
            self.objects.give(handle, Named::Resource(key), number);
            return Ok(());
        };
        let lost = Internal::new("a handle names a missing resource");
        let Named::Resource(key) = name.named else { return Err(lost) };
        let resource = self.objects.resources.get_mut(&key).ok_or(lost)?;
        self.effect.created = Some((key, part_sizes(&kind)));
        self.effect.refer(name.named_by);
        self.effect.refer(resource.created_by);
        // The same again changes nothing, so that nothing needs it.
        if !is_backed_alike(&resource.kind, &kind) {
            (resource.kind, resource.created_by, name.named_by) = (kind, number, number);
        }
        Ok(())
    }

    fn key_of(&self, handle: u32) -> Result<ObjectKey, Internal> {
        match self.objects.named(handle) {
            Named::Resource(key) => Ok(key),
            _ => Err(Internal::new("a new resource has no name")),
        }
    }

    pub(super) fn destroy_resource(&mut self, handle: u32, number: u32) {
        // silent: to destroy nothing is nothing
        let Some(Name { named: Named::Resource(key), given_by, bound, .. }) = self.objects.names.get(&handle).copied()
        else {
            return;
        };
        self.objects.names.remove(&handle);
        self.objects.labels.remove(&handle);
        self.objects.destroyed.insert(handle, number);
        self.effect.name = Some(NameChange::Taken(GuestHandle::Resource(handle)));
        self.effect.ended = self.objects.release(key, given_by).then_some(key);
        if bound > 0 {
            for context in self.contexts.all_mut() {
                let held =
                    context.slots_mut().filter(|slot| slot.handle == handle && slot.named == Named::Resource(key));
                let mut changes = false;
                for slot in held {
                    *slot = slot.emptied(EarlierCommand::new(number));
                    changes = true;
                }
                if changes {
                    context.touch(UseGroups::ALL);
                }
            }
        }
    }
}

fn part_sizes(kind: &ResourceKind) -> PartSizes {
    match kind {
        ResourceKind::Buffer(buffer) => PartSizes::Buffer { size_bytes: buffer.size_bytes },
        ResourceKind::Texture(texture) => {
            let CreateTexture { size_px, mips, layers, format, .. } = texture.desc;
            let aspects = aspects_of(format).len() as u32;
            // Formats of 16 bits live as those of 32, and blocks take at most as much as their texels.
            PartSizes::Texture { size_px, mips, aspect_parts: mips * layers, aspects, texel_bytes: 4 * aspects }
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
