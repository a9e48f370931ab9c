//! Puts the target on the window's surface.

use std::sync::Arc;

use crate::gpu::Gpu;
use crate::pixels::Size;

/// What surrounds the picture.
const MARGIN: wgpu::Color = wgpu::Color { r: 0.13, g: 0.13, b: 0.13, a: 1.0 };

/// What became of an attempt to present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presented {
    /// The picture is on the screen.
    Shown,
    /// Nothing can be shown now (minimised, covered, in between sizes); a later redraw may.
    Skipped,
    /// The surface is gone and has to be made anew.
    SurfaceLost,
}

pub(super) struct Presenter {
    gpu: Arc<Gpu>,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    is_configured: bool,
    pipeline: wgpu::RenderPipeline,
    picture_size: Size,
    picture: wgpu::BindGroup,
}

impl Presenter {
    /// Shows `target`, a view of `picture_size`, on `surface`. `None`: the adapter has no format for it.
    pub fn new(
        gpu: Arc<Gpu>,
        surface: wgpu::Surface<'static>,
        target: &wgpu::TextureView,
        picture_size: Size,
    ) -> Option<Self> {
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let mut configuration = surface.get_default_config(&gpu.adapter, 1, 1)?;
        // The bytes of the target are what the screen gets; an sRGB surface would convert them.
        configuration.format = *capabilities.formats.iter().find(|format| !format.is_srgb())?;
        configuration.present_mode = wgpu::PresentMode::Fifo;
        let pipeline = make_pipeline(&gpu.device, configuration.format);
        let picture = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("picture"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(target) }],
        });
        Some(Self { gpu, surface, configuration, is_configured: false, pipeline, picture_size, picture })
    }

    /// Takes over a surface that was made anew for the same window.
    pub fn replace_surface(&mut self, surface: wgpu::Surface<'static>) {
        self.surface = surface;
        self.is_configured = false;
    }

    /// The window now has this size; 0×0 while minimised.
    pub fn resize(&mut self, width_px: u32, height_px: u32) {
        let largest = self.gpu.largest_side_px();
        self.configuration.width = width_px.min(largest);
        self.configuration.height = height_px.min(largest);
        self.is_configured = false;
    }

    /// Draws the target into the window.
    pub fn present(&mut self) -> Presented {
        if self.configuration.width == 0 || self.configuration.height == 0 {
            return Presented::Skipped;
        }
        if !self.is_configured {
            self.surface.configure(&self.gpu.device, &self.configuration);
            if self.gpu.is_in_trouble() {
                // The window is gone, say. A surface that was never configured must not be asked for a texture: wgpu
                // panics. What is wrong is told by whoever checks the GPU next.
                return Presented::Skipped;
            }
            self.is_configured = true;
        }
        use wgpu::CurrentSurfaceTexture as Current;
        let texture = match self.surface.get_current_texture() {
            Current::Success(texture) => texture,
            Current::Suboptimal(texture) => {
                // Still good for this picture; the next one gets a fitting surface.
                self.is_configured = false;
                texture
            }
            Current::Outdated => {
                self.is_configured = false;
                return Presented::Skipped;
            }
            Current::Timeout | Current::Occluded => return Presented::Skipped,
            Current::Lost | Current::Validation => return Presented::SurfaceLost,
        };
        self.draw(&texture.texture.create_view(&wgpu::TextureViewDescriptor::default()));
        self.gpu.queue.present(texture);
        Presented::Shown
    }

    fn draw(&self, view: &wgpu::TextureView) {
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("window") };
        let mut encoder = self.gpu.device.create_command_encoder(&descriptor);
        let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(MARGIN), store: wgpu::StoreOp::Store };
        let attachment = wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("window"),
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
        let fitted = fit(self.picture_size, self.configuration.width, self.configuration.height);
        pass.set_viewport(fitted.x, fitted.y, fitted.width, fitted.height, 0.0, 1.0);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.picture, &[]);
        pass.draw(0..3, 0..1);
        drop(pass);
        self.gpu.queue.submit([encoder.finish()]);
    }
}

/// Where the picture lies in the window, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fitted {
    x: f32,
    y: f32,
    width: f32,
    height: f32,
}

/// The largest rectangle of the picture's aspect in the middle of the window, on whole pixels.
fn fit(picture: Size, width_px: u32, height_px: u32) -> Fitted {
    let (width, height) = (f64::from(width_px), f64::from(height_px));
    let scale = (width / f64::from(picture.width_px)).min(height / f64::from(picture.height_px));
    let side = |side: u32, room: f64| (f64::from(side) * scale).round().clamp(1.0, room);
    let (fitted_width, fitted_height) = (side(picture.width_px, width), side(picture.height_px, height));
    Fitted {
        x: ((width - fitted_width) / 2.0).floor() as f32,
        y: ((height - fitted_height) / 2.0).floor() as f32,
        width: fitted_width as f32,
        height: fitted_height as f32,
    }
}

fn make_pipeline(device: &wgpu::Device, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::include_wgsl!("../../shaders/blit.wgsl"));
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("blit"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vs_main"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fs_main"),
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_keeps_its_aspect_and_lies_in_the_middle() {
        let picture = Size { width_px: 64, height_px: 32 };
        let fitted = |x, y, width, height| Fitted { x, y, width, height };
        assert_eq!(fit(picture, 128, 64), fitted(0.0, 0.0, 128.0, 64.0));
        assert_eq!(fit(picture, 100, 100), fitted(0.0, 25.0, 100.0, 50.0));
        assert_eq!(fit(picture, 200, 50), fitted(50.0, 0.0, 100.0, 50.0));
        assert_eq!(fit(picture, 1, 1), fitted(0.0, 0.0, 1.0, 1.0));
    }
}
