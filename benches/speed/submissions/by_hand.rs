//! The scene as one would write it by hand: every bind group made beforehand, tints in one buffer that is written once a
//! frame and bound by dynamic offsets, state set only where it changes, one pass and one submission a frame.

use std::sync::Arc;

use aerogpu_replay::gpu::Gpu;
use anyhow::{Context, Result};

use super::canvas::{Canvas, group_entry, texture_group_layout};
use super::scene::{Draw, STRIDE_BYTES, Scene, TEXTURE_SIDE_PX};
use super::shaders;

/// Uniforms are bound at multiples of it.
const TINT_STRIDE_BYTES: usize = 256;

pub(super) struct DrawsByHand<'a> {
    pub canvas: Canvas,
    scene: &'a Scene,
    pipelines: Vec<wgpu::RenderPipeline>,
    groups: Vec<wgpu::BindGroup>,
    buffers: Vec<wgpu::Buffer>,
    tints: wgpu::Buffer,
}

impl<'a> DrawsByHand<'a> {
    pub(super) fn new(gpu: Arc<Gpu>, scene: &'a Scene) -> Self {
        let canvas = Canvas::new(gpu);
        let most = scene.frames.iter().map(Vec::len).max().unwrap_or(0);
        let tints = canvas.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: (most.max(1) * TINT_STRIDE_BYTES) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout = texture_group_layout(&canvas.gpu.device, true);
        let sampler = canvas.gpu.device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            ..Default::default()
        });
        let group = |texels: &Vec<u8>| {
            let view = canvas.make_texture([TEXTURE_SIDE_PX; 2], Some(texels)).create_view(&Default::default());
            let size = wgpu::BufferSize::new(16);
            let binding = wgpu::BufferBinding { buffer: &tints, offset: 0, size };
            let entries = [
                group_entry(0, wgpu::BindingResource::TextureView(&view)),
                group_entry(1, wgpu::BindingResource::Sampler(&sampler)),
                group_entry(2, wgpu::BindingResource::Buffer(binding)),
            ];
            let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
            canvas.gpu.device.create_bind_group(&descriptor)
        };
        let groups = scene.textures.iter().map(group).collect();
        let formats = [wgpu::VertexFormat::Float32x4, wgpu::VertexFormat::Float32x2];
        let pipeline = |operation| {
            let text = shaders::wgsl(operation);
            canvas.make_pipeline(&text, Some(&layout), (u64::from(STRIDE_BYTES), formats), Canvas::FORMAT)
        };
        let pipelines = shaders::OPERATIONS.iter().map(pipeline).collect();
        let buffers = scene.buffers.iter().map(|bytes| canvas.make_vertices(bytes)).collect();
        Self { scene, pipelines, groups, buffers, tints, canvas }
    }

    /// Draws the frame with this number and submits it.
    pub(super) fn draw_frame(&self, number: usize) -> Result<()> {
        let draws = self.scene.frames.get(number).with_context(|| format!("no frame {number}"))?;
        let mut tints = Vec::with_capacity(draws.len() * TINT_STRIDE_BYTES);
        for draw in draws {
            tints.extend_from_slice(bytemuck::cast_slice(&draw.tint));
            tints.resize(tints.len().next_multiple_of(TINT_STRIDE_BYTES), 0);
        }
        let gpu = &self.canvas.gpu;
        gpu.queue.write_buffer(&self.tints, 0, &tints);
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = Canvas::begin_pass(&mut encoder, &self.canvas.view, wgpu::LoadOp::Clear(wgpu::Color::BLACK));
        self.record(&mut pass, draws).context("a draw names what is not there")?;
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    fn record(&self, pass: &mut wgpu::RenderPass<'_>, draws: &[Draw]) -> Option<()> {
        let (mut pipeline, mut buffer) = (None, None);
        for (number, draw) in (0..).zip(draws) {
            if pipeline.replace(draw.pipeline) != Some(draw.pipeline) {
                pass.set_pipeline(self.pipelines.get(draw.pipeline as usize)?);
            }
            if buffer.replace(draw.buffer) != Some(draw.buffer) {
                pass.set_vertex_buffer(0, self.buffers.get(draw.buffer as usize)?.slice(..));
            }
            let offset = number * TINT_STRIDE_BYTES as u32;
            pass.set_bind_group(0, self.groups.get(draw.texture as usize)?, &[offset]);
            pass.draw(draw.first_vertex..draw.first_vertex + draw.vertex_count, 0..1);
        }
        Some(())
    }
}
