//! The floor: a wgpu program as one would write it by hand for this very scene, which issues its draws from memory.
//!
//! Everything is known beforehand: pipelines and buffers are made up front, state is set only where it changes, the
//! interleaved vertices take one vertex buffer slot, and nothing is parsed or checked. Target, pass structure (one
//! pass and one submission a frame) and device are those of the replayer.

use std::sync::{Arc, mpsc};

use aerogpu_replay::gpu::Gpu;
use anyhow::{Result, anyhow};
use wgpu::util::DeviceExt;

use crate::scene::{COLOR_OFFSET_BYTES, Draw, Frame, SIZE, STRIDE_BYTES, Scene};

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

pub struct Floor<'a> {
    gpu: Arc<Gpu>,
    scene: &'a Scene,
    pipelines: Vec<wgpu::RenderPipeline>,
    buffers: Vec<wgpu::Buffer>,
    target: wgpu::Texture,
    view: wgpu::TextureView,
    readback: wgpu::Buffer,
}

impl<'a> Floor<'a> {
    pub fn new(gpu: Arc<Gpu>, scene: &'a Scene) -> Self {
        let device = &gpu.device;
        let pipelines = scene.shaders.iter().map(|shader| make_pipeline(device, shader)).collect();
        let buffers = scene.buffers.iter().map(|bytes| make_buffer(device, bytes)).collect();
        let target = device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: SIZE.width_px, height: SIZE.height_px, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = target.create_view(&wgpu::TextureViewDescriptor::default());
        let readback = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: SIZE.rgba_bytes(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Self { gpu, scene, pipelines, buffers, target, view, readback }
    }

    /// Draws the frame with this number and submits it.
    pub fn draw_frame(&self, number: usize) -> Result<()> {
        self.gpu.queue.submit([self.record(number)?.finish()]);
        Ok(())
    }

    /// Draws the frame with this number and gives its picture.
    pub fn picture(&self, number: usize) -> Result<Vec<u8>> {
        let mut encoder = self.record(number)?;
        // A row of the target is a multiple of 256 bytes long, so rows need no padding.
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(SIZE.width_px * 4), rows_per_image: None };
        let into = wgpu::TexelCopyBufferInfo { buffer: &self.readback, layout };
        encoder.copy_texture_to_buffer(self.target.as_image_copy(), into, self.target.size());
        let submission = self.gpu.queue.submit([encoder.finish()]);
        let (sender, receiver) = mpsc::channel();
        self.readback.map_async(wgpu::MapMode::Read, .., move |result| {
            let _ = sender.send(result);
        });
        self.gpu.wait(Some(submission))?;
        receiver.try_recv()??;
        let rgba = self.readback.get_mapped_range(..).map_err(|error| anyhow!("{error}"))?.to_vec();
        self.readback.unmap();
        Ok(rgba)
    }

    fn record(&self, number: usize) -> Result<wgpu::CommandEncoder> {
        let frame = self.scene.frames.get(number).ok_or_else(|| anyhow!("no frame {number}"))?;
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.record_pass(&mut encoder, frame).ok_or_else(|| anyhow!("a draw names what is not there"))?;
        Ok(encoder)
    }

    fn record_pass(&self, encoder: &mut wgpu::CommandEncoder, frame: &Frame) -> Option<()> {
        let [r, g, b, a] = frame.clear.map(f64::from);
        let load = wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            ..Default::default()
        });
        let (mut pipeline, mut vertices) = (None, None);
        for &Draw { pipeline: wanted, buffer, base_bytes, first_vertex, vertex_count } in &frame.draws {
            if pipeline.replace(wanted) != Some(wanted) {
                pass.set_pipeline(self.pipelines.get(wanted as usize)?);
            }
            if vertices.replace((buffer, base_bytes)) != Some((buffer, base_bytes)) {
                pass.set_vertex_buffer(0, self.buffers.get(buffer as usize)?.slice(u64::from(base_bytes)..));
            }
            pass.draw(first_vertex..first_vertex + vertex_count, 0..1);
        }
        Some(())
    }
}

fn make_buffer(device: &wgpu::Device, bytes: &[u8]) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::VERTEX;
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents: bytes, usage })
}

fn make_pipeline(device: &wgpu::Device, shader: &str) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(shader.into()),
    });
    let attributes = [
        wgpu::VertexAttribute { format: wgpu::VertexFormat::Float32x2, offset: 0, shader_location: 0 },
        wgpu::VertexAttribute {
            format: wgpu::VertexFormat::Float32x4,
            offset: u64::from(COLOR_OFFSET_BYTES),
            shader_location: 1,
        },
    ];
    let buffer = wgpu::VertexBufferLayout {
        array_stride: u64::from(STRIDE_BYTES),
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &attributes,
    };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            buffers: &[Some(buffer)],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            targets: &[Some(FORMAT.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
