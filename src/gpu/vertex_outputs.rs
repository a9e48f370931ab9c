//! Runs a program's vertex stage alone, on the GPU that draws with it, and reads what it writes.

use std::sync::Arc;

use super::device::Gpu;
use super::error::{GpuError, LibraryError};
use super::fallback_resources::{FallbackResources, OwnBuffer};
use super::shader_modules::make_shader_module;
use super::waiting::event;
use crate::command::Location;
use crate::pixels::Size;
use crate::shader::{
    Binding, CAPTURE_ENTRY, INPUT_WORDS, Program, VertexCapture, WORKGROUP_VERTICES, capture_of_vertex_stage,
};

/// Bytes of records that are on the GPU at a time.
const RECORDS_BYTES: u64 = 8 << 20;

/// A vertex stage, ready to run.
pub struct VertexStage {
    gpu: Arc<Gpu>,
    capture: VertexCapture,
    pipeline: wgpu::ComputePipeline,
    bind_groups: Vec<wgpu::BindGroup>,
    records: wgpu::Buffer,
    readback: wgpu::Buffer,
    /// Records that fit.
    capacity: u32,
    at: Location,
}

/// What one run of the stage is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexRun {
    /// The vertex's index.
    pub vertex_index: u32,
    /// Its position.
    pub position: [f32; 2],
    /// Its colour.
    pub color: [f32; 4],
}

impl VertexRun {
    /// As it stands in a record. Missing components of an attribute are 0, and 1 for the fourth.
    fn words(&self) -> [u32; INPUT_WORDS as usize] {
        let [x, y] = self.position.map(f32::to_bits);
        let [r, g, b, a] = self.color.map(f32::to_bits);
        [self.vertex_index, x, y, 0, 1.0f32.to_bits(), r, g, b, a]
    }
}

impl VertexStage {
    /// Makes the vertex stage of `program` ready for at most `vertices` at a time. `target` is for shaders that ask;
    /// `at` is the draw, for errors.
    pub fn new(gpu: &Arc<Gpu>, program: &Program, target: Size, vertices: u32, at: Location) -> Result<Self, GpuError> {
        let refused = |error| GpuError::NotCompiled { what: "vertex stage of the DRAW", at, error };
        let of_text = |message| refused(LibraryError::GuestText(message));
        let capture = capture_of_vertex_stage(&program.vertex).map_err(of_text)?;
        let capacity = (RECORDS_BYTES / (u64::from(capture.record_words) * 4)).clamp(1, u64::from(vertices.max(1)));
        let made = gpu.compile(|| make(gpu, &capture, program, target, capacity));
        let made = made.map_err(LibraryError::of_guest_text).map_err(refused)?;
        let Made { pipeline, bind_groups, records, readback } = made.map_err(of_text)?;
        Ok(Self { gpu: gpu.clone(), capture, pipeline, bind_groups, records, readback, capacity: capacity as u32, at })
    }

    /// Where the outputs lie in a record.
    pub fn capture(&self) -> &VertexCapture {
        &self.capture
    }

    /// Runs the stage for each of `vertices`. Gives a record of [`VertexCapture::record_words`] words for each.
    pub fn run(&self, vertices: &[VertexRun]) -> Result<Vec<u32>, GpuError> {
        let record_words = self.capture.record_words as usize;
        let mut results = Vec::with_capacity(vertices.len() * record_words);
        for part in vertices.chunks(self.capacity as usize) {
            let mut words = Vec::with_capacity(part.len() * record_words);
            for vertex in part {
                words.extend(vertex.words());
                words.resize(words.len() + record_words - INPUT_WORDS as usize, 0);
            }
            self.run_part(&words, part.len() as u32, &mut results)?;
        }
        Ok(results)
    }

    fn run_part(&self, words: &[u32], count: u32, results: &mut Vec<u32>) -> Result<(), GpuError> {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        let (device, queue) = (&self.gpu.device, &self.gpu.queue);
        queue.write_buffer(&self.records, 0, bytes);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("vertices") });
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        for (group, bind_group) in (0..).zip(&self.bind_groups) {
            pass.set_bind_group(group, bind_group, &[]);
        }
        pass.dispatch_workgroups(count.div_ceil(WORKGROUP_VERTICES), 1, 1);
        drop(pass);
        let length = bytes.len() as u64;
        encoder.copy_buffer_to_buffer(&self.records, 0, &self.readback, 0, length);
        self.gpu.under_way().ask_for(self.at);
        let submission = queue.submit([encoder.finish()]);
        let (teller, mapped) = event();
        self.readback.map_async(wgpu::MapMode::Read, 0..length, move |result| teller.tell(result));
        self.gpu.wait(Some(submission))?;
        self.gpu.check("vertices of the DRAW", self.at)?;
        let lost = |message: String| GpuError::DeviceLost(message);
        let mapped = mapped.wait(self.gpu.timeout());
        let mapped = mapped.map_err(|missed| self.gpu.missed(missed, "the vertices were never mapped"))?;
        mapped.map_err(|error| lost(format!("the vertices cannot be mapped: {error}")))?;
        self.gpu.under_way().answered();
        let mapped = self.readback.get_mapped_range(0..length).map_err(|error| lost(error.to_string()))?;
        results.extend(mapped.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)));
        drop(mapped);
        self.readback.unmap();
        Ok(())
    }
}

struct Made {
    pipeline: wgpu::ComputePipeline,
    bind_groups: Vec<wgpu::BindGroup>,
    records: wgpu::Buffer,
    readback: wgpu::Buffer,
}

fn make(gpu: &Gpu, capture: &VertexCapture, program: &Program, target: Size, capacity: u64) -> Result<Made, String> {
    let module = make_shader_module(gpu, CAPTURE_ENTRY, &capture.module)?;
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("vertex stage"),
        layout: None,
        module: &module,
        entry_point: Some(CAPTURE_ENTRY),
        compilation_options: Default::default(),
        cache: None,
    });
    let buffer = |label, usage| {
        let size = capacity * u64::from(capture.record_words) * 4;
        gpu.device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
    };
    let into_and_out = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
    let records = buffer("vertex records", wgpu::BufferUsages::STORAGE | into_and_out);
    let readback = buffer("vertex readback", wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let bindings: Vec<&Binding> = program.vertex.bindings.iter().collect();
    let own = OwnBuffer { binding: capture.binding, buffer: &records };
    let layout_of = |group| pipeline.get_bind_group_layout(group);
    let bind_groups = FallbackResources::new(target).make_bind_groups(gpu, layout_of, &bindings, Some(own));
    Ok(Made { pipeline, bind_groups, records, readback })
}
