//! Vertex buffers of draws, found again while they lie where they did.

use std::ops::Range;
use std::sync::Arc;

use foldhash::HashMap;

use super::stage_groups::ResourceEpoch;
use super::vertices::{Reach, VertexSource, reach};
use crate::command::{Location, VertexStep};
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{DrawState, DrawnVertices, ObjectKey, ValueNumber, VertexInput};
use crate::shader::d3d::SlotSet;

/// Sources that are kept at most.
const MOST_SOURCES: usize = 1 << 10;

/// The vertex buffers of draws, by their inputs and the registers that are read of them.
pub(super) type KnownSources = HashMap<(ValueNumber, SlotSet), Arc<KnownVertices>>;

/// Vertex buffers, and what of them may be read.
pub(super) struct KnownVertices {
    seen: ResourceEpoch,
    pub source: VertexSource,
    /// Nothing of buffers that were made for one draw.
    reads: Option<Vec<KnownReads>>,
}

impl KnownVertices {
    /// Vertex buffers that were made for one draw.
    pub(super) fn of_one_draw(source: VertexSource) -> Self {
        Self { seen: ResourceEpoch::default(), source, reads: None }
    }

    /// Whether they lie where they did when resources were seen like this.
    pub(super) fn lie_as_seen(&self, epoch: ResourceEpoch) -> bool {
        self.reads.is_some() && self.seen == epoch
    }

    /// True if no resource was made, dropped or moved since they were looked up.
    pub(super) fn lie_as_of(&self, changes: u64) -> bool {
        self.seen.changes == changes
    }

    /// Whether a draw with the same inputs reads no more of them, as long as they lie where they did.
    pub(super) fn serve(&self, vertices: DrawnVertices) -> bool {
        self.reads.as_ref().is_some_and(|reads| reads.iter().all(|reads| reads.has(vertices)))
    }
}

/// What an input reads of its buffer.
struct KnownReads {
    buffer: Option<ObjectKey>,
    start_bytes: u64,
    stride_bytes: u64,
    size_bytes: u64,
    step: VertexStep,
    /// Size of the buffer.
    buffer_bytes: u64,
    /// All that is noted to be read.
    noted: Range<u64>,
}

impl KnownReads {
    /// Whether all that a draw reads is noted.
    fn has(&self, vertices: DrawnVertices) -> bool {
        // silent: indices may choose any element
        let Some(Reach { first, end }) = reach(self.step, vertices) else {
            return self.noted.start <= self.start_bytes && self.buffer_bytes <= self.noted.end;
        };
        // silent: a draw of nothing is looked at the long way
        let Some(last) = end.checked_sub(1) else { return false };
        let bytes =
            self.start_bytes + first * self.stride_bytes..self.start_bytes + last * self.stride_bytes + self.size_bytes;
        self.noted.start <= bytes.start && bytes.end <= self.noted.end
    }
}

impl Renderer {
    /// The vertex buffers of a draw, for the registers that its shader reads: those of an earlier one with the same inputs, if
    /// it reads no more.
    pub(super) fn known_source(
        &mut self,
        state: &DrawState,
        vertices: DrawnVertices,
        (read, at): (SlotSet, Location),
    ) -> Result<Arc<KnownVertices>, GpuError> {
        let (key, epoch) = ((state.inputs.number(), read), self.resource_epoch());
        if let Some(known) = self.bindings.sources.get(&key).filter(|known| known.seen.changes == epoch.changes)
            && known.serve(vertices)
        {
            if known.seen == epoch {
                return Ok(known.clone());
            }
            let known = known.clone();
            if let Some(known) = self.read_again(key, known, epoch)? {
                return Ok(known);
            }
        }
        let source = self.vertex_source(state, vertices, read, at)?;
        let inputs_read = || state.inputs.iter().filter(|input| read.contains(input.register));
        let lie_plainly = inputs_read().all(|input| self.bytes_as_they_lie(input, vertices).is_some());
        if !lie_plainly {
            self.bindings.sources.remove(&key);
            return Ok(Arc::new(KnownVertices::of_one_draw(source)));
        }
        let reads = inputs_read().map(|input| self.known_reads(input)).collect();
        let known = Arc::new(KnownVertices { seen: self.resource_epoch(), source, reads: Some(reads) });
        if self.bindings.sources.len() >= MOST_SOURCES {
            self.bindings.sources.clear();
        }
        self.bindings.sources.insert(key, known.clone());
        Ok(known)
    }

    /// Notes in another batch that vertex buffers are read; gives them if they still lie where they did then.
    fn read_again(
        &mut self,
        key: (ValueNumber, SlotSet),
        known: Arc<KnownVertices>,
        epoch: ResourceEpoch,
    ) -> Result<Option<Arc<KnownVertices>>, GpuError> {
        for reads in known.reads.iter().flatten() {
            if let Some(buffer) = reads.buffer {
                self.buffer_to_read(buffer, reads.noted.clone())?;
            }
        }
        drop(known);
        if self.resource_epoch() != epoch {
            return Ok(None);
        }
        let known = self.bindings.sources.get_mut(&key);
        Ok(known.and_then(|known| {
            Arc::get_mut(known)?.seen = epoch;
            Some(known.clone())
        }))
    }

    fn known_reads(&self, input: &VertexInput) -> KnownReads {
        let held = input.buffer.and_then(|key| self.resources.objects.buffers.get(&key));
        KnownReads {
            buffer: input.buffer.filter(|_| held.is_some()),
            start_bytes: input.start_bytes,
            stride_bytes: u64::from(input.stride_bytes),
            size_bytes: u64::from(input.size_bytes),
            step: input.step,
            buffer_bytes: held.map_or(0, |held| u64::from(held.size_bytes)),
            noted: held.map_or(0..0, |held| held.used.read_in(self.recorder.number)),
        }
    }
}
