//! Bytes of guest memory and of uploads → buffers and texels.
//!
//! What is written from outside may begin and end anywhere, in the middle of a row, or of a texel. A texel that is
//! written in part is read back first and written whole.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::formats::{STORED_TEXEL_BYTES, TexelRow, Texels, is_depth, store_block, texels};
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::limits::MAX_TEXTURE_BYTES;
use crate::replay::{MemoryPiece, ObjectKey, OpContext, SubresourceLayout, TextureLayout};

/// Rows of texels, or of blocks, that stand in guest memory and are written together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    /// Left and top, in texels or blocks.
    pub origin: [u32; 2],
    /// Width and height, in texels or blocks.
    pub size: [u32; 2],
}

/// The rectangles that bytes of a subresource are, each with its first byte: the end of a row, whole rows, and the start
/// of a row. What lies between rows is no texel. `bytes` counts from the subresource's start, and texels that it has only
/// a part of are taken whole.
pub(super) fn rectangles(found: &SubresourceLayout, texel_bytes: u32, bytes: Range<u64>) -> Vec<Rectangle> {
    let pitch = found.row_pitch_bytes.max(1);
    let texel_bytes = u64::from(texel_bytes);
    let columns = |from: u64, to: u64| {
        let (from, to) = (from.min(found.row_bytes), to.min(found.row_bytes));
        (from < to).then(|| from / texel_bytes..to.div_ceil(texel_bytes))
    };
    let mut rectangles: Vec<Rectangle> = Vec::new();
    let first = bytes.start / pitch;
    let end = bytes.end.div_ceil(pitch).min(found.rows);
    for row in first..end {
        let start = row * pitch;
        // silent: between rows lie no texels
        let Some(columns) = columns(bytes.start.max(start) - start, bytes.end.min(start + pitch) - start) else {
            continue;
        };
        let (x, width) = (columns.start as u32, (columns.end - columns.start) as u32);
        match rectangles.last_mut() {
            Some(Rectangle { origin: [last_x, y], size: [last_width, height] })
                if (*last_x, *last_width) == (x, width) && u64::from(*y + *height) == row =>
            {
                *height += 1;
            }
            _ => rectangles.push(Rectangle { origin: [x, row as u32], size: [width, 1] }),
        }
    }
    rectangles
}

impl Renderer {
    /// Writes bytes of a resource from outside; says whether that asks anything of the GPU.
    pub(super) fn write_resource(
        &mut self,
        (key, layout): (ObjectKey, Option<&Arc<TextureLayout>>),
        start: u64,
        pieces: &[MemoryPiece],
        context: OpContext<'_>,
    ) -> Result<bool, GpuError> {
        let size: u64 = pieces.iter().map(MemoryPiece::size_bytes).sum();
        if size > MAX_TEXTURE_BYTES {
            return Err(Internal::new("more bytes are written than a resource can have").into());
        }
        let is_known_buffer = self.resources.objects.buffers.get(&key).map(|buffer| buffer.known.is_some());
        if is_known_buffer == Some(true) {
            let bytes = self.bytes_of(pieces, context)?;
            self.write_buffer_bytes(key, start, &bytes)?;
            return Ok(false);
        }
        let stretch = start..start + size;
        let is_buffer = is_known_buffer.is_some();
        if !is_buffer {
            let lost = Internal::new("a written resource is not on the GPU");
            let texture = self.resources.objects.textures.get_mut(&key).ok_or(lost)?;
            let grown = texture.lay_out(layout.ok_or(lost)?)?;
            self.count_device_bytes(grown, context.at)?;
        }
        let is_known = self.resources.objects.snapshots(key).is_some_and(|known| known.have(&stretch, pieces));
        if is_known {
            return Ok(true);
        }
        let bytes = self.bytes_of(pieces, context)?;
        let known = self.resources.objects.snapshots(key);
        let is_equal = known.map_or(Ok(false), |known| known.equal(&stretch, &bytes, context.blobs))?;
        match is_buffer {
            _ if is_equal => {}
            true => self.write_buffer_bytes(key, start, &bytes)?,
            false => self.write_texture(key, start, &bytes)?,
        }
        if let Some(known) = self.resources.objects.snapshots(key) {
            known.note(stretch, pieces);
        }
        Ok(true)
    }

    /// The bytes that pieces of memory are.
    fn bytes_of<'c>(&mut self, pieces: &[MemoryPiece], context: OpContext<'c>) -> Result<Cow<'c, [u8]>, GpuError> {
        if let [MemoryPiece::File(range)] = pieces {
            return Ok(context.bytes(range.clone())?);
        }
        let mut bytes = Vec::new();
        for piece in pieces {
            match piece {
                MemoryPiece::File(range) => bytes.extend_from_slice(&context.bytes(range.clone())?),
                MemoryPiece::WrittenBack { by, start_bytes, size_bytes } => {
                    let written = self.written_back(*by)?;
                    let range = *start_bytes as usize..start_bytes.saturating_add(*size_bytes) as usize;
                    let lost = Internal::new("bytes read from guest memory were never written back");
                    bytes.extend_from_slice(written.get(range).ok_or(lost)?);
                }
            }
        }
        Ok(Cow::Owned(bytes))
    }

    fn write_texture(&mut self, key: ObjectKey, start: u64, bytes: &[u8]) -> Result<(), GpuError> {
        let lost = Internal::new("a written texture is not on the GPU");
        let texture = self.resources.objects.textures.get_mut(&key).ok_or(lost)?;
        if is_depth(texture.desc.format) {
            // silent: an error without a command has no place
            let at = self.recorder.batch.first.unwrap_or_default();
            return Err(GpuError::Unsupported { what: "an upload to a texture of depth".into(), at });
        }
        let layout = texture.layout.clone().ok_or(lost)?;
        let (desc, end) = (texture.desc, start + bytes.len() as u64);
        if !texture.blocks.is_empty() {
            let held = texture.blocks.get_mut(start as usize..end as usize).ok_or(lost)?;
            held.copy_from_slice(bytes);
        }
        for (mip, layer, _) in layout.touched(start..end) {
            let found = layout.subresource(mip, layer).ok_or(lost)?;
            // Counted from the start of the subresource.
            let own = start.saturating_sub(found.start_bytes)..end - found.start_bytes;
            let (_, texel_bytes) = desc.format.block();
            for rectangle in rectangles(&found, texel_bytes, own.clone()) {
                let part = WrittenPart { key, mip, layer, found };
                match texels(desc.format) {
                    Texels::Blocks(_) => self.write_blocks(&part, &rectangle)?,
                    _ => {
                        let first = (start.max(found.start_bytes) - start) as usize;
                        let bytes = bytes.get(first..).ok_or(lost)?;
                        self.write_texels(&part, &rectangle, own.clone(), bytes)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes a rectangle of texels, of which `bytes` has those from the byte `own.start` of the subresource on.
    fn write_texels(
        &mut self,
        part: &WrittenPart,
        rectangle: &Rectangle,
        own: Range<u64>,
        bytes: &[u8],
    ) -> Result<(), GpuError> {
        let lost = Internal::new("a written texel has no bytes");
        let format = self.resources.objects.textures.get(&part.key).ok_or(lost)?.desc.format;
        let texels = TexelRow::new(self.gpu.record(), format);
        let (_, texel_bytes) = format.block();
        let ([x, y], [width, height]) = (rectangle.origin, rectangle.size);
        let from = u64::from(x) * u64::from(texel_bytes);
        let to = from + u64::from(width) * u64::from(texel_bytes);
        let mut stored = Vec::with_capacity((width * height * STORED_TEXEL_BYTES) as usize);
        for row in y..y + height {
            let row_start = u64::from(row) * part.found.row_pitch_bytes;
            let wanted = row_start + from..row_start + to;
            if wanted.start >= own.start && wanted.end <= own.end {
                let range = (wanted.start - own.start) as usize..(wanted.end - own.start) as usize;
                texels.store(bytes.get(range).ok_or(lost)?, &mut stored);
                continue;
            }
            // Some texel at an end is written in part: what it held shows through.
            let mut held = self.read_texels(part.key, part.mip, part.layer, [x, row], [width, 1])?;
            let new = wanted.start.max(own.start)..wanted.end.min(own.end);
            let into = held.get_mut((new.start - wanted.start) as usize..(new.end - wanted.start) as usize);
            let new = bytes.get((new.start - own.start) as usize..(new.end - own.start) as usize);
            into.ok_or(lost)?.copy_from_slice(new.ok_or(lost)?);
            texels.store(&held, &mut stored);
        }
        self.write_stored(part, rectangle.origin, rectangle.size, &stored)
    }

    /// Writes a rectangle of blocks, from the blocks that the texture has.
    fn write_blocks(&mut self, part: &WrittenPart, rectangle: &Rectangle) -> Result<(), GpuError> {
        let lost = Internal::new("the texture does not have a written block");
        let texture = self.resources.objects.textures.get(&part.key).ok_or(lost)?;
        let Texels::Blocks(blocks) = texels(texture.desc.format) else { return Err(lost.into()) };
        let (side_px, block_bytes) = texture.desc.format.block();
        let ([x, y], [columns, rows]) = (rectangle.origin, rectangle.size);
        let [mip_width, mip_height] = texture.mip_size_px(part.mip);
        let origin = [x * side_px, y * side_px];
        let [left, top] = origin;
        let (width, height) = ((columns * side_px).min(mip_width - left), (rows * side_px).min(mip_height - top));
        let mut stored = vec![0; (width * height * STORED_TEXEL_BYTES) as usize];
        for row in 0..rows {
            let row_start = part.found.start_bytes + u64::from(y + row) * part.found.row_pitch_bytes;
            for column in 0..columns {
                let start = (row_start + u64::from(x + column) * u64::from(block_bytes)) as usize;
                let block = texture.blocks.get(start..start + block_bytes as usize).ok_or(lost)?;
                let texels = store_block(blocks, block);
                for (line, colors) in (0..side_px).zip(texels.chunks_exact(16)) {
                    let (to_x, to_y) = (column * side_px, row * side_px + line);
                    // A block at the edge reaches over it.
                    let count = side_px.min(width.saturating_sub(to_x)) * STORED_TEXEL_BYTES;
                    if to_y < height {
                        let start = ((to_y * width + to_x) * STORED_TEXEL_BYTES) as usize;
                        let into = stored.get_mut(start..start + count as usize).ok_or(lost)?;
                        into.copy_from_slice(colors.get(..count as usize).ok_or(lost)?);
                    }
                }
            }
        }
        self.write_stored(part, origin, [width, height], &stored)
    }

    /// Writes a rectangle of stored texels, which follow each other in `stored`.
    fn write_stored(
        &mut self,
        part: &WrittenPart,
        [x, y]: [u32; 2],
        [width, height]: [u32; 2],
        stored: &[u8],
    ) -> Result<(), GpuError> {
        let lost = Internal::new("written texels are missing");
        self.settle_drawn(&[part.key])?;
        let row_bytes = (width * STORED_TEXEL_BYTES) as usize;
        let pitch = row_bytes.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT as usize);
        let size = wgpu::BufferSize::new((pitch * height as usize) as u64).ok_or(lost)?;
        let alignment = const { wgpu::BufferSize::new(512).unwrap() };
        let slice = self.recorder.staging.allocate(size, alignment);
        let refused = |error: wgpu::MapRangeError| GpuError::DeviceLost(error.to_string());
        let mut mapped = slice.get_mapped_range_mut().map_err(refused)?;
        for (number, row) in stored.chunks_exact(row_bytes.max(1)).enumerate() {
            mapped.slice(number * pitch..number * pitch + row_bytes).copy_from_slice(row);
        }
        drop(mapped);
        let layout = wgpu::TexelCopyBufferLayout {
            offset: slice.offset(),
            bytes_per_row: Some(pitch as u32),
            rows_per_image: Some(height),
        };
        let from = wgpu::TexelCopyBufferInfo { buffer: &slice.buffer().clone(), layout };
        let origin = wgpu::Origin3d { x, y, z: part.layer };
        let extent = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        self.copy_texels_in(part.key, from, (part.mip, origin), extent)?;
        self.recorder.batch.staged_bytes += size.get();
        self.resources.brought_bytes += size.get();
        Ok(())
    }
}

/// The subresource that bytes are written to.
pub(super) struct WrittenPart {
    pub key: ObjectKey,
    pub mip: u32,
    pub layer: u32,
    pub found: SubresourceLayout,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_end_of_a_row_whole_rows_and_the_start_of_one() {
        let found = SubresourceLayout { start_bytes: 0, row_pitch_bytes: 20, row_bytes: 16, rows: 5 };
        let of = |bytes| {
            let found = rectangles(&found, 4, bytes).into_iter();
            found.map(|rectangle| (rectangle.origin, rectangle.size)).collect::<Vec<_>>()
        };
        assert_eq!(of(0..100), [([0, 0], [4, 5])]);
        assert_eq!(of(8..70), [([2, 0], [2, 1]), ([0, 1], [4, 2]), ([0, 3], [3, 1])]);
        assert_eq!(of(16..20), []);
        assert_eq!(of(25..26), [([1, 1], [1, 1])]);
        assert_eq!(of(12..24), [([3, 0], [1, 1]), ([0, 1], [1, 1])]);
    }
}
