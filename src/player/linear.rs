//! Playing front to back.
//!
//! From the start of the trace, everything is carried out as it comes. After a seek the state is made whole again, but
//! not the GPU: buffers keep what the seek has left in them until a draw reads it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::residency::Surroundings;
use super::{Player, PlayerError, Position, Until};
use crate::bytes::Diagnostics;
use crate::command::{Command, Located};
use crate::format::aerogpu::{FrameIndex, RecordReader, Trace};
use crate::gpu::{GpuError, Renderer};
use crate::pixels::PictureHash;
use crate::replay::{CommandReader, Flow, GuestState, ReplayError, TraceIndex, decode_frame};

/// The state of a stream played from its start, without a gap.
pub(super) struct Linear {
    reader: RecordReader,
    state: GuestState,
    /// Absolute file offset up to which the stream was played.
    walked_to: u64,
    played: Option<(FrameIndex, Until)>,
    upkeep: Upkeep,
}

/// Looks at the target after a draw, given by its number in the frame.
type Look<'l> = dyn FnMut(u32, &mut Renderer) -> Result<(), GpuError> + 'l;

/// What the buffers on the GPU hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Upkeep {
    /// What the state says, at any time.
    Eager,
    /// What [`super::residency::Residency`] knows; it catches up when a draw reads.
    Lazy,
}

impl Linear {
    /// Before the first frame.
    pub fn new(trace: &Arc<Trace>) -> Self {
        let stream = trace.stream();
        Self {
            walked_to: stream.start,
            reader: trace.records(stream),
            state: GuestState::new(),
            played: None,
            upkeep: Upkeep::Eager,
        }
    }

    /// Whether this is what the target shows.
    pub fn shows(&self, frame: FrameIndex, until: Until) -> bool {
        self.played == Some((frame, until))
    }

    /// What was played last.
    pub fn played(&self) -> Option<(FrameIndex, Until)> {
        self.played
    }

    /// The frame that can be played now; none in the middle of one.
    pub fn next_frame(&self) -> Option<FrameIndex> {
        match self.played {
            None => Some(FrameIndex(0)),
            Some((frame, Until::EndOfFrame)) => Some(FrameIndex(frame.0 + 1)),
            Some((_, Until::AfterDraw(_) | Until::AfterPacket(_))) => None,
        }
    }

    /// The state, if all its buffers are on the GPU as it says.
    pub fn into_resident_state(self) -> Option<GuestState> {
        (self.upkeep == Upkeep::Eager).then_some(self.state)
    }
}

impl Player {
    /// Plays up to `frame`, from where the player stands if it has played everything so far, else from the start.
    pub(super) fn play_from_here_to(&mut self, frame: FrameIndex, until: Until) -> Result<(), PlayerError> {
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
            self.play_next(Until::EndOfFrame)?;
        }
        self.play_next(until)
    }

    /// Makes the state whole at the end of `frame`, which a seek has shown, so that the next frame can be played.
    pub(super) fn become_linear(&mut self, index: &TraceIndex, frame: FrameIndex) -> Result<(), PlayerError> {
        let (Some(span), Some(own)) = (self.trace.frame(frame), index.commands_of(frame)) else {
            return Err(PlayerError::Internal("the frame shown is not in the index"));
        };
        let mut linear = Linear::new(&self.trace);
        linear.walked_to = span.bytes.end;
        linear.played = Some((frame, Until::EndOfFrame));
        linear.upkeep = Upkeep::Lazy;
        let mut reader = CommandReader::new(self.trace.clone());
        let mut unnoted = Diagnostics::new();
        for number in index.state_before(own.end) {
            let at = index.location(number).ok_or(PlayerError::Internal("a state has a command without a place"))?;
            let command = reader.read(at)?;
            linear.state.apply(command, &mut self.blobs, &mut self.programs, &mut unnoted)?;
        }
        self.residency.begin();
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
            _ => return Err(PlayerError::Internal("a frame was to be played that is not the next")),
        }
        let mut hashes = Vec::with_capacity(draws.len());
        self.play_next_looking(Until::EndOfFrame, &mut |draw, renderer| {
            if draws.contains(&draw) {
                hashes.push(renderer.read_back()?.hash());
            }
            Ok(())
        })?;
        let is_whole = hashes.len() == draws.len();
        if is_whole { Ok(hashes) } else { Err(PlayerError::Internal("a draw to be looked at is not in the frame")) }
    }

    pub(super) fn start_over(&mut self) {
        self.position = Position::Linear(Box::new(Linear::new(&self.trace)));
        self.residency.clear();
        self.copies.clear();
        self.renderer.reset();
    }

    /// Plays the frame that follows the current position.
    pub(super) fn play_next(&mut self, until: Until) -> Result<(), PlayerError> {
        self.play_next_looking(until, &mut |_, _| Ok(()))
    }

    fn play_next_looking(&mut self, until: Until, look: &mut Look<'_>) -> Result<(), PlayerError> {
        // Whatever goes wrong, the state is in the middle of something then.
        let Position::Linear(mut linear) = std::mem::replace(&mut self.position, Position::Broken) else {
            return Err(PlayerError::Internal("what to play on from is not known"));
        };
        let next = linear.next_frame();
        let frame = next.ok_or(PlayerError::Internal("the player stands in the middle of a frame"))?;
        let Some(span) = self.trace.frame(frame).cloned() else {
            return Err(PlayerError::NoSuchFrame { frame, frame_count: self.trace.frames().len() });
        };
        let draws = self.watched(|player| player.play_span(&mut linear, frame, &span.bytes, until, look))?;
        if let Until::AfterDraw(draw) = until
            && draw >= draws
        {
            return Err(PlayerError::NoSuchDraw { draw, frame, draw_count: draws });
        }
        linear.walked_to = span.bytes.end;
        linear.played = Some((frame, until));
        self.position = Position::Linear(linear);
        Ok(())
    }

    /// Walks up to and through a frame and submits it; says how many draws there were.
    fn play_span(
        &mut self,
        linear: &mut Linear,
        frame: FrameIndex,
        bytes: &Range<u64>,
        until: Until,
        look: &mut Look<'_>,
    ) -> Result<u32, PlayerError> {
        self.walk_gap(linear, bytes.start)?;
        let draws = self.walk_frame(linear, frame, bytes.clone(), until, look)?;
        if linear.upkeep == Upkeep::Lazy {
            let Self { renderer, programs, blobs, residency, .. } = self;
            residency.trim(&mut Surroundings { renderer, programs, blobs, at: Default::default() })?;
        }
        self.submit_frame()?;
        Ok(draws)
    }

    /// Takes in the blobs between the last frame and the next, which starts at `end`.
    fn walk_gap(&mut self, linear: &mut Linear, end: u64) -> Result<(), PlayerError> {
        let Self { blobs, diagnostics, .. } = self;
        linear.reader.seek(linear.walked_to..end);
        decode_frame(&mut linear.reader, None, blobs, diagnostics, |_, _, _| Ok(Flow::Continue))?;
        Ok(())
    }

    /// Plays a frame's commands; says how many draws there were.
    fn walk_frame(
        &mut self,
        linear: &mut Linear,
        frame: FrameIndex,
        bytes: Range<u64>,
        until: Until,
        look: &mut Look<'_>,
    ) -> Result<u32, PlayerError> {
        let Self { blobs, diagnostics, renderer, programs, residency, .. } = self;
        let Linear { reader, state, upkeep, .. } = linear;
        reader.seek(bytes);
        let mut draws = 0;
        let mut gpu_error = None;
        decode_frame(reader, Some(frame), blobs, diagnostics, |command: Located<Command>, blobs, diagnostics| {
            state.apply(command, blobs, programs, diagnostics)?;
            for op in state.ops() {
                let run = match upkeep {
                    Upkeep::Eager => renderer.run(op, command.at, programs, blobs),
                    Upkeep::Lazy => {
                        residency.run(op, state, &mut Surroundings { renderer, programs, blobs, at: command.at })
                    }
                };
                if let Err(error) = run {
                    gpu_error = Some(error);
                    return Ok(Flow::Stop);
                }
            }
            if matches!(command.value, Command::Draw { .. }) {
                if let Err(error) = look(draws, renderer) {
                    gpu_error = Some(error);
                    return Ok(Flow::Stop);
                }
                draws += 1;
                if until == Until::AfterDraw(draws - 1) {
                    return Ok(Flow::Stop);
                }
            }
            if until == Until::AfterPacket(command.at.packet) {
                return Ok(Flow::Stop);
            }
            Ok::<Flow, ReplayError>(Flow::Continue)
        })?;
        match gpu_error {
            Some(error) => Err(error.into()),
            None => Ok(draws),
        }
    }
}
