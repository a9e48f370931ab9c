//! Pictures that are not what a frame usually shows: those of one present of several, of another screen, and of textures
//! that need not be presented.
//!
//! A present is a place in its frame, so its picture is that of the frame carried out so far. A texture is sought with what
//! leads to the part that is asked for, and no more: of the frame's own commands too. What is wrong with the frame before
//! the place is wrong with the picture all the same, as far as the CPU can tell.

use std::sync::Arc;

use super::seek::end_of;
use super::slice_run::{CarriedOut, SlicePlan};
use super::{Player, PlayerError, Position};
use crate::command::{Place, Point, ResourceName, Shown};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::gpu::GpuError;
use crate::pixels::Surface;
use crate::replay::{NoPicture, Slice, SliceTarget, TargetAt, TraceFault, TraceIndex, scanouts, target_at};

impl Player {
    /// Says which picture of a place is shown from here on. Each change begins the trace anew.
    pub fn set_shown(&mut self, shown: Shown) {
        if shown == self.shown {
            return;
        }
        self.shown = shown;
        (self.scanout, self.target) = (None, None);
        self.gpu.forget_scanout();
        self.start_over();
    }

    /// Which picture of a place is shown.
    pub fn shown(&self) -> Shown {
        self.shown
    }

    /// Where the picture that a place shows is finished: at the frame's present that is asked for, if one is.
    pub fn place_of_shown(&mut self, place: Place) -> Result<Place, PlayerError> {
        // silent: any other picture is finished at the place itself
        let Shown::Screen { present: Some(present), .. } = self.shown else { return Ok(place) };
        let index = self.index_reaching(place.frame);
        self.place_of_present(&index, place, present).map(|(place, _)| place)
    }

    /// What a place shows, with all that its format keeps: depth to the last bit.
    pub fn render_surface(&mut self, place: impl Into<Place>) -> Result<Surface, PlayerError> {
        self.seek(place)?;
        match (&self.shown, &self.target) {
            (Shown::Target(_), Some(target)) => {
                let view = target.view;
                self.watched(|player| Ok(player.gpu.renderer.read_target(&view)?))
            }
            (Shown::Target(_), None) => Err(Internal::new("a requested target is unknown").into()),
            (Shown::Screen { .. }, _) => Ok(Surface::Color(self.read_back()?)),
        }
    }

    /// The screen whose presents are shown; none if the trace presents to none.
    pub(super) fn chosen_scanout(&mut self, index: &TraceIndex) -> Result<Option<u32>, PlayerError> {
        if self.scanout.is_none() {
            let asked = match self.shown {
                Shown::Screen { scanout, .. } => scanout,
                Shown::Target(_) => None,
            };
            // What is not in the index may be presented to another.
            let is_whole = index.frame_count() == self.trace.frames().len() || index.stop().is_some();
            let indexed = index.scanouts().clone();
            let decides = match asked {
                Some(asked) => indexed.contains(&asked),
                None => indexed.contains(&0),
            };
            let known = if is_whole || decides { indexed } else { scanouts(&self.trace) };
            self.scanout = match asked {
                Some(scanout) if !known.contains(&scanout) => {
                    return Err(NoPicture::Screen { scanout, known: known.into_iter().collect() }.into());
                }
                Some(scanout) => Some(scanout),
                None => known.first().copied(),
            };
        }
        if let Some(scanout) = self.scanout {
            self.gpu.set_scanout(scanout);
        }
        Ok(self.scanout)
    }

    /// Makes the target hold another picture of a place than the usual one. The frame is in the trace.
    pub(super) fn seek_shown(&mut self, place: Place) -> Result<(), PlayerError> {
        let frame = place.frame;
        if let (Shown::Target(name), Position::Linear(linear)) = (self.shown, &self.position)
            && linear.next_frame() == Some(frame)
        {
            return self.play_to_target(place, name);
        }
        let index = self.index();
        if frame.as_usize() >= index.frame_count() {
            // Something before or in this frame is damaged; playing finds it and says so.
            self.play_from_here_to(place)?;
            self.position = Position::Broken;
            let stop =
                index.stop().ok_or(Internal::new("a frame is missing from the index without an earlier error"))?;
            return Err(PlayerError::NotShown { frame, reason: stop.message.clone(), kind: stop.kind });
        }
        if index.first_submission().is_none() {
            return Err(NoPicture::One { frame }.into());
        }
        match self.shown {
            Shown::Target(name) => self.watched(|player| player.seek_target(index, place, name)),
            Shown::Screen { present: Some(present), .. } => self.seek_present(index, place, present),
            Shown::Screen { .. } => {
                self.chosen_scanout(&index)?;
                self.seek_usual(place)
            }
        }
    }

    fn seek_present(&mut self, index: Arc<TraceIndex>, place: Place, present: u32) -> Result<(), PlayerError> {
        let (packet, end) = self.place_of_present(&index, place, present)?;
        self.watched(|player| player.seek_to_present(&index, packet, end))?;
        self.position = Position::Sought { shows: Some(place), shown: None };
        Ok(())
    }

    /// Where a frame's present to the screen stands, and the number of the first command behind it. `place` has to be the
    /// frame's end.
    pub(super) fn place_of_present(
        &mut self,
        index: &Arc<TraceIndex>,
        place: Place,
        present: u32,
    ) -> Result<(Place, u32), PlayerError> {
        let Place { frame, point } = place;
        if point != Point::End {
            return Err(PlayerError::PresentInMidFrame { present, frame });
        }
        let scanout = self.chosen_scanout(index)?;
        let presents = scanout.map_or_else(|| Ok(Vec::new()), |scanout| index.presents_of(frame, scanout))?;
        let Some(number) = presents.get(present as usize) else {
            let present_count = presents.len() as u32;
            return Err(NoPicture::Present { present, frame, scanout: scanout.unwrap_or(0), present_count }.into());
        };
        let at = index.require_location(*number)?;
        Ok((Place::after_packet(frame, at.packet), number.0 + 1))
    }

    /// Plays the next frame, and shows a texture as it is then.
    fn play_to_target(&mut self, place: Place, name: ResourceName) -> Result<(), PlayerError> {
        self.target = None;
        self.play_next(place.point)?;
        // silent: seeking says why there is none
        let Some(Ok(target)) = TargetAt::among(self.executor.device().objects(), name)? else {
            // Why there is none is said in one place. Playing can go on.
            return self.seek_shown(place);
        };
        let played = std::mem::replace(&mut self.position, Position::Broken);
        self.watched(|player| player.show_target(target))?;
        self.position = played;
        Ok(())
    }

    /// Whether the target holds what the position says.
    pub(super) fn holds_what_is_shown(&self) -> bool {
        self.target.is_some() || !matches!(self.shown, Shown::Target(_))
    }

    fn seek_target(&mut self, index: Arc<TraceIndex>, place: Place, name: ResourceName) -> Result<(), PlayerError> {
        let end = end_of(&index, place)?;
        self.refuse_faults_before(&index, place.frame, end)?;
        let found = target_at(&self.trace, &index, end, name)?;
        let (target, named_by) =
            found.map_err(|problem| PlayerError::NoTarget { place, reason: problem.to_string() })?;
        let earlier = index.slice_to_parts((target.texture(), &target.parts), named_by, end)?;
        self.start_over();
        self.position = Position::Broken;
        let slice = Slice { frame: place.frame, earlier, own: end..end, target: SliceTarget::Black };
        let plan = SlicePlan { index, slice, point: Point::Start, carried_out: CarriedOut::All };
        self.run_earlier(&plan, |_, executor, gpu| Ok(gpu.run_ops(executor)?))?;
        self.show_target(target)?;
        self.position = Position::Sought { shows: Some(place), shown: None };
        Ok(())
    }

    fn show_target(&mut self, target: TargetAt) -> Result<(), GpuError> {
        self.gpu.renderer.show_target(&target.view)?;
        self.target = Some(target);
        self.gpu.trim(&self.executor)?;
        self.submit_frame()
    }

    /// Refuses what comes behind something wrong: in an earlier frame, or in this one before the command `end`.
    fn refuse_faults_before(&self, index: &TraceIndex, frame: FrameIndex, end: u32) -> Result<(), PlayerError> {
        if !self.faults.stop_playing() {
            return Ok(());
        }
        let own = index.commands_of(frame).ok_or(Internal::new("a requested frame is not in the index"))?;
        let (faults, _) = index.faults();
        let is_before = |fault: &&TraceFault| {
            fault.at.frame < frame || (fault.at.frame == frame && own.start + fault.at.packet < end)
        };
        faults.iter().find(is_before).map_or(Ok(()), |fault| Err(PlayerError::of_index(fault)))
    }
}
