//! Compute shaders of our own, for what no copy and no vertex fetch does: bytes that begin anywhere, and elements that lie
//! as no API takes them.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::own_shaders::OwnShader;
use crate::gpu::device::Gpu;

/// Invocations of a workgroup, as in the shaders.
const GROUP: u32 = 64;

/// What `copy_bytes` is told: see `shaders/`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct ByteCopy {
    from: u32,
    to: u32,
    count: u32,
    groups_x: u32,
}

/// Bytes that are copied at once: every device binds as much of a storage buffer.
const MOST_COPIED_AT_ONCE: u32 = 64 << 20;
/// Alignment of a part of a storage buffer that every device takes.
const BINDING_ALIGNMENT: u32 = 256;

impl ByteCopy {
    pub(super) fn new(from: u32, to: u32, count: u32) -> Self {
        Self { from, to, count, groups_x: 0 }
    }
}

/// What `gather_elements` is told: see `shaders/`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct Gather {
    pub start: u32,
    pub stride: u32,
    pub end: u32,
    pub size: u32,
    pub words: u32,
    pub count: u32,
    pub first: u32,
    pub repeat: u32,
    pub order: GatherOrder,
    groups_x: u32,
    /// The first word that is written.
    pub to: u32,
    pub cuts: u32,
    /// Number that is added to each word that cuts nothing.
    pub base: u32,
    /// A block of constants has a multiple of 16 bytes.
    _rest: [u32; 3],
}

/// In which order elements are gathered.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct GatherOrder(u32);

impl GatherOrder {
    /// One after the other.
    pub(super) const PLAIN: Self = Self(0);
    /// The corners of a fan's triangles.
    pub(super) const FAN: Self = Self(1);
    /// The corners of a strip's triangles.
    pub(super) const STRIP: Self = Self(2);
    /// The corners of a list's triangles.
    pub(super) const LIST: Self = Self(3);
    /// The ends of a list's lines.
    pub(super) const LINES: Self = Self(4);
    /// The ends of a strip's lines.
    pub(super) const LINE_STRIP: Self = Self(5);

    /// This order whatever corner comes last.
    pub(super) const fn plain(self) -> Self {
        Self(self.0 & 7)
    }

    /// Whether the first corner of each triangle or line lies behind the others.
    pub(super) const fn is_first_last(self) -> bool {
        self.0 & 8 != 0
    }

    /// This order with the first corner of each triangle or line behind the others.
    pub(super) const fn first_last(self) -> Self {
        Self(self.0 | 8)
    }
}

/// Indices of a strip that `gather_elements` looks through at once for the last cut, and bytes that are kept of each so many.
const CUT_BLOCK: u32 = 64;
const CUT_BYTES: u64 = 4;

/// Where elements lie, and which are gathered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    /// The first byte of element 0.
    pub start: u32,
    /// Distance from one to the next.
    pub stride: u32,
    /// The end of what may be read.
    pub end: u32,
    /// Bytes of one.
    pub size: u32,
    /// The number of the first.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// How often each is repeated.
    pub repeat: u32,
}

impl Gather {
    pub(super) fn new(elements: Elements, order: GatherOrder) -> Self {
        let Elements { start, stride, end, size, first, count, repeat } = elements;
        let words = size.div_ceil(4).max(1);
        Self {
            start,
            stride,
            end,
            size,
            words,
            count,
            first,
            repeat,
            order,
            groups_x: 0,
            to: 0,
            cuts: 0,
            base: 0,
            _rest: [0; 3],
        }
    }

    /// Blocks of a strip before each of which cuts have to be found first.
    const fn blocks(&self) -> u32 {
        match self.order.plain() {
            GatherOrder::STRIP => self.count / 3 / CUT_BLOCK,
            _ => 0,
        }
    }

    /// Bytes that it takes in the destination behind the elements.
    pub(super) const fn scratch_bytes(&self) -> u64 {
        (self.blocks() as u64 + 1) * CUT_BYTES
    }

    /// The same, from this word of the destination on.
    pub(super) fn into_word(self, to: u32) -> Self {
        Self { to, ..self }
    }

    /// Elements that are indices, to each of which something is added.
    pub(super) fn with_base(self, base: i32) -> Self {
        Self { base: base as u32, ..self }
    }

    /// Elements that are indices of 16 bits, the last of which cuts strips.
    pub(super) fn that_cut(self) -> Self {
        Self { cuts: 1, ..self }
    }
}

/// What `gather_indexed` is told: see `shaders/`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct IndexedGather {
    start: u32,
    stride: u32,
    end: u32,
    size: u32,
    words: u32,
    count: u32,
    base: u32,
    groups_x: u32,
}

/// Indices of 32 bits by which elements are gathered, and what is added to each.
#[derive(Clone)]
pub(super) struct ElementIndices {
    pub numbers: ElementNumbers,
    pub count: u32,
    pub base: i32,
}

/// Indices of 32 bits, where whoever gathers by them can read them.
#[derive(Clone)]
pub(super) enum ElementNumbers {
    /// On the GPU.
    Buffer(wgpu::Buffer),
    /// Here.
    Known(Arc<[u32]>),
}

/// The pipelines, made at their first use.
#[derive(Default)]
pub(super) struct Kernels {
    copy: Option<wgpu::ComputePipeline>,
    gather: Option<wgpu::ComputePipeline>,
    find_cuts: Option<wgpu::ComputePipeline>,
    carry_cuts: Option<wgpu::ComputePipeline>,
    gather_indexed: Option<wgpu::ComputePipeline>,
}

impl Kernels {
    /// Records a copy of bytes between two buffers.
    pub(super) fn copy_bytes(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        [from, to]: [&wgpu::Buffer; 2],
        copy: ByteCopy,
    ) {
        let pipeline = self.copy.get_or_insert_with(|| pipeline(gpu, OwnShader::CopyBytes, "copy_bytes"));
        for done in (0..copy.count).step_by(MOST_COPIED_AT_ONCE as usize) {
            let count = (copy.count - done).min(MOST_COPIED_AT_ONCE);
            let [from, to] = [(from, copy.from + done), (to, copy.to + done)].map(|(buffer, start)| {
                let base = start - start % BINDING_ALIGNMENT;
                (part(buffer, base, start - base + count), start - base)
            });
            let words = (to.1 % 4 + count).div_ceil(4);
            let groups = groups(words);
            let [groups_x, _] = groups;
            let told = ByteCopy { from: from.1, to: to.1, count, groups_x };
            run(gpu, encoder, pipeline, &[from.0, to.0], bytemuck::bytes_of(&told), groups);
        }
    }

    /// Records that elements are gathered into the start of a buffer.
    pub(super) fn gather(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        [from, to]: [&wgpu::Buffer; 2],
        gather: Gather,
    ) {
        let Self { gather: all, find_cuts, carry_cuts, .. } = self;
        let mut run_entry = |kept: &mut Option<_>, entry_point, groups: [u32; 2]| {
            let pipeline = kept.get_or_insert_with(|| pipeline(gpu, OwnShader::GatherElements, entry_point));
            let [groups_x, _] = groups;
            let told = Gather { groups_x, ..gather };
            run(gpu, encoder, pipeline, &[from, to].map(whole), bytemuck::bytes_of(&told), groups);
        };
        let (blocks, words) = (gather.blocks(), gather.count.saturating_mul(gather.words));
        if blocks > 0 {
            run_entry(find_cuts, "find_cuts", groups(blocks));
            run_entry(carry_cuts, "carry_cuts", [1, 1]);
        }
        run_entry(all, "gather_elements", groups(words));
    }

    /// Records that elements are gathered into the start of a buffer in the order of indices. Of `elements` first, count and
    /// repeat say nothing.
    pub(super) fn gather_indexed(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        [from, to]: [&wgpu::Buffer; 2],
        elements: Elements,
        (indices, numbers): (&ElementIndices, &wgpu::Buffer),
    ) {
        let make = || pipeline(gpu, OwnShader::GatherIndexed, "gather_indexed");
        let pipeline = self.gather_indexed.get_or_insert_with(make);
        let Elements { start, stride, end, size, .. } = elements;
        let words = size.div_ceil(4).max(1);
        let groups = groups(indices.count.saturating_mul(words));
        let [groups_x, _] = groups;
        let (count, base) = (indices.count, indices.base as u32);
        let gather = IndexedGather { start, stride, end, size, words, count, base, groups_x };
        let buffers = [from, to, numbers].map(whole);
        run(gpu, encoder, pipeline, &buffers, bytemuck::bytes_of(&gather), groups);
    }
}

/// Workgroups in two rows, since one row may have only so many.
fn groups(invocations: u32) -> [u32; 2] {
    const MOST: u32 = 1 << 15;
    let groups = invocations.div_ceil(GROUP).max(1);
    [groups.min(MOST), groups.div_ceil(MOST)]
}

/// A whole buffer, bound.
fn whole(buffer: &wgpu::Buffer) -> wgpu::BufferBinding<'_> {
    buffer.as_entire_buffer_binding()
}

/// A part of a buffer, bound: so many bytes from `start` on, and the rest of the last word.
fn part(buffer: &wgpu::Buffer, start: u32, size_bytes: u32) -> wgpu::BufferBinding<'_> {
    let size = u64::from(size_bytes).next_multiple_of(4).min(buffer.size() - u64::from(start));
    wgpu::BufferBinding { buffer, offset: u64::from(start), size: wgpu::BufferSize::new(size) }
}

fn pipeline(gpu: &Gpu, shader: OwnShader, entry_point: &'static str) -> wgpu::ComputePipeline {
    let label = Some(entry_point);
    let module = shader.module(gpu);
    gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label,
        layout: None,
        module: &module,
        entry_point: Some(entry_point),
        compilation_options: Default::default(),
        cache: None,
    })
}

fn run(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    pipeline: &wgpu::ComputePipeline,
    buffers: &[wgpu::BufferBinding<'_>],
    parameters: &[u8],
    [x, y]: [u32; 2],
) {
    let uniform = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("parameters"),
        size: parameters.len() as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue.write_buffer(&uniform, 0, parameters);
    // Where elements come from, where they go to, what is told, and by which indices.
    let bound = buffers.iter().cloned().zip([0, 1, 3]).chain([(whole(&uniform), 2)]);
    let entry = |(buffer, binding)| wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Buffer(buffer) };
    let entries: Vec<_> = bound.map(entry).collect();
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(x, y, 1);
}
