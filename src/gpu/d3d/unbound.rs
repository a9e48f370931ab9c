//! What stands for textures and buffers that nothing is bound to.

use foldhash::HashMap;

use super::stages::view_dimension;
use crate::gpu::device::Gpu;
use crate::gpu::renderer::Renderer;
use crate::replay::UnboundTexels;
use crate::shader::d3d::{SampledAs, TextureDimension};

/// Layers of array textures: on GL wgpu tells what a texture is by their number, 1 for no array, multiples of 6 for cubes.
const ARRAY_LAYERS: u32 = 7;

/// Those made so far.
#[derive(Default)]
pub(super) struct Unbound {
    textures: HashMap<(TextureDimension, SampledAs, UnboundTexels), wgpu::TextureView>,
    read_buffer: Option<wgpu::Buffer>,
    written_buffer: Option<wgpu::Buffer>,
}

impl Renderer {
    /// A buffer to read, of which shaders are told that it is none.
    pub(super) fn unbound_buffer(&mut self) -> wgpu::Buffer {
        let made = self.bindings.unbound.read_buffer.take().unwrap_or_else(|| self.scratch_buffer(16));
        self.bindings.unbound.read_buffer.insert(made).clone()
    }

    /// The same to write: a dispatch cannot have both in one.
    pub(super) fn unbound_buffer_to_write(&mut self) -> wgpu::Buffer {
        let made = self.bindings.unbound.written_buffer.take().unwrap_or_else(|| self.scratch_buffer(16));
        self.bindings.unbound.written_buffer.insert(made).clone()
    }

    /// A texture of one texel.
    pub(super) fn unbound_texture(
        &mut self,
        dimension: TextureDimension,
        sampled_as: SampledAs,
        texels: UnboundTexels,
    ) -> wgpu::TextureView {
        let gpu = self.gpu.clone();
        let made = self.bindings.unbound.textures.entry((dimension, sampled_as, texels));
        made.or_insert_with(|| make(&gpu, dimension, sampled_as, texels)).clone()
    }
}

fn make(gpu: &Gpu, dimension: TextureDimension, sampled_as: SampledAs, texels: UnboundTexels) -> wgpu::TextureView {
    let format = match sampled_as {
        SampledAs::Float | SampledAs::UnfilterableFloat => wgpu::TextureFormat::Rgba8Unorm,
        SampledAs::Depth => wgpu::TextureFormat::Depth32Float,
        SampledAs::Sint => wgpu::TextureFormat::Rgba8Sint,
        SampledAs::Uint => wgpu::TextureFormat::Rgba8Uint,
    };
    let (texture_dimension, layers) = match dimension {
        TextureDimension::D1 => (wgpu::TextureDimension::D1, 1),
        TextureDimension::D2 | TextureDimension::D2Multisampled => (wgpu::TextureDimension::D2, 1),
        TextureDimension::D2Array => (wgpu::TextureDimension::D2, ARRAY_LAYERS),
        TextureDimension::D3 => (wgpu::TextureDimension::D3, 1),
        TextureDimension::Cube => (wgpu::TextureDimension::D2, 6),
        TextureDimension::CubeArray => (wgpu::TextureDimension::D2, 12),
    };
    let has_samples = dimension == TextureDimension::D2Multisampled;
    // Texels of several samples are only drawn, never copied.
    let other_usage = if has_samples { wgpu::TextureUsages::RENDER_ATTACHMENT } else { wgpu::TextureUsages::COPY_DST };
    let size = wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: layers };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("nothing bound"),
        size,
        mip_level_count: 1,
        sample_count: if has_samples { 4 } else { 1 },
        dimension: texture_dimension,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | other_usage,
        view_formats: &[],
    });
    if texels != UnboundTexels::Zero && !has_samples && !format.has_depth_aspect() {
        let texels = texels.rgba().repeat(layers as usize);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4), rows_per_image: Some(1) };
        gpu.queue.write_texture(texture.as_image_copy(), &texels, layout, size);
    }
    texture
        .create_view(&wgpu::TextureViewDescriptor { dimension: Some(view_dimension(dimension)), ..Default::default() })
}
