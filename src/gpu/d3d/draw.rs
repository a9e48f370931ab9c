//! One draw: its program, pipeline, bindings and vertices, in the pass of its targets.

use std::sync::Arc;

use super::drawn_last::DrawnLast;
use super::known_sources::KnownVertices;
use super::outline::{Area, DrawOutline, KnownOutline};
use super::parameters::DrawNumbers;
use super::pass::Fill;
use super::pass_settings::PassSettings;
use super::stage_groups::{BothGroups, LastStage};
use super::vertices::DrawCall;
use crate::command::Location;
use crate::error::Internal;
use crate::gpu::error::{BudgetedWork, GpuError};
use crate::gpu::recorder::Recorder;
use crate::gpu::renderer::Renderer;
use crate::replay::device_rules::{ViewportMove, check_written_by_draw, stages_of, writes_buffers};
use crate::replay::{DrawState, DrawnVertices, DynamicState};

/// What a draw reads.
pub(super) struct PreparedDraw {
    pub vertices: Arc<KnownVertices>,
    call: DrawCall,
    groups: BothGroups,
    numbers: DrawNumbers,
}

impl PreparedDraw {
    /// The size of its indices, if it is drawn by indices.
    pub(super) fn index_format(&self) -> Option<wgpu::IndexFormat> {
        self.call.index_format()
    }

    /// Draws in a pass that has a pipeline and a scissor.
    pub(super) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        settings: &mut PassSettings,
        area: Area,
        dynamic: &DynamicState,
    ) {
        let (groups, _) = &self.groups;
        settings.groups(pass, groups);
        settings.vertices(pass, &self.vertices.source.buffers);
        settings.area(pass, area);
        settings.dynamic(pass, dynamic);
        self.call.draw(pass, settings);
    }
}

impl DrawCall {
    /// The size of its indices, if it is drawn by indices.
    pub(super) fn index_format(&self) -> Option<wgpu::IndexFormat> {
        match self {
            Self::Indexed { format, .. } => Some(*format),
            Self::Direct { .. } | Self::Points { .. } => None,
        }
    }

    /// Draws in a pass that has all but indices.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, settings: &mut PassSettings) {
        match self {
            Self::Direct { vertices, instances } => pass.draw(vertices.clone(), instances.clone()),
            Self::Points { points, times } => (0..*times).for_each(|_| pass.draw(0..4, points.clone())),
            Self::Indexed { buffer, start_bytes, format, indices, base_vertex, instances } => {
                settings.indices(pass, (buffer, *start_bytes, *format));
                pass.draw_indexed(indices.clone(), *base_vertex, instances.clone());
            }
        }
    }
}

impl Renderer {
    /// Draws.
    pub(super) fn draw_device(
        &mut self,
        state: &Arc<DrawState>,
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<(), GpuError> {
        self.spend(budgeted(vertices), at)?;
        self.settle_for_draw(state)?;
        let mut known = self.take_outline(state, vertices, at)?;
        let drawn = match self.draw_again(&mut known, state, vertices, at) {
            Ok(false) => self.draw_outlined(&mut known, state, vertices, at),
            drawn => drawn.map(|_| ()),
        };
        self.pipelines.outlines.put(known);
        drawn
    }

    fn draw_outlined(
        &mut self,
        known: &mut KnownOutline,
        state: &DrawState,
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<(), GpuError> {
        // silent: a draw that changes no pixel
        let KnownOutline { outline: Some(outline), last, .. } = known else { return Ok(()) };
        let prepared = self.prepare_outlined((outline, last), state, vertices, at)?;
        let lost = Internal::at("a draw's pass is not open", at.offset);
        let pipeline = known.pipeline(self, state, (&prepared.vertices.source, prepared.index_format()), at)?;
        let outline = known.outline.as_ref().ok_or(lost)?;
        // What a draw writes other draws of its pass would neither wait for nor be allowed to read.
        let is_alone = writes_buffers(state);
        if is_alone {
            self.recorder.open = None;
        }
        self.time_before_pass(at);
        self.device_pass(&outline.targets, Fill::NOTHING)?;
        self.time_before_draw(at);
        // Copies that a device makes too early are looked for before each draw.
        let is_repeatable = !is_alone && !outline.program.has_sized_points && !self.gpu.has_early_copies();
        let epoch = self.resource_epoch();
        let Recorder { batch, settings, open, .. } = &mut self.recorder;
        let pass = batch.open_pass().ok_or(lost)?;
        settings.pipeline(pass, &pipeline);
        settings.scissor(pass, outline.scissor);
        prepared.draw(pass, settings, outline.area, &state.dynamic);
        if is_alone {
            *open = None;
        }
        let PreparedDraw { vertices, groups: (_, stages), numbers, call } = prepared;
        let (seen_by, read) = ((known.number(), call.index_format(), epoch), outline.program.inputs);
        settings.last = match is_repeatable {
            true => DrawnLast::of(seen_by, (state.inputs.number(), read, vertices), (stages, numbers)),
            false => None,
        };
        self.time_after_draw(at);
        self.recorder.batch.note_draw(at);
        Ok(())
    }

    /// What a draw reads, made ready.
    // Put together in parts; handed on it would be read as a whole, which waits for the parts.
    #[inline(always)]
    pub(super) fn prepare_outlined(
        &mut self,
        (outline, last): (&DrawOutline, &mut [LastStage; 2]),
        state: &DrawState,
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<PreparedDraw, GpuError> {
        let DrawOutline { program, drawn_to, .. } = outline;
        let is_writing = writes_buffers(state);
        if is_writing {
            check_written_by_draw(state).map_err(|refusal| GpuError::Refusal { refusal, at })?;
        }
        let numbers = outline.numbers(state, vertices);
        let (call, vertices) = match program.has_sized_points {
            true => {
                let (call, source) = self.sized_points((state, program), vertices, at)?;
                (call, Arc::new(KnownVertices::of_one_draw(source)))
            }
            false => (
                self.draw_call((state, program), vertices, at)?,
                self.known_source(state, vertices, (program.inputs, at))?,
            ),
        };
        let groups = self.stage_groups((program, drawn_to), last, state, &numbers, at)?;
        if is_writing {
            self.note_written(&stages_of(state))?;
        }
        Ok(PreparedDraw { vertices, call, groups, numbers })
    }
}

/// Kind of a draw, and the vertices that it runs its vertex shader for.
pub(super) fn budgeted(vertices: DrawnVertices) -> (BudgetedWork, u64) {
    let (work, count, instances) = match vertices {
        DrawnVertices::Direct(draw) => (BudgetedWork::Draw, draw.vertex_count, draw.instance_count),
        DrawnVertices::Indexed(draw) => (BudgetedWork::DrawIndexed, draw.index_count, draw.instance_count),
    };
    (work, u64::from(count) * u64::from(instances))
}

pub(super) fn numbers(state: &DrawState, vertices: DrawnVertices, area: &Area) -> DrawNumbers {
    let (first_vertex, first_instance) = match vertices {
        DrawnVertices::Direct(draw) => (draw.first_vertex, draw.first_instance),
        // The API adds it to each index.
        DrawnVertices::Indexed(draw) => (draw.base_vertex as u32, draw.first_instance),
    };
    DrawNumbers {
        viewport_px: area.size_px,
        alpha_reference: state.dynamic.alpha_reference,
        fog: state.dynamic.fog,
        points: state.dynamic.points,
        first_vertex,
        first_instance,
        moved: ViewportMove::NONE,
    }
}
