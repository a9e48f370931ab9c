//! One pixel again and again, as draws change it.

use super::device::Gpu;
use super::error::GpuError;
use super::readback::read_buffer;
use crate::error::Internal;

const PIXEL_BYTES: u64 = 4;

/// A buffer that takes a pixel each time it is asked to.
pub(super) struct PixelCopies {
    buffer: wgpu::Buffer,
    at_px: [u32; 2],
    room: u32,
    taken: u32,
}

impl PixelCopies {
    pub(crate) fn new(gpu: &Gpu, at_px: [u32; 2], room: u32) -> Self {
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("pixels"),
            size: u64::from(room.max(1)) * PIXEL_BYTES,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Self { buffer, at_px, room, taken: 0 }
    }

    /// Records the copy of the pixel out of `target`.
    pub(crate) fn take(&mut self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::Texture) -> Result<(), Internal> {
        self.take_part(encoder, target, (0, 0))
    }

    /// The same out of a mip and layer of a texture.
    pub(crate) fn take_part(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::Texture,
        (mip_level, layer): (u32, u32),
    ) -> Result<(), Internal> {
        if self.taken >= self.room {
            return Err(Internal::new("a pixel is read more often than there is room for"));
        }
        let [x, y] = self.at_px;
        let from = wgpu::TexelCopyTextureInfo {
            origin: wgpu::Origin3d { x, y, z: layer },
            mip_level,
            ..target.as_image_copy()
        };
        let offset = u64::from(self.taken) * PIXEL_BYTES;
        let layout = wgpu::TexelCopyBufferLayout { offset, bytes_per_row: None, rows_per_image: None };
        let into = wgpu::TexelCopyBufferInfo { buffer: &self.buffer, layout };
        let one = wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: 1 };
        encoder.copy_texture_to_buffer(from, into, one);
        self.taken += 1;
        Ok(())
    }

    /// Waits for the submission and takes the pixels.
    pub(crate) fn finish(
        &self,
        gpu: &Gpu,
        submission: Option<wgpu::SubmissionIndex>,
    ) -> Result<Vec<[u8; 4]>, GpuError> {
        let bytes = read_buffer(gpu, &self.buffer, submission)?;
        Ok(bytes.as_chunks::<4>().0.iter().take(self.taken as usize).copied().collect())
    }
}
