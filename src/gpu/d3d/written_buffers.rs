//! Buffers that shaders write: of dispatches, and of draws, each of which is then a pass of its own.
//!
//! A buffer is either written or read within one pass, as in Direct3D, where binding it for the one takes it from the other.

use super::resources::DeviceBuffer;
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::gpu::uploads::copy_in;
use crate::replay::device_rules::written_by;
use crate::replay::{COUNTER_BYTES, ObjectKey, StageBindings};

impl Renderer {
    /// The counter of a buffer, 0 until it is set or counts.
    pub(super) fn counter_of(&mut self, key: ObjectKey) -> Result<wgpu::Buffer, GpuError> {
        let Self { resources, gpu, .. } = self;
        let held = resources.objects.buffers.get_mut(&key);
        let held = held.ok_or(Internal::new("the buffer of a counter is not on the GPU"))?;
        if held.counter.is_none() {
            resources.bytes += COUNTER_BYTES;
        }
        Ok(held.counter.get_or_insert_with(|| DeviceBuffer::make(gpu, COUNTER_BYTES as u32)).clone())
    }

    /// Sets the counter of a buffer, behind all that is recorded.
    pub(super) fn set_counter(&mut self, key: ObjectKey, count: u32) -> Result<(), GpuError> {
        let counter = self.counter_of(key)?;
        self.recorder.open = None;
        let size = wgpu::BufferSize::new(counter.size()).ok_or(Internal::new("a counter has no bytes"))?;
        let encoder = self.recorder.batch.after_draws();
        copy_in(&mut self.recorder.staging, encoder, (&counter, 0), (&count.to_le_bytes(), size))?;
        self.recorder.batch.staged_bytes += size.get();
        Ok(())
    }

    /// Notes that what is recorded next writes the buffers that these stages write.
    pub(super) fn note_written(&mut self, stages: &[&StageBindings]) -> Result<(), GpuError> {
        for key in written_by(stages) {
            self.buffer_to_write(key)?;
        }
        Ok(())
    }
}
