//! The same frames by a wgpu program as one would write it by hand: one submission a frame, three pictures on their way.

use std::collections::VecDeque;

use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::Picture;
use anyhow::{Context, Result, anyhow};

use crate::{SHADERS, SIZE, time, triangle};

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const IN_FLIGHT: usize = 3;

struct Scene<'a> {
    gpu: &'a Gpu,
    pipeline: wgpu::RenderPipeline,
    vertices: wgpu::Buffer,
    target: wgpu::Texture,
    view: wgpu::TextureView,
}

/// Milliseconds for so many pictures with their hashes; making the scene is not counted.
pub fn play(gpu: &Gpu, frames: u32) -> Result<f64> {
    let scene = Scene::new(gpu);
    let mut free: Vec<wgpu::Buffer> = (0..IN_FLIGHT).map(|_| scene.make_readback()).collect();
    time(|| {
        let mut pending = VecDeque::new();
        for frame in 0..frames {
            if free.is_empty() {
                let (readback, submission) = pending.pop_front().context("nothing pending")?;
                free.push(scene.finish(readback, submission)?);
            }
            let readback = free.pop().context("no buffer")?;
            let submission = scene.draw(frame, &readback);
            pending.push_back((readback, submission));
        }
        pending.into_iter().try_for_each(|(readback, submission)| scene.finish(readback, submission).map(drop))
    })
}

impl<'a> Scene<'a> {
    fn new(gpu: &'a Gpu) -> Self {
        let target = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: SIZE.width_px, height: SIZE.height_px, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let vertices = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 72,
            usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let view = target.create_view(&wgpu::TextureViewDescriptor::default());
        Self { gpu, pipeline: make_pipeline(&gpu.device), vertices, target, view }
    }

    fn make_readback(&self) -> wgpu::Buffer {
        self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: SIZE.rgba_bytes(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        })
    }

    fn draw(&self, frame: u32, readback: &wgpu::Buffer) -> wgpu::SubmissionIndex {
        self.gpu.queue.write_buffer(&self.vertices, 0, &triangle(frame));
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.draw(0..3, 0..1);
        drop(pass);
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(SIZE.width_px * 4), rows_per_image: None };
        let into = wgpu::TexelCopyBufferInfo { buffer: readback, layout };
        encoder.copy_texture_to_buffer(self.target.as_image_copy(), into, self.target.size());
        let submission = self.gpu.queue.submit([encoder.finish()]);
        readback.map_async(wgpu::MapMode::Read, .., |_| ());
        submission
    }

    fn finish(&self, readback: wgpu::Buffer, submission: wgpu::SubmissionIndex) -> Result<wgpu::Buffer> {
        self.gpu.wait(Some(submission))?;
        let rgba = readback.get_mapped_range(..).map_err(|error| anyhow!("{error}"))?.to_vec();
        std::hint::black_box(Picture::new(SIZE, rgba)?.hash());
        readback.unmap();
        Ok(readback)
    }
}

fn make_pipeline(device: &wgpu::Device) -> wgpu::RenderPipeline {
    let source = wgpu::ShaderSource::Wgsl(SHADERS.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let attribute = |shader_location, offset, format| wgpu::VertexAttribute { format, offset, shader_location };
    let buffer = wgpu::VertexBufferLayout {
        array_stride: 24,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &[attribute(0, 0, wgpu::VertexFormat::Float32x2), attribute(1, 8, wgpu::VertexFormat::Float32x4)],
    };
    let compilation_options = wgpu::PipelineCompilationOptions::default;
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: compilation_options(),
            buffers: &[Some(buffer)],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: None,
            compilation_options: compilation_options(),
            targets: &[Some(FORMAT.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
