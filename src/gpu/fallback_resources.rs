//! Fallback resources for what the command ABI cannot bind: zeros, and texels of (0, 0, 0, 1).

use std::num::NonZeroU64;

use naga::{ImageDimension, ScalarKind};
use wgpu::util::DeviceExt;

use super::device::Gpu;
use crate::limits::MAX_UNBOUND_BUFFER_BYTES;
use crate::pixels::Size;
use crate::shader::{Binding, BindingKind, Program};

/// Layers of array textures. On GL wgpu tells a texture's kind by their number: 1 makes it no array, a multiple of 6 a
/// cube. Integer cubes of GLSL are arrays whose first six layers are read.
const ARRAY_LAYERS: u32 = 7;
/// Layers of arrays of cubes; 6 make one cube.
const CUBE_ARRAY_LAYERS: u32 = 12;

/// Bytes of a vector of four.
const VECTOR_BYTES: u64 = 16;

/// A buffer of our own in group 0, beside what the shader binds.
pub(super) struct OwnBuffer<'a> {
    pub binding: u32,
    pub buffer: &'a wgpu::Buffer,
}

/// What stands for resources that nothing is bound to.
pub(super) struct FallbackResources {
    /// Size of the target, for shaders that ask.
    target: Size,
    /// Zeros for all buffers, made when the first shader wants some. One is enough: shaders only read them.
    zeros: Option<wgpu::Buffer>,
}

impl FallbackResources {
    pub(crate) fn new(target: Size) -> Self {
        Self { target, zeros: None }
    }

    /// Makes the bind groups of a pipeline that uses `bindings`, from group 0 up to the last one used.
    pub(crate) fn make_bind_groups(
        &mut self,
        gpu: &Gpu,
        layout_of: impl Fn(u32) -> wgpu::BindGroupLayout,
        bindings: &[&Binding],
        own: Option<OwnBuffer<'_>>,
    ) -> Vec<wgpu::BindGroup> {
        let groups = bindings.iter().map(|binding| binding.group).chain(own.as_ref().map(|_| 0));
        // silent: a program that binds nothing has no groups
        let Some(last) = groups.max() else { return Vec::new() };
        let make_group = |group: u32| {
            let of_group: Vec<&Binding> = bindings.iter().copied().filter(|binding| binding.group == group).collect();
            let resources: Vec<Resource> = of_group.iter().map(|binding| self.resource(gpu, binding.kind)).collect();
            let fallback = of_group.iter().zip(&resources).map(|(binding, resource)| wgpu::BindGroupEntry {
                binding: binding.binding,
                resource: resource.as_binding(),
            });
            let own = own
                .iter()
                .filter(|_| group == 0)
                .map(|own| wgpu::BindGroupEntry { binding: own.binding, resource: own.buffer.as_entire_binding() });
            let entries: Vec<wgpu::BindGroupEntry<'_>> = fallback.chain(own).collect();
            let layout = layout_of(group);
            let label = Some("fallback resources");
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout: &layout, entries: &entries })
        };
        (0..=last).map(make_group).collect()
    }

    fn resource(&mut self, gpu: &Gpu, kind: BindingKind) -> Resource {
        let Gpu { device, queue, .. } = gpu;
        match kind {
            BindingKind::TargetSize => {
                let sides = [self.target.width_px as f32, self.target.height_px as f32, 0.0, 0.0];
                Resource::TargetSize(device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                    label: Some("target size"),
                    contents: bytemuck::bytes_of(&sides),
                    usage: wgpu::BufferUsages::UNIFORM,
                }))
            }
            BindingKind::Uniform { size_bytes } | BindingKind::Storage { size_bytes } => {
                // Whole vectors, and never nothing.
                let size_bytes = u64::from(size_bytes).next_multiple_of(VECTOR_BYTES).max(VECTOR_BYTES);
                Resource::Zeros { buffer: self.zeros(device), size_bytes }
            }
            BindingKind::Texture { dimension, arrayed, kind } => {
                Resource::Texture(make_texture(device, queue, dimension, arrayed, kind))
            }
            // Linking has refused what is unsupported.
            BindingKind::Sampler { .. } | BindingKind::Unsupported(_) => {
                let comparison = matches!(kind, BindingKind::Sampler { comparison: true });
                let compare = comparison.then_some(wgpu::CompareFunction::LessEqual);
                let label = Some("fallback sampler");
                Resource::Sampler(device.create_sampler(&wgpu::SamplerDescriptor {
                    label,
                    compare,
                    ..Default::default()
                }))
            }
        }
    }

    fn zeros(&mut self, device: &wgpu::Device) -> wgpu::Buffer {
        let make = || {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("zeros"),
                size: MAX_UNBOUND_BUFFER_BYTES,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            })
        };
        self.zeros.get_or_insert_with(make).clone()
    }
}

/// The bindings of both stages, each once.
pub(super) fn merged_bindings(program: &Program) -> Vec<&Binding> {
    let mut merged: Vec<&Binding> = program.vertex.bindings.iter().collect();
    for binding in &program.fragment.bindings {
        let taken = merged.iter_mut().find(|taken| (taken.group, taken.binding) == (binding.group, binding.binding));
        match taken {
            // Two buffers of different sizes: the larger one serves both.
            Some(taken) if size_of(binding.kind) > size_of(taken.kind) => *taken = binding,
            Some(_) => {}
            None => merged.push(binding),
        }
    }
    merged
}

fn size_of(kind: BindingKind) -> u32 {
    match kind {
        BindingKind::Uniform { size_bytes } | BindingKind::Storage { size_bytes } => size_bytes,
        _ => 0,
    }
}

enum Resource {
    TargetSize(wgpu::Buffer),
    /// As many of them as the shader declares.
    Zeros {
        buffer: wgpu::Buffer,
        size_bytes: u64,
    },
    Texture(wgpu::TextureView),
    Sampler(wgpu::Sampler),
}

impl Resource {
    fn as_binding(&self) -> wgpu::BindingResource<'_> {
        match self {
            Self::TargetSize(buffer) => buffer.as_entire_binding(),
            Self::Zeros { buffer, size_bytes } => {
                let size = NonZeroU64::new(*size_bytes);
                wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size })
            }
            Self::Texture(view) => wgpu::BindingResource::TextureView(view),
            Self::Sampler(sampler) => wgpu::BindingResource::Sampler(sampler),
        }
    }
}

fn make_texture(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    dimension: ImageDimension,
    arrayed: bool,
    kind: Option<ScalarKind>,
) -> wgpu::TextureView {
    let (format, texel): (_, Option<&[u8]>) = match kind {
        Some(ScalarKind::Sint) => (wgpu::TextureFormat::Rgba8Sint, Some(&[0, 0, 0, 1])),
        Some(ScalarKind::Uint) => (wgpu::TextureFormat::Rgba8Uint, Some(&[0, 0, 0, 1])),
        // A depth texture is cleared to 0 by its first use and has no other channel.
        None => (wgpu::TextureFormat::Depth32Float, None),
        Some(_) => (wgpu::TextureFormat::Rgba8Unorm, Some(&[0, 0, 0, 255])),
    };
    let (texture_dimension, view_dimension, layers) = match (dimension, arrayed) {
        (ImageDimension::D1, _) => (wgpu::TextureDimension::D1, wgpu::TextureViewDimension::D1, 1),
        (ImageDimension::D2, false) => (wgpu::TextureDimension::D2, wgpu::TextureViewDimension::D2, 1),
        (ImageDimension::D2, true) => (wgpu::TextureDimension::D2, wgpu::TextureViewDimension::D2Array, ARRAY_LAYERS),
        (ImageDimension::D3, _) => (wgpu::TextureDimension::D3, wgpu::TextureViewDimension::D3, 1),
        (ImageDimension::Cube, false) => (wgpu::TextureDimension::D2, wgpu::TextureViewDimension::Cube, 6),
        (ImageDimension::Cube, true) => {
            (wgpu::TextureDimension::D2, wgpu::TextureViewDimension::CubeArray, CUBE_ARRAY_LAYERS)
        }
    };
    let size = wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: layers };
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("fallback texture"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: texture_dimension,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    if let Some(texel) = texel {
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4), rows_per_image: Some(1) };
        queue.write_texture(texture.as_image_copy(), &texel.repeat(layers as usize), layout, size);
    }
    texture.create_view(&wgpu::TextureViewDescriptor { dimension: Some(view_dimension), ..Default::default() })
}
