//! What the vertex stage of a draw is given and gives, vertex by vertex, read back from the GPU that draws with it.
//!
//! ```text
//!  draw ──► numbers of its vertices ──► each value: points in a target of four words a pixel ──► words by vertex
//! ```
//!
//! Vertices are fetched, and the stage is run, as for the draw itself; only what is drawn is another thing. The target has
//! so many pixels that vertices whose numbers lie far apart take several.

use std::sync::Arc;

use super::draw::numbers;
use super::draw_options::options;
use super::groups::StageGroup;
use super::known_sources::KnownVertices;
use super::outline::{Area, area, written_targets};
use super::own_shaders::OwnShader;
use super::pass_settings::PassSettings;
use super::pipelines::SlotLayout;
use super::programs::DrawProgram;
use super::transfer::Scratch;
use crate::command::{DrawIndexed, IndexFormat, Location, Topology, Viewport};
use crate::error::Internal;
use crate::gpu::device::Gpu;
use crate::gpu::error::{GpuError, LibraryError};
use crate::gpu::readback::{Readback, Rows, read_buffer};
use crate::gpu::recorder::Recorder;
use crate::gpu::renderer::Renderer;
use crate::gpu::shader_modules::make_shader_module;
use crate::limits::{MAX_MESH_STRETCHES, MAX_MESH_VERTICES};
use crate::pixels::Size;
use crate::replay::device_rules::writes_buffers;
use crate::replay::{DeviceOp, DeviceOps, DrawState, DrawnVertices, IndexSource, Raster};
use crate::shader::d3d::DrawOptions;
use crate::shader::{
    POINTS_ENTRY, PointGrid, StageValue, VertexInterface, guarded, vertex_interface, vertices_as_points,
};

/// Four words a pixel.
const VALUE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;
const VALUE_BYTES: u32 = 16;
const ROW_PX: u32 = 512;
/// Vertices whose numbers lie so far apart at most are drawn to one target.
const MOST_AT_ONCE: u32 = ROW_PX * ROW_PX;

/// What the vertex stage of a draw was given and gave.
#[derive(Clone, Debug)]
pub struct VertexValues {
    /// The draw.
    pub at: Location,
    /// What its vertices form.
    pub topology: Topology,
    /// The vertices in the order in which they are drawn, by number: the element of vertex buffers. `None` ends a strip.
    pub order: Vec<Option<u32>>,
    /// Vertices of the draw beyond these.
    pub left_out: u32,
    /// Instances of the draw.
    pub instance_count: u32,
    /// What flows at locations.
    pub interface: VertexInterface,
    /// What becomes of its triangles.
    pub raster: Raster,
    /// Whether its sample mask leaves out the only sample that targets have.
    pub is_masked: bool,
    /// Left, top, width and height of the viewport, in pixels.
    pub viewport_px: [f32; 4],
    /// Depths of the viewport.
    pub depth_range: [f32; 2],
    /// Width and height of the targets.
    pub target_px: [u32; 2],
    /// Left, top, width and height of the rectangle outside of which nothing is drawn, if there is one.
    pub scissor_px: Option<[i32; 4]>,
    /// The numbers of its vertices, ascending.
    numbers: Vec<u32>,
    /// By value: the words of each of these.
    values: Vec<ReadValue>,
}

impl VertexValues {
    /// The words of a vertex's value, zeros behind those that it has.
    pub fn words(&self, number: u32, value: StageValue) -> Option<[u32; 4]> {
        // silent: a vertex that the draw has not has no values, of which whoever asks makes an error
        let place = self.numbers.binary_search(&number).ok()?;
        self.values.iter().find(|(other, _)| *other == value)?.1.get(place).copied()
    }
}

/// A value, and its words for each vertex.
type ReadValue = (StageValue, Vec<[u32; 4]>);

/// What a vertex stage is run with.
struct Run<'r> {
    module: &'r naga::Module,
    entry_point: &'static str,
    program: &'r DrawProgram,
    source: Arc<KnownVertices>,
    groups: [Option<StageGroup>; 2],
    instance: u32,
    at: Location,
}

impl Renderer {
    /// Runs the vertex stage of a command, a draw, for one of its instances, counted from 0. Nothing of it is drawn.
    pub fn read_vertex_values(
        &mut self,
        DeviceOps { ops, context }: DeviceOps<'_>,
        instance: u32,
    ) -> Result<Option<VertexValues>, GpuError> {
        let at = context.at;
        // silent: whoever asks about no draw is told so
        let Some((state, vertices)) = ops.iter().find_map(|op| match op {
            DeviceOp::Draw { state, vertices } => Some((state.clone(), *vertices)),
            _ => None,
        }) else {
            return Ok(None);
        };
        if let Some(stage) = state.other_stage {
            let what = format!("a draw with a {} shader", stage.direct3d_name()).into();
            return Err(GpuError::Unsupported { what, at });
        }
        if writes_buffers(&state) {
            // To run it once more would write them once more.
            let what = "a question about a draw whose shaders write buffers".into();
            return Err(GpuError::Unsupported { what, at });
        }
        let target_px = self.targets_size_px(&written_targets(&state));
        let whole = target_px.unwrap_or_else(|| size_of_viewport(state.viewport));
        let area = area(state.viewport, whole);
        let area = area.unwrap_or(Area { origin_px: [0.0; 2], size_px: [1.0; 2], depth: [0.0, 1.0] });
        let (count, instance_count) = match vertices {
            DrawnVertices::Direct(draw) => (draw.vertex_count, draw.instance_count),
            DrawnVertices::Indexed(draw) => (draw.index_count, draw.instance_count),
        };
        // Points that have a size are run as those that have none: a vertex is a vertex then.
        let options = DrawOptions { points: None, moves_viewport: false, ..options(&state, self.gpu.record()) };
        let (module, entry_point) = self.pipelines.programs.vertex_module(&state, &options, at)?;
        let bug = |message| {
            let error = LibraryError::Validation(message);
            GpuError::NotCompiled { what: "vertex stage of the draw", at, error }
        };
        let interface = vertex_interface(&module, entry_point).map_err(bug)?;
        let ([left, top], [width, height]) = (area.origin_px, area.size_px);
        let mut values = VertexValues {
            at,
            topology: state.topology,
            order: Vec::new(),
            left_out: count.saturating_sub(MAX_MESH_VERTICES),
            instance_count,
            interface,
            raster: state.fixed.raster,
            is_masked: state.fixed.sample_mask & 1 == 0,
            viewport_px: [left, top, width, height],
            depth_range: area.depth,
            target_px: whole,
            scissor_px: state.scissor.map(|scissor| {
                let ([left, top], [width, height]) = (scissor.origin_px, scissor.size_px);
                [left, top, width, height]
            }),
            numbers: Vec::new(),
            values: Vec::new(),
        };
        if instance >= instance_count || count == 0 {
            return Ok(Some(values));
        }
        self.settle_for_draw(&state)?;
        let Self { pipelines, gpu, .. } = self;
        let program = pipelines.programs.get(gpu, &state, options, at, || pipelines.help_ahead())?;
        let (order, first_instance) = match vertices {
            DrawnVertices::Direct(draw) => {
                let order = (0..count.min(MAX_MESH_VERTICES)).map(|place| draw.first_vertex.checked_add(place));
                (order.collect(), draw.first_instance)
            }
            DrawnVertices::Indexed(draw) => (self.index_order(&state, draw, at)?, draw.first_instance),
        };
        values.order = order;
        values.numbers = values.order.iter().copied().flatten().collect();
        values.numbers.sort_unstable();
        values.numbers.dedup();
        let source = self.known_source(&state, vertices, (program.inputs, at))?;
        let numbers = numbers(&state, vertices, &area);
        let (groups, _) = self.stage_groups((&program, &[]), &mut Default::default(), &state, &numbers, at)?;
        let instance = first_instance.saturating_add(instance);
        let run = Run { module: &module, entry_point, program: &program, source, groups, instance, at };
        values.values = self.run_vertices(&run, &values.numbers, &values.interface)?;
        Ok(Some(values))
    }

    /// The vertices of a draw by indices, as the indices are on the GPU.
    pub(super) fn index_order(
        &mut self,
        state: &DrawState,
        draw: DrawIndexed,
        at: Location,
    ) -> Result<Vec<Option<u32>>, GpuError> {
        let lost = Internal::at("a checked indexed draw has no indices", at.offset);
        let source = state.indices.ok_or(lost)?;
        let count = draw.index_count.min(MAX_MESH_VERTICES);
        let cut = cut_index(state.topology, source.format);
        let vertex = |index: u32| match cut == Some(index) {
            true => None,
            false => Some(index.wrapping_add_signed(draw.base_vertex)),
        };
        Ok(self.read_indices(source, draw.first_index, count)?.into_iter().map(vertex).collect())
    }

    /// The vertices of a command, if that draws a strip by indices whose triangles are gathered: each index
    /// but for the last two then begins one, also where it ends the strip.
    pub fn order_of_gathered_strip(
        &mut self,
        DeviceOps { ops, context }: DeviceOps<'_>,
    ) -> Result<Option<Vec<Option<u32>>>, GpuError> {
        let drawn = ops.iter().find_map(|op| match op {
            DeviceOp::Draw { state, vertices: DrawnVertices::Indexed(draw) } => Some((state.clone(), *draw)),
            _ => None,
        });
        match drawn.filter(|(state, _)| state.topology == Topology::TriangleStrip && self.gpu.is_gl()) {
            Some((state, draw)) => self.index_order(&state, draw, context.at).map(Some),
            None => Ok(None),
        }
    }

    /// Indices; 0 where there is nothing.
    fn read_indices(&mut self, source: IndexSource, first: u32, count: u32) -> Result<Vec<u32>, GpuError> {
        let lost = Internal::new("an index buffer is not on the GPU");
        let end_of_buffer = self.resources.objects.buffers.get(&source.buffer).ok_or(lost)?.size_bytes;
        let index_bytes = match source.format {
            IndexFormat::Uint16 => 2,
            IndexFormat::Uint32 => 4,
        };
        let start = u64::from(source.offset_bytes) + u64::from(first) * index_bytes;
        let end = (start + u64::from(count) * index_bytes).min(u64::from(end_of_buffer));
        if start >= end {
            return Ok(vec![0; count as usize]);
        }
        let from = start - start % wgpu::COPY_BUFFER_ALIGNMENT;
        let size = (end - from).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let held = self.buffer_to_read(source.buffer, from..from + size)?;
        let copy = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("indices"),
            size,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        self.recorder.open = None;
        self.recorder.batch.after_draws().copy_buffer_to_buffer(&held, from, &copy, 0, size);
        let batch = self.recorder.number;
        self.submit()?;
        let bytes = read_buffer(&self.gpu, &copy, self.submission_of(batch))?;
        self.note_done(batch);
        // silent: indices past the end are zeros
        let bytes = bytes.get((start - from) as usize..(end - from) as usize).unwrap_or_default();
        let mut indices: Vec<u32> = match source.format {
            IndexFormat::Uint16 => {
                bytes.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes).into()).collect()
            }
            IndexFormat::Uint32 => bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect(),
        };
        indices.resize(count as usize, 0);
        Ok(indices)
    }

    /// Every value of the vertices with these numbers.
    fn run_vertices(
        &mut self,
        run: &Run<'_>,
        numbers: &[u32],
        VertexInterface { inputs, outputs }: &VertexInterface,
    ) -> Result<Vec<ReadValue>, GpuError> {
        let inputs = inputs.iter().map(|input| StageValue::Input(input.location));
        let outputs = outputs.iter().map(|output| StageValue::Output(output.location));
        let all = [StageValue::Position].into_iter().chain(inputs).chain(outputs);
        let mut values: Vec<ReadValue> = all.map(|value| (value, Vec::new())).collect();
        let (mut rest, mut stretches) = (numbers, 0);
        while let Some(first) = rest.first() {
            stretches += 1;
            if stretches > MAX_MESH_STRETCHES {
                return Err(GpuError::OverLimit {
                    what: "the number of ranges of 262144 numbers that hold a mesh's vertices",
                    at: run.at,
                    found: stretches,
                    whose: "this build's",
                    limit: MAX_MESH_STRETCHES,
                });
            }
            let (stretch, others) = rest.split_at(rest.partition_point(|number| number - first < MOST_AT_ONCE));
            for (value, words) in &mut values {
                self.run_stretch(run, *value, stretch, words)?;
            }
            rest = others;
        }
        Ok(values)
    }

    fn run_stretch(
        &mut self,
        run: &Run<'_>,
        value: StageValue,
        numbers: &[u32],
        words: &mut Vec<[u32; 4]>,
    ) -> Result<(), GpuError> {
        // silent: a stretch of no vertices has no values
        let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return Ok(()) };
        let size = Size { width_px: ROW_PX, height_px: (last - first) / ROW_PX + 1 };
        let grid = PointGrid { first_vertex: *first, width_px: size.width_px, height_px: size.height_px };
        let refused = |error| GpuError::NotCompiled { what: "vertex stage of the draw", at: run.at, error };
        let gpu = self.gpu.clone();
        let made = gpu.compile(|| points_pipeline(&gpu, run, value, grid));
        let pipeline = made.map_err(refused)?.map_err(|message| refused(LibraryError::Validation(message)))?;
        let target = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("vertex values"),
            size: wgpu::Extent3d { width: size.width_px, height: size.height_px, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: VALUE_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let indices = self.scratch(size_of_val(numbers) as u64, Scratch::Indices);
        gpu.queue.write_buffer(&indices, 0, bytemuck::cast_slice(numbers));
        let view = target.create_view(&wgpu::TextureViewDescriptor::default());
        self.recorder.open = None;
        let Recorder { batch, settings, .. } = &mut self.recorder;
        let pass = batch.begin_pass(|encoder| {
            let descriptor = wgpu::RenderPassDescriptor {
                label: Some("vertex values"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            };
            encoder.begin_render_pass(&descriptor).forget_lifetime()
        });
        *settings = PassSettings::default();
        settings.pipeline(pass, &pipeline);
        settings.groups(pass, &run.groups);
        settings.vertices(pass, &run.source.source.buffers);
        settings.indices(pass, (&indices, 0, wgpu::IndexFormat::Uint32));
        pass.draw_indexed(0..numbers.len() as u32, 0, run.instance..run.instance.saturating_add(1));
        self.recorder.batch.end_pass();
        self.recorder.settings = PassSettings::default();
        self.recorder.batch.note_draw(run.at);
        let readback = Readback::new(&gpu, Rows::of(size, VALUE_BYTES));
        readback.copy_from(self.recorder.batch.after_draws(), &target, 0);
        let batch = self.recorder.number;
        self.submit()?;
        let bytes = readback.finish_bytes(&gpu, self.submission_of(batch))?;
        self.note_done(batch);
        gpu.check("the vertices of the draw", run.at)?;
        let all: &[[u8; VALUE_BYTES as usize]] = bytes.as_chunks().0;
        let lost = Internal::at("a vertex lies outside the target", run.at.offset);
        for number in numbers {
            let [x, y, z, w] = all.get((number - first) as usize).ok_or(lost)?.as_chunks::<4>().0 else {
                return Err(lost.into());
            };
            words.push([x, y, z, w].map(|bytes| u32::from_le_bytes(*bytes)));
        }
        Ok(())
    }
}

/// The index that ends a strip.
fn cut_index(topology: Topology, format: IndexFormat) -> Option<u32> {
    let is_strip = matches!(topology, Topology::TriangleStrip | Topology::LineStrip);
    is_strip.then_some(match format {
        IndexFormat::Uint16 => u32::from(u16::MAX),
        IndexFormat::Uint32 => u32::MAX,
    })
}

/// What a draw without targets may be seen as drawn to.
fn size_of_viewport(viewport: Option<Viewport>) -> [u32; 2] {
    let size = match viewport {
        Some(Viewport::TopLeft { width_px, height_px }) => [width_px, height_px],
        Some(Viewport::Rectangle { origin_px, size_px, .. }) => {
            let [right, bottom] = [0, 1].map(|axis: usize| origin_px.get(axis).zip(size_px.get(axis)));
            [right, bottom].map(|ends| ends.map_or(0, |(start, length)| (start + length).ceil() as u32))
        }
        None => [0; 2],
    };
    size.map(|side| side.max(1))
}

fn points_pipeline(
    gpu: &Gpu,
    run: &Run<'_>,
    value: StageValue,
    grid: PointGrid,
) -> Result<wgpu::RenderPipeline, String> {
    let points = guarded(|| vertices_as_points(run.module, run.entry_point, value, grid))??;
    let vertex = make_shader_module(gpu, POINTS_ENTRY, &points)?;
    let pixel = OwnShader::Words.module(gpu);
    let buffers: Vec<_> = run.source.source.slots.iter().map(SlotLayout::described).collect();
    Ok(gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(POINTS_ENTRY),
        layout: Some(&run.program.layout),
        vertex: wgpu::VertexState {
            module: &vertex,
            entry_point: Some(POINTS_ENTRY),
            compilation_options: Default::default(),
            buffers: &buffers,
        },
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::PointList,
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &pixel,
            entry_point: Some("words"),
            compilation_options: Default::default(),
            targets: &[Some(wgpu::ColorTargetState {
                format: VALUE_FORMAT,
                blend: None,
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    }))
}
