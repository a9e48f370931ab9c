//! Surfaces to draw on.

use std::sync::OnceLock;

use super::device::Gpu;
use super::pipelines::TARGET_FORMAT;
use crate::pixels::Size;

/// A texture that draws go to. It is made when it is first used, and then holds zeros: most frames of submissions never draw
/// on the picture itself, and the size that a trace asks for may be far larger than what it presents.
pub struct RenderTarget {
    device: wgpu::Device,
    largest_side_px: u32,
    size: Size,
    label: &'static str,
    format: wgpu::TextureFormat,
    made: OnceLock<Made>,
}

struct Made {
    texture: wgpu::Texture,
    view: wgpu::TextureView,
}

impl RenderTarget {
    /// A target for pictures.
    pub(super) fn for_pictures(gpu: &Gpu, size: Size) -> Self {
        Self::new(gpu, size, "target", TARGET_FORMAT)
    }

    pub(super) fn new(gpu: &Gpu, size: Size, label: &'static str, format: wgpu::TextureFormat) -> Self {
        let (device, largest_side_px) = (gpu.device.clone(), gpu.largest_side_px());
        Self { device, largest_side_px, size, label, format, made: OnceLock::new() }
    }

    /// The texture.
    pub(super) fn texture(&self) -> &wgpu::Texture {
        &self.made().texture
    }

    /// The whole texture, to draw on.
    pub(super) fn view(&self) -> &wgpu::TextureView {
        &self.made().view
    }

    /// Whether anything has used it.
    pub(super) fn is_made(&self) -> bool {
        self.made.get().is_some()
    }

    fn made(&self) -> &Made {
        self.made.get_or_init(|| {
            // Whoever draws on it has refused what is larger.
            let side = |side: u32| side.min(self.largest_side_px);
            let texture = self.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(self.label),
                size: wgpu::Extent3d {
                    width: side(self.size.width_px),
                    height: side(self.size.height_px),
                    depth_or_array_layers: 1,
                },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: self.format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                    | wgpu::TextureUsages::COPY_SRC
                    | wgpu::TextureUsages::COPY_DST
                    | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            });
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            Made { texture, view }
        })
    }
}
