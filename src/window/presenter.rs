//! Puts what egui has drawn on the window's surface.

use std::sync::Arc;

use egui_wgpu::{RendererOptions, ScreenDescriptor};

use crate::gpu::{Gpu, LibraryError};

/// What became of an attempt to present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Presented {
    /// The picture is on the screen.
    Shown,
    /// Nothing can be shown now (minimised, covered, in between sizes); a later redraw may.
    Skipped,
    /// The surface is gone and has to be made anew.
    SurfaceLost,
    /// The driver does not draw on this surface, and will not: its window is gone, say.
    Refused(LibraryError),
}

pub(super) struct Presenter {
    gpu: Arc<Gpu>,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    is_configured: bool,
    renderer: egui_wgpu::Renderer,
}

/// One picture of the user interface, ready for the GPU.
pub(super) struct Painted {
    pub primitives: Vec<egui::ClippedPrimitive>,
    pub textures: egui::TexturesDelta,
    pub pixels_per_point: f32,
}

impl Presenter {
    /// Draws on `surface`. `None`: the adapter has no format for it.
    pub(crate) fn new(gpu: Arc<Gpu>, surface: wgpu::Surface<'static>) -> Option<Self> {
        let capabilities = surface.get_capabilities(&gpu.adapter);
        let mut configuration = surface.get_default_config(&gpu.adapter, 1, 1)?;
        // The bytes of the target are what the screen gets; an sRGB surface would convert them.
        configuration.format = *capabilities.formats.iter().find(|format| !format.is_srgb())?;
        configuration.present_mode = wgpu::PresentMode::Fifo;
        // Pixels of the picture reach the screen as they are: no dithering, and the nearest one exactly.
        let renderer = egui_wgpu::Renderer::new(&gpu.device, configuration.format, RendererOptions::PREDICTABLE);
        Some(Self { gpu, surface, configuration, is_configured: false, renderer })
    }

    /// The GPU that the window is drawn with.
    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Takes over a surface that was made anew for the same window.
    pub(crate) fn replace_surface(&mut self, surface: wgpu::Surface<'static>) {
        self.surface = surface;
        self.is_configured = false;
    }

    /// Width and height of what is drawn.
    pub(crate) fn size_px(&self) -> [u32; 2] {
        [self.configuration.width, self.configuration.height]
    }

    /// The window now has this size; 0×0 while minimised.
    pub(crate) fn resize(&mut self, width_px: u32, height_px: u32) {
        let largest = self.gpu.largest_side_px();
        self.configuration.width = width_px.min(largest);
        self.configuration.height = height_px.min(largest);
        self.is_configured = false;
    }

    /// Draws into the window. Textures are taken over in any case: egui sends each of them once.
    pub(crate) fn present(&mut self, mut painted: Painted) -> Presented {
        for (id, deltas) in painted.textures.set.drain() {
            for delta in deltas {
                self.renderer.update_texture(&self.gpu.device, &self.gpu.queue, id, &delta);
            }
        }
        let presented = self.present_primitives(&painted);
        for id in painted.textures.free.drain() {
            self.renderer.free_texture(&id);
        }
        presented
    }

    fn present_primitives(&mut self, painted: &Painted) -> Presented {
        if self.configuration.width == 0 || self.configuration.height == 0 {
            return Presented::Skipped;
        }
        if !self.is_configured {
            // A surface that was never configured must not be asked for a texture: wgpu panics.
            let configure = || self.surface.configure(&self.gpu.device, &self.configuration);
            if let Err(error) = self.gpu.caught(configure).settled() {
                return Presented::Refused(error.of_driver());
            }
            if self.gpu.is_in_trouble() {
                // A lost device, say. It is told by whoever checks the GPU next.
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
        self.draw(&texture.texture.create_view(&wgpu::TextureViewDescriptor::default()), painted);
        self.gpu.queue.present(texture);
        Presented::Shown
    }

    fn draw(&mut self, view: &wgpu::TextureView, painted: &Painted) {
        let (device, queue) = (&self.gpu.device, &self.gpu.queue);
        let screen = ScreenDescriptor {
            size_in_pixels: [self.configuration.width, self.configuration.height],
            pixels_per_point: painted.pixels_per_point,
        };
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("window") };
        let mut encoder = device.create_command_encoder(&descriptor);
        let before = self.renderer.update_buffers(device, queue, &mut encoder, &painted.primitives, &screen);
        let ops = wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store };
        let attachment = wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops };
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("window"),
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
        let mut pass = pass.forget_lifetime();
        self.renderer.render(&mut pass, &painted.primitives, &screen);
        drop(pass);
        queue.submit(before.into_iter().chain([encoder.finish()]));
    }
}
