//! Copies between resources, bytes into buffers, and texels back.

use std::collections::HashMap;

use super::formats::{STORED_TEXEL_BYTES, TexelRow};
use super::kernels::ByteCopy;
use super::resources::{DeviceTexture, all_usages};
use crate::command::{Location, SubmissionPlace, Subresource};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::gpu::error::GpuError;
use crate::gpu::readback::read_buffer;
use crate::gpu::renderer::Renderer;
use crate::limits::MAX_WRITTEN_BACK_BYTES;
use crate::replay::device_rules::{CopiedRectangle, check_depth_copy};
use crate::replay::{CopiedBytes, CopiedTexels, ObjectKey};

/// What the commands of one submission have written back to guest memory, by the number of each.
#[derive(Default)]
pub(super) struct WrittenBack {
    of: Option<(FrameIndex, SubmissionPlace)>,
    copies: HashMap<u32, Saved>,
    /// Bytes of all of them.
    bytes: u64,
    /// Copies that lie in buffers, which take more memory than their bytes.
    in_buffers: Vec<u32>,
}

/// Copies that lie in buffers at most, before all of them are read.
const MOST_IN_BUFFERS: usize = 1 << 10;

/// Bytes that a copy has written, kept for whoever reads guest memory later in its submission.
enum Saved {
    /// They are here.
    Bytes(Vec<u8>),
    /// They lie in a buffer, from a byte on.
    Buffer { buffer: wgpu::Buffer, skip: usize, count: usize },
    /// They are rows of texels.
    Texels { rows: wgpu::Buffer, of: TexelRows },
}

/// Rows of stored texels in a buffer.
#[derive(Clone, Copy, Debug)]
struct TexelRows {
    texels: TexelRow,
    width: u32,
    height: u32,
}

/// Purpose of a buffer for bytes on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scratch {
    /// Indices of a draw.
    Indices,
    /// Anything else.
    Anything,
}

impl TexelRows {
    fn row_bytes(self) -> u32 {
        self.width * STORED_TEXEL_BYTES
    }

    fn pitch(self) -> u32 {
        self.row_bytes().next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
    }

    /// The bytes that the texels have in guest memory, row by row.
    fn guest_bytes(self, rows: &[u8]) -> Vec<u8> {
        let mut guest = Vec::new();
        for row in rows.chunks(self.pitch() as usize).take(self.height as usize) {
            self.texels.load(row.get(..self.row_bytes() as usize).unwrap_or(row), &mut guest);
        }
        guest
    }
}

impl WrittenBack {
    /// What other submissions have written back counts no more.
    pub(super) fn begin(&mut self, frame: FrameIndex, place: Option<SubmissionPlace>) {
        let of = place.map(|place| (frame, place));
        if self.of != of {
            *self = Self { of, ..Self::default() };
        }
    }
}

impl Renderer {
    /// A buffer for bytes on their way.
    pub(super) fn scratch_buffer(&mut self, size_bytes: u64) -> wgpu::Buffer {
        self.scratch(size_bytes, Scratch::Anything)
    }

    /// A buffer for bytes of this kind on their way.
    pub(super) fn scratch(&mut self, size_bytes: u64, of: Scratch) -> wgpu::Buffer {
        let device = self.gpu.record();
        let usage = match of {
            Scratch::Indices if !device.features.shared_index_buffers => {
                wgpu::BufferUsages::INDEX | wgpu::BufferUsages::COPY_DST
            }
            Scratch::Indices | Scratch::Anything => all_usages(device),
        };
        self.hold(size_bytes);
        self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("scratch"),
            size: size_bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT).max(4),
            usage,
            mapped_at_creation: false,
        })
    }

    /// Copies bytes from one buffer to another.
    pub(super) fn copy_buffer(&mut self, copy: &CopiedBytes, at: Location) -> Result<(), GpuError> {
        if !self.gpu.record().features.compute {
            return self.copy_known_bytes(copy, at);
        }
        let CopiedBytes { to, to_bytes, from, from_bytes, size_bytes, written_back_by } = *copy;
        let (to, from) = (self.buffer_to_write(to)?, self.buffer_to_read(from, from_bytes..from_bytes + size_bytes)?);
        self.recorder.open = None;
        if [to_bytes, from_bytes, size_bytes].iter().all(|at| at.is_multiple_of(4)) {
            self.recorder.batch.after_draws().copy_buffer_to_buffer(&from, from_bytes, &to, to_bytes, size_bytes);
        } else {
            let bytes = ByteCopy::new(from_bytes as u32, to_bytes as u32, size_bytes as u32);
            self.bindings.kernels.copy_bytes(&self.gpu, self.recorder.batch.computes(), [&from, &to], bytes);
        }
        if let Some(by) = written_back_by {
            let first = to_bytes & !3;
            let size = (to_bytes + size_bytes).next_multiple_of(4) - first;
            let buffer = self.readback_buffer(size);
            self.recorder.batch.after_draws().copy_buffer_to_buffer(&to, first, &buffer, 0, size);
            let saved = Saved::Buffer { buffer, skip: (to_bytes - first) as usize, count: size_bytes as usize };
            self.keep_written_back(by, saved, size_bytes, at)?;
        }
        Ok(())
    }

    /// Copies bytes from one buffer to another on a device that computes nothing, so that all bytes are known.
    fn copy_known_bytes(&mut self, copy: &CopiedBytes, at: Location) -> Result<(), GpuError> {
        let lost = Internal::at("a copied byte lies past the end of a buffer", at.offset);
        let range = copy.from_bytes as usize..(copy.from_bytes + copy.size_bytes) as usize;
        let bytes = self.bytes_to_read(copy.from)?.get(range).ok_or(lost)?.to_vec();
        self.write_buffer_bytes(copy.to, copy.to_bytes, &bytes)?;
        match copy.written_back_by {
            Some(by) => self.keep_written_back(by, Saved::Bytes(bytes), copy.size_bytes, at),
            None => Ok(()),
        }
    }

    /// Copies texels from one subresource to another.
    pub(super) fn copy_texture(&mut self, copy: &CopiedTexels, at: Location) -> Result<(), GpuError> {
        let lost = Internal::new("a copied texture is not on the GPU");
        let textures = &self.resources.objects.textures;
        let (from, to) = (textures.get(&copy.from).ok_or(lost)?, textures.get(&copy.to).ok_or(lost)?);
        let has_blocks = !from.blocks.is_empty();
        let copied = |texture: &DeviceTexture, part: Subresource, origin_px| CopiedRectangle {
            origin_px,
            size_px: copy.size_px,
            mip_px: texture.mip_size_px(part.mip),
        };
        let rectangles = [copied(from, copy.from_part, copy.from_px), copied(to, copy.to_part, copy.to_px)];
        check_depth_copy(self.gpu.record(), from.desc.format, rectangles, copy.written_back_by.is_some())
            .map_err(|refusal| GpuError::Refusal { refusal, at })?;
        self.settle_drawn(&[copy.from])?;
        self.settle_used(&[copy.to])?;
        let (from, to) = (self.texture_to_read(copy.from)?, self.texture_to_write(copy.to)?);
        let source = copy_place(&from, copy.from_part, copy.from_px);
        let target = copy_place(&to, copy.to_part, copy.to_px);
        let [width, height] = copy.size_px;
        let extent = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        self.recorder.open = None;
        self.recorder.batch.copy_texels(source, target, extent);
        if has_blocks {
            self.copy_blocks(copy)?;
        }
        match copy.written_back_by {
            Some(by) => self.save_texels(by, copy, at),
            None => Ok(()),
        }
    }

    /// Copies the blocks that the texels are decoded from.
    fn copy_blocks(&mut self, copy: &CopiedTexels) -> Result<(), GpuError> {
        let rows = self.block_rows(copy.from, copy.from_part, copy.from_px, copy.size_px)?;
        let lost = Internal::new("a copied block is missing");
        let texture = self.resources.objects.textures.get_mut(&copy.to).ok_or(lost)?;
        let layout = texture.layout.as_ref().ok_or(lost)?;
        let into = layout.rows(copy.to_part.mip, copy.to_part.layer, copy.to_px, copy.size_px);
        for (into, row) in into.into_iter().zip(rows) {
            let into = texture.blocks.get_mut(into.start as usize..into.end as usize).ok_or(lost)?;
            into.copy_from_slice(row.get(..into.len()).ok_or(lost)?);
        }
        Ok(())
    }

    /// The blocks of a rectangle, row by row.
    fn block_rows(
        &self,
        key: ObjectKey,
        Subresource { mip, layer, .. }: Subresource,
        origin_px: [u32; 2],
        size_px: [u32; 2],
    ) -> Result<Vec<Vec<u8>>, Internal> {
        let lost = Internal::new("a block to be read is missing");
        let texture = self.resources.objects.textures.get(&key).ok_or(lost)?;
        let layout = texture.layout.as_ref().ok_or(lost)?;
        let rows = layout.rows(mip, layer, origin_px, size_px).into_iter();
        rows.map(|row| {
            let row = texture.blocks.get(row.start as usize..row.end as usize);
            Ok(row.ok_or(lost)?.to_vec())
        })
        .collect()
    }

    /// Keeps what a copy has written.
    fn save_texels(&mut self, by: u32, copy: &CopiedTexels, at: Location) -> Result<(), GpuError> {
        let lost = Internal::new("a texture to be written back is not on the GPU");
        let texture = self.resources.objects.textures.get(&copy.to).ok_or(lost)?;
        let format = texture.desc.format;
        let (saved, bytes) = if texture.blocks.is_empty() {
            let [width, height] = copy.size_px;
            let of = TexelRows { texels: TexelRow::new(self.gpu.record(), format), width, height };
            let rows = self.record_texels(copy.to, copy.to_part.mip, copy.to_part.layer, copy.to_px, of)?;
            let bytes = rows.size();
            (Saved::Texels { rows, of }, bytes)
        } else {
            let bytes = self.block_rows(copy.to, copy.to_part, copy.to_px, copy.size_px)?.concat();
            let count = bytes.len() as u64;
            (Saved::Bytes(bytes), count)
        };
        self.keep_written_back(by, saved, bytes, at)
    }

    /// Keeps what a copy has written for as long as its submission lasts.
    fn keep_written_back(&mut self, by: u32, saved: Saved, bytes: u64, at: Location) -> Result<(), GpuError> {
        let kept = &mut self.resources.written_back;
        let (found, limit) = (kept.bytes + bytes, MAX_WRITTEN_BACK_BYTES);
        if found > limit {
            let what = "the size in bytes of everything the submission writes back";
            return Err(GpuError::OverLimit { what, at, found, whose: "this build's", limit });
        }
        kept.bytes = found;
        if !matches!(saved, Saved::Bytes(_)) {
            kept.in_buffers.push(by);
        }
        kept.copies.insert(by, saved);
        if kept.in_buffers.len() < MOST_IN_BUFFERS {
            return Ok(());
        }
        let all = std::mem::take(&mut kept.in_buffers);
        all.into_iter().try_for_each(|by| self.written_back(by).map(|_| ()))
    }

    /// The bytes that a command of this submission has written back.
    pub(super) fn written_back(&mut self, by: u32) -> Result<Vec<u8>, GpuError> {
        let lost = Internal::new("data that a command wrote back was not kept");
        let saved = self.resources.written_back.copies.remove(&by).ok_or(lost)?;
        let bytes = match saved {
            Saved::Bytes(bytes) => bytes,
            Saved::Buffer { buffer, skip, count } => {
                let bytes = self.read_now(&buffer)?;
                bytes.get(skip..skip + count).ok_or(lost)?.to_vec()
            }
            Saved::Texels { rows, of } => of.guest_bytes(&self.read_now(&rows)?),
        };
        self.resources.written_back.copies.insert(by, Saved::Bytes(bytes.clone()));
        Ok(bytes)
    }

    /// The bytes that a rectangle of texels has in guest memory, row by row; of formats without blocks.
    pub(super) fn read_texels(
        &mut self,
        key: ObjectKey,
        mip: u32,
        layer: u32,
        origin: [u32; 2],
        [width, height]: [u32; 2],
    ) -> Result<Vec<u8>, GpuError> {
        let lost = Internal::new("a texture to be read back is not on the GPU");
        let format = self.resources.objects.textures.get(&key).ok_or(lost)?.desc.format;
        let of = TexelRows { texels: TexelRow::new(self.gpu.record(), format), width, height };
        let rows = self.record_texels(key, mip, layer, origin, of)?;
        Ok(of.guest_bytes(&self.read_now(&rows)?))
    }

    /// Records a copy of texels into a buffer to be read.
    fn record_texels(
        &mut self,
        key: ObjectKey,
        mip: u32,
        layer: u32,
        [x, y]: [u32; 2],
        of: TexelRows,
    ) -> Result<wgpu::Buffer, GpuError> {
        self.settle_used(&[key])?;
        let buffer = self.readback_buffer(u64::from(of.pitch()) * u64::from(of.height));
        let texture = &self.texture_to_read(key)?;
        let origin = wgpu::Origin3d { x, y, z: layer };
        let aspect = wgpu::TextureAspect::All;
        let from = wgpu::TexelCopyTextureInfo { texture, mip_level: mip, origin, aspect };
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(of.pitch()), rows_per_image: Some(of.height) };
        let into = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        let extent = wgpu::Extent3d { width: of.width, height: of.height, depth_or_array_layers: 1 };
        self.recorder.open = None;
        self.recorder.batch.after_draws().copy_texture_to_buffer(from, into, extent);
        Ok(buffer)
    }

    fn readback_buffer(&self, size: u64) -> wgpu::Buffer {
        self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("texels read back"),
            size,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        })
    }

    /// Carries out what is recorded and gives a buffer's bytes.
    fn read_now(&mut self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, GpuError> {
        let batch = self.recorder.number;
        self.submit()?;
        let bytes = read_buffer(&self.gpu, buffer, self.submission_of(batch))?;
        self.note_done(batch);
        Ok(bytes)
    }
}

/// A place in a texture that is copied from or to.
const fn copy_place(
    texture: &wgpu::Texture,
    Subresource { mip, layer, .. }: Subresource,
    [x, y]: [u32; 2],
) -> wgpu::TexelCopyTextureInfo<'_> {
    let (origin, aspect) = (wgpu::Origin3d { x, y, z: layer }, wgpu::TextureAspect::All);
    wgpu::TexelCopyTextureInfo { texture, mip_level: mip, origin, aspect }
}
