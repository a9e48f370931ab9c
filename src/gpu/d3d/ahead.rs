//! Programs and pipelines made by other threads, before their draws come.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::draw_options::options;
use super::outline::{pipeline_key, written_targets};
use super::pipelines::{DrawPipelines, primitive_topology};
use super::programs::Programs;
use super::vertices::{drawn_topology, expected_slots};
use crate::command::{IndexFormat, Location};
use crate::gpu::device::Gpu;
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{DrawState, DrawnVertices};

/// Draws that may wait. Who finds more waits too.
const MOST_WAITING: usize = 256;

/// A draw that will come.
pub(crate) struct ComingDraw {
    pub state: Arc<DrawState>,
    pub vertices: DrawnVertices,
    pub at: Location,
}

/// Draws that will come, and what they need, which any thread may make. The renderer finds what is made, and nobody makes
/// what another has made.
///
/// Where the renderer needs what another thread is at work on, it makes something for a later draw meanwhile. Else both
/// would go from draw to draw together, each waiting for the other.
pub(crate) struct DrawsAhead {
    gpu: Arc<Gpu>,
    programs: Arc<Programs>,
    pipelines: Arc<DrawPipelines>,
    queue: Mutex<ComingDraws>,
    changed: Condvar,
}

#[derive(Default)]
struct ComingDraws {
    waiting: VecDeque<ComingDraw>,
    is_closed: bool,
}

impl Renderer {
    /// Has others make what draws need that are told. Nothing on GL, whose drivers compile for one thread at a time.
    pub(crate) fn expect_draws(&mut self) -> Option<Arc<DrawsAhead>> {
        let (gpu, programs, pipelines) =
            (self.gpu.clone(), self.pipelines.programs.clone(), self.pipelines.draws.clone());
        let ahead = DrawsAhead { gpu, programs, pipelines, queue: Mutex::default(), changed: Condvar::new() };
        self.pipelines.ahead = (!self.gpu.is_gl()).then(|| Arc::new(ahead));
        self.pipelines.ahead.clone()
    }

    /// How many pipelines were not made yet when their draws came.
    pub fn late_pipelines(&self) -> u32 {
        self.pipelines.late
    }
}

impl DrawsAhead {
    /// Tells of a draw, once there is room for it. `false` if nobody wants to know any more.
    pub(crate) fn tell(&self, draw: ComingDraw) -> bool {
        let mut queue = self.lock();
        while queue.waiting.len() >= MOST_WAITING && !queue.is_closed {
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        if !queue.is_closed {
            queue.waiting.push_back(draw);
            self.changed.notify_all();
        }
        !queue.is_closed
    }

    /// Makes what draws need until nobody wants to know any more.
    pub(crate) fn work(&self) {
        let mut queue = self.lock();
        while !queue.is_closed {
            match queue.waiting.pop_front() {
                Some(draw) => {
                    drop(queue);
                    self.make_for(&draw);
                    queue = self.lock();
                }
                None => queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Makes what one draw needs. `false` if none waits.
    pub(super) fn help(&self) -> bool {
        let next = self.lock().waiting.pop_front();
        next.inspect(|draw| self.make_for(draw)).is_some()
    }

    /// Whether nobody wants to know any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Nobody wants to know any more.
    pub(crate) fn close(&self) {
        let mut queue = self.lock();
        queue.is_closed = true;
        queue.waiting.clear();
        self.changed.notify_all();
    }

    /// What cannot be made, or is not as it seems from here, is left to the draw itself, which tells what is wrong.
    fn make_for(&self, draw: &ComingDraw) {
        self.changed.notify_all();
        let _ = self.make(draw);
    }

    fn make(&self, ComingDraw { state, vertices, at }: &ComingDraw) -> Result<(), GpuError> {
        let Self { gpu, programs, pipelines, .. } = self;
        if state.other_stage.is_some() || state.fixed.sample_mask & 1 == 0 {
            return Ok(());
        }
        let program = programs.get(gpu, state, options(state, gpu.record()), *at, || false)?;
        if program.has_sized_points {
            // They have another layout of vertices.
            return Ok(());
        }
        // silent: the draw itself tells that nothing draws such primitives
        let Some(topology) = primitive_topology(drawn_topology(gpu, state.topology, *vertices, &program)) else {
            return Ok(());
        };
        let index = match (vertices, state.indices) {
            (DrawnVertices::Indexed(_), Some(source)) => Some(match source.format {
                IndexFormat::Uint16 => wgpu::IndexFormat::Uint16,
                IndexFormat::Uint32 => wgpu::IndexFormat::Uint32,
            }),
            _ => None,
        };
        let slots = expected_slots(gpu.record(), state, program.inputs, *at)?;
        let key = pipeline_key(state, (&program, &written_targets(state)), topology, (slots, index));
        pipelines.get(gpu, &key, &program, *at, || false).map(|_| ())
    }

    fn lock(&self) -> MutexGuard<'_, ComingDraws> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
