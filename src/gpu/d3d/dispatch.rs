//! Compute shaders: a dispatch is a pass of its own, in order with the draws around it.

use std::sync::Arc;

use super::parameters::DrawNumbers;
use super::programs::ComputeProgram;
use crate::command::Location;
use crate::gpu::error::{BudgetedWork, GpuError};
use crate::gpu::in_flight::Recorded;
use crate::gpu::renderer::Renderer;
use crate::replay::device_rules::{check_groups, check_written_by_dispatch};
use crate::replay::{DispatchState, DrawTargets, World};
use crate::shader::d3d::VERTEX_GROUP;

impl Renderer {
    /// Runs a compute shader.
    pub(super) fn dispatch_device(
        &mut self,
        state: &DispatchState,
        groups: [u32; 3],
        at: Location,
    ) -> Result<(), GpuError> {
        let refused = |refusal| GpuError::Refusal { refusal, at };
        check_groups(self.gpu.record(), groups).map_err(refused)?;
        check_written_by_dispatch(&state.bindings).map_err(refused)?;
        let (program, is_made) = {
            let Self { pipelines, gpu, .. } = self;
            pipelines.programs.compute(gpu, state, at)?
        };
        if is_made {
            self.recorder.batch.note(Recorded::Pipeline);
        }
        self.spend_threads(&program, groups, at)?;
        let targets = DrawTargets::NONE;
        let numbers = DrawNumbers::default();
        let around = (World::Direct3d11, &targets);
        self.settle_bound(&state.bindings, &targets)?;
        let (bound, _) = self.bound_group(&program.stage, &state.bindings, around, (&numbers, None), at)?;
        self.note_written(&[&state.bindings])?;
        self.recorder.open = None;
        self.time_dispatch(at, false);
        let [x, y, z] = groups;
        let mut pass = self.recorder.batch.computes().begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&program.pipeline);
        pass.set_bind_group(VERTEX_GROUP, &bound.group, bound.offsets.as_slice());
        pass.dispatch_workgroups(x, y, z);
        drop(pass);
        self.time_dispatch(at, true);
        self.recorder.batch.note_draw(at);
        Ok(())
    }

    /// Threads count as vertices do: so many a frame that a driver without a GPU is done in time.
    fn spend_threads(&mut self, program: &Arc<ComputeProgram>, groups: [u32; 3], at: Location) -> Result<(), GpuError> {
        let counts = groups.into_iter().chain(program.threads).map(u64::from);
        self.spend((BudgetedWork::Dispatch, counts.fold(1, u64::saturating_mul)), at)
    }
}
