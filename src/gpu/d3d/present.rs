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
use crate::replay::device_rules::Device;

/// The pipelines that show textures, by what is made of them.
#[derive(Default)]
pub(super) struct ShowPipelines {
    made: HashMap<(Showing, Layers), wgpu::RenderPipeline>,
    /// What was shown last, bound: most presents are of the same back buffer.
    last: Option<(Showing, wgpu::TextureView, wgpu::BindGroup)>,
}

/// The layers of a view that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Layers {
    /// The one that is shown.
    One,
    /// All of an array, on a device without views of one layer. A uniform says which is shown.
    All,
}

impl ShowPipelines {
    fn get(&mut self, gpu: &Gpu, showing: Showing, layers: Layers) -> wgpu::RenderPipeline {
        self.made.entry((showing, layers)).or_insert_with(|| make_pipeline(gpu, showing, layers)).clone()
    }

    /// The pipeline that shows a texture, and the texture bound for it.
    fn bound(
        &mut self,
        gpu: &Gpu,
        showing: Showing,
        view: &wgpu::TextureView,
    ) -> (wgpu::RenderPipeline, wgpu::BindGroup) {
        let pipeline = self.get(gpu, showing, Layers::One);
        if let Some((shown, of, group)) = &self.last
            && (*shown, of) == (showing, view)
        {
            return (pipeline, group.clone());
        }
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(view) }],
        });
        self.last = Some((showing, view.clone(), group.clone()));
        (pipeline, group)
    }

    /// The pipeline that shows a layer of an array, and the array bound for it.
    fn bound_layer(
        &mut self,
        gpu: &Gpu,
        showing: Showing,
        view: &wgpu::TextureView,
        layer: wgpu::BufferBinding<'_>,
    ) -> (wgpu::RenderPipeline, wgpu::BindGroup) {
        let pipeline = self.get(gpu, showing, Layers::All);
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(view) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Buffer(layer) },
            ],
        });
        (pipeline, group)
    }

    /// Lets go of what was shown last.
    pub(super) fn forget_last(&mut self) {
        self.last = None;
    }
}

/// What is made of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Showing {
    /// Its colours.
    Color,
    /// Its depth, 0 black and 1 white.
    Grey,
    /// The bits of its depth.
    DepthBits,
    /// Where its stencil has this bit.
    StencilBit(u32),
}

impl Showing {
    const fn entry_point(self) -> &'static str {
        match self {
            Self::Color => "show",
            Self::Grey => "grey",
            Self::DepthBits => "depth_bits",
            Self::StencilBit(_) => "pass_on",
        }
    }

    const fn shader(self, layers: Layers) -> OwnShader {
        match self {
            Self::Color => OwnShader::Show,
            Self::Grey | Self::DepthBits => match layers {
                Layers::One => OwnShader::ShowDepth,
                Layers::All => OwnShader::ShowLayerDepth,
            },
            Self::StencilBit(_) => OwnShader::ShowStencil,
        }
    }

    /// What is added up, and the test that lets it through.
    fn stencil_test(self) -> Option<(wgpu::BlendState, wgpu::DepthStencilState)> {
        // silent: what shows something else than stencil tests none
        let Self::StencilBit(bit) = self else { return None };
        let adding = wgpu::BlendComponent {
            src_factor: wgpu::BlendFactor::Constant,
            dst_factor: wgpu::BlendFactor::One,
            operation: wgpu::BlendOperation::Add,
        };
        let face = wgpu::StencilFaceState { compare: wgpu::CompareFunction::Equal, ..Default::default() };
        let test = wgpu::DepthStencilState {
            format: stored_format(&Device::WEBGPU, TextureFormat::D24UnormS8Uint),
            depth_write_enabled: Some(false),
            depth_compare: Some(wgpu::CompareFunction::Always),
            stencil: wgpu::StencilState { front: face, back: face, read_mask: bit, write_mask: 0 },
            bias: wgpu::DepthBiasState::default(),
        };
        Some((wgpu::BlendState { color: adding, alpha: adding }, test))
    }
}

/// How the depth of a target is seen.
fn depth_view(device: &Device, source: &TargetView) -> ViewKey {
    let format = match stored_format(device, source.format) {
        wgpu::TextureFormat::Depth24PlusStencil8 => wgpu::TextureFormat::Depth24Plus,
        other => other,
    };
    let aspect = wgpu::TextureAspect::DepthOnly;
    ViewKey { aspect, format, ..ViewKey::of_target(device, source.format, source.mip, source.layer) }
}

impl Renderer {
    /// Makes the picture be what a target holds.
    pub(super) fn show(&mut self, source: &TargetView) -> Result<(), GpuError> {
        let [width_px, height_px] = self.target_size_px(source);
        self.resize_target(Size { width_px, height_px })?;
        if is_depth(source.format) {
            return self.show_depth(source, Showing::Grey);
        }
        let stored = stored_format(self.gpu.record(), source.format);
        let desc = self.target_texture(source)?.desc;
        let origin = wgpu::Origin3d { x: 0, y: 0, z: source.layer };
        self.settle_drawn(&[source.texture])?;
        let (from, mip) = (self.texture_to_read(source.texture)?, source.mip);
        self.recorder.open = None;
        let copied =
            wgpu::TexelCopyTextureInfo { texture: &from, mip_level: mip, origin, aspect: wgpu::TextureAspect::All };
        let extent = wgpu::Extent3d { width: width_px, height: height_px, depth_or_array_layers: 1 };
        if stored.remove_srgb_suffix() == TARGET_FORMAT {
            let to = self.presenter.target.texture().as_image_copy();
            self.recorder.batch.copy_texels(copied, to, extent);
            return Ok(());
        }
        // The channels stand in another order. What is stored counts, not what the curve of sRGB makes of it; and GL sees no
        // mip or layer of a texture by itself.
        let is_seen_otherwise = stored.is_srgb()
            || stored != stored_format(self.gpu.record(), desc.format)
            || self.gpu.is_gl() && (desc.mips, desc.layers) != (1, 1);
        let (view, _between) = match is_seen_otherwise {
            false => (self.target_view(source)?, None),
            true => {
                let between = RenderTarget::new(
                    &self.gpu,
                    Size { width_px, height_px },
                    "texels to be shown",
                    stored.remove_srgb_suffix(),
                );
                self.hold(Size { width_px, height_px }.rgba_bytes());
                let to = between.texture().as_image_copy();
                self.recorder.batch.copy_texels(copied, to, extent);
                (between.view().clone(), Some(between))
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
                self.show_stencil(source)?;
                Some(words(&self.read_back()?).into_iter().map(|[value, ..]| value).collect())
            }
            _ => None,
        };
        let lost = Internal::new("depth read back differs in size from the target");
        Ok(Surface::Depth(DepthMap::new(size, depth, stencil).map_err(|_| lost)?))
    }

    fn show_depth(&mut self, source: &TargetView, showing: Showing) -> Result<(), GpuError> {
        let has_views = self.gpu.record().features.layer_views;
        let key = depth_view(self.gpu.record(), source);
        let held = self.target_texture(source)?;
        if has_views || held.desc.layers == 1 {
            let view = held.view(key).clone();
            self.recorder.open = None;
            self.draw_shown(&view, showing);
            return Ok(());
        }
        let layers = (0, held.texture.depth_or_array_layers());
        let view = held.view(ViewKey { layers, dimension: wgpu::TextureViewDimension::D2Array, ..key }).clone();
        self.recorder.open = None;
        const NUMBERS_BYTES: u32 = 16;
        let offset = self.bindings.uniforms.push(&self.gpu, &source.layer.to_le_bytes(), NUMBERS_BYTES)?;
        let buffer = self.bindings.uniforms.buffer()?;
        let size = wgpu::BufferSize::new(u64::from(NUMBERS_BYTES));
        let layer = wgpu::BufferBinding { buffer: &buffer, offset: u64::from(offset), size };
        let (pipeline, group) = self.pipelines.shows.bound_layer(&self.gpu, showing, &view, layer);
        self.draw_bound(&pipeline, &group);
        Ok(())
    }

    /// Shows stencil by testing its bits, which every API can: not all of them let shaders read it.
    fn show_stencil(&mut self, source: &TargetView) -> Result<(), GpuError> {
        let view = self.target_view(source)?;
        self.recorder.open = None;
        let gpu = self.gpu.clone();
        let bits = (0..8).map(|bit| 1 << bit);
        let shows = &mut self.pipelines.shows;
        let pipelines: Vec<(u32, wgpu::RenderPipeline)> =
            bits.map(|bit| (bit, shows.get(&gpu, Showing::StencilBit(bit), Layers::One))).collect();
        let target = self.presenter.target.view();
        let pass = self.recorder.batch.begin_pass(|encoder| {
            let ops =
                wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT), store: wgpu::StoreOp::Store };
            let attachment =
                wgpu::RenderPassColorAttachment { view: target, depth_slice: None, resolve_target: None, ops };
            let depth_stencil_attachment = wgpu::RenderPassDepthStencilAttachment {
                view: &view,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store }),
                stencil_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store }),
            };
            let descriptor = wgpu::RenderPassDescriptor {
                label: Some("show stencil"),
                color_attachments: &[Some(attachment)],
                depth_stencil_attachment: Some(depth_stencil_attachment),
                ..Default::default()
            };
            encoder.begin_render_pass(&descriptor).forget_lifetime()
        });
        for (bit, pipeline) in &pipelines {
            let value = f64::from(*bit) / 255.0;
            pass.set_pipeline(pipeline);
            pass.set_stencil_reference(*bit);
            pass.set_blend_constant(wgpu::Color { r: value, g: value, b: value, a: value });
            pass.draw(0..3, 0..1);
        }
        self.recorder.batch.end_pass();
        Ok(())
    }

    fn draw_shown(&mut self, view: &wgpu::TextureView, showing: Showing) {
        let (pipeline, group) = self.pipelines.shows.bound(&self.gpu, showing, view);
        self.draw_bound(&pipeline, &group);
    }

    fn draw_bound(&mut self, pipeline: &wgpu::RenderPipeline, group: &wgpu::BindGroup) {
        let target = self.presenter.target.view();
        let pass = self.recorder.batch.begin_pass(|encoder| {
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
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.draw(0..3, 0..1);
        self.recorder.batch.end_pass();
    }
}

fn make_pipeline(gpu: &Gpu, showing: Showing, layers: Layers) -> wgpu::RenderPipeline {
    let module = showing.shader(layers).module(gpu);
    let compilation_options = wgpu::PipelineCompilationOptions::default;
    let (blend, depth_stencil) = showing.stencil_test().unzip();
    let target = wgpu::ColorTargetState { format: TARGET_FORMAT, blend, write_mask: wgpu::ColorWrites::ALL };
    // Depth cannot be filtered, which a layout made of the shader would ask for.
    let source = wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: match layers {
                Layers::One => wgpu::TextureViewDimension::D2,
                Layers::All => wgpu::TextureViewDimension::D2Array,
            },
            multisampled: false,
        },
        count: None,
    };
    let layer = wgpu::BindGroupLayoutEntry {
        binding: 1,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries = [source, layer];
    let entries = if layers == Layers::All { &entries[..] } else { &entries[..1] };
    let descriptor = wgpu::BindGroupLayoutDescriptor { label: Some("show"), entries };
    let group_layout = gpu.device.create_bind_group_layout(&descriptor);
    let groups = [Some(&group_layout)];
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("show"),
        bind_group_layouts: if depth_stencil.is_some() { &[] } else { &groups },
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
        depth_stencil,
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
