//! CLEAR: the start of a pass, or a rectangle that is drawn.

use foldhash::HashMap;

use super::formats::{is_depth, stored_format, writes_alpha};
use super::outline::written_by_curve;
use super::own_shaders::OwnShader;
use super::pass::{Fill, clear_color, single_targets};
use super::pass_settings::PassSettings;
use crate::error::Internal;
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;
use crate::gpu::in_flight::Recorded;
use crate::gpu::renderer::Renderer;
use crate::replay::device_rules::{Device, check_attachments};
use crate::replay::{ClearedTargets, DrawTargets, TargetView};

/// What distinguishes two pipelines that fill rectangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FillKey {
    format: wgpu::TextureFormat,
    writes_alpha: bool,
    fills_depth: bool,
    fills_stencil: bool,
}

/// The pipelines that fill rectangles, made when they are first needed.
#[derive(Default)]
pub(super) struct FillPipelines(HashMap<FillKey, wgpu::RenderPipeline>);

/// Targets that a CLEAR can fill: bound as what they are. A texture of depth bound as a colour target has no colour to fill.
fn fillable(targets: &DrawTargets) -> DrawTargets {
    DrawTargets {
        colors: targets.colors.map(|slot| slot.filter(|target| !is_depth(target.format))),
        depth_stencil: targets.depth_stencil.filter(|target| is_depth(target.format)),
    }
}

impl Renderer {
    /// Fills targets.
    pub(super) fn clear_targets(&mut self, clear: &ClearedTargets) -> Result<(), GpuError> {
        let aspects = clear.aspects;
        let fill = Fill {
            color: aspects.color.then_some(clear.rgba),
            depth: aspects.depth.then_some(if clear.depth > 0.0 { clear.depth.min(1.0) } else { 0.0 }),
            stencil: aspects.stencil.then_some(clear.stencil),
        };
        if fill == Fill::NOTHING {
            return Ok(());
        }
        self.settle_stood_for(&clear.targets)?;
        let targets = written_by_curve(fillable(&clear.targets), clear.writes_srgb);
        let clear = &ClearedTargets { targets, ..clear.clone() };
        if clear.scissor.is_some() {
            for target in single_targets(&clear.targets) {
                self.fill_rectangle(&target, clear, fill)?;
            }
            return Ok(());
        }
        let sizes = clear.targets.colors.iter().chain([&clear.targets.depth_stencil]).flatten();
        let mut sizes: Vec<[u32; 2]> = sizes.map(|target| self.target_size_px(target)).collect();
        sizes.dedup();
        // The library counts slots that are none out when it clears on GL, and misses those behind them.
        let has_gap = !clear.targets.colors.is_sorted_by_key(Option::is_none);
        let is_each_alone =
            has_gap && self.gpu.is_gl() || check_attachments(self.gpu.record(), &clear.targets).is_err();
        match sizes.as_slice() {
            [] => Ok(()),
            // What is drawn next is mostly drawn to the same targets.
            [_] if !is_each_alone => self.device_pass(&clear.targets, fill).map(|_| ()),
            _ => single_targets(&clear.targets).try_for_each(|target| self.device_pass(&target, fill).map(|_| ())),
        }
    }

    /// Fills what of one target lies in the scissor.
    fn fill_rectangle(&mut self, target: &DrawTargets, clear: &ClearedTargets, fill: Fill) -> Result<(), GpuError> {
        let [color, ..] = target.colors;
        let lost = Internal::new("a target filled on its own is missing");
        let view = color.or(target.depth_stencil).ok_or(lost)?;
        let size = self.target_size_px(&view);
        // silent: nothing of the target lies in the scissor
        let Some([x, y, width, height]) = clear.scissor.and_then(|scissor| scissor_in(scissor, size)) else {
            return Ok(());
        };
        let has_something = match is_depth(view.format) {
            true => fill.depth.is_some() || fill.stencil.is_some(),
            false => fill.color.is_some(),
        };
        if !has_something {
            return Ok(());
        }
        let key = fill_key(self.gpu.record(), &view, fill);
        let gpu = self.gpu.clone();
        let pipeline = self.pipelines.fills.0.entry(key).or_insert_with(|| make_pipeline(&gpu, key)).clone();
        let color = clear_color(view.format, clear.rgba);
        let values = [color.r as f32, color.g as f32, color.b as f32, color.a as f32, fill.depth.unwrap_or(0.0)];
        let numbers = bytemuck::cast_slice(&values);
        let offset = self.bindings.uniforms.push(&gpu, numbers, FILL_BYTES)?;
        let buffer = self.bindings.uniforms.buffer()?;
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &buffer,
                    offset: u64::from(offset),
                    size: wgpu::BufferSize::new(u64::from(FILL_BYTES)),
                }),
            }],
        });
        // The bind group.
        self.recorder.batch.note(Recorded::Object);
        let pass = self.device_pass(target, Fill::NOTHING)?;
        let [width_px, height_px] = size;
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_viewport(0.0, 0.0, width_px as f32, height_px as f32, 0.0, 1.0);
        pass.set_scissor_rect(x, y, width, height);
        pass.set_stencil_reference(u32::from(fill.stencil.unwrap_or(0)));
        pass.draw(0..3, 0..1);
        // None of it is what draws have set.
        self.recorder.settings = PassSettings::default();
        Ok(())
    }
}

/// Bytes of what a fill is told: a colour and a depth, each in 16.
const FILL_BYTES: u32 = 32;

/// What of a scissor lies in a target of this size: left, top, width, height; nothing if nothing does.
pub(super) fn scissor_in(scissor: crate::command::SetScissor, size_px: [u32; 2]) -> Option<[u32; 4]> {
    let side = |axis: usize| {
        let (origin, length) = (scissor.origin_px.get(axis)?, scissor.size_px.get(axis)?);
        let limit = i64::from(*size_px.get(axis)?);
        let start = i64::from(*origin).clamp(0, limit);
        let end = (i64::from(*origin) + i64::from(*length)).clamp(start, limit);
        (end > start).then_some((start as u32, (end - start) as u32))
    };
    let ((x, width), (y, height)) = (side(0)?, side(1)?);
    Some([x, y, width, height])
}

fn fill_key(device: &Device, view: &TargetView, fill: Fill) -> FillKey {
    FillKey {
        format: stored_format(device, view.format),
        writes_alpha: writes_alpha(view.format),
        fills_depth: is_depth(view.format) && fill.depth.is_some(),
        fills_stencil: view.format == crate::command::TextureFormat::D24UnormS8Uint && fill.stencil.is_some(),
    }
}

fn make_pipeline(gpu: &Gpu, key: FillKey) -> wgpu::RenderPipeline {
    let module = OwnShader::Fill.module(gpu);
    let is_depth = key.format.has_depth_aspect();
    let write_mask = if key.writes_alpha { wgpu::ColorWrites::ALL } else { wgpu::ColorWrites::COLOR };
    let target = wgpu::ColorTargetState { format: key.format, blend: None, write_mask };
    let targets = [Some(target)];
    let replace = wgpu::StencilFaceState {
        compare: wgpu::CompareFunction::Always,
        fail_op: wgpu::StencilOperation::Replace,
        depth_fail_op: wgpu::StencilOperation::Replace,
        pass_op: wgpu::StencilOperation::Replace,
    };
    let keep = wgpu::StencilFaceState::IGNORE;
    let face = if key.fills_stencil { replace } else { keep };
    let depth_stencil = wgpu::DepthStencilState {
        format: key.format,
        depth_write_enabled: Some(key.fills_depth),
        depth_compare: Some(wgpu::CompareFunction::Always),
        stencil: wgpu::StencilState { front: face, back: face, read_mask: 0xff, write_mask: 0xff },
        bias: wgpu::DepthBiasState::default(),
    };
    let compilation_options = wgpu::PipelineCompilationOptions::default;
    gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("fill"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("cover"),
            compilation_options: compilation_options(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: is_depth.then_some(depth_stencil),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some(if is_depth { "fill_depth" } else { "fill_color" }),
            compilation_options: compilation_options(),
            targets: if is_depth { &[] } else { &targets },
        }),
        multiview_mask: None,
        cache: None,
    })
}
