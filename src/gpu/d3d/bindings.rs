//! What a stage names → a bind group.

use super::kernels::ByteCopy;
use super::programs::{Stage, view_dimension};
use super::resources::{DeviceTexture, ViewKey};
use crate::command::{Location, SubresourceRange};
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{
    BufferRange, ConstantSource, DrawState, DrawTargets, LegacyConstants, ResourceBinding, Sampler, StageBindings,
    TextureBinding, World,
};
use crate::shader::d3d::{
    BoundBuffer, LEGACY_BOOLEANS, LEGACY_FLOATS, LEGACY_INTEGERS, Parameter, ParameterBlock, SampledAs,
    StageBindingKind, TextureDimension,
};

/// Numbers that a draw gives its stages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DrawNumbers {
    /// Width and height of the viewport.
    pub viewport_px: [f32; 2],
    /// What alpha is compared with, of 255.
    pub alpha_reference: u8,
    pub first_vertex: u32,
    pub first_instance: u32,
}

/// Something that is bound.
enum Bound {
    Buffer { buffer: wgpu::Buffer, offset: u64, size: u64 },
    Whole(wgpu::Buffer),
    View(wgpu::TextureView),
    Sampler(wgpu::Sampler),
}

impl Bound {
    fn as_resource(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::Buffer { buffer, offset, size } => wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: *offset,
                size: wgpu::BufferSize::new(*size),
            }),
            Self::Whole(buffer) => buffer.as_entire_binding(),
            Self::View(view) => wgpu::BindingResource::TextureView(view),
            Self::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
        }
    }
}

impl Renderer {
    /// The bind group of a stage of a draw.
    pub(super) fn stage_group(
        &mut self,
        stage: &Stage,
        held: &StageBindings,
        state: &DrawState,
        numbers: &DrawNumbers,
        at: Location,
    ) -> Result<wgpu::BindGroup, GpuError> {
        let mut bound: Vec<(u32, Bound)> = Vec::new();
        for binding in &stage.bindings {
            let what = self.bind(binding.kind, held, (state.world, &state.targets), at)?;
            bound.push((binding.binding, what));
        }
        if let Some(block) = &stage.parameters {
            let bytes = parameter_bytes(block, held, numbers)?;
            let (buffer, offset) = self.d3d.uniforms.push(&self.gpu, &bytes)?;
            bound.push((block.binding, Bound::Buffer { buffer, offset, size: u64::from(block.size_bytes) }));
        }
        let entries: Vec<_> = bound
            .iter()
            .map(|(binding, what)| wgpu::BindGroupEntry { binding: *binding, resource: what.as_resource() })
            .collect();
        Ok(self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &stage.layout,
            entries: &entries,
        }))
    }

    fn bind(
        &mut self,
        kind: StageBindingKind,
        held: &StageBindings,
        (world, targets): (World, &DrawTargets),
        at: Location,
    ) -> Result<Bound, GpuError> {
        match kind {
            StageBindingKind::ConstantBuffer { slot, size_bytes } => {
                let source = held.constants.iter().find(|(of, _)| *of == slot).map(|(_, source)| *source);
                self.bind_constants(source, size_bytes, held.registers.as_deref())
            }
            StageBindingKind::LegacyConstants => {
                let lost = Internal::new("a shader of Direct3D 9 has no constants");
                let bytes = legacy_bytes(held.registers.as_deref().ok_or(lost)?);
                self.bind_numbers(&bytes, LEGACY_BYTES as u32)
            }
            StageBindingKind::Texture { slot, dimension, sampled_as } => {
                let bound = held.resources.iter().find(|(of, _)| *of == slot);
                let decodes = held.samplers.iter().any(|(of, sampler)| *of == slot && sampler.decodes_srgb);
                match bound {
                    Some((_, ResourceBinding::Texture(texture))) => self.bind_texture(
                        texture,
                        dimension,
                        sampled_as,
                        (targets, decodes && world == World::Direct3d9),
                        at,
                    ),
                    _ => Ok(Bound::View(self.unbound_texture(dimension, sampled_as, world))),
                }
            }
            StageBindingKind::Sampler { is_comparison: true, .. } => {
                Ok(Bound::Sampler(self.d3d.samplers.never(&self.gpu)))
            }
            StageBindingKind::Sampler { slot, is_comparison: false } => {
                let found = held.samplers.iter().find(|(of, _)| *of == slot).map(|(_, sampler)| *sampler);
                let sampler = found.unwrap_or(Sampler::D3D11_UNBOUND);
                Ok(Bound::Sampler(self.d3d.samplers.get(&self.gpu, &sampler, at)?))
            }
            StageBindingKind::ResourceBuffer { slot } => {
                let found = held.resources.iter().find(|(of, _)| *of == slot);
                match found {
                    Some((_, ResourceBinding::Buffer(range))) => self.bind_storage(Some(*range)),
                    _ => self.bind_storage(None),
                }
            }
            StageBindingKind::UnorderedBuffer { slot } => {
                let found = held.written.iter().find(|(of, _)| *of == slot).map(|(_, range)| *range);
                self.bind_storage(found)
            }
            StageBindingKind::Counter { .. } => {
                let what = "a counter of a buffer that shaders write".into();
                Err(GpuError::Unsupported { what, at })
            }
        }
    }

    /// Constants, with zeros past the end of what is bound.
    fn bind_constants(
        &mut self,
        source: Option<ConstantSource>,
        size_bytes: u32,
        registers: Option<&LegacyConstants>,
    ) -> Result<Bound, GpuError> {
        let range = match source {
            None => return self.bind_numbers(&[], size_bytes),
            Some(ConstantSource::FloatBank) => {
                let floats = registers.map_or(&[][..], |registers| &registers.floats);
                return self.bind_numbers(floats, size_bytes);
            }
            Some(ConstantSource::Buffer(range)) => range,
        };
        let lost = Internal::new("constants lie in a buffer that is not on the GPU");
        let buffer = self.d3d.resources.buffers.get(&range.buffer).ok_or(lost)?.buffer.clone();
        let (start, size) = (u64::from(range.start_bytes), u64::from(size_bytes));
        if start.is_multiple_of(256) && range.size_bytes >= size_bytes {
            return Ok(Bound::Buffer { buffer, offset: start, size });
        }
        let count = range.size_bytes.min(size_bytes);
        let scratch = self.scratch_buffer(size);
        self.d3d.open = None;
        if count > 0 {
            let copy = ByteCopy::new(range.start_bytes, 0, count);
            self.d3d.kernels.copy_bytes(&self.gpu, self.batch.after_draws(), [&buffer, &scratch], copy);
        }
        Ok(Bound::Buffer { buffer: scratch, offset: 0, size })
    }

    /// Numbers of this draw, with zeros behind them.
    fn bind_numbers(&mut self, bytes: &[u8], size_bytes: u32) -> Result<Bound, GpuError> {
        let mut all = bytes.get(..size_bytes as usize).unwrap_or(bytes).to_vec();
        all.resize(size_bytes as usize, 0);
        let (buffer, offset) = self.d3d.uniforms.push(&self.gpu, &all)?;
        Ok(Bound::Buffer { buffer, offset, size: u64::from(size_bytes) })
    }

    /// A whole buffer: which part of it is bound, shaders are told.
    fn bind_storage(&mut self, range: Option<BufferRange>) -> Result<Bound, GpuError> {
        let lost = Internal::new("a shader's buffer is not on the GPU");
        match range {
            Some(range) => Ok(Bound::Whole(self.d3d.resources.buffers.get(&range.buffer).ok_or(lost)?.buffer.clone())),
            None => Ok(Bound::Whole(self.scratch_buffer(16))),
        }
    }

    fn bind_texture(
        &mut self,
        bound: &TextureBinding,
        dimension: TextureDimension,
        sampled_as: SampledAs,
        (targets, decodes): (&DrawTargets, bool),
        at: Location,
    ) -> Result<Bound, GpuError> {
        let lost = Internal::new("a texture that is bound is not on the GPU");
        let layers = match dimension {
            // Of an array a shader of one layer reads the first.
            TextureDimension::D1 | TextureDimension::D2 | TextureDimension::D3 => {
                SubresourceRange { count: 1, ..bound.layers }
            }
            TextureDimension::Cube if bound.layers.count >= 6 => SubresourceRange { count: 6, ..bound.layers },
            TextureDimension::CubeArray if bound.layers.count >= 6 => {
                SubresourceRange { count: bound.layers.count / 6 * 6, ..bound.layers }
            }
            TextureDimension::D2Array => bound.layers,
            TextureDimension::Cube | TextureDimension::CubeArray => {
                let what = format!("a texture of {} layers as a cube", bound.layers.count).into();
                return Err(GpuError::Unsupported { what, at });
            }
        };
        if matches!(dimension, TextureDimension::D1 | TextureDimension::D3) {
            return Ok(Bound::View(self.unbound_texture(dimension, sampled_as, World::Direct3d11)));
        }
        let mut format = super::formats::stored_format(bound.format);
        if decodes && !format.is_srgb() {
            format = format.add_srgb_suffix();
        }
        let is_depth = super::formats::is_depth(bound.format);
        let held = self.d3d.resources.textures.get(&bound.texture).ok_or(lost)?;
        if format != held.texture.format() && !self.gpu.has_view_formats() {
            return Err(GpuError::Unsupported {
                what: "another view of a texture's colours on this device".into(),
                at,
            });
        }
        let key = ViewKey {
            format,
            dimension: view_dimension(dimension),
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
        // GL tells what a texture is by all its layers, and shows no part of them.
        let is_cut = self.gpu.is_gl() && (layers.count != held.desc.layers);
        if is_target || is_cut {
            return self.copied_view(bound, key);
        }
        let held = self.d3d.resources.textures.get_mut(&bound.texture).ok_or(lost)?;
        Ok(Bound::View(held.view(key).clone()))
    }

    /// A view of a copy of what is seen, since the texture itself is drawn to.
    fn copied_view(&mut self, bound: &TextureBinding, key: ViewKey) -> Result<Bound, GpuError> {
        let lost = Internal::new("a texture that is bound is not on the GPU");
        let held = self.d3d.resources.textures.get(&bound.texture).ok_or(lost)?;
        let (first_layer, layers) = key.layers;
        let desc = crate::command::CreateTexture { layers, ..held.desc };
        let (from, mips) = (held.texture.clone(), held.desc.mips);
        let mut copy = DeviceTexture::new(&self.gpu, desc, None);
        self.d3d.open = None;
        let encoder = self.batch.after_draws();
        for mip in 0..mips {
            let [width, height] = copy.mip_size_px(mip);
            let place = |texture, layer| wgpu::TexelCopyTextureInfo {
                texture,
                mip_level: mip,
                origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
                aspect: wgpu::TextureAspect::All,
            };
            let extent = wgpu::Extent3d { width, height, depth_or_array_layers: layers };
            encoder.copy_texture_to_texture(place(&from, first_layer), place(&copy.texture, 0), extent);
        }
        Ok(Bound::View(copy.view(ViewKey { layers: (0, layers), ..key }).clone()))
    }
}

/// How the depth of a texture is seen alone.
const fn depth_view_format(format: wgpu::TextureFormat) -> wgpu::TextureFormat {
    match format {
        wgpu::TextureFormat::Depth24PlusStencil8 => wgpu::TextureFormat::Depth24Plus,
        other => other,
    }
}

const LEGACY_BYTES: usize = crate::shader::d3d::LEGACY_CONSTANT_BYTES as usize;

/// The banks as translated shaders read them.
fn legacy_bytes(registers: &LegacyConstants) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(LEGACY_BYTES);
    let banks = [
        (&registers.floats, LEGACY_FLOATS * 16),
        (&registers.integers, LEGACY_INTEGERS * 16),
        (&registers.booleans, LEGACY_BOOLEANS * 4),
    ];
    for (bank, size) in banks {
        let end = bytes.len() + size as usize;
        bytes.extend(bank.iter().take(size as usize));
        bytes.resize(end, 0);
    }
    bytes
}

fn parameter_bytes(block: &ParameterBlock, held: &StageBindings, numbers: &DrawNumbers) -> Result<Vec<u8>, Internal> {
    let lost = Internal::new("a parameter has no place in its block");
    let mut bytes = vec![0; block.size_bytes as usize];
    for (parameter, offset) in &block.parameters {
        let [width, height] = numbers.viewport_px;
        let words: [u32; 2] = match *parameter {
            Parameter::HalfPixel => [1.0 / width, 1.0 / height].map(f32::to_bits),
            Parameter::AlphaReference => [(f32::from(numbers.alpha_reference) / 255.0).to_bits(), 0],
            Parameter::LodBias { slot } => {
                let found = held.samplers.iter().find(|(of, _)| *of == slot);
                [found.map_or(0.0, |(_, sampler)| sampler.lod_bias.get()).to_bits(), 0]
            }
            Parameter::BufferRange { buffer } => buffer_range(buffer, held),
            Parameter::FirstVertexAndInstance => [numbers.first_vertex, numbers.first_instance],
        };
        let size = match parameter {
            Parameter::AlphaReference | Parameter::LodBias { .. } => 4,
            _ => 8,
        };
        let start = *offset as usize;
        let words: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).take(size).collect();
        bytes.get_mut(start..start + size).ok_or(lost)?.copy_from_slice(&words);
    }
    Ok(bytes)
}

/// The first word of what is bound, and its bytes.
fn buffer_range(buffer: BoundBuffer, held: &StageBindings) -> [u32; 2] {
    let found = match buffer {
        BoundBuffer::Resource(slot) => held
            .resources
            .iter()
            .find(|(of, _)| *of == slot)
            .and_then(|(_, bound)| if let ResourceBinding::Buffer(range) = bound { Some(*range) } else { None }),
        BoundBuffer::Unordered(slot) => held.written.iter().find(|(of, _)| *of == slot).map(|(_, range)| *range),
    };
    found.map_or([0, 0], |range| [range.start_bytes / 4, range.size_bytes])
}
