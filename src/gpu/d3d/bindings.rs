//! What a stage names → what is bound.

use super::formats::{is_depth, other_curve, stored_format};
use super::groups::{Bound, DynamicOffsets, Lifetime, StageGroup, make_group};
use super::kernels::ByteCopy;
use super::parameters::{DrawNumbers, parameter_bytes};
use super::resources::{DeviceTexture, ViewKey};
use super::stages::{SlotKind, Stage, StageSlot, view_dimension};
use crate::command::{Location, SubresourceRange};
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::in_flight::Recorded;
use crate::gpu::renderer::Renderer;
use crate::replay::device_rules::{
    TextureRead, check_buffer_kinds, check_copied_read, check_storage_binding, texture_read,
};
use crate::replay::{
    BufferRange, COUNTER_BYTES, ConstantSource, DrawTargets, LegacyConstants, ObjectKey, ResourceBinding, Sampler,
    SlotBindings, StageBindings, TextureBinding, UnboundTexels, World,
};
use crate::shader::d3d::{
    LEGACY_BOOLEANS, LEGACY_FLOATS, LEGACY_INTEGERS, SampledAs, StageBindingKind, TextureDimension,
};

impl Renderer {
    /// Group of a stage of a draw, looked up anew: see [`Self::stage_group`]. Dynamic buffers that are placed already stay
    /// where they are.
    pub(super) fn bound_group(
        &mut self,
        stage: &Stage,
        held: &StageBindings,
        around: (World, &DrawTargets),
        (numbers, placed): (&DrawNumbers, Option<DynamicOffsets>),
        at: Location,
    ) -> Result<(StageGroup, Lifetime), GpuError> {
        let named = || stage.slots.iter().filter_map(StageSlot::named);
        check_buffer_kinds(named, held).map_err(|refusal| GpuError::Refusal { refusal, at })?;
        let lost = Internal::new("a stage has more dynamic buffers than were laid out");
        let (mut bound, mut offsets) = (Vec::with_capacity(stage.slots.len()), DynamicOffsets::default());
        let mut lifetime = Lifetime::Lasting;
        let mut placed = placed.as_ref().map(|placed| placed.as_slice().iter());
        for slot in &stage.slots {
            if let (true, Some(placed)) = (slot.is_dynamic, &mut placed) {
                let (offset, size_bytes) = placed.next().zip(slot.what.uniform_bytes()).ok_or(lost)?;
                offsets.push(*offset).then_some(()).ok_or(lost)?;
                let buffer = self.bindings.uniforms.buffer()?;
                bound.push(Bound::Uniform { buffer, offset: 0, size_bytes });
                continue;
            }
            let (mut what, lasts) = match &slot.what {
                SlotKind::Named(kind) => self.bind(*kind, held, around, at)?,
                SlotKind::Parameters(block) => {
                    let bytes = parameter_bytes(block, held, numbers)?;
                    (self.bind_numbers(&bytes, block.size_bytes)?, Lifetime::Lasting)
                }
            };
            if let (Bound::Uniform { offset, .. }, true) = (&mut what, slot.is_dynamic) {
                // The group is the same wherever the numbers lie.
                offsets.push(std::mem::take(offset)).then_some(()).ok_or(lost)?;
            }
            if lasts == Lifetime::OneDraw {
                lifetime = lasts;
            }
            bound.push(what);
        }
        let Self { bindings, gpu, recorder, .. } = self;
        recorder.batch.note(Recorded::Copy);
        let group = match lifetime {
            Lifetime::OneDraw => make_group(gpu, stage, &bound),
            Lifetime::Lasting => bindings.groups.get(gpu, stage, bound, || resources_of(held)),
        };
        Ok((StageGroup { group, offsets }, lifetime))
    }

    fn bind(
        &mut self,
        kind: StageBindingKind,
        held: &StageBindings,
        (world, targets): (World, &DrawTargets),
        at: Location,
    ) -> Result<(Bound, Lifetime), GpuError> {
        let lasting = |bound| Ok((bound, Lifetime::Lasting));
        match kind {
            StageBindingKind::ConstantBuffer { slot, size_bytes } => {
                self.bind_constants(held.constants(slot), size_bytes, held.registers.as_deref())
            }
            StageBindingKind::LegacyConstants { size_bytes } => {
                let lost = Internal::new("a shader of Direct3D 9 has no constants");
                let parts = legacy_parts(held.registers.as_deref().ok_or(lost)?);
                let offset = self.bindings.uniforms.push_parts(&self.gpu, &parts, size_bytes)?;
                let buffer = self.bindings.uniforms.buffer()?;
                lasting(Bound::Uniform { buffer, offset, size_bytes })
            }
            StageBindingKind::Texture { slot, dimension, sampled_as, .. } => {
                let decodes = held.sampler(slot).is_some_and(|sampler| sampler.decodes_srgb);
                match held.resource(slot) {
                    Some(ResourceBinding::Texture(texture)) => self.bind_texture(
                        texture,
                        dimension,
                        sampled_as,
                        (targets, decodes && world == World::Direct3d9),
                        at,
                    ),
                    _ => lasting(Bound::View(self.unbound_texture(dimension, sampled_as, held.slots.unbound))),
                }
            }
            StageBindingKind::Sampler { is_comparison: true, .. } => {
                Err(Internal::new("a sampler compares, which no stream can ask for").into())
            }
            StageBindingKind::Sampler { slot, is_comparison: false } => {
                let sampler = held.sampler(slot).copied().unwrap_or(Sampler::D3D11_UNBOUND);
                // Stages mix in what lies outside.
                let sampler = if world == World::Direct3d9 { sampler.without_border() } else { sampler };
                lasting(Bound::Sampler(self.bindings.samplers.get(&self.gpu, &sampler, at)?))
            }
            StageBindingKind::ResourceBuffer { slot } => lasting(match held.resource(slot) {
                Some(ResourceBinding::Buffer(range)) => self.bind_storage(*range, at)?,
                _ => Bound::Storage(self.unbound_buffer()),
            }),
            StageBindingKind::StorageTexture { .. } => {
                Err(Internal::new("a texture that no stream can bind is written").into())
            }
            StageBindingKind::UnorderedBuffer { slot } => lasting(match held.written(slot) {
                Some(range) => self.bind_storage(range, at)?,
                None => Bound::Storage(self.unbound_buffer_to_write()),
            }),
            StageBindingKind::Counter { slot } => match held.written(slot) {
                Some(range) => lasting(Bound::Storage(self.counter_of(range.buffer)?)),
                // Nothing counts from draw to draw.
                None => Ok((Bound::Storage(self.scratch_buffer(COUNTER_BYTES)), Lifetime::OneDraw)),
            },
        }
    }

    /// Constants, with zeros past the end of what is bound.
    fn bind_constants(
        &mut self,
        source: Option<ConstantSource>,
        size_bytes: u32,
        registers: Option<&LegacyConstants>,
    ) -> Result<(Bound, Lifetime), GpuError> {
        let range = match source {
            None => return Ok((self.bind_numbers(&[], size_bytes)?, Lifetime::Lasting)),
            Some(ConstantSource::FloatBank) => {
                let floats = registers.map_or(&[][..], |registers| &registers.floats);
                return Ok((self.bind_numbers(floats, size_bytes)?, Lifetime::Lasting));
            }
            Some(ConstantSource::Buffer(range)) => range,
        };
        let lost = Internal::new("the buffer of constants is not on the GPU");
        let offset = range.start_bytes;
        let Self { resources, bindings, gpu, .. } = self;
        let held = resources.objects.buffers.get(&range.buffer).ok_or(lost)?;
        if let Some(known) = &held.known {
            let (start, count) = (offset as usize, range.size_bytes.min(size_bytes) as usize);
            let bytes = known.bytes().get(start..start + count).ok_or(lost)?;
            let offset = bindings.uniforms.push(gpu, bytes, size_bytes)?;
            let buffer = bindings.uniforms.buffer()?;
            return Ok((Bound::Uniform { buffer, offset, size_bytes }, Lifetime::Lasting));
        }
        let read = u64::from(offset)..u64::from(offset) + u64::from(range.size_bytes);
        let buffer = self.buffer_to_bind(range.buffer, read)?;
        if u64::from(offset).is_multiple_of(self.gpu.uniform_alignment()) && range.size_bytes >= size_bytes {
            return Ok((Bound::Uniform { buffer, offset, size_bytes }, Lifetime::Lasting));
        }
        let count = range.size_bytes.min(size_bytes);
        let scratch = self.scratch_buffer(u64::from(size_bytes));
        if !self.gpu.record().features.compute {
            let lost = Internal::new("a bound constant lies past the end of its buffer");
            let (start, count) = (range.start_bytes as usize, count as usize);
            let mut bytes = self.bytes_to_read(range.buffer)?.get(start..start + count).ok_or(lost)?.to_vec();
            bytes.resize(count.next_multiple_of(4), 0);
            self.gpu.queue.write_buffer(&scratch, 0, &bytes);
            return Ok((Bound::Uniform { buffer: scratch, offset: 0, size_bytes }, Lifetime::OneDraw));
        }
        self.recorder.open = None;
        if count > 0 {
            let copy = ByteCopy::new(range.start_bytes, 0, count);
            self.bindings.kernels.copy_bytes(&self.gpu, self.recorder.batch.computes(), [&buffer, &scratch], copy);
        }
        Ok((Bound::Uniform { buffer: scratch, offset: 0, size_bytes }, Lifetime::OneDraw))
    }

    /// Numbers of this draw, with zeros behind them.
    fn bind_numbers(&mut self, bytes: &[u8], size_bytes: u32) -> Result<Bound, GpuError> {
        let offset = self.bindings.uniforms.push(&self.gpu, bytes, size_bytes)?;
        let buffer = self.bindings.uniforms.buffer()?;
        Ok(Bound::Uniform { buffer, offset, size_bytes })
    }

    /// A whole buffer: which part of it is bound, shaders are told.
    fn bind_storage(&mut self, range: BufferRange, at: Location) -> Result<Bound, GpuError> {
        let size = self.resources.objects.buffers.get(&range.buffer).map_or(0, |held| u64::from(held.size_bytes));
        check_storage_binding(self.gpu.record(), size).map_err(|refusal| GpuError::Refusal { refusal, at })?;
        Ok(Bound::Storage(self.buffer_to_bind(range.buffer, 0..u64::from(u32::MAX))?))
    }

    fn bind_texture(
        &mut self,
        bound: &TextureBinding,
        dimension: TextureDimension,
        sampled_as: SampledAs,
        (targets, decodes): (&DrawTargets, bool),
        at: Location,
    ) -> Result<(Bound, Lifetime), GpuError> {
        let lost = Internal::new("a bound texture is not on the GPU");
        let held = self.resources.objects.textures.get(&bound.texture).ok_or(lost)?;
        let TextureRead::Bound { layers } = texture_read(bound, (dimension, sampled_as)) else {
            let zeros = self.unbound_texture(dimension, sampled_as, UnboundTexels::Zero);
            return Ok((Bound::View(zeros), Lifetime::Lasting));
        };
        let mut format = stored_format(self.gpu.record(), bound.format);
        if decodes && !format.is_srgb() {
            format = format.add_srgb_suffix();
        }
        let is_depth = is_depth(bound.format);
        let is_recoded = !is_depth && format != held.texture.format() && !self.gpu.has_view_formats();
        // A device without views of layers shows all of them, and its stages find those that are seen.
        let (dimension, layers) = match (self.gpu.record().features.layer_views, bound.all_layers) {
            (true, _) => (view_dimension(dimension), layers),
            (false, 1) => (wgpu::TextureViewDimension::D2, SubresourceRange { first: 0, count: 1 }),
            (false, _) => {
                let count = held.texture.depth_or_array_layers();
                (wgpu::TextureViewDimension::D2Array, SubresourceRange { first: 0, count })
            }
        };
        let key = ViewKey {
            format,
            dimension,
            aspect: if is_depth { wgpu::TextureAspect::DepthOnly } else { wgpu::TextureAspect::All },
            mips: (bound.mips.first, bound.mips.count),
            layers: (layers.first, layers.count),
        };
        // A view of depth alone has no format of its own.
        let key = match is_depth {
            true => ViewKey { format: depth_view_format(held.texture.format()), ..key },
            false => key,
        };
        let is_target = targets.colors.iter().chain([&targets.depth_stencil]).flatten().any(|target| {
            let has = |range: SubresourceRange, at: u32| at.checked_sub(range.first).is_some_and(|at| at < range.count);
            target.texture == bound.texture && has(bound.mips, target.mip) && has(layers, target.layer)
        });
        if is_target || is_recoded {
            check_copied_read(bound.format, self.gpu.record()).map_err(|refusal| GpuError::Refusal { refusal, at })?;
            return Ok((self.copied_view(bound, key)?, Lifetime::OneDraw));
        }
        let view = self.used_texture(bound.texture)?.view(key).clone();
        Ok((Bound::View(view), Lifetime::Lasting))
    }

    /// A view of a copy of what is seen, since the texture itself is drawn to, or can't be seen like that.
    fn copied_view(&mut self, bound: &TextureBinding, key: ViewKey) -> Result<Bound, GpuError> {
        let lost = Internal::new("a bound texture is not on the GPU");
        let held = self.resources.objects.textures.get(&bound.texture).ok_or(lost)?;
        let has_views = self.gpu.record().features.layer_views;
        let (first_layer, layers) = if has_views { key.layers } else { (0, held.desc.layers) };
        let is_stored = stored_format(self.gpu.record(), held.desc.format) == key.format || self.gpu.has_view_formats();
        let format = if is_stored { held.desc.format } else { other_curve(held.desc.format) };
        let desc = crate::command::CreateTexture { layers, format, ..held.desc };
        let mips = held.desc.mips;
        let from = self.texture_to_read(bound.texture)?;
        let mut copy = DeviceTexture::new(&self.gpu, desc, None);
        self.hold(copy.stored_bytes());
        self.recorder.open = None;
        for mip in 0..mips {
            let [width, height] = copy.mip_size_px(mip);
            let place = |texture, layer| wgpu::TexelCopyTextureInfo {
                texture,
                mip_level: mip,
                origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
                aspect: wgpu::TextureAspect::All,
            };
            let extent = wgpu::Extent3d { width, height, depth_or_array_layers: layers };
            self.recorder.batch.copy_texels(place(&from, first_layer), place(&copy.texture, 0), extent);
        }
        let layers = (0, key.layers.1);
        Ok(Bound::View(copy.view(ViewKey { layers, ..key }).clone()))
    }
}

/// The resources that a stage's slots hold.
pub(super) fn resources_of(held: &StageBindings) -> Vec<ObjectKey> {
    let SlotBindings { resources, constants, written, .. } = &*held.slots;
    let resources = resources.iter().map(|(_, bound)| match bound {
        ResourceBinding::Texture(texture) => texture.texture,
        ResourceBinding::Buffer(range) => range.buffer,
    });
    let constants = constants.iter().filter_map(|(_, source)| match source {
        ConstantSource::Buffer(range) => Some(range.buffer),
        ConstantSource::FloatBank => None,
    });
    resources.chain(constants).chain(written.iter().map(|(_, range)| range.buffer)).collect()
}

/// How the depth of a texture is seen alone.
const fn depth_view_format(format: wgpu::TextureFormat) -> wgpu::TextureFormat {
    match format {
        wgpu::TextureFormat::Depth24PlusStencil8 => wgpu::TextureFormat::Depth24Plus,
        other => other,
    }
}

/// The banks as translated shaders read them, each with the bytes that it takes.
pub(super) fn legacy_parts(registers: &LegacyConstants) -> [(&[u8], u32); 3] {
    let LegacyConstants { floats, integers, booleans } = registers;
    [(floats, LEGACY_FLOATS * 16), (integers, LEGACY_INTEGERS * 16), (booleans, LEGACY_BOOLEANS * 4)]
}
