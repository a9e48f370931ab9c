//! Textures of submissions: whoever reads or writes one gets it here.

use super::formats::stored_format;
use super::outline::written_targets;
use super::resources::DeviceTexture;
use crate::error::Internal;
use crate::gpu::buffers::BatchNumber;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::device_rules::padded_size_px;
use crate::replay::{DrawState, DrawTargets, ObjectKey, StageBindings, TargetView};

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

    /// To be called before texels are copied out of textures, and before anything is recorded that has to be in one batch
    /// with the copy: waits for all that draws to them, where the driver does not ([`EARLY_COPIES`]).
    ///
    /// [`EARLY_COPIES`]: crate::gpu::driver_faults::EARLY_COPIES
    pub(super) fn settle_drawn(&mut self, keys: &[ObjectKey]) -> Result<(), GpuError> {
        self.settle(keys, |texture| texture.drawn_in)
    }

    /// The same for textures that texels are copied into, and for what is read back: waits for all that uses them.
    pub(super) fn settle_used(&mut self, keys: &[ObjectKey]) -> Result<(), GpuError> {
        self.settle(keys, |texture| texture.used_in)
    }

    fn settle(&mut self, keys: &[ObjectKey], last: fn(&DeviceTexture) -> Option<BatchNumber>) -> Result<(), GpuError> {
        if !self.gpu.has_early_copies() {
            return Ok(());
        }
        let lost = Internal::new("a copied texture is not on the GPU");
        for key in keys {
            let texture = self.resources.objects.textures.get(key).ok_or(lost)?;
            if last(texture).is_some_and(|batch| batch >= self.recorder.not_done) {
                return self.submit_and_wait();
            }
        }
        Ok(())
    }

    /// The same for all that a draw copies on its way: what it can see or draw to only in a copy.
    pub(super) fn settle_for_draw(&mut self, state: &DrawState) -> Result<(), GpuError> {
        if !self.gpu.has_early_copies() {
            return Ok(());
        }
        self.settle_stood_for(&written_targets(state))?;
        self.settle_bound(&state.vertex_bindings, &state.targets)?;
        self.settle_bound(&state.pixel_bindings, &state.targets)
    }

    /// The same for targets in whose stead others are drawn to.
    pub(super) fn settle_stood_for(&mut self, targets: &DrawTargets) -> Result<(), GpuError> {
        if !self.gpu.has_early_copies() || self.recorder.open == Some(*targets) {
            return Ok(());
        }
        let textures = &self.resources.objects.textures;
        let is_padded = padded_size_px(targets).is_some();
        let is_stood_for = |target: &&TargetView| {
            is_padded
                || textures
                    .get(&target.texture)
                    .is_some_and(|held| held.texture.format() != stored_format(self.gpu.record(), target.format))
        };
        let stood_for: Vec<_> =
            targets.colors.iter().flatten().filter(is_stood_for).map(|target| target.texture).collect();
        self.settle_drawn(&stood_for)
    }

    /// The same for the textures that a stage may see only in a copy.
    pub(super) fn settle_bound(&mut self, held: &StageBindings, targets: &DrawTargets) -> Result<(), GpuError> {
        if !self.gpu.has_early_copies() {
            return Ok(());
        }
        let decodes = held.samplers.iter().any(|(_, sampler)| sampler.decodes_srgb);
        let mut copied = Vec::new();
        for bound in held.slots.resources.iter().filter_map(|(_, bound)| bound.as_texture()) {
            let lost = Internal::new("a bound texture is not on the GPU");
            let texture = self.resources.objects.textures.get(&bound.texture).ok_or(lost)?;
            let is_target = targets.colors.iter().chain([&targets.depth_stencil]).flatten();
            let is_target = is_target.into_iter().any(|target| target.texture == bound.texture);
            let is_recoded = decodes || texture.texture.format() != stored_format(self.gpu.record(), bound.format);
            if is_target || is_recoded {
                copied.push(bound.texture);
            }
        }
        self.settle_drawn(&copied)
    }

    /// A texture that what is recorded next uses.
    pub(super) fn used_texture(&mut self, key: ObjectKey) -> Result<&mut DeviceTexture, Internal> {
        let batch = self.recorder.number;
        let lost = Internal::new("a texture in use is not on the GPU");
        let texture = self.resources.objects.textures.get_mut(&key).ok_or(lost)?;
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
        let batch = self.recorder.number;
        let lost = Internal::new("a written texture is not on the GPU");
        let texture = self.resources.objects.textures.get(&key).ok_or(lost)?;
        let aspect = wgpu::TextureAspect::All;
        let to = wgpu::TexelCopyTextureInfo { texture: &texture.texture, mip_level, origin, aspect };
        let encoder = match texture.used_in == Some(batch) {
            true => {
                self.recorder.open = None;
                self.recorder.batch.after_draws()
            }
            false => self.recorder.batch.transfers(),
        };
        encoder.copy_buffer_to_texture(from, to, extent);
        Ok(())
    }
}
