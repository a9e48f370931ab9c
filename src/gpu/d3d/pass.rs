//! Render passes: one lives as long as its targets are drawn to, and nothing else comes between.

use super::formats::{is_depth, stored_format, writes_alpha};
use super::pass_settings::PassSettings;
use super::resources::{DeviceTexture, ViewKey};
use crate::command::{CreateTexture, ResourceId, TextureFormat};
use crate::error::Internal;
use crate::gpu::batch::StandIn;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::device_rules::padded_size_px;
use crate::replay::{DrawTargets, TargetView};

/// What a pass fills its targets with before it draws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Fill {
    pub color: Option<[f32; 4]>,
    pub depth: Option<f32>,
    pub stencil: Option<u8>,
}

impl Fill {
    pub(super) const NOTHING: Self = Self { color: None, depth: None, stencil: None };
}

/// What is cleared to in a format: within its range, and opaque where it has no alpha.
pub(super) fn clear_color(format: TextureFormat, rgba: [f32; 4]) -> wgpu::Color {
    // A NaN is 0.
    let [r, g, b, a] = rgba.map(|channel| f64::from(if channel > 0.0 { channel.min(1.0) } else { 0.0 }));
    wgpu::Color { r, g, b, a: if writes_alpha(format) { a } else { 1.0 } }
}

impl Renderer {
    /// The pass that draws to `targets`, none of which is larger than the depth surface among them: the one that is open, if
    /// it does.
    pub(super) fn device_pass(
        &mut self,
        targets: &DrawTargets,
        fill: Fill,
    ) -> Result<&mut wgpu::RenderPass<'static>, GpuError> {
        let lost = Internal::new("a newly opened pass is missing");
        if self.recorder.open.as_ref() != Some(targets) || fill != Fill::NOTHING || !self.recorder.batch.has_pass() {
            self.open_pass(targets, fill)?;
        }
        Ok(self.recorder.batch.open_pass().ok_or(lost)?)
    }

    fn open_pass(&mut self, targets: &DrawTargets, fill: Fill) -> Result<(), GpuError> {
        let (mut colors, mut stand_ins) = (Vec::new(), Vec::new());
        let padded_px = padded_size_px(targets);
        for target in &targets.colors {
            colors.push(match target {
                Some(target) => {
                    let stand_in = self.stand_in(target, padded_px)?;
                    let view = match &stand_in {
                        Some(stand_in) => stand_in.drawn.create_view(&wgpu::TextureViewDescriptor::default()),
                        None => self.target_view(target)?,
                    };
                    stand_ins.extend(stand_in);
                    Some((view, *target))
                }
                None => None,
            });
        }
        // Slots past the last target are none.
        while colors.last().is_some_and(Option::is_none) {
            colors.pop();
        }
        let depth = match &targets.depth_stencil {
            Some(target) => Some((self.target_view(target)?, *target)),
            None => None,
        };
        let load = |target: &TargetView| match fill.color {
            Some(rgba) => wgpu::LoadOp::Clear(clear_color(target.format, rgba)),
            None => wgpu::LoadOp::Load,
        };
        let attachments: Vec<_> = colors
            .iter()
            .map(|color| {
                let (view, target) = color.as_ref()?;
                let ops = wgpu::Operations { load: load(target), store: wgpu::StoreOp::Store };
                Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
            })
            .collect();
        let depth_stencil = depth.as_ref().map(|(view, target)| {
            let depth = fill.depth.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear);
            let stencil = fill.stencil.map_or(wgpu::LoadOp::Load, |value| wgpu::LoadOp::Clear(u32::from(value)));
            let has_stencil = target.format == TextureFormat::D24UnormS8Uint;
            let stencil = wgpu::Operations { load: stencil, store: wgpu::StoreOp::Store };
            wgpu::RenderPassDepthStencilAttachment {
                view,
                depth_ops: Some(wgpu::Operations { load: depth, store: wgpu::StoreOp::Store }),
                stencil_ops: has_stencil.then_some(stencil),
            }
        });
        stand_ins.iter().for_each(|stand_in| stand_in.fill(&mut self.recorder.batch));
        self.recorder.batch.begin_pass(|encoder| {
            let descriptor = wgpu::RenderPassDescriptor {
                label: Some("guest pass"),
                color_attachments: &attachments,
                depth_stencil_attachment: depth_stencil,
                ..Default::default()
            };
            encoder.begin_render_pass(&descriptor).forget_lifetime()
        });
        self.recorder.batch.copy_back_after_pass(stand_ins);
        self.recorder.open = Some(*targets);
        self.recorder.settings = PassSettings::default();
        Ok(())
    }

    /// Texture that is drawn to instead of a target: where the pass is larger, and where the target's texture has the other
    /// curve on a device that shows textures only as they are stored.
    fn stand_in(&mut self, target: &TargetView, padded_px: Option<[u32; 2]>) -> Result<Option<StandIn>, GpuError> {
        if self.gpu.has_view_formats() && padded_px.is_none() {
            return Ok(None);
        }
        let has_view_formats = self.gpu.has_view_formats();
        let stored = stored_format(self.gpu.record(), target.format);
        let held = self.target_texture(target)?;
        let is_seen_so = has_view_formats || held.texture.format() == stored;
        if is_seen_so && padded_px.is_none() {
            return Ok(None);
        }
        let (desc, size_px) = (held.desc, held.mip_size_px(target.mip));
        let drawn_px = padded_px.unwrap_or(size_px);
        let texture = self.used_texture(target.texture)?;
        texture.snapshots.forget();
        texture.drawn_in = texture.used_in;
        let of = texture.texture.clone();
        let desc =
            CreateTexture { format: target.format, size_px: drawn_px, mips: 1, layers: 1, backing: None, ..desc };
        let drawn = DeviceTexture::new(&self.gpu, desc, None);
        self.hold(drawn.stored_bytes());
        let drawn = drawn.texture;
        Ok(Some(StandIn { drawn, of, mip: target.mip, layer: target.layer, size_px }))
    }

    /// What shows a target.
    pub(super) fn target_view(&mut self, target: &TargetView) -> Result<wgpu::TextureView, GpuError> {
        self.target_texture(target)?;
        let key = ViewKey::of_target(self.gpu.record(), target.format, target.mip, target.layer);
        let texture = self.used_texture(target.texture)?;
        texture.snapshots.forget();
        texture.drawn_in = texture.used_in;
        Ok(texture.view(key).clone())
    }

    /// The texture of a target; a back buffer is made when it is first drawn to.
    pub(super) fn target_texture(&mut self, target: &TargetView) -> Result<&mut DeviceTexture, GpuError> {
        if target.size_px.is_none() && !self.resources.objects.textures.contains_key(&target.texture) {
            let size = self.presenter.back_buffer;
            Self::check_size(&self.gpu, size)?;
            let desc = CreateTexture {
                id: ResourceId::handle(0),
                format: target.format,
                size_px: [size.width_px, size.height_px],
                mips: 1,
                layers: 1,
                row_pitch_bytes: 0,
                usage: 0,
                backing: None,
            };
            self.resources.objects.textures.insert(target.texture, DeviceTexture::new(&self.gpu, desc, None));
        }
        let lost = Internal::new("a target in use is not on the GPU");
        Ok(self.resources.objects.textures.get_mut(&target.texture).ok_or(lost)?)
    }

    /// Width and height of a target.
    pub(super) fn target_size_px(&self, target: &TargetView) -> [u32; 2] {
        target.size_px.unwrap_or([self.presenter.back_buffer.width_px, self.presenter.back_buffer.height_px])
    }

    /// Width and height of the targets of a draw; nothing without any.
    pub(super) fn targets_size_px(&self, targets: &DrawTargets) -> Option<[u32; 2]> {
        let first = targets.colors.iter().chain([&targets.depth_stencil]).flatten().next();
        first.map(|target| self.target_size_px(target))
    }
}

/// Each target on its own.
pub(super) fn single_targets(targets: &DrawTargets) -> impl Iterator<Item = DrawTargets> {
    let none = DrawTargets { colors: [None; crate::command::MOST_COLOR_TARGETS], depth_stencil: None };
    targets.colors.iter().chain([&targets.depth_stencil]).flatten().map(move |target| {
        let mut single = none;
        match (is_depth(target.format), &mut single.colors) {
            (true, _) => single.depth_stencil = Some(*target),
            (false, [first, ..]) => *first = Some(*target),
        }
        single
    })
}
