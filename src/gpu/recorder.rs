//! Work that is recorded or on its way: the batch, the settings of its pass, and the memory that both keep.

use std::collections::VecDeque;
use std::sync::Arc;

use super::batch::Batch;
use super::buffers::BatchNumber;
use super::d3d::PassSettings;
use super::device::Gpu;
use super::drawing::Bound;
use super::in_flight::{Held, InFlightLimits};
use super::uploads::STAGING_CHUNK_BYTES;
use crate::format::aerogpu::FrameIndex;
use crate::replay::DrawTargets;

/// Submissions that a picture may still be waited for.
const REMEMBERED_SUBMISSIONS: usize = 64;

/// Records into one batch after the other.
pub(super) struct Recorder {
    pub batch: Batch,
    /// The batch's number.
    pub number: BatchNumber,
    /// All batches before it are known to be done.
    pub not_done: BatchNumber,
    pub staging: wgpu::util::StagingBelt,
    pub limits: InFlightLimits,
    /// Memory that was dropped, overtaken or gathered, and that recorded work may still read.
    pub held: Held,
    /// Bytes staged by submissions on their way.
    pub staged: Held,
    /// Memory that submissions in flight take of GPU library and driver, estimated.
    pub recorded: Held,
    /// Vertices drawn by a frame so far.
    pub spent_vertices: (FrameIndex, u64),
    /// The latest submissions, by the batch that they ended.
    submissions: VecDeque<(BatchNumber, wgpu::SubmissionIndex)>,
    /// Settings by packets in the pass that is open.
    pub bound: Bound,
    /// The targets of the pass of a submission that is open.
    pub open: Option<DrawTargets>,
    /// Settings in that pass.
    pub settings: PassSettings,
}

impl Recorder {
    pub(super) fn new(gpu: &Arc<Gpu>) -> Self {
        Self {
            batch: Batch::new(gpu.clone()),
            number: BatchNumber::default(),
            not_done: BatchNumber::default(),
            staging: wgpu::util::StagingBelt::new(gpu.device.clone(), STAGING_CHUNK_BYTES),
            limits: InFlightLimits::default(),
            held: Held::default(),
            staged: Held::default(),
            recorded: Held::default(),
            spent_vertices: Default::default(),
            submissions: VecDeque::new(),
            bound: Bound::default(),
            open: None,
            settings: PassSettings::default(),
        }
    }

    /// Drops what is recorded.
    pub(super) fn reset(&mut self) {
        self.batch = self.batch.next();
        self.staging.finish();
        self.bound = Bound::default();
        self.open = None;
    }

    /// Whether the pass of a submission's targets is open, with these settings.
    #[inline]
    pub(super) fn has_device_pass(&self) -> bool {
        self.open.is_some() && self.batch.has_pass()
    }

    /// The batch is submitted, and another begins.
    pub(super) fn remember(&mut self, submission: wgpu::SubmissionIndex) {
        self.submissions.push_back((self.number, submission));
        if self.submissions.len() > REMEMBERED_SUBMISSIONS {
            self.submissions.pop_front();
        }
        self.number = BatchNumber(self.number.0 + 1);
    }

    /// The submission of the last batch, while it is remembered.
    pub(super) fn last_submission(&self) -> Option<wgpu::SubmissionIndex> {
        self.submissions.back().map(|(_, index)| index.clone())
    }

    /// The submission of a batch, while it is remembered.
    pub(super) fn submission_of(&self, batch: BatchNumber) -> Option<wgpu::SubmissionIndex> {
        self.submissions.iter().find(|(of, _)| *of == batch).map(|(_, index)| index.clone())
    }

    /// The GPU has done a batch, and all before it.
    pub(super) fn note_done(&mut self, batch: BatchNumber) {
        self.not_done = self.not_done.max(BatchNumber(batch.0 + 1));
        self.held.release_until(batch);
        self.staged.release_until(batch);
        self.recorded.release_until(batch);
    }
}
