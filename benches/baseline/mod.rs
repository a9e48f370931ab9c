//! The baseline: a wgpu program as one would write it by hand for what is measured.
//!
//! Everything is known beforehand: pipelines and buffers are made up front, state is set only where it changes, the
//! interleaved vertices take one slot, and nothing is parsed or checked. Device, target and pass structure (one pass and
//! one submission a frame) are those of the replayer; pictures are read back while the next frames are on their way.

mod in_a_row;

pub(crate) use in_a_row::play_in_a_row;

use std::collections::VecDeque;
use std::sync::Arc;

use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::{Picture, Size};
use anyhow::{Context, Result, anyhow};
use wgpu::util::DeviceExt;

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Pictures on their way at a time.
const IN_FLIGHT: usize = 3;
/// Position and colour, interleaved.
pub(crate) const STRIDE_BYTES: u32 = 24;
pub(crate) const COLOR_OFFSET_BYTES: u32 = 8;

/// A device with a target.
pub(crate) struct Baseline {
    pub gpu: Arc<Gpu>,
    size: Size,
    target: wgpu::Texture,
    view: wgpu::TextureView,
}

impl Baseline {
    pub(crate) fn new(gpu: Arc<Gpu>, size: Size) -> Self {
        let target = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: size.width_px, height: size.height_px, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = target.create_view(&wgpu::TextureViewDescriptor::default());
        Self { gpu, size, target, view }
    }

    /// A pipeline of a WGSL text with one entry point for each stage.
    pub(crate) fn make_pipeline(&self, shader: &str) -> wgpu::RenderPipeline {
        let device = &self.gpu.device;
        let source = wgpu::ShaderSource::Wgsl(shader.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let attribute = |shader_location, offset, format| wgpu::VertexAttribute { format, offset, shader_location };
        let buffer = wgpu::VertexBufferLayout {
            array_stride: u64::from(STRIDE_BYTES),
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &[
                attribute(0, 0, wgpu::VertexFormat::Float32x2),
                attribute(1, u64::from(COLOR_OFFSET_BYTES), wgpu::VertexFormat::Float32x4),
            ],
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

    pub(crate) fn make_buffer(&self, bytes: &[u8]) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST;
        let descriptor = wgpu::util::BufferInitDescriptor { label: None, contents: bytes, usage };
        self.gpu.device.create_buffer_init(&descriptor)
    }

    /// Records a frame: a pass that fills the target with `clear`, in which `draw` draws.
    pub(crate) fn record(
        &self,
        clear: [f32; 4],
        draw: impl FnOnce(&mut wgpu::RenderPass<'_>) -> Option<()>,
    ) -> Result<wgpu::CommandEncoder> {
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let [r, g, b, a] = clear.map(f64::from);
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
        draw(&mut pass).context("a draw names what is not there")?;
        drop(pass);
        Ok(encoder)
    }

    /// The pictures of `frames` as `record` records them, one after the other, each given to `each`.
    pub(crate) fn pictures(
        &self,
        frames: impl IntoIterator<Item = usize>,
        record: impl Fn(usize) -> Result<wgpu::CommandEncoder>,
        mut each: impl FnMut(Picture),
    ) -> Result<()> {
        let mut free: Vec<wgpu::Buffer> = (0..IN_FLIGHT).map(|_| self.make_readback()).collect();
        let mut pending = VecDeque::new();
        for frame in frames {
            if free.is_empty() {
                let (readback, submission) = pending.pop_front().context("nothing pending")?;
                each(self.finish(&readback, submission)?);
                free.push(readback);
            }
            let readback = free.pop().context("no buffer")?;
            let submission = self.start(record(frame)?, &readback);
            pending.push_back((readback, submission));
        }
        for (readback, submission) in pending {
            each(self.finish(&readback, submission)?);
        }
        Ok(())
    }

    fn make_readback(&self) -> wgpu::Buffer {
        self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: self.size.rgba_bytes(),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        })
    }

    fn start(&self, mut encoder: wgpu::CommandEncoder, readback: &wgpu::Buffer) -> wgpu::SubmissionIndex {
        // A row of the target is a multiple of 256 bytes long, so rows need no padding.
        let bytes_per_row = Some(self.size.width_px * 4);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: None };
        let into = wgpu::TexelCopyBufferInfo { buffer: readback, layout };
        encoder.copy_texture_to_buffer(self.target.as_image_copy(), into, self.target.size());
        let submission = self.gpu.queue.submit([encoder.finish()]);
        readback.map_async(wgpu::MapMode::Read, .., |_| ());
        submission
    }

    fn finish(&self, readback: &wgpu::Buffer, submission: wgpu::SubmissionIndex) -> Result<Picture> {
        self.gpu.wait(Some(submission))?;
        let rgba = readback.get_mapped_range(..).map_err(|error| anyhow!("{error}"))?.to_vec();
        readback.unmap();
        Ok(Picture::new(self.size, rgba)?)
    }
}
