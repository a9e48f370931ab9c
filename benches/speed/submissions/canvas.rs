//! A device with a target, and what hand-written programs make on it.

use std::sync::Arc;

use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::Picture;
use anyhow::{Result, anyhow};
use wgpu::util::DeviceExt;

use crate::scene::SIZE;

pub(super) struct Canvas {
    pub gpu: Arc<Gpu>,
    pub target: wgpu::Texture,
    pub view: wgpu::TextureView,
}

impl Canvas {
    pub(super) const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
    /// What the trace's textures are.
    pub(super) const TEXTURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Bgra8Unorm;

    pub(super) fn new(gpu: Arc<Gpu>) -> Self {
        let target = make_texture(&gpu, [SIZE.width_px, SIZE.height_px], Self::FORMAT);
        let view = target.create_view(&wgpu::TextureViewDescriptor::default());
        Self { gpu, target, view }
    }

    /// A texture, with these texels in it.
    pub(super) fn make_texture(&self, size_px: [u32; 2], texels: Option<&[u8]>) -> wgpu::Texture {
        let texture = make_texture(&self.gpu, size_px, Self::TEXTURE_FORMAT);
        if let Some(texels) = texels {
            let [width, height] = size_px;
            let layout =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width * 4), rows_per_image: Some(height) };
            self.gpu.queue.write_texture(texture.as_image_copy(), texels, layout, texture.size());
        }
        texture
    }

    pub(super) fn make_vertices(&self, bytes: &[u8]) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::util::BufferInitDescriptor { label: None, contents: bytes, usage };
        self.gpu.device.create_buffer_init(&descriptor)
    }

    /// A pipeline of a text with one entry point for each stage, for vertices of this stride and these values.
    pub(super) fn make_pipeline(
        &self,
        text: &str,
        group: Option<&wgpu::BindGroupLayout>,
        (stride_bytes, [first, second]): (u64, [wgpu::VertexFormat; 2]),
        format: wgpu::TextureFormat,
    ) -> wgpu::RenderPipeline {
        let device = &self.gpu.device;
        let source = wgpu::ShaderSource::Wgsl(text.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[group],
            immediate_size: 0,
        });
        let attribute = |shader_location, offset, format| wgpu::VertexAttribute { format, offset, shader_location };
        let buffer = wgpu::VertexBufferLayout {
            array_stride: stride_bytes,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &[attribute(0, 0, first), attribute(1, first.size(), second)],
        };
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: None,
                compilation_options: Default::default(),
                buffers: &[Some(buffer)],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: None,
                compilation_options: Default::default(),
                targets: &[Some(format.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    pub(super) fn begin_pass<'e>(
        encoder: &'e mut wgpu::CommandEncoder,
        view: &wgpu::TextureView,
        load: wgpu::LoadOp<wgpu::Color>,
    ) -> wgpu::RenderPass<'e> {
        let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
        let attachment = wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops };
        let color_attachments = &[Some(attachment)];
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor { color_attachments, ..Default::default() })
    }

    /// What the target holds.
    pub(super) fn picture(&self) -> Result<Picture> {
        let readback = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: SIZE.rgba_bytes(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(SIZE.width_px * 4), rows_per_image: None };
        let into = wgpu::TexelCopyBufferInfo { buffer: &readback, layout };
        encoder.copy_texture_to_buffer(self.target.as_image_copy(), into, self.target.size());
        self.gpu.queue.submit([encoder.finish()]);
        readback.map_async(wgpu::MapMode::Read, .., |_| ());
        self.gpu.wait(None)?;
        let rgba = readback.get_mapped_range(..).map_err(|error| anyhow!("{error}"))?.to_vec();
        Ok(Picture::new(SIZE, rgba)?)
    }
}

/// A texture, a sampler, and a uniform buffer by a dynamic offset.
pub(super) fn texture_group_layout(device: &wgpu::Device, has_uniform: bool) -> wgpu::BindGroupLayout {
    let image = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Float { filterable: true },
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
    let uniform = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: true,
        min_binding_size: None,
    };
    let visibility = wgpu::ShaderStages::FRAGMENT;
    let kinds = [Some(image), Some(sampler), has_uniform.then_some(uniform)];
    let entries: Vec<_> = (0..)
        .zip(kinds.into_iter().flatten())
        .map(|(binding, ty)| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

pub(super) const fn group_entry(binding: u32, resource: wgpu::BindingResource<'_>) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource }
}

fn make_texture(gpu: &Gpu, [width, height]: [u32; 2], format: wgpu::TextureFormat) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT
            | wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::COPY_SRC
            | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    })
}
