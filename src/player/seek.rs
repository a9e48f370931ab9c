//! Going anywhere: carrying out a slice of the trace on what the GPU holds already.

use super::residency::{Residency, Surroundings};
use super::target_copies::{TargetCopies, is_worth_keeping};
use super::{Player, PlayerError, Position, Until};
use crate::bytes::Diagnostics;
use crate::command::{Command, Located};
use crate::format::aerogpu::FrameIndex;
use crate::gpu::{GpuError, Renderer};
use crate::replay::{
    BlobStore, CommandNumber, CommandReader, Flow, GuestState, Op, ProgramLibrary, ReplayError, Slice, SliceTarget,
    Step, TraceIndex, decode_frame,
};

/// A slice being carried out.
struct Run {
    state: GuestState,
    /// Draws and clears before this command are on the target already.
    shown: CommandNumber,
    /// What the target holds before this command is not the trace's.
    known_from: CommandNumber,
    /// Draws since then.
    drawn: u32,
    /// How many draws there will be, if pictures on the way are to be kept.
    keeps_of: Option<u32>,
}

/// What ops are carried out on.
struct Stage<'a> {
    renderer: &'a mut Renderer,
    programs: &'a mut ProgramLibrary,
    residency: &'a mut Residency,
    copies: &'a mut TargetCopies,
}

impl Player {
    /// Makes the target hold the picture of a frame that is in the index.
    pub(super) fn seek_by_index(
        &mut self,
        index: &TraceIndex,
        frame: FrameIndex,
        until: Until,
    ) -> Result<(), PlayerError> {
        let end = end_of(index, frame, until)?;
        let current = self.leave_position(index);
        let best_copy = self.copies.latest_until(end);
        let at_hand = current.filter(|shown| shown.0 <= end).max(best_copy);
        let Some(slice) = index.slice(frame, end, at_hand) else {
            return Err(PlayerError::NoSuchFrame { frame, frame_count: index.frame_count() });
        };
        self.prepare_target(&slice, current)?;
        let mut run = Run::new(index, &slice, until);
        self.residency.begin();
        self.run_earlier(index, &slice, &mut run)?;
        self.run_own(&slice, &mut run)?;
        let Self { renderer, programs, blobs, residency, .. } = self;
        residency.trim(&mut Surroundings { renderer, programs, blobs, at: Default::default() })?;
        self.submit_frame()?;
        let shown = Some(CommandNumber(slice.own.end));
        self.position = Position::Sought { shows: Some((frame, until)), shown };
        Ok(())
    }

    /// Leaves the current position, keeping what is on the GPU; says what the target shows.
    pub(super) fn leave_position(&mut self, index: &TraceIndex) -> Option<CommandNumber> {
        match std::mem::replace(&mut self.position, Position::Broken) {
            Position::Linear(linear) => {
                let shown = match linear.played() {
                    None => Some(CommandNumber(0)),
                    Some((frame, _)) if frame.as_usize() >= index.frame_count() => None,
                    Some((frame, until)) => end_of(index, frame, until).ok().map(CommandNumber),
                };
                if let Some(state) = linear.into_resident_state() {
                    self.residency.adopt(state);
                }
                shown
            }
            Position::Sought { shown, .. } => shown,
            Position::Broken => {
                // Nobody knows what the GPU holds, and what was recorded must not be submitted.
                self.start_over();
                self.position = Position::Broken;
                Some(CommandNumber(0))
            }
        }
    }

    /// Makes the target hold what the slice begins with.
    fn prepare_target(&mut self, slice: &Slice, current: Option<CommandNumber>) -> Result<(), PlayerError> {
        let Self { renderer, programs, blobs, copies, .. } = self;
        match slice.target {
            SliceTarget::PictureBefore(at) if Some(at) == current => {}
            SliceTarget::PictureBefore(at) => {
                let copy = copies.get(at).ok_or(PlayerError::Internal("a picture that was kept is gone"))?;
                renderer.restore_target(copy);
            }
            SliceTarget::Black => renderer.run(&Op::Clear { rgba: [0.0; 4] }, Default::default(), programs, blobs)?,
            SliceTarget::ClearedBy(_) => {}
        }
        Ok(())
    }

    /// Carries out the commands before the frame.
    fn run_earlier(&mut self, index: &TraceIndex, slice: &Slice, run: &mut Run) -> Result<(), PlayerError> {
        let mut reader = CommandReader::new(self.trace.clone());
        let Self { blobs, renderer, programs, residency, copies, .. } = self;
        let mut stage = Stage { renderer, programs, residency, copies };
        // What is odd in other frames is noted when they are shown.
        let mut unnoted = Diagnostics::new();
        for number in &slice.earlier {
            let at = index.location(*number).ok_or(PlayerError::Internal("a slice has a command without a place"))?;
            let command = reader.read(at)?;
            run.state.apply(command, blobs, stage.programs, &mut unnoted)?;
            stage.run_ops(*number, command, run, blobs)?;
        }
        Ok(())
    }

    /// Carries out the frame's own commands.
    fn run_own(&mut self, slice: &Slice, run: &mut Run) -> Result<(), PlayerError> {
        let span = self.trace.frame(slice.frame).cloned();
        let span = span.ok_or(PlayerError::Internal("a slice is of no frame"))?;
        let mut reader = self.trace.records(span.bytes);
        let Self { blobs, diagnostics, renderer, programs, residency, copies, .. } = self;
        let mut stage = Stage { renderer, programs, residency, copies };
        let mut gpu_error = None;
        decode_frame(&mut reader, Some(slice.frame), blobs, diagnostics, |command, blobs, diagnostics| {
            let number = CommandNumber(slice.own.start + command.at.packet);
            if number.0 >= slice.own.end {
                return Ok(Flow::Stop);
            }
            run.state.apply(command, blobs, stage.programs, diagnostics)?;
            if let Err(error) = stage.run_ops(number, command, run, blobs) {
                gpu_error = Some(error);
                return Ok(Flow::Stop);
            }
            Ok::<Flow, ReplayError>(Flow::Continue)
        })?;
        gpu_error.map_or(Ok(()), |error| Err(error.into()))
    }
}

impl Stage<'_> {
    /// Carries out the ops of one command.
    fn run_ops(
        &mut self,
        number: CommandNumber,
        command: Located<Command>,
        run: &mut Run,
        blobs: &BlobStore,
    ) -> Result<(), GpuError> {
        let mut around = Surroundings { renderer: self.renderer, programs: self.programs, blobs, at: command.at };
        for op in run.state.ops() {
            let touches_target = matches!(op, Op::Clear { .. } | Op::Draw(_));
            if !(touches_target && number < run.shown) {
                self.residency.run(op, &run.state, &mut around)?;
            }
        }
        // A draw before the CLEAR that all begins with is carried out for its errors alone.
        if matches!(command.value, Command::Draw { .. }) && number >= run.known_from {
            run.drawn += 1;
            if run.keeps_of.is_some_and(|total| is_worth_keeping(run.drawn, total)) {
                self.copies.keep(CommandNumber(number.0 + 1), self.renderer);
            }
        }
        Ok(())
    }
}

impl Run {
    fn new(index: &TraceIndex, slice: &Slice, until: Until) -> Self {
        let shown = match slice.target {
            SliceTarget::PictureBefore(at) => at,
            SliceTarget::Black | SliceTarget::ClearedBy(_) => CommandNumber(0),
        };
        let known_from = slice.target.known_from();
        let is_draw = |number: &CommandNumber| matches!(index.step(*number), Some(Step::Draw { .. }));
        let earlier = slice.earlier.iter().copied().filter(is_draw).count();
        // Whole frames that begin with a CLEAR are cheap to come back to.
        let keeps = until != Until::EndOfFrame || earlier > 0;
        let keeps_of = keeps.then(|| {
            let own = slice.own.clone().map(CommandNumber).filter(|number| *number >= known_from).filter(is_draw);
            (earlier + own.count()) as u32
        });
        Self { state: GuestState::new(), shown, known_from, drawn: 0, keeps_of }
    }
}

/// The number of the first command that is not wanted.
pub(super) fn end_of(index: &TraceIndex, frame: FrameIndex, until: Until) -> Result<u32, PlayerError> {
    let all = index.commands_of(frame).unwrap_or_default();
    match until {
        Until::EndOfFrame => Ok(all.end),
        // A packet that does not exist comes after all that do.
        Until::AfterPacket(packet) => Ok(all.start.saturating_add(packet).saturating_add(1).min(all.end)),
        Until::AfterDraw(draw) => match index.draws_of(frame).nth(draw as usize) {
            Some(number) => Ok(number.0 + 1),
            None => {
                let draw_count = index.draws_of(frame).count() as u32;
                Err(PlayerError::NoSuchDraw { draw, frame, draw_count })
            }
        },
    }
}
