//! Playing front to back.
//!
//! From the start of the trace, everything is carried out as it comes. After a seek the state is made whole again, but
//! not the GPU: buffers keep what the seek has left in them until a draw reads it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::gpu_context::GpuContext;
use super::look_ahead::Route;
use super::slice_run::read_until;
use super::{Player, PlayerError, Position};
use crate::command::{Place, Point};
use crate::error::Internal;
use crate::format::aerogpu::{FrameIndex, Trace};
use crate::gpu::GpuError;
use crate::pixels::PictureHash;
use crate::replay::{CommandReader, CommandStream, Executor, TraceIndex};

/// A trace played from its start, without a gap; the executor has the state.
pub(super) struct Linear {
    stream: CommandStream,
    played: Option<Place>,
}

/// Looks at the target after a draw, given by its number in the frame.
type Look<'l> = dyn FnMut(u32, &Executor, &mut GpuContext) -> Result<(), GpuError> + 'l;

impl Linear {
    /// Before the first frame.
    pub(crate) fn new(trace: &Arc<Trace>) -> Self {
        Self { stream: CommandStream::new(trace.clone()), played: None }
    }

    /// At the end of `frame`.
    fn behind(trace: &Arc<Trace>, frame: FrameIndex) -> Result<Self, Internal> {
        let stream = CommandStream::behind(trace.clone(), Some(frame))?;
        Ok(Self { stream, played: Some(Place::end_of(frame)) })
    }

    /// Breaks it on purpose: it has played up to another place.
    #[cfg(test)]
    pub(super) fn break_off(&mut self, place: Place) {
        self.played = Some(place);
    }

    /// What was played last.
    pub(crate) fn played(&self) -> Option<Place> {
        self.played
    }

    /// The frame that can be played now; none in the middle of one.
    pub(crate) fn next_frame(&self) -> Option<FrameIndex> {
        match self.played {
            None => Some(FrameIndex(0)),
            Some(Place { frame, point: Point::End }) => Some(FrameIndex(frame.0 + 1)),
            Some(Place { frame, point: Point::Start }) => Some(frame),
            Some(Place { point: Point::Draw(_) | Point::Packet(_), .. }) => None,
        }
    }
}

impl Player {
    /// Plays up to a place, from where the player stands if it has played everything so far, else from the start.
    pub(super) fn play_from_here_to(&mut self, place: Place) -> Result<(), PlayerError> {
        let Place { frame, point } = place;
        let goes_on = match &self.position {
            Position::Linear(linear) => linear.next_frame().filter(|next| *next <= frame),
            _ => None,
        };
        let next = match goes_on {
            Some(next) => next,
            None => {
                self.start_over();
                FrameIndex(0)
            }
        };
        for _ in next.0..frame.0 {
            self.play_next(Point::End)?;
        }
        self.play_next(point)
    }

    /// Makes the state whole at the end of `frame`, which a seek has shown, so that the next frame can be played.
    pub(super) fn become_linear(&mut self, index: &TraceIndex, frame: FrameIndex) -> Result<(), PlayerError> {
        let own = index.commands_of(frame).ok_or(Internal::new("the displayed frame is not in the index"))?;
        let linear = Linear::behind(&self.trace, frame)?;
        let mut reader = CommandReader::new(self.trace.clone());
        self.executor.restart();
        self.executor.unnoted(|executor| {
            index.state_before(own.end)?.into_iter().try_for_each(|number| {
                let command = reader.read(index.require_location(number)?)?;
                executor.apply(&command)
            })
        })?;
        self.gpu.residency.begin();
        self.position = Position::Linear(Box::new(linear));
        Ok(())
    }

    /// Plays `frame`, which has to be the next one, to its end; gives the hashes of its pictures after each of `draws`:
    /// what going to them has to show.
    pub fn play_with_draws(
        &mut self,
        frame: FrameIndex,
        draws: &BTreeSet<u32>,
    ) -> Result<Vec<PictureHash>, PlayerError> {
        match &self.position {
            Position::Linear(linear) if linear.next_frame() == Some(frame) => {}
            _ => return Err(Internal::new("a frame to be played is not the next one").into()),
        }
        let mut hashes = Vec::with_capacity(draws.len());
        self.play_next_looking(Point::End, &mut |draw, executor, gpu| {
            if draws.contains(&draw) {
                hashes.push(gpu.read_bound(executor)?.hash());
            }
            Ok(())
        })?;
        let is_whole = hashes.len() == draws.len();
        if is_whole { Ok(hashes) } else { Err(Internal::new("a requested draw is not in the frame").into()) }
    }

    pub(super) fn start_over(&mut self) {
        self.position = Position::Linear(Box::new(Linear::new(&self.trace)));
        self.executor.restart();
        self.gpu.reset();
    }

    /// Plays the frame that follows the current position.
    pub(super) fn play_next(&mut self, point: Point) -> Result<(), PlayerError> {
        self.play_next_looking(point, &mut |_, _, _| Ok(()))
    }

    fn play_next_looking(&mut self, point: Point, look: &mut Look<'_>) -> Result<(), PlayerError> {
        // Whatever goes wrong, the state is in the middle of something then.
        let Position::Linear(mut linear) = std::mem::replace(&mut self.position, Position::Broken) else {
            return Err(Internal::new("there is no point to continue playing from").into());
        };
        let frame = linear.next_frame().ok_or(Internal::new("the player is in the middle of a frame"))?;
        let frame_count = self.trace.frames().len();
        if frame.as_usize() >= frame_count {
            return Err(PlayerError::NoSuchFrame { frame, frame_count });
        }
        let place = Place { frame, point };
        self.watched(|player| player.play_frame(&mut linear.stream, place, look))?;
        linear.played = Some(place);
        self.position = Position::Linear(linear);
        Ok(())
    }

    /// Plays up to and through a frame and submits it.
    fn play_frame(&mut self, stream: &mut CommandStream, place: Place, look: &mut Look<'_>) -> Result<(), PlayerError> {
        let Self { executor, gpu, faults, trace, .. } = self;
        gpu.begin_looking_at(place.frame);
        read_until(stream, place, executor, faults, |command, draw, executor| {
            executor.apply(command)?;
            gpu.run_command(executor)?;
            if gpu.is_worth_looking_ahead() {
                gpu.look_ahead(trace, Route::of_playing(place.frame));
            }
            Ok(draw.map_or(Ok(()), |draw| look(draw, executor, gpu))?)
        })?;
        if !matches!(place.point, Point::Start | Point::End) {
            gpu.show_bound(executor)?;
        }
        gpu.trim(executor)?;
        Ok(self.submit_frame()?)
    }
}
