//! One draw: its program, pipeline, bindings and vertices, in the pass of its targets.

use std::sync::Arc;

use super::bindings::DrawNumbers;
use super::clear::scissor_in;
use super::formats::{is_depth, srgb_of};
use super::groups::StageGroup;
use super::pass::Fill;
use super::pipelines::{PipelineKey, primitive_topology};
use super::programs::DrawProgram;
use super::vertex_format::vertex_format;
use super::vertices::DrawCall;
use crate::command::{Location, Topology, Viewport};
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{DrawState, DrawTargets, DrawnVertices, ResourceBinding, World};
use crate::shader::d3d::{DrawOptions, InputFeed, PixelCenters};

/// The rectangle that clip space maps to, and its depths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub origin_px: [f32; 2],
    pub size_px: [f32; 2],
    pub depth: [f32; 2],
}

impl Renderer {
    /// Draws.
    pub(super) fn draw_device(
        &mut self,
        state: &Arc<DrawState>,
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<(), GpuError> {
        self.spend_device_vertices(vertices, at)?;
        let unsupported = |what: &str| GpuError::Unsupported { what: what.into(), at };
        if let Some(stage) = state.other_stage {
            return Err(unsupported(&format!("a draw with a {} shader", stage.direct3d_name())));
        }
        if let Some(rule) = undrawn_rule(state) {
            return Err(unsupported(rule));
        }
        // Targets have one sample, and not every driver looks whether it is written.
        if state.fixed.sample_mask & 1 == 0 {
            return Ok(());
        }
        let topology = primitive_topology(self.drawn_topology(state, vertices));
        let topology = topology.ok_or_else(|| unsupported(&format!("a draw of {}", state.topology)))?;
        let targets = self.written_targets(state, at)?;
        let Some(size_px) = self.targets_size_px(&targets) else {
            // Nothing is drawn to.
            return Ok(());
        };
        let scissor = match state.scissor {
            Some(scissor) => match scissor_in(scissor, size_px) {
                Some(inside) => inside,
                None => return Ok(()),
            },
            None => {
                let [width, height] = size_px;
                [0, 0, width, height]
            }
        };
        let Some(area) = area(state.viewport, size_px) else { return Ok(()) };
        self.check_area(&area, at)?;
        let program = {
            let Self { d3d, gpu, .. } = self;
            d3d.programs.get(gpu, state, options(state), at)?
        };
        let numbers = numbers(state, vertices, &area);
        let source = self.vertex_source(state, vertices, program.inputs, at)?;
        let call = self.draw_call(state, vertices, at)?;
        let groups = self.groups(&program, state, &numbers, at)?;
        let (colors, depth_stencil) = PipelineKey::formats(&targets);
        let is_strip = matches!(topology, wgpu::PrimitiveTopology::LineStrip | wgpu::PrimitiveTopology::TriangleStrip);
        let strip_index = match &call {
            DrawCall::Indexed { format, .. } if is_strip => Some(*format),
            _ => None,
        };
        let key = PipelineKey {
            program: program.number,
            slots: source.slots,
            fixed: state.fixed,
            colors,
            depth_stencil,
            topology,
            strip_index,
        };
        let pipeline = {
            let Self { d3d, gpu, .. } = self;
            d3d.pipelines.get(gpu, key, &program, at)?
        };
        self.device_pass(&targets, Fill::NOTHING)?;
        let Self { batch, d3d, .. } = self;
        let lost = Internal::at("a draw's pass is not open", at.offset);
        let (pass, settings) = (batch.open_pass().ok_or(lost)?, &mut d3d.settings);
        settings.pipeline(pass, &pipeline);
        settings.groups(pass, groups);
        settings.vertices(pass, &source.buffers);
        settings.area(pass, area);
        settings.scissor(pass, scissor);
        settings.dynamic(pass, &state.dynamic);
        match call {
            DrawCall::Direct { vertices, instances } => pass.draw(vertices, instances),
            DrawCall::Indexed { buffer, start_bytes, format, indices, base_vertex, instances } => {
                settings.indices(pass, (buffer, start_bytes, format));
                pass.draw_indexed(indices, base_vertex, instances);
            }
        }
        self.batch.note_draw(at);
        if self.batch.draw_count() >= self.limits.draws {
            self.submit()?;
        }
        Ok(())
    }

    /// Both stages' bind groups.
    fn groups(
        &mut self,
        program: &DrawProgram,
        state: &DrawState,
        numbers: &DrawNumbers,
        at: Location,
    ) -> Result<[Option<StageGroup>; 2], GpuError> {
        let vertex = self.stage_group(&program.vertex, &state.vertex_bindings, state, numbers, at)?;
        let pixel = match &program.pixel {
            Some(stage) => Some(self.stage_group(stage, &state.pixel_bindings, state, numbers, at)?),
            None => None,
        };
        Ok([Some(vertex), pixel])
    }

    /// The targets of a draw, seen as it writes them: by the curve of sRGB where Direct3D 9 says so.
    fn written_targets(&self, state: &DrawState, at: Location) -> Result<DrawTargets, GpuError> {
        let mut targets = state.targets;
        if state.fixed.legacy.writes_srgb {
            for target in targets.colors.iter_mut().flatten() {
                let format = srgb_of(target.format);
                if format != target.format && !self.gpu.has_view_formats() {
                    let what = "writing by the curve of sRGB on this device".into();
                    return Err(GpuError::Unsupported { what, at });
                }
                target.format = format;
            }
        }
        Ok(targets)
    }

    fn check_area(&self, area: &Area, at: Location) -> Result<(), GpuError> {
        let limit = self.gpu.largest_side_px();
        match area.size_px.iter().any(|side| *side > limit as f32) {
            true => Err(GpuError::ViewportTooLarge { at, size_px: area.size_px.map(|side| side as u32), limit }),
            false => Ok(()),
        }
    }

    fn spend_device_vertices(&mut self, vertices: DrawnVertices, at: Location) -> Result<(), GpuError> {
        let (count, instances) = match vertices {
            DrawnVertices::Direct(draw) => (draw.vertex_count, draw.instance_count),
            DrawnVertices::Indexed(draw) => (draw.index_count, draw.instance_count),
        };
        self.spend_vertices(u64::from(count) * u64::from(instances), at)
    }
}

/// What Direct3D 9 does besides shaders that this build does not.
fn undrawn_rule(state: &DrawState) -> Option<&'static str> {
    let legacy = state.fixed.legacy;
    let points = legacy.points.are_sprites || legacy.points.are_scaled;
    if legacy.fog.is_some() {
        Some("fog")
    } else if legacy.clip_planes != 0 {
        Some("a clip plane")
    } else if points && state.topology == Topology::PointList {
        Some("a point that is a sprite or scaled")
    } else {
        None
    }
}

/// The rectangle that clip space maps to; nothing of one without an area.
fn area(viewport: Option<Viewport>, target_px: [u32; 2]) -> Option<Area> {
    let whole = Area { origin_px: [0.0; 2], size_px: target_px.map(|side| side as f32), depth: [0.0, 1.0] };
    let area = match viewport {
        None | Some(Viewport::TopLeft { width_px: 0, .. } | Viewport::TopLeft { height_px: 0, .. }) => whole,
        Some(Viewport::TopLeft { width_px, height_px }) => {
            Area { size_px: [width_px, height_px].map(|side| side as f32), ..whole }
        }
        Some(Viewport::Rectangle { origin_px, size_px, depth: [near, far] }) => {
            let within = |depth: f32| if depth > 0.0 { depth.min(1.0) } else { 0.0 };
            let (near, far) = (within(near), within(far));
            Area { origin_px, size_px, depth: [near, far.max(near)] }
        }
    };
    let is_area = area.size_px.iter().all(|side| *side > 0.0) && area.origin_px.iter().all(|at| at.is_finite());
    is_area.then_some(area)
}

/// What the stages depend on besides their shaders.
fn options(state: &DrawState) -> DrawOptions {
    let registers = state.inputs.iter().map(|input| input.register + 1).max().unwrap_or(0);
    let mut inputs = vec![InputFeed::Missing; registers as usize];
    for (register, into) in (0..).zip(&mut inputs) {
        let fed = state.inputs.iter().find(|input| input.register == register);
        // A value that is not drawn is refused with its draw, if its shader reads it.
        let format = fed.and_then(|input| vertex_format(input.value));
        *into = format.map_or(InputFeed::Missing, |(_, feed)| feed);
    }
    let depth = state.pixel_bindings.resources.iter().filter_map(|(slot, bound)| match bound {
        ResourceBinding::Texture(texture) if is_depth(texture.format) => Some(*slot),
        _ => None,
    });
    let legacy = state.fixed.legacy;
    let is_legacy = state.world == World::Direct3d9;
    let vertex = state.vertex.as_ref().and_then(|shader| shader.program.as_ref().ok());
    let is_shifted = vertex.is_some_and(|slots| slots.is_shifted);
    DrawOptions {
        inputs,
        pixel_centers: if is_legacy && !is_shifted { PixelCenters::Direct3d9 } else { PixelCenters::Direct3d10 },
        alpha_test: legacy.alpha_test,
        depth_textures: depth.collect(),
        is_flat: is_legacy && legacy.shading == crate::replay::Shading::Flat,
    }
}

fn numbers(state: &DrawState, vertices: DrawnVertices, area: &Area) -> DrawNumbers {
    let (first_vertex, first_instance) = match vertices {
        DrawnVertices::Direct(draw) => (draw.first_vertex, draw.first_instance),
        // The API adds it to each index.
        DrawnVertices::Indexed(draw) => (draw.base_vertex as u32, draw.first_instance),
    };
    DrawNumbers {
        viewport_px: area.size_px,
        alpha_reference: state.dynamic.alpha_reference,
        first_vertex,
        first_instance,
    }
}
