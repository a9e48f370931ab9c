//! Buffers that shaders write: of dispatches, and of draws, each of which is then a pass of its own.
//!
//! A buffer is either written or read within one pass, as in Direct3D, where binding it for the one takes it from the other.

use super::resources::DeviceBuffer;
use crate::command::Location;
use crate::error::Internal;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{COUNTER_BYTES, ConstantSource, DrawState, ObjectKey, ResourceBinding, StageBindings};

impl Renderer {
    /// The counter of a buffer, 0 until it is set or counts.
    pub(super) fn counter_of(&mut self, key: ObjectKey) -> Result<wgpu::Buffer, GpuError> {
        let Self { d3d, gpu, .. } = self;
        let held = d3d.resources.buffers.get_mut(&key);
        let held = held.ok_or(Internal::new("a counter is used of a buffer that is not on the GPU"))?;
        if held.counter.is_none() {
            d3d.bytes += COUNTER_BYTES;
        }
        Ok(held.counter.get_or_insert_with(|| DeviceBuffer::make(gpu, COUNTER_BYTES as u32)).clone())
    }

    /// Sets the counter of a buffer, behind all that is recorded.
    pub(super) fn set_counter(&mut self, key: ObjectKey, count: u32) -> Result<(), GpuError> {
        let counter = self.counter_of(key)?;
        self.d3d.open = None;
        let size = wgpu::BufferSize::new(counter.size()).ok_or(Internal::new("a counter has no bytes"))?;
        let encoder = self.batch.after_draws();
        self.staging.write_buffer(encoder, &counter, 0, size).copy_from_slice(&count.to_le_bytes());
        self.batch.staged_bytes += size.get();
        Ok(())
    }

    /// Notes that what is recorded next writes the buffers that these stages write.
    pub(super) fn note_written(&mut self, stages: &[&StageBindings]) -> Result<(), GpuError> {
        for key in written(stages) {
            self.buffer_to_write(key)?;
        }
        Ok(())
    }
}

/// Both stages of a draw.
pub(super) const fn stages_of(state: &DrawState) -> [&StageBindings; 2] {
    [&state.vertex_bindings, &state.pixel_bindings]
}

/// Whether a draw writes any buffer.
pub(super) fn writes_buffers(state: &DrawState) -> bool {
    written(&stages_of(state)).next().is_some()
}

/// Refuses a draw that reads a buffer which it writes.
pub(super) fn check_written_by_draw(state: &DrawState, at: Location) -> Result<(), GpuError> {
    let stages = stages_of(state);
    let is_written = |key| written(&stages).any(|written| written == key);
    let what = if state.inputs.iter().filter_map(|input| input.buffer).any(is_written) {
        Some("vertices")
    } else if state.indices.as_ref().is_some_and(|indices| is_written(indices.buffer)) {
        Some("indices")
    } else {
        read_and_written(&stages)
    };
    match what {
        Some(what) => {
            let what = format!("a buffer that a draw writes and reads as {what}").into();
            Err(GpuError::Unsupported { what, at })
        }
        None => Ok(()),
    }
}

/// What a buffer that is written is read as too, if any is.
pub(super) fn read_and_written(stages: &[&StageBindings]) -> Option<&'static str> {
    let is_written = |key| written(stages).any(|written| written == key);
    let resource = stages.iter().flat_map(|stage| &stage.slots.resources).any(|(_, bound)| match bound {
        ResourceBinding::Buffer(range) => is_written(range.buffer),
        ResourceBinding::Texture(_) => false,
    });
    let constants = stages.iter().flat_map(|stage| &stage.slots.constants).any(|(_, source)| match source {
        ConstantSource::Buffer(range) => is_written(range.buffer),
        ConstantSource::FloatBank => false,
    });
    match (resource, constants) {
        (true, _) => Some("a shader resource"),
        (_, true) => Some("constants"),
        _ => None,
    }
}

fn written(stages: &[&StageBindings]) -> impl Iterator<Item = ObjectKey> {
    stages.iter().flat_map(|stage| &stage.slots.written).map(|(_, range)| range.buffer)
}
