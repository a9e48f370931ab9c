//! What is presented, as a picture: RGBA8, with the bytes that are stored.

use foldhash::HashMap;

use super::formats::{is_depth, stored_format};
use super::own_shaders::OwnShader;
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;
use crate::gpu::pipelines::TARGET_FORMAT;
use crate::gpu::render_target::RenderTarget;
use crate::gpu::renderer::Renderer;
use crate::pixels::Size;
use crate::replay::TargetView;

/// The pipelines that show textures, by what is made of them.
#[derive(Default)]
pub(super) struct ShowPipelines(HashMap<wgpu::TextureFormat, wgpu::RenderPipeline>);

impl Renderer {
    /// Makes the picture be what a target holds.
    pub(super) fn show(&mut self, source: &TargetView) -> Result<(), GpuError> {
        if is_depth(source.format) {
            let at = self.batch.first.unwrap_or_default();
            let what = format!("a picture of {}", source.format).into();
            return Err(GpuError::Unsupported { what, at });
        }
        let [width_px, height_px] = self.target_size_px(source);
        self.resize_target(Size { width_px, height_px })?;
        let stored = stored_format(source.format);
        let desc = self.target_texture(source)?.desc;
        let origin = wgpu::Origin3d { x: 0, y: 0, z: source.layer };
        let (from, mip) = (self.texture_to_read(source.texture)?, source.mip);
        self.d3d.open = None;
        let copied =
            wgpu::TexelCopyTextureInfo { texture: &from, mip_level: mip, origin, aspect: wgpu::TextureAspect::All };
        let extent = wgpu::Extent3d { width: width_px, height: height_px, depth_or_array_layers: 1 };
        if stored.remove_srgb_suffix() == TARGET_FORMAT {
            let to = self.target.texture.as_image_copy();
            self.batch.after_draws().copy_texture_to_texture(copied, to, extent);
            return Ok(());
        }
        // The channels stand in another order. What is stored counts, not what the curve of sRGB makes of it; and GL sees no
        // mip or layer of a texture by itself.
        let is_seen_otherwise = stored.is_srgb() || self.gpu.is_gl() && (desc.mips, desc.layers) != (1, 1);
        let (view, _between) = match is_seen_otherwise {
            false => (self.target_view(source)?, None),
            true => {
                let between = RenderTarget::new(
                    &self.gpu,
                    Size { width_px, height_px },
                    "texels to be shown",
                    stored.remove_srgb_suffix(),
                );
                let to = between.texture.as_image_copy();
                self.batch.after_draws().copy_texture_to_texture(copied, to, extent);
                (between.view.clone(), Some(between))
            }
        };
        self.draw_shown(&view);
        Ok(())
    }

    fn draw_shown(&mut self, view: &wgpu::TextureView) {
        let gpu = self.gpu.clone();
        let pipeline = self.d3d.shows.0.entry(TARGET_FORMAT).or_insert_with(|| make_pipeline(&gpu)).clone();
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(view) }],
        });
        let target = &self.target.view;
        let pass = self.batch.begin_pass(|encoder| {
            let ops = wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store };
            let attachment =
                wgpu::RenderPassColorAttachment { view: target, depth_slice: None, resolve_target: None, ops };
            let descriptor = wgpu::RenderPassDescriptor {
                label: Some("show"),
                color_attachments: &[Some(attachment)],
                ..Default::default()
            };
            encoder.begin_render_pass(&descriptor).forget_lifetime()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
        self.batch.end_pass();
    }
}

fn make_pipeline(gpu: &Gpu) -> wgpu::RenderPipeline {
    let module = OwnShader::Show.module(gpu);
    let compilation_options = wgpu::PipelineCompilationOptions::default;
    let target = wgpu::ColorTargetState { format: TARGET_FORMAT, blend: None, write_mask: wgpu::ColorWrites::ALL };
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("show"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("cover"),
            compilation_options: compilation_options(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("show"),
            compilation_options: compilation_options(),
            targets: &[Some(target)],
        }),
        multiview_mask: None,
        cache: None,
    })
}
