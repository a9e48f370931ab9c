//! The scene on the [`Floor`], which issues its draws from memory.

use std::sync::Arc;

use aerogpu_replay::gpu::Gpu;
use aerogpu_replay::pixels::Picture;
use anyhow::{Context, Result};

use crate::floor::Floor;
use crate::scene::{Draw, Frame, SIZE, Scene};

pub(crate) struct SceneFloor<'a> {
    floor: Floor,
    scene: &'a Scene,
    pipelines: Vec<wgpu::RenderPipeline>,
    buffers: Vec<wgpu::Buffer>,
}

impl<'a> SceneFloor<'a> {
    pub(crate) fn new(gpu: Arc<Gpu>, scene: &'a Scene) -> Self {
        let floor = Floor::new(gpu, SIZE);
        let pipelines = scene.shaders.iter().map(|shader| floor.make_pipeline(shader)).collect();
        let buffers = scene.buffers.iter().map(|bytes| floor.make_buffer(bytes)).collect();
        Self { floor, scene, pipelines, buffers }
    }

    /// Draws the frame with this number and submits it.
    pub(crate) fn draw_frame(&self, number: usize) -> Result<()> {
        self.floor.gpu.queue.submit([self.record(number)?.finish()]);
        Ok(())
    }

    /// Draws frames and gives each picture to `each`.
    pub(crate) fn pictures(&self, frames: impl IntoIterator<Item = usize>, each: impl FnMut(Picture)) -> Result<()> {
        self.floor.pictures(frames, |number| self.record(number), each)
    }

    fn record(&self, number: usize) -> Result<wgpu::CommandEncoder> {
        let frame = self.scene.frames.get(number).with_context(|| format!("no frame {number}"))?;
        self.floor.record(frame.clear, |pass| self.record_draws(pass, frame))
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
