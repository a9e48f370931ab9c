//! The vertices and indices of a draw: as they lie where a GPU can read them so, else gathered first.
//!
//! WebGPU wants offsets and strides that are multiples of four, elements no longer than their stride, steps of one instance
//! and nothing past the end of a buffer. Direct3D wants none of it, and reads zeros past the end.

use std::ops::Range;

use super::kernels::{Elements, Gather, GatherOrder};
use super::pipelines::SlotLayout;
use super::programs::DrawProgram;
use super::transfer::Scratch;
use super::vertex_format::vertex_format;
use crate::command::{Draw, DrawIndexed, IndexFormat, Location, Topology, VertexStep};
use crate::error::Internal;
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::device_rules::{Device, check_storage_binding, is_constant, lies_plainly, step};
use crate::replay::{DrawState, DrawnVertices, IndexSource, ObjectKey, VertexInput};
use crate::shader::ProvokingVertex;
use crate::shader::d3d::SlotSet;

/// Most bytes that one gathered list may have.
const MOST_GATHERED_BYTES: u64 = 256 << 20;

/// Bytes at most from the first element of a constant vertex to the end of its last: every device has such strides.
const MOST_CONSTANT_BYTES: u64 = 2048;

/// Vertex buffers in the order of their slots, each with its first byte, and how they are laid out.
pub(super) struct VertexSource<B = wgpu::Buffer> {
    pub slots: Vec<SlotLayout>,
    pub buffers: Vec<(B, u64)>,
}

impl<B> Default for VertexSource<B> {
    fn default() -> Self {
        Self { slots: Vec::new(), buffers: Vec::new() }
    }
}

/// What a draw call is told.
#[derive(Clone)]
pub(super) enum DrawCall {
    Direct {
        vertices: std::ops::Range<u32>,
        instances: std::ops::Range<u32>,
    },
    Indexed {
        buffer: wgpu::Buffer,
        start_bytes: u64,
        format: wgpu::IndexFormat,
        indices: std::ops::Range<u32>,
        base_vertex: i32,
        instances: std::ops::Range<u32>,
    },
    /// Points that have a size.
    Points {
        points: std::ops::Range<u32>,
        /// How often all of them are drawn.
        times: u32,
    },
}

impl<B: PartialEq> VertexSource<B> {
    /// Adds an input that is fed from a place: a buffer, the first byte, and the distance between elements.
    pub(super) fn add(
        &mut self,
        (buffer, start, stride): (B, u64, u64),
        step: wgpu::VertexStepMode,
        (format, shader_location): (wgpu::VertexFormat, u32),
    ) {
        let attribute = |offset| wgpu::VertexAttribute { format, offset, shader_location };
        // Inputs of one vertex are one buffer.
        let shared = self.slots.iter_mut().zip(&mut self.buffers).find(|(slot, (other, first))| {
            let offset = start.checked_sub(*first);
            // All elements of a constant vertex lie in its first.
            let room = if stride == 0 { MOST_CONSTANT_BYTES } else { stride };
            (*other == buffer && slot.stride_bytes == stride && slot.step == step)
                && offset.is_some_and(|offset| offset + format.size() <= room)
        });
        match shared {
            Some((slot, (_, first))) => slot.attributes.push(attribute(start - *first)),
            None => {
                self.slots.push(SlotLayout { stride_bytes: stride, step, attributes: vec![attribute(0)] });
                self.buffers.push((buffer, start));
            }
        }
    }
}

/// How a GPU reads the value of an input.
pub(super) fn drawn_format(device: &Device, input: &VertexInput, at: Location) -> Result<wgpu::VertexFormat, GpuError> {
    let unsupported = || GpuError::Unsupported { what: format!("a vertex value of {}", input.value).into(), at };
    vertex_format(device, input.value).map(|(format, _)| format).ok_or_else(unsupported)
}

/// Bytes of an element that was gathered.
fn gathered_bytes(input: &VertexInput) -> u64 {
    u64::from(input.size_bytes.div_ceil(4)) * 4
}

/// Bytes from one element that was gathered to the next.
fn gathered_stride_bytes(device: &Device, input: &VertexInput) -> u64 {
    if is_constant(device, input) { 0 } else { gathered_bytes(input) }
}

fn step_mode(device: &Device, input: &VertexInput) -> wgpu::VertexStepMode {
    match step(device, input) {
        VertexStep::Vertex => wgpu::VertexStepMode::Vertex,
        VertexStep::Instances(_) => wgpu::VertexStepMode::Instance,
    }
}

/// How the vertex buffers of a draw will be laid out, for the registers that its shader reads, if what it reads ends within
/// its buffers.
pub(super) fn expected_slots(
    device: &Device,
    state: &DrawState,
    read: SlotSet,
    at: Location,
) -> Result<Vec<SlotLayout>, GpuError> {
    /// Inputs that lie in one buffer may share a slot; each that is gathered has its own.
    #[derive(PartialEq)]
    enum Source {
        Buffer(ObjectKey),
        Gathered(u32),
    }
    let mut source = VertexSource::default();
    for input in state.inputs.iter().filter(|input| read.contains(input.register)) {
        let place = match input.buffer.filter(|_| lies_plainly(device, input)) {
            Some(buffer) => (Source::Buffer(buffer), input.start_bytes, u64::from(input.stride_bytes)),
            None => (Source::Gathered(input.register), 0, gathered_stride_bytes(device, input)),
        };
        source.add(place, step_mode(device, input), (drawn_format(device, input, at)?, input.register));
    }
    Ok(source.slots)
}

/// Refuses to gather more than there may be, by this program or by the device.
pub(super) fn check_gathered(device: &Device, what: &'static str, found: u64, at: Location) -> Result<(), GpuError> {
    if found > MOST_GATHERED_BYTES {
        return Err(GpuError::OverLimit { what, at, found, whose: "this build's", limit: MOST_GATHERED_BYTES });
    }
    if !device.features.compute {
        return Ok(());
    }
    check_storage_binding(device, found).map_err(|refusal| GpuError::Refusal { refusal, at })
}

/// Elements that a draw reads of an input, from the first to the last; nothing where indices say which.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub first: u64,
    pub end: u64,
}

fn instance_count(vertices: DrawnVertices) -> u32 {
    match vertices {
        DrawnVertices::Direct(draw) => draw.instance_count,
        DrawnVertices::Indexed(draw) => draw.instance_count,
    }
}

pub(super) fn reach(step: VertexStep, vertices: DrawnVertices) -> Option<Reach> {
    let instances = instance_count(vertices);
    let first_instance = match vertices {
        DrawnVertices::Direct(draw) => draw.first_instance,
        DrawnVertices::Indexed(draw) => draw.first_instance,
    };
    match (step, vertices) {
        (VertexStep::Vertex, DrawnVertices::Direct(draw)) => {
            let first = u64::from(draw.first_vertex);
            Some(Reach { first, end: first + u64::from(draw.vertex_count) })
        }
        (VertexStep::Vertex, DrawnVertices::Indexed(_)) => None,
        (VertexStep::Instances(step), _) => {
            let first = u64::from(first_instance);
            Some(Reach { first, end: first + u64::from(instances.div_ceil(step.max(1))) })
        }
    }
}

impl Renderer {
    /// The vertex buffers of a draw, for the registers that its shader reads.
    pub(super) fn vertex_source(
        &mut self,
        state: &DrawState,
        vertices: DrawnVertices,
        read: SlotSet,
        at: Location,
    ) -> Result<VertexSource, GpuError> {
        let mut source = VertexSource::default();
        for input in state.inputs.iter().filter(|input| read.contains(input.register)) {
            let format = drawn_format(self.gpu.record(), input, at)?;
            let place = self.lying_or_gathered(input, vertices, at)?;
            source.add(place, step_mode(self.gpu.record(), input), (format, input.register));
        }
        Ok(source)
    }

    /// Where a GPU can read an input: a buffer, the first byte, and the distance between elements.
    pub(super) fn lying_or_gathered(
        &mut self,
        input: &VertexInput,
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<(wgpu::Buffer, u64, u64), GpuError> {
        match self.as_it_lies(input, vertices)? {
            Some(buffer) => Ok((buffer, input.start_bytes, u64::from(input.stride_bytes))),
            None => self.gathered(input, vertices, at),
        }
    }

    /// The buffer of an input, if a GPU can read it there.
    fn as_it_lies(&mut self, input: &VertexInput, vertices: DrawnVertices) -> Result<Option<wgpu::Buffer>, GpuError> {
        // silent: the values are gathered first
        let Some((key, bytes)) = self.bytes_as_they_lie(input, vertices) else { return Ok(None) };
        Ok(Some(self.buffer_to_read(key, bytes)?))
    }

    pub(super) fn bytes_as_they_lie(
        &self,
        input: &VertexInput,
        vertices: DrawnVertices,
    ) -> Option<(ObjectKey, Range<u64>)> {
        let key = input.buffer?;
        let held = self.resources.objects.buffers.get(&key)?;
        let (stride, size) = (u64::from(input.stride_bytes), u64::from(input.size_bytes));
        let all = u64::from(held.size_bytes);
        let device = self.gpu.record();
        let (bytes, ends_inside) = match reach(step(device, input), vertices) {
            _ if is_constant(device, input) => {
                let end = input.start_bytes + size;
                (input.start_bytes..end, end <= all)
            }
            // WebGPU counts whole strides, but for the last.
            Some(reach) => {
                let last = reach.end.checked_sub(1)?;
                let end = input.start_bytes + last * stride + size;
                (input.start_bytes + reach.first * stride..end, end <= all)
            }
            // Whatever lies past the end is read as zeros. Of nothing the API takes no part.
            None => (input.start_bytes..all, input.start_bytes < all),
        };
        (lies_plainly(device, input) && ends_inside).then_some((key, bytes))
    }

    /// A buffer with the elements of an input, as a GPU can read them: its first byte and the distance between elements.
    /// What lies nowhere is zeros.
    fn gathered(
        &mut self,
        input: &VertexInput,
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<(wgpu::Buffer, u64, u64), GpuError> {
        let source = input.buffer.filter(|key| self.resources.objects.buffers.contains_key(key));
        let held = input.buffer.and_then(|key| self.resources.objects.buffers.get(&key));
        let size = held.map_or(0, |held| u64::from(held.size_bytes));
        let stride = u64::from(input.stride_bytes);
        let device = *self.gpu.record();
        let step = step(&device, input);
        let repeat = match step {
            VertexStep::Vertex => 1,
            VertexStep::Instances(step) => step.max(1),
        };
        let (first, count) = match (reach(step, vertices), step) {
            _ if is_constant(&device, input) => (0, 1),
            (Some(Reach { first, .. }), VertexStep::Instances(_)) => (first, u64::from(instance_count(vertices))),
            (Some(Reach { first, end }), VertexStep::Vertex) => (first, end - first),
            (None, _) => (0, size.saturating_sub(input.start_bytes).checked_div(stride).unwrap_or(0) + 1),
        };
        let words = gathered_bytes(input) / 4;
        // Elements stand where they would without those before the first, so that all numbers stay as they are.
        let found = (first + count) * words * 4;
        check_gathered(&device, "the size in bytes of vertices that are gathered for a draw", found, at)?;
        let buffer = self.scratch_buffer(found);
        if let Some(source) = source.filter(|_| count > 0) {
            let lost = Internal::at("an element lies past 4 GiB", at.offset);
            let elements = Elements {
                start: u32::try_from(input.start_bytes.min(size)).map_err(|_| lost)?,
                stride: input.stride_bytes,
                end: size as u32,
                size: input.size_bytes,
                first: first as u32,
                count: count as u32,
                repeat,
            };
            let gather = Gather::new(elements, GatherOrder::PLAIN).into_word((first * words) as u32);
            self.gather(source, &buffer, gather, at)?;
        }
        Ok((buffer, 0, gathered_stride_bytes(&device, input)))
    }

    /// What a draw call is told, with indices as a GPU can read them.
    pub(super) fn draw_call(
        &mut self,
        (state, program): (&DrawState, &DrawProgram),
        vertices: DrawnVertices,
        at: Location,
    ) -> Result<DrawCall, GpuError> {
        let order = corner_order(&self.gpu, state.topology, vertices, program);
        match vertices {
            DrawnVertices::Direct(draw) => match order {
                Some(order) => self.direct_primitives(draw, order, at),
                None => {
                    let Draw { vertex_count, first_vertex, instance_count, first_instance } = draw;
                    Ok(DrawCall::Direct {
                        vertices: first_vertex..first_vertex.saturating_add(vertex_count),
                        instances: first_instance..first_instance.saturating_add(instance_count),
                    })
                }
            },
            DrawnVertices::Indexed(draw) => {
                let lost = Internal::at("a checked indexed draw has no indices", at.offset);
                self.indexed(state.indices.ok_or(lost)?, draw, (state.topology, order), at)
            }
        }
    }

    fn indexed(
        &mut self,
        source: IndexSource,
        draw: DrawIndexed,
        (topology, corners): (Topology, Option<CornerOrder>),
        at: Location,
    ) -> Result<DrawCall, GpuError> {
        let is_strip = matches!(topology, Topology::TriangleStrip | Topology::LineStrip);
        let lost = Internal::new("an index buffer is not on the GPU");
        let held = self.resources.objects.buffers.get(&source.buffer).ok_or(lost)?;
        let (index_bytes, format) = match source.format {
            IndexFormat::Uint16 => (2, wgpu::IndexFormat::Uint16),
            IndexFormat::Uint32 => (4, wgpu::IndexFormat::Uint32),
        };
        let DrawIndexed { index_count, first_index, base_vertex, instance_count, first_instance } = draw;
        let instances = first_instance..first_instance.saturating_add(instance_count);
        let (start, size) = (u64::from(source.offset_bytes), u64::from(held.size_bytes));
        let end = start + (u64::from(first_index) + u64::from(index_count)) * u64::from(index_bytes);
        let has_base = base_vertex == 0 || self.gpu.record().features.base_vertex;
        if corners.is_none() && has_base && start.is_multiple_of(u64::from(index_bytes)) && end <= size {
            let indices = first_index..first_index.saturating_add(index_count);
            let buffer = match self.gpu.record().features.shared_index_buffers {
                true => self.buffer_to_read(source.buffer, start..end)?,
                false => self.index_buffer_of(source.buffer)?,
            };
            return Ok(DrawCall::Indexed { buffer, start_bytes: start, format, indices, base_vertex, instances });
        }
        let count = corners
            .map_or(Some(index_count), |corners| corners.primitives(index_count).checked_mul(corners.corner_count()));
        let count = count.unwrap_or(u32::MAX);
        let words = u64::from(count) * 4;
        check_gathered(self.gpu.record(), "the size in bytes of indices that are gathered for a draw", words, at)?;
        let all_bytes = held.size_bytes;
        let elements = Elements {
            start: source.offset_bytes.min(all_bytes),
            stride: index_bytes,
            end: all_bytes,
            size: index_bytes,
            first: first_index,
            count,
            repeat: 1,
        };
        let gather = Gather::new(elements, corners.map_or(GatherOrder::PLAIN, CornerOrder::gathered));
        let gather = if is_strip && corners.is_none() && index_bytes == 2 { gather.that_cut() } else { gather };
        let buffer = self.scratch(words + gather.scratch_bytes(), Scratch::Indices);
        let (gather, base_vertex) = if has_base { (gather, base_vertex) } else { (gather.with_base(base_vertex), 0) };
        self.gather(source.buffer, &buffer, gather, at)?;
        Ok(DrawCall::Indexed {
            buffer,
            start_bytes: 0,
            format: wgpu::IndexFormat::Uint32,
            indices: 0..count,
            base_vertex,
            instances,
        })
    }

    /// Triangles or lines without indices, by indices of our own.
    fn direct_primitives(&mut self, draw: Draw, order: CornerOrder, at: Location) -> Result<DrawCall, GpuError> {
        let primitives = order.primitives(draw.vertex_count);
        let found = u64::from(primitives) * u64::from(order.corner_count()) * 4;
        check_gathered(self.gpu.record(), "the size in bytes of indices that are gathered for a draw", found, at)?;
        let has_base = draw.first_vertex == 0 || self.gpu.record().features.base_vertex;
        let (base, added) = if has_base { (draw.first_vertex, 0) } else { (0, draw.first_vertex) };
        let corners = (0..primitives).flat_map(|number| order.corners(number));
        let bytes: Vec<u8> = corners.flat_map(|corner| corner.wrapping_add(added).to_le_bytes()).collect();
        let buffer = self.scratch(found, Scratch::Indices);
        self.gpu.queue.write_buffer(&buffer, 0, &bytes);
        let lost = Internal::at("triangles or lines begin past every vertex", at.offset);
        Ok(DrawCall::Indexed {
            buffer,
            start_bytes: 0,
            format: wgpu::IndexFormat::Uint32,
            indices: 0..primitives * order.corner_count(),
            base_vertex: i32::try_from(base).map_err(|_| lost)?,
            instances: draw.first_instance..draw.first_instance.saturating_add(draw.instance_count),
        })
    }
}

/// Order in which corners are gathered; nothing where the API takes what is drawn as it lies. GL has no strips that an index
/// cuts, as wgpu drives it, and takes flat values from the last corner.
fn corner_order(gpu: &Gpu, topology: Topology, vertices: DrawnVertices, program: &DrawProgram) -> Option<CornerOrder> {
    let is_first_last = program.has_flat_values && gpu.provoking_vertex() == ProvokingVertex::Last;
    let is_indexed = matches!(vertices, DrawnVertices::Indexed(_));
    let is_strip_gathered = is_first_last || is_indexed && gpu.is_gl();
    let of = match topology {
        Topology::TriangleFan => GatherOrder::FAN,
        Topology::TriangleStrip if is_strip_gathered => GatherOrder::STRIP,
        Topology::TriangleList if is_first_last => GatherOrder::LIST,
        Topology::LineStrip if is_strip_gathered => GatherOrder::LINE_STRIP,
        Topology::LineList if is_first_last => GatherOrder::LINES,
        _ => return None,
    };
    Some(CornerOrder { of, is_first_last })
}

/// What a draw's vertices form once they are gathered.
pub(super) fn drawn_topology(
    gpu: &Gpu,
    topology: Topology,
    vertices: DrawnVertices,
    program: &DrawProgram,
) -> Topology {
    if program.has_sized_points {
        return Topology::TriangleStrip;
    }
    match corner_order(gpu, topology, vertices, program) {
        None => topology,
        Some(order) if order.corner_count() == 2 => Topology::LineList,
        Some(_) => Topology::TriangleList,
    }
}

/// Order of the corners of triangles, or the ends of lines, in a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct CornerOrder {
    of: GatherOrder,
    /// Whether the corner that flat values come from is the last of each, as GL wants it; else it is the first.
    is_first_last: bool,
}

impl CornerOrder {
    /// Corners of one triangle or line.
    const fn corner_count(self) -> u32 {
        match self.of {
            GatherOrder::LINES | GatherOrder::LINE_STRIP => 2,
            _ => 3,
        }
    }

    /// Number of triangles or lines that so many vertices form.
    const fn primitives(self, vertex_count: u32) -> u32 {
        match self.of {
            GatherOrder::LIST | GatherOrder::LINES => vertex_count / self.corner_count(),
            _ => vertex_count.saturating_sub(self.corner_count() - 1),
        }
    }

    const fn gathered(self) -> GatherOrder {
        if self.is_first_last { self.of.first_last() } else { self.of }
    }

    /// Vertices of a triangle or line, the one that flat values come from first or last. There are fewer than 2³² of all.
    fn corners(self, number: u32) -> impl Iterator<Item = u32> {
        let [first, second, third] = match self.of {
            GatherOrder::FAN => [number + 1, number + 2, 0],
            GatherOrder::LIST => [number * 3, number * 3 + 1, number * 3 + 2],
            GatherOrder::LINES => [number * 2, number * 2 + 1, number * 2],
            GatherOrder::LINE_STRIP => [number, number + 1, number],
            // Every second one of a strip turns the other way.
            _ if number.is_multiple_of(2) => [number, number + 1, number + 2],
            _ => [number, number + 2, number + 1],
        };
        let corners = if self.is_first_last { [second, third, first] } else { [first, second, third] };
        corners.into_iter().take(self.corner_count() as usize)
    }
}
