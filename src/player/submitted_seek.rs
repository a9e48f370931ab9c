//! Going anywhere in a trace with submissions, whose buffers and textures stay on the GPU from one slice to the next.

use std::sync::Arc;

use super::slice_run::{CarriedOut, SlicePlan};
use super::{Player, PlayerError, Position};
use crate::command::{Place, Point};
use crate::error::Internal;
use crate::replay::{AtHand, CommandNumber, DeviceSlice, TraceIndex, Wanted};

impl Player {
    /// Makes the target hold the picture of a place in a frame that is in the index, of the commands before `end`.
    pub(super) fn seek_submitted(
        &mut self,
        index: &Arc<TraceIndex>,
        place: Place,
        end: u32,
    ) -> Result<(), PlayerError> {
        let scanout = self.prepare_slice(index, place)?;
        let at_hand = self.leave_submissions(index)?;
        let mut after = self.run_device_slice(index, (place, end), Wanted { scanout, parts: None }, &at_hand)?;
        if !matches!(place.point, Point::Start | Point::End) {
            // What is drawn to need not be presented. Only now is it known what that is.
            if let Some((object, parts)) = self.executor.bound_parts()
                && !after.is_as_in_trace(index, object, parts.clone(), end)?
            {
                let wanted = Wanted { scanout, parts: Some((object, parts)) };
                after = self.run_device_slice(index, (place, end), wanted, &after)?;
            }
            self.gpu.show_bound(&self.executor)?;
        }
        self.end_slice(index, after)?;
        self.position = Position::Sought { shows: Some(place), shown: None };
        Ok(())
    }

    /// Makes the target hold what a present has shown, which is the command that `place` is after.
    pub(super) fn seek_to_present(
        &mut self,
        index: &Arc<TraceIndex>,
        place: Place,
        end: u32,
    ) -> Result<(), PlayerError> {
        index.check_memory(end, self.memory)?;
        self.check_vertices_until(index, place.frame, end)?;
        let scanout = self.prepare_slice(index, place)?;
        let at_hand = self.leave_submissions(index)?;
        let after = self.run_device_slice(index, (place, end), Wanted { scanout, parts: None }, &at_hand)?;
        self.end_slice(index, after)
    }

    /// Refuses a frame behind a fault; gives the screen whose presents are shown.
    fn prepare_slice(&mut self, index: &Arc<TraceIndex>, place: Place) -> Result<Option<u32>, PlayerError> {
        self.refuse_earlier_fault(index, place.frame)?;
        self.gpu.part_copies.plan(index)?;
        self.chosen_scanout(index)
    }

    /// All of a slice was carried out, which leaves this on the GPU.
    fn end_slice(&mut self, index: &TraceIndex, after: AtHand) -> Result<(), PlayerError> {
        self.gpu.trim(&self.executor)?;
        self.submit_frame()?;
        if self.knows_what_it_carries_out(index) {
            self.gpu.part_copies.end(after);
        }
        Ok(())
    }

    /// Carries out the slice of a place, from what is `at_hand`; gives what is then.
    fn run_device_slice(
        &mut self,
        index: &Arc<TraceIndex>,
        (place, end): (Place, u32),
        wanted: Wanted,
        at_hand: &AtHand,
    ) -> Result<AtHand, PlayerError> {
        let sliced =
            self.gpu.part_copies.with_copies(|copies| index.slice_from(place.frame, end, wanted, at_hand, copies));
        let mut sliced = sliced?.ok_or(Internal::new("a requested frame is not in the index"))?;
        self.gpu.part_copies.make_room(&mut sliced, &self.gpu.renderer);
        self.gpu.renderer.begin_slice(|object| at_hand.has(object) && !sliced.dropped.contains(&object));
        self.gpu.part_copies.begin(&sliced);
        let DeviceSlice { slice, after, .. } = sliced;
        let own_end = CommandNumber(slice.own.end);
        self.prepare_target(slice.target, None)?;
        let plan = SlicePlan { index: index.clone(), slice, point: place.point, carried_out: CarriedOut::All };
        self.run_slice(&plan, |_| false, |_, executor, gpu| Ok(gpu.run_ops(executor)?))?;
        self.gpu.part_copies.pass(own_end, &mut self.gpu.renderer)?;
        Ok(after)
    }

    /// Leaves the position; gives what the GPU holds. If anything goes wrong from here on, nothing is known of it.
    fn leave_submissions(&mut self, index: &TraceIndex) -> Result<AtHand, PlayerError> {
        let knows = self.knows_what_it_carries_out(index);
        match std::mem::replace(&mut self.position, Position::Broken) {
            Position::Sought { .. } if knows => return Ok(self.gpu.part_copies.take_at_hand()),
            Position::Linear(linear) if knows => {
                if let Some(place) = linear.played().filter(|place| place.frame.as_usize() < index.frame_count()) {
                    let end = super::seek::end_of(index, place)?;
                    self.executor.restart();
                    return Ok(AtHand::after_all(index, self.gpu.renderer.device_objects(), end)?);
                }
            }
            Position::Sought { .. } | Position::Linear(_) | Position::Broken => {}
        }
        self.start_over();
        self.position = Position::Broken;
        Ok(AtHand::default())
    }

    /// Whether what is carried out is what the index says: nothing is refused on the way, and all draws are on objects.
    fn knows_what_it_carries_out(&self, index: &TraceIndex) -> bool {
        let (faults, dropped) = index.faults();
        faults.is_empty()
            && dropped == 0
            && index.stop().is_none()
            && index.first_unsubmitted().is_none()
            && (self.faults.stop_playing() || !self.faults.are_known())
    }
}
