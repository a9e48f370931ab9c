//! What ops are carried out on.

use std::sync::Arc;

use super::look_ahead::{LookAhead, PipelineMaker, Route};
use super::part_copies::PartCopies;
use super::residency::Residency;
use super::target_copies::TargetCopies;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::{GpuError, Renderer};
use crate::pixels::Picture;
use crate::replay::{CommandNumber, DeviceOp, Executor, FrameMemory, Op, lowest_scanout};

/// The GPU's side of a player: the renderer, what is known of the buffers that it holds, and the pictures kept there.
pub(super) struct GpuContext {
    pub renderer: Renderer,
    pub residency: Residency,
    pub copies: TargetCopies,
    pub part_copies: PartCopies,
    /// The screen whose presents are shown, once it is known.
    scanout: Option<u32>,
    /// Who looks ahead of what is carried out, if anybody does.
    ahead: Option<LookAhead>,
    /// Maker of what draws need before they come.
    maker: PipelineMaker,
    /// So many pipelines have to be late before somebody looks ahead; nothing where nobody is to.
    late_enough: Option<u32>,
    /// The last frame that somebody looks at, where frames are played.
    looked_to: Option<FrameIndex>,
}

impl GpuContext {
    /// The context of a renderer that has done nothing yet.
    pub(crate) fn new(renderer: Renderer, memory: FrameMemory) -> Self {
        let residency = Residency::with_room(memory.resident_bytes());
        Self {
            renderer,
            residency,
            copies: TargetCopies::default(),
            part_copies: PartCopies::default(),
            scanout: None,
            ahead: None,
            maker: PipelineMaker::of_this_system(),
            late_enough: None,
            looked_to: None,
        }
    }

    /// Nothing was drawn and nothing made.
    pub(crate) fn reset(&mut self) {
        self.residency.clear();
        self.copies.clear();
        self.part_copies.clear();
        self.renderer.reset();
    }

    /// Nothing of the objects of submissions is there. Copies of their parts stay, and are right wherever the player goes.
    pub(crate) fn forget_objects(&mut self) {
        self.residency.clear();
        self.copies.clear();
        self.part_copies.forget_objects();
        self.renderer.reset();
    }

    /// Says who looks ahead.
    pub(crate) fn set_pipeline_maker(&mut self, maker: PipelineMaker) {
        self.maker = maker;
    }

    /// A frame is played, the one behind the last or the first of all.
    pub(crate) fn begin_looking_at(&mut self, frame: FrameIndex) {
        if frame.0 == 0 || self.looked_to.is_none_or(|last| frame > last) {
            self.begin_looking();
        }
    }

    /// Other commands are carried out from here on.
    pub(crate) fn begin_looking(&mut self) {
        (self.ahead, self.looked_to) = (None, None);
        let late = self.renderer.late_pipelines();
        self.late_enough = self.maker.late_enough().map(|enough| late.saturating_add(enough));
    }

    /// Whether what draws need comes late so often that somebody should look ahead.
    #[inline]
    pub(crate) fn is_worth_looking_ahead(&self) -> bool {
        self.late_enough.is_some_and(|enough| self.renderer.late_pipelines() >= enough)
    }

    /// Has somebody look ahead on the way of what is carried out, whose draws come late; nobody where there is no way.
    #[cold]
    pub(crate) fn look_ahead(&mut self, trace: &Arc<Trace>, route: Option<Route>) {
        self.late_enough = None;
        if let (Some(route), Some(ahead)) = (route, self.renderer.expect_draws()) {
            self.looked_to = route.last_frame();
            match self.maker {
                PipelineMaker::Player => LookAhead::in_place(trace, &route, &ahead),
                PipelineMaker::Threads | PipelineMaker::Nobody => {
                    self.ahead = Some(LookAhead::start(trace, route, ahead));
                }
            }
        }
    }

    /// All is carried out.
    pub(crate) fn end_looking(&mut self) {
        self.late_enough = None;
        if let Some(ahead) = &self.ahead {
            ahead.end();
        }
    }

    /// Carries out what the executor's last command asks for.
    #[inline]
    pub(crate) fn run_ops(&mut self, executor: &Executor) -> Result<(), GpuError> {
        executor.ops().iter().try_for_each(|op| self.run(op, executor))
    }

    /// Carries out what the executor's last command asks for, whichever ABI it is of.
    #[inline]
    pub(crate) fn run_command(&mut self, executor: &Executor) -> Result<(), GpuError> {
        if executor.at().submission.is_some() { self.run_submitted(executor) } else { self.run_ops(executor) }
    }

    /// The same in a slice of a trace with submissions, where the command has a number; before it, what copies of parts have
    /// to do with it.
    pub(crate) fn run_command_of_slice(&mut self, executor: &Executor, number: CommandNumber) -> Result<(), GpuError> {
        self.part_copies.pass(number, &mut self.renderer)?;
        self.run_command(executor)
    }

    fn run_submitted(&mut self, executor: &Executor) -> Result<(), GpuError> {
        if self.scanout.is_none() {
            self.find_scanout(executor);
        }
        self.renderer.run_device_ops(executor.device_ops())
    }

    #[cold]
    fn find_scanout(&mut self, executor: &Executor) {
        let mut scanouts = executor.device_ops().ops.iter().filter_map(DeviceOp::scanout);
        if let Some(first) = scanouts.next() {
            // There is none below the first.
            let lowest = if first == 0 { first } else { lowest_scanout(executor.blobs().trace()).unwrap_or(first) };
            self.set_scanout(lowest);
        }
    }

    /// Has the presents to `scanout` shown, and no others.
    pub(crate) fn set_scanout(&mut self, scanout: u32) {
        self.scanout = Some(scanout);
        self.renderer.set_scanout(scanout);
    }

    /// Has the lowest screen be the one whose presents are shown.
    pub(crate) fn forget_scanout(&mut self) {
        self.scanout = None;
    }

    /// Has the picture be what the executor's last command draws to: of a submission, what is bound, and transparent black
    /// where nothing is.
    pub(crate) fn show_bound(&mut self, executor: &Executor) -> Result<(), GpuError> {
        let Some(place) = executor.at().submission else {
            self.renderer.show_canvas();
            return Ok(());
        };
        match executor.device().bound_target(place.context()) {
            Some(target) => self.renderer.show_target(&target),
            None => {
                self.renderer.show_nothing();
                Ok(())
            }
        }
    }

    /// The picture of what is bound to be drawn to; what was presented stays the picture.
    pub(crate) fn read_bound(&mut self, executor: &Executor) -> Result<Picture, GpuError> {
        if executor.at().submission.is_none() {
            self.renderer.show_canvas();
            return self.renderer.read_back();
        }
        let presented = self.renderer.set_picture_aside();
        let read = self.show_bound(executor).and_then(|()| self.renderer.read_back());
        self.renderer.put_picture_back(presented);
        read
    }

    /// Carries out one op, on behalf of the executor's last command.
    #[inline]
    pub(crate) fn run(&mut self, op: &Op, executor: &Executor) -> Result<(), GpuError> {
        if self.residency.is_eager() {
            return self.renderer.run(op, executor.op_context());
        }
        self.residency.run(op, executor, &mut self.renderer)
    }

    /// Drops buffers that are kept for nothing, if there are too many.
    pub(crate) fn trim(&mut self, executor: &Executor) -> Result<(), GpuError> {
        self.residency.trim(executor, &mut self.renderer)
    }
}
