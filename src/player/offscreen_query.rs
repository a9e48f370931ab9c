//! Answering a question without leaving the place.
//!
//! What a question draws goes to a spare target that takes the target's place for as long. Buffers are shared with the
//! player's own way: [`super::residency`] knows what they hold, whoever has filled them.

use std::sync::Arc;

use super::gpu_context::GpuContext;
use super::seek::end_of;
use super::slice_run::{CarriedOut, SlicePlan};
use super::{Player, PlayerError, Position};
use crate::command::Place;
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::gpu::RenderTarget;
use crate::limits::MAX_FRAME_BYTES;
use crate::replay::{CommandNumber, FrameMemory, TraceIndex, keeps_spare_target};

/// How far back a slice begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// With all that the frame's first picture is made of, even if a CLEAR of the frame covers it.
    FirstPicture,
    /// With all that can be seen at the end, or from the picture before this command on, which is at hand.
    Visible(Option<CommandNumber>),
    /// With the frame's first command: the target does not matter.
    Frame,
}

/// What is at hand while a question is answered.
pub(super) struct OffscreenQuery<'t> {
    pub index: Arc<TraceIndex>,
    /// The player's own target, where it is of the size of the spare one.
    pub own_target: Option<&'t RenderTarget>,
    /// What it shows: everything before this command. `None` if that is not known.
    pub shown: Option<CommandNumber>,
}

impl Player {
    /// Does `work`, a question about `frame`, with a spare target in place of the target. Afterwards the player stands where it stood, unless the GPU
    /// itself has failed.
    pub(super) fn query_offscreen<T>(
        &mut self,
        frame: FrameIndex,
        work: impl FnOnce(&mut Self, &OffscreenQuery<'_>) -> Result<T, PlayerError>,
    ) -> Result<T, PlayerError> {
        let index = self.index_reaching(frame);
        if index.first_submission().is_some() {
            let end = index.commands_of(frame).map_or(index.command_count(), |own| own.end);
            // What is on the GPU may be of submissions, and so may the picture.
            let offscreen = OffscreenQuery { index: index.clone(), own_target: None, shown: None };
            return self.query_aside(&index, (frame, end), |player| work(player, &offscreen));
        }
        let memory = self.memory_of_question(&index, frame)?;
        let shows = self.shows();
        let shown = self.leave_position(&index)?;
        // Whatever fails from here to the question itself is the device.
        self.position = Position::Broken;
        let mut spare_target = self.target_beside(memory)?;
        self.gpu.renderer.swap_target(&mut spare_target);
        let mut own_target = spare_target;
        let offscreen = OffscreenQuery { index, own_target: Some(&own_target), shown };
        // What is odd in the frame is noted when it is shown.
        let noted = self.executor.diagnostics().take();
        let result = self.watched(|player| work(player, &offscreen));
        *self.executor.diagnostics() = noted;
        self.gpu.renderer.end_queries();
        self.gpu.renderer.swap_target(&mut own_target);
        self.spare_target = Some(own_target).filter(|_| keeps_spare_target(self.gpu.renderer.size()));
        let result = self.give_room(self.memory).and(result);
        self.position = match &result {
            // Nobody knows what was done and what was not.
            Err(error) if error.is_of_device() => Position::Broken,
            _ => Position::Sought { shows, shown },
        };
        result
    }

    /// The index of the trace, made anew if it was given up before `frame` although nothing is wrong.
    pub(super) fn index_reaching(&mut self, frame: FrameIndex) -> Arc<TraceIndex> {
        let index = self.index();
        if frame.as_usize() < index.frame_count() || index.stop().is_some() {
            return index;
        }
        let index = Arc::new(TraceIndex::build(&self.trace, |_| ()));
        self.set_index(index.clone());
        index
    }

    /// What buffers may have while a question about `frame` is answered; an error if that is not enough.
    fn memory_of_question(&self, index: &TraceIndex, frame: FrameIndex) -> Result<FrameMemory, PlayerError> {
        let size = self.gpu.renderer.size();
        let memory = FrameMemory::of_question(size).map_err(|found| PlayerError::QuestionTooLarge {
            size,
            found,
            limit: MAX_FRAME_BYTES,
        })?;
        let end = index.commands_of(frame).map_or(index.command_count(), |own| own.end);
        index.check_memory(end, memory)?;
        Ok(memory)
    }

    /// A spare target, and room for it.
    fn target_beside(&mut self, memory: FrameMemory) -> Result<RenderTarget, PlayerError> {
        self.give_room(memory)?;
        match self.spare_target.take() {
            Some(spare_target) => Ok(spare_target),
            None => Ok(self.gpu.renderer.make_target()?),
        }
    }

    fn give_room(&mut self, memory: FrameMemory) -> Result<(), PlayerError> {
        let GpuContext { renderer, residency, .. } = &mut self.gpu;
        Ok(residency.set_room(memory.resident_bytes(), &self.executor, renderer)?)
    }

    /// What the target shows.
    pub(super) fn shows(&self) -> Option<Place> {
        match &self.position {
            Position::Linear(linear) => linear.played(),
            Position::Sought { shows, .. } => *shows,
            Position::Broken => None,
        }
    }

    /// Plans a slice up to a place.
    pub(super) fn plan_slice(
        &mut self,
        offscreen: &OffscreenQuery<'_>,
        place: Place,
        basis: Basis,
    ) -> Result<SlicePlan, PlayerError> {
        let Place { frame, point } = place;
        let index = offscreen.index.clone();
        let frame_count = self.trace.frames().len();
        if frame.as_usize() >= frame_count {
            return Err(PlayerError::NoSuchFrame { frame, frame_count });
        }
        self.refuse_earlier_fault(&index, frame)?;
        let own = index.commands_of(frame);
        let end = own.as_ref().map_or(Ok(u32::MAX), |_| end_of(&index, place))?;
        let slice = match (basis, &own) {
            (Basis::Visible(at_hand), Some(_)) => index.slice(frame, end, at_hand),
            (Basis::Visible(at_hand), None) => index.slice_with_start(frame, end, at_hand),
            (Basis::FirstPicture, _) => index.slice_with_start(frame, end, None),
            (Basis::Frame, _) => {
                let start = own.map_or(index.command_count(), |own| own.start);
                index.slice_with_start(frame, end, Some(CommandNumber(start)))
            }
        }?;
        if let Some(slice) = slice {
            return Ok(SlicePlan { index, slice, point, carried_out: CarriedOut::Packets });
        }
        // A frame before this one is damaged, and this one can't be shown for the same reason.
        let damaged = FrameIndex(index.frame_count() as u32);
        let plan = self.plan_slice(offscreen, Place::end_of(damaged), Basis::Frame)?;
        self.run_slice(&plan, |_| false, |_, _, _| Ok(()))?;
        Err(Internal::new("a frame that ended the index can be executed").into())
    }
}
