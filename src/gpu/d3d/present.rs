//! What is presented, or asked for, as a picture: RGBA8, with the bytes that are stored; depth as grey.

use foldhash::HashMap;

use super::formats::{is_depth, stored_format};
use super::own_shaders::OwnShader;
use super::resources::ViewKey;
use crate::command::TextureFormat;
use crate::error::Internal;
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;
use crate::gpu::pipelines::TARGET_FORMAT;
use crate::gpu::render_target::RenderTarget;
use crate::gpu::renderer::Renderer;
use crate::pixels::{DepthMap, Picture, Size, Surface};
use crate::replay::TargetView;

/// The pipelines that show textures, by what is made of them.
#[derive(Default)]
pub(super) struct ShowPipelines(HashMap<Showing, wgpu::RenderPipeline>);

/// What is made of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Showing {
    /// Its colours.
    Color,
    /// Its depth, 0 black and 1 white.
    Grey,
    /// The bits of its depth.
    DepthBits,
    /// Its stencil.
    StencilBits,
}

impl Showing {
    const fn entry_point(self) -> &'static str {
        match self {
            Self::Color => "show",
            Self::Grey => "grey",
            Self::DepthBits => "depth_bits",
            Self::StencilBits => "stencil_bits",
        }
    }

    const fn shader(self) -> OwnShader {
        match self {
            Self::Color => OwnShader::Show,
            Self::Grey | Self::DepthBits | Self::StencilBits => OwnShader::ShowDepth,
        }
    }

    const fn sampled_as(self) -> wgpu::TextureSampleType {
        match self {
            Self::Color | Self::Grey | Self::DepthBits => wgpu::TextureSampleType::Float { filterable: false },
            Self::StencilBits => wgpu::TextureSampleType::Uint,
        }
    }

    /// How the texture is seen for it; of depth formats.
    fn view_of(self, source: &TargetView) -> ViewKey {
        let stored = stored_format(source.format);
        let (aspect, format) = match (self, stored) {
            (Self::StencilBits, _) => (wgpu::TextureAspect::StencilOnly, wgpu::TextureFormat::Stencil8),
            (_, wgpu::TextureFormat::Depth24PlusStencil8) => {
                (wgpu::TextureAspect::DepthOnly, wgpu::TextureFormat::Depth24Plus)
            }
            _ => (wgpu::TextureAspect::DepthOnly, stored),
        };
        ViewKey { aspect, format, ..ViewKey::of_target(source.format, source.mip, source.layer) }
    }
}

impl Renderer {
    /// Makes the picture be what a target holds.
    pub(super) fn show(&mut self, source: &TargetView) -> Result<(), GpuError> {
        let [width_px, height_px] = self.target_size_px(source);
        self.resize_target(Size { width_px, height_px })?;
        if is_depth(source.format) {
            return self.show_depth(source, Showing::Grey);
        }
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
        self.draw_shown(&view, Showing::Color);
        Ok(())
    }

    /// What a target holds, with all that its format keeps. The picture stays what it is.
    pub fn read_target(&mut self, source: &TargetView) -> Result<Surface, GpuError> {
        let aside = self.set_picture_aside();
        let read = self.read_shown(source);
        self.put_picture_back(aside);
        read
    }

    fn read_shown(&mut self, source: &TargetView) -> Result<Surface, GpuError> {
        if !is_depth(source.format) {
            self.show(source)?;
            return Ok(Surface::Color(self.read_back()?));
        }
        let [width_px, height_px] = self.target_size_px(source);
        let size = Size { width_px, height_px };
        self.resize_target(size)?;
        self.show_depth(source, Showing::DepthBits)?;
        let words = |picture: &Picture| picture.rgba().as_chunks::<4>().0.to_vec();
        let depth = words(&self.read_back()?).into_iter().map(f32::from_le_bytes).collect();
        let stencil = match source.format {
            TextureFormat::D24UnormS8Uint => {
                self.show_depth(source, Showing::StencilBits)?;
                Some(words(&self.read_back()?).into_iter().map(|[value, ..]| value).collect())
            }
            _ => None,
        };
        let lost = Internal::new("depth that was read back is not as large as the target");
        Ok(Surface::Depth(DepthMap::new(size, depth, stencil).map_err(|_| lost)?))
    }

    fn show_depth(&mut self, source: &TargetView, showing: Showing) -> Result<(), GpuError> {
        let view = self.target_texture(source)?.view(showing.view_of(source)).clone();
        self.d3d.open = None;
        self.draw_shown(&view, showing);
        Ok(())
    }

    fn draw_shown(&mut self, view: &wgpu::TextureView, showing: Showing) {
        let gpu = self.gpu.clone();
        let pipeline = self.d3d.shows.0.entry(showing).or_insert_with(|| make_pipeline(&gpu, showing)).clone();
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

fn make_pipeline(gpu: &Gpu, showing: Showing) -> wgpu::RenderPipeline {
    let module = showing.shader().module(gpu);
    let compilation_options = wgpu::PipelineCompilationOptions::default;
    let target = wgpu::ColorTargetState { format: TARGET_FORMAT, blend: None, write_mask: wgpu::ColorWrites::ALL };
    // Depth cannot be filtered, which a layout made of the shader would ask for.
    let source = wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Texture {
            sample_type: showing.sampled_as(),
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        },
        count: None,
    };
    let descriptor = wgpu::BindGroupLayoutDescriptor { label: Some("show"), entries: &[source] };
    let group_layout = gpu.device.create_bind_group_layout(&descriptor);
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("show"),
        bind_group_layouts: &[Some(&group_layout)],
        immediate_size: 0,
    });
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("show"),
        layout: Some(&layout),
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
            entry_point: Some(showing.entry_point()),
            compilation_options: compilation_options(),
            targets: &[Some(target)],
        }),
        multiview_mask: None,
        cache: None,
    })
}
