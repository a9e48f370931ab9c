//! Carries out ops on one target.

use std::sync::Arc;

use super::buffers::BatchNumber;
use super::d3d::{Bindings, Pipelines, Resources};
use super::device::Gpu;
use super::drawing::Bound;
use super::error::{BudgetedWork, GpuError};
use super::in_flight::{InFlightLimits, Recorded};
use super::pipelines::PacketPipelines;
use super::presenter::Presenter;
use super::queries::Queries;
use super::recorder::Recorder;
use super::render_target::RenderTarget;
use super::uploads::STAGING_CHUNK_BYTES;
use crate::command::Location;
use crate::limits::MAX_PICTURE_BYTES;
use crate::pixels::Size;
use crate::replay::{Op, OpContext};

/// Staged bytes that make a submission large: of such ones only two are on their way at a time, for the memory.
const LARGE_SUBMISSION_BYTES: u64 = 1 << 20;

/// A target and everything that is drawn into it.
///
/// | part | owns |
/// |---|---|
/// | `resources` | buffers and textures, what of them was brought, and what is written back |
/// | `recorder` | the batch, the pass that is open in it, and the memory that is on its way |
/// | `bindings` | constants, samplers, bind groups, vertex buffers, and what stands for nothing |
/// | `pipelines` | programs, pipelines, and which draw has which |
/// | `queries` | the instruments that draws are asked with |
/// | `presenter` | the picture, and the screen that it is of |
pub struct Renderer {
    pub(super) gpu: Arc<Gpu>,
    pub(super) resources: Resources,
    pub(super) recorder: Recorder,
    pub(super) bindings: Bindings,
    pub(super) pipelines: Pipelines,
    pub(super) queries: Queries,
    pub(super) presenter: Presenter,
}

impl Renderer {
    /// A renderer with a target of transparent black. Nothing is refused yet: a size that the device lacks is an error of
    /// whatever draws on the target or reads it back.
    pub fn new(gpu: Arc<Gpu>, size: Size) -> Self {
        let target = RenderTarget::for_pictures(&gpu, size);
        let mut renderer = Self {
            resources: Resources::default(),
            recorder: Recorder::new(&gpu),
            bindings: Bindings::default(),
            pipelines: Pipelines::new(PacketPipelines::new(size)),
            queries: Queries::default(),
            presenter: Presenter::new(target, size),
            gpu,
        };
        renderer.reset();
        renderer
    }

    /// Refuses to use a target that the device, or this build, cannot have.
    pub(super) fn check_target(&self) -> Result<(), GpuError> {
        if self.presenter.target.is_made() { Ok(()) } else { Self::check_size(&self.gpu, self.presenter.size) }
    }

    /// Refuses a target that the device, or this build, cannot have.
    pub(super) fn check_size(gpu: &Gpu, size: Size) -> Result<(), GpuError> {
        let over_limit = |what, found, limit| Err(GpuError::OverDeviceLimit { what, found, limit });
        let side = u64::from(size.width_px.max(size.height_px));
        let largest_side = u64::from(gpu.largest_side_px());
        if side > largest_side {
            return over_limit("the target's larger side in pixels (--size)", side, largest_side);
        }
        if size.rgba_bytes() > MAX_PICTURE_BYTES {
            return over_limit("the target's size in bytes (--size)", size.rgba_bytes(), MAX_PICTURE_BYTES);
        }
        Ok(())
    }

    /// The GPU drawn with.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// Width and height of the target.
    pub fn size(&self) -> Size {
        self.presenter.size
    }

    /// Bytes that it keeps between two pictures: the target, buffers, and room for pictures on their way back.
    pub fn kept_bytes(&self) -> u64 {
        self.presenter.kept_bytes() + self.resources.kept_bytes()
    }

    /// Back to the start: no buffers, transparent black. Pipelines are kept.
    pub fn reset(&mut self) {
        self.recorder.reset();
        // Those that only the batch just dropped would have used are gone at once; which ones is not known.
        let dropped = self.resources.packets.clear();
        self.recorder.held.add(self.recorder.number, dropped);
        self.resources.reset_objects();
        self.bindings.reset();
        self.pipelines.reset();
        self.begin_canvas();
        self.replace_target(self.presenter.back_buffer);
        if self.presenter.target.is_made() {
            self.recorder.batch.clear(self.presenter.target.view(), wgpu::Color::TRANSPARENT);
        }
    }

    /// Records an op.
    pub fn run(&mut self, op: &Op, context: OpContext<'_>) -> Result<(), GpuError> {
        self.submit_if_full()?;
        let OpContext { at, blobs, programs, .. } = context;
        self.recorder.batch.first.get_or_insert(at);
        self.time_batch(at);
        self.leave_device_pass();
        match op {
            Op::CreateBuffer { buffer, size_bytes } => {
                self.recorder.batch.note(Recorded::Object);
                self.resources.packets.create(*buffer, *size_bytes);
            }
            Op::DropBuffer { buffer } => {
                let dropped = self.resources.packets.drop_buffer(*buffer)?;
                self.recorder.held.add(self.recorder.number, dropped);
            }
            Op::Upload { buffer, offset_bytes, pieces } => {
                self.upload(*buffer, *offset_bytes, pieces, blobs)?;
            }
            Op::Clear { rgba } => {
                self.draw_on_canvas();
                self.check_target()?;
                let [r, g, b, a] = rgba.map(f64::from);
                self.recorder.batch.clear(self.presenter.target.view(), wgpu::Color { r, g, b, a });
                self.recorder.bound = Bound::default();
            }
            Op::Draw(draw) => {
                self.draw_on_canvas();
                self.check_target()?;
                self.spend((BudgetedWork::Draw, u64::from(draw.vertex_count)), at)?;
                self.draw_overridden(draw, at, programs)?;
            }
            Op::Present => self.show_canvas(),
        }
        Ok(())
    }

    /// Has what is recorded carried out earlier or later than usual.
    pub fn set_in_flight_limits(&mut self, limits: InFlightLimits) {
        self.recorder.limits = limits;
    }

    /// Counts an object that only what is recorded now uses.
    pub(super) fn hold(&mut self, bytes: u64) {
        self.recorder.held.add(self.recorder.number, bytes);
        self.recorder.batch.note(Recorded::Object);
    }

    /// Sees to it that so many bytes more may live on for what is recorded. Before they pile up all of it is carried out
    /// and waited for, and they are gone.
    pub(super) fn make_room_to_hold(&mut self, bytes: u64) -> Result<(), GpuError> {
        if self.recorder.held.bytes() == 0 || self.recorder.held.bytes() + bytes <= self.recorder.limits.held_bytes {
            return Ok(());
        }
        self.submit_and_wait()
    }

    /// Submits what is recorded if that, or what it keeps alive, takes as much memory as it may.
    #[inline]
    pub(super) fn submit_if_full(&mut self) -> Result<(), GpuError> {
        if self.recorder.held.bytes() > self.recorder.limits.held_bytes {
            return self.submit_and_wait();
        }
        if self.recorder.batch.is_full(&self.recorder.limits)
            || self.bindings.uniform_bytes() >= self.recorder.limits.staged_bytes
        {
            return self.submit();
        }
        Ok(())
    }

    /// Submits what is recorded and waits until the GPU has done it.
    pub(super) fn submit_and_wait(&mut self) -> Result<(), GpuError> {
        let batch = self.recorder.number;
        self.submit()?;
        self.gpu.wait(self.submission_of(batch))?;
        self.note_done(batch);
        Ok(())
    }

    /// The GPU has done a batch, and all before it.
    pub(super) fn note_done(&mut self, batch: BatchNumber) {
        self.recorder.note_done(batch);
        self.gpu.under_way().finish(batch);
    }

    /// Another picture begins: its frames have their budgets anew.
    pub fn begin_budget(&mut self) {
        self.recorder.spent_vertices = Default::default();
    }

    /// Refuses a command that would take its frame over its budget; `count` is its vertices, each as often as there are
    /// instances, or its threads.
    pub(super) fn spend(&mut self, (work, count): (BudgetedWork, u64), at: Location) -> Result<(), GpuError> {
        // What is not drawn costs nothing: smaller draws behind it may still be within the budget.
        self.recorder.spent_vertices = (at.frame, self.check_budget((work, count), at)?);
        Ok(())
    }

    /// The vertices and threads of the frame with these, if they are within its budget.
    pub(super) fn check_budget(&self, (work, count): (BudgetedWork, u64), at: Location) -> Result<u64, GpuError> {
        let (frame, found) = self.recorder.spent_vertices;
        let spent = if frame == at.frame { found.saturating_add(count) } else { count };
        match self.gpu.max_frame_vertices() {
            Some(limit) if spent > limit => Err(GpuError::OverBudget { work, at, count, found: spent, limit }),
            _ => Ok(spent),
        }
    }

    /// Submits what is recorded. Errors of the GPU library come out here at the latest.
    pub fn submit(&mut self) -> Result<(), GpuError> {
        self.end_timed_batch();
        let next = self.recorder.batch.next();
        let (batch, number) = (std::mem::replace(&mut self.recorder.batch, next), self.recorder.number);
        // silent: nothing is recorded, so nothing can be refused
        let at = batch.first.unwrap_or_default();
        self.recorder.bound = Bound::default();
        self.gpu.under_way().submit(number, batch.drawn);
        let staged_bytes = batch.staged_bytes.next_multiple_of(STAGING_CHUNK_BYTES);
        let is_large = batch.staged_bytes >= LARGE_SUBMISSION_BYTES;
        let recorded_bytes = batch.recorded_bytes();
        self.recorder.staging.finish();
        self.submit_objects()?;
        let submission = self.gpu.queue.submit(batch.finish());
        self.recorder.staging.recall();
        // Many small ones stage as much as a large one.
        let is_much = is_large
            || self.recorder.staged.bytes() + staged_bytes > self.recorder.limits.staged_bytes
            || self.recorder.recorded.bytes() + recorded_bytes > self.recorder.limits.recorded_bytes;
        if let Some(before) = number.before().filter(|_| is_much) {
            self.gpu.wait(self.submission_of(before))?;
            self.note_done(before);
        }
        self.recorder.staged.add(number, staged_bytes);
        self.recorder.recorded.add(number, recorded_bytes);
        self.resources.packets.batch_submitted();
        self.recorder.remember(submission);
        self.gpu.check("the work that begins", at)
    }

    /// How many submissions there were.
    pub fn submission_count(&self) -> u64 {
        self.recorder.number.0
    }

    /// How many draws are recorded and not submitted.
    pub fn recorded_draws(&self) -> u32 {
        self.recorder.batch.draw_count()
    }

    /// Whether so much is recorded that it should not wait for more.
    pub fn is_submission_large(&self) -> bool {
        self.recorder.batch.staged_bytes >= LARGE_SUBMISSION_BYTES
            || self.recorder.batch.recorded_bytes() >= self.recorder.limits.recorded_bytes / 2
    }

    /// The submission of the last batch, while it is remembered.
    pub(super) fn last_submission(&self) -> Option<wgpu::SubmissionIndex> {
        self.recorder.last_submission()
    }

    /// The submission of a batch, while it is remembered.
    pub(super) fn submission_of(&self, batch: BatchNumber) -> Option<wgpu::SubmissionIndex> {
        self.recorder.submission_of(batch)
    }
}
