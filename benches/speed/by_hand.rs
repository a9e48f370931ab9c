//! The scene on the [`Baseline`], which issues its draws from memory.

use std::sync::Arc;

use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::Picture;
use anyhow::{Context, Result};

use crate::baseline::Baseline;
use crate::scene::{Draw, Frame, SIZE, Scene};

pub(crate) struct SceneBaseline<'a> {
    baseline: Baseline,
    scene: &'a Scene,
    pipelines: Vec<wgpu::RenderPipeline>,
    buffers: Vec<wgpu::Buffer>,
}

impl<'a> SceneBaseline<'a> {
    pub(crate) fn new(gpu: Arc<Gpu>, scene: &'a Scene) -> Self {
        let baseline = Baseline::new(gpu, SIZE);
        let pipelines = scene.shaders.iter().map(|shader| baseline.make_pipeline(shader)).collect();
        let buffers = scene.buffers.iter().map(|bytes| baseline.make_buffer(bytes)).collect();
        Self { baseline, scene, pipelines, buffers }
    }

    /// Draws the frame with this number and submits it.
    pub(crate) fn draw_frame(&self, number: usize) -> Result<()> {
        self.baseline.gpu.queue.submit([self.record(number)?.finish()]);
        Ok(())
    }

    /// Draws frames and gives each picture to `each`.
    pub(crate) fn pictures(&self, frames: impl IntoIterator<Item = usize>, each: impl FnMut(Picture)) -> Result<()> {
        self.baseline.pictures(frames, |number| self.record(number), each)
    }

    fn record(&self, number: usize) -> Result<wgpu::CommandEncoder> {
        let frame = self.scene.frames.get(number).with_context(|| format!("no frame {number}"))?;
        self.baseline.record(frame.clear, |pass| self.record_draws(pass, frame))
    }

    fn record_draws(&self, pass: &mut wgpu::RenderPass<'_>, frame: &Frame) -> Option<()> {
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
