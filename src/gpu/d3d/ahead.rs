//! Programs and pipelines made by other threads, before their draws come.

use std::sync::Arc;

use super::outline::{options, pipeline_key, written_targets};
use super::pipelines::{DrawPipelines, primitive_topology};
use super::programs::Programs;
use super::vertices::{drawn_topology, expected_slots};
use crate::command::{IndexFormat, Location};
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{DrawState, DrawnVertices};

/// Makes what draws need, on any thread. What it makes the renderer finds, and neither makes what the other has made.
#[derive(Clone)]
pub(crate) struct DrawMaker {
    gpu: Arc<Gpu>,
    programs: Arc<Programs>,
    pipelines: Arc<DrawPipelines>,
}

impl Renderer {
    /// What makes ahead what this renderer will draw with. Nothing on GL, whose drivers compile for one thread at a time.
    pub(crate) fn draw_maker(&self) -> Option<DrawMaker> {
        let (gpu, programs, pipelines) = (self.gpu.clone(), self.d3d.programs.clone(), self.d3d.pipelines.clone());
        (!gpu.is_gl()).then_some(DrawMaker { gpu, programs, pipelines })
    }

    /// How many pipelines were not made yet when their draws came.
    pub fn late_pipelines(&self) -> u32 {
        self.d3d.late_pipelines
    }
}

impl DrawMaker {
    /// Makes the program and the pipeline of a draw. What cannot be made, or is not as it seems from here, is left to the
    /// draw itself.
    pub(crate) fn make(&self, state: &DrawState, vertices: DrawnVertices, at: Location) -> Result<(), GpuError> {
        let Self { gpu, programs, pipelines } = self;
        if state.other_stage.is_some() || state.fixed.sample_mask & 1 == 0 {
            return Ok(());
        }
        let program = programs.get(gpu, state, options(state), at)?;
        if program.has_sized_points {
            // They have another layout of vertices.
            return Ok(());
        }
        let Some(topology) = primitive_topology(drawn_topology(gpu, state.topology, vertices, &program)) else {
            return Ok(());
        };
        let index = match (vertices, state.indices) {
            (DrawnVertices::Indexed(_), Some(source)) => Some(match source.format {
                IndexFormat::Uint16 => wgpu::IndexFormat::Uint16,
                IndexFormat::Uint32 => wgpu::IndexFormat::Uint32,
            }),
            _ => None,
        };
        let slots = expected_slots(state, program.inputs, at)?;
        let key = pipeline_key(state, (&program, &written_targets(state)), topology, (slots, index));
        pipelines.get(gpu, &key, &program, at).map(|_| ())
    }
}
