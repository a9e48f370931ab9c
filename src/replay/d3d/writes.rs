//! Resources are written from the file and from guest memory.

use std::ops::Range;

use super::effect::{AccessKind, EffectKind, ObjectKey};
use super::error::ContractError;
use super::objects::{Name, Named, ResourceKind, aspects_of};
use super::state::{DeviceState, Surroundings};
use crate::command::{Backing, Payload, Refresh, ResourceId, Upload};
use crate::error::Internal;
use crate::replay::error::Problem;
use crate::replay::guest_memory::MemoryPiece;
use crate::replay::texture_layout::Coverage;

impl DeviceState {
    pub(super) fn take_memory(&mut self, pieces: Vec<MemoryPiece>) {
        let mut copies: Vec<u32> = pieces.iter().filter_map(MemoryPiece::written_back_by).collect();
        copies.sort_unstable();
        copies.dedup();
        for by in copies {
            // What the copy has written to memory is an object of its own.
            self.effect.access(ObjectKey::made_by(by), 0..1, AccessKind::Read);
        }
        self.effect.memory = pieces;
    }

    pub(super) fn upload(&mut self, upload: &Upload) -> Result<(), Problem> {
        let Upload { id, offset_bytes, size_bytes, payload } = *upload;
        let Payload::Inline(_) = payload else {
            return Err(Internal::new("an upload of a submission names a blob").into());
        };
        // One of no bytes is passed over, whatever it names.
        if size_bytes == 0 {
            return Ok(());
        }
        match self.objects.names.get(&id.number()) {
            Some(name) => self.write_bytes(id, *name, offset_bytes, size_bytes),
            // To nothing, nothing is uploaded.
            None => {
                self.refer_to_name(id.number());
                Ok(())
            }
        }
    }

    /// Bytes of a resource are written from outside.
    fn write_bytes(&mut self, id: ResourceId, name: Name, start: u64, count: u64) -> Result<(), Problem> {
        let handle = id.number();
        self.effect.refer(name.named_by);
        let Named::Resource(key) = name.named else {
            let (found, expected) = ("view", "buffer or texture");
            return Err(ContractError::WrongKind { role: "resource", handle, found, expected }.into());
        };
        let resource = self.objects.resource(key).ok_or(Internal::new("a handle names a missing resource"))?;
        let size = match &resource.kind {
            ResourceKind::Buffer(buffer) => u64::from(buffer.size_bytes),
            ResourceKind::Texture(texture) => texture.layout.total_bytes(),
        };
        let end = start.checked_add(count).filter(|end| *end <= size);
        let end = end.ok_or(ContractError::OutOfBounds { role: "resource", handle, start, count, size })?;
        self.effect.kind = EffectKind::Upload;
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
                        let part = part.ok_or(Internal::new(
                            "a texture's layout has a subresource that the \
                            texture does not have",
                        ))?;
                        self.effect.access(key, part, kind);
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn refresh(&mut self, refresh: &Refresh, around: Surroundings<'_>) -> Result<(), Problem> {
        let Refresh { id, offset_bytes, size_bytes } = *refresh;
        // The recorder may have begun after the resource was made: to nothing, nothing is brought.
        if self.objects.named(id.number()) == Named::Nothing {
            return Ok(());
        }
        let name = self.objects.known(id.number(), "resource")?;
        let Named::Resource(key) = name.named else {
            let (found, expected) = ("view", "buffer or texture");
            let (role, handle) = ("resource", id.number());
            return Err(ContractError::WrongKind { role, handle, found, expected }.into());
        };
        let resource = self.objects.resource(key).ok_or(Internal::new("a handle names a missing resource"))?;
        // Only memory behind a resource can be dirty.
        // silent: only memory behind a resource can be dirty
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
        self.write_bytes(id, name, range.start, count)?;
        self.take_memory(pieces);
        Ok(())
    }
}

/// Bytes of a buffer, whose size fits in 32 bits, as parts.
pub(super) fn parts(bytes: Range<u64>) -> Result<Range<u32>, Internal> {
    let part = |byte: u64| u32::try_from(byte).map_err(|_| Internal::new("a byte of a buffer lies past 4 GiB"));
    Ok(part(bytes.start)?..part(bytes.end)?)
}
