//! Answering a question about submissions without leaving the place.
//!
//! A slice is carried out from nothing, with somebody deciding what becomes of each command. What a picture shows is known
//! only when the commands are carried out that bind it, so a slice goes over the CPU alone first:
//!
//! ```text
//!  place ──► slice of what is presented ──► CPU: what is shown, up to which command ──► slice with all of that ──► GPU
//! ```
//!
//! The player's picture is set aside for as long. Buffers and textures on the GPU are those of the question then, and go
//! with it.

use std::sync::Arc;

use super::slice_run::{CarriedOut, SlicePlan, TargetWrite};
use super::{Player, PlayerError, Position};
use crate::command::{Place, Point, ResourceName, Shown};
use crate::error::Internal;
use crate::format::aerogpu::FrameIndex;
use crate::replay::{
    Aspect, CommandNumber, DeviceOp, DrawTargets, Executor, NoPicture, Slice, TargetAt, TargetView, TraceIndex,
    WatchedParts, WatchedSince, aspects_of, target_at,
};

/// A question about a place behind submissions.
pub(super) struct SubmittedQuestion {
    pub index: Arc<TraceIndex>,
    /// How far the commands are carried out.
    pub place: Place,
    /// The number of the first command behind the place.
    pub end: u32,
    /// The screen whose presents are shown.
    scanout: Option<u32>,
    source: PictureSource,
}

/// Where the picture that a question is about comes from.
enum PictureSource {
    /// It was presented last.
    Presented,
    /// It is drawn to.
    Bound,
    /// It is the part of a texture that this names.
    Target(ResourceName, TargetAt),
    /// It is what this draw of the frame draws to.
    OfDraw(u32),
}

/// Which picture a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedPicture {
    /// The one that the place shows ([`Player::set_shown`]).
    Shown,
    /// The first colour target of this draw of the frame, as it is at the place.
    OfDraw(u32),
}

/// What a picture shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownTarget {
    /// Part of a texture.
    pub view: TargetView,
    /// From this command on, what is drawn there is of a later picture.
    pub until: CommandNumber,
}

impl SubmittedQuestion {
    /// The context of the last command before the place.
    fn context(&self) -> Option<u32> {
        let last = CommandNumber(self.end.checked_sub(1)?);
        self.index.submission_of(last).map(|submission| submission.place.context())
    }

    /// The number of the first command of the place's frame.
    pub(super) fn own_start(&self) -> u32 {
        self.index.commands_of(self.place.frame).map_or(self.end, |own| own.start)
    }

    /// The slice that shows the place.
    fn slice(&self) -> Result<Slice, Internal> {
        let (index, frame) = (&self.index, self.place.frame);
        match self.scanout {
            Some(scanout) if index.lowest_scanout() != Some(scanout) => index.slice_on_screen(frame, self.end, scanout),
            _ => index.slice(frame, self.end, None)?.ok_or(Internal::new("a requested frame is not in the index")),
        }
    }

    fn plan(&self, slice: Slice) -> SlicePlan {
        let carried_out = CarriedOut::Submissions;
        SlicePlan { index: self.index.clone(), slice, point: self.place.point, carried_out }
    }
}

impl Player {
    /// Whether the picture that a question is about is one of submissions: whether the draw that it names is one of theirs, or
    /// what the place shows. No other commands have several pictures.
    pub(super) fn is_about_submissions(&mut self, place: Place, asked: AskedPicture) -> Result<bool, PlayerError> {
        let Place { frame, point } = place;
        let index = self.index_reaching(frame);
        if let AskedPicture::OfDraw(draw) = asked
            && let Some(number) = index.draws_of(frame).nth(draw as usize)
        {
            return Ok(index.submission_of(number).is_some());
        }
        if self.shown != Shown::default() {
            return Ok(true);
        }
        if index.first_submission().is_none() || index.first_unsubmitted().is_none() {
            let end = index.commands_of(frame).map_or(index.command_count(), |own| own.end);
            return Ok(index.first_submission().is_some_and(|first| first.0 < end));
        }
        // Where there is no such place, or none that is known, whoever goes there says so.
        // silent: whoever goes to a place that is not there says so
        let Ok(resolved) = index.resolve(place) else { return Ok(true) };
        match point {
            Point::Draw(_) | Point::Packet(_) => Ok(index.is_submission_before(resolved.end)),
            Point::Start | Point::End => {
                let scanout = self.chosen_scanout(&index)?;
                Ok(index.shows_submission(scanout, resolved.end)?)
            }
        }
    }

    /// Does `work`, a question about a picture of submissions. Afterwards the player stands where it stood, unless the GPU
    /// itself has failed.
    pub(super) fn query_submitted<T>(
        &mut self,
        place: Place,
        asked: AskedPicture,
        work: impl FnOnce(&mut Self, &SubmittedQuestion) -> Result<T, PlayerError>,
    ) -> Result<T, PlayerError> {
        let index = self.index_reaching(place.frame);
        if place.frame.as_usize() >= index.frame_count() {
            // There is no such frame, or something before or in it is damaged: playing says so.
            self.seek(place)?;
            return Err(Internal::new("a frame that ended the index can be executed").into());
        }
        if self.shown != Shown::default() && index.first_submission().is_none() {
            return Err(NoPicture::One { frame: place.frame }.into());
        }
        let question = self.place_question(index.clone(), place, asked)?;
        self.query_aside(&index, (place.frame, question.end), |player| work(player, &question))
    }

    /// Does `work`, which carries out commands before `end` from nothing, with the player's picture set aside. Afterwards the
    /// player stands where it stood, unless the GPU itself has failed.
    pub(super) fn query_aside<T>(
        &mut self,
        index: &TraceIndex,
        (frame, end): (FrameIndex, u32),
        work: impl FnOnce(&mut Self) -> Result<T, PlayerError>,
    ) -> Result<T, PlayerError> {
        self.refuse_earlier_fault(index, frame)?;
        index.check_memory(end, self.memory)?;
        if matches!(self.position, Position::Broken) {
            self.start_over();
        }
        let shows = self.shows();
        // What was recorded belongs to pictures that are on their way.
        self.watched(|player| player.gpu.renderer.submit())?;
        self.position = Position::Broken;
        let own_picture = self.gpu.renderer.set_picture_aside();
        // What is odd in the frame is noted when it is shown.
        let noted = self.executor.diagnostics().take();
        let result = self.watched(|player| {
            player.gpu.forget_objects();
            work(player)
        });
        *self.executor.diagnostics() = noted;
        self.gpu.renderer.end_queries();
        self.gpu.forget_objects();
        self.gpu.renderer.put_picture_back(own_picture);
        self.position = match &result {
            // Nobody knows what was done and what was not.
            Err(error) if error.is_of_device() => Position::Broken,
            _ => Position::Sought { shows, shown: None },
        };
        result
    }

    /// Finds out what is asked about.
    fn place_question(
        &mut self,
        index: Arc<TraceIndex>,
        place: Place,
        asked: AskedPicture,
    ) -> Result<SubmittedQuestion, PlayerError> {
        let scanout = self.chosen_scanout(&index)?;
        let is_in_mid_frame = !matches!(place.point, Point::Start | Point::End);
        let (place, end) = match (asked, self.shown) {
            (AskedPicture::Shown, Shown::Screen { present: Some(present), .. }) => {
                self.place_of_present(&index, place, present)?
            }
            _ => (place, super::seek::end_of(&index, place)?),
        };
        let source = match (asked, self.shown) {
            (AskedPicture::OfDraw(draw), _) => PictureSource::OfDraw(draw),
            (AskedPicture::Shown, Shown::Target(name)) => match target_at(&self.trace, &index, end, name)? {
                Ok((target, _)) => PictureSource::Target(name, target),
                Err(problem) => return Err(PlayerError::NoTarget { place, reason: problem.to_string() }),
            },
            (AskedPicture::Shown, Shown::Screen { .. }) if is_in_mid_frame => PictureSource::Bound,
            (AskedPicture::Shown, Shown::Screen { .. }) => PictureSource::Presented,
        };
        Ok(SubmittedQuestion { index, place, end, scanout, source })
    }

    /// Refuses a frame behind a fault that playing would end with.
    pub(super) fn refuse_earlier_fault(&self, index: &TraceIndex, frame: FrameIndex) -> Result<(), PlayerError> {
        let (faults, _) = index.faults();
        match faults.first().filter(|fault| self.faults.stop_playing() && fault.at.frame < frame) {
            Some(fault) => Err(PlayerError::of_index(fault)),
            None => Ok(()),
        }
    }

    /// The plan of the picture at the place, for whoever leaves out the draws that `omits` names.
    pub(super) fn plan_picture(
        &mut self,
        question: &SubmittedQuestion,
        omits: impl Fn(u32) -> bool,
    ) -> Result<SlicePlan, PlayerError> {
        let SubmittedQuestion { index, place, end, source, .. } = question;
        let slice = match source {
            PictureSource::Presented | PictureSource::OfDraw(_) => question.slice()?,
            PictureSource::Target(_, TargetAt { view, parts }) => {
                index.slice_showing(place.frame, *end, (view.texture, parts))?
            }
            PictureSource::Bound => {
                // What is drawn to need not be presented. Only now is it known what that is.
                let plan = question.plan(question.slice()?);
                self.run_dry(&plan, omits, |_, _| ())?;
                match question.context().and_then(|context| self.executor.device().bound_parts(context)) {
                    Some((object, parts)) => index.slice_showing(place.frame, *end, (object, &[parts]))?,
                    None => plan.slice,
                }
            }
        };
        Ok(question.plan(slice))
    }

    /// Makes the picture be what the place shows, once its slice was carried out.
    pub(super) fn show_place(&mut self, question: &SubmittedQuestion) -> Result<(), PlayerError> {
        let target = match &question.source {
            // The last present has shown it.
            // silent: the last present has shown it
            PictureSource::Presented | PictureSource::OfDraw(_) => return Ok(()),
            PictureSource::Target(_, target) => Some(target.view),
            PictureSource::Bound => {
                // silent: commands of no submission draw on the picture itself
                let Some(context) = question.context() else { return Ok(()) };
                self.executor.device().bound_target(context)
            }
        };
        match target {
            Some(target) => self.gpu.renderer.show_target(&target)?,
            None => self.gpu.renderer.show_nothing(),
        }
        Ok(())
    }

    /// The plan of everything that the commands of the place's frame do up to there, seen or not, and what the picture asked
    /// about shows, which is as in the trace `since` then; nothing where nothing is shown.
    pub(super) fn plan_all(
        &mut self,
        question: &SubmittedQuestion,
        since: WatchedSince,
    ) -> Result<(SlicePlan, Option<ShownTarget>), PlayerError> {
        let SubmittedQuestion { index, place, end, scanout, source } = question;
        let (view, parts, until) = match source {
            PictureSource::Target(name, TargetAt { view, parts }) => {
                let &[Aspect::Color] = aspects_of(view.format) else {
                    return Err(PlayerError::NotOfColor { name: *name, format: view.format });
                };
                (Some(*view), parts.first().map(|parts| (view.texture, parts.clone())), CommandNumber(*end))
            }
            _ => {
                let (view, until) = self.find_view(question)?;
                (view, view.and_then(|view| self.executor.device().parts_of(&view)), until)
            }
        };
        // What was shown before the frame is in the slice, since it is shown.
        let since = if until.0 < question.own_start() { WatchedSince::LastWholeWrite } else { since };
        let watched = parts.map(|(object, parts)| WatchedParts { object, parts, since });
        let slice = index.slice_of_all(place.frame, *end, *scanout, watched)?;
        let plan = question.plan(slice);
        Ok((plan, view.map(|view| ShownTarget { view, until })))
    }

    /// The picture that a place shows, which commands up to there draw, and the command from which on they draw another.
    fn find_view(&mut self, question: &SubmittedQuestion) -> Result<(Option<TargetView>, CommandNumber), PlayerError> {
        let SubmittedQuestion { index, place, end, scanout, source } = question;
        let present = match (source, scanout) {
            (PictureSource::Presented, Some(scanout)) => index.shown_on(*scanout, *end),
            _ => None,
        };
        let wanted = match source {
            PictureSource::OfDraw(draw) => index.draws_of(place.frame).nth(*draw as usize),
            PictureSource::Presented | PictureSource::Bound | PictureSource::Target(..) => None,
        };
        let (mut presented, mut drawn) = (None, None);
        let plan = question.plan(question.slice()?);
        let dry = self.run_dry(
            &plan,
            |_| false,
            |write, executor| {
                for op in executor.device_ops().ops {
                    match op {
                        DeviceOp::Present { source, .. } if Some(write.number) == present => presented = *source,
                        DeviceOp::Draw { state, .. } if Some(write.number) == wanted => drawn = Some(state.targets),
                        _ => {}
                    }
                }
            },
        );
        // What is wrong in the frame itself is told by whoever carries it out for the GPU.
        unless_of_device(dry)?;
        let bound = || question.context().and_then(|context| self.executor.device().bound_target(context));
        let end = CommandNumber(*end);
        Ok(match source {
            PictureSource::OfDraw(_) => (drawn.and_then(first_color), end),
            PictureSource::Presented => (presented, present.unwrap_or(end)),
            PictureSource::Bound => (bound(), end),
            PictureSource::Target(_, target) => (Some(target.view), end),
        })
    }

    /// Carries out a slice on the CPU alone.
    fn run_dry(
        &mut self,
        plan: &SlicePlan,
        omits: impl Fn(u32) -> bool,
        mut each: impl FnMut(TargetWrite, &Executor),
    ) -> Result<(), PlayerError> {
        let ran = self.run_slice(plan, omits, |write, executor, _| {
            each(write, executor);
            Ok(())
        });
        self.gpu.forget_objects();
        ran
    }
}

fn first_color(targets: DrawTargets) -> Option<TargetView> {
    targets.colors.into_iter().flatten().next()
}

/// An error of the trace is for who carries it out once more; an error of the GPU ends everything.
fn unless_of_device(ran: Result<(), PlayerError>) -> Result<(), PlayerError> {
    match ran {
        Err(error) if error.is_of_device() => Err(error),
        _ => Ok(()),
    }
}
