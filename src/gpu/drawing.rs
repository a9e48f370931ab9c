//! One draw → wgpu: pipeline, viewport, vertices, and what the instruments ask for.

use wgpu::util::DeviceExt;

use super::brush::{Brush, color_of};
use super::device::Gpu;
use super::error::GpuError;
use super::pipelines::{DrawPipeline, PipelineKey};
use super::renderer::Renderer;
use super::tally::{parts, parts_of};
use super::vertex_slots::{SlotOffsets, assign_slots};
use crate::command::Location;
use crate::replay::{BufferKey, DrawOp, ProgramLibrary, VertexFetch};

/// Draws in one submission; more keep the GPU idle while they are recorded, and their commands in memory.
const MAX_DRAWS: u32 = 1 << 16;
/// Triangles whose edges are drawn at once, which makes 400 KB of indices.
const EDGE_TRIANGLES: u32 = 1 << 14;

/// What is set in the open pass, so that it is not set again.
#[derive(Default)]
pub(super) struct Bound {
    pipeline: Option<PipelineKey>,
    /// Of the pipeline's program.
    provoking_is_last: bool,
    pub direct: Option<(BufferKey, SlotOffsets)>,
    /// `None`: nothing known. `Some(None)`: the whole target.
    viewport_px: Option<Option<[u32; 2]>>,
    has_scissor: bool,
    /// What the blend constant holds.
    constant: Option<[u8; 4]>,
}

impl Renderer {
    /// Draws as the brush says.
    pub(super) fn draw_with_brush(
        &mut self,
        draw: &DrawOp,
        at: Location,
        programs: &ProgramLibrary,
    ) -> Result<(), GpuError> {
        match self.instruments.brush {
            Brush::Guest | Brush::Solid(_) | Brush::Silhouette(_) => self.draw(draw, at, programs),
            Brush::Edges(_) => parts_of(draw, EDGE_TRIANGLES).try_for_each(|part| self.draw(&part, at, programs)),
            Brush::Tally => parts(draw).try_for_each(|part| {
                self.make_room_to_tally(part.vertex_count / 3)?;
                self.draw(&part, at, programs)
            }),
        }
    }

    fn draw(&mut self, draw: &DrawOp, at: Location, programs: &ProgramLibrary) -> Result<(), GpuError> {
        if self.batch.draw_count >= MAX_DRAWS {
            self.submit()?;
        }
        if let Some(visibility) = &mut self.instruments.visibility {
            visibility.prepare(&self.gpu, &mut self.batch);
        }
        if !self.batch.has_pass() {
            self.bound = Bound::default();
        }
        let (layout, slots) = assign_slots(&draw.vertices);
        let key = PipelineKey { program: draw.program, layout, paint: self.instruments.brush.paint() };
        if self.bound.pipeline != Some(key) && !self.bind_pipeline(key, at, programs)? {
            return Ok(());
        }
        if self.bound.viewport_px != Some(draw.viewport_px) {
            self.bind_viewport(draw.viewport_px, at)?;
        }
        if !self.bind_vertices(&draw.vertices, slots) {
            return Ok(());
        }
        self.bind_instruments();
        let query = self.instruments.visibility.as_mut().map(|visibility| visibility.ask());
        let pass = self.batch.pass(&self.gpu, &self.target.view);
        if let Some(query) = query {
            pass.begin_occlusion_query(query);
        }
        if matches!(self.instruments.brush, Brush::Edges(_)) {
            let indices = self.instruments.edge_indices.get_or_insert_with(|| make_edge_indices(&self.gpu));
            draw_edges(indices, pass, draw);
        } else if self.bound.provoking_is_last {
            draw_last_first(&self.gpu, pass, draw);
        } else {
            pass.draw(draw.first_vertex..draw.first_vertex.saturating_add(draw.vertex_count), 0..1);
        }
        if query.is_some() {
            pass.end_occlusion_query();
        }
        self.batch.draw_count += 1;
        Ok(())
    }

    /// Sets what the brush and the other instruments need in the pass.
    fn bind_instruments(&mut self) {
        if let Some([x, y]) = self.instruments.scissor_px.filter(|_| !self.bound.has_scissor) {
            self.batch.pass(&self.gpu, &self.target.view).set_scissor_rect(x, y, 1, 1);
            self.bound.has_scissor = true;
        }
        if let Some(rgba) = self.instruments.brush.rgba().filter(|rgba| self.bound.constant != Some(*rgba)) {
            self.batch.pass(&self.gpu, &self.target.view).set_blend_constant(color_of(rgba));
            self.bound.constant = Some(rgba);
        }
    }

    /// Sets the pipeline; `false` if there is nothing to draw: the brush finds no colour output, or the program does
    /// not exist, which replay never asks for.
    fn bind_pipeline(&mut self, key: PipelineKey, at: Location, programs: &ProgramLibrary) -> Result<bool, GpuError> {
        let Some(program) = programs.get(key.program) else { return Ok(false) };
        if key.paint.needs_color_output() && !program.writes_target() {
            return Ok(false);
        }
        self.pipelines.ensure(&self.gpu, key, program, at)?;
        let Some(pipeline) = self.pipelines.get(&key) else { return Ok(false) };
        set_pipeline(self.batch.pass(&self.gpu, &self.target.view), pipeline);
        self.bound.pipeline = Some(key);
        self.bound.provoking_is_last = pipeline.provoking_is_last;
        Ok(true)
    }

    fn bind_viewport(&mut self, viewport_px: Option<[u32; 2]>, at: Location) -> Result<(), GpuError> {
        let [width, height] = self.viewport(viewport_px, at)?;
        let pass = self.batch.pass(&self.gpu, &self.target.view);
        pass.set_viewport(0.0, 0.0, width as f32, height as f32, 0.0, 1.0);
        self.bound.viewport_px = Some(viewport_px);
        Ok(())
    }

    /// Sets the vertex buffers; `false` if there is no such buffer, which replay never asks for.
    fn bind_vertices(&mut self, vertices: &VertexFetch, slots: SlotOffsets) -> bool {
        match vertices {
            VertexFetch::None => {}
            VertexFetch::Direct { buffer, .. } => {
                let wanted = (*buffer, slots);
                if self.bound.direct == Some(wanted) {
                    return true;
                }
                let found = self.buffers.for_draw(&self.gpu.device, *buffer, self.batch_number);
                let Some(buffer) = found else { return false };
                let pass = self.batch.pass(&self.gpu, &self.target.view);
                for (slot, offset) in (0..).zip(slots.into_iter().flatten()) {
                    pass.set_vertex_buffer(slot, buffer.slice(u64::from(offset)..));
                }
                self.bound.direct = Some(wanted);
            }
            VertexFetch::Gathered { bytes } => {
                let buffer = make_vertex_buffer(&self.gpu, bytes);
                self.batch.pass(&self.gpu, &self.target.view).set_vertex_buffer(0, buffer.slice(..));
                self.bound.direct = None;
            }
        }
        true
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

/// Draws the three edges of each triangle.
fn draw_edges(indices: &wgpu::Buffer, pass: &mut wgpu::RenderPass<'_>, draw: &DrawOp) {
    pass.set_index_buffer(indices.slice(..), wgpu::IndexFormat::Uint32);
    // A first vertex past 2^31 reads no buffer, or the same vertex again and again; the sum wraps to what it was.
    pass.draw_indexed(0..draw.vertex_count / 3 * 6, draw.first_vertex.cast_signed(), 0..1);
}

/// Pairs of corners: the edges of as many triangles as are drawn at once.
fn make_edge_indices(gpu: &Gpu) -> wgpu::Buffer {
    let edges = |triangle: u32| [0, 1, 1, 2, 2, 0].map(|corner| triangle * 3 + corner);
    let indices: Vec<u32> = (0..EDGE_TRIANGLES).flat_map(edges).collect();
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("edges"),
        contents: bytemuck::cast_slice(&indices),
        usage: wgpu::BufferUsages::INDEX,
    })
}

fn make_vertex_buffer(gpu: &Gpu, bytes: &[u8]) -> wgpu::Buffer {
    gpu.device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("gathered vertices"),
        contents: bytes,
        usage: wgpu::BufferUsages::VERTEX,
    })
}
