//! What is set in a render pass, so that nothing is set twice.

use super::drawn_last::DrawnLast;
use super::groups::StageGroup;
use super::outline::Area;
use crate::replay::{DynamicState, FloatBits};

/// What is set in the pass that is open; nothing of what was never set in it.
#[derive(Default)]
pub(in crate::gpu) struct PassSettings {
    pipeline: Option<wgpu::RenderPipeline>,
    groups: [Option<StageGroup>; 2],
    vertices: Vec<Option<(wgpu::Buffer, u64)>>,
    indices: Option<(wgpu::Buffer, u64, wgpu::IndexFormat)>,
    area: Option<Area>,
    scissor: Option<[u32; 4]>,
    blend_constant: Option<[FloatBits; 4]>,
    stencil_reference: Option<u8>,
    /// The last draw, as far as the next may share what it has set.
    pub(super) last: Option<Box<DrawnLast>>,
}

impl PassSettings {
    pub(super) fn pipeline(&mut self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        if self.pipeline.as_ref() != Some(pipeline) {
            pass.set_pipeline(pipeline);
            self.pipeline = Some(pipeline.clone());
        }
    }

    /// Sets the groups of both stages.
    pub(super) fn groups(&mut self, pass: &mut wgpu::RenderPass<'_>, groups: &[Option<StageGroup>; 2]) {
        for (number, (set, wanted)) in (0..).zip(self.groups.iter_mut().zip(groups)) {
            // silent: it is set, or the draw has no such stage
            let Some(wanted) = wanted.as_ref().filter(|wanted| set.as_ref() != Some(wanted)) else { continue };
            pass.set_bind_group(number, &wanted.group, wanted.offsets.as_slice());
            // Most draws have the same group at other offsets.
            match set {
                Some(set) if set.group == wanted.group => set.offsets = wanted.offsets,
                _ => *set = Some(wanted.clone()),
            }
        }
    }

    /// Sets vertex buffers, each from a byte on.
    pub(super) fn vertices(&mut self, pass: &mut wgpu::RenderPass<'_>, buffers: &[(wgpu::Buffer, u64)]) {
        if self.vertices.len() < buffers.len() {
            self.vertices.resize(buffers.len(), None);
        }
        for (slot, (set, wanted)) in (0..).zip(self.vertices.iter_mut().zip(buffers)) {
            if set.as_ref() != Some(wanted) {
                let (buffer, start) = wanted;
                pass.set_vertex_buffer(slot, buffer.slice(*start..));
                *set = Some(wanted.clone());
            }
        }
    }

    /// Sets the index buffer, from a byte on.
    pub(super) fn indices(
        &mut self,
        pass: &mut wgpu::RenderPass<'_>,
        (buffer, start_bytes, format): (&wgpu::Buffer, u64, wgpu::IndexFormat),
    ) {
        let is_set = self.indices.as_ref().is_some_and(|set| (&set.0, set.1, set.2) == (buffer, start_bytes, format));
        if !is_set {
            pass.set_index_buffer(buffer.slice(start_bytes..), format);
            self.indices = Some((buffer.clone(), start_bytes, format));
        }
    }

    /// Sets the rectangle that clip space maps to.
    pub(super) fn area(&mut self, pass: &mut wgpu::RenderPass<'_>, area: Area) {
        if self.area != Some(area) {
            let Area { origin_px: [x, y], size_px: [width, height], depth: [near, far] } = area;
            pass.set_viewport(x, y, width, height, near, far);
            self.area = Some(area);
        }
    }

    /// Sets left, top, width and height of the scissor.
    pub(super) fn scissor(&mut self, pass: &mut wgpu::RenderPass<'_>, scissor: [u32; 4]) {
        if self.scissor != Some(scissor) {
            let [left, top, columns, rows] = scissor;
            pass.set_scissor_rect(left, top, columns, rows);
            self.scissor = Some(scissor);
        }
    }

    /// Sets the numbers that are no part of a pipeline.
    pub(super) fn dynamic(&mut self, pass: &mut wgpu::RenderPass<'_>, dynamic: &DynamicState) {
        let DynamicState { blend_constant, stencil_reference, .. } = *dynamic;
        if self.blend_constant != Some(blend_constant) {
            let [r, g, b, a] = blend_constant.map(|channel: FloatBits| f64::from(channel.get()));
            pass.set_blend_constant(wgpu::Color { r, g, b, a });
            self.blend_constant = Some(blend_constant);
        }
        if self.stencil_reference != Some(stencil_reference) {
            pass.set_stencil_reference(u32::from(stencil_reference));
            self.stencil_reference = Some(stencil_reference);
        }
    }
}
