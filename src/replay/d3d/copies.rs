//! Resources are copied to one another, and back to guest memory.

use std::ops::Range;

use super::effect::{AccessKind, EffectKind, ObjectKey};
use super::error::ContractError;
use super::objects::{Buffer, Texture, aspects_of};
use super::state::{DeviceState, Surroundings};
use super::writes::parts;
use crate::command::{Backing, CopyBuffer, CopyTexture, Subresource};
use crate::error::Internal;
use crate::replay::error::Problem;

impl DeviceState {
    pub(super) fn copy_buffer(&mut self, copy: &CopyBuffer, around: Surroundings<'_>) -> Result<(), Problem> {
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
        let start = u64::from(offset_bytes);
        let ranges = ranges.into_iter().map(|range| [start + range.start, range.end - range.start]);
        let ranges: Vec<[u64; 2]> = ranges.collect();
        self.memory.write_back(allocation, &ranges, around.number, around.blobs)?;
        // The backing in force is a matter of the last creation.
        let resource = self.objects.resource(key);
        let resource = resource.ok_or(Internal::new("a handle names a missing resource"))?;
        self.effect.refer(resource.created_by);
        self.effect.access(ObjectKey::made_by(around.number), 0..1, AccessKind::Write);
        self.effect.allocation = Some(allocation);
        Ok(())
    }

    pub(super) fn copy_texture(&mut self, copy: &CopyTexture, around: Surroundings<'_>) -> Result<(), Problem> {
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
            let lost = Internal::new("a copy's subresource is missing");
            let read = from_texture.parts(*aspect, copy.from.layer, copy.from.mip..copy.from.mip + 1).ok_or(lost)?;
            self.effect.access(from_key, read, AccessKind::Read);
            self.effect.access(to_key, to_texture.parts(*aspect, layer, mip..mip + 1).ok_or(lost)?, written);
        }
        match rows {
            Some(rows) => self.write_back(to, to_key, backing, rows, around),
            None => Ok(()),
        }
    }
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
