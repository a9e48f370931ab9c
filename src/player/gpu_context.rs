//! What ops are carried out on.

use super::residency::Residency;
use super::target_copies::TargetCopies;
use crate::gpu::{GpuError, Renderer};
use crate::replay::{Executor, FrameMemory, Op};

/// The GPU's side of a player: the renderer, what is known of the buffers that it holds, and the pictures kept there.
pub(super) struct GpuContext {
    pub renderer: Renderer,
    pub residency: Residency,
    pub copies: TargetCopies,
}

impl GpuContext {
    /// The context of a renderer that has done nothing yet.
    pub(crate) fn new(renderer: Renderer, memory: FrameMemory) -> Self {
        let residency = Residency::with_room(memory.resident_bytes());
        Self { renderer, residency, copies: TargetCopies::default() }
    }

    /// Nothing was drawn and nothing made.
    pub(crate) fn reset(&mut self) {
        self.residency.clear();
        self.copies.clear();
        self.renderer.reset();
    }

    /// Carries out what the executor's last command asks for.
    #[inline]
    pub(crate) fn run_ops(&mut self, executor: &Executor) -> Result<(), GpuError> {
        executor.ops().iter().try_for_each(|op| self.run(op, executor))
    }

    /// Carries out one op, on behalf of the executor's last command.
    #[inline]
    pub(crate) fn run(&mut self, op: &Op, executor: &Executor) -> Result<(), GpuError> {
        if self.residency.is_eager() {
            return self.renderer.run(op, executor);
        }
        self.residency.run(op, executor, &mut self.renderer)
    }

    /// Drops buffers that are kept for nothing, if there are too many.
    pub(crate) fn trim(&mut self, executor: &Executor) -> Result<(), GpuError> {
        self.residency.trim(executor, &mut self.renderer)
    }
}
