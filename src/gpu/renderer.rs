//! Carries out ops on one target.

use std::collections::VecDeque;
use std::sync::Arc;

use super::batch::Batch;
use super::buffers::{BatchNumber, Buffers};
use super::canvas::Canvas;
use super::d3d::DeviceWorld;
use super::device::Gpu;
use super::drawing::Bound;
use super::error::{BudgetedWork, GpuError};
use super::in_flight::{Held, InFlightLimits, Recorded};
use super::pipelines::Pipelines;
use super::queries::Queries;
use super::readback::Readback;
use super::render_target::RenderTarget;
use super::triangles::CornerIndices;
use super::uploads::STAGING_CHUNK_BYTES;
use crate::command::Location;
use crate::format::aerogpu::FrameIndex;
use crate::limits::MAX_PICTURE_BYTES;
use crate::pixels::Size;
use crate::replay::{Executor, Op};

/// Staged bytes that make a submission large: of such ones only two are on their way at a time, for the memory.
const LARGE_SUBMISSION_BYTES: u64 = 1 << 20;

/// Submissions that a picture may still be waited for.
const REMEMBERED_SUBMISSIONS: usize = 64;

/// A target and everything that is drawn into it.
pub struct Renderer {
    pub(super) gpu: Arc<Gpu>,
    pub(super) size: Size,
    /// What is drawn on.
    pub(super) target: RenderTarget,
    pub(super) canvas: Canvas,
    pub(super) buffers: Buffers,
    pub(super) pipelines: Pipelines,
    pub(super) staging: wgpu::util::StagingBelt,
    pub(super) batch: Batch,
    pub(super) batch_number: BatchNumber,
    /// All batches before it are known to be done.
    pub(super) not_done: BatchNumber,
    pub(super) bound: Bound,
    pub(super) queries: Queries,
    pub(super) corner_indices: CornerIndices,
    /// Not in use at the moment.
    pub(super) readbacks: Vec<Readback>,
    pub(super) limits: InFlightLimits,
    /// What was dropped, overtaken or gathered, and what is recorded or on its way may still read.
    pub(super) held: Held,
    /// What submissions on their way have staged.
    staged: Held,
    /// Memory that submissions in flight take of GPU library and driver, estimated.
    recorded: Held,
    /// What submissions have made.
    pub(super) d3d: DeviceWorld,
    /// Vertices drawn by a frame so far.
    spent_vertices: (FrameIndex, u64),
    /// The latest submissions, by the batch that they ended.
    submissions: VecDeque<(BatchNumber, wgpu::SubmissionIndex)>,
}

impl Renderer {
    /// A renderer with a target of transparent black. Nothing is refused yet: a size that the device lacks is an error of
    /// whatever draws on the target or reads it back.
    pub fn new(gpu: Arc<Gpu>, size: Size) -> Self {
        let target = RenderTarget::for_pictures(&gpu, size);
        let staging = wgpu::util::StagingBelt::new(gpu.device.clone(), STAGING_CHUNK_BYTES);
        let batch = Batch::new(gpu.clone());
        let mut renderer = Self {
            gpu,
            size,
            target,
            canvas: Canvas::default(),
            buffers: Buffers::default(),
            pipelines: Pipelines::new(size),
            staging,
            batch,
            batch_number: BatchNumber::default(),
            not_done: BatchNumber::default(),
            bound: Bound::default(),
            queries: Queries::default(),
            corner_indices: CornerIndices::default(),
            readbacks: Vec::new(),
            limits: InFlightLimits::default(),
            held: Held::default(),
            staged: Held::default(),
            recorded: Held::default(),
            d3d: DeviceWorld::new(size),
            spent_vertices: Default::default(),
            submissions: VecDeque::new(),
        };
        renderer.reset();
        renderer
    }

    /// Refuses to use a target that the device, or this build, cannot have.
    pub(super) fn check_target(&self) -> Result<(), GpuError> {
        if self.target.is_made() { Ok(()) } else { Self::check_size(&self.gpu, self.size) }
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
        self.size
    }

    /// Bytes that it keeps between two pictures: the target, buffers, and room for pictures on their way back.
    pub fn kept_bytes(&self) -> u64 {
        let readbacks: u64 = self.readbacks.iter().map(Readback::size_bytes).sum();
        let target = if self.target.is_made() { self.size.rgba_bytes() } else { 0 };
        let canvas = self.canvas.kept_bytes(self.canvas_size());
        target + canvas + self.buffers.held_bytes() + readbacks + self.d3d.kept_bytes()
    }

    /// Back to the start: no buffers, transparent black. Pipelines are kept.
    pub fn reset(&mut self) {
        self.batch = self.batch.next();
        self.staging.finish();
        // Those that only the batch just dropped would have used are gone at once; which ones is not known.
        let dropped = self.buffers.clear();
        self.held.add(self.batch_number, dropped);
        self.bound = Bound::default();
        self.d3d.reset();
        self.begin_canvas();
        self.replace_target(self.d3d.back_buffer());
        if self.target.is_made() {
            self.batch.clear(self.target.view(), wgpu::Color::TRANSPARENT);
        }
    }

    /// Records one op of the executor's last command.
    pub fn run(&mut self, op: &Op, executor: &Executor) -> Result<(), GpuError> {
        self.submit_if_full()?;
        let at = executor.at();
        self.batch.first.get_or_insert(at);
        self.time_batch(at);
        self.leave_device_pass();
        match op {
            Op::CreateBuffer { buffer, size_bytes } => {
                self.batch.note(Recorded::Object);
                self.buffers.create(*buffer, *size_bytes);
            }
            Op::DropBuffer { buffer } => {
                let dropped = self.buffers.drop_buffer(*buffer)?;
                self.held.add(self.batch_number, dropped);
            }
            Op::Upload { buffer, offset_bytes, pieces } => {
                self.upload(*buffer, *offset_bytes, pieces, executor.blobs())?;
            }
            Op::Clear { rgba } => {
                self.draw_on_canvas();
                self.check_target()?;
                let [r, g, b, a] = rgba.map(f64::from);
                self.batch.clear(self.target.view(), wgpu::Color { r, g, b, a });
                self.bound = Bound::default();
            }
            Op::Draw(draw) => {
                self.draw_on_canvas();
                self.check_target()?;
                self.spend((BudgetedWork::Draw, u64::from(draw.vertex_count)), at)?;
                self.draw_overridden(draw, at, executor.programs())?;
            }
            Op::Present => self.show_canvas(),
        }
        Ok(())
    }

    /// Has what is recorded carried out earlier or later than usual.
    pub fn set_in_flight_limits(&mut self, limits: InFlightLimits) {
        self.limits = limits;
    }

    /// Counts an object that only what is recorded now uses.
    pub(super) fn hold(&mut self, bytes: u64) {
        self.held.add(self.batch_number, bytes);
        self.batch.note(Recorded::Object);
    }

    /// Sees to it that so many bytes more may live on for what is recorded. Before they pile up all of it is carried out
    /// and waited for, and they are gone.
    pub(super) fn make_room_to_hold(&mut self, bytes: u64) -> Result<(), GpuError> {
        if self.held.bytes() == 0 || self.held.bytes() + bytes <= self.limits.held_bytes {
            return Ok(());
        }
        self.submit_and_wait()
    }

    /// Submits what is recorded if that, or what it keeps alive, takes as much memory as it may.
    #[inline]
    pub(super) fn submit_if_full(&mut self) -> Result<(), GpuError> {
        if self.held.bytes() > self.limits.held_bytes {
            return self.submit_and_wait();
        }
        if self.batch.is_full(&self.limits) || self.d3d.uniform_bytes() >= self.limits.staged_bytes {
            return self.submit();
        }
        Ok(())
    }

    /// Submits what is recorded and waits until the GPU has done it.
    pub(super) fn submit_and_wait(&mut self) -> Result<(), GpuError> {
        let batch = self.batch_number;
        self.submit()?;
        self.gpu.wait(self.submission_of(batch))?;
        self.note_done(batch);
        Ok(())
    }

    /// The GPU has done a batch, and all before it.
    pub(super) fn note_done(&mut self, batch: BatchNumber) {
        self.not_done = self.not_done.max(BatchNumber(batch.0 + 1));
        self.held.release_until(batch);
        self.staged.release_until(batch);
        self.recorded.release_until(batch);
        self.gpu.under_way().finish(batch);
    }

    /// Another picture begins: its frames have their budgets anew.
    pub fn begin_budget(&mut self) {
        self.spent_vertices = Default::default();
    }

    /// Refuses a command that would take its frame over its budget; `count` is its vertices, each as often as there are
    /// instances, or its threads.
    pub(super) fn spend(&mut self, (work, count): (BudgetedWork, u64), at: Location) -> Result<(), GpuError> {
        // What is not drawn costs nothing: smaller draws behind it may still be within the budget.
        self.spent_vertices = (at.frame, self.check_budget((work, count), at)?);
        Ok(())
    }

    /// The vertices and threads of the frame with these, if they are within its budget.
    pub(super) fn check_budget(&self, (work, count): (BudgetedWork, u64), at: Location) -> Result<u64, GpuError> {
        let (frame, found) = self.spent_vertices;
        let spent = if frame == at.frame { found.saturating_add(count) } else { count };
        match self.gpu.max_frame_vertices() {
            Some(limit) if spent > limit => Err(GpuError::OverBudget { work, at, count, found: spent, limit }),
            _ => Ok(spent),
        }
    }

    /// Submits what is recorded. Errors of the GPU library come out here at the latest.
    pub fn submit(&mut self) -> Result<(), GpuError> {
        self.end_timed_batch();
        let next = self.batch.next();
        let (batch, number) = (std::mem::replace(&mut self.batch, next), self.batch_number);
        // silent: nothing is recorded, so nothing can be refused
        let at = batch.first.unwrap_or_default();
        self.bound = Bound::default();
        self.gpu.under_way().submit(number, batch.drawn);
        let staged_bytes = batch.staged_bytes.next_multiple_of(STAGING_CHUNK_BYTES);
        let is_large = batch.staged_bytes >= LARGE_SUBMISSION_BYTES;
        let recorded_bytes = batch.recorded_bytes();
        self.staging.finish();
        self.d3d.submit(&self.gpu)?;
        let submission = self.gpu.queue.submit(batch.finish());
        self.staging.recall();
        // Many small ones stage as much as a large one.
        let is_much = is_large
            || self.staged.bytes() + staged_bytes > self.limits.staged_bytes
            || self.recorded.bytes() + recorded_bytes > self.limits.recorded_bytes;
        if let Some(before) = number.before().filter(|_| is_much) {
            self.gpu.wait(self.submission_of(before))?;
            self.note_done(before);
        }
        self.staged.add(number, staged_bytes);
        self.recorded.add(number, recorded_bytes);
        self.buffers.batch_submitted();
        self.submissions.push_back((number, submission));
        if self.submissions.len() > REMEMBERED_SUBMISSIONS {
            self.submissions.pop_front();
        }
        self.batch_number = BatchNumber(number.0 + 1);
        self.gpu.check("the work that begins", at)
    }

    /// How many submissions there were.
    pub fn submission_count(&self) -> u64 {
        self.batch_number.0
    }

    /// How many draws are recorded and not submitted.
    pub fn recorded_draws(&self) -> u32 {
        self.batch.draw_count()
    }

    /// Whether so much is recorded that it should not wait for more.
    pub fn is_submission_large(&self) -> bool {
        self.batch.staged_bytes >= LARGE_SUBMISSION_BYTES
            || self.batch.recorded_bytes() >= self.limits.recorded_bytes / 2
    }

    /// The submission of the last batch, while it is remembered.
    pub(super) fn last_submission(&self) -> Option<wgpu::SubmissionIndex> {
        self.submissions.back().map(|(_, index)| index.clone())
    }

    /// The submission of a batch, while it is remembered.
    pub(super) fn submission_of(&self, batch: BatchNumber) -> Option<wgpu::SubmissionIndex> {
        self.submissions.iter().find(|(of, _)| *of == batch).map(|(_, index)| index.clone())
    }
}
