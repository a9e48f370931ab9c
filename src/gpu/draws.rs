//! Draws in the open pass, each setting only what differs from the draw before.

use wgpu::util::DeviceExt;

use super::device::Gpu;
use super::error::GpuError;
use super::pipelines::{DrawPipeline, PipelineKey};
use super::renderer::Renderer;
use super::vertex_slots::{FetchLayout, SlotOffsets, assign_slots};
use crate::command::Location;
use crate::replay::{AttributeLayout, BufferKey, DirectFetch, DrawOp, ProgramKey, ProgramLibrary, VertexFetch};

/// Draws in one submission; more keep the GPU idle while they are recorded, and their commands in memory.
const MAX_DRAWS: u32 = 1 << 16;

/// What is set in the open pass, so that it is not set again.
#[derive(Default)]
pub(super) struct Bound {
    pipeline: Option<PipelineKey>,
    /// Of the pipeline's program.
    provoking_is_last: bool,
    /// The program and layout that pipeline and slots were last chosen for.
    chosen: Option<(ProgramKey, AttributeLayout)>,
    slots: SlotOffsets,
    /// The buffer that the slots are set to, and where in it the first vertex starts.
    vertices: Option<(BufferKey, u32)>,
    /// `None`: nothing known. `Some(None)`: the whole target.
    viewport_px: Option<Option<[u32; 2]>>,
}

impl Bound {
    /// The slots are set to something else, or the buffer has another version.
    pub fn forget_vertices(&mut self) {
        self.vertices = None;
    }
}

impl Renderer {
    #[inline]
    pub(super) fn draw(&mut self, draw: &DrawOp, at: Location, programs: &ProgramLibrary) -> Result<(), GpuError> {
        if self.batch.draw_count >= MAX_DRAWS {
            self.submit()?;
        }
        if !self.batch.has_pass() {
            self.bound = Bound::default();
        }
        let is_bound = match &draw.vertices {
            VertexFetch::Direct(fetch) => self.bind_direct(draw.program, fetch, at, programs)?,
            others => self.bind_others(draw.program, others, at, programs)?,
        };
        if !is_bound {
            return Ok(());
        }
        if self.bound.viewport_px != Some(draw.viewport_px) {
            self.bind_viewport(draw.viewport_px, at)?;
        }
        let pass = self.batch.pass(&self.gpu, &self.view);
        if self.bound.provoking_is_last {
            draw_last_first(&self.gpu, pass, draw);
        } else {
            pass.draw(draw.first_vertex..draw.first_vertex.saturating_add(draw.vertex_count), 0..1);
        }
        self.batch.draw_count += 1;
        Ok(())
    }

    /// Sets pipeline and vertex buffers; `false` if they don't exist, which replay never asks for.
    #[inline]
    fn bind_direct(
        &mut self,
        program: ProgramKey,
        fetch: &DirectFetch,
        at: Location,
        programs: &ProgramLibrary,
    ) -> Result<bool, GpuError> {
        let is_chosen =
            self.bound.chosen.as_ref().is_some_and(|(last, layout)| *last == program && *layout == fetch.layout);
        if !is_chosen && !self.choose(program, fetch.layout, at, programs)? {
            return Ok(false);
        }
        Ok(self.bound.vertices == Some((fetch.buffer, fetch.start_bytes)) || self.bind_buffer(fetch))
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
        if !self.bind_pipeline(PipelineKey { program, layout: fetch_layout }, at, programs)? {
            return Ok(false);
        }
        if self.bound.slots != slots {
            self.bound.slots = slots;
            self.bound.forget_vertices();
        }
        self.bound.chosen = Some((program, layout));
        Ok(true)
    }

    fn bind_buffer(&mut self, fetch: &DirectFetch) -> bool {
        let Some(buffer) = self.buffers.for_draw(&self.gpu.device, fetch.buffer, self.batch_number) else {
            return false;
        };
        let pass = self.batch.pass(&self.gpu, &self.view);
        for (slot, offset) in (0..).zip(self.bound.slots.into_iter().flatten()) {
            pass.set_vertex_buffer(slot, buffer.slice(u64::from(fetch.start_bytes) + u64::from(offset)..));
        }
        self.bound.vertices = Some((fetch.buffer, fetch.start_bytes));
        true
    }

    /// The same for vertices that are not read in place.
    fn bind_others(
        &mut self,
        program: ProgramKey,
        vertices: &VertexFetch,
        at: Location,
        programs: &ProgramLibrary,
    ) -> Result<bool, GpuError> {
        self.bound.chosen = None;
        let VertexFetch::Gathered { bytes } = vertices else {
            return self.bind_pipeline(PipelineKey { program, layout: FetchLayout::None }, at, programs);
        };
        if !self.bind_pipeline(PipelineKey { program, layout: FetchLayout::Gathered }, at, programs)? {
            return Ok(false);
        }
        let buffer = make_vertex_buffer(&self.gpu, bytes);
        self.batch.pass(&self.gpu, &self.view).set_vertex_buffer(0, buffer.slice(..));
        self.bound.forget_vertices();
        Ok(true)
    }

    /// Sets the pipeline; `false` if it is of no program, which replay never asks for.
    fn bind_pipeline(&mut self, key: PipelineKey, at: Location, programs: &ProgramLibrary) -> Result<bool, GpuError> {
        if self.bound.pipeline == Some(key) {
            return Ok(true);
        }
        let Some(program) = programs.get(key.program) else { return Ok(false) };
        self.pipelines.ensure(&self.gpu, key, program, at)?;
        let Some(pipeline) = self.pipelines.get(&key) else { return Ok(false) };
        set_pipeline(self.batch.pass(&self.gpu, &self.view), pipeline);
        self.bound.pipeline = Some(key);
        self.bound.provoking_is_last = pipeline.provoking_is_last;
        Ok(true)
    }

    fn bind_viewport(&mut self, viewport_px: Option<[u32; 2]>, at: Location) -> Result<(), GpuError> {
        let [width, height] = self.viewport(viewport_px, at)?;
        let pass = self.batch.pass(&self.gpu, &self.view);
        pass.set_viewport(0.0, 0.0, width as f32, height as f32, 0.0, 1.0);
        self.bound.viewport_px = Some(viewport_px);
        Ok(())
    }

    fn viewport(&self, viewport_px: Option<[u32; 2]>, at: Location) -> Result<[u32; 2], GpuError> {
        let size_px = viewport_px.unwrap_or([self.size.width_px, self.size.height_px]);
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

/// Draws each triangle from its last vertex on, round the same way: WebGPU takes flat varyings from the first.
fn draw_last_first(gpu: &Gpu, pass: &mut wgpu::RenderPass<'_>, draw: &DrawOp) {
    let triangles = draw.vertex_count / 3;
    let indices: Vec<u32> =
        (0..triangles).flat_map(|triangle| [2, 0, 1].map(|corner| draw.first_vertex + triangle * 3 + corner)).collect();
    let buffer = gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("last vertex first"),
        contents: bytemuck::cast_slice(&indices),
        usage: wgpu::BufferUsages::INDEX,
    });
    pass.set_index_buffer(buffer.slice(..), wgpu::IndexFormat::Uint32);
    pass.draw_indexed(0..triangles * 3, 0, 0..1);
}

fn make_vertex_buffer(gpu: &Gpu, bytes: &[u8]) -> wgpu::Buffer {
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("gathered vertices"),
        contents: bytes,
        usage: wgpu::BufferUsages::VERTEX,
    })
}
