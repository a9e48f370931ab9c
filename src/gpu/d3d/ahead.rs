//! Programs and pipelines made before their draws come: by other threads, or, where there are none, many at a time.
//!
//! ```text
//!  with threads     draws that are told ──► queue ──► threads: each makes what one draw needs
//!  without          all draws ──► made one after the other, while the API still works on the last ones
//! ```

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use foldhash::{HashMap, HashSet};

use super::draw_options::options;
use super::outline::{check_coming, pipeline_key, written_targets};
use super::pipelines::{DrawPipelines, PipelineKey, primitive_topology};
use super::programs::{DrawProgram, ProgramSource, Programs, UnsettledProgram, made_program};
use super::vertices::{drawn_topology, expected_slots};
use crate::command::{IndexFormat, Location};
use crate::gpu::device::{Gpu, PipelineProgress, Unsettled};
use crate::gpu::error::GpuError;
use crate::gpu::renderer::Renderer;
use crate::replay::{DrawState, DrawnVertices};

/// Draws that may wait. Who finds more waits too.
const MOST_WAITING: usize = 256;

/// Draws whose programs and pipelines the API may be at work on at a time.
const MOST_UNSETTLED: usize = 64;

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

    fn make(&self, draw: &ComingDraw) -> Result<(), GpuError> {
        let Self { gpu, programs, pipelines, .. } = self;
        let ComingDraw { state, at, .. } = draw;
        if draw.needs_nothing() {
            return Ok(());
        }
        check_coming(gpu.record(), state, *at)?;
        let program = programs.get(gpu, state, options(state, gpu.record()), *at, || false)?;
        match draw.pipeline_key(gpu, &program)? {
            Some(key) => pipelines.get(gpu, &key, &program, *at, || false).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Makes what all of these draws need. Each thing is made before the API has taken those before it, so that it works on
    /// several at a time; only what it takes is kept.
    pub(crate) fn make_together(&self, draws: &[ComingDraw]) {
        let mut together = Together::default();
        let of = draws.len() as u32;
        let mut unsettled = VecDeque::new();
        let mut made = 0;
        let mut settle = |begun: Begun| {
            begun.settle(self);
            made += 1;
            self.gpu.tell_pipeline(PipelineProgress { made, of });
        };
        for draw in draws {
            if unsettled.len() >= MOST_UNSETTLED {
                unsettled.pop_front().into_iter().for_each(&mut settle);
            }
            unsettled.push_back(together.begin(self, draw));
        }
        unsettled.into_iter().for_each(settle);
    }

    fn lock(&self) -> MutexGuard<'_, ComingDraws> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ComingDraw {
    /// True of a draw that draws nothing, or that no device draws.
    fn needs_nothing(&self) -> bool {
        self.state.other_stage.is_some() || self.state.fixed.sample_mask & 1 == 0
    }

    /// Key of its pipeline; nothing where that is not known from here.
    fn pipeline_key(&self, gpu: &Gpu, program: &DrawProgram) -> Result<Option<PipelineKey>, GpuError> {
        let Self { state, vertices, at } = self;
        if program.has_sized_points {
            // They have another layout of vertices.
            return Ok(None);
        }
        // silent: the draw itself tells that nothing draws such primitives
        let Some(topology) = primitive_topology(drawn_topology(gpu, state.topology, *vertices, program)) else {
            return Ok(None);
        };
        let index = match (vertices, state.indices) {
            (DrawnVertices::Indexed(_), Some(source)) => Some(match source.format {
                IndexFormat::Uint16 => wgpu::IndexFormat::Uint16,
                IndexFormat::Uint32 => wgpu::IndexFormat::Uint32,
            }),
            _ => None,
        };
        let slots = expected_slots(gpu.record(), state, program.inputs, *at)?;
        Ok(Some(pipeline_key(state, (program, &written_targets(state)), topology, (slots, index))))
    }
}

/// Things made for several draws, not kept yet.
#[derive(Default)]
struct Together {
    programs: HashMap<ProgramSource, Arc<DrawProgram>>,
    pipelines: HashSet<PipelineKey>,
}

/// Things begun for one draw.
#[derive(Default)]
struct Begun {
    program: Option<(ProgramSource, UnsettledProgram)>,
    pipeline: Option<(PipelineKey, Unsettled<wgpu::RenderPipeline>)>,
}

/// Sign that something could not be made. The draw itself tells the cause.
struct NotMade;

impl<E> From<E> for NotMade
where
    E: std::fmt::Display,
{
    fn from(_: E) -> Self {
        Self
    }
}

impl Together {
    /// Makes what a draw needs and no draw before it needed. What cannot be made, or is not as it seems from here, is left to
    /// the draw itself.
    fn begin(&mut self, ahead: &DrawsAhead, draw: &ComingDraw) -> Begun {
        let mut begun = Begun::default();
        if draw.needs_nothing() {
            return begun;
        }
        if let Ok((known, program)) = self.program(ahead, draw) {
            begun.program = program;
            if let Ok(pipeline) = self.pipeline(ahead, draw, &known) {
                begun.pipeline = pipeline;
            }
        }
        begun
    }

    fn program(&mut self, ahead: &DrawsAhead, draw: &ComingDraw) -> Result<BegunProgram, NotMade> {
        let DrawsAhead { gpu, programs, .. } = ahead;
        let ComingDraw { state, at, .. } = draw;
        check_coming(gpu.record(), state, *at)?;
        let source = ProgramSource::of(state, options(state, gpu.record()))?;
        match self.programs.get(&source).cloned().or_else(|| programs.known(&source)) {
            Some(known) => Ok((known, None)),
            None => {
                let made = made_program(gpu, state, &source, *at)?.made?;
                let program = made.made.clone()?;
                self.programs.insert(source.clone(), program.clone());
                Ok((program, Some((source, made))))
            }
        }
    }

    fn pipeline(
        &mut self,
        ahead: &DrawsAhead,
        draw: &ComingDraw,
        program: &DrawProgram,
    ) -> Result<Option<(PipelineKey, Unsettled<wgpu::RenderPipeline>)>, NotMade> {
        let DrawsAhead { gpu, pipelines, .. } = ahead;
        match draw.pipeline_key(gpu, program)? {
            Some(key) if !pipelines.has(&key) && self.pipelines.insert(key.clone()) => {
                let made = pipelines.unsettled(gpu, &key, program, draw.at)??;
                Ok(Some((key, made)))
            }
            Some(_) | None => Ok(None),
        }
    }
}

/// A program that a draw needs, and what is to be kept if it is a new one.
type BegunProgram = (Arc<DrawProgram>, Option<(ProgramSource, UnsettledProgram)>);

impl Begun {
    /// Waits for the API, and keeps what it takes.
    fn settle(self, ahead: &DrawsAhead) {
        let Self { program, pipeline } = self;
        if let Some((source, made)) = program
            && let Ok(Ok(program)) = made.settled()
        {
            ahead.programs.put(source, program);
        }
        if let Some((key, made)) = pipeline
            && let Ok(pipeline) = made.settled()
        {
            ahead.pipelines.put(key, pipeline);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::gpu::adapter::{AdapterChoice, BackendChoice};

    /// A buffer that an API takes, or one of a usage that no API has together.
    fn buffer(gpu: &Gpu, is_good: bool) -> Unsettled<wgpu::Buffer> {
        let reads = wgpu::BufferUsages::MAP_READ;
        let usage = if is_good { reads } else { reads | wgpu::BufferUsages::VERTEX };
        let descriptor = wgpu::BufferDescriptor { label: None, size: 4, usage, mapped_at_creation: false };
        let made = gpu.compile_unsettled(|| gpu.device.create_buffer(&descriptor));
        made.unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn what_is_made_before_others_are_settled_has_its_own_error() {
        let gpu = Gpu::open(BackendChoice::Noop, &AdapterChoice::Best, Duration::from_secs(60)).unwrap();
        let are_good = [true, false, true, false, false, true];
        let made: Vec<_> = are_good.into_iter().map(|is_good| buffer(&gpu, is_good)).collect();
        let settled: Vec<bool> = made.into_iter().map(|made| made.settled().is_ok()).collect();
        assert_eq!(settled, are_good);
        assert!(!gpu.is_in_trouble());
    }
}
