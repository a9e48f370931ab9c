//! The frames of one triangle on the [`Baseline`].

use std::sync::Arc;

use aerogpu_replay::gpu::Gpu;
use anyhow::Result;

use crate::baseline::Baseline;
use crate::{SHADERS, SIZE, time, triangle};

/// Milliseconds for so many pictures with their hashes; making the scene is not counted.
pub(crate) fn play(gpu: &Arc<Gpu>, frames: u32) -> Result<f64> {
    let baseline = Baseline::new(gpu.clone(), SIZE);
    let (pipeline, vertices) = (baseline.make_pipeline(SHADERS), baseline.make_buffer(&triangle(0)));
    let record = |frame: usize| {
        gpu.queue.write_buffer(&vertices, 0, &triangle(frame as u32));
        baseline.record([0.0, 0.0, 0.0, 1.0], |pass| {
            pass.set_pipeline(&pipeline);
            pass.set_vertex_buffer(0, vertices.slice(..));
            pass.draw(0..3, 0..1);
            Some(())
        })
    };
    time(|| {
        baseline.pictures(0..frames as usize, record, |picture| {
            std::hint::black_box(picture.hash());
        })
    })
}
