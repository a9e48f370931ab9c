//! One draw → wgpu: pipeline, viewport, vertices, and what the instruments ask for.

use super::draw_override::{DrawOverride, OverrideKind, color_of};
use super::error::GpuError;
use super::in_flight::Recorded;
use super::overdraw_counter::parts;
use super::pipelines::{DrawPipeline, PipelineKey};
use super::renderer::Renderer;
use super::triangles::{Corners, draw_triangles};
use super::vertex_slots::{FetchLayout, SlotOffsets, assign_slots};
use crate::command::Location;
use crate::error::Internal;
use crate::replay::{AttributeLayout, BufferKey, DirectFetch, DrawOp, ProgramKey, ProgramLibrary, VertexFetch};

/// What is set in the open pass, so that it is not set again.
#[derive(Default)]
pub(super) struct Bound {
    pipeline: Option<PipelineKey>,
    /// In which the pipeline wants triangles drawn.
    corners: Corners,
    /// The program, override and layout that pipeline and slots were last chosen for.
    chosen: Option<(ProgramKey, OverrideKind, AttributeLayout)>,
    slots: SlotOffsets,
    /// The buffer that the slots are set to, and where in it the first vertex starts.
    vertices: Option<(BufferKey, u32)>,
    /// `None`: nothing known. `Some(None)`: the whole target.
    viewport_px: Option<Option<[u32; 2]>>,
    has_scissor: bool,
    /// What the blend constant holds.
    constant: Option<[u8; 4]>,
}

impl Bound {
    /// The slots are set to something else, or the buffer has another version.
    pub(crate) fn forget_vertices(&mut self) {
        self.vertices = None;
    }
}

impl Renderer {
    /// Draws as the override says.
    #[inline]
    pub(super) fn draw_overridden(
        &mut self,
        draw: &DrawOp,
        at: Location,
        programs: &ProgramLibrary,
    ) -> Result<(), GpuError> {
        match self.queries.draw_override {
            DrawOverride::Guest
            | DrawOverride::Solid(_)
            | DrawOverride::Silhouette(_)
            | DrawOverride::Edges(_)
            | DrawOverride::PrimitiveNumbers
            | DrawOverride::Test(_)
            | DrawOverride::Passed(..)
            | DrawOverride::Side(..) => self.draw(draw, at, programs),
            DrawOverride::CountWrites => parts(draw).try_for_each(|part| {
                self.make_room_to_count(part.vertex_count / 3)?;
                self.draw(&part, at, programs)
            }),
        }
    }

    #[inline]
    fn draw(&mut self, draw: &DrawOp, at: Location, programs: &ProgramLibrary) -> Result<(), GpuError> {
        if let VertexFetch::Gathered { bytes } = &draw.vertices {
            self.make_room_to_hold(bytes.len() as u64)?;
        }
        if let Some(visibility) = &mut self.queries.visibility {
            visibility.prepare_pass(&self.gpu, &mut self.recorder.batch);
        }
        self.time_before_pass(at);
        if !self.recorder.batch.has_pass() {
            self.recorder.bound = Bound::default();
        }
        let is_bound = match &draw.vertices {
            VertexFetch::Direct(fetch) => self.bind_direct(draw.program, fetch, at, programs)?,
            others => self.bind_others(draw.program, others, at, programs)?,
        };
        if !is_bound {
            return Ok(());
        }
        if self.recorder.bound.viewport_px != Some(draw.viewport_px) {
            self.bind_viewport(draw.viewport_px, at)?;
        }
        self.bind_queries();
        self.time_before_draw(at);
        let query = self.queries.visibility.as_mut().map(|visibility| visibility.ask());
        let pass = self.recorder.batch.pass(self.presenter.target.view());
        if let Some(query) = query {
            pass.begin_occlusion_query(query);
        }
        draw_triangles(&self.gpu, pass, &mut self.bindings.corner_indices, self.recorder.bound.corners, draw);
        if query.is_some() {
            pass.end_occlusion_query();
        }
        self.time_after_draw(at);
        self.recorder.batch.note_draw(at);
        Ok(())
    }

    /// Sets pipeline and vertex buffers; `false` if there is nothing to draw.
    #[inline]
    fn bind_direct(
        &mut self,
        program: ProgramKey,
        fetch: &DirectFetch,
        at: Location,
        programs: &ProgramLibrary,
    ) -> Result<bool, GpuError> {
        let override_kind = self.queries.draw_override.kind();
        let is_chosen =
            self.recorder.bound.chosen.as_ref().is_some_and(|(last, with, layout)| {
                *last == program && *with == override_kind && *layout == fetch.layout
            });
        if !is_chosen && !self.choose(program, fetch.layout, at, programs)? {
            return Ok(false);
        }
        if self.recorder.bound.vertices != Some((fetch.buffer, fetch.start_bytes)) {
            self.bind_buffer(fetch, at)?;
        }
        Ok(true)
    }

    /// Chooses pipeline and slots for vertices that are read in place.
    fn choose(
        &mut self,
        program: ProgramKey,
        layout: AttributeLayout,
        at: Location,
        programs: &ProgramLibrary,
    ) -> Result<bool, GpuError> {
        let (fetch_layout, slots) = assign_slots(&layout);
        let override_kind = self.queries.draw_override.kind();
        if !self.bind_pipeline(PipelineKey { program, layout: fetch_layout, override_kind }, at, programs)? {
            return Ok(false);
        }
        if self.recorder.bound.slots != slots {
            self.recorder.bound.slots = slots;
            self.recorder.bound.forget_vertices();
        }
        self.recorder.bound.chosen = Some((program, override_kind, layout));
        Ok(true)
    }

    fn bind_buffer(&mut self, fetch: &DirectFetch, at: Location) -> Result<(), GpuError> {
        let buffer = self.resources.packets.for_draw(&self.gpu.device, fetch.buffer, self.recorder.number);
        let buffer = buffer.ok_or(Internal::at("a draw's buffer is not on the GPU", at.offset))?;
        let pass = self.recorder.batch.pass(self.presenter.target.view());
        for (slot, offset) in (0..).zip(self.recorder.bound.slots.into_iter().flatten()) {
            pass.set_vertex_buffer(slot, buffer.slice(u64::from(fetch.start_bytes) + u64::from(offset)..));
        }
        self.recorder.bound.vertices = Some((fetch.buffer, fetch.start_bytes));
        Ok(())
    }

    /// The same for vertices that are not read in place.
    fn bind_others(
        &mut self,
        program: ProgramKey,
        vertices: &VertexFetch,
        at: Location,
        programs: &ProgramLibrary,
    ) -> Result<bool, GpuError> {
        self.recorder.bound.chosen = None;
        let override_kind = self.queries.draw_override.kind();
        // silent: a program without attributes needs no vertices
        let VertexFetch::Gathered { bytes } = vertices else {
            return self.bind_pipeline(PipelineKey { program, layout: FetchLayout::None, override_kind }, at, programs);
        };
        if !self.bind_pipeline(PipelineKey { program, layout: FetchLayout::Gathered, override_kind }, at, programs)? {
            return Ok(false);
        }
        let buffer = self.make_filled_buffer("gathered vertices", bytes)?;
        self.hold(buffer.size());
        self.recorder.batch.pass(self.presenter.target.view()).set_vertex_buffer(0, buffer.slice(..));
        self.recorder.bound.forget_vertices();
        Ok(true)
    }

    /// Sets what the override and the other queries need in the pass.
    fn bind_queries(&mut self) {
        if let Some([x, y]) = self.queries.scissor_px.filter(|_| !self.recorder.bound.has_scissor) {
            self.recorder.batch.pass(self.presenter.target.view()).set_scissor_rect(x, y, 1, 1);
            self.recorder.bound.has_scissor = true;
        }
        if let Some(rgba) = self.queries.draw_override.rgba().filter(|rgba| self.recorder.bound.constant != Some(*rgba))
        {
            self.recorder.batch.pass(self.presenter.target.view()).set_blend_constant(color_of(rgba));
            self.recorder.bound.constant = Some(rgba);
        }
    }

    /// Sets the pipeline; `false` if there is nothing to draw, because the override finds no colour output.
    fn bind_pipeline(&mut self, key: PipelineKey, at: Location, programs: &ProgramLibrary) -> Result<bool, GpuError> {
        if self.recorder.bound.pipeline == Some(key) {
            return Ok(true);
        }
        let program = programs.get(key.program);
        let program = program.ok_or(Internal::at("a draw's program is not in the library", at.offset))?;
        if key.override_kind.needs_color_output() && !program.writes_target() {
            return Ok(false);
        }
        self.gpu.under_way().ask_for(at);
        let made = self.pipelines.packets.ensure(&self.gpu, key, program, at);
        self.gpu.under_way().answered();
        if made? {
            self.recorder.batch.note(Recorded::Pipeline);
        }
        let pipeline = self.pipelines.packets.get(&key);
        let pipeline = pipeline.ok_or(Internal::at("a new pipeline is missing", at.offset))?;
        set_pipeline(self.recorder.batch.pass(self.presenter.target.view()), pipeline);
        self.recorder.bound.pipeline = Some(key);
        self.recorder.bound.corners = pipeline.corners;
        Ok(true)
    }

    fn bind_viewport(&mut self, viewport_px: Option<[u32; 2]>, at: Location) -> Result<(), GpuError> {
        let [width, height] = self.viewport(viewport_px, at)?;
        let pass = self.recorder.batch.pass(self.presenter.target.view());
        pass.set_viewport(0.0, 0.0, width as f32, height as f32, 0.0, 1.0);
        self.recorder.bound.viewport_px = Some(viewport_px);
        Ok(())
    }

    fn viewport(&self, viewport_px: Option<[u32; 2]>, at: Location) -> Result<[u32; 2], GpuError> {
        let size_px = viewport_px.unwrap_or([self.presenter.size.width_px, self.presenter.size.height_px]);
        let limit = self.gpu.largest_side_px();
        if size_px.iter().any(|side| *side > limit) {
            return Err(GpuError::ViewportTooLarge { at, size_px, limit });
        }
        Ok(size_px)
    }
}

fn set_pipeline(pass: &mut wgpu::RenderPass<'_>, pipeline: &DrawPipeline) {
    pass.set_pipeline(&pipeline.pipeline);
    for (group, bind_group) in (0..).zip(&pipeline.bind_groups) {
        pass.set_bind_group(group, bind_group, &[]);
    }
}
