//! Surfaces to draw on.

use super::device::Gpu;
use super::pipelines::TARGET_FORMAT;
use crate::pixels::Size;

/// A texture that draws go to.
pub struct RenderTarget {
    pub(super) texture: wgpu::Texture,
    pub(super) view: wgpu::TextureView,
}

impl RenderTarget {
    /// A target for pictures.
    pub(super) fn for_pictures(gpu: &Gpu, size: Size) -> Self {
        Self::new(gpu, size, "target", TARGET_FORMAT)
    }

    pub(super) fn new(gpu: &Gpu, size: Size, label: &'static str, format: wgpu::TextureFormat) -> Self {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width: size.width_px, height: size.height_px, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::COPY_SRC
                | wgpu::TextureUsages::COPY_DST
                | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        Self { texture, view }
    }
}
