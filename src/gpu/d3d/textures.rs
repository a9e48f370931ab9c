//! Textures of submissions: whoever reads or writes one gets it here.

use super::resources::DeviceTexture;
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::ObjectKey;

impl Renderer {
    /// A texture that what is recorded next reads.
    pub(super) fn texture_to_read(&mut self, key: ObjectKey) -> Result<wgpu::Texture, GpuError> {
        Ok(self.used_texture(key)?.texture.clone())
    }

    /// A texture that what is recorded next writes on the GPU, in order.
    pub(super) fn texture_to_write(&mut self, key: ObjectKey) -> Result<wgpu::Texture, GpuError> {
        let texture = self.used_texture(key)?;
        texture.snapshots.forget();
        Ok(texture.texture.clone())
    }

    /// A texture that what is recorded next uses.
    pub(super) fn used_texture(&mut self, key: ObjectKey) -> Result<&mut DeviceTexture, Internal> {
        let batch = self.batch_number;
        let lost = Internal::new("a texture is used that is not on the GPU");
        let texture = self.d3d.resources.textures.get_mut(&key).ok_or(lost)?;
        texture.used_in = Some(batch);
        Ok(texture)
    }

    /// Records that texels of a texture are copied from a buffer: ahead of all draws, if nothing recorded uses it.
    pub(super) fn copy_texels_in(
        &mut self,
        key: ObjectKey,
        from: wgpu::TexelCopyBufferInfo<'_>,
        (mip_level, origin): (u32, wgpu::Origin3d),
        extent: wgpu::Extent3d,
    ) -> Result<(), Internal> {
        let batch = self.batch_number;
        let lost = Internal::new("a texture is written that is not on the GPU");
        let texture = self.d3d.resources.textures.get(&key).ok_or(lost)?;
        let aspect = wgpu::TextureAspect::All;
        let to = wgpu::TexelCopyTextureInfo { texture: &texture.texture, mip_level, origin, aspect };
        let encoder = match texture.used_in == Some(batch) {
            true => {
                self.d3d.open = None;
                self.batch.after_draws()
            }
            false => self.batch.transfers(),
        };
        encoder.copy_buffer_to_texture(from, to, extent);
        Ok(())
    }
}
