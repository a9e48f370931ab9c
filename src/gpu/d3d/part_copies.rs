//! Copies of parts of buffers and textures, and what a renderer keeps of objects from one slice to the next.

use super::formats::is_depth;
use super::resources::{DeviceBuffer, DeviceResources, DeviceTexture};
use super::transfer::WrittenBack;
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{COUNTER_BYTES, COUNTER_PART, ObjectKey, PartCheckpoint};

const NOT_THERE: Internal = Internal::new("a partly copied object is not on the GPU");

/// A copy of words of a buffer, or of one mip of one layer of a texture in all its aspects.
pub struct PartCopy {
    bytes: CopiedBytes,
}

enum CopiedBytes {
    /// Of a buffer that only the CPU writes.
    Known(Vec<u8>),
    Buffer(wgpu::Buffer),
    Texture(wgpu::Texture),
}

/// Whether resources that the state does not have any more stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Unnamed {
    /// They go: everything was carried out, and nothing can name them again.
    #[default]
    Drop,
    /// They stay: a slice leaves out what it can, and another may need them.
    Keep,
}

impl Renderer {
    /// A slice of submissions begins, with the resources that are there and that it `keeps`. The picture is what it is before
    /// anything is presented.
    pub fn begin_slice(&mut self, keeps: impl Fn(ObjectKey) -> bool) {
        self.begin_canvas();
        self.show_nothing();
        self.resources.unnamed = Unnamed::Keep;
        self.resources.written_back = WrittenBack::default();
        let DeviceResources { buffers, textures } = &mut self.resources.objects;
        buffers.retain(|object, _| keeps(*object));
        textures.retain(|object, _| keeps(*object));
        self.bindings.groups.retain(&self.resources.objects);
        self.resources.changes += 1;
        self.count_resources();
    }

    /// The buffers and textures of submissions that are there.
    pub fn device_objects(&self) -> impl Iterator<Item = ObjectKey> {
        let DeviceResources { buffers, textures } = &self.resources.objects;
        buffers.keys().chain(textures.keys()).copied()
    }

    /// Bytes of the buffers and textures of submissions.
    pub fn device_bytes(&self) -> u64 {
        self.resources.bytes
    }

    /// Keeps what a part holds now, on the GPU; nothing of parts that a GPU does not copy.
    pub fn save_part(&mut self, part: &PartCheckpoint) -> Result<Option<PartCopy>, GpuError> {
        let object = part.object;
        if self.resources.objects.buffers.contains_key(&object) {
            let (start, size) = words(part);
            let from = match part.parts == COUNTER_PART {
                true => self.counter_of(object)?,
                false => self.buffer_to_read(object, start..start + size)?,
            };
            if !self.gpu.record().features.compute {
                let known =
                    self.bytes_to_read(object)?.get(start as usize..(start + size) as usize).ok_or(NOT_THERE)?;
                return Ok(Some(PartCopy { bytes: CopiedBytes::Known(known.to_vec()) }));
            }
            let to = self.scratch_buffer(size);
            self.recorder.open = None;
            self.recorder.batch.after_draws().copy_buffer_to_buffer(&from, start, &to, 0, size);
            return Ok(Some(PartCopy { bytes: CopiedBytes::Buffer(to) }));
        }
        let held = self.resources.objects.textures.get(&object).ok_or(NOT_THERE)?;
        // GL copies colours alone, and blocks lie beside their texture.
        if !held.blocks.is_empty() || is_depth(held.desc.format) && self.gpu.is_gl() {
            return Ok(None);
        }
        let subresource = Subresource::of(held, part).ok_or(NOT_THERE)?;
        self.settle_drawn(&[object])?;
        let from = self.texture_to_read(object)?;
        let to = self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("copy of a part"),
            size: subresource.size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: from.format(),
            usage: wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        self.recorder.open = None;
        self.recorder.batch.copy_texels(subresource.of_texture(&from), to.as_image_copy(), subresource.size);
        Ok(Some(PartCopy { bytes: CopiedBytes::Texture(to) }))
    }

    /// Makes a part hold what was kept of it.
    pub fn restore_part(&mut self, part: &PartCheckpoint, copy: &PartCopy) -> Result<(), GpuError> {
        match &copy.bytes {
            CopiedBytes::Buffer(from) => {
                let to = match part.parts == COUNTER_PART {
                    true => self.counter_of(part.object)?,
                    false => self.buffer_to_write(part.object)?,
                };
                let (start, size) = words(part);
                self.recorder.open = None;
                self.recorder.batch.after_draws().copy_buffer_to_buffer(from, 0, &to, start, size);
            }
            CopiedBytes::Known(bytes) => {
                let (start, _) = words(part);
                self.write_buffer_bytes(part.object, start, bytes)?;
            }
            CopiedBytes::Texture(from) => {
                let held = self.resources.objects.textures.get(&part.object).ok_or(NOT_THERE)?;
                let subresource = Subresource::of(held, part).ok_or(NOT_THERE)?;
                self.settle_used(&[part.object])?;
                let to = self.texture_to_write(part.object)?;
                self.recorder.open = None;
                let (from, to) = (from.as_image_copy(), subresource.of_texture(&to));
                self.recorder.batch.copy_texels(from, to, subresource.size);
            }
        }
        Ok(())
    }

    /// Counts the bytes of all resources.
    pub(super) fn count_resources(&mut self) {
        let DeviceResources { buffers, textures } = &self.resources.objects;
        let textures: u64 = textures.values().map(DeviceTexture::stored_bytes).sum();
        self.resources.bytes = textures + buffers.values().map(DeviceBuffer::kept_bytes).sum::<u64>();
    }
}

/// The first byte of a buffer's part, and how many it has; up to the next word, which is all the buffer's. A counter has
/// a buffer of its own.
fn words(part: &PartCheckpoint) -> (u64, u64) {
    if part.parts == COUNTER_PART {
        return (0, COUNTER_BYTES);
    }
    let [start, end] = [part.parts.start, part.parts.end].map(u64::from);
    (start, (end - start).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT))
}

/// Where a part of a texture is.
struct Subresource {
    mip: u32,
    layer: u32,
    size: wgpu::Extent3d,
}

impl Subresource {
    fn of(held: &DeviceTexture, part: &PartCheckpoint) -> Option<Self> {
        let number = part.parts.start;
        let mip = number.checked_rem(held.desc.mips)?;
        let layer = number.checked_div(held.desc.mips)?.checked_rem(held.desc.layers)?;
        let [width, height] = held.mip_size_px(mip);
        Some(Self { mip, layer, size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 } })
    }

    fn of_texture<'a>(&self, texture: &'a wgpu::Texture) -> wgpu::TexelCopyTextureInfo<'a> {
        let origin = wgpu::Origin3d { x: 0, y: 0, z: self.layer };
        wgpu::TexelCopyTextureInfo { texture, mip_level: self.mip, origin, aspect: wgpu::TextureAspect::All }
    }
}
